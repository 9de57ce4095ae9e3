"""qmd's YAML <-> mappings, lists and scalars, through PyYAML.

`read(write(x)) == x` for every tree of texts, numbers, booleans, null, lists and mappings with text
keys. Scalars are those of YAML 1.2, as qmd reads them: `yes` and `12:30` are texts. Anchors,
aliases, tags, merge keys, keys that stand twice, several documents and nesting beyond 16 are
refused with their line (ValueError): a file that is not understood is never written over.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Final

Tree = dict[str, "Tree"] | list["Tree"] | str | int | float | bool | None

MAX_BYTES: Final = 4_000_000
_DEPTH: Final = 16
_BREAKS: Final = re.compile("[\x85\u2028\u2029\ufeff]")
#: the scalars that are no texts: the kind, how it is written, its first characters
_SCALARS: Final = (
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("int", r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", list("-+0123456789")),
    (
        "float",
        r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
        list("-+.0123456789"),
    ),
)


def read(text: str) -> Tree:
    """The value of a text, None for one that says nothing; raises ValueError."""
    from engram.store.files.foreign_header import refused  # not every search has a configuration

    yaml, loader, _ = _yaml()
    try:
        why, line = refused(yaml.parse(text, Loader=loader), _DEPTH)
        if why:
            raise ValueError(f"line {line}: {why}")
        node = yaml.compose(text, Loader=loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or getattr(error, "reason", None)
        raise _refusal(mark, problem or "this is no YAML") from error
    return None if node is None else _value(node)


def write(tree: Tree) -> str:
    """The YAML of a value, in the order of its keys."""
    yaml, _, dumper = _yaml()
    told: str = yaml.dump(tree, Dumper=dumper, sort_keys=False, allow_unicode=True, width=1e9)
    if _BREAKS.search(told):
        # PyYAML writes some line ends of Unicode that it reads as others
        told = yaml.dump(tree, Dumper=dumper, sort_keys=False, width=1e9)
    return told


def _refusal(mark: Any, why: str) -> ValueError:
    return ValueError(f"line {mark.line + 1 if mark else 1}: {why}")


def _value(node: Any) -> Tree:
    if node.id == "sequence":
        return [_value(one) for one in node.value]
    if node.id == "scalar":
        return _scalar(node)
    found: dict[str, Tree] = {}
    for named, value in node.value:
        if named.id != "scalar":
            raise _refusal(named.start_mark, "a key has to be a word")
        key = named.value
        if key in found:
            raise _refusal(named.start_mark, f"{key!r} stands twice")
        found[key] = _value(value)
    return found


def _scalar(node: Any) -> Tree:
    text: str = node.value
    kind = node.tag.rpartition(":")[2]
    if kind == "null":
        return None
    if kind == "bool":
        return text.lower() == "true"
    if kind == "int":
        return int(text, 0 if text[:2] in ("0o", "0x") else 10)
    if kind == "float":
        return float(re.sub(r"\.(?=[inIN])", "", text))
    return text


@cache
def _yaml() -> tuple[Any, Any, Any]:
    """PyYAML, and its loader and dumper with the scalars of YAML 1.2."""
    import yaml

    plain: dict[str, list[tuple[str, re.Pattern[str]]]] = {}
    for kind, pattern, firsts in _SCALARS:
        for first in firsts:
            rule = (f"tag:yaml.org,2002:{kind}", re.compile(rf"(?:{pattern})\Z"))
            plain.setdefault(first, []).append(rule)
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    # what some reader of YAML 1.1 takes for something else is written in quotes
    quoted = {key: [*rules] for key, rules in yaml.SafeDumper.yaml_implicit_resolvers.items()}
    for first, rules in plain.items():
        quoted.setdefault(first, []).extend(rules)
    return (
        yaml,
        type("Loader", (loader,), {"yaml_implicit_resolvers": plain}),
        type("Dumper", (yaml.SafeDumper,), {"yaml_implicit_resolvers": quoted}),
    )
