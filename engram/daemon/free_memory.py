"""Memory of a process that runs for weeks: one heap for all threads, and freed memory goes back.

Where the C library is glibc: elsewhere nothing is done.
"""

from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ctypes import CDLL

#: parameters of mallopt: how much may lie free at the end of the heap, from which size on a block
#: is a mapping of its own (given back when it is freed), how many heaps there are
_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
_BLOCK = 256 * 1024


def share_heap() -> None:
    """Let all threads share one heap; each would keep what it once needed. Before any starts."""
    library = _library()
    if library is not None and hasattr(library, "mallopt"):
        for parameter, value in (
            (_ARENA_MAX, 1), (_MMAP_THRESHOLD, _BLOCK), (_TRIM_THRESHOLD, _BLOCK),
        ):  # fmt: skip
            library.mallopt(parameter, value)


def trim_memory() -> None:
    """Run the garbage collector, then malloc_trim."""
    gc.collect()
    library = _library()
    if library is not None and hasattr(library, "malloc_trim"):
        library.malloc_trim(0)


def _library() -> CDLL | None:
    if sys.platform != "linux":
        return None
    # imported here: only this needs it
    import ctypes

    return ctypes.CDLL(None)
