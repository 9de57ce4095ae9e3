"""Keys of policy files: names, what a value must be, and which may stand in `[space.NAME]`.

A key is named as in the file (`privacy.deny_patterns`). `read_policy_value` takes what TOML gave
and returns a value of `PolicyValue`, or raises ValueError with the words that follow "must be".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

from engram.model.authority import AUTHORITIES
from engram.model.item import EVENT_TYPES
from engram.model.memory import SPACES
from engram.model.policy import FORGETTING, NOTHING, PROFILE, WRITE_POLICIES, PromotionRule

Kind = Literal[
    "choice", "names", "texts", "switch", "count", "order", "rule", "promotions"
]  # fmt: skip


_SOURCE = re.compile(r"[A-Za-z0-9_-]{1,80}")


class StatedRule(NamedTuple):
    """When items end, as a file says it: an empty `mode` is that of `forget_policy`."""

    mode: str = ""
    ticks: int | None = None


PolicyValue = str | bool | int | tuple[str, ...] | StatedRule | tuple[PromotionRule, ...]

PRESETS = ("vault", "contract")
PHASE_MODES = ("current_only", "current_plus_history")
#: spaces that something may be written to without being asked; what is in `system` holds for all
WRITABLE = tuple(space for space in SPACES if space != "system")
#: the table of sections, and the key of the ways between spaces
SECTIONS, PROMOTIONS = "space", "spaces.promotions"
SOURCES, RETENTION = "sources", "retention"

_MOST_COUNT = 1_000_000_000
#: entries of a list, and characters of a text in one; a policy is written by people
_MOST_ENTRIES, _LONGEST = 200, 200
_PAIR = ("from", "to")


class PolicyKey(NamedTuple):
    """One key: `choices` are what a choice, or each entry of a list of names, may be.

    `scoped`: it may stand in a section. `empty`: what an empty list means. `for_vaults`: a vault's
    file may set it.
    """

    name: str
    kind: Kind
    choices: tuple[str, ...] = ()
    scoped: bool = True
    empty: Literal["all", "none"] = "all"
    for_vaults: bool = True


_ROWS = (
    PolicyKey("preset", "choice", PRESETS, scoped=False),
    PolicyKey("write_policy", "choice", WRITE_POLICIES),
    PolicyKey("forget_policy", "choice", FORGETTING),
    PolicyKey("allow_event_types", "names", EVENT_TYPES),
    PolicyKey("deny_event_types", "names", EVENT_TYPES, empty="none"),
    PolicyKey("short_term", "count", scoped=False),
    PolicyKey("authority_order", "order", AUTHORITIES[::-1], scoped=False, for_vaults=False),
    PolicyKey("promotion.semantic", "names", EVENT_TYPES),
    PolicyKey("promotion.profile", "names", EVENT_TYPES),
    *(PolicyKey(f"{RETENTION}.{row}", "rule") for row in (PROFILE, *EVENT_TYPES)),
    PolicyKey("spaces.read_order", "names", SPACES, scoped=False, empty="none"),
    PolicyKey("spaces.write", "names", WRITABLE, scoped=False, empty="none"),
    PolicyKey(PROMOTIONS, "promotions", scoped=False),
    PolicyKey("phase.enabled", "switch", for_vaults=False),
    PolicyKey("phase.mode", "choice", PHASE_MODES),
    PolicyKey("phase.max_phases", "count", for_vaults=False),
    PolicyKey("phase.diff_enabled", "switch"),
    PolicyKey("privacy.deny_patterns", "texts", empty="none"),
    PolicyKey("privacy.deny_sensitive", "switch"),
    PolicyKey("privacy.allow_profile_keys", "texts"),
)  # fmt: skip
POLICY_KEYS: Mapping[str, PolicyKey] = {key.name: key for key in _ROWS}
#: tables that hold keys, by their path
_TABLES = frozenset(name.partition(".")[0] for name in POLICY_KEYS if "." in name)
POLICY_TABLES: frozenset[tuple[str, ...]] = frozenset({
    (SOURCES,), (SECTIONS,), *((table,) for table in _TABLES),
    *((SECTIONS, space) for space in SPACES),
    *((SECTIONS, space, table) for space in SPACES for table in _TABLES if table != "spaces"),
})  # fmt: skip


def policy_key(name: str) -> tuple[str, PolicyKey] | None:
    """The space of the section that a dotted name stands in, or '', and its key; None: unknown."""
    head, _, rest = name.partition(".")
    if head == SOURCES and _SOURCE.fullmatch(rest):
        return "", PolicyKey(name, "choice", AUTHORITIES, scoped=False)
    if head != SECTIONS:
        key = POLICY_KEYS.get(name)
        return ("", key) if key is not None else None
    space, _, inner = rest.partition(".")
    key = POLICY_KEYS.get(inner)
    return (space, key) if space in SPACES and key is not None and key.scoped else None


def read_policy_value(key: PolicyKey, value: object) -> PolicyValue:
    """A value as TOML gave it -> the value that is kept. Raises ValueError."""
    if key.kind == "switch" and isinstance(value, bool):
        return value
    if key.kind == "choice" and isinstance(value, str) and value in key.choices:
        return value
    if key.kind == "count" and (count := _count(value, 0)) is not None:
        return count
    if key.kind == "rule":
        return _rule(key, value)
    if isinstance(value, list):
        if key.kind == "promotions":
            return _promotions(key, value)
        return _names(key, value)
    raise ValueError(allowed_policy(key))


def allowed_policy(key: PolicyKey) -> str:
    """What a key's value must be, in words."""
    listed = ", ".join(key.choices)
    nothing = ', or ["none"] for nothing' if key.empty == "all" else ""
    return {
        "choice": f"one of {listed}",
        "names": f"a list of some of {listed}{nothing}",
        "texts": f"a list of at most {_MOST_ENTRIES} texts of 2 to {_LONGEST} characters, each"
        f" word with a letter or digit{nothing}",
        "switch": "true or false",
        "count": f"a whole number from 0 to {_MOST_COUNT}",
        "order": f"the list of {listed}, in this order",
        "rule": f"one of {', '.join(FORGETTING)}, or a number of ticks from 1, or both as"
        ' { mode = "ttl", ticks = 40 }',
        "promotions": 'a list of { from = "session", to = "user", event_types = [...],'
        ' min_authority = "user_asserted", decision_override = false }, each pair of'
        f" {', '.join(SPACES)} once",
    }[key.kind]


def _names(key: PolicyKey, items: list[object]) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(item for item in items if isinstance(item, str)))
    if len(found) != len(items) or len(found) > _MOST_ENTRIES:
        raise ValueError(allowed_policy(key))
    if found == NOTHING and key.empty == "all":
        return found
    if key.kind == "order":
        good = found == key.choices
    elif key.kind == "names":
        good = set(found) <= set(key.choices)
    else:
        good = all(map(_is_text, found)) and NOTHING[0] not in found
    if not good:
        strange = next((one for one in found if one not in key.choices), "")
        raise ValueError(_naming(key, strange) if key.kind == "names" else allowed_policy(key))
    return found


def _naming(key: PolicyKey, word: str) -> str:
    """What a list of names must be, and the word in it that is no such name."""
    # imported here: only a mistake needs it
    from engram.settings.refusals import shown

    return f"{allowed_policy(key)}; {shown(word)} is none"


def _is_text(text: str) -> bool:
    # words of signs alone, side by side, could be matched in as many ways as there are signs
    worded = all(any(map(str.isalnum, word)) for word in text.split())
    return worded and text.isprintable() and 2 <= len(text) <= _LONGEST and text == text.strip()


def _count(value: object, least: int) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool) and least <= value <= _MOST_COUNT:
        return value
    return None


def _rule(key: PolicyKey, value: object) -> StatedRule:
    row = value if isinstance(value, dict) else {}
    if isinstance(value, str):
        row = {"mode": value}
    elif not isinstance(value, dict):
        row = {"ticks": value}
    mode, ticks = row.get("mode", ""), _count(row.get("ticks"), 1)
    good = bool(row) and row.keys() <= {"mode", "ticks"} and mode in ("", *FORGETTING)
    if not good or ("ticks" in row and ticks is None):
        raise ValueError(allowed_policy(key))
    return StatedRule(mode, ticks)


def _promotions(key: PolicyKey, items: Iterable[object]) -> tuple[PromotionRule, ...]:
    rules = tuple(_promotion(key, item) for item in items)
    if len({(rule.from_space, rule.to_space) for rule in rules}) != len(rules):
        raise ValueError(allowed_policy(key))
    return rules


def _promotion(key: PolicyKey, item: object) -> PromotionRule:
    row = dict(item) if isinstance(item, dict) else {}
    spaces = [row.pop(end, None) for end in _PAIR]
    listed = row.pop("event_types", [])
    authority = row.pop("min_authority", AUTHORITIES[1])
    override = row.pop("decision_override", False)
    good = isinstance(listed, list) and isinstance(override, bool) and not row
    if not good or authority not in AUTHORITIES or any(one not in SPACES for one in spaces):
        raise ValueError(allowed_policy(key))
    try:
        types = _names(PolicyKey(key.name, "names", EVENT_TYPES), listed)
    except ValueError as error:
        raise ValueError(allowed_policy(key)) from error
    return PromotionRule(str(spaces[0]), str(spaces[1]), types, authority, override)
