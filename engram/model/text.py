"""Normalisation, content hash, tokens and similarity of text; the only ones of the program.

Text that means the same to a reader normalises to the same string; text that differs in a letter,
a digit or a meaning-bearing symbol does not (design 5.4): NFKC, casefold, white space collapsed,
punctuation stripped, but letters and digits of every script stay, and so do `+ # - . % / :` and
the like inside or at the edge of a token (C++, C#, 3.14, -5, a/b, don't).
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

#: Apostrophes, hyphens and minus signs that people and keyboards use for one another.
_SAME = str.maketrans(
    {"’": "'", "‘": "'", "ʼ": "'", "‐": "-", "‑": "-", "−": "-", "–": " ", "—": " ", "\u00ad": None}
)

#: Punctuation beyond ASCII: general and supplemental punctuation, CJK brackets and stops, Arabic,
#: Devanagari, Spanish and French marks. Every other character beyond ASCII is part of a word, so
#: that combining marks and emoji modifiers never tear one apart.
_MARKS = (
    r"\u00a0-\u00a9\u00ab-\u00ae\u00b4\u00b6-\u00b8\u00bb\u00bf\u00d7\u00f7"
    r"\u060c\u061b\u061f\u066a-\u066d\u06d4\u0964\u0965\u2000-\u206f\u20ac"
    r"\u3000-\u3003\u3008-\u3011\u3014-\u301f\u30fb\uff00-\uff0f\uff1a-\uff1f\uff61-\uff65"
)
_LETTER = rf"(?:\w|[^\x00-\x7f\s{_MARKS}])"

#: A token: letters and digits of any script, with the symbols that carry meaning:
#: before it a sign or currency of a number, or `.` `@` `#` `~` `/` of a name (.env, @kim, ~/notes);
#: inside it `'.-/:` and the like between two letters (10:30, a/b, don't);
#: after it `+ # %`, degree and currency (C++, C#, 5%, 20€).
_TOKEN = re.compile(
    # bounded: a run of signs costs no more than its length
    rf"(?:[-+](?=[.]?\d)|[$€£¥](?=[.]?\d)|[.@#$]{{1,4}}(?={_LETTER})|[~/](?=[/\w])){{0,4}}"
    rf"{_LETTER}+(?:['.\-/:+&@%#=*~\\]{{1,4}}{_LETTER}+)*"
    rf"(?:\+\+|[+#%€£¥$°]{{1,4}}(?!{_LETTER}))?"
    # comparisons that stand alone: "p99 < 5 ms" is not "p99 > 5 ms"
    r"|(?<!\S)(?:[<>]=?|[=!]==?)(?!\S)"
)

#: UTF-8 bytes that one token takes at least, on average: code and other scripts come near it
_BYTES_A_TOKEN = 3
#: characters that one token of English or code mostly takes
CHARACTERS_A_TOKEN = 4


def normalise(text: str) -> str:
    """The form under which two texts are the same content; idempotent. Empty for punctuation."""
    return _of_statement(text) if len(text) <= _STATEMENT else _normal(text)


def _normal(text: str) -> str:
    # no token has white space in it, and white space joins with nothing: run by run is as a whole
    if text.isascii():
        runs = text.lower().split()
        found = [run if run.isalnum() else _of_run(run) for run in runs]
    else:
        found = [
            run.lower() if run.isascii() and run.isalnum() else _of_run(run) for run in text.split()
        ]
    return " ".join(filter(None, found))


def _of_run(run: str) -> str:
    return _of_short_run(run) if len(run) <= _RUN else _tokens(run)


def _tokens(run: str) -> str:
    """The tokens of a run without white space, with a space between them."""
    if run.isascii():
        folded = run.lower()
    else:
        folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", run).casefold())
        folded = unicodedata.normalize("NFKC", folded.translate(_SAME))
    return " ".join(_TOKEN.findall(folded))


#: the same words stand in many texts, and the same punctuation behind them; a longer run is of a
#: script without spaces, or data, characters
_RUN = 40
_of_short_run = lru_cache(maxsize=16_384)(_tokens)

#: a statement is compared with many others; what is longer is not kept, characters
_STATEMENT = 500
_of_statement = lru_cache(maxsize=1_024)(_normal)


def sha256_bytes(data: bytes) -> str:
    """SHA-256 as lower-case hex."""
    return hashlib.sha256(data).hexdigest()


def sha256_text(text: str) -> str:
    """SHA-256 of the UTF-8 bytes, lower-case hex. Lone surrogates are kept apart, never refused."""
    return sha256_bytes(text.encode("utf-8", "surrogatepass"))


def content_hash(text: str, scope: str = "") -> str:
    """SHA-256 over scope and normalised text, 64 hex digits (seed 003; design 5.3, 5.4).

    The scope (`space/project/entity`) keeps the same words about two projects apart; without one,
    the hash of text that normalises to nothing is the hash of nothing.
    """
    normal = normalise(text)
    return sha256_text(f"{scope}\n{normal}" if scope else normal)


def words(text: str) -> list[str]:
    """The normalised tokens of a text, in order, with repeats."""
    return normalise(text).split()


def jaccard(a: Iterable[str], b: Iterable[str]) -> float:
    """Shared share of two sets, 0..1; 0 when either is empty."""
    left, right = set(a), set(b)
    if not left or not right:
        return 0.0
    return len(left & right) / len(left | right)


def overlap(a: Iterable[str], b: Iterable[str]) -> float:
    """The share of the smaller of two sets that the other has too, 0..1; 0 when one is empty."""
    left, right = set(a), set(b)
    if not left or not right:
        return 0.0
    return len(left & right) / min(len(left), len(right))


def first_line(text: str, width: int = 120) -> str:
    """The first line with words in it, cut at a word boundary to `width` characters."""
    line = next((stripped for raw in text.splitlines() if (stripped := raw.strip())), "")
    if len(line) <= width:
        return line
    cut = line[: width - 1]
    head, _, _ = cut.rpartition(" ")
    return (head or cut).rstrip(" ,;:") + "…"


def tokens_of(text: str, *, typical: bool = False) -> int:
    """How many tokens a text takes at most, roughly; with `typical` what it mostly takes.

    What a model is asked is paid for and has to fit, so its estimate is high. A block for an agent
    is only to be of a certain size; text of other scripts costs more than is counted there.
    """
    if typical:
        return -(-len(text) // CHARACTERS_A_TOKEN)
    return -(-len(text.encode("utf-8", "surrogatepass")) // _BYTES_A_TOKEN)
