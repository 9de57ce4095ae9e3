"""Imported by the process that doors are forked from: loads and compiles what commands need.

What one transcript asks for is nearly all of it; each door would take more than a second for that.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.daemon import control_server as control_server
from tests.golden.transcript import HERE, play

with tempfile.TemporaryDirectory() as folder:
    play((HERE / "supersede.eng").read_text(encoding="utf-8"), Path(folder))
