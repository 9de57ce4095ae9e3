"""`python -m tests.year [--update]`: import the year of chats, show or write which pages differ.

After `--update` the difference is for a person to read before it is committed.
"""

from __future__ import annotations

import argparse
import difflib
import sys
import tempfile
from pathlib import Path

from tests.year.imported_year import GOLDEN, imported, pages


def main() -> int:
    """The exit code says whether a page differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.year", description=__doc__)
    parser.add_argument("--update", action="store_true", help="write the pages")
    update = parser.parse_args().update
    differ = False
    with tempfile.TemporaryDirectory() as folder:
        for name, text in pages(imported(Path(folder))):
            path = GOLDEN / name
            before = path.read_text(encoding="utf-8") if path.exists() else ""
            if before == text:
                continue
            differ = True
            lines = (before.splitlines(), text.splitlines())
            print("\n".join(difflib.unified_diff(*lines, name, "made", lineterm="", n=1)))
            if update:
                path.write_text(text, encoding="utf-8")
    return int(differ)


if __name__ == "__main__":
    sys.exit(main())
