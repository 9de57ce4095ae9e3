"""`python -m tests.schema_files [--write]`: `docs/schemas` against the table, or made from it."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from engram.model.json_schema import json_schema
from engram.model.schemas import SCHEMA_TABLE

FOLDER = Path(__file__).parents[1] / "docs" / "schemas"


def schema_files() -> dict[str, str]:
    """Name and text of every file that the table makes."""
    return {
        f"{one.seed_name}.json": json.dumps(json_schema(one), ensure_ascii=False, indent=2) + "\n"
        for one in SCHEMA_TABLE.values()
    }


def differing() -> list[str]:
    """The names of those that are not there, or not as the table says, or that nothing makes."""
    wanted = schema_files()
    found = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*")}
    return sorted(
        name for name in wanted.keys() | found.keys() if wanted.get(name) != found.get(name)
    )


def main() -> int:
    """The exit code says whether a file differs from what the table makes."""
    parser = argparse.ArgumentParser(prog="python -m tests.schema_files", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write what the table makes")
    wrong = differing()
    if parser.parse_args().write:
        FOLDER.mkdir(exist_ok=True)
        for name, text in schema_files().items():
            (FOLDER / name).write_text(text, encoding="utf-8")
        return 0
    print("\n".join(wrong), end="\n" if wrong else "")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
