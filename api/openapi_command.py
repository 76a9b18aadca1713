"""``rummy openapi``: print the document."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from .app import HANDLERS
from .openapi import text


def run(arguments: argparse.Namespace) -> int:
    """The subcommand."""
    del arguments
    sys.stdout.write(text(HANDLERS))
    return 0


def add_command(subparsers: Any) -> None:
    """``rummy openapi``."""
    parser = subparsers.add_parser("openapi", help="print the OpenAPI document")
    parser.set_defaults(run=run)
