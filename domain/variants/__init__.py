"""The games.  Each module here with a ``VARIANT`` is one; a new game is a new file."""

from __future__ import annotations

import importlib
import pkgutil

from domain.rules import Variant


def _found() -> dict[str, Variant]:
    modules = [importlib.import_module(f"{__name__}.{m.name}") for m in pkgutil.iter_modules(__path__)]
    variants = [m.VARIANT for m in modules if hasattr(m, "VARIANT")]
    return {v.slug: v for v in sorted(variants, key=lambda v: v.slug)}


VARIANTS: dict[str, Variant] = _found()
