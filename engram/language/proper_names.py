"""A statement -> the names in it, the kind of each, and the relation that it states.

    "The user's sister Katja moved to Kiel."  ->  Katja, person, "sister"; Kiel, place

The kind is told by what stands around a name: a relation, a title, a possession or a doing of
people, work at it, living in it. A capital within a sentence tells a name and no kind (''), one at
the beginning nothing but that the word may be a name that is known from elsewhere (`OPENING`).
Weekdays, months, languages, nationalities, feasts, titles alone, tools (`language/keywords`), words
in capitals, code, headings and what stands before a colon are no names. English; titles of German
too, in which nouns have capitals and count for nothing. Pure, linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from engram.language.english import is_english
from engram.language.keywords import is_tool, word_set
from engram.language.own_statements import ORDERS
from engram.language.stop_words import TAG
from engram.model.entity_ids import entity_id, is_entity_id, stem_of
from engram.model.ids import slug
from engram.model.memory import SESSION, Memory, schema_name
from engram.model.sentences import sentence_ranges

#: the ids of names without a kind: a sure one, and the first word of a sentence
NAMED, OPENING = "name-", "word-"
_LONGEST = 2000


class ProperName(NamedTuple):
    """A name as it is written, its type ('' where nothing tells it), and a relation or ''.

    The relation is to the user ("sister"), or names whose it is ("sister of Jonas"). `opens` says
    that only the beginning of a sentence gives the word its capital.
    """

    name: str
    type: str
    role: str = ""
    opens: bool = False

    @property
    def id(self) -> str:
        """`person-katja`; of a name without a type `name-katja`, of a mere opening `word-katja`."""
        if self.type:
            return entity_id(self.name, self.type)
        return f"{OPENING if self.opens else NAMED}{slug(self.name)}"


_W = r"[A-ZÀ-ÖØ-ÞŁŚŠŽČ][\w'’]*[a-zà-öø-ÿ](?:-[A-ZÀ-ÖØ-Þ]\w*[a-zà-öø-ÿ])?(?<!['’]s)(?![\w(/_@]|\.\w)"
_NAME = rf"{_W}(?: (?:(?:von|van|de|der|den|di|da|del|la|le|zu) )*{_W}){{0,2}}"
_TITLE = r"(?:Dr|Prof|Mr|Mrs|Ms|Miss|Frau|Herr|Doctor|Professor)\b\.?"
#: a name, or one with a title before it
_CALLED = rf"(?:{_TITLE} )?{_NAME}"
_KIN = (
    r"(?:step|half-|god|grand|great-grand)?(?:mother|father|mum|mom|dad|sister|brother|son"
    r"|daughter|child|kid|parent|ma|pa)(?:-in-law)?|wife|husband|spouse|partner|girlfriend"
    r"|boyfriend|fianc[ée]e?|baby|twin|aunt|uncle|cousin|niece|nephew|grandma|grandpa|granny"
)
_PEOPLE = (
    rf"{_KIN}|(?:best |close |old |school )?friend|(?:boss|manager|supervisor|mentor|colleague"
    r"|co-?worker|team ?mate|(?:team|tech) lead|co-?founder|assistant|intern|designer|developer"
    r"|client|customer|accountant|landlord|landlady|(?:working )?student|neighbou?r|flatmate"
    r"|roommate|teacher|tutor|professor|coach|trainer|doctor|gp|dentist|vet|therapist|physio(?:therapist)?|midwife|nanny"
    r"|babysitter|paediatrician|pediatrician|lawyer)"
)
_PETS = r"dog|cat|puppy|kitten|horse|rabbit|hamster|parrot"
_ADJECTIVES = (
    r"(?:(?:new|old|older|elder|younger|little|big|youngest|oldest|eldest|twin|late|former|ex|own"
    r"|current|direct|first|second|only|other|closest) )*"
)
_OURS = r"(?:[Tt]he user's|[Mm]y|[Oo]ur|the)"
_THEIRS = r"(?:[Hh]is|[Hh]er|[Tt]heir)"
_LINKED = r"(?:,? (?:is |are |was )?(?:called |named )?|'s name is |, )"
_ROLE = rf"{_ADJECTIVES}(?P<role>(?i:{_PEOPLE}|{_PETS}))"


@dataclass(frozen=True)
class _NameForm:
    """A form of words that tells a name and its type, and what it needs beside a name (`_beside`).

    That is looked for first, ends of words before a name or beginnings of words behind it: few
    statements have any, and a pattern takes long to find that it stands nowhere.
    """

    source: str
    type: str = ""
    before: str = ""
    behind: str = ""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(self.source)

    @cached_property
    def needs(self) -> tuple[str, ...]:
        before, behind = self.before.split(), self.behind.split()
        return (*(f"{one}\n" for one in before), *(f"\t{one}" for one in behind))

    def found(self, said: str, beside: str) -> Iterator[re.Match[str]]:
        if any(map(beside.__contains__, self.needs)):
            yield from self.pattern.finditer(said)


#: `the user's sister Katja`, `our daughter is called Mia`, `Jonas's sister Maja`, `Grandma Ilse`
_RELATED = (
    _NameForm(
        rf"\b(?:{_OURS}|(?P<theirs>{_THEIRS})|(?P<of>{_NAME})['’]s?) {_ROLE}{_LINKED}"
        rf"(?P<name>{_CALLED})",
        before="is are was called named role",
    ),
    _NameForm(
        rf"(?P<name>{_CALLED})(?:,| is| was|, who is|'s) (?:{_OURS}|(?P<theirs>{_THEIRS})"
        rf"|(?P<of>{_NAME})['’]s?) {_ROLE}\b(?!'s)(?: of (?P<whose>{_NAME}))?",
        behind="is was , '",
    ),
    _NameForm(
        rf"\b(?P<role>Grandma|Grandpa|Granny|Aunt|Auntie|Uncle) (?P<name>{_W})",
        before="Grandma Grandpa Granny Aunt Auntie Uncle",
    ),
)
#: the last word of a role
_ROLE_ENDS = re.compile(rf"(?:{_PEOPLE}|{_PETS}|lead|mate)\Z", re.IGNORECASE)
_HUMAN = (
    r"says?|said|told|tells|asked|asks|thinks|loves|likes|hates|lives|sleeps|speaks|married|plays"
    r"|(?:is|was) (?:allergic|pregnant|born|\d+ years|vegetarian|vegan|sick|ill)|turn(?:s|ed) \d+"
    r"|has (?:a|an) (?:allergy|birthday)|(?:can't|cannot|can not) eat|goes to school"
)
_HAS = (
    rf"(?i:(?:{_PEOPLE})|birthday|party|wedding|band|school|kindergarten|nursery|mobile|phone"
    r"|allergy|favou?rite|hobby|first name|last name|surname|due date)"
)
_WITH = (
    r"(?:lunch|dinner|breakfast|coffee|drinks|brunch|married|engaged|living|lives?|holiday|shared"
    r"|party|gift|present|toys?|cake) (?:with|to|for)"
)
_AND = rf"(?:(?:, | and )(?P<also>{_CALLED}))?"
_STARTED = (
    r"(?:work(?:s|ed|ing)?|jobs?|interview(?:s|ed|ing)?|internship|interns?|contracts?|employed"
    r"|start(?:s|ed|ing)?|hired|positions?|appl(?:y|ied|ying)|freelanc\w+|colleagues?|career"
    r"|offer|boss|manager|days?|weeks?|role|consult\w+|developer|engineer|designer|nurse|researcher)"
)
_DWELL = (
    r"(?:live[sd]?|living|move[sd]?|moving|born|raised|grew up|based|apartment|flats?|house|office"
    r"|trips?|travel(?:s|led|ling|ing|ed)?|flights?|fl(?:y|ies|ew|ying)|holidays?|vacation|weekend"
    r"|stay(?:s|ed|ing)?|nurse|home|commut\w+|relocat\w+|back|drives?|drove|hotel|train)"
)
_LEGAL = r"(?:GmbH|AG|SE|KG|Inc|Ltd|LLC|Corp|PLC|BV|AB|Oy|ApS|S\.A\.)"
#: the surest first
_KINDS = (
    _NameForm(
        rf"\b(?P<name>{_TITLE} {_W}(?: {_W})?)",
        "person",
        before="Dr Prof Mr Mrs Ms Miss Frau Herr Doctor Professor",
    ),
    _NameForm(
        rf"(?P<name>{_NAME} {_LEGAL})(?!\w)",
        "company",
        behind="GmbH AG SE KG Inc Ltd LLC Corp PLC BV AB Oy ApS S.A.",
    ),
    _NameForm(rf"(?P<name>{_NAME})['’]s? {_HAS}", "person", behind="'"),
    _NameForm(
        rf"(?P<name>{_NAME}) (?:{_HUMAN})\b",
        "person",
        behind="say said told tells turn ask thinks loves likes hates has lives sleeps speaks"
        " married plays is was can goes",
    ),
    _NameForm(
        rf"\b(?:[Mm]et|{_WITH}) (?P<name>{_CALLED}){_AND}",
        "person",
        before="met Met with to for",
    ),
    _NameForm(
        rf"\b(?i:{_STARTED}) (?:\w+ )?(?:at|for) (?P<name>{_NAME})", "company", before="at for"
    ),
    _NameForm(
        rf"\b(?:joined|joining|employer is) (?P<name>{_NAME})",
        "company",
        before="joined joining is",
    ),
    _NameForm(
        rf"\b(?i:{_DWELL})(?: (?:and|back) \w+)? (?:in|to|near|via) (?P<name>{_NAME})",
        "place",
        before="in to near via",
    ),
    _NameForm(rf"(?P<name>{_NAME}),? who(?: is|'s|'ll be) \d", "person", behind="who ,who"),
    _NameForm(
        rf"\b(?i:am|are|is|come|comes|came|originally) from (?P<name>{_NAME})",
        "place",
        before="from",
    ),
    # what is done in a program is done in no place
    _NameForm(rf"(?<!\b[Ii]t )(?<!\bthem )(?<!thing )\bin (?P<name>{_NAME})", "place", before="in"),
    _NameForm(
        rf"\b(?:project|codename(?:d)?|app called) (?P<name>{_NAME})",
        "project",
        before="project codename codenamed called",
    ),
)
_BARE = re.compile(_NAME)
_SPAN = re.compile(r"`[^`\n]*`|\bhttps?://\S+|\[\[[^\]\n]*\]\]")
#: the user's own name: they are the subject of the vault, and no entity in it
_OWN = re.compile(
    rf"(?:[Tt]he user's|[Mm]y) (?:full )?name is {_NAME}|[Tt]he user is called {_NAME}"
)
#: what stands before a colon is a heading: `Apartment Hamburg: our budget is ...`
_HEADING = re.compile(r"^[^.:!?\n]{1,80}: ")
_OPENS = re.compile(r"(?:^|[\"“„(\[:] ?|[-–—] )$")
#: two capitals within a word: a name in code rather than in life
_CAMEL = re.compile(r"[a-z][A-Z]")
_NO_NAMES = word_set(
    """monday tuesday wednesday thursday friday saturday sunday january february march april may
    june july august september october november december jan feb mar apr jun jul aug sep sept oct
    nov dec mon tue wed thu fri sat sun spring summer autumn winter christmas easter halloween
    thanksgiving ramadan eve new year black english german french spanish italian portuguese dutch
    danish swedish norwegian finnish polish russian ukrainian czech greek turkish arabic hebrew
    chinese mandarin japanese korean hindi american british european asian african australian swiss
    austrian belgian irish scottish indian canadian mexican brazilian dr prof mr mrs ms miss frau
    herr doctor professor user ok okay yes no correction note internet web api bluetooth wifi
    christian catholic muslim jewish god grandma grandpa granny mum mom dad mama papa"""
)
#: words for groups that say and want things as people do
_GROUPS = word_set(
    """management support legal marketing sales finance engineering everyone everybody nobody
    someone somebody people customers users clients parents kids children they team work nothing
    everything anyone tests builds deploys staging production"""
)


@lru_cache(maxsize=4096)
def proper_names(text: str) -> tuple[ProperName, ...]:
    """The names in a statement, each once, those whose kind is told first."""
    said = text[:_LONGEST].replace("’", "'")
    if "`" in said or "://" in said or "[[" in said:
        said = _SPAN.sub(_blank, said)
    if "name is " in said or "is called " in said:
        said = _OWN.sub(_blank, said)
    head = _HEADING.match(said)
    said = said[head.end() :] if head else said
    if not any(map(str.isupper, said)):
        return ()
    found: dict[str, ProperName] = {}
    beside = _beside(said)
    for one in (*_related(said, beside), *_of_a_kind(said, beside), *_bare(said)):
        key = slug(one.name)
        known = found.get(key)
        if known is None or (one.role and not known.role):
            found[key] = one
    typed = [one for one in found.values() if one.type]
    typed = [one for one in typed if not any(_begins(one, other) for other in typed)]
    return (*typed, *(one for one in found.values() if not (one.type or _is_part(one.name, typed))))


def mentioned_in(memory: Memory) -> tuple[str, ...]:
    """Ids of what a memory names: those that its header links to, then those of its words.

    A name of which the header has an entity already is not named again. The record of a session
    tells in the words of a prompt what was done, and names nothing beside its header.
    """
    links = tuple(dict.fromkeys(memory.entities))
    if schema_name(memory) == SESSION:
        return links
    stems = {link.partition("-")[2] for link in links}
    return (*links, *(one.id for one in proper_names(memory.text) if slug(one.name) not in stems))


def whole_name(found: str, said: str) -> str:
    """A person's name of a pattern with what belongs to it; '' for a mere title, day or language.

    In "Dr Weber is my dentist" a pattern may have found `Dr`.
    """
    cleaned = _cleaned(found)
    if cleaned.casefold() == found.strip(" .,'").casefold():
        return found
    near = (one.name for one in proper_names(said) if one.type == "person")
    return next((name for name in near if set(found.split()) & set(name.split())), cleaned)


def entities_of_names(mentioned: Mapping[str, int]) -> dict[str, str]:
    """Id of a name without a type -> the entity it leads to, for all names of a vault at once.

    That is the one of the name whose type is told elsewhere, the most mentioned of several, else
    one of type `other`; a mere opening leads only to an entity that another memory is sure of.
    `mentioned` are ids as `mentioned_in` gives them, with how often each is.
    """
    typed: dict[str, str] = {}
    for one in sorted(filter(is_entity_id, mentioned), key=lambda one: (-mentioned[one], one)):
        typed.setdefault(stem_of(one), one)
    led: dict[str, str] = {}
    for one in mentioned:
        stem = stem_of(one)
        if one.startswith(NAMED) or (one.startswith(OPENING) and f"{NAMED}{stem}" in mentioned):
            led[one] = typed.get(stem) or f"other-{stem}"
        elif one.startswith(OPENING) and stem in typed:
            led[one] = typed[stem]
    return led


def _blank(span: re.Match[str]) -> str:
    return "\0" * len(span.group())


def _beside(said: str) -> str:
    r"""What stands before words with a capital, with `\n` behind it, then what follows, after `\t`.

    `role\n` is among the former when a role is. Behind a comma or a possession a word has `,` or
    `'` before it.
    """
    before, behind = set[str](), set[str]()
    words = said.split(" ")
    for at, word in enumerate(words):
        if word.islower():
            continue
        if at and word[:1].isupper():
            before.add(words[at - 1].rstrip(".,"))
        sign = "'" if word.endswith(("'", "'s")) else "," if word.endswith(",") else ""
        behind.update(sign + next for next in words[at + 1 : at + 2])
    if any(map(_ROLE_ENDS.match, before)):
        before.add("role")
    return "\n".join([*before, "\t"]) + "\t".join(behind)


def _related(said: str, beside: str) -> Iterator[ProperName]:
    """Names with a relation."""
    for form in _RELATED:
        for match in form.found(said, beside):
            name = _cleaned(match["name"])
            if not name:
                continue
            role = " ".join(match["role"].casefold().split())
            type = "other" if re.fullmatch(_PETS, role) else "person"
            fields = match.groupdict()
            whose = _cleaned(fields.get("of") or fields.get("whose") or "")
            if whose:
                yield ProperName(name, type, f"{role} of {whose}")
                yield ProperName(whose, "person")
            else:
                yield ProperName(name, type, "" if fields.get("theirs") else role)


def _of_a_kind(said: str, beside: str) -> Iterator[ProperName]:
    """Names whose kind is told by what stands around them."""
    for form in _KINDS:
        for match in form.found(said, beside):
            for given in (match["name"], match.groupdict().get("also") or ""):
                name = _cleaned(given)
                if name and name.casefold() not in _GROUPS and slug(name) not in ORDERS:
                    yield ProperName(name, form.type)


def _bare(said: str) -> Iterator[ProperName]:
    """Words with a capital that nothing but a name gives them; the first of sentences as such."""
    if not _BARE.search(said) or _is_heading(said) or not is_english(said):
        return
    for start, end in sentence_ranges(said, 0, len(said)):
        for match in _BARE.finditer(said, start, end):
            opens = _OPENS.search(said[start : match.start()].lstrip()[-3:]) is not None
            name = match.group()
            if opens and name.split()[0].casefold() in TAG:
                name, opens = name.partition(" ")[2], False
            name = _cleaned(name)
            if name and not _CAMEL.search(name) and not (opens and " " in name):
                yield ProperName(name, "", opens=opens)


def _cleaned(name: str) -> str:
    """A name without what is none at its ends; '' when nothing is left."""
    words = name.split()
    while words and _is_none(words[0]) and not (len(words) > 1 and re.fullmatch(_TITLE, words[0])):
        words.pop(0)
    while words and words[-1].strip(".,'").casefold() in _NO_NAMES:
        words.pop()
    if not words or (len(words) == 1 and is_tool(words[0])):
        return ""
    return " ".join(words).rstrip(".,'")


def _is_none(word: str) -> bool:
    return word.strip(".,'").casefold() in _NO_NAMES or word.casefold() in TAG


def _is_heading(said: str) -> bool:
    """Whether most words have a capital: a title rather than a sentence."""
    first = [word[0] for word in said.split() if word[0].isalpha()]
    return len(first) > 2 and sum(map(str.isupper, first)) * 2 > len(first)


def _begins(one: ProperName, other: ProperName) -> bool:
    """Whether a name is the beginning of a longer one of its kind: Finara, Finara GmbH."""
    return one.type == other.type and other.name.startswith(f"{one.name} ") and not one.role


def _is_part(name: str, others: Iterable[ProperName]) -> bool:
    """Whether a name is part of one whose kind is known, or that a part of it."""
    own = set(name.split())
    return any(own & set(one.name.split()) for one in others)
