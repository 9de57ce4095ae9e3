"""Edits of a page that leave every other byte."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engram.model.page_lines import Edit, Lines

PAGE = """# Page

Words of mine.

## One
- a

- b

## Two

```
- no bullet
## no heading
```
"""


def test_bullets_and_headings_outside_code() -> None:
    page = Lines(PAGE)
    assert [(bullet.text, bullet.heading) for bullet in page.bullets()] == [
        ("a", "One"), ("b", "One"),
    ]  # fmt: skip
    assert [section.heading for section in page.sections] == ["One", "Two"]


def test_new_bullets_go_below_the_last_of_their_heading() -> None:
    made = Lines(PAGE).edited(Edit(add={"One": ["c"], "two": ["d"], "Three": ["e"]}))
    assert made == PAGE.replace("- b\n", "- b\n- c\n") + "- d\n\n## Three\n\n- e\n"


def test_lines_are_dropped_and_replaced_by_number() -> None:
    made = Lines(PAGE).edited(Edit(drop={5}, replace={7: "- B"}))
    assert made == PAGE.replace("- a\n", "").replace("- b", "- B")


def test_line_ends_of_another_system_stay() -> None:
    page = "# Page\r\n\r\n## One\r\n- a\r\n"
    made = Lines(page).edited(Edit(add={"One": ["b"]}))
    assert made == page + "- b\r\n"


def test_a_heading_in_the_first_line_is_one() -> None:
    assert Lines("## One\n").edited(Edit(add={"One": ["a"]})) == "## One\n- a\n"


def test_a_page_whose_code_never_ends_cannot_be_worked_on() -> None:
    assert not Lines("# P\n```\n- a").workable
    assert Lines(PAGE).workable


@given(st.text(alphabet="ab-# `\r\n", max_size=60))
def test_without_an_edit_nothing_changes(text: str) -> None:
    assert Lines(text).edited(Edit()) == text


@given(st.text(alphabet="ab-# `~\r\n", max_size=60))
def test_what_is_added_is_found_again_and_all_else_is_there(text: str) -> None:
    page = Lines(text)
    if not page.workable:
        return
    made = page.edited(Edit(add={"One": ["new"]}))
    assert "new" in [b.text for b in Lines(made).bullets() if b.heading == "One"]
    assert [line for line in made.split("\n") if line.strip() and "new" not in line][
        : len([line for line in text.split("\n") if line.strip()])
    ] == [line for line in text.split("\n") if line.strip()]
