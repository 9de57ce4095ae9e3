"""`engram config set`: one value changed in the user's config.toml, every other byte kept.

The text that tomlkit writes is accepted only when the parser reads exactly the old tables with the
one value changed. So a file that tomlkit cannot edit is refused, never damaged.
"""

from __future__ import annotations

from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Table

from engram.model.errors import ConfigError
from engram.settings.keys import Key, Value, known_keys, read_text
from engram.settings.paths import UserPaths
from engram.settings.refusals import not_toml, unknown, wrong
from engram.settings.toml_tables import parse
from engram.settings.user_files import read_small, refuse_symlink, replace, without_mark

_BY_HAND = "edit the file by hand"


def set_user_key(places: UserPaths, key: str, value: str) -> Value:
    """Set one key in the user's config.toml; returns the parsed value.

    `value` is written as for an environment variable (`3`, `off`, `a, b`). Raises ConfigError: an
    unknown key, a value that is not allowed, a file that is no TOML, a symlink or cannot be read.
    StorageError: it cannot be written. In each case the file is as it was.
    """
    found = known_keys().get(key)
    if found is None:
        raise unknown(str(places.config_file), key, value)
    try:
        value.encode("utf-8")
        checked = read_text(found, value)
    except UnicodeEncodeError as error:
        raise wrong(str(places.config_file), key, value, "text that UTF-8 can hold") from error
    except ValueError as error:
        raise wrong(str(places.config_file), key, value, str(error)) from error
    refuse_symlink(places.config_file)
    marked = read_small(places.config_file) or ""
    text = without_mark(marked)
    changed = _changed(text, found, checked, places)
    if changed != text:
        data = marked[: len(marked) - len(text)] + changed
        replace(places.config_file, data.encode("utf-8"), keep_mode=True)
    return checked


def _changed(text: str, key: Key, value: Value, places: UserPaths) -> str:
    try:
        document = parse(text)
    except ValueError as error:
        raise not_toml(places.config_file, text, error) from error
    plain = list(value) if isinstance(value, tuple) else value
    windows = text.count("\n") == text.count("\r\n") > 0
    proposal = _edited(text.replace("\r\n", "\n") if windows else text, key.path, plain)
    proposal = proposal.replace("\n", "\r\n") if windows else proposal
    try:
        if parse(proposal) == _with(document, key.path, plain):
            return proposal
    except ValueError:
        pass
    raise ConfigError(f"{places.config_file}: {key.name} cannot be set in this file", _BY_HAND)


def _with(document: dict[str, object], path: tuple[str, ...], value: object) -> dict[str, object]:
    """The document with one value set; a scalar where a table should be is replaced by one."""
    head, *rest = path
    below = document.get(head)
    if rest:
        inner = below if isinstance(below, dict) else {}
        return {**document, head: _with(inner, tuple(rest), value)}
    return {**document, head: value}


def _edited(text: str, path: tuple[str, ...], value: object) -> str:
    """The text with one value set, where it stands or at the end of its table; '' if that fails."""
    try:
        document = tomlkit.parse(text)
        table: Any = document
        for part in path[:-1]:
            table = table.setdefault(part, tomlkit.table())
        # what stands behind the last key of a table is about the next table
        is_new = isinstance(table, Table) and path[-1] not in table
        body = table.value.body if is_new else []
        keys = [number for number, (key, _) in enumerate(body, 1) if key is not None]
        behind = body[max(keys, default=0) :]
        del body[len(body) - len(behind) :]
        table[path[-1]] = value
        body.extend(behind)
        return tomlkit.dumps(document)
    except (TOMLKitError, AttributeError, RecursionError, TypeError):
        return ""
