"""Turns, candidates and what was said before -> whose words each candidate quotes.

    typed by the person · pasted by them · said by an agent · written by a program in their name
    · held by another memory store or a folder of notes, where words are copied to
    · said by a participant, who is not the owner

Typed is what stands in a turn as the person's own (`own_ranges`), in a turn that no program wrote,
and that no agent said before them. Words that the person said first stay theirs, whoever repeated
them since; so does a sentence in which they take up another's words to choose ("let's ...").
Guarantees: what was not typed is ai_inferred, below .70, and corrects nothing; a choice among an
agent's options becomes the person's decision (`assent`). What a participant says, or the owner says
of one by name, is of no user space and tells whose it is. Only conversations of turns that yielded
a candidate are looked back at. `admit` decides what each voice may become.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from engram.extract.assent import decision_taken, option_pasted
from engram.extract.imported import is_stated
from engram.language.own_ranges import is_said, wrote_program
from engram.model.candidate import Candidate, Receipt, Voice
from engram.model.memory import PARTICIPANT
from engram.model.ports import Heard
from engram.model.speaker import is_about, shown_name
from engram.model.turn import Turn

#: what only an agent, a paste or a program says is never more than inferred (below .70)
_INFERRED = 0.69
#: so many words in a row, or a whole sentence of so many letters, are not the same by chance
_RUN, _LETTERS = 8, 20
#: this share of a sentence has to be another's for the sentence to be theirs
_MOSTLY = 0.6
#: as much of a turn is compared, characters
_COMPARED = 100_000
#: sources of files that hold one's own words, and words that were copied
_NOTES = frozenset({"markdown", "text"})
_WORD = re.compile(r"\w+")
#: with such a word beside another's words the person says what they want
_TAKES = re.compile(
    r"\b(?:let'?s|use|yes|yep|yeah|agreed|prefer|want|choose|pick|take|do|don'?t|not|no|never"
    r"|always|instead|please|must|should|decided?|go)\b",
    re.IGNORECASE,
)


def voiced(candidates: Iterable[Candidate], turns: Sequence[Turn], heard: Heard) -> list[Candidate]:
    """The candidates of some turns with their voices, and the choices that the person made."""
    by_message = {turn.message: turn for turn in turns}
    hearing = _Hearing(heard)
    names = _participants(turns, heard)
    found: list[Candidate] = []
    for candidate in candidates:
        turn = by_message.get(candidate.receipt.message)
        if turn is not None and not candidate.fault and candidate.voice != "stored":
            candidate = _with_voice(_agreed(candidate, by_message, hearing), turn, hearing)
            candidate = _of_participant(candidate, turn, names)
        found.append(candidate)
    for turn in turns:
        taken = decision_taken(turn, heard) if turn.role == "user" else None
        if taken is not None and hearing.voice(taken.receipt.quote, turn) == "typed":
            found = _with_decision(found, taken)
    return found


def voices_of(receipts: Iterable[Receipt], turns: Sequence[Turn], heard: Heard) -> list[Voice]:
    """Whose words each of some quotes is; their turns are among these."""
    by_message = {turn.message: turn for turn in turns}
    hearing = _Hearing(heard)
    return [hearing.voice(one.quote, by_message[one.message]) for one in receipts]


def _agreed(candidate: Candidate, by_message: Mapping[str, Turn], hearing: _Hearing) -> Candidate:
    """The candidate without the words of agreement that the person did not type."""
    typed = [
        one
        for one in candidate.also
        if hearing.voice(one.quote, by_message[one.message]) == "typed"
    ]
    return candidate if len(typed) == len(candidate.also) else replace(candidate, also=())


def _with_voice(candidate: Candidate, turn: Turn, hearing: _Hearing) -> Candidate:
    voice = hearing.voice(candidate.receipt.quote, turn)
    if voice == "typed" or (candidate.also and voice in ("agent", "participant")):
        return candidate
    taken = option_pasted(candidate, turn, hearing.heard) if voice == "pasted" else None
    if taken is not None:
        return taken
    return replace(
        candidate,
        voice=voice,
        authority="ai_inferred",
        confidence=min(candidate.confidence, _INFERRED),
        corrects=False,
    )


def _participants(turns: Sequence[Turn], heard: Heard) -> list[str]:
    """The names of those who speak in these turns, or did before them, and are not the owner."""
    said = [*turns, *(heard.before(turns[0]) if any(turn.speaker for turn in turns) else ())]
    named = (shown_name(turn.speaker) for turn in said if turn.role == "participant")
    return list(dict.fromkeys(filter(None, named)))


def _of_participant(candidate: Candidate, turn: Turn, names: Iterable[str]) -> Candidate:
    """A statement by a participant, or about one by name: with that name, and of no user space."""
    if turn.role == "participant" and candidate.voice != "typed":
        whose = shown_name(turn.speaker) or PARTICIPANT
    else:
        whose = next((name for name in names if is_about(candidate.text, name)), "")
    if not whose:
        return candidate
    fields = (*candidate.fields, (PARTICIPANT, whose))
    # a rule of the work, or what puts it right, is the owner's to say
    theirs = candidate.voice != "typed" and candidate.category in ("principle", "correction")
    category = "fact" if theirs else candidate.category
    return replace(candidate, category=category, space="project", slot="", fields=fields)


class _Hearing:
    """Whose words a quote is, by what was said before; a turn's words are told apart once."""

    def __init__(self, heard: Heard) -> None:
        self.heard = heard
        #: the words of turns on one line, with a blank at both ends, by message
        self._said: dict[str, str] = {}

    def voice(self, quote: str, turn: Turn) -> Voice:
        if not turn.by_person:
            return "agent"
        if turn.program or wrote_program(turn.text) or self.heard.is_template(turn):
            return "program"
        if not is_said(turn.text, quote):
            return "pasted"
        if turn.role == "participant":
            return "participant"
        if self._was_said(quote, turn):
            return "pasted"
        return "stored" if is_stated(turn) or self._is_note(turn) else "typed"

    def _is_note(self, turn: Turn) -> bool:
        """Whether a turn stands in a note, which may be a page that was clipped, and no talk."""
        if turn.source not in _NOTES:
            return False
        return all(other.role == "user" for other in self.heard.before(turn))

    def _was_said(self, quote: str, turn: Turn) -> bool:
        """Whether an agent said the words before the person did, or another person at length."""
        words = _WORD.findall(quote.casefold())
        if sum(map(len, words)) < _LETTERS:
            return False
        for earlier in self.heard.before(turn):
            if _shares(words, self._words_of(earlier)):
                echoed = earlier.role == "participant" and len(words) < _RUN
                return earlier.role != "user" and not echoed
        if len(words) < _RUN:
            return False
        others = [
            other
            for other in self.heard.elsewhere(quote, turn.transcript)
            if other.time < turn.time and _shares(words, self._words_of(other))
        ]
        return bool(others) and all(other.role != "user" for other in others)

    def _words_of(self, turn: Turn) -> str:
        if turn.message not in self._said:
            words = _WORD.findall(turn.text[:_COMPARED].casefold())
            self._said[turn.message] = f" {' '.join(words)} "
        return self._said[turn.message]


def _shares(words: Sequence[str], said: str) -> bool:
    """Whether a sentence of these words stands among what was said, or mostly does."""
    if f" {' '.join(words)} " in said:
        return True
    first = last = 0
    for at in range(len(words) - _RUN + 1):
        end = at + _RUN
        if f" {' '.join(words[at:end])} " not in said:
            continue
        while end < len(words) and f" {' '.join(words[at : end + 1])} " in said:
            end += 1
        if end - at > last - first:
            first, last = at, end
    rest = " ".join((*words[:first], *words[last:]))
    return last - first >= _MOSTLY * len(words) and _TAKES.search(rest) is None


def _with_decision(found: list[Candidate], taken: Candidate) -> list[Candidate]:
    """The candidates with a choice: in a model's statement of it, or instead of the rules'."""
    message = taken.receipt.message
    if any(message in (one.message for one in said.also) for said in found):
        return found  # a model's statement of it has the person's words beside the agent's
    told = [
        number
        for number, one in enumerate(found)
        if one.receipt.message == message and _same_words(one, taken)
    ]
    stated = [number for number in told if found[number].origin == "model"]
    stated = [number for number in stated if found[number].category == "decision"]
    if stated:
        one = found[stated[0]]
        found[stated[0]] = replace(one, also=taken.also, voice="typed", authority=taken.authority)
        return found
    return [one for number, one in enumerate(found) if number not in told] + [taken]


def _same_words(one: Candidate, other: Candidate) -> bool:
    return one.receipt.quote in other.receipt.quote or other.receipt.quote in one.receipt.quote
