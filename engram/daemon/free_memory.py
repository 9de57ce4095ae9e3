"""Memory that was needed once, given back: a daemon lives for months after its first import."""

from __future__ import annotations

import gc
import sys


def relieve() -> None:
    """Collect what is garbage, and where the C library keeps what it was given, have it let go."""
    gc.collect()
    if sys.platform == "linux":
        # imported here: only this needs it
        import ctypes

        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc has it, others do not
        if trim is not None:
            trim(0)
