"""docs/json.md says of every verb what it prints with --json."""

from __future__ import annotations

from pathlib import Path

from tests.cli.stage import make_stage
from tests.json_shapes import PAGE, page_of


def test_the_page_of_json_is_what_the_verbs_print(tmp_path: Path) -> None:
    page = page_of(make_stage(tmp_path))
    assert page == PAGE.read_text(encoding="utf-8"), "python -m tests.json_shapes --update"
