"""Extraction by rules alone: needs no model and no key.

    turn -> sentences -> first rule that matches, guards -> Candidate with receipt

Guarantees: only what a user said can match; a candidate's quote is verbatim in its turn; same
turns, same candidates in the same order; confidence at most 0.85, below what a model that
understood the sentence may give. Precision comes before recall: hedged, hypothetical, reported and
one-off statements are left to a model. English, and of German what a person states of themselves
and their people. The patterns are data (`config/rules.toml`).

A sentence gives one memory, by the first family that takes it (`table.FAMILIES`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from engram.extract.receipt import receipt_of
from engram.extract.rules.candidates import candidate_of, due_of, is_overdue
from engram.extract.rules.guards import main_clause, objections
from engram.extract.rules.mend import completes, with_subjects, without_conclusion
from engram.extract.rules.table import Rule, read_rules
from engram.extract.stated_fields import StatedPatterns, with_sections
from engram.language.german_statements import german_statements
from engram.language.own_statements import Sentence, one_line, statements
from engram.language.promotion_hints import AskedStatement, asked_statements
from engram.language.session_orders import is_for_session
from engram.language.third_person import third_person
from engram.model.candidate import Candidate
from engram.model.memory import SESSION
from engram.model.sentences import sentences_around
from engram.model.turn import Turn

#: Shorter sentences say nothing that stands alone; longer ones are pasted, or dictated without a
#: stop, and cannot be judged by a pattern.
_SHORTEST, _LONGEST = 8, 400
#: the opening words of what is to be remembered, and how slots of the person begin
_REMEMBER, _OF_PERSON = "remember", "user::"
#: the rules that keep what is asked for as it was said
_AS_SAID = "remembered"
_WORD = re.compile(r"[a-zäöüß]+(?:['-][a-zäöüß]+)*|[=:]|\d+")


class RulesTier:
    """The Extractor that is always available.

    `table` is the parsed `config/rules.toml`; `max_per_turn` guards against floods; with `stated`
    the sentences of decisions and preferences fill their sections. Raises ConfigError when the
    table is not what `rules.table` describes.
    """

    costly = False

    def __init__(
        self, table: Mapping[str, Any], max_per_turn: int = 6, stated: StatedPatterns | None = None
    ) -> None:
        self._rules = read_rules(table)
        self._stated = stated
        self._max_per_turn = max_per_turn
        #: word -> bit set of the rules that need it; "" -> those tried after any opening words
        self._places: dict[str, int] = {}
        for place, rule in enumerate(self._rules):
            for word in rule.words or ("",):
                self._places[word] = self._places.get(word, 0) | 1 << place

    def portion(self, turns: Sequence[Turn], attempts: int) -> int:
        """All of them: rules read one sentence at a time."""
        return len(turns)

    def extract(self, turns: Sequence[Turn]) -> list[Candidate]:
        """Candidates of the user turns, in their order, at most `max_per_turn` of each."""
        return [candidate for turn in turns for candidate in self._of_turn(turn)]

    def _of_turn(self, turn: Turn) -> list[Candidate]:
        if turn.role != "user":
            return []
        found: dict[tuple[str, str], Candidate] = {}
        last: tuple[Sentence, Candidate] | None = None
        asked = asked_statements(turn.text)
        for statement in asked:
            if (one := self._of_wish(turn, statement)) is not None:
                found[one.category, one.text] = one
        for sentence in with_subjects(turn.text, list(_joined(turn.text, statements(turn.text)))):
            candidate: Candidate | None
            if any(sentence.start < one.whole[1] and one.whole[0] < sentence.end for one in asked):
                continue
            sentence = without_conclusion(turn.text, sentence)
            if last is not None and completes(turn.text, last[0], sentence):
                found.pop((last[1].category, last[1].text), None)
                candidate = _completed(turn, *last, sentence)
            else:
                candidate = self._of_sentence(turn, sentence)
            if candidate is not None:
                found.setdefault((candidate.category, candidate.text), candidate)
            last = (sentence, candidate) if candidate is not None else None
        for sentence in german_statements(turn.text):
            if (one := self._of_sentence(turn, sentence)) is not None:
                found.setdefault((one.category, one.text), one)
        told = list(found.values())[: self._max_per_turn]
        return [with_sections(one, self._stated) for one in told] if self._stated else told

    def _of_wish(self, turn: Turn, asked: AskedStatement) -> Candidate | None:
        """The candidate for a statement that is to hold in a space; its receipt is all that was
        said, the request too."""
        said = one_line(turn.text[asked.start : asked.end].strip())
        sentence = Sentence(asked.start, asked.end, said, _REMEMBER)
        candidate = self._of_sentence(turn, sentence, asked=True)
        if candidate is None:
            return None
        whole = turn.text[slice(*asked.whole)]
        slot = candidate.slot
        if asked.wish.space == "user" and not slot.startswith(_OF_PERSON):
            slot = ""
        return replace(
            candidate, receipt=receipt_of(turn, whole), sentence=sentences_around(turn.text, whole),
            slot=slot, wish=asked.wish,
        )  # fmt: skip

    def _of_sentence(
        self, turn: Turn, sentence: Sentence, *, asked: bool = False
    ) -> Candidate | None:
        """The candidate of the first rule that reads a sentence so; of one that is `asked` to be
        remembered in a space, a doubt or a "for now" is part of what is remembered."""
        said = sentence.said
        if not _SHORTEST <= len(said) <= _LONGEST:
            return None
        places = self._places.get("", 0) if sentence.lead else 0
        for word in _WORD.findall(said.casefold()):
            places |= self._places.get("#" if word.isdigit() else word, 0)
        adjunct = _ADJUNCT.match(said)
        starts = (0, adjunct.end()) if adjunct else (0,)
        while places:
            rule = self._rules[(places & -places).bit_length() - 1]
            places &= places - 1
            match = _matched(rule, sentence, starts) if rule.language == sentence.language else None
            if match is None:
                continue
            found = objections(said)
            if found is None and not asked:
                return None
            literal = found is not None and found <= rule.tolerates
            if asked and rule.family == _AS_SAID:
                literal = True
            if literal and _is_in_time(rule, turn, said):
                return self._with_slot(candidate_of(turn, sentence, rule, match), turn, sentence)
        return None

    def _with_slot(self, candidate: Candidate, turn: Turn, sentence: Sentence) -> Candidate:
        """A correction of the person's name or place, with the slot that it corrects."""
        if candidate.category != "correction":
            return candidate
        for rule in self._rules:
            match = rule.pattern.match(sentence.said) if rule.family == "identity" else None
            if match and not (rule.unless is not None and rule.unless.search(sentence.said)):
                corrected = candidate_of(turn, sentence, rule, match)
                if corrected.slot:
                    return replace(candidate, slot=corrected.slot, space=corrected.space)
        return candidate


def _completed(turn: Turn, first: Sentence, found: Candidate, second: Sentence) -> Candidate:
    """A candidate with the sentence that completes it behind it."""
    quote = turn.text[first.start : second.end]
    return replace(
        found,
        text=f"{found.text} {third_person(second.said)}",
        receipt=receipt_of(turn, quote),
        sentence=sentences_around(turn.text, quote),
    )


#: words of time, place or subject that may stand before any statement; a condition may not
_ADJUNCT = re.compile(
    r"(?:yesterday|today|tomorrow|tonight|next (?:week|month|quarter|year|\w+day)"
    r"|this (?:morning|week|month)|last (?:week|month|night|year|\w+day)|on \w+day|in the end"
    r"|eventually|after (?:[\w-]+ )?(?:months|years|weeks|decades)|after [^,]{3,60}?(?=, | (?:i"
    r"|i'm|we|we're)\b)|at the \w+|internally"
    r"|historically|at (?:work|home|(?-i:[A-Z])\w+)|for (?:now|local \w+|development)"
    r"|(?:instead of|rather than) [\w -]{2,30}?(?=, | (?:we|i)\b)|to keep (?:it|things) \w+"
    r"|in (?:prod|production|staging|dev|general|this (?:repo|project|codebase)|our \w+)|so far"
    r"|as of \w+|long term|as a team|in my (?:opinion|experience)|out of habit|personally"
    r"|if possible|in addition|later(?: on)?|for (?:the )?(?:mvp|v\d)"
    r"|(?:for|in|on|at|with|from|as|since|to|besides|given|based on|regarding)"
    r"(?! this (?:pr|branch|commit|test|file|function|case|step)) [^,;:.?!]{2,60}(?=, )"
    r"|(?-i:[A-Z])[\w-]{2,24}:),? "
    r"(?=(?:i|i'm|i'd|i'll|we|we're|we'd|we'll|the|our|my|all|every|each|only|no|never|always|an?"
    r"|use|don't|do not|everything|(?-i:[A-Z])\w+)\b)",
    re.IGNORECASE,
)


def _is_in_time(rule: Rule, turn: Turn, said: str) -> bool:
    if rule.timed and due_of(turn, said) is None:
        return False
    return rule.category != "commitment" or not is_overdue(turn, said)


def _matched(rule: Rule, sentence: Sentence, starts: tuple[int, ...]) -> re.Match[str] | None:
    if rule.lead is not None and not rule.lead.search(sentence.lead):
        return None
    if rule.space == SESSION and not is_for_session(sentence.said):
        return None
    match = next((m for at in starts if (m := rule.pattern.match(sentence.said, at))), None)
    if match is None or (rule.unless and rule.unless.search(main_clause(sentence.said))):
        return None
    return match


#: "That's wrong.": says nothing alone, it opens the sentence after it
_DENIAL = re.compile(
    r"(?:(?:that(?:'?s| is) |it'?s |you(?:'re| are) )?(?:wrong|incorrect|mistaken|false"
    r"|not (?:(?:quite |entirely )?(?:right|correct|true)"
    r"|(?:how|what|where|the way|when|who) [^,;]{2,30}))|you got (?:that|it|this) wrong)[.!]*$",
    re.IGNORECASE,
)
_REJECTING = re.compile(
    r"\b(?:no|nope|nah|wrong|incorrect|wait|sorry|actually|correction|not (?:quite|true)|scratch"
    r"|strike|misspoke|fault|bad)\b"
)
#: "You wrote that ...", "Oak.": complete only with the sentence after it
_CLAIM = re.compile(
    r"you(?:'ve)? (?:wrote|said|assumed?|claim(?:ed)?|think|thought|seem to think|listed"
    r"|keep (?:on )?(?:saying|writing|using|calling|assuming|putting))\b",
    re.I,
)
_AGAINST = re.compile(r"(?:they|she|he|it|we|that|i|there) ?\w*(?:n't|nt\b| not\b)", re.IGNORECASE)
_CLOSED = re.compile(
    r"(?:decision made|final decision|(?:that'?s|it'?s) (?:decided|settled|final))\b", re.IGNORECASE
)


#: characters that may lie between two such neighbours; the longest decision in a word or two
_GAP, _HEADLINE = 2, 60


def _joined(text: str, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
    """The sentences, with neighbours that are complete only together joined."""
    held: Sentence | None = None
    for sentence in sentences:
        together = _together(text, held, sentence) if held is not None else sentence
        if held is not None and together is None:
            yield held
        held = together or sentence
    if held is not None:
        yield held


def _together(text: str, first: Sentence, second: Sentence) -> Sentence | None:
    """Two neighbours as one sentence, or None when each is complete alone."""
    if second.start - first.end > _GAP:
        return None
    if _DENIAL.match(first.said) or (not first.said and _REJECTING.search(first.lead)):
        lead = f"{first.lead} wrong {second.lead}" if first.said else f"{first.lead} {second.lead}"
        return replace(second, start=first.start, lead=lead.strip())
    claimed = _CLAIM.match(first.said) and _AGAINST.match(second.said)
    closed = len(first.said) <= _HEADLINE and _CLOSED.match(second.lead or second.said)
    if not claimed and not closed:
        return None
    tail = one_line(text[second.start : second.end])
    return replace(first, end=second.end, said=f"{first.said.rstrip(' .!,')}. {tail}")
