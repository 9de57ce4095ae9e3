"""Standard streams -> streams that take every text: UTF-8 whatever the locale says."""

from __future__ import annotations

import os
import sys


def prepare_streams() -> None:
    """UTF-8, what cannot be said in it as `\\udc80`; a stream that is closed takes everything."""
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
