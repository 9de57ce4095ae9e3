"""Which line of a record's sections answers a question."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engram.model.memory import Memory
from engram.recall.question_forms import form_of
from engram.recall.telling_section import telling_line

DECISION = Memory(
    id="d", category="decision", title="Auth with JWT", text="The API authenticates with JWT.",
    sections=(
        ("Rationale", "- stateless ([[claude-code-1#^m1|said]])\n- no cookie jar for the app"),
        ("Alternatives", "- sessions — rejected: sticky load balancing"),
        ("Changes", "- 2026-03-01 · tags · added: mobile · asked for"),
    ),
)  # fmt: skip


@pytest.mark.parametrize(
    ("question", "quoted"),
    [
        ("sticky load balancing", "Alternatives: sessions — rejected: sticky load balancing"),
        ("cookie jar", "Rationale: no cookie jar for the app"),
        ("which tag was added, mobile?", "Changes: 2026-03-01 · tags · added: mobile · asked for"),
        ("why did we choose JWT?", "Rationale: stateless; no cookie jar for the app"),
        ("how do I fix JWT?", ""),
        ("JWT", ""),
        ("", ""),
    ],
)
def test_the_line_with_the_words_is_told_else_the_section_that_answers(
    question: str, quoted: str
) -> None:
    form = form_of(question)
    found = telling_line(DECISION, form.about if form else question, form)
    assert (found.text if found else "") == quoted


def test_a_section_cannot_pose_as_several_lines_or_grow_long() -> None:
    form = form_of("why did we choose JWT?")
    one = replace(DECISION, sections=(("Rationale", "a\u2028b\x1b[31m " + "word " * 400),))
    found = telling_line(one, "choose", form)
    assert found is not None and len(found.text.splitlines()) == 1
    assert len(found.text) < 300 and "\x1b" not in found.text


def test_the_answering_section_is_found_however_its_heading_is_written() -> None:
    form = form_of("why did we choose JWT?")
    twice = replace(DECISION, sections=(("RATIONALE", "- stateless"), ("rationale", "- simple")))
    found = telling_line(twice, "choose", form)
    assert found is not None and found.text == "Rationale: stateless; simple"


def test_a_memory_without_sections_has_nothing_to_tell() -> None:
    assert telling_line(replace(DECISION, sections=()), "jwt", form_of("why did we use it")) is None
