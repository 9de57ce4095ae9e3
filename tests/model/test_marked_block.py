"""The block between marks: nothing else of the file changes, whatever its line ends are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.model.marked_block import BEGIN, END, with_lines, without_lines

TEXTS = st.text(alphabet="ab# \t\r\n<!->", max_size=30)
LINES = st.lists(st.text(alphabet="ab- ", max_size=5), min_size=1, max_size=3)


@given(TEXTS, LINES, LINES)
def test_it_is_replaced_in_place_and_taken_out_without_a_trace(
    text: str, first: list[str], second: list[str]
) -> None:
    made = with_lines(text, first)
    assert with_lines(made, first) == made
    assert made.startswith(text)
    assert with_lines(made, second) == with_lines(text, second)
    assert without_lines(with_lines(made, second)) == text


def test_what_the_person_wrote_around_it_stays() -> None:
    made = with_lines("# Shop\r\n", ["- one"]) + "\r\nMine.\r\n"
    assert made == f"# Shop\r\n\r\n{BEGIN}\r\n- one\r\n{END}\r\n\r\nMine.\r\n"
    again = with_lines(made, ["- two"])
    assert again == made.replace("- one", "- two")
    assert without_lines(again) == "# Shop\r\n\r\nMine.\r\n"


@pytest.mark.parametrize(
    "text",
    [
        f"{BEGIN}\nwords\n", f"words\n{END}\n", f"{END}\n{BEGIN}\n",
        f"{BEGIN}\n{END}\n{BEGIN}\n{END}\n", f"{BEGIN}\n{BEGIN}\n{END}\n",
    ],
)  # fmt: skip
def test_marks_that_are_no_pair_are_refused(text: str) -> None:
    for change in (lambda: with_lines(text, ["- one"]), lambda: without_lines(text)):
        with pytest.raises(ValueError, match="no pair"):
            change()


def test_a_mark_within_a_line_is_none() -> None:
    text = f"Say `{BEGIN}` in a line.\n"
    assert without_lines(text) == text and with_lines(text, ["a"]).count("engram:end") == 1
