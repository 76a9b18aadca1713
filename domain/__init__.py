"""The rules of six rummy games: a pure decider, no clock, no chance, no I/O."""
