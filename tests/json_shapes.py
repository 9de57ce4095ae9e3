"""`python -m tests.json_shapes [--update]`: what each verb prints with --json -> docs/json.md.

The examples of the helps are run with --json on a vault that was made for them, and the shapes of
what they print are written down: so the page cannot say what no command does.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from engram.surfaces.cli.examples import EXAMPLES, examples_of
from tests.cli.stage import NOT_RUN, Stage, make_stage
from tests.tree import ROOT

PAGE = ROOT / "docs" / "json.md"
#: what is printed by no example, because it needs a machine or a moment of its own
_MORE: dict[str, tuple[str, ...]] = {
    "daemon status": ("engram daemon status",),
    "tiers": ("engram tiers --at-risk --days 365",),
    "show": ("engram show 3c01b7", "engram show box-a6010e5a", "engram show '#6ca01d'"),
    "links": ("engram links box-a6010e5a", "engram links jsonl-8b624710e9e6"),
    "search": ("engram search --explain --around writers",),
    "recall": ("engram recall --history what about sqlite",),
}
#: objects whose keys are names of things and not of fields, by verb and place
_MAPS = {
    ("config show", ""), ("policy show", "values"), ("policy show", "without_effect"),
    ("tiers", "categories"), ("status", "memories"), ("status", "refused"),
    ("status", "failures"), ("status", "records"), ("status", "last_run.steps"),
    ("status", "inbox"),
    ("import", "refused"), ("recall", "history"),
}  # fmt: skip


@dataclass(slots=True)
class Kind:
    """What stood at a place: simple kinds, fields of objects, items of lists."""

    simple: set[str] = field(default_factory=set)
    fields: dict[str, Kind] = field(default_factory=dict)
    seen: int = 0
    times: dict[str, int] = field(default_factory=dict)
    items: Kind | None = None
    is_list: bool = False

    def take(self, value: object, verb: str, place: str = "") -> None:
        """Take a value in."""
        if isinstance(value, dict):
            self.seen += 1
            for name, one in value.items():
                name = "NAME" if (verb, place) in _MAPS else name
                self.times[name] = self.times.get(name, 0) + 1
                inner = f"{place}.{name}".strip(".")
                self.fields.setdefault(name, Kind()).take(one, verb, inner)
        elif isinstance(value, list):
            self.is_list = True
            for one in value:
                self.items = self.items or Kind()
                self.items.take(one, verb, place)
        elif isinstance(value, bool):
            self.simple.add("true or false")
        elif value is None:
            self.simple.add("null")
        else:
            self.simple.add("number" if isinstance(value, int | float) else "text")

    def named(self) -> str:
        """Its kind in words, without its parts."""
        found = sorted(self.simple)
        if self.fields or self.seen:
            found.insert(0, "object")
        if self.is_list:
            items = self.items.named() if self.items else "anything"
            found.insert(0, f"list of {items}")
        return " or ".join(found)

    def lines(self, indent: int) -> Iterator[str]:
        """A line for each field of it, or of its items."""
        held = self.items if self.is_list and self.items else self
        for name, one in held.fields.items():
            often = "" if name == "NAME" or held.times[name] == held.seen else ", not always"
            yield f"{' ' * indent}{name}: {one.named()}{often}"
            yield from one.lines(indent + 2)


def page_of(stage: Stage) -> str:
    """The page."""
    text = PAGE.read_text(encoding="utf-8")
    head, rest = text.split("<!-- shapes -->")
    tail = rest.split("<!-- /shapes -->")[1]
    return f"{head}<!-- shapes -->\n\n{''.join(_sections(stage))}<!-- /shapes -->{tail}"


def _sections(stage: Stage) -> Iterator[str]:
    for verb in EXAMPLES:
        forms: list[tuple[list[str], Kind]] = []
        for line in dict.fromkeys((*examples_of(verb), *_MORE.get(verb, ()))):
            if line in NOT_RUN or _verb_of(line) != verb:
                continue
            stage.begin_again()
            ran = stage.run(line, as_json=True)
            assert ran.code == 0, (line, ran.err)
            if not ran.out:  # nothing was done, and nothing is told
                continue
            _add(forms, line, json.loads(ran.out), verb)
        if forms:
            yield f"## {verb}\n\n"
        for lines, kind in forms:
            shown = "\n".join([kind.named(), *kind.lines(2)])
            yield f"{', '.join(f'`{line}`' for line in lines)}\n\n```\n{shown}\n```\n\n"


def _verb_of(line: str) -> str:
    """The longest path of the commands that a line begins with."""
    plain = line.removeprefix('eval "$(').removeprefix("engram ")
    return max((path for path in EXAMPLES if f"{plain} ".startswith(f"{path} ")), key=len)


def _add(forms: list[tuple[list[str], Kind]], line: str, value: object, verb: str) -> None:
    """Take a value into the form that it is of, or begin a new one."""
    new = Kind()
    new.take(value, verb)
    names = _names(new)
    for lines, kind in forms:
        known = _names(kind)
        alike = len(names & known) * 2 > len(names | known) or not names or not known
        if kind.is_list == new.is_list and alike:
            lines.append(line)
            kind.take(value, verb)
            return
    forms.append(([line], new))


def _names(kind: Kind) -> set[str]:
    return {*(kind.items.fields if kind.is_list and kind.items else kind.fields)}


def main() -> int:
    """The exit code says whether the page differs from what is printed."""
    parser = argparse.ArgumentParser(prog="python -m tests.json_shapes", description=__doc__)
    parser.add_argument("--update", action="store_true", help="write the page")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        page = page_of(make_stage(Path(folder)))
    same = page == PAGE.read_text(encoding="utf-8")
    if options.update:
        PAGE.write_text(page, encoding="utf-8")
    return int(not same)


if __name__ == "__main__":
    sys.exit(main())
