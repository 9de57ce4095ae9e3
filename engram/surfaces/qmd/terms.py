"""Query translation: qmd's query language -> FTS5 expressions; and texts for FTS5.

    word        prefix of the stem          "a b"     exact words side by side
    -word       not this one                2026.4.10 each part, as a prefix
    a-b, a_b    the parts side by side      東京       the characters side by side

All have to be there in `strict`; any of them in `relaxed`, where words that are in every question
are left out if others remain. Guarantees: nothing of a query reaches FTS5 but letters, digits, `'`
and `_` within quotes, so no query is an error of syntax. None means: nothing is asked for.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from engram.language.scripts import QMD_DENSE
from engram.language.stop_words import QUERY

#: more units than these of one query are not looked for
_MOST = 64
#: longer runs of letters are no words
_LONGEST = 400

_DENSE_RUN = re.compile(f"[{QMD_DENSE}]+")
_ITEM = re.compile(r'\s*(-?)(?:"([^"]*)"?|([^\s"]+))')


@dataclass(frozen=True, slots=True)
class FullTextQuery:
    """The units of a query, each an expression of its own: wanted, and not wanted."""

    wanted: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()

    def strict(self) -> str | None:
        """All of what is wanted and nothing of what is not."""
        return self._without(" AND ".join(self.wanted[:_MOST]))

    def relaxed(self) -> str | None:
        """Any of what is wanted and nothing of what is not."""
        told = [unit for unit in dict.fromkeys(self.wanted) if not _says_nothing(unit)]
        return self._without(" OR ".join((told or list(self.wanted))[:_MOST]))

    def _without(self, wanted: str) -> str | None:
        if not wanted:
            return None
        unwanted = "".join(f" NOT {unit}" for unit in self.unwanted[:_MOST])
        return f"({wanted}){unwanted}"


def asked(query: str) -> FullTextQuery:
    """The units of a query."""
    wanted: list[str] = []
    unwanted: list[str] = []
    for match in _ITEM.finditer(query.rstrip()):
        units = _phrase(match[2]) if match[2] is not None else _word(match[3] or "")
        if not match[1]:
            wanted += units
        elif units:
            unwanted.append(units[0] if len(units) == 1 else f"({' AND '.join(units)})")
    return FullTextQuery(tuple(wanted), tuple(unwanted))


def spaced(text: str) -> str:
    """A text with a space around each character of a script that has none."""
    if text.isascii():
        return text
    return _DENSE_RUN.sub(lambda run: f" {' '.join(run[0])} ", text)


def lexical_fault(query: str) -> str:
    """Why a lexical line is invalid, or ""."""
    if "\n" in query or "\r" in query:
        return (
            "Lex queries must be a single line. Remove newline characters or split into separate"
            " lex: lines."
        )
    if query.count('"') % 2:
        return 'Lex query has an unmatched double quote ("). Add the closing quote or remove it.'
    return ""


def semantic_fault(query: str) -> str:
    """Why a semantic line is invalid, or ""."""
    if re.search(r'(?:^|\s)-[A-Za-z0-9_"]', query):
        return "Negation (-term) is not supported in vec/hyde queries. Use lex for exclusions."
    return ""


def _phrase(text: str) -> list[str]:
    """The exact phrase of what stands in quotes."""
    parts: list[str] = []
    for item in spaced(text).split():
        parts += item.split(".") if _is_dotted(item) else [item]
    words = [word for word in map(_plain, parts) if word]
    return [f'"{" ".join(words)}"'] if words else []


def _word(text: str) -> list[str]:
    """The units of an item without quotes."""
    if _is_hyphenated(text):
        words = [word for word in map(_plain, text.split("-")) if word]
        return [f'"{" ".join(words)}"'] if words else []
    if _is_dotted(text):
        return [f'"{word}"*' for word in map(_plain, text.split(".")) if word]
    if _DENSE_RUN.search(text):
        return _phrase(text)
    word = _plain(text)
    return [f'"{word}"*'] if word else []


def _is_hyphenated(text: str) -> bool:
    """`multi-agent`: letters and digits with `-` and `'` between, and at least one `-` inside."""
    return (
        "-" in text[1:-1]
        and _is_letter(text[0])
        and (_is_letter(text[-1]) or text[-1] in "'-")
        and all(_is_letter(sign) or sign in "'-" for sign in text)
        and any(text[at] == "-" and _is_letter(text[at + 1]) for at in range(1, len(text) - 1))
    )


def _is_dotted(text: str) -> bool:
    parts = text.split(".")
    return len(parts) > 1 and all(
        part and all(_is_letter(sign) or sign == "_" for sign in part) for part in parts
    )


def _plain(text: str) -> str:
    """Letters, digits, `'` and `_`; everything else is deleted, not split."""
    if text.isascii() and text.isalnum():
        return text.lower()[:_LONGEST]
    kept = "".join(sign for sign in text if _is_letter(sign) or sign in "'_")
    word = kept.lower()[:_LONGEST]
    return word if any(_is_letter(sign) for sign in word) else ""


def _is_letter(sign: str) -> bool:
    return sign.isalnum() if sign.isascii() else unicodedata.category(sign)[0] in "LN"


def _says_nothing(unit: str) -> bool:
    return unit.endswith('"*') and unit[1:-2] in QUERY
