"""What a terminal shows of a text: how wide, in which colours, and nothing that it obeys."""

from __future__ import annotations

import os
from unittest import mock

from hypothesis import given
from hypothesis import strategies as st

from engram.model.display import columns, plain, plain_line
from engram.surfaces.cli.terminal import fitted, marked, paragraph

_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=200) | st.text(
    "ab c漢字é …\t\n\x1b[31m\u202e", max_size=200
)
_WIDTH = st.integers(30, 120)


def wide(width: int) -> mock._patch_dict:
    return mock.patch.dict(os.environ, {"COLUMNS": str(width)})


@given(_TEXT, _WIDTH, st.integers(0, 10))
def test_a_fitted_line_fits_and_is_the_beginning_of_the_text(
    text: str, width: int, indent: int
) -> None:
    with wide(width):
        line = fitted(text, indent)
    assert columns(line) <= width and "\n" not in line
    whole = plain_line(text)
    shown = line[min(indent, width // 5) :]
    assert shown == whole or (shown.endswith("…") and whole.startswith(shown[:-1].rstrip()))


@given(_TEXT, _WIDTH, st.integers(0, 10))
def test_a_paragraph_fits_and_loses_nothing(text: str, width: int, indent: int) -> None:
    line = plain_line(text)
    with wide(width):
        shown = paragraph(line, indent).split("\n")
    assert all(part.startswith(" " * min(indent, width // 5)) for part in shown)
    # an id or a path that is wider can still be copied
    assert all(columns(part) <= width or " " not in part.strip() for part in shown)
    assert "".join("".join(part.split()) for part in shown) == "".join(line.split())


@given(st.lists(st.text("abc", min_size=1, max_size=20), max_size=20), _WIDTH)
def test_a_paragraph_breaks_between_words(words: list[str], width: int) -> None:
    with wide(width):
        shown = paragraph(" ".join(words), 4).split("\n")
    assert [word for part in shown for word in part.split()] == words


def test_a_word_wider_than_the_terminal_stays_whole() -> None:
    with wide(34):
        assert paragraph(f"at {'x' * 70} now", 4).split("\n") == [
            "    at", "    " + "x" * 70, "    now",
        ]  # fmt: skip


def test_east_asian_letters_count_twice() -> None:
    with wide(34):
        assert paragraph("漢" * 20, 4).split("\n") == ["    " + "漢" * 15, "    " + "漢" * 5]
        assert fitted("漢" * 20, 4) == "    " + "漢" * 14 + "…"


def test_where_nothing_says_how_wide_a_line_may_be_it_stays_whole() -> None:
    for told in ({"COLUMNS": ""}, {"COLUMNS": "0"}, {"COLUMNS": "many"}, {"COLUMNS": "-5"}):
        with mock.patch.dict(os.environ, told):
            assert fitted("x" * 500) == "x" * 500
            assert paragraph("x y " * 100, 2) == "  " + "x y " * 100


@given(_TEXT, st.lists(st.tuples(st.integers(-3, 220), st.integers(-3, 220)), max_size=5))
def test_off_a_terminal_marks_change_nothing(text: str, spans: list[tuple[int, int]]) -> None:
    assert marked(text, spans).replace("\n", "") == plain(text).replace("\n", "")
