"""`python -m tests.scenarios [--update] [NAME ...]`: play scenarios, show or write what differs.

After `--update` the difference is for a person to read before it is committed. With `--print` what
was played goes to stdout, and nothing is compared.
"""

from __future__ import annotations

import argparse
import difflib
import sys
import tempfile
from pathlib import Path

from tests.scenarios.scenario import golden, names, play


def main() -> int:
    """The exit code says whether a scenario differs from what it came to before."""
    parser = argparse.ArgumentParser(prog="python -m tests.scenarios", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="of a scenario: corrections")
    parser.add_argument("--update", action="store_true", help="write what was played")
    parser.add_argument("--print", action="store_true", help="print what was played")
    parser.add_argument("--reverse", action="store_true", help="with files in another order")
    options = parser.parse_args()
    differing = 0
    for name in options.names or names():
        with tempfile.TemporaryDirectory() as folder:
            played = play(name, Path(folder), reverse=options.reverse)
        if options.print:
            sys.stdout.buffer.write(played.encode())
            continue
        path = golden(name)
        before = path.read_text(encoding="utf-8") if path.exists() else ""
        if before == played:
            continue
        differing += 1
        lines = (before.splitlines(), played.splitlines())
        print("\n".join(difflib.unified_diff(*lines, path.name, "played", lineterm="", n=2)))
        if options.update:
            path.write_text(played, encoding="utf-8")
    return int(bool(differing))


if __name__ == "__main__":
    sys.exit(main())
