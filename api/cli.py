"""``rummy``: the command line. Each module with subcommands adds its own, with ``run`` set to what it does."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from . import cli_logs, openapi_command, serve


def parser() -> argparse.ArgumentParser:
    """The parser of all subcommands."""
    root = argparse.ArgumentParser(prog="rummy", description="A game server for rummy games.")
    subparsers = root.add_subparsers(title="commands", dest="command", required=True)
    serve.add_command(subparsers)
    openapi_command.add_command(subparsers)
    cli_logs.add_commands(subparsers)
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
