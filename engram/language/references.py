"""Paths, addresses and phone numbers at which a text says something is, as values to be compared.

    "its config lives in /etc/harbor/harbor.yml"   path /etc/harbor/harbor.yml
    "reach me on 07700 900456"                     phone 07700900456

Only behind a word that leads to a place: at the beginning of a sentence it is what is spoken of.
English only; pure.
"""

from __future__ import annotations

import re

from engram.language.quantity import Quantity

_LEADS = r"(?:in|at|to|from|on|under|is|are|reads?|follows?|branches|number|now|me)"
_REFERENCE = re.compile(
    rf"\b{_LEADS} (?:"
    r"(?P<phone>(?!\d{4}-\d\d-)\+?\d[\d-]{2,} ?(?:\d[\d-]* ?){1,4}\d)(?![\w:%]|\.\d)"
    r"|(?P<email>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)"
    r"|(?P<host>(?:https?://)?(?:[a-z][a-z\d-]*\.){2,}[a-z]{2,}(?:/[\w./-]*\w)?)"
    r"|(?P<path>(?:~|\.{1,2})?/?[\w.-]+(?:/[\w.-]*\w)+|[\w-]+\.(?:ya?ml|toml|json|ini|conf|env|md"
    r"|txt|cfg))"
    r")(?![\w/]| \d)",
    re.IGNORECASE,
)


def references_of(text: str) -> tuple[Quantity, ...]:
    """The references of a text, in order; its phone numbers without blanks."""
    found = []
    for one in _REFERENCE.finditer(text):
        kind = one.lastgroup or ""
        value = one[kind].casefold()
        if kind == "phone":
            value = re.sub(r"[ -]", "", value)
        found.append(Quantity(kind, value, one.start(kind), one.end(kind)))
    return tuple(found)
