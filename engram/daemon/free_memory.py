"""Return freed memory to the operating system (malloc_trim) after a large import."""

from __future__ import annotations

import gc
import sys


def trim_memory() -> None:
    """Run the garbage collector, then malloc_trim where the C library has it."""
    gc.collect()
    if sys.platform == "linux":
        # imported here: only this needs it
        import ctypes

        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc has it, others do not
        if trim is not None:
            trim(0)
