"""English words -> stems: Porter's rules (1980), a table of irregular forms, and stop-words.

One rule departs from Porter: `y` after a vowel stays, so that `deploy` meets `deployment`. Only
words of the letters a-z are changed. Stems are keys for comparing, not words for reading:
`memories` and `memory` give `memori`. Irregular forms take the stem of their lemma (`went`, `go`).
"""

from __future__ import annotations

import re
from functools import lru_cache

#: Words that say nothing about what is asked for; `what's` and the like count as `what`.
_SAID_OF_ANYTHING = """
a about after again all also am an and any are aren't as at be because been before being but by
can can't cannot could couldn't did didn't do does doesn't doing don't done during each else
ever every few for from further get gets getting got had hadn't has hasn't have haven't having
he he'd he'll her here hers herself him himself his how i i'd i'll i'm i've if in into is isn't
it it'd it'll its itself just kind let like lot many may me might more most much must my myself
of off on once only or other our ours ourselves out over own please really same shall she she'd
she'll should shouldn't so some something such tell than that the their theirs them themselves
then there these they they'd they'll they're they've thing things this those through to too
under until up us very was wasn't we we'd we'll we're we've were weren't what when where whether
which while who whom whose why will with won't would wouldn't yet you you'd you'll you're you've
your yours yourself yourselves
"""

#: They are dropped from queries, not from documents: a query of nothing else still finds something.
STOP_WORDS = frozenset(_SAID_OF_ANYTHING.split())

#: lemma, then its irregular forms
_IRREGULAR_FORMS = """
arise arose arisen|awake awoke awoken|bear bore borne|beat beaten|become became|begin began begun
bend bent|bite bit bitten|blow blew blown|break broke broken|bring brought|build built|burn burnt
buy bought|catch caught|choose chose chosen|cling clung|come came|creep crept|deal dealt|dig dug
draw drew drawn|dream dreamt|drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen
feed fed|feel felt|fight fought|find found|flee fled|fly flew flown|forbid forbade forbidden
forget forgot forgotten|forgive forgave forgiven|freeze froze frozen|give gave given
go went gone goes|grind ground|grow grew grown|hang hung|hear heard|hide hid hidden|hold held
keep kept|kneel knelt|know knew known|lay laid|lead led|lean leant|leap leapt|learn learnt
leave left|lend lent|lie lain lying|light lit|lose lost|make made|mean meant|meet met
mistake mistook mistaken|overcome overcame|pay paid|prove proven|ride rode ridden
ring rang rung|rise rose risen|run ran|say said|see saw seen|seek sought|sell sold|send sent
sew sewn|shake shook shaken|shine shone|shoot shot|show shown|shrink shrank shrunk|sing sang sung
sink sank sunk|sit sat|sleep slept|slide slid|smell smelt|speak spoke spoken|spell spelt
spend spent|spill spilt|spin spun|spring sprang sprung|stand stood|steal stole stolen|stick stuck
sting stung|stride strode|strike struck|swear swore sworn|sweep swept|swell swollen|swim swam swum
swing swung|take took taken|teach taught|tear tore torn|tell told|think thought|throw threw thrown
understand understood|undertake undertook undertaken|undo undid undone|wake woke woken
wear wore worn|weave wove woven|weep wept|win won|wind wound|withdraw withdrew withdrawn
write wrote written|rewrite rewrote rewritten|rebuild rebuilt|resend resent|retake retook retaken
child children|man men|woman women|person people|foot feet|tooth teeth|goose geese|mouse mice
wife wives|life lives|knife knives|shelf shelves|half halves|leaf leaves|self selves
index indices|matrix matrices|vertex vertices|criterion criteria|analysis analyses|basis bases
datum data|medium media|good better best|bad worse worst|die dying|tie tying
"""


def _irregular() -> dict[str, str]:
    """Irregular form -> lemma."""
    table: dict[str, str] = {}
    for entry in _IRREGULAR_FORMS.replace("\n", "|").strip("|").split("|"):
        lemma, *forms = entry.split()
        table.update(dict.fromkeys(forms, lemma))
    return table


_LEMMA = _irregular()

_VOWELS = "aeiou"
_C = "[^aeiou][^aeiouy]*"
_V = "[aeiouy][aeiou]*"
#: Porter's m > 0, m > 1, "m = 1", "has a vowel" and "ends consonant, vowel, consonant"
_M_OVER_0 = re.compile(f"(?:{_C})?{_V}{_C}")
_M_OVER_1 = re.compile(f"(?:{_C})?{_V}{_C}{_V}{_C}")
_M_IS_1 = re.compile(f"(?:{_C})?{_V}{_C}(?:{_V})?")
_HAS_VOWEL = re.compile(f"(?:{_C})?[aeiouy]")
_CVC = re.compile(f"{_C}[aeiouy][^aeiouwxy]")

#: Longest ending first, as the rules are tried: ending -> replacement when m > 0.
_STEP_2 = (
    ("ational", "ate"), ("ization", "ize"), ("iveness", "ive"), ("fulness", "ful"),
    ("ousness", "ous"), ("tional", "tion"), ("biliti", "ble"), ("entli", "ent"), ("ousli", "ous"),
    ("ation", "ate"), ("alism", "al"), ("aliti", "al"), ("iviti", "ive"), ("enci", "ence"),
    ("anci", "ance"), ("izer", "ize"), ("abli", "able"), ("alli", "al"), ("ator", "ate"),
    ("logi", "log"), ("bli", "ble"), ("eli", "e"),
)  # fmt: skip
_STEP_3 = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"),
    ("ness", ""), ("ful", ""),
)  # fmt: skip
#: dropped when m > 1
_STEP_4 = (
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous",
    "ive", "ize", "ion", "al", "er", "ic", "ou",
)  # fmt: skip


@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """The stem of a lower-case word of a-z; words of one or two letters are their own."""
    word = _LEMMA.get(word, word)
    if len(word) < 3:
        return word
    word = _plural(word)
    word = _past_and_gerund(word)
    if word.endswith("y") and word[-2:-1] not in _VOWELS and _HAS_VOWEL.match(word[:-1]):
        word = word[:-1] + "i"
    word = _replace(word, _STEP_2)
    word = _replace(word, _STEP_3)
    word = _drop(word)
    return _final_e(word)


def _plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    if word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word


def _past_and_gerund(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _M_OVER_0.match(word[:-3]) else word
    for ending in ("ed", "ing"):
        if word.endswith(ending):
            rest = word[: -len(ending)]
            return _mended(rest) if _HAS_VOWEL.match(rest) else word
    return word


def _mended(rest: str) -> str:
    """What `-ed` or `-ing` was put to: `hop` of `hopp`, `file` of `fil`, `create` of `creat`."""
    if rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    if rest[-1:] == rest[-2:-1] and rest[-1] not in _VOWELS + "lsz":
        return rest[:-1]
    if _M_IS_1.fullmatch(rest) and _CVC.fullmatch(rest):
        return rest + "e"
    return rest


def _replace(word: str, rules: tuple[tuple[str, str], ...]) -> str:
    for ending, instead in rules:
        if word.endswith(ending):
            rest = word[: -len(ending)]
            return rest + instead if _M_OVER_0.match(rest) else word
    return word


def _drop(word: str) -> str:
    for ending in _STEP_4:
        if word.endswith(ending):
            rest = word[: -len(ending)]
            kept = not _M_OVER_1.match(rest) or (ending == "ion" and rest[-1] not in "st")
            return word if kept else rest
    return word


def _final_e(word: str) -> str:
    if word.endswith("e"):
        rest = word[:-1]
        if _M_OVER_1.match(rest) or (_M_IS_1.fullmatch(rest) and not _CVC.fullmatch(rest)):
            word = rest
    if word.endswith("ll") and _M_OVER_1.match(word):
        word = word[:-1]
    return word
