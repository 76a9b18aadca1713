"""``rummy``: the command line. Each subcommand is a module that adds itself."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence
from typing import Any

#: module → the function that adds its subcommands to a parser; a subcommand sets ``run`` to what it does.
_COMMANDS = {
    "api.serve": "add_command",
    "api.openapi_command": "add_command",
    "api.cli_logs": "add_commands",
}


def parser() -> argparse.ArgumentParser:
    """The parser of all subcommands."""
    root = argparse.ArgumentParser(prog="rummy", description="A game server for rummy games.")
    subparsers: Any = root.add_subparsers(title="commands", dest="command", required=True)
    for module, function in _COMMANDS.items():
        getattr(importlib.import_module(module), function)(subparsers)
    return root


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a subcommand; its exit status. Ctrl-C ends any of them without a word."""
    parsed = parser().parse_args(arguments)
    try:
        return int(parsed.run(parsed) or 0)
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
