"""Five layers of settings -> one frozen Settings, with the origin of each value.

    config/engram.toml < the user's config.toml < the vault's engram.toml < ENGRAM_* < flags

Guarantees: every value has its type and range, whatever the files hold; the only error raised is
ConfigError, which names file or variable, key, value and what is allowed. Refused: unknown keys
and variables, and keys that a vault may not set. A vault can come from a stranger, so it sets only
what is harmless (`VAULT_KEYS`): no paths, no patterns, nothing about redaction or the machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from engram.model.ids import is_id
from engram.model.instant import zone_of
from engram.model.settings import Settings
from engram.settings.keys import (
    OF_THE_VAULT,
    Key,
    Value,
    known_keys,
    read_text,
    read_value,
    table_paths,
)
from engram.settings.paths import UserPaths, places_of
from engram.settings.registry import SHARED_SPACES
from engram.settings.shipped import shipped, shipped_path, vault_template
from engram.settings.toml_tables import flat, line_of, lines, parse
from engram.settings.user_files import read_small, without_mark

if TYPE_CHECKING:
    from engram.model.errors import ConfigError

__all__ = [
    "VAULT_CONFIG", "VAULT_FORMAT", "VAULT_KEYS", "Layer", "Loaded", "ValueOrigin", "VaultHeader",
    "header_of", "load", "shipped", "shipped_path", "vault_template",
]  # fmt: skip

Layer = Literal["shipped", "user", "vault", "environment", "flag"]

#: what a vault's engram.toml may set; `retention.days` stands for its entries
VAULT_KEYS = frozenset({
    "owner",
    "trigger.mode", "trigger.buffer_max_turns", "trigger.buffer_max_minutes",
    "extract.min_importance", "extract.max_per_turn",
    "retention.days", "retention.resurrection_hours", "retention.grace_days",
    "retention.half_life_days", "retention.hot", "retention.warm",
    "records.sessions", "records.most", "records.capture", "records.describe",
    "records.thresholds",
    "recall.budget_tokens", "recall.limit", "recall.related_words", "recall.prefer",
})  # fmt: skip

#: the settings file of a vault
VAULT_CONFIG = "engram.toml"
#: the newest vault format whose settings are understood; those of a newer one are ignored
VAULT_FORMAT = 1

#: variables read elsewhere: paths, whether to run at all, the clock, the service manager
_NOT_KEYS = frozenset({
    "ENGRAM_HOME", "ENGRAM_VAULT", "ENGRAM_DISABLE", "ENGRAM_NO_DAEMON", "ENGRAM_CLOCK",
    "ENGRAM_HOOK_DRY_RUN",
    "ENGRAM_SYSTEMCTL", "ENGRAM_LAUNCHCTL", "ENGRAM_SCHTASKS",
})  # fmt: skip
#: prefixes that other programs of this name use; they are ignored
_FOREIGN = frozenset({"ENGRAM_DATA_DIR", "ENGRAM_PORT", "ENGRAM_MEMORY_DIR"})
_NO_FLAGS: Mapping[str, object] = MappingProxyType({})


class ValueOrigin(NamedTuple):
    """One value, the layer that decided it, and the file, variable or flag it is from.

    `line` is that of the file, 0 where there is none. `value` is as written: `~` is not expanded.
    """

    value: Value
    layer: Layer
    source: str
    line: int = 0


class VaultHeader(NamedTuple):
    """Header of a vault's engram.toml: about the vault itself, no settings.

    `shares` is the space of a vault that is made to be shared with others, else ''; whom it serves
    the registry says.
    """

    format: int
    id: str
    timezone: str
    shares: str = ""


class Loaded(NamedTuple):
    """The settings, the origin of every key by its dotted name, and the vault's header if any."""

    settings: Settings
    origins: dict[str, ValueOrigin]
    vault: VaultHeader | None = None


def load(
    vault: Path | None,
    environment: Mapping[str, str],
    flags: Mapping[str, object] = _NO_FLAGS,
    home: UserPaths | None = None,
) -> Loaded:
    """Merge all layers, later ones over earlier ones; a flag that is None was not given.

    Entries of a table (`retention.days`) are merged one by one. Raises ConfigError.
    """
    places = home if home is not None else places_of(environment)
    origins = dict(_shipped_layer())
    origins.update(_file_layer(places.config_file, "user"))
    header, of_vault = _vault_layer(vault) if vault is not None else (None, {})
    origins.update(of_vault)
    origins.update(_environment_layer(environment))
    origins.update(_flag_layer(flags))
    return Loaded(_settings(origins, places), origins, header)


@cache
def _shipped_layer() -> dict[str, ValueOrigin]:
    return _file_layer(shipped_path("engram"), "shipped")


def _file_layer(path: Path, layer: Layer) -> dict[str, ValueOrigin]:
    text = read_small(path)
    if text is None:
        return {}
    text = without_mark(text)
    return dict(_origins(parsed(text, path), text, path, layer))


def header_of(vault: Path) -> VaultHeader | None:
    """The header of a vault alone; None for a folder that is none. Raises ConfigError."""
    found = _vault_document(vault)
    return None if found is None else _header(found[1], vault / VAULT_CONFIG)


def _vault_document(vault: Path) -> tuple[str, dict[str, object]] | None:
    """Text and tables of a vault's settings file, if there is one."""
    text = read_small(vault / VAULT_CONFIG, follow=False)
    if text is None:
        return None
    text = without_mark(text)
    return text, parsed(text, vault / VAULT_CONFIG)


def _vault_layer(vault: Path) -> tuple[VaultHeader | None, dict[str, ValueOrigin]]:
    found = _vault_document(vault)
    if found is None:
        return None, {}
    path, (text, document) = vault / VAULT_CONFIG, found
    header = _header(document, path)
    if header.format > VAULT_FORMAT:
        return header, {}
    own = {name: value for name, value in document.items() if name not in OF_THE_VAULT}
    return header, dict(_origins(own, text, path, "vault"))


def _header(document: dict[str, object], path: Path) -> VaultHeader:
    number, name = document.get("format"), document.get("id")
    zone = document.get("timezone", "UTC")
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise _wrong(str(path), "format", number, "a whole number from 1")
    if not isinstance(name, str) or not is_id(name):
        raise _wrong(str(path), "id", name, "1 to 80 lower-case letters, digits and hyphens")
    if not isinstance(zone, str) or not zone.isprintable() or not zone:
        raise _wrong(str(path), "timezone", zone, 'the name of a time zone, such as "UTC"')
    check_timezone(zone, str(path))
    shares = document.get("shares", "")
    if shares not in ("", *SHARED_SPACES):
        raise _wrong(str(path), "shares", shares, f"one of {', '.join(SHARED_SPACES)}")
    return VaultHeader(number, name, zone, str(shares))


def check_timezone(name: str, where: str) -> None:
    """Raise ConfigError for a time zone that is not known here; `where` is the file naming it."""
    try:
        zone_of(name)
    except ValueError as error:
        from engram.settings.refusals import no_timezone

        raise no_timezone(where, name) from error


def _origins(
    document: dict[str, object], text: str, path: Path, layer: Layer
) -> Iterator[tuple[str, ValueOrigin]]:
    """The checked values of one file by key."""
    places = lines(text)
    for name, value in flat(document, table_paths()):
        line = line_of(name, places)
        where = f"{path}:{line}" if line else str(path)
        key = known_keys().get(name)
        if key is None:
            from engram.settings.refusals import unknown

            raise unknown(where, name, value)
        if layer == "vault" and (key.table or key.name) not in VAULT_KEYS:
            from engram.settings.refusals import not_for_vaults

            raise not_for_vaults(where, key.name, value, VAULT_KEYS)
        yield name, ValueOrigin(_read(key, value, where), layer, str(path), line)


def _environment_layer(environment: Mapping[str, str]) -> Iterator[tuple[str, ValueOrigin]]:
    variables = {key.variable: key for key in known_keys().values()}
    for variable in sorted(environment):
        if not variable.startswith("ENGRAM_") or variable in _NOT_KEYS | _FOREIGN:
            continue
        key = variables.get(variable)
        if key is None:
            from engram.settings.refusals import unknown_variable

            raise unknown_variable(variable)
        value = _read(key, environment[variable], variable, text=True)
        yield key.name, ValueOrigin(value, "environment", variable)


def _flag_layer(flags: Mapping[str, object]) -> Iterator[tuple[str, ValueOrigin]]:
    for name, value in flags.items():
        if value is None:
            continue
        key = known_keys().get(name)
        if key is None:
            from engram.settings.refusals import unknown

            raise unknown("command line", name, value)
        checked = _read(key, value, "command line", text=isinstance(value, str))
        yield name, ValueOrigin(checked, "flag", "command line")


def _read(key: Key, value: object, where: str, *, text: bool = False) -> Value:
    try:
        return read_text(key, str(value)) if text else read_value(key, value)
    except ValueError as error:
        raise _wrong(where, key.name, value, str(error)) from error


def _wrong(where: str, name: str, value: object, allowed: str) -> ConfigError:
    # imported here, as above: only a mistake needs it
    from engram.settings.refusals import wrong

    return wrong(where, name, value, allowed)


def _settings(origins: Mapping[str, ValueOrigin], places: UserPaths) -> Settings:
    """Settings from the values by dotted name; the entries of a table are collected again."""
    given: dict[str, Any] = {}
    for name, origin in origins.items():
        key = known_keys()[name]
        if key.table:
            given[key.table] = (*given.get(key.table, ()), (key.path[-1], origin.value))
        else:
            given[name] = _expanded(origin, places) if name == "vault" else origin.value
    given |= {
        name: table._replace(
            **{key: given[f"{name}.{key}"] for key in table._fields if f"{name}.{key}" in given}
        )
        for name, table in Settings()._asdict().items()
        if name not in given
    }
    return Settings(**{name: given[name] for name in Settings._fields})


def _expanded(origin: ValueOrigin, places: UserPaths) -> str:
    """Expand `~` to the user's home."""
    text = str(origin.value)
    return str(places.home / text[2:]) if text.startswith("~") else text


def parsed(text: str, path: Path) -> dict[str, object]:
    """The tables of a settings file's text. Raises ConfigError that names file and line."""
    try:
        return parse(text)
    except ValueError as error:
        from engram.settings.refusals import not_toml

        raise not_toml(path, text, error) from error
