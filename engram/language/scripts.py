"""Scripts written without spaces between words: ranges of characters for a regular expression.

`DENSE` is what engram cuts into characters, in terms and in excerpts alike. `QMD_DENSE` is what qmd
takes for Han, kana and Hangul (their Unicode script properties): its face answers to the letter
what qmd answers, so that the two may differ.
"""

from __future__ import annotations

import re
from functools import cache

#: kana as words: no prolonged sound marks or dots alone
KATAKANA = "\u30a1-\u30fa\u30fc"
KANA = "\u3040-\u30ff\u31f0-\u31ff"
#: with the marks that stand for a character
HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
#: not without spaces, but with endings that stick to the word
HANGUL = "\uac00-\ud7af"
#: with Thai, Lao, Myanmar, Khmer and the single letters of Hangul
DENSE = f"\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff{KANA}{HAN}{HANGUL}"

QMD_DENSE = (
    "\u1100-\u11ff\u2e80-\u2e99\u2e9b-\u2ef3\u2f00-\u2fd5\u3005\u3007\u3021-\u3029\u302e\u302f"
    "\u3038-\u303b\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fd-\u30ff\u3131-\u318e\u31f0-\u31ff"
    "\u3200-\u321e\u3260-\u327e\u32d0-\u32fe\u3300-\u3357\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97c"
    "\uac00-\ud7a3\ud7b0-\ud7c6\ud7cb-\ud7fb\uf900-\ufa6d\ufa70-\ufad9\uff66-\uff6f\uff71-\uff9d"
    "\uffa0-\uffbe\uffc2-\uffc7\uffca-\uffcf\uffd2-\uffd7\uffda-\uffdc"
    "\U00016ff0-\U00016ff1\U0001b000-\U0001b122\U0001f200\U00020000-\U000323af"
)


#: as many letters of Latin script say what one character of a dense script says
_LETTERS = 3


def latin_length(text: str) -> int:
    """How long a text would be in Latin script: what "too short to say something" counts in."""
    return len(text) + (_LETTERS - 1) * dense_characters(text)


def dense_characters(text: str) -> int:
    """How many characters of a text are of a script without spaces between words."""
    return 0 if text.isascii() else len(_dense().findall(text))


@cache
def _dense() -> re.Pattern[str]:
    """Compiled when it is first needed."""
    return re.compile(f"[{DENSE}]")
