"""Denials: a statement -> whether it denies something, or says what another one denies.

    "I don't want mails at night"   against   "The user wants mails at night"     turned
    "We no longer use Redis"        against   "The team stopped using Redis"      not turned

Only that is found which is told again in the same words: what stands behind a denial in one of them
stands in the other, which denies nothing in any way. Sentences that are denied within bounds
("not before May", "not more than two") are left alone, and so are double denials. English, German
and Chinese; of six other languages the plain "not". Pure, linear in both texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from engram.language.wording import beginnings

_DENYING = re.compile(
    r"\b(?:no longer|nicht mehr|not|no|never|none|nobody|nothing|neither|nor|cannot"
    r"|(?:ca|do|does|did|wo|is|are|was|were|has|have|had|should|must|could|would|need|might)"
    r"n['’]?t|nicht|kein\w{0,2}|nie|niemals|nichts|niemand|ne|n['’](?=\w)|pas|non|não|niet|не)\b"
    r"|(?:不(?!过|仅|但|错|同|断|管|然|好意思|客气|久|得不)|没|無|无(?!论|线)|别(?!的|人)|未(?!来))",
    re.IGNORECASE,
)
#: denials that deny nothing of what follows, and questions that ask to agree
_IDLE = re.compile(
    r", \w+n['’]t \w+\?"
    r"|\b(?:(?:not|no) (?:only|just|necessarily|doubt|problem|worries|matter)|why (?:not|don['’]t)"
    r"|(?:do|does)n['’]?t (?:mind|matter|worry|hesitate|forget)|can['’]?t wait|none of|nothing but"
    r"|nicht nur)\b",
    re.IGNORECASE,
)
#: what is set against a statement and does not deny it: "integers, never floats"
_SET_AGAINST = re.compile(
    r"(?<=\w), (?:and |but |und )?(?:not|never|no|without|nicht|nie|kein\w{0,2}|ohne) [^,;.]*",
    re.IGNORECASE,
)
_WITHOUT = re.compile(r"\b(?:without|ohne|weder)\b", re.IGNORECASE)
#: words that deny without saying not, or set bounds to a denial
_OTHERWISE = re.compile(
    r"\b(?:without|except|besides|but|only|unless|until|till|before|than|instead|rather|against"
    r"|stop\w*|quit\w*|end(?:s|ed)|avoid\w*|exclud\w*|forbid\w*|forbidden|prohibit\w*"
    r"|refus\w*|reject\w*|declin\w*|hat(?:e|es|ed)|dislik\w*|lack\w*|miss\w*|fail\w*|cancel\w*"
    r"|turn\w* down"
    r"|abandon\w*|disabl\w*|skip\w*|forg[eo]t\w*|remov\w*|drop\w*|delet\w*|obsolete"
    r"|deprecat\w*|dead|gone|left|leaves|retir\w*|replac\w*|former\w*|previous\w*|too|free|empty"
    r"|absent|pain|tired|worst|bad|wrong|less|off"
    r"|ohne|außer|sondern|bis|erst|statt|gegen|verbiet\w*|verboten|без)\b"
    r"|停止|放弃|取消|禁止|避免|拒绝|除了|直到|之前|只|仅",
    re.IGNORECASE,
)
_CLAUSES = re.compile(
    r"(?:[,;:!?。，；：！？、()–—\n]|\.(?=\s|$))"
    r"|\b(?:and|but|because|so that|since|while|und|aber|weil|sondern|denn|et|и)\b"
    r"|但是|因为|而",
    re.IGNORECASE,
)
#: so many words behind a denial are what it denies
_REACH = 3
#: when the first of them, so many at most, are all stated, they are what is stated
_CERTAIN = 2
#: this share of a statement's words has to stand in a denied clause that does not begin with them
_MOSTLY = 0.6
_PREFIXES = ("un", "in", "im", "ir", "dis", "non", "non-")
_WORD = re.compile(r"[^\W\d_]{3,}")


def denies(text: str) -> bool:
    """Whether a text denies something; what it only sets against a statement is none."""
    said = _SET_AGAINST.sub(" ", text)
    return _says_no(said) or _WITHOUT.search(said) is not None


def turns_round(word: str) -> bool:
    """Whether a word denies, or turns a statement round."""
    return bool(_DENYING.search(word) or _OTHERWISE.search(word))


def is_turned(text: str, said: str) -> bool:
    """Whether a text says what was denied, or denies what was said.

    A text may add to what was said, in a word, what else is not so: that turns nothing.
    """
    return _contradicts(said, text) or _contradicts(text, said, added=True)


def _contradicts(denying: str, plain: str, *, added: bool = False) -> bool:
    """Whether a statement denies what a plain one says; in more than a word where it is `added`."""
    if _says_no(plain) or _OTHERWISE.search(plain) or _reverses(plain, denying):
        return False
    stated = set(beginnings(plain))
    for clause in _CLAUSES.split(_IDLE.sub(" ", denying)):
        for found in _DENYING.finditer(clause):
            if _OTHERWISE.search(clause):
                break
            behind = beginnings(clause[found.end() :])[:_REACH]
            least = 2 if added and not clause[: found.start()].strip() else 1
            if len(behind) >= least and stated.issuperset(behind[:_CERTAIN]):
                return True
            within = stated.intersection(beginnings(clause))
            if within.intersection(behind) and len(within) >= _MOSTLY * len(stated):
                return True
    return False


def _says_no(text: str) -> bool:
    return _DENYING.search(_IDLE.sub(" ", text)) is not None


def _reverses(text: str, other: str) -> bool:
    """Whether a word is one of the other text with a prefix that denies it: "unsafe"."""
    known = set(_WORD.findall(other.casefold()))
    return any(word in known for word in _without_prefix(text))


def _without_prefix(text: str) -> Iterator[str]:
    for word in _WORD.findall(text.casefold()):
        for prefix in _PREFIXES:
            if word.startswith(prefix):
                yield word.removeprefix(prefix)
