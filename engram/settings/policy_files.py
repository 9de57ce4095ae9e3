"""Three policy files -> one Policy, with the origin of each value.

    config/policy.toml (and that of the preset) < the person's policy.toml < the vault's policy.toml

The person's file says otherwise than the shipped one. A vault can come from a stranger, so its file
only makes things stricter (`tightening`): what it asks beyond that has no effect and is told by
`policy show` and `doctor`; it is no error, since it depends on what the person's own file says.
Guarantees: the only error is ConfigError, which names file, line, key, value and what is allowed;
a vault's file is no symlink and is at most 64 KiB. Hooks come here: what only a mistake needs is
imported where it is made.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from engram.model.memory import SPACES
from engram.model.policy import PhaseRules, Policy, RetentionRule
from engram.settings.load import parsed
from engram.settings.policy_keys import (
    POLICY_KEYS,
    POLICY_TABLES,
    PROMOTIONS,
    RETENTION,
    SECTIONS,
    SOURCES,
    PolicyKey,
    PolicyValue,
    policy_key,
    read_policy_value,
)
from engram.settings.policy_mark import VAULT_POLICY, file_stamp
from engram.settings.shipped import shipped_path
from engram.settings.tightening import stated, tightened
from engram.settings.toml_tables import MAX_CHARACTERS, flat, line_of, lines
from engram.settings.user_files import read_small, refuse_lost_link, without_mark

if TYPE_CHECKING:
    from engram.model.errors import ConfigError
    from engram.settings.paths import UserPaths

#: the files of the presets but `vault`, whose values every other one begins with
_PRESETS = {"contract": "policy-contract"}
_PRESET = "preset"


class StatedValue(NamedTuple):
    """One value, the layer that decided it, its file and line."""

    value: PolicyValue
    layer: Literal["shipped", "user", "vault"]
    source: str
    line: int


#: values of one scope by key; of a file, by name with the section it stands in
_Values = dict[str, StatedValue]


class LoadedPolicy(NamedTuple):
    """The policy; its values by name, those of sections where they differ from the others; and what
    the vault's file asks without any effect.
    """

    policy: Policy
    values: Mapping[str, StatedValue]
    without_effect: Mapping[str, StatedValue]


class PolicySource:
    """The policy of one vault, which is read again when one of its files is another one."""

    def __init__(self, places: UserPaths, vault: Path | None) -> None:
        self._places = places
        self._vault = vault
        self._seen: object = None
        self._policy = Policy()

    def now(self) -> Policy:
        """The policy that holds now. Raises ConfigError."""
        files = (self._places.policy_file, self._vault and self._vault / VAULT_POLICY)
        seen = [file_stamp(path) for path in files if path is not None]
        if seen != self._seen:
            self._policy = load_policy(self._places, self._vault).policy
            self._seen = seen
        return self._policy


def load_policy(places: UserPaths, vault: Path | None) -> LoadedPolicy:
    """Merge the layers; without a vault the person's own. Raises ConfigError."""
    own = _file(places.policy_file, "user")
    held = _scopes(_preset(own) | own)
    if vault is None:
        return _loaded(held, {})
    asked = _file(vault / VAULT_POLICY, "vault")
    if not asked:
        return _loaded(held, {})
    found = _tightened(held, asked)
    return _loaded(found, _without_effect(found, asked))


def _preset(file: _Values) -> _Values:
    """The shipped values that a file begins with."""
    chosen = file.get(_PRESET)
    name = _PRESETS.get(str(chosen.value)) if chosen is not None else None
    base = _shipped("policy")
    return base | _shipped(name) if name else base


@cache
def _shipped(name: str) -> _Values:
    return _file(shipped_path(name), "shipped")


def _file(path: Path, layer: Literal["shipped", "user", "vault"]) -> dict[str, StatedValue]:
    text = read_small(path, follow=layer != "vault", most=4 * MAX_CHARACTERS)
    if text is None:
        refuse_lost_link(path)
        return {}
    text = without_mark(text)
    return dict(_values(parsed(text, path), text, path, layer))


def _values(
    document: dict[str, object], text: str, path: Path, layer: Literal["shipped", "user", "vault"]
) -> Iterator[tuple[str, StatedValue]]:
    # a line of a shipped file is never shown, and finding lines takes as long as reading them
    places = {} if layer == "shipped" else lines(text)
    for name, value in flat(document, POLICY_TABLES):
        line = line_of(name, places)
        where = f"{path}:{line}" if line else str(path)
        found = policy_key(name)
        if found is None:
            raise _unknown(where, name, value)
        if layer == "vault" and not found[1].for_vaults:
            from engram.settings.refusals import not_for_vaults

            listed = [key for key, row in POLICY_KEYS.items() if row.for_vaults]
            raise not_for_vaults(where, name, value, listed, VAULT_POLICY)
        yield name, StatedValue(_read(found[1], name, value, where), layer, str(path), line)


def _read(key: PolicyKey, name: str, value: object, where: str) -> PolicyValue:
    try:
        return read_policy_value(key, value)
    except ValueError as error:
        from engram.settings.refusals import wrong

        raise wrong(where, name, value, str(error)) from error


def _unknown(where: str, name: str, value: object) -> ConfigError:
    from engram.settings.refusals import unknown

    parts = name.split(".")
    if parts[0] == SECTIONS and len(parts) > 1 and parts[1] in SPACES:
        key = ".".join(parts[2:])
        if key in POLICY_KEYS or any(one.startswith(f"{key}.") for one in POLICY_KEYS if key):
            from engram.model.errors import ConfigError

            hint = f"{key} is of all spaces together: write it outside of [{SECTIONS}.{parts[1]}]"
            return ConfigError(str(unknown(where, name, value)), hint)
        names = [f"{SECTIONS}.{parts[1]}.{key}" for key, row in POLICY_KEYS.items() if row.scoped]
    else:
        names = [*POLICY_KEYS, *(f"{SECTIONS}.{space}" for space in SPACES)]
    return unknown(where, name, value, names, POLICY_TABLES)


def of_space(values: Mapping[str, StatedValue], space: str) -> dict[str, StatedValue]:
    """Those of the values of a LoadedPolicy that hold in a space; all of them for ''."""
    if not space:
        return dict(values)
    head = f"{SECTIONS}.{space}."
    own = {name.removeprefix(head): value for name, value in values.items()
           if name.startswith(head)}  # fmt: skip
    everywhere = {name: value for name, value in values.items() if not _split(name)[0]}
    return everywhere | own


# -- scopes ------------------------------------------------------------------------------------


def _scopes(values: _Values) -> dict[str, _Values]:
    """The values of everything (the scope ''), and of each space that has a section."""
    found: dict[str, dict[str, StatedValue]] = {"": {}}
    for name, value in values.items():
        space, key = _split(name)
        found.setdefault(space, {})[key] = value
    return {space: found[""] | own for space, own in found.items()}


def _split(name: str) -> tuple[str, str]:
    """The space of the section that a name stands in, or '', and the rest of it."""
    head, _, rest = name.partition(".")
    if head != SECTIONS:
        return "", name
    space, _, key = rest.partition(".")
    return space, key


def _tightened(held: Mapping[str, _Values], asked: _Values) -> dict[str, _Values]:
    """Every scope of the person's policy and the vault's file, as strict as both."""
    chosen = asked.get(_PRESET)
    wanted: dict[str, dict[str, StatedValue]] = {"": {}}
    for name, value in ((_preset(asked) if chosen is not None else {}) | asked).items():
        space, key = _split(name)
        # a preset's value is asked for where the vault's file names the preset
        place = chosen if value.layer == "shipped" and chosen is not None else value
        wanted.setdefault(space, {})[key] = place._replace(value=value.value)
    found: dict[str, _Values] = {}
    for space in ("", *(one for one in SPACES if one in held or one in wanted)):
        values = held.get(space, held[""])
        # a section of the vault's stands beside what it asks of everything, not in its place
        for section in dict.fromkeys(("", space)):
            values = _stricter(values, wanted.get(section, {}))
        found[space] = values
    return found


def _stricter(held: _Values, asked: _Values) -> _Values:
    values = tightened(_bare(held), _bare(asked))
    return {
        name: held[name]
        if name in held and held[name].value == value
        else asked[name]._replace(value=value)
        for name, value in values.items()
    }


def _bare(values: _Values) -> dict[str, PolicyValue]:
    return {name: stated_value.value for name, stated_value in values.items()}


def _without_effect(found: Mapping[str, _Values], asked: _Values) -> _Values:
    """What the vault's file says and no value comes from: the person's own is as strict."""
    taken = [(value.line, name) for values in found.values() for name, value in values.items()
             if value.layer == "vault"]  # fmt: skip
    lines_taken = {line for line, _ in taken}
    return {
        name: value
        for name, value in asked.items()
        if (value.line not in lines_taken)
        or (name != _PRESET and (value.line, _split(name)[1]) not in taken)
    }


# -- the policy --------------------------------------------------------------------------------


def _loaded(scopes: Mapping[str, _Values], without_effect: _Values) -> LoadedPolicy:
    everywhere = scopes[""]
    own = {
        space: {
            name: value
            for name, value in values.items()
            if name not in everywhere or value.value != everywhere[name].value
        }
        for space, values in scopes.items()
        if space
    }
    spaces = {space: _policy(scopes[space]) for space, values in sorted(own.items()) if values}
    shown = dict(everywhere)
    for space, values in own.items():
        shown |= {f"{SECTIONS}.{space}.{name}": value for name, value in values.items()}
    return LoadedPolicy(_policy(everywhere, spaces), shown, without_effect)


def _policy(values: _Values, spaces: Mapping[str, Policy] | None = None) -> Policy:
    """The policy of one scope, with those of the spaces."""
    given: dict[str, Any] = _bare(values)
    rules = {name: stated(one, given["forget_policy"]) for name, one in given.items()
             if name.startswith(f"{RETENTION}.")}  # fmt: skip
    return Policy(
        preset=given[_PRESET],
        write_policy=given["write_policy"],
        forget_policy=given["forget_policy"],
        allow_event_types=given["allow_event_types"],
        deny_event_types=given["deny_event_types"],
        promotion={kind: given[f"promotion.{kind}"] for kind in ("semantic", "profile")},
        retention={
            name.partition(".")[2]: RetentionRule(one.mode, one.ticks)  # type: ignore[arg-type]
            for name, one in sorted(rules.items())
        },
        read_order=given["spaces.read_order"],
        write_spaces=given["spaces.write"],
        promotions=given[PROMOTIONS],
        phase=PhaseRules(
            given["phase.enabled"],
            given["phase.mode"],
            given["phase.max_phases"] or None,
            given["phase.diff_enabled"],
        ),
        deny_patterns=given["privacy.deny_patterns"],
        deny_sensitive=given["privacy.deny_sensitive"],
        allow_profile_keys=given["privacy.allow_profile_keys"],
        authority_order=given["authority_order"],
        sources={name.partition(".")[2]: one for name, one in sorted(given.items())
                 if name.startswith(f"{SOURCES}.")},
        short_term=given["short_term"],
        spaces=spaces or {},
    )  # fmt: skip
