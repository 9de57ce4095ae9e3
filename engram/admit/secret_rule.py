"""Secret rule: a text -> the name of what finds a secret in it, which tells nothing of the secret.

    "my password is 123" -> marker:password        "the key is [REDACTED:api-key:12]" -> placeholder

What the redactor would take out, what it took out, what begins a private key, and what a sentence
tells in words that no redactor can tell from others. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from engram.language.hidden_text import without_blanks
from engram.language.stated_secrets import stated_secret

_TAKEN_OUT = re.compile(r"\[REDACTED:[a-z0-9-]{1,40}:[0-9]{1,9}\]")
#: what begins a private key: nobody writes it but in front of one
_KEY_HEADER = re.compile(r"-{3,}\s*BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY|PuTTY-User-Key-File-[0-9]")


def secret_rule(text: str, clean: Callable[[str], bool]) -> str:
    """The name of what finds a secret in a text, or ''.

    `redactor` for what it would take out, `placeholder` for what it took out, `key-header`, or
    `marker:` and the sort of secret that the words tell.
    """
    if not clean(text) or not all(map(clean, without_blanks(text))):
        return "redactor"
    if _TAKEN_OUT.search(text):
        return "placeholder"
    if _KEY_HEADER.search(text):
        return "key-header"
    marker = stated_secret(text)
    return f"marker:{marker}" if marker else ""
