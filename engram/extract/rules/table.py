"""The parsed `config/rules.toml` -> rules, in the order in which they are tried.

    [parts]                         fragments, used as {fragment} in patterns and other fragments
    [[preference]]                  one rule of a family, `name` and `example` say what it is for
    words = "prefer favor"          without one of these words a sentence is not even tried
    pattern = '''i (?:really )?...  matched at the start of a sentence, case ignored;
      |...)'''                      a line break and the indentation after it are not part of it

Guarantees: a rule is complete, and its name is unique. Refused, with a ConfigError
naming the rule: unknown families and keys, missing keys, unknown fragments, and patterns that do
not compile, when they are first needed: compiling all of them would take longer than most
extractions. The patterns are not limited in time as a person's own are: they see one sentence of
bounded length, and tests measure them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from engram.language.own_statements import ENGLISH, GERMAN
from engram.model.errors import ConfigError
from engram.model.memory import CATEGORIES, SCHEMAS

#: Families in the order in which a sentence is offered to them: what is asked for a session alone
#: is that, and a correction a correction, even when it also states a fact. The category that each
#: gives unless a rule names its own.
FAMILIES = {
    "session": "preference",
    "correction": "correction", "identity": "fact", "commitment": "commitment",
    "principle": "principle", "preference": "preference", "decision": "decision",
    "constraint": "fact", "moment": "moment", "relationship": "relationship", "skill": "skill",
    "entity": "entity", "fact": "fact", "general": "fact", "remembered": "fact",
}  # fmt: skip
#: The guards that a rule may tolerate (`rules.guards`).
TOLERABLE = frozenset({"if", "would", "passing", "reported"})
_KEYS = frozenset(
    ["name", "example", "category", "words", "lead", "pattern", "unless", "confidence", "schema",
     "space", "tolerates", "timed", "language"]
)  # fmt: skip
_EXPRESSIONS = ("pattern", "unless", "lead")
_REQUIRED = ("name", "example", "words", "pattern", "confidence")
#: the highest confidence of a rule; a model may give more
_MOST_CONFIDENT = 0.85


@dataclass(frozen=True)
class Rule:
    """One way of saying one kind of thing.

    `sources` are its expressions as text. `words` empty: tried whenever the sentence has opening
    words. A match of `unless` anywhere forbids. `lead` must match the opening words. `tolerates`
    names the guards that do not apply.
    `timed`: only with a future time, which becomes the due date. `space` "user": it holds in every
    project; "session": the rule takes what is asked for the conversation alone, and nothing else.
    `example` is a sentence that the rule takes. `language`: of the sentences that it reads.
    """

    name: str
    family: str
    category: str
    words: frozenset[str]
    sources: Mapping[str, str]
    confidence: float
    example: str
    schema: str = ""
    space: str = "project"
    tolerates: frozenset[str] = frozenset()
    timed: bool = False
    language: str = ENGLISH

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """What has to match at the start of a sentence. Raises ConfigError."""
        return _compiled(self.name, self.sources["pattern"])

    @cached_property
    def unless(self) -> re.Pattern[str] | None:
        """What must stand nowhere. Raises ConfigError."""
        return _compiled(self.name, self.sources["unless"]) if "unless" in self.sources else None

    @cached_property
    def lead(self) -> re.Pattern[str] | None:
        """What the opening words have to be. Raises ConfigError."""
        return _compiled(self.name, self.sources["lead"]) if "lead" in self.sources else None


def read_rules(table: Mapping[str, Any]) -> tuple[Rule, ...]:
    """Every rule of the table, family by family; none is compiled yet. Raises ConfigError."""
    unknown = sorted(set(table) - set(FAMILIES) - {"parts"})
    if unknown:
        raise ConfigError(f"rules: unknown family {unknown[0]!r}", _hint(FAMILIES))
    parts = _parts(table.get("parts", {}))
    rules = tuple(_rule(family, row, parts) for family in FAMILIES for row in table.get(family, []))
    names = [rule.name for rule in rules]
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(f"rules: two rules are named {name!r}", "give each a name of its own")
    return rules


def _parts(rows: Mapping[str, Any]) -> dict[str, str]:
    """Fragments with the fragments in them expanded; each may use those above it."""
    parts: dict[str, str] = {}
    for name, text in rows.items():
        if not isinstance(text, str):
            raise ConfigError(f"rules: fragment {name!r} is no text", "write it in quotes")
        parts[name] = _filled(f"fragment {name}", text, parts)
    return parts


_PLACE = re.compile(r"\{([a-z_]+)\}")
_BREAK = re.compile(r"\n\s*")


def _filled(where: str, text: str, parts: Mapping[str, str]) -> str:
    joined = _BREAK.sub("", text)
    for name in _PLACE.findall(joined):
        if name not in parts:
            raise ConfigError(f"rules: {where} uses unknown fragment {name!r}", _hint(parts))
    return _PLACE.sub(lambda place: parts[place.group(1)], joined)


def _rule(family: str, row: Any, parts: Mapping[str, str]) -> Rule:
    name = _checked(family, row)
    category = row.get("category", FAMILIES[family])
    if category not in CATEGORIES or row.get("schema", "") not in ("", *SCHEMAS):
        raise ConfigError(f"rules: {name}: no such category or schema", _hint(CATEGORIES + SCHEMAS))
    if row.get("language", ENGLISH) not in (ENGLISH, GERMAN):
        raise ConfigError(f"rules: {name}: no such language", _hint((ENGLISH, GERMAN)))
    tolerates = frozenset(row.get("tolerates", []))
    if tolerates - TOLERABLE:
        raise ConfigError(f"rules: {name}: tolerates an unknown guard", _hint(TOLERABLE))
    return Rule(
        name=name,
        family=family,
        category=category,
        words=frozenset(row["words"].split()),
        sources={key: _filled(name, row[key], parts) for key in _EXPRESSIONS if key in row},
        confidence=min(float(row["confidence"]), _MOST_CONFIDENT),
        example=row["example"],
        schema=row.get("schema", ""),
        space=row.get("space", "project"),
        tolerates=tolerates,
        timed=bool(row.get("timed", False)),
        language=row.get("language", ENGLISH),
    )


def _checked(family: str, row: Any) -> str:
    """The rule's name, when its keys are those that a rule has."""
    name = str(row.get("name", "?")) if isinstance(row, Mapping) else "?"
    missing = [key for key in _REQUIRED if not isinstance(row, Mapping) or key not in row]
    wrong = missing or sorted(set(row) - _KEYS)
    if wrong:
        what = "lacks" if missing else "has unknown"
        raise ConfigError(f"rules: [[{family}]] {name!r} {what} {wrong[0]!r}", _hint(_KEYS))
    return name


def _compiled(name: str, source: str) -> re.Pattern[str]:
    try:
        return re.compile(source, re.IGNORECASE)
    except re.error as error:
        raise ConfigError(
            f"rules: {name}: not a regular expression: {error}", "correct the rule's pattern"
        ) from error


def _hint(known: Any) -> str:
    return "known are: " + ", ".join(sorted(known))
