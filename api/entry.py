"""Where the command ``rummy`` begins: Ctrl-C is heard while everything else is still being imported."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line."""
    try:
        from .cli import main as run

        return run()
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
