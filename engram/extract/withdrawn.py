"""Candidates of one conversation -> those that the person means, and lets stand.

    "let's move to redis" ... "scratch that, we keep memcached"  ->  only what is kept

Left out: what the person takes back later in the same turn or in their next two turns, what they
say laughing about themselves, and what is said in a play, a story or a supposition. Taking back
with a word of the statement, or with nothing else, is enough; where it goes on about something
else, the statement stands ("never mind, fix the test"). English only. Pure, and linear in the
length of the turns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from engram.extract.imported import is_stated
from engram.language.jokes import is_joke
from engram.language.wording import telling, terms_of
from engram.model.candidate import Candidate
from engram.model.turn import Turn

#: so soon a person thinks better of it, and so much nobody types
_TURNS, _LONGEST = 2, 4000
_OPENING = (
    r"(?:(?:ok(?:ay)?|oh|hm+|no|nope|wait|sorry|actually|ah|hold on|and|but|well|so)[\s,.!-]+){0,4}"
)
_TAKES_BACK = re.compile(
    rf"(?:^|(?<=[.!?\n])\s{{0,4}}){_OPENING}(?:(?P<sure>scratch (?:that|this)|strike that"
    r"|forget what i (?:just )?said|disregard (?:that|my last \w+)|i take (?:that|it) back"
    r"|ignore (?:that|what i (?:just )?said|my last \w+)|on second thoughts?|i misspoke"
    r"|(?:i|we)(?:'ve| have)? changed (?:my|our) minds?|jk|that was a joke"
    r"|(?:i was |i'm |was )?(?:just |only )?(?:kidding|joking))(?!\w)"
    r"|(?:never ?mind|nvm|forget (?:that|it|about (?:that|it))|let's not)(?!\w)"
    r"|(?:no,? wait|wait,? no|actually,? no)[\s,.!-]+(?=(?:let's|we|i|keep|stay|stick|not|don't)\b)"
    r")[\s,.:;!-]*(?P<rest>[^.!?\n]*)",
    re.IGNORECASE,
)
#: what goes on as before
_KEEPS = re.compile(
    r"(?:let's |we(?:'ll| will|'re)? |i(?:'ll| will|'m)? |just |please )*"
    r"(?:keep|keeping|stay|staying|stick|sticking|leave|not\b|don't|won't)",
    re.IGNORECASE,
)
#: what is named before it is in force again, or no more; such a text has one of these
_TURNED = ("after all", " off then", " out then", " the table")
_TURNS_OUT = re.compile(
    r"[^.!?\n]{3,200}\b(?:after all|(?:is|are) (?:off|out) (?:then|the table))\b", re.IGNORECASE
)
_WAITS = re.compile(
    rf"\W*{_OPENING}(?:ok(?:ay)?|oh|ah|hm+|no|nope|wait|sorry|actually|hold on|well|so|thanks?"
    r"|(?:wait|give me|one|just) a (?:sec(?:ond)?|minute|moment))?\W*",
    re.IGNORECASE,
)
_PLAY = re.compile(
    r"\brole[ -]?play(?!(?:ing)? (?:games?|apps?|bots?|servers?|modes?)\b)"
    r"|\b(?:let's|let us|can we|we) pretend\b|^\W*pretend\b|\bstay in character\b"
    r"|\byou(?:'re| are) (?:an?|the|my) \w+,? and (?:i'm|i am|i'll be) (?:an?|the|your) \w"
    r"|\byou(?:'re| are) the \w+\b[^.!?\n]{0,60}[.!,] i(?:'m| am|'ll be) the \w"
    r"|^\W*(?:please |now |you )?play (?:an?|the|my) (?:\w+ ){0,3}?"
    r"(?:interviewer|recruiter|examiner|officer|judge|lawyer|doctor|patient|customer|client"
    r"|landlord|boss|teacher|parent|neighbou?r|guest|waiter|pirate|advocate)\b"
    r"|^\W*imagine (?:that )?(?:you|i|we)(?:'re|'m| are| am| were)\b",
    re.IGNORECASE,
)
_STORY = re.compile(
    r"\b(?:write|tell|continue|finish|invent|make up)(?: me| us)? (?:an?|the|my|our)"
    r" (?:[\w-]+ ){0,3}(?:story|poem|rhyme|scene|dialogue|monologue|song|sketch|chapter|tale"
    r"|limerick|diary entry)\b",
    re.IGNORECASE,
)
_INVENTED = re.compile(
    r"\bonce upon a time\b|\bin (?:my|our|the|this) (?:story|novel|campaign|screenplay|dream)\b",
    re.IGNORECASE,
)
_OWN_PEOPLE = re.compile(
    r"\b(?:(?:my|our) (?:mother|father|mum|mom|dad|wife|husband|partner|son|daughter|sister|brother"
    r"|niece|nephew|friend)|(?:my|our|the) (?:kids|children|boys|girls|twins|parents))\b",
    re.IGNORECASE,
)
_PLAY_ENDS = re.compile(
    r"\b(?:(?:end|stop|quit|out|enough|done) (?:of |with )?(?:the |this )?(?:role[ -]?play"
    r"|character|pretending|playing|game)|back to (?:reality|work|normal|the real)|seriously now"
    r"|in real life|real (?:one|question|answer|thing) now|now for real|for real now)\b",
    re.IGNORECASE,
)


#: why a candidate does not stand: said in a play or a story, in jest, or taken back; else ''
Unmeant = Literal["", "played", "joke", "taken_back"]


def let_stand(candidates: Sequence[Candidate], turns: Sequence[Turn]) -> list[Candidate]:
    """The candidates of a conversation's turns that the person means and does not take back."""
    found = unmeant(candidates, turns)
    return [one for one, why in zip(candidates, found, strict=True) if not why]


def unmeant(candidates: Sequence[Candidate], turns: Sequence[Turn]) -> list[Unmeant]:
    """Why each candidate of a conversation's turns does not stand."""
    said = [turn for turn in turns if turn.by_person and not is_stated(turn)]
    places = {turn.message: place for place, turn in enumerate(said)}
    staged = _staged(said)
    back = [[*_taken_back(turn.text[:_LONGEST])] for turn in said]
    ends: list[list[int]] = [[] for _ in said]
    for one in candidates:
        if (place := places.get(one.receipt.message)) is not None:
            ends[place].append(_end(one, said[place]))

    def why(one: Candidate) -> Unmeant:
        place = places.get(one.receipt.message)
        if place is None:
            return ""
        if place in staged and _is_played(one, said[place], staged[place]):
            return "played"
        if _joke(one):
            return "joke"
        return "taken_back" if _is_withdrawn(one, place, said, back, ends) else ""

    return list(map(why, candidates))


def _end(candidate: Candidate, turn: Turn) -> int:
    quote = candidate.receipt.quote
    return turn.text.find(quote) + len(quote)


def _joke(candidate: Candidate) -> bool:
    """Whether the person jokes in the sentence, also in another part of it."""
    return is_joke(candidate.sentence or candidate.receipt.quote)


def _staged(said: Sequence[Turn]) -> dict[int, int]:
    """The turns of a play or a story, and where in them one's own people are still real.

    A play goes on until it is ended. Who asks for a story may tell for whom, up to a colon.
    """
    found = {}
    plays = False
    for place, turn in enumerate(said):
        text = turn.text[:_LONGEST]
        plays = (plays or bool(_PLAY.search(text))) and not _PLAY_ENDS.search(text)
        if plays or _INVENTED.search(text):
            found[place] = 0
        elif asked := _STORY.search(text):
            colon = text.find(":", asked.end())
            found[place] = colon if colon >= 0 else len(text)
    return found


def _is_played(candidate: Candidate, turn: Turn, real: int) -> bool:
    return _end(candidate, turn) > real or not _OWN_PEOPLE.search(candidate.receipt.quote)


def _says_nothing(turn: Turn) -> bool:
    """Whether a turn only waits: what is taken back after it was said before it."""
    return _WAITS.fullmatch(turn.text[:_LONGEST]) is not None


#: where it starts, what is said in its place, and whether it needs to name nothing
_Back = tuple[int, str, bool]


def _taken_back(text: str) -> Iterator[_Back]:
    for found in _TAKES_BACK.finditer(text):
        rest = found["rest"]
        if again := _TAKES_BACK.match(rest):
            rest = again["rest"]
        empty = not telling(terms_of(rest)) or _KEEPS.match(rest) is not None
        yield found.start("rest"), rest, empty or found["sure"] is not None
    folded = text.casefold()
    for found in _TURNS_OUT.finditer(text) if any(map(folded.__contains__, _TURNED)) else ():
        yield found.start(), found[0], False


def _is_withdrawn(
    candidate: Candidate,
    place: int,
    said: Sequence[Turn],
    back: Sequence[Sequence[_Back]],
    ends: Sequence[Sequence[int]],
) -> bool:
    """Whether a later word takes it back by name, or takes back what was said last before it."""
    own = _end(candidate, said[place])
    quotes = (candidate.receipt.quote, *(one.quote for one in candidate.also))
    named = telling(terms_of(" ".join(quotes)))
    for later in range(place, min(place + _TURNS + 1, len(said))):
        if said[later].speaker != said[place].speaker:
            continue
        for start, rest, whole in back[later]:
            before = [end for end in ends[place] if later > place or end <= start]
            if own not in before:
                continue
            last = own == max(before) and all(map(_says_nothing, said[place + 1 : later]))
            if named & telling(terms_of(rest)) or (whole and last):
                return True
    return False
