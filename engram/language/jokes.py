"""A sentence -> whether it is told in jest, by its own words.

    "my legs have filed for divorce"  -> yes: no part of a body does that
    "I live on coffee"                -> yes: "on" what is no place; "I live on a boat" is none
    "haha I live in the sea now"      -> yes: it laughs, and is about the person

A rule of the work may be told laughing. English only. Pure.
"""

from __future__ import annotations

import re

_LAUGHS = re.compile(
    r"\b(?:ha(?:ha)+|he(?:he)+|lol|lmao|rofl|jk)\b|[😂🤣😜😆😹]|;-?\)", re.IGNORECASE
)
_OF_ONESELF = re.compile(r"\b(?:i|i'm|im|my|me)\b", re.IGNORECASE)
_I_AM = r"\bi(?:['’]?m| am)(?: \w+){0,3}"
_UNREAL = re.compile(
    # what a part of the body cannot do
    r"\bmy (?:\w+ )?(?:fingers?|hands?|arms?|legs?|knees?|feet|back|shoulders?|head|brain|eyes?"
    r"|ears?|stomach|liver)(?: \w+)? (?:have|has|are|is|'ve|'s|just|officially| )*"
    r"(?:resign(?:ed|ing)|quit(?:ting)?|retir(?:ed|ing)|filed (?:for|a)|emigrat(?:ed|ing)"
    r"|(?:on|gone on|went on) strike|moved (?:out|to)|handed in|given notice|unioni[sz]ed)\b"
    # a throne
    rf"|{_I_AM} (?:king|queen|emperor|empress|god|goddess|pope|tsar) of\b"
    # what is eaten or felt and is no place, nor money
    r"|\bi (?:\w+ )?live on (?!(?:an?|the|my|our|their|his|her|this|that|one|campus|site|base"
    r"|board|land|water|top|benefits?|welfare|disability|savings|pensions?|rent|credit|tips"
    r"|call|less|more|about|around|roughly|just|only)\b)(?-i:[a-z])",
    re.IGNORECASE,
)


def is_joke(sentence: str) -> bool:
    """Whether what a sentence says of the person is not meant."""
    if _LAUGHS.search(sentence) and _OF_ONESELF.search(sentence):
        return True
    return _UNREAL.search(sentence) is not None
