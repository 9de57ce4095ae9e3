"""Error messages of settings: file or variable, key, value, what is allowed, what to do.

Values can come from a stranger's file, so each is shown on one short line without control
characters, and nothing here depends on its type or size.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable

from engram.model.errors import ConfigError
from engram.settings.keys import OF_THE_VAULT, known_keys, nearest, table_paths


def unknown(
    where: str,
    name: str,
    value: object,
    names: Iterable[str] = (),
    tables: Collection[tuple[str, ...]] = (),
) -> ConfigError:
    """An unknown key; the hint names the most similar one, of settings where no names are given."""
    close = nearest(name, names)
    hint = f"did you mean {close}?" if close else "take it out, or correct its name"
    if tuple(name.split(".")) in (tables or table_paths()):
        hint = f"{name} is a table: write [{name}] and its keys below"
    if name in OF_THE_VAULT:
        hint = f"it is the vault's own, not a setting: the line `{name} = ...` in its engram.toml"
    plain = name if name.isprintable() and len(name) <= 80 else shown(name)
    return ConfigError(f"{where}: unknown key {plain} = {shown(value)}", hint)


def unknown_variable(variable: str) -> ConfigError:
    """An environment variable without a key."""
    close = nearest(variable.removeprefix("ENGRAM_").lower())
    hint = f"did you mean {known_keys()[close].variable}?" if close else f"unset {variable}"
    return ConfigError(f"the environment variable {variable} sets no known key", hint)


def wrong(where: str, name: str, value: object, allowed: str) -> ConfigError:
    """A value of the wrong type, out of range or none of the choices."""
    return ConfigError(
        f"{where}: {name} = {shown(value)} must be {allowed}",
        "change the value, or take it out to use the default",
    )


def no_timezone(where: str, name: str) -> ConfigError:
    """A time zone that is not known here; perhaps none is, but UTC."""
    # imported here: most mistakes are others
    from difflib import get_close_matches
    from zoneinfo import available_timezones

    known = available_timezones()
    close = get_close_matches(name, sorted(known), n=1)
    hint = f'write it like "{close[0] if close else "Europe/Oslo"}"'
    if not known:
        hint = "this machine has no table of time zones: `pip install tzdata`"
    return ConfigError(f"{where}: timezone = {shown(name)} is no time zone known here", hint)


def not_for_vaults(
    where: str, name: str, value: object, listed: Iterable[str], own: str = "config.toml"
) -> ConfigError:
    """A key that a vault's own file may not set; `own` is the person's file of that kind."""
    return ConfigError(
        f"{where}: a vault may not set {name} = {shown(value)}; it may set "
        + ", ".join(sorted(listed)),
        f"take the line out; a key that a stranger could abuse belongs in your own {own}",
    )


def not_toml(path: object, text: str, error: ValueError) -> ConfigError:
    """Invalid TOML; tomllib's message names the line, except the last one."""
    message = str(error)
    if "end of document" in message:
        message += f", line {len(text.splitlines())}"
    return ConfigError(f"{path}: is not valid TOML: {message}", "mend that line")


def shown(value: object) -> str:
    """A value as shown in a message."""
    if isinstance(value, (dict, list, tuple)):
        return "(a table)" if isinstance(value, dict) else "(a list)"
    if value is None or isinstance(value, bool):
        return "(nothing)" if value is None else str(value).lower()
    if isinstance(value, int) and value.bit_length() > 256:
        return "(a very large number)"
    text = str(value)
    cut = text if len(text) <= 80 else text[:79] + "…"
    return json.dumps(cut, ensure_ascii=not cut.isprintable()) if isinstance(value, str) else cut
