"""`engram config set`: one value changed in the user's config.toml, every other byte kept.

The new text is proposed by cutting at the offsets that `toml_tables.statements` found, and accepted
only when the parser reads exactly the old tables with the one value changed. So a file that is
written in a way this module does not know is refused, never damaged.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from engram.model.errors import ConfigError
from engram.settings.keys import Key, Value, known_keys, read_text
from engram.settings.paths import UserPaths
from engram.settings.refusals import not_toml, unknown, wrong
from engram.settings.toml_tables import TomlStatement, parse, statements
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
    wanted = _with(document, key.path, value)
    for proposal in _proposals(text, key.path, _toml(value)):
        try:
            if parse(proposal) == wanted:
                return proposal
        except ValueError:
            continue  # another way of writing it may do
    raise ConfigError(f"{places.config_file}: {key.name} cannot be set in this file", _BY_HAND)


def _with(document: dict[str, object], path: tuple[str, ...], value: Value) -> dict[str, object]:
    """The document with one value set; a scalar where a table should be is replaced by one."""
    head, *rest = path
    below = document.get(head)
    if rest:
        inner = below if isinstance(below, dict) else {}
        return {**document, head: _with(inner, tuple(rest), value)}
    return {**document, head: list(value) if isinstance(value, tuple) else value}


def _proposals(text: str, path: tuple[str, ...], value: str) -> Iterator[str]:
    """New texts, the most natural first: the same line, its own table, a new table, dotted keys."""
    found = list(statements(text))
    for statement in found:
        if statement.path == path and not statement.header:
            yield text[: statement.value.start] + value + text[statement.value.stop :]
    newline = "\r\n" if "\r\n" in text else "\n"
    for depth in range(len(path) - 1, -1, -1):
        at = _end_of_table(found, path[:depth])
        if at >= 0:
            before = text[:at] if not at or text[:at].endswith("\n") else text[:at] + newline
            yield before + f"{'.'.join(path[depth:])} = {value}{newline}" + text[at:]
        if depth == len(path) - 1 and depth:
            before = text if not text or text.endswith("\n") else text + newline
            gap = newline if text.strip() else ""
            header, leaf = ".".join(path[:depth]), path[-1]
            yield f"{before}{gap}[{header}]{newline}{leaf} = {value}{newline}"


def _end_of_table(found: list[TomlStatement], table: tuple[str, ...]) -> int:
    """The offset after the last statement of a table; -1 when the table has no header."""
    end = -1 if table else 0
    inside = not table
    for statement in found:
        if statement.header:
            inside = statement.path == table
        if inside:
            end = statement.end
    return end


def _toml(value: Value) -> str:
    """One value as TOML; JSON's escapes are TOML's, but for the one control character it keeps."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(value)
