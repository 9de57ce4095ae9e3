"""Where keys stand in TOML text."""

from __future__ import annotations

import pytest

from engram.settings.toml_tables import lines, parse

TEXT = '''# a comment = no key
top = 1 # "no # comment"

[a]  # header
x = """
[not.a.table]
y = 2 # still text
"""""
list = [
  1, # one ] [
  { k = "}" },
]
[ "a" . b ]
c.d = 'it''s'
'''.replace("'it''s'", "'#'")

CASES = {"top": 2, "a": 4, "a.x": 5, "a.list": 9, "a.b": 13, "a.b.c.d": 14}


def test_lines_of_headers_and_keys_are_found_around_strings_arrays_and_comments() -> None:
    parse(TEXT)
    assert lines(TEXT) == CASES


def test_line_endings_of_windows_change_nothing() -> None:
    assert lines(TEXT.replace("\n", "\r\n")) == CASES


def test_dots_in_comments_and_strings_are_no_depth() -> None:
    row = "." * 200
    assert parse(f'# {row}\na = "{row}"\n') == {"a": row}
    with pytest.raises(ValueError, match="nested too deeply"):
        parse("[" + "a." * 200 + "a]\n")
