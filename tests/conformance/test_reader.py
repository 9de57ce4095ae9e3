"""The reader of case files, and what is decided by name."""

from __future__ import annotations

import json

from tests.conformance.__main__ import cases_of


def test_a_line_ends_at_a_line_feed_alone() -> None:
    rows = [{"id": "a", "text": "one\u2028two\x85three"}, {"id": "b"}]
    data = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    assert cases_of(data.encode("utf-8")) == rows
