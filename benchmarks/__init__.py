"""What the house must do well, measured: `python -m benchmarks [name …]`. See `docs/benchmarks.md`."""
