"""Whose words a candidate quotes: typed, pasted, an agent's, a program's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from engram.extract.receipt import receipt_of
from engram.extract.voice import voiced
from engram.model.candidate import Candidate, Origin
from engram.model.ports import Heard, NothingHeard
from engram.model.turn import Role, Turn, turn_of

RULE = "Every base image must be pinned to a digest so that builds stay reproducible."
CHAT = "\n".join(("Kim: we never deploy on Fridays", "Lou: we always tag first", "Kim: fine"))


class Conversations(NothingHeard):
    """A Heard of these turns: one conversation a session, in order; some turns are templates."""

    def __init__(self, turns: Sequence[Turn], templates: Sequence[str] = ()) -> None:
        self._turns, self._templates = turns, templates

    def before(self, turn: Turn) -> Sequence[Turn]:
        here = [one for one in self._turns if one.session == turn.session]
        return [one for one in here if one.seq < turn.seq]

    def elsewhere(self, words: str, transcript: str) -> Sequence[Turn]:
        return [one for one in self._turns if one.transcript != transcript]

    def is_template(self, turn: Turn) -> bool:
        return turn.text in self._templates


def said(role: Role, text: str, number: int, session: str = "here") -> Turn:
    made = turn_of(role, text, f"2026-03-06T10:{number:02d}:00Z", session=session)
    return made.numbered(number)


def quoting(
    quote: str, turn: Turn, heard: Heard | None = None, category: str = "fact",
    origin: Origin = "model",
) -> Candidate:  # fmt: skip
    """The one candidate that quotes these words of a turn, with its voice."""
    made = Candidate(
        category, "A statement.", receipt_of(turn, quote), 0.9,
        authority="user_asserted", origin=origin, corrects=category == "correction",
    )  # fmt: skip
    (found,) = voiced([made], [turn], heard or Conversations([turn]))
    return found


def test_typed_words_keep_what_the_extractor_gave_them() -> None:
    found = quoting(RULE, said("user", f"ok. {RULE}", 1), category="correction")
    assert (found.voice, found.authority, found.confidence) == ("typed", "user_asserted", 0.9)
    assert found.corrects


@pytest.mark.parametrize(
    "text, quote, voice",
    [
        (
            "we use oak. translate this:\n\nWe moved the shop to MySQL",
            "We moved the shop",
            "pasted",
        ),
        (f"my answer to this chat?\n\n{CHAT}", "we never deploy on Fridays", "pasted"),
        (f'they wrote "{RULE}" in the wiki, is it true?', RULE, "pasted"),
        (f"> {RULE}\n> > quoted twice: {RULE}\n\nwhat do you think?", RULE, "pasted"),
        (f"[cron: nightly] {RULE}", RULE, "program"),
        ("x" * 1_000_000 + RULE, RULE, "pasted"),
        ("우리는 매주 금요일에 배포하지 않습니다", "금요일에 배포하지 않습니다", "typed"),
    ],
)
def test_the_form_of_a_turn_tells_whose_words_it_holds(text: str, quote: str, voice: str) -> None:
    found = quoting(quote, said("user", text, 1), category="correction")
    assert found.voice == voice
    if voice != "typed":
        assert (found.authority, found.confidence, found.corrects) == ("ai_inferred", 0.69, False)


def test_an_agents_turn_and_a_marked_or_shared_prompt_are_not_the_persons() -> None:
    assert quoting(RULE, said("assistant", RULE, 1)).voice == "agent"
    typed = said("user", RULE, 1)
    assert quoting(RULE, replace(typed, program=True)).voice == "program"
    assert quoting(RULE, typed, Conversations([typed], [RULE])).voice == "program"


def test_what_the_agent_said_before_and_the_person_repeats_is_pasted() -> None:
    agent = said("assistant", f"Two findings.\n\n- **{RULE}**\n- The cache is never cleared.", 1)
    turns = [agent, said("user", f"{RULE} Fix it.", 2)]
    assert quoting(RULE, turns[1], Conversations(turns)).voice == "pasted"
    assert quoting("Fix it.", turns[1], Conversations(turns)).voice == "typed"
    mostly = f"Finding 3: {RULE.lower()}"
    assert quoting(mostly, said("user", mostly, 2), Conversations(turns)).voice == "pasted"


def test_another_session_that_an_agent_wrote_in_is_heard_too_unless_it_came_later() -> None:
    here = said("user", RULE, 30)
    earlier, later = said("assistant", RULE, 10, "there"), said("assistant", RULE, 40, "there")
    assert quoting(RULE, here, Conversations([earlier, here])).voice == "pasted"
    assert quoting(RULE, here, Conversations([here, later])).voice == "typed"


def test_words_that_the_person_said_first_stay_theirs_when_an_agent_repeats_them() -> None:
    first, echo, again = (
        said("user", RULE, 1), said("assistant", f"Noted: {RULE}", 2), said("user", RULE, 3)
    )  # fmt: skip
    assert quoting(RULE, again, Conversations([first, echo, again])).voice == "typed"
    elsewhere = [replace(turn, session="there") for turn in (first, echo)]
    assert quoting(RULE, again, Conversations([*elsewhere, again])).voice == "typed"


def test_a_sentence_that_takes_up_the_agents_words_to_choose_is_typed() -> None:
    agent = said("assistant", f"We could do it like this: {RULE}", 1)
    wish = f"yes, {RULE}"
    typed = said("user", wish, 2)
    assert quoting(wish, typed, Conversations([agent, typed])).voice == "typed"
    short = said("user", "pin the images", 3)
    assert quoting("pin the images", short, Conversations([agent, short])).voice == "typed"


def test_a_refused_item_and_a_stored_memory_are_left_as_they_are() -> None:
    turn = said("assistant", RULE, 1)
    made = Candidate("fact", RULE, receipt_of(turn, RULE), 0.8)
    for one in (replace(made, fault="dangling"), replace(made, voice="stored")):
        assert voiced([one], [turn], Conversations([turn])) == [one]
