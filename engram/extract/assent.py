"""A person's choice after an agent's options -> the decision, with both turns as receipts.

    agent:   "1. Keep the till in SQLite  2. Move it to Postgres. Which one?"
    person:  "let's go with 2"              -> "Decision: move it to Postgres."
    person:  "as you propose"               -> what the agent recommended
    person:  "yes", "ok do it"              -> nothing: a task was approved

The words are the agent's, the choice is the person's. Guarantees: the option stands verbatim in the
agent's turn, right before the person's; in doubt there is no decision: with labels that do not
count from the first on, a list of things to do next, or steps of this very session. Where a model
names the message in which the person agreed, `agreement_in` finds the words, or none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from engram.extract.classify import memory_kind, score_importance
from engram.extract.receipt import receipt_of
from engram.language.keywords import entities_of, tags_of
from engram.language.wording import telling, terms_of
from engram.model.candidate import Candidate
from engram.model.ports import Heard
from engram.model.record import made_record, parts_of
from engram.model.sentences import sentence_ranges, sentences_of
from engram.model.turn import Turn

#: who chooses says little more; and an option of more characters is a text
_LONGEST_CHOICE, _LONGEST_OPTION = 400, 300
_CONFIDENCE = 0.8
#: an option of fewer words needs the question to be understood
_FEW_WORDS = 5

_NOUN = r"(?:option|choice|alternative|approach|variant|solution|proposal|number|no\.)"
_OPENING = (
    r"(?:(?:ok|okay|yes|yep|yeah|sure|great|good|cool|perfect|right|agreed|sounds good|nice|hm+|so"
    r"|i think|i'd say|please|thanks)[\s,.!:;—–-]+)*"
)
_WANTS = (
    r"(?:(?:let'?s|let us|we(?:'ll| will| should)?|i(?:'d| would|'ll| will)?(?: like to| want to)?"
    r"|please)\s+)?"
)
_VERB = (
    r"(?:go(?: ahead)? (?:with|for)|do|use|take|pick|choose|prefer|want|adopt|stick (?:with|to)"
    r"|i vote(?: for)?|my (?:choice|pick|vote) is)"
)
#: not "1 and 3", nor the first item of the person's own list
_ALONE = r"(?!\s*(?:,|and|or|&|\+|/|-)\s*\(?(?:\d|[a-h]\b))"
_ENDS = (
    r"(?=\.?\s*(?:$|\n)|\s*(?:[,;!—–]|-\s|\.\s+(?:and|but|also|please|it|that)\b)"
    r"|\s+(?:please|pls|because|since|and|but|for|with|as|then|it is|(?:is|looks|sounds|seems)"
    r" (?:fine|good|great|better|best|ok|okay|perfect|right|cleaner|simpler))\b)"
)
_PICK = re.compile(
    rf"{_OPENING}{_WANTS}(?:{_VERB}\s+)?(?:the\s+)?(?:"
    rf"(?P<noun>{_NOUN})\s*\(?(?P<named>\d{{1,2}}|[a-h])\)?{_ALONE}{_ENDS}"
    rf"|\(?(?P<bare>\d{{1,2}}|[a-h])\)?{_ALONE}{_ENDS})",
    re.IGNORECASE,
)
_ORDINAL = re.compile(
    rf"{_OPENING}{_WANTS}(?:{_VERB}\s+)?the\s+"
    rf"(?P<ordinal>first|second|third|fourth|last|former|latter)(?:\s+(?:one|{_NOUN}))?{_ENDS}",
    re.IGNORECASE,
)
_ORDINALS = {"first": 0, "former": 0, "second": 1, "third": 2, "fourth": 3, "last": -1,
             "latter": -1}  # fmt: skip
_AS_PROPOSED = re.compile(
    rf"{_OPENING}(?:{_WANTS}(?:do |keep |make |go )?(?:it |this |that )?(?:exactly |just )?"
    r"(?:as|like|what) you(?:'ve| have)? (?:propose|suggest|recommend)(?:d|ed)?"
    r"|(?:i )?(?:agree with|follow|accept) your (?:recommendation|suggestion|proposal)"
    rf"|{_WANTS}(?:{_VERB}\s+)?(?:with )?(?:your|the) (?:recommendation|suggestion|proposal"
    rf"|recommended (?:one|{_NOUN}))){_ENDS}",
    re.IGNORECASE,
)

#: how a sentence begins that agrees to what was proposed, and one that does not
_AGREES = re.compile(
    r"(?:(?:yes|yep|yeah|ok(?:ay)?|sure|great|good|perfect|agreed|right|exactly|fine|nice|deal|cool"
    r"|sounds (?:good|right|great)|makes sense|works for me|do (?:it|that|this)|go(?: ahead| for it"
    r"| with)|let'?s|please do|i agree|i like (?:it|that|this)|we(?:'ll| will)? (?:do|go|take|use)"
    r"|ja|genau|gut|einverstanden|passt|klingt gut|mach(?:en wir)?|nehmen wir|so machen wir"
    r"|да|хорошо|давай(?:те)?|согласен|согласна)(?!\w)|好|可以|同意|行|就这|就用|没问题)",
    re.IGNORECASE,
)
_OBJECTS = re.compile(
    r"(?:(?:no|nope|not|don'?t|do not|never|wait|hold on|stop|hm+|i(?:'m| am) not|nein|nicht|nee"
    r"|нет|не)(?!\w)|不|别|先别|等)",
    re.IGNORECASE,
)
#: what takes back the yes before it, or puts it off: "yes, but rather not", "ok, first the tests"
_RESERVES = re.compile(
    r"\b(?:but|though|however|aber|jedoch|pero|mais|но)\b[^.!?]*\b(?:no|not|never|rather|\w+n['’]t"
    r"|wait|nicht|kein\w*|lieber|non|pas|не|нет)\b|但[^。！？]*[不别没]"
    r"|\bthink (?:about|it over)\b|(?<!the )\bfirst,? \w",
    re.IGNORECASE,
)
#: so many sentences of an answer tell whether it agrees, and so many shared words that it takes
#: up what was proposed
_FIRST_SENTENCES, _TAKEN_UP = 4, 2

_LINE = re.compile(
    r"^[ \t]*(?:[-*•][ \t]+|#{1,6}[ \t]+)?(?:\*\*|__)?\(?"
    rf"(?P<noun>{_NOUN}[ \t]+)?(?P<label>\d{{1,2}}|[A-Ha-h])"
    r"(?:[ \t]*\([^()\n]{1,20}\))?"
    r"(?:\)|\.|:|(?:\*\*)?[ \t]+[—–-]|\*\*:?)(?:\*\*)?:?[ \t]+(?P<text>\S.*)$",
    re.IGNORECASE | re.MULTILINE,
)
_INLINE = re.compile(
    r"\((?P<label>[a-h1-9])\)[ \t]+(?P<text>[^()\n?]{3,200}?)"
    r"(?=[,;]?[ \t]*(?:or |and )?\([a-h1-9]\)|[?.\n]|$)",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\?|\b(?:which|prefer|choose|pick|your call|let me know|recommend|options?|ways"
    r"|approach(?:es)?|alternatives?|either)\b",
    re.IGNORECASE,
)
#: what is offered is done now, and decides nothing
_TASKS = re.compile(
    r"\bnext steps?\b|\b(?:want|like) me to\b|\bshall i\b"
    r"|\bshould i (?:start|begin|proceed|continue)"
    r"|\b(?:which|what)\b[^?\n]{0,60}\b(?:first|next|now)\b",
    re.IGNORECASE,
)
_STEP = re.compile(
    r"(?:(?:i|we)(?:'ll| will| can| could)? |to )?(?:commit|push|merge|run|re-?run|continue|proceed"
    r"|stop|wait|start|begin|fix|open|review|show|skip|revert|retry|investigate|check|do nothing)"
    r"(?:t?ing)?\b|[^.\n]{1,120}\bnow\W*\Z",
    re.IGNORECASE,
)
_RECOMMENDS = re.compile(
    r"\b(?:i(?:'d| would|'ll)?(?: strongly| still)? (?:recommend|suggest|propose|go with)"
    r"|my (?:recommendation|suggestion|proposal)(?: is|:)?)(?: that we| to| we)?:?\**\s*",
    re.IGNORECASE,
)
#: words for something that was named before
_POINTS = re.compile(r"\b(?:it|its|them|they|their|this|that|these|those|both)\b", re.IGNORECASE)
#: asks for a choice and does not say of what; or holds the options itself
_GENERIC = re.compile(
    r"\b(?:which|what)\b.{0,30}\b(?:prefer|choose|pick|like|think|sounds?|go with|best)\b"
    r"|\([a-h1-9]\)|^(?:options?|here|some|my)\b|\bme to$",
    re.IGNORECASE,
)
_MARKS = re.compile(r"\*\*|__|^#+\s*")


@dataclass(frozen=True, slots=True)
class _Offer:
    """One option: its label in lower case, where it stands in the agent's text, how it is told."""

    label: str
    start: int
    end: int
    named: bool
    recommended: bool


def decision_taken(turn: Turn, heard: Heard) -> Candidate | None:
    """The decision of the agent's option that a person's turn takes; None where it takes none."""
    said = turn.text.strip()
    if not said or len(said) > _LONGEST_CHOICE:
        return None
    choice = _PICK.match(said) or _ORDINAL.match(said) or _AS_PROPOSED.match(said)
    if choice is None:
        return None
    for agent in _answers_before(turn, heard):
        place = _place_of(choice, agent.text)
        if place is not None:
            ends = (last for _, last in sentence_ranges(said, 0, len(said)))
            end = next(last for last in ends if last >= choice.end())
            return _decision(turn, said[:end].partition("\n")[0].strip(), agent, place)
    return None


def agreement_in(turn: Turn, proposal: str) -> str:
    """The sentence of a person's turn that agrees to a proposal, or takes up its words; else ''."""
    named = telling(terms_of(proposal))
    for said in sentences_of(turn.text)[:_FIRST_SENTENCES]:
        if _OBJECTS.match(said):
            return ""
        if said.endswith(("?", "？")):
            continue
        if _RESERVES.search(said):
            return ""
        chosen = any(form.match(said) for form in (_AGREES, _PICK, _ORDINAL, _AS_PROPOSED))
        if chosen or len(named & telling(terms_of(said))) >= _TAKEN_UP:
            return said
    return ""


def option_pasted(candidate: Candidate, turn: Turn, heard: Heard) -> Candidate | None:
    """The decision in a candidate that quotes one of the agent's options, pasted to take it.

    None where the person pasted several of them, or what was no option.
    """
    pasted = _folded(turn.text)
    for agent in _answers_before(turn, heard):
        taken = [
            one
            for one in _options(agent.text, noun=False)
            if _folded(agent.text[one.start : one.end].partition("\n")[0]) in pasted
        ]
        if len(taken) == 1 and _folded(candidate.receipt.quote) in _folded(agent.text):
            place = taken[0].start, taken[0].end
            return _decision(turn, candidate.receipt.quote, agent, place)
    return None


def _folded(text: str) -> str:
    """Words alone, for comparing what was pasted with where it came from."""
    return " ".join(re.findall(r"\w+", text.casefold()))


def _answers_before(turn: Turn, heard: Heard) -> list[Turn]:
    """What the agent said since the person's last turn, the last first."""
    found: list[Turn] = []
    for earlier in reversed(heard.before(turn)):
        if earlier.role == "user":
            break
        if not earlier.by_person:
            found.append(earlier)
    return found


def _place_of(choice: re.Match[str], text: str) -> tuple[int, int] | None:
    """Where the option that is taken stands in the agent's text."""
    named = choice.groupdict()
    label = (named.get("named") or named.get("bare") or "").casefold()
    options = _options(text, noun=bool(named.get("noun")))
    if label:
        place = _labelled(options, label)
    elif ordinal := named.get("ordinal"):
        number = _ORDINALS[ordinal.casefold()]
        fits = len(options) > 1 and number < len(options)
        place = (options[number].start, options[number].end) if fits else None
    else:
        place = _recommended(text, options)
    if place is None or place[0] == place[1] or _STEP.match(_statement(text[place[0] : place[1]])):
        return None
    return place


def _labelled(options: Sequence[_Offer], label: str) -> tuple[int, int] | None:
    return next(((one.start, one.end) for one in options if one.label == label), None)


def _options(text: str, *, noun: bool) -> list[_Offer]:
    """The one list of options that the agent lets choose from; empty when there is not just one.

    After "option 2" those that are called options count before others.
    """
    found = [*_LINE.finditer(text)] or [*_INLINE.finditer(text)]
    offers = [_offer(match, text) for match in found]
    called = [one for one in offers if one.named]
    offers = called if called and (noun or len(called) > 1) else offers
    labels = "".join(one.label for one in offers)
    if len(offers) < 2 or labels not in ("123456789"[: len(labels)], "abcdefgh"[: len(labels)]):
        return []
    if found[0].re is _INLINE:
        return offers
    around = text[: offers[0].start][-300:] + text[offers[-1].end :]
    if _TASKS.search(around) or not (called or _ASKS.search(around)):
        return []
    return offers


def _offer(match: re.Match[str], text: str) -> _Offer:
    """An option, in whole sentences; a mere heading goes on with the first one below it."""
    start, end = match.span("text")
    whole = [
        last for _, last in sentence_ranges(text, start, end) if last - start <= _LONGEST_OPTION
    ]
    end = whole[-1] if whole else start
    if len(match["text"].split()) < _FEW_WORDS:
        below = re.compile(r"\s*\n\s*(?![-*•#\d(]|[A-Ha-h][.)])(?=\w)").match(text, end)
        if below:
            line = text.find("\n", below.end())
            last = line if line >= 0 else len(text)
            first = next(sentence_ranges(text, below.end(), last))[1]
            end = end if text[first - 1] == "?" else first
    named = bool(match.groupdict().get("noun"))
    advised = "recommended" in text[match.start() : end].casefold()
    return _Offer(match["label"].casefold(), start, end, named, advised)


def _recommended(text: str, options: Sequence[_Offer]) -> tuple[int, int] | None:
    """Where the agent says what it recommends, once."""
    marked = [one for one in options if one.recommended]
    if len(marked) == 1:
        return marked[0].start, marked[0].end
    # "I propose:" above a list announces the options
    found = [match for match in _RECOMMENDS.finditer(text) if "\n" not in match.group()]
    if len(found) != 1:
        return None
    start = found[0].end()
    line = text.find("\n", start)
    end = next((last for _, last in sentence_ranges(text, start, len(text))), start)
    end = min(end, line if line >= 0 else end)
    label = _PICK.match(text[start:end].strip("*_ "))
    if label:
        named = (label["named"] or label["bare"]).casefold()
        return _labelled(options, named)
    return (start, end) if len(text[start:end].split()) > 2 else None


def _statement(option: str) -> str:
    """An option's words without its marks, on one line."""
    heading, _, below = _MARKS.sub("", option).partition("\n")
    joint = ": " if below.strip() and heading.strip()[-1:] not in ".:" else " "
    plain = " ".join(f"{heading.rstrip()}{joint}{below}".split()).strip(" *_")
    plain = re.sub(r"\s*\((?:recommended|default)\)", "", plain, flags=re.IGNORECASE)
    return plain.rstrip(".;, ")


def _decision(turn: Turn, quote: str, agent: Turn, place: tuple[int, int]) -> Candidate:
    option = agent.text[place[0] : place[1]].strip()
    told = _statement(option)
    alone = len(told.split()) >= _FEW_WORDS and not _POINTS.search(told)
    about = "" if alone else _topic(agent.text, place[0])
    text = f"Decision ({about}): {told}." if about else f"Decision: {told}."
    others = tuple(
        _statement(agent.text[one.start : one.end])
        for one in _options(agent.text, noun=False)
        if one.end <= place[0] or one.start >= place[1]
    )
    rejected = made_record("decision", {"alternatives": others})
    tags = tags_of(told)
    return Candidate(
        category="decision",
        text=text,
        receipt=receipt_of(turn, quote),
        confidence=_CONFIDENCE,
        importance=max(score_importance(words, "decision", tags) for words in (told, text)),
        kind=memory_kind("decision", told, tags),
        tags=tags,
        entities=entities_of(told),
        project=turn.project,
        valid_from=turn.day,
        fields=(("decision_state", "accepted"),),
        authority="user_asserted",
        rule="assent",
        also=(receipt_of(agent, option),),
        sections=parts_of(rejected).sections,
    )


def _topic(text: str, start: int) -> str:
    """What is chosen: the line above the options, or a question that names something."""
    start = min((one.start for one in _options(text, noun=False)), default=start)
    above = text[:start].rstrip("0123456789ABCDEFGHabcdefgh.)(*-•# \t\n").rpartition("\n")[2]
    asked = [
        text[first:last].rpartition("\n")[2]
        for first, last in sentence_ranges(text, 0, len(text))
        if text[first:last].rstrip().endswith("?")
    ]
    for line in (above, *reversed(asked)):
        said = line.strip(" *_#:\t").rpartition(". ")[2]
        if 4 <= len(said.split()) <= 20 and not _GENERIC.search(said):
            return said
    return ""
