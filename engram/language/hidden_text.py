"""Hidden text: a text -> whether it holds unseen signs, or words in an encoded form.

Zero-width and directional signs, tags, fillers and runs of variation selectors are hidden; joiners
that an emoji or a script needs are not. Encoded is text in base64, hexadecimal, percent or letter
escapes, and any very long blob; digests, identifiers and paths are not. `without_hidden_signs`
gives the text as it is seen. Pure, linear in the text.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import re
from collections.abc import Iterator

#: Unseen signs: format characters (zero-width, directional, tags), fillers that show as nothing,
#: and variation selectors after one another, which can carry bytes.
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u2800\u3164\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]|(?<=[\ufe00-\ufe0f])[\ufe00-\ufe0f]"
)
#: ... but for joiners inside an emoji or a word of a script that needs them, and flags of countries
_JOINER = re.compile(
    "(?<=[\u0600-\u0fff\u1780-\u17ff])[\u200c\u200d](?=[\u0600-\u0fff\u1780-\u17ff])"
    "|(?<=[\u2600-\u27bf\ufe0f\U0001f000-\U0001faff])\u200d(?=[\u2600-\u27bf\U0001f000-\U0001faff])"
    "|\U0001f3f4[\U000e0061-\U000e007a]{4,6}\U000e007f"
)
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{20,}={0,2}")
_HEX = re.compile(r"(?:\b|\\x|0x)(?:[0-9a-fA-F]{2}(?:[ ,:]|\\x| ?0x)?){12,}\b")
#: letters that need no escape, written as one: %69, \x69, \u0069, &#105;
_ESCAPED = re.compile(
    r"(?:%(?:[46][1-9a-f]|[57][0-9a]|20)){6,}|(?:\\x[2-7][0-9a-f]){6,}|(?:\\u00[2-7][0-9a-f]){6,}"
    r"|(?:&#(?:x[2-7][0-9a-f]|[3-9][0-9]|1[0-2][0-9]);){6,}|(?:[01]{8} ){5,}",
    re.IGNORECASE,
)
#: one letter after another, which nobody writes but to be found by no search
_SPACED = re.compile(r"(?<!\S)(?:[A-Za-z][ _.*-]{1,3}){7,}[A-Za-z](?!\S)")
#: a word in pieces: single letters, or groups of up to four as keys are printed
_PIECES = re.compile(
    r"(?<![^\W_])(?:[A-Za-z0-9][\s._*-]{1,3}){11,}[A-Za-z0-9](?![^\W_])"
    r"|(?<![^\W_])(?:[A-Z0-9]{2,4}[ .-]){4,}[A-Z0-9]{2,4}(?![^\W_])"
)
_FIGURE = re.compile(r"[0-9]")
_DIGIT_IN_WORD = re.compile(r"[A-Za-z][013457@$][A-Za-z]|\b[013457@$][A-Za-z]{2}")
_DIGITS = str.maketrans("013457@$", "oieastas")
#: a word of two alphabets that look alike
_MIXED = re.compile(
    r"[A-Za-z][\u0370-\u03ff\u0400-\u052f]{1,3}[A-Za-z]"
    r"|\b[\u0430\u0435\u043e\u0440\u0441\u0445\u0456\u0410-\u042f][A-Za-z]{2}"
)
_DATA_URI = re.compile(r"\bdata:[\w/+.-]{0,40}(?:;[\w=-]{1,20})*(?:;base64)?,\S{16}", re.IGNORECASE)
_APART = re.compile(r"\\x|0x|[ ,:]")
#: so many bytes are readable text, and no chance, when so many of them are letters
_LEAST_READ, _MOSTLY = 12, 0.8
#: so much encoded text is none that a person would write, whatever it says
_MOST_ENCODED = 160


def hidden_signs(text: str) -> bool:
    """Whether there are signs in a text that nobody sees, beside those that its script needs."""
    return not text.isascii() and _UNSEEN.search(_JOINER.sub("", text)) is not None


def without_hidden_signs(text: str) -> str:
    """The text without signs that nobody sees, but for those that its script needs."""
    if text.isascii():
        return text
    kept: list[str] = []
    start = 0
    for joiner in _JOINER.finditer(text):
        kept += (_UNSEEN.sub("", text[start : joiner.start()]), joiner.group())
        start = joiner.end()
    return "".join((*kept, _UNSEEN.sub("", text[start:])))


def other_forms(text: str) -> Iterator[str]:
    """The text as it reads backwards, in the alphabet turned by half, with digits as letters."""
    yield text[::-1]
    yield codecs.encode(text, "rot13")
    if _DIGIT_IN_WORD.search(text):
        yield text.translate(_DIGITS)


def without_blanks(text: str) -> Iterator[str]:
    """What is spelled in single letters or short groups, with a figure among them, as one word.

    Once with the signs between its pieces and once without: either may belong to it.
    """
    for found in _PIECES.finditer(text):
        if _FIGURE.search(found[0]):
            yield re.sub(r"\s+", "", found[0])
            yield re.sub(r"[\W_]+", "", found[0])


def is_encoded(text: str) -> bool:
    """Whether a text holds encoded text, or very much of anything encoded."""
    if any(form.search(text) for form in (_DATA_URI, _ESCAPED, _SPACED, _MIXED)):
        return True
    if any(_is_long(blob.group()) for blob in _BASE64.finditer(text)):
        return True
    return next(decoded(text), None) is not None


def decoded(text: str) -> Iterator[str]:
    """What stands in a text in base64 or hexadecimal and can be read."""
    blobs = [_from_base64(blob.group()) for blob in _BASE64.finditer(text)]
    blobs += [_from_hex(_APART.sub("", blob.group())) for blob in _HEX.finditer(text)]
    for raw in blobs:
        letters = sum(byte == 0x20 or 0x41 <= byte <= 0x5A or 0x61 <= byte <= 0x7A for byte in raw)
        if len(raw) >= _LEAST_READ and letters >= _MOSTLY * len(raw):
            yield raw.decode("ascii", "replace")


def _is_long(word: str) -> bool:
    """Whether a run of letters is encoded by its length: no path, no name, no digest."""
    mixed = re.search(r"[a-z]", word) and re.search(r"[A-Z]", word) and re.search(r"[0-9]", word)
    return len(word) > _MOST_ENCODED and mixed is not None and word.count("/") * 20 < len(word)


def _from_base64(word: str) -> bytes:
    plain = word.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(plain[: len(plain) // 4 * 4])
    except binascii.Error:
        return b""


def _from_hex(digits: str) -> bytes:
    try:
        return bytes.fromhex(digits[: len(digits) // 2 * 2])
    except ValueError:
        return b""
