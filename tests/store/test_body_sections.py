"""A section of a file is changed line by line, and everything else keeps its bytes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.model.errors import BadInput
from engram.model.markdown import neutralise
from engram.store.files.body_sections import section_blocks, sections_in, with_sections
from tests.effort import examples

BODY = (
    "The shop uses Postgres.\r\n\r\n> so sqlite is out\r\n\r\n## Rationale\r\n\r\n"
    "- two writers   \r\n* backups\r\n\r\n## My notes\r\ncall *Rosa*\r\n\r\n"
    "## Changes\r\n- one"
)
headings = st.sampled_from(["Steps", "steps", "Notes", "Changes"])
texts = st.lists(
    st.sampled_from(["- a", "- b", "1. c", "word", "", "  more", "```\n## no heading\n```"]),
    max_size=5,
).map(lambda lines: neutralise("\n".join(lines)))  # fmt: skip
found = st.lists(st.tuples(headings, texts), max_size=5).map(tuple)


def test_adding_an_item_touches_no_other_byte() -> None:
    before = sections_in(BODY)
    text = before[0][1] + "\n- cheap"
    after = ((before[0][0], text), *before[1:])
    assert with_sections(BODY, before, after, "\r\n") == BODY.replace(
        "* backups\r\n", "* backups\r\n- cheap\r\n"
    )


def test_a_new_section_goes_behind_those_that_come_before_it() -> None:
    before = sections_in(BODY)
    after = (before[0], ("Consequences", "- a server"), *before[1:])
    expected = BODY.replace("## My notes", "## Consequences\r\n- a server\r\n\r\n## My notes")
    assert with_sections(BODY, before, after, "\r\n") == expected


def test_a_heading_inside_code_is_no_section() -> None:
    body = "Text.\n\n## Steps\n```\n## not one\n```\n- go\n"
    assert sections_in(body) == (("Steps", "```\n## not one\n```\n- go"),)


def test_two_sections_of_one_name_are_two() -> None:
    body = "Text.\n\n## Steps\n- one\n\n## Steps\n- two\n"
    before = sections_in(body)
    after = (before[0], ("Steps", "- two\n- three"))
    assert with_sections(body, before, after, "\n") == body + "- three\n"


def test_text_that_would_end_its_section_is_refused() -> None:
    body = "Text.\n\n## Steps\n- one\n"
    with pytest.raises(BadInput, match="cannot be changed"):
        with_sections(body, sections_in(body), (("Steps", "- one\n## Forged\nx"),), "\n")


@given(found, found)
@examples(100)
def test_any_sections_become_any_others(before: object, after: object) -> None:
    body = "\n\n".join(["Text.", *section_blocks(before)]) + "\n"  # type: ignore[arg-type]
    told = with_sections(body, sections_in(body), after, "\n")  # type: ignore[arg-type]
    assert sections_in(told) == after
    assert told.startswith("Text.\n")
    assert with_sections(told, after, sections_in(body), "\n").split() == body.split()  # type: ignore[arg-type]
