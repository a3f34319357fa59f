"""No garbage is collected while the program is loaded, since nothing of that is garbage."""

from __future__ import annotations

import gc


def begin_loading() -> None:
    """From now on modules are imported and long-lived objects are made."""
    gc.disable()


def end_loading() -> None:
    """Garbage is collected again, and what there is by now is not looked through."""
    gc.freeze()
    gc.enable()
