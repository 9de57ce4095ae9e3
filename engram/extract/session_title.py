"""The goal of a conversation -> the title and the tags that its record is found by.

    "can you please build a shop for the bakery and use the colours of the old one"
    -> "Build a shop for the bakery" · shop, bakery, colours

The title is how the goal begins, without politeness, up to the end of a clause or to a word that
names something; where the host named the conversation in other words than the person's first, that
name. Equal goals give equal titles and tags.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from engram.extract.session_goal import Goal
from engram.extract.title_context import telling_title
from engram.language.keywords import is_tool, tags_of
from engram.language.stop_words import ENGLISH, GERMAN_FILLERS, TOPIC
from engram.language.topics import topic_terms
from engram.model.schemas import TITLE_MOST
from engram.model.text import first_line, words
from engram.model.turn import Turn

_MOST_WORDS, _FEW_WORDS = 10, 3
#: letters of a title in a script without spaces, and of its shortest clause
_MOST_LETTERS, _FEW_LETTERS = 40, 8
#: more letters for each blank: no words are parted by blanks
_LETTERS_A_WORD = 20
#: letters of a tag from a goal without an English word: shorter ones hold sentences together
_SHORTEST_TAG = 4
_MOST_TOPICS = 3
#: how a request opens that says nothing of its subject
_OPENING = re.compile(
    r"(?:(?:ok(?:ay)?|so|hi|hey|hello|now|please|pls|can you|could you|would you|let['’]?s|lets"
    r"|i(?:['’]d| would)?"
    r" (?:want|like) (?:you )?to|i need (?:you )?to|we need to|help me)[,.!]? )+",
    re.IGNORECASE,
)
#: a file that is handed over before the request
_MENTION = re.compile(r"@\S+\s+(?=\S+ \S)")
#: what there is, told before what is wanted
_CONTEXT = re.compile(r"(?:this is|i['’]ve been) [^.!?]*[.!] (?=\S+ \S+ \S)", re.IGNORECASE)
#: a sentence of three words or more, and what a clause ends with
_SENTENCE = re.compile(r"(?:\S+ ){2,}?\S*[.!?](?= )")
_CLAUSE = re.compile(r"[,;:] | [—–-] | (?:and|so|because|but|where|when) ")
_DENSE_CLAUSE = re.compile(r"[，、；：。？！]")
_LATIN_END = re.compile(r"[A-Za-z0-9_./-]+$")
#: the folders of a path
_FOLDERS = re.compile(r"(?<![:\w/.~-])(?:[\w.~-]*/){2,}(?=[\w.-])")
_ADDRESS = re.compile(r"https?://\S+")
#: what is asked for stands behind the verb: "create a", "read the", "have an"
_VERB = re.compile(r"\S+ (?=(?:an?|the|this|that|my|our|your|all)\b)", re.IGNORECASE)


def title_of(goal: Goal, turns: Sequence[Turn]) -> str:
    """A short name for what a conversation was for."""
    named = _named(goal, turns)
    short = named or _short(_FOLDERS.sub("", _said(goal)))
    title = first_line(short, TITLE_MOST).rstrip(" ,;:.…，。")
    return f"{title[:1].upper()}{title[1:]}"


def _named(goal: Goal, turns: Sequence[Turn]) -> str:
    """What the host calls the conversation, where no turn of the person begins like that."""
    named = telling_title(goal.turn)
    if any(turn.role == "user" and _begins(turn.text, named) for turn in turns):
        return ""
    return named


def _begins(text: str, title: str) -> bool:
    return " ".join(text[: 2 * len(title)].split()).casefold().startswith(title.casefold())


def tags_of_goal(goal: Goal, turns: Sequence[Turn]) -> tuple[str, ...]:
    """One to five words that a goal, and the name of its conversation, is about."""
    said = _ADDRESS.sub(" ", f"{_named(goal, turns)} {goal.text}".strip())
    opening = _OPENING.match(said)
    begins = opening.end() if opening else 0
    verb = _VERB.match(said, begins)
    said = said[verb.end() if verb else begins :]
    topics = topic_terms(said)
    least = _SHORTEST_TAG if ENGLISH.isdisjoint(words(goal.text)) else 0
    about = " ".join(word for word in said.split() if not _is_idle(word, least))
    tags = tuple(tag for tag in tags_of(about) if tag in topics)
    by_weight = sorted(topics, key=lambda term: (not term.isascii(), -topics[term], term))
    return tags or tuple(by_weight[:_MOST_TOPICS]) or ("session",)


def _said(goal: Goal) -> str:
    """The words of a goal without a file before them and without politeness."""
    mention = _MENTION.match(goal.text)
    return _without_opening(goal.text[mention.end() :] if mention else goal.text)


def _without_opening(said: str) -> str:
    opening = _OPENING.match(said)
    return said[opening.end() :] if opening else said


def _telling(said: str) -> int:
    """How many words name something."""
    return len({word for word in words(said) if word not in TOPIC})


def _short(said: str) -> str:
    """How a goal begins, up to the end of a sentence, a clause, or a word that names something."""
    if not said.isascii() and len(said.split()) < len(said) / _LETTERS_A_WORD:
        return _short_dense(said)
    context = _CONTEXT.match(said)
    said = said[context.end() :] if context else said
    sentence = _SENTENCE.match(said)
    if sentence and _telling(sentence[0]) < _FEW_WORDS <= _telling(said[sentence.end() :]):
        return _short(_without_opening(said[sentence.end() :].strip()))
    found = (sentence[0] if sentence else said).split()
    if len(found) <= _MOST_WORDS:
        return " ".join(found)
    found = found[:_MOST_WORDS]
    short = " ".join(found)
    ends = [end.start() for end in _CLAUSE.finditer(short)]
    if ends and len(short[: ends[-1]].split()) > _FEW_WORDS:
        return short[: ends[-1]]
    while len(found) > _FEW_WORDS and found[-1].casefold().strip("'\"(`") in TOPIC:
        found.pop()
    return " ".join(found)


def _short_dense(said: str) -> str:
    """How a goal begins in a script without spaces: never half of a Latin word."""
    if len(said) <= _MOST_LETTERS:
        return said
    ends = [end.start() for end in _DENSE_CLAUSE.finditer(said, _FEW_LETTERS, _MOST_LETTERS)]
    return said[: ends[-1]] if ends else _LATIN_END.sub("", said[:_MOST_LETTERS]) or said


def _is_idle(word: str, least: int) -> bool:
    bare = word.strip(".,;:!?¿¡()\"'").casefold()
    return bare in GERMAN_FILLERS - ENGLISH or (len(bare) < least and not is_tool(bare))
