"""Secrets that were never in use: made from a word, so that each place has its own to be found by.

Every kind is built from parts at run time: no literal that looks like a live key stands in a file.
`forms` gives all the shapes in which the telling part of one could lie in a file.
"""

from __future__ import annotations

import base64
import hashlib
import re
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_UPPER = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
_MIXED = "abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"


@dataclass(frozen=True, slots=True)
class Canary:
    """`text` is what is fed in, `telling` the part of it that must not be found anywhere."""

    kind: str
    place: str
    text: str
    telling: str


def letters(word: str, count: int, alphabet: str = _MIXED) -> str:
    """So many letters that follow from a word and look like no word."""
    digest = b"".join(hashlib.sha256(f"{word}{part}".encode()).digest() for part in range(8))
    return "".join(alphabet[byte % len(alphabet)] for byte in digest[:count])


def _openai(place: str) -> tuple[str, str]:
    key = letters("openai" + place, 44)
    return "sk-" + "proj-" + key, key


def _aws_id(place: str) -> tuple[str, str]:
    key = letters("aws" + place, 16, _UPPER)
    return "AK" + "IA" + key, key


def _aws_secret(place: str) -> tuple[str, str]:
    key = letters("awssecret" + place, 40)
    return f"aws_secret_access_key={key}", key


def _password(place: str) -> tuple[str, str]:
    word = letters("password" + place, 9) + letters("digits" + place, 9, "23456789")
    return f"password={word}", word


def _url(place: str) -> tuple[str, str]:
    word = letters("url" + place, 18)
    return f"postgres://shop:{word}@db.example:5432/orders", word


def _pem(place: str) -> tuple[str, str]:
    lines = [letters(f"pem{place}{number}", 64) for number in range(4)]
    marks = ["-----" + side + " RSA PRIVATE" + " KEY-----" for side in ("BEGIN", "END")]
    return "\n".join([marks[0], *lines, marks[1]]), lines[2]


def _jwt(place: str) -> tuple[str, str]:
    head = base64.urlsafe_b64encode(b'{"alg":"HS256","typ":"JWT"}').decode().rstrip("=")
    body = base64.urlsafe_b64encode(b'{"sub":"%s"}' % place.encode()).decode().rstrip("=")
    signature = letters("jwt" + place, 43)
    return f"{head}.{body}.{signature}", signature


def _card(place: str) -> tuple[str, str]:
    digits = "4" + letters("card" + place, 14, "0123456789")
    total = 0
    for number, digit in enumerate(reversed(digits)):
        doubled = int(digit) * (2 if number % 2 == 0 else 1)
        total += doubled - 9 if doubled > 9 else doubled
    digits += str(-total % 10)
    return " ".join(digits[at : at + 4] for at in range(0, 16, 4)), digits


_MAKERS = {
    "openai": _openai, "aws-id": _aws_id, "aws-secret": _aws_secret, "password": _password,
    "url": _url, "pem": _pem, "jwt": _jwt, "card": _card,
}  # fmt: skip
KINDS = tuple(_MAKERS)
#: those that may stand inside one word of a name or a path
TOKENS = ("openai", "aws-id", "jwt")


def canary(kind: str, place: str) -> Canary:
    """The secret of a kind for one place; equal places have equal secrets."""
    text, telling = _MAKERS[kind](place)
    return Canary(kind, place, text, telling)


def forms(found: Canary) -> set[bytes]:
    """The telling part as text, UTF-16, lower case, slug, and inside base64 at any alignment.

    Its first and last twelve characters count as well: half a secret is a leak.
    """
    telling = found.telling
    texts = {telling, telling[:12], telling[-12:]}
    if found.kind == "card":
        texts = {telling, " ".join(telling[at : at + 4] for at in range(0, 16, 4))}
    texts |= {text.lower() for text in texts}
    texts |= {re.sub(r"[^a-z0-9]+", "-", text.lower()) for text in texts}
    shapes = {text.encode() for text in texts} | {text.encode("utf-16-le") for text in texts}
    for text in (telling, telling.lower()):
        for shift in range(3):
            coded = base64.b64encode(b"\0" * shift + text.encode())
            shapes.add(coded[4 : len(coded) // 4 * 4 - 4])
    return {shape for shape in shapes if len(shape) >= 8}


def leaks(canaries: list[Canary], *sources: tuple[str, bytes]) -> list[str]:
    """`kind at place in source` for every secret that some form of stands in some bytes."""
    return [
        f"{one.kind} at {one.place} in {name}"
        for one in canaries
        for shape in [forms(one)]
        for name, data in sources
        if any(form in data for form in shape)
    ]


def contents(*roots: Path) -> Iterator[tuple[str, bytes]]:
    """Names and bytes of all files below folders, also unpacked where they are packed."""
    for root in roots:
        for path in sorted(root.rglob("*")):
            yield "a file name", path.name.encode("utf-8", "surrogateescape")
            if path.is_file() and not path.is_symlink():
                data = path.read_bytes()
                yield path.relative_to(root).as_posix(), data
                yield f"{path.name}, unpacked", b"\n".join(_unpacked(data))


def _unpacked(data: bytes) -> Iterator[bytes]:
    """Every zlib stream in some bytes, wherever it begins."""
    at = data.find(b"\x78")
    while at >= 0:
        if data[at + 1 : at + 2] in (b"\x01", b"\x5e", b"\x9c", b"\xda"):
            with suppress(zlib.error):
                yield zlib.decompressobj().decompress(data[at:], 1 << 20)
        at = data.find(b"\x78", at + 1)
