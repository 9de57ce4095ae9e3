"""`python -m tests.golden [--update] [NAME ...]`: play the transcripts, show or write what differs.

After `--update` the difference is for a person to read before it is committed.
"""

from __future__ import annotations

import argparse
import difflib
import sys
import tempfile
from pathlib import Path

from tests.golden.transcript import HERE, play, transcripts


def main() -> int:
    """The exit code says whether a transcript differs from what was played."""
    parser = argparse.ArgumentParser(prog="python -m tests.golden", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="of a transcript, such as: search")
    parser.add_argument("--update", action="store_true", help="write what was played")
    options = parser.parse_args()
    wanted = [HERE / f"{name}.eng" for name in options.names] or transcripts()
    differing = [path for path in wanted if _differs(path, update=options.update)]
    return int(bool(differing))


def _differs(path: Path, *, update: bool) -> bool:
    before = path.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        after = play(before, Path(folder))
    if before == after:
        return False
    lines = (before.splitlines(), after.splitlines())
    print("\n".join(difflib.unified_diff(*lines, f"{path.name}", "played", lineterm="", n=2)))
    if update:
        path.write_text(after, encoding="utf-8")
    return True


if __name__ == "__main__":
    sys.exit(main())
