"""Titles and tags of records as they are written: inert, on one line, within their limits.

Text -> text without what nobody sees and what the index of seed 001 would take for its own marks
(` -> `, `#tags:`, `[confidence: ...]`), to a fixed point: cleaning twice changes nothing. Letters
of every script stay as they are.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable

from engram.model.ids import digest_of, slug
from engram.model.markdown import inert_value
from engram.model.schemas import ITEMS_MOST, TAGS_MOST, TITLE_MOST

#: characters of the name of a record (seed 001)
ALIAS_MOST = 80
#: more characters than one is read as, for the slug of a whole text
_MOST_READ = 40

_MARKS = re.compile(r"#tags:|\[\s*confidence\s*:[^\]]*\]", re.IGNORECASE)
_ARROW = re.compile(r"\s+->\s+")
#: an arrow at either end has nothing on its other side
_LOOSE_ARROW = re.compile(r"^(?:\s*->)+(?:\s+|$)|(?:\s+|^)(?:->\s*)+$")
#: joiners are letters of these scripts, and hold an emoji together
_JOINED = re.compile(
    "(?<=[\u0600-\u0fff\u1780-\u17ff])[\u200c\u200d](?=[\u0600-\u0fff\u1780-\u17ff])"
    "|(?<=[\u2600-\u27bf\ufe0f\U0001f000-\U0001faff])\u200d(?=[\u2600-\u27bf\U0001f000-\U0001faff])"
)
#: what is not written: controls, format characters, halves of characters, line separators
_UNWRITTEN = frozenset(["Cc", "Cf", "Cs", "Zl", "Zp"])


def clean_title(text: str) -> str:
    """A title as it is written; empty where nothing is left of it."""
    return _settled(text, lambda one: _cleaned(one, " - "))


def record_alias(title: str, schema: str = "x") -> str:
    """The name under which a record is found, and goes out of the vault, by its title.

    As seed 001 makes it, whose names end after 80 characters: a digest stands only where the
    letters of other scripts are read as many others are too.
    """
    name = slug(title, schema, limit=_MOST_READ * len(title))
    if len(name) <= ALIAS_MOST:
        return name
    digest = "" if title.isascii() else digest_of(name)
    room = ALIAS_MOST - len(digest) - bool(digest)
    return "-".join(filter(None, (name[:room].strip("-"), digest)))


def clean_tags(given: object, most: int = TAGS_MOST) -> tuple[str, ...]:
    """Tags as they are written, each once, the first `most`; one text is one tag.

    What is no text is left out: foreign JSON has numbers and nulls.
    """
    items = [given] if isinstance(given, str) else given if isinstance(given, Iterable) else ()
    texts = (item for item in items if isinstance(item, str))
    return tuple(dict.fromkeys(filter(None, map(_tag, texts))))[:most]


def joined_tags(held: tuple[str, ...], more: Iterable[str]) -> tuple[str, ...]:
    """The tags held, and of those that come as many as there is room for, in their order."""
    known = set(clean_tags(held, len(held)))
    fresh = [tag for tag in clean_tags(tuple(more), ITEMS_MOST) if tag not in known]
    return (*held, *fresh[: max(TAGS_MOST - len(held), 0)])


def brief(text: str) -> str:
    """The words of a value on one line of a title's length, for a line about it."""
    return _settled(" ".join(text.split()), lambda one: " ".join(_seen(one).split()))


def clamped(number: float) -> float:
    """A share as 0 to 1; what is no number is 0."""
    return min(max(number, 0.0), 1.0) if number == number else 0.0


def _tag(text: str) -> str:
    def label(one: str) -> str:
        words = _cleaned(one.replace(",", " "), " ")
        # a sign before it is how people write a tag; one of a mark is still to go
        bare = words.lstrip("#") if words == one else words
        return " ".join(bare.casefold().split())

    return _settled(text, label)


def _cleaned(text: str, arrow: str) -> str:
    unmarked = _LOOSE_ARROW.sub("", _MARKS.sub("", _seen(text)).strip())
    return _ARROW.sub(arrow, unmarked).strip()


def _settled(text: str, clean: Callable[[str], str]) -> str:
    """A text cleaned, inert and no longer than a title, until nothing of that changes it."""
    while True:
        plain = text
        while (cleaner := clean(plain)) != plain:
            plain = cleaner
        made = inert_value(plain)[:TITLE_MOST]
        if made == text:
            return made
        text = made


def _seen(text: str) -> str:
    """The characters that somebody sees, composed."""
    if text.isascii():
        return "".join(sign for sign in text if " " <= sign <= "~")
    kept = {found.start() for found in _JOINED.finditer(text)}
    signs = (
        sign
        for place, sign in enumerate(text)
        if place in kept or unicodedata.category(sign) not in _UNWRITTEN
    )
    return unicodedata.normalize("NFC", "".join(signs))
