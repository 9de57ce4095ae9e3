"""Names -> which of them mean the same person, project, tool, company or place.

`find_entity` says which known entity a name means, `fragments` which entities are one. Both would
rather leave two pages for one thing than make one of two: equal letters, a known synonym, or a
statement that says so is needed; likeness alone is nothing (Jon and Joan Bell, Team 12 and 13, Jane
and Jane Doe, GPT-4 and GPT-4o stay apart). Whatever speaks against one pair of a group keeps the
whole group apart. Pure; the order of what is given does not matter.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from engram.language.name_statements import statements
from engram.model.entity import TYPES, Named
from engram.model.entity_ids import SYNONYMS, entity_id, stem_of, type_of
from engram.model.ids import digest_of, former_slug, slug

#: Legal forms at the end of a company's name, and the one under which each counts.
_LEGAL = {
    "inc": "inc", "incorporated": "inc", "corp": "corp", "corporation": "corp", "llc": "llc",
    "ltd": "ltd", "limited": "ltd", "plc": "plc", "gmbh": "gmbh", "ag": "ag", "bv": "bv",
    "oy": "oy", "srl": "srl", "spa": "spa", "sarl": "sarl",
}  # fmt: skip
_TITLES = frozenset(["dr", "prof"])
#: Letters that lose nothing of a name when they are written in ASCII, in the two ways people do.
_FOLDED = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "æ": "ae", "œ": "oe", "ı": "i"})
_SPELT = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa", "æ": "ae", "œ": "oe"}
)
_DIGITS = re.compile(r"[0-9]+")


@dataclass(frozen=True, slots=True)
class _Form:
    """A name without what does not tell names apart: its letters, where words end, its numbers.

    Of a name with a digest that alone: letters of other scripts were once not written at all.
    """

    letters: str
    cuts: frozenset[int]
    numbers: tuple[str, ...]
    legal: str = ""

    def same(self, other: _Form) -> bool:
        """Equal letters and numbers, and words that only join or split (Ann Abel, not Anna Bel)."""
        return (
            (self.letters, self.numbers) == (other.letters, other.numbers)
            and (self.cuts <= other.cuts or self.cuts >= other.cuts)
            and (not self.legal or not other.legal or self.legal == other.legal)
        )


def find_entity(
    name: str, type: str, known: Iterable[str], aliases: Mapping[str, str] | None = None
) -> str | None:
    """The known id that a name of a type means, or None.

    The same id, one that differs in hyphens alone, or the one to which `aliases` (a slug to an id)
    lead. Several that differ in hyphens alone are none.
    """
    wanted = entity_id(name, type)
    ids = set(known)
    if wanted in ids:
        return wanted
    kind = type_of(wanted)
    former = f"{kind}-{former_slug(name.strip())}"
    if former in ids:
        return former
    form = _plain(stem_of(wanted))
    near = [one for one in ids if type_of(one) == kind and _plain(stem_of(one)).same(form)]
    if near:
        return near[0] if len(near) == 1 else None
    led = (aliases or {}).get(stem_of(wanted))
    return led if led in ids and type_of(led) in (kind, "other") else None


def fragments(entities: Sequence[Named], said: Iterable[str] = ()) -> list[tuple[str, ...]]:
    """Groups of ids that are one entity, the one that stays first; sorted.

    `said` are statements that may say of two names that they are one ("K8s = Kubernetes").
    """
    book = _Book({entity.id: entity for entity in entities})
    parent = {identifier: identifier for identifier in book.entities}

    def root(identifier: str) -> str:
        while parent[identifier] != identifier:
            identifier = parent[identifier]
        return identifier

    for one, other in sorted({*book.alike(), *book.stated(said)}):
        parent[root(one)] = root(other)
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for identifier in book.entities:
        groups[root(identifier)].append(identifier)
    return sorted(
        tuple(sorted(group, key=book.worth))
        for group in groups.values()
        if len(group) > 1 and not any(book.apart(*pair) for pair in combinations(group, 2))
    )


def likely(ids: Iterable[str], wanted: Iterable[str], said: Iterable[str] = ()) -> set[str]:
    """Of many ids the wanted ones, and those that could be one with them by their letters alone.

    Those that statements name are among them. For a look at few of many entities: aliases and
    spellings, which only pages have, are not known here.
    """
    chosen = set(wanted)
    letters = {_form(stem_of(one), type_of(one)).letters for one in chosen}
    for text in said:
        for left, right in statements(text):
            letters |= {form.letters for name in (*left, *right) for form in _all_forms(name)}
    return {one for one in ids if _form(stem_of(one), type_of(one)).letters in letters} | chosen


class _Book:
    """The entities by the forms of their names."""

    def __init__(self, entities: Mapping[str, Named]) -> None:
        self.entities = dict(sorted(entities.items()))
        #: forms of the name that the id is made of, and forms of other names
        self.own: dict[str, list[_Form]] = {}
        self.other: dict[str, list[_Form]] = {}
        self._by_letters: defaultdict[str, list[str]] = defaultdict(list)
        self._by_alias: defaultdict[str, list[str]] = defaultdict(list)
        for identifier, entity in self.entities.items():
            kind, stem = type_of(identifier), stem_of(identifier)
            spelt = [name for name in entity.names if slug(name) == stem]
            others = [name for name in entity.names if slug(name) != stem]
            self.own[identifier] = _distinct(
                [_form(stem, kind), *(form for name in spelt for form in _forms(name, kind))]
            )
            self.other[identifier] = _distinct(
                [form for name in others for form in _forms(name, kind)]
            )
            for letters in sorted({form.letters for form in self.own[identifier]}):
                self._by_letters[letters].append(identifier)
            for letters in sorted({form.letters for form in self.other[identifier]}):
                self._by_alias[letters].append(identifier)

    def alike(self) -> Iterable[tuple[str, str]]:
        """Pairs with a common spelling, or of which one has the name of the other as an alias."""
        for letters, ids in self._by_letters.items():
            for one, other in combinations(ids, 2):
                if self._kin(one, other) and _meet(self.own[one], self.own[other]):
                    yield one, other
            bearers = self._by_alias.get(letters, [])
            for one in ids:
                akin = [bearer for bearer in bearers if bearer != one and self._kin(bearer, one)]
                # an alias of several says nothing
                if len(akin) == 1 and _meet(self.own[one], self.other[akin[0]]):
                    yield one, akin[0]

    def stated(self, said: Iterable[str]) -> Iterable[tuple[str, str]]:
        """Pairs of which a statement says that they are one."""
        for text in said:
            for left, right in statements(text):
                for one in self._named(left):
                    for other in self._named(right):
                        if one != other and self._kin(one, other):
                            yield one, other

    def apart(self, one: str, other: str) -> bool:
        """Whether anything says that two entities are not the same."""
        if not self._kin(one, other):
            return True
        a, b = self.own[one][0], self.own[other][0]
        if a.letters == b.letters:
            return not _meet(self.own[one], self.own[other])
        legal = bool(a.legal and b.legal and a.legal != b.legal)
        return legal or bool(a.numbers and b.numbers and a.numbers != b.numbers)

    def worth(self, identifier: str) -> tuple[object, ...]:
        """The order within a group: what is surest about its type and name stays."""
        entity = self.entities[identifier]
        kind, stem = type_of(identifier), stem_of(identifier)
        return (
            kind == "other",
            stem in SYNONYMS,
            not entity.paged,
            -entity.memories,
            -len(stem),
            identifier,
        )

    def _named(self, names: Sequence[str]) -> list[str]:
        """The entities that the longest of some wordings names."""
        for name in names:
            found = []
            for form in _all_forms(name):
                ids = self._by_letters.get(form.letters, []) or self._by_alias.get(form.letters, [])
                found += [one for one in ids if _meet([form], self.own[one] + self.other[one])]
            if found:
                return sorted(set(found))
        return []

    @staticmethod
    def _kin(one: str, other: str) -> bool:
        """Whether the types agree: they are the same, or one of them says nothing."""
        kinds = {type_of(one), type_of(other)} - {"other"}
        return len(kinds) < 2


def _forms(name: str, kind: str) -> list[_Form]:
    """The forms of a spelling: as its slug has it, and with letters written in ASCII."""
    folded = name.casefold().replace("&", " and ")
    spellings = (folded, folded.translate(_FOLDED), folded.translate(_SPELT))
    return _distinct(_form(slug(spelling), kind) for spelling in spellings)


def _all_forms(name: str) -> list[_Form]:
    """The forms of a name whose type is not known."""
    return _distinct(form for kind in TYPES for form in _forms(name, kind))


def _form(stem: str, kind: str) -> _Form:
    """The form of a slug."""
    if kind in ("tool", "company", "other"):
        stem = SYNONYMS.get(stem, stem)
    words, legal = stem.split("-"), ""
    if kind == "person":
        if len(words) > 2 and words[0] in _TITLES:
            words = words[1:]
        return _plain("-".join(words))
    if len(words) > 1 and words[0] == "the":
        words = words[1:]
    if kind == "company" and len(words) > 1 and words[-1] in _LEGAL:
        legal = _LEGAL[words.pop()]
    if len(words) > 2:
        words = [words[0], *(word for word in words[1:-1] if word != "and"), words[-1]]
    return _plain("-".join(words), legal)


def _plain(stem: str, legal: str = "") -> _Form:
    if digest := digest_of(stem):
        return _Form(digest, frozenset([len(digest)]), ())
    letters, cuts = "", set()
    for word in stem.split("-"):
        letters += word
        cuts.add(len(letters))
    return _Form(letters, frozenset(cuts), tuple(_DIGITS.findall(stem)), legal)


def _distinct(forms: Iterable[_Form]) -> list[_Form]:
    return list(dict.fromkeys(forms))


def _meet(some: Sequence[_Form], others: Sequence[_Form]) -> bool:
    return any(one.same(other) for one in some for other in others)
