"""The words behind `phrasing`: which tell nothing, which say the same, which open a phrase.

English, with the articles of four other languages; a word that is in no table stands for itself.
Entries are canonical word first, the others after it. A pair of words belongs here only when one
can take the other's place in any statement: what is nearly the same is not listed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache

from engram.language import irregular


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: how a past, a passive, an owner, a list and a pause are marked; no word has such letters
DONE, PASSIVE, OWNER, AND, BREAK = "†", "‡", "'s", "&", ","
#: a phrase at the head of a statement ends before these
STARTS = _set("the a an this these those our its their user team i we")

#: several words -> what stands for them; tried longest first
PHRASES = {
    tuple(phrase.split()): tuple(instead.split())
    for phrase, instead in (
        line.strip().split(" = ")
        for line in """
        instead of = over | rather than = over | and not = over | as opposed to = over
        as well as = & | and also = &
        with no = without | by means of = via | with the help of = via
        in order to = to | so as to = to | due to = because | because of = because
        would like = want | needs to = must | need to = must | has to = must | have to = must
        is required to = must | are required to = must | ought to = should
        is able to = can | are able to = can
        decided to use = chose | decided on = chose | decided for = chose | chose to use = chose
        opted for = chose | settled on = chose | went with = chose | opted to use = chose
        makes use of = use | make use of = use
        in charge of = responsible for | make sure = ensure | makes sure = ensure
        every day = daily | each day = daily | once a day = daily
        every week = weekly | each week = weekly | once a week = weekly
        every month = monthly | each month = monthly | once a month = monthly
        every year = yearly | each year = yearly | once a year = yearly
        every night = nightly | each night = nightly
        is located in = lives in | are located in = lives in | resides in = lives in
        is based in = lives in | are based in = lives in | reside in = lives in
        front end = frontend | back end = backend | time zone = timezone | file name = filename
        data base = database | code base = codebase | work flow = workflow | e mail = email
        pull request = pr | pull requests = pr | co worker = colleague | co workers = colleague
        vs code = vscode | visual studio code = vscode | node js = node.js
        """.replace("\n", "|").split("|")
        if " = " in line
    )
}  # fmt: skip

#: words that take each other's place; nouns and adjectives in the singular
_SAME = """
prefer like favor|use utilize|start begin commence|choose pick select|buy purchase|help assist
reply answer respond|store keep save|delete remove|repair fix|need require|show display|run execute
call name|speak talk|live reside|ensure guarantee|every all each|big large|short concise brief
succinct|fast quick|postgres postgresql|kubernetes k8s|javascript js|typescript ts|golang go
neovim nvim|repo repository|app application|prod production|dev development|env environment
config configuration|docs documentation doc|db database|max maximum|min minimum|info information
admin administrator|msg message|dir directory folder|param parameter|arg argument|spec
specification|mobile cellphone|photo picture|email e-mail|colleague coworker|company firm
everyone everybody|someone somebody|yearly annual annually|lawyer attorney|movie film
mother mom mum|father dad|child kid|holiday vacation|grey gray|program programme
license licence|defense defence|catalog catalogue|dialog dialogue|tire tyre
nutzt verwendet benutzt gebraucht|utilise emploie|usa utiliza|использует применяет
1 one|2 two|3 three|4 four|5 five|6 six|7 seven|8 eight|9 nine|10 ten|11 eleven|12 twelve
13 thirteen|14 fourteen|15 fifteen|16 sixteen|17 seventeen|18 eighteen|19 nineteen|20 twenty
30 thirty|40 forty|50 fifty|60 sixty|90 ninety
"""

#: verbs; with past and participle where `irregular` has none or others
_VERBS = """
accept add agree allow answer ask assist attend avoid backup begin block book break bring build buy
cache call cancel change check choose clean close collect come commence commit compile configure
connect consider contain control convert copy cost cover create cut cycle debug decide define
delete deliver depend deploy describe design develop disable discuss display do:did:done document
download drink drive drop earn eat edit email employ enable encrypt end enforce enjoy ensure
estimate evaluate execute expect explain export expose extend fail favor fetch find finish fix
follow format freeze generate get:got:gotten give guarantee handle hate have:had:had help hide hike
hire hold host import improve include increase inform install integrate introduce invite invoice
join keep know label launch lead learn:learned:learned leave like limit link list live load lock
log lose love maintain make manage mean measure meet merge migrate monitor move name need notify
offer open order organize own pay pick plan play point post practice prefer prepare print process
produce promise propose protect provide publish pull purchase push put raise read rebuild receive
recommend record redirect reduce refactor refuse reject release rely remember remove rename render
renew rent repair replace reply report represent request require reset reside resolve respond
restart restore retry return review revoke rewrite roll rotate run save say scan schedule search
see seed select sell send separate serve set share ship show sign skip sleep sort speak spend split
squash stage start stay stop store study submit support swim switch sync take talk teach tell test
think throw track train translate travel trust try update upgrade upload use utilize validate
verify visit wait walk want warn watch wear work wrap write
"""
_FINAL_DOUBLED = _set("plan drop stop ship skip squat tap cancel label travel control")
#: what comes before a verb and is no content by itself
MODALS = _set("can could may might must should shall will would")

BE = frozenset({"is", "are", "am", "be", "being", "get"})
WAS = frozenset({"was", "were"})
AUXILIARY = MODALS | BE | WAS | {"do", "do" + DONE, "have", "have" + DONE}
#: words that open a phrase -> the kind of phrase; phrases may stand in any order
OPENERS = {
    "in": "at", "on": "at", "at": "at", "for": "for", "with": "with", "via": "via",
    "through": "via", "to": "to", "into": "to", "onto": "to", "from": "from", "over": "over",
    "before": "before", "after": "after", "until": "until", "till": "until", "since": "since",
    "without": "without", "except": "except", "than": "than", "during": "during",
    "within": "within", "against": "against", "between": "between", "under": "under",
    "above": "above", "below": "below", "about": "about", "as": "as", "by": "by", "per": "per",
    "für": "for",
}  # fmt: skip
#: these open a clause that goes on to the next comma or the end
CLAUSES = _set("because if when while unless so although whereas where but")
#: they belong to the phrase that they stand before
LEANING = _set("not only never even mostly usually especially mainly no")
#: they turn a statement round; two statements of which only one has such a word are never alike
POLAR = _set(
    """not no never without except only before after until over from than none nothing nobody
    neither nor stop avoid refuse reject disable enable allow deny forbid min max increase
    reduce decrease include exclude add remove delete start end must should may can might
    could would will if unless nicht kein keine nie ohne pas jamais sans sin nunca не нет без"""
)


def _participles(base: str, rest: list[str]) -> tuple[str, str]:
    if rest:
        return rest[0], rest[1]
    if base in irregular.PAST:
        return irregular.PAST[base], irregular.PARTICIPLE[base]
    if base.endswith("e"):
        return base + "d", base + "d"
    if base[-1] == "y" and base[-2] not in "aeiou":
        return base[:-1] + "ied", base[:-1] + "ied"
    doubled = base + base[-1] if base in _FINAL_DOUBLED else base
    return doubled + "ed", doubled + "ed"


def _present(base: str) -> tuple[str, str]:
    """The -s and -ing forms."""
    if base[-1] == "y" and base[-2] not in "aeiou":
        return base[:-1] + "ies", base + "ing"
    if base.endswith(("s", "sh", "ch", "x", "o")):
        return base + "es", base + "ing"
    if base.endswith("e"):
        return base + "s", base[:-1] + "ing"
    short = len(base) == 3 and base[-1] not in "aeiouwxy" and base[-2] in "aeiou"
    doubled = base in _FINAL_DOUBLED or base in ("begin", "reset", "swim", "split") or short
    return base + "s", (base + base[-1] if doubled else base) + "ing"


def _same() -> dict[str, str]:
    table: dict[str, str] = {}
    for group in _SAME.replace("\n", "|").strip("|").split("|"):
        words = group.split()
        table.update(dict.fromkeys(words, words[0]))
    return table


#: word -> the one that stands for it
SAME = _same()


def _verbs() -> tuple[dict[str, str], ...]:
    present: dict[str, str] = {}
    gerund: dict[str, str] = {}
    past: dict[str, str] = {}
    participle: dict[str, str] = {}
    for entry in _VERBS.split():
        base, *rest = entry.split(":")
        verb = SAME.get(base, base)
        third, doing = _present(base)
        before, done = _participles(base, rest)
        present.update({base: verb, third: verb})
        gerund[doing], past[before], participle[done] = verb, verb, verb
    return present | {"has": "have", "does": "do"}, gerund, past, participle


#: forms of verbs -> what stands for the verb: present, -ing, past, participle
PRESENT, GERUND, PAST, PARTICIPLE = _verbs()

#: said of oneself, in a vault of one's own
ONESELF = {"i": "user", "me": "user", "my": "user", "we": "team"}
#: whoever has done it did it; "has lived there" is not "lived there"
DEEDS = _set(
    """add agree begin bring buy call cancel change choose close commit create decide delete deploy
    disable drop enable fail find finish fix hire import install introduce invite join launch
    leave lose merge migrate move open pick promise publish receive refuse reject release remove
    rename renew repair replace reset revoke rewrite sell send ship sign start stop switch tell
    update upgrade upload"""
)
#: what is so dealt with is dealt with by its owner
OWN_DOING = _set("build deploy document host log run store test")
#: British ending -> American
AMERICAN = tuple(
    (re.compile(british), american)
    for british, american in (
        ("our(?=[a-z]{0,5}$)", "or"), ("([iy])s(?=(?:e|ed|er|es|ing|ation)$)", r"\1z"),
        ("tre(?=s?$)", "ter"), ("ll(?=(?:ed|ing|er)$)", "l"),
    )
)  # fmt: skip
_NUMBER = re.compile("[0-9]{1,18}")
_BRITISH = (("or", "our"), ("iz", "is"), ("yz", "ys"), ("ter", "tre"))


def _spoken() -> Mapping[str, frozenset[str]]:
    """Canonical word -> every word or phrase that may stand for it."""
    table: dict[str, set[str]] = defaultdict(set)
    for word, canonical in (*SAME.items(), *ONESELF.items()):
        table[canonical].add(word)
    for forms in (PRESENT, GERUND, PAST, PARTICIPLE):
        for word, verb in forms.items():
            table[verb].add(word)
    for phrase, instead in PHRASES.items():
        for word in instead:
            table[PRESENT.get(word) or PAST.get(word) or SAME.get(word, word)].add(" ".join(phrase))
    return {word: frozenset(all_) for word, all_ in table.items()}


_SPOKEN = _spoken()


@lru_cache(maxsize=512)
def surfaces(term: str) -> tuple[str, ...]:
    """The words and phrases of which a text that means a term has at least one."""
    found = {term, *_SPOKEN.get(term, ())}
    found |= {word.replace(*pair) for word in set(found) for pair in _BRITISH}
    if number := _NUMBER.match(term):
        # 12,000 is read as 12000, 25 MB as 25mb, 1 June 2026 as 2026-06-01
        found |= {number[0], f"{int(number[0]):,}"}
    return tuple(sorted(found))
