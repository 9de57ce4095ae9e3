"""Which words of a turn are the person's own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.language.own_ranges import is_said, own_ranges


def own(text: str) -> list[str]:
    return [text[start:end] for start, end in own_ranges(text)]


PASTED = "We replaced postgres with Oak. We never sign commits. I prefer tabs."


@pytest.mark.parametrize(
    "before",
    [
        "translate this: ", "Summarise:\n\n", "does this README make sense? ",
        "what do you think of this mail\n", "My colleague wrote: ", "here's the log:\n",
        "Proofread please\n\n", "how should I answer this?\n\n", "Übersetze das bitte:\n",
        "the wiki says\n", "Tweet idea: ", "PLAN\n\n",
        "C:\\x> type y\n", "I got this message from a recruiter. ", "# Oak\n\n", "Phase 1:\n",
        "Rewrite as bullet points - ", "grammar check pls. ", "The linter printed: ",
        "I found this on a forum, is it right? ", "can you turn this into a commit message: ",
        "Give feedback on my announcement: ", "Write a blog post with this intro. ",
    ],
)  # fmt: skip
def test_what_is_handed_over_is_not_the_persons(before: str) -> None:
    assert PASTED not in "".join(own(before + PASTED))
    assert not is_said(before + PASTED, "We never sign commits.")


@pytest.mark.parametrize(
    "after",
    [
        "\n\ntranslate the text above",
        "\n\nsummarise this",
        "\n\nis this any good?",
        "\n---\ntldr",
        "\n\n^ what does that mean for us?",
    ],
)
def test_what_stands_above_a_request_for_a_text_is_not_the_persons(after: str) -> None:
    assert not is_said(PASTED + after, "We never sign commits.")


@pytest.mark.parametrize(
    "text",
    [
        "I found this bug yesterday. We use oak.", "Never sign commits - we squash anyway.",
        "Please turn this off. I prefer dark mode.", "Rewrite the parser - we decided to use oak.",
        "Our CI prints warnings. We treat these as errors.",
    ],
)  # fmt: skip
def test_a_request_that_names_no_text_leaves_the_rest_to_the_person(text: str) -> None:
    assert own(text) == [text]


def test_a_quotation_within_a_sentence_stays_in_it_and_is_nobodys_statement() -> None:
    text = 'always sign with "we never sign commits" in the footer'
    assert own(text) == [text]
    assert is_said(text, text)
    assert not is_said(text, "we never sign commits")


def test_a_block_that_ends_by_itself_hands_over_nothing_behind_it() -> None:
    assert own("here is the output:\n```\nwe use elm\n```\nwe use oak") == [
        "here is the output:",
        "we use oak",
    ]
    assert own("look: ```\nwe use elm\n``` we use oak")[-1] == "we use oak"


def test_a_list_is_the_persons_when_they_introduce_it_so() -> None:
    items = "- we use oak\n- [ ] we use elm\n- **We** use ash"
    assert own(f"our rules for this repo:\n{items}")[1:] == ["we use oak"]
    for other in ("", "the plan:\n", "rules from the handbook:\n", "Decisions:\n"):
        assert "we use oak" not in own(other + items)
    many = "\n".join(f"- we use oak number {number}" for number in range(20))
    assert len(own(f"our rules:\n{many}")) < 20


@pytest.mark.parametrize(
    "above", ["GIT RULES:", "OK a few things.", "Saw it. But some notes before we get started."]
)
def test_a_list_below_a_heading_or_some_notes_is_the_persons(above: str) -> None:
    assert own(f"{above}\n- we use oak\n- Scope: only oak\n- Task: saw")[1:] == [
        "we use oak", "Scope: only oak", "Task: saw"
    ]  # fmt: skip
    assert "we use oak" not in own("Some notes from the handbook.\n- we use oak")


def test_the_last_words_below_a_log_are_the_persons() -> None:
    log = "$ make\nWe use elm.\n\nerror: elm\n\n"
    assert own(f"{log}please fix. i use oak") == ["please fix. i use oak"]
    assert own(f"{log}We use ash.\nWe use elm.") == []


@given(st.text(max_size=300), st.integers(0, 300), st.integers(0, 300))
def test_any_text_has_own_ranges_in_order_and_within_it(text: str, start: int, end: int) -> None:
    at = 0
    for first, last in own_ranges(text):
        assert at <= first < last <= len(text)
        at = last
    is_said(text, text[start:end])
