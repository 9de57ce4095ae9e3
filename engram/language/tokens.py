"""Text -> the terms it is found by, for documents and for queries alike.

Tokens are those of `model.text.words` (NFKC, casefolded, symbols that carry meaning kept). A token
is a term as a whole, and so are its parts:

    src/shop/order_items.py   src/shop/order_items.py, src, shop, order_items.py, order, item, py
    parseHTTPHeader           parsehttpheader, pars, http, header
    3.14  C++  C#  don't      3.14, 3, 14;  c++;  c#;  don't, dont
    Anna's  naïve  Größe      anna;  naiv;  grosse
    東京タワー                  the characters and the pairs 東京 京タ タワ ワー

English words are stemmed (`stem`), Latin and Greek letters lose their accents, scripts written
without spaces are cut into pairs of characters. Guarantees: no text raises; every term of a query
on a text is a term of the text; terms can be encoded and are at most 64 characters long.
Both cost time in proportion to the text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import chain
from typing import TYPE_CHECKING

from engram.language.scripts import DENSE
from engram.language.stem import stem
from engram.language.stop_words import GERMAN_FILLERS, QUERY, is_german
from engram.model.text import words

if TYPE_CHECKING:
    from engram.model.memory import Memory

#: Raise it whenever the terms of some text change: indexes of another number are rebuilt.
ANALYSIS = 1
#: A query is cut to this many distinct terms; a pasted page must not cost seconds.
MAX_TERMS = 64

#: Longer runs without a space are encoded data or prose of a dense script, not words.
_LONGEST = 64
#: A longer memory is found by what it begins with, characters.
_MOST_TEXT = 20_000

#: lone surrogates, which cannot be encoded, and the choosers between text and emoji form
_UNSPEAKABLE = re.compile("[\ud800-\udfff\ufe00-\ufe0f]+")
#: what a path, an address or an assignment is made of, and then what a name is made of
_BETWEEN_NAMES = re.compile(r"[/\\:@&=~*%#$€£¥°]+")
_BETWEEN_PARTS = re.compile(r"[._\-+']+")
_CONTRACTION = re.compile(r".+(?:n't|'(?:s|re|ve|ll|d|m))")
_LETTERS_AND_NUMBER = re.compile(r"([a-z]{2,})(\d+)|(\d+)([a-z]{2,})")
_ASCII_WORD = re.compile(r"[A-Za-z0-9]+")
#: a capital behind a small letter or a figure, or before another and a small letter
_ANY_HUMP = re.compile(r"[A-Z](?:(?<=[a-z0-9].)|[A-Z][a-z])")
_HUMP = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")

#: Latin letters that Unicode does not take apart.
_UNDIVIDED = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ħ": "h", "æ": "ae", "œ": "oe", "ı": "i"})


def terms(text: str) -> list[str]:
    """The terms of a document, with repeats, in no promised order."""
    return _terms(text, asked=False)


def telling_terms(text: str) -> list[str]:
    """The terms of a document without those of stop-words."""
    return _terms(text, asked=False, stop=QUERY)


def memory_terms(memory: Memory) -> set[str]:
    """The distinct terms of a memory: title, statement, quote, tags and entities."""
    beside = "\n".join((memory.title, *memory.tags, *memory.entities))
    # each by itself: the words of the statement alone are asked for elsewhere too
    said = (memory.text[:_MOST_TEXT], memory.quote[:_MOST_TEXT], beside)
    return set(chain.from_iterable(map(terms, filter(None, said))))


def query_terms(text: str, limit: int = MAX_TERMS) -> list[str]:
    """The distinct terms of a query in order, without stop-words; all of them if no other is left.

    At most `limit` terms. Empty only for text without letters, digits or symbols that mean.
    """
    stop = QUERY | GERMAN_FILLERS if is_german(text) else QUERY
    told = dict.fromkeys(_terms(text, asked=True, stop=stop))
    distinct = told or dict.fromkeys(_terms(text, asked=True))
    return list(distinct)[:limit]


def beginning(prefix: str) -> str:
    """The beginning of a word as terms are written: without capitals and accents, not stemmed."""
    return next(map(_plain_letters, words(_UNSPEAKABLE.sub("", prefix))), "")


def _terms(text: str, *, asked: bool, stop: frozenset[str] = frozenset()) -> list[str]:
    text = text if text.isascii() else _UNSPEAKABLE.sub(" ", text)
    of_token = _of_asked_token if asked else _of_token
    found: list[str] = []
    for token in words(text):
        if not stop or _bare(token) not in stop:
            found += of_token(token) if len(token) <= _LONGEST else _split(token, asked)
    text = unicodedata.normalize("NFKC", text)
    if _ANY_HUMP.search(text):
        for word in _ASCII_WORD.findall(text):
            if len(word) <= _LONGEST and _ANY_HUMP.search(word):
                found += _humps(word)
    return found


def _bare(token: str) -> str:
    """The token without a possessive or short `'s`: `what's` is asked as `what`."""
    return token[:-2] if token.endswith("'s") else token


#: a large vault has as many words, and each of them in many texts
@lru_cache(maxsize=32_768)
def _of_token(token: str) -> tuple[str, ...]:
    if token.isascii() and token.isalpha():
        return (stem(token),)
    return tuple(_split(token, asked=False))


@lru_cache(maxsize=2_048)
def _of_asked_token(token: str) -> tuple[str, ...]:
    return tuple(_split(token, asked=True))


def _split(token: str, asked: bool) -> Iterator[str]:
    """A token as a whole and in its parts."""
    token = _bare(token)
    if token.isalnum():
        yield from _of_word(token, asked)
        return
    if _CONTRACTION.fullmatch(token) and len(token) <= _LONGEST:
        yield token
        yield token.replace("'", "")
        return
    whole = token.lstrip("#@$€£¥~/")
    if len(whole) > _LONGEST or any(is_dense for _, is_dense in _runs(whole)):
        whole = ""
    else:
        yield from _short(_plain_letters(whole))
    for name in filter(None, _BETWEEN_NAMES.split(token)):
        parts = [part for part in _BETWEEN_PARTS.split(name) if part]
        if name != whole and len(parts) > 1:
            yield from _short(_plain_letters(name))
        for part in parts:
            if part != whole and not (len(part) == 1 and "a" <= part <= "z"):
                yield from _of_word(part, asked)


def _of_word(word: str, asked: bool) -> Iterator[str]:
    """The terms of letters and digits without a symbol between them."""
    if word.isascii():
        yield from _of_plain_word(word)
        return
    for run, is_dense in _runs(word):
        if is_dense:
            yield from _of_dense_run(run, asked)
        else:
            plain = _plain_letters(run)
            yield from _of_plain_word(plain) if plain.isascii() else _short(plain)


def _runs(word: str) -> Iterator[tuple[str, bool]]:
    """A word in parts of scripts that are written without spaces, or not."""
    if word.isascii():
        return iter([(word, False)])
    return ((run[0], run[1] is not None) for run in _run().finditer(word))


@cache
def _run() -> re.Pattern[str]:
    """Compiled when it is first needed: that takes longer than most commands have to spare."""
    return re.compile(f"([{DENSE}]+)|[^{DENSE}]+")


def _of_plain_word(word: str) -> Iterator[str]:
    if not 0 < len(word) <= _LONGEST:
        return
    if word.isalpha():
        yield stem(word)
        return
    yield word
    if mixed := _LETTERS_AND_NUMBER.fullmatch(word):
        yield from (stem(part) for part in mixed.groups() if part)


def _of_dense_run(run: str, asked: bool) -> Iterator[str]:
    """Pairs of neighbours; single characters for documents, and for a query of only one."""
    if len(run) == 1 or not asked:
        yield from run
    for at in range(len(run) - 1):
        yield run[at : at + 2]


def _humps(word: str) -> Iterator[str]:
    """`parseHTTPHeader` -> `pars`, `http`, `header`; nothing for a word without humps."""
    parts = _HUMP.findall(word)
    if len(parts) > 1:
        yield from (stem(part.lower()) for part in parts if part.isalpha() and len(part) > 1)


def _plain_letters(word: str) -> str:
    """Without the accents of Latin and Greek letters and the vowel points of Arabic and Hebrew."""
    if word.isascii():
        return word
    kept: list[str] = []
    base = ""
    for char in unicodedata.normalize("NFD", word.translate(_UNDIVIDED)):
        if not unicodedata.combining(char):
            base = char
        elif "" < base < "\u0250" or "\u0370" <= base <= "\u03ff" or "\u0591" <= char <= "\u0670":
            continue
        kept.append(char)
    return unicodedata.normalize("NFC", "".join(kept))


def _short(word: str) -> Iterator[str]:
    if 0 < len(word) <= _LONGEST:
        yield word
