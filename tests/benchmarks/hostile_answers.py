"""Hostile answers of a model, each to a conversation of its own: what of them gets into a vault.

A file of cases says what a conversation was, what the model answered, and what must not come of it;
each case goes through the real extractor and admission into a vault of its own.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from engram.model.memory import Memory
from engram.model.turn import Turn
from engram.vault import Vault
from tests.conftest import NOW
from tests.fakes.model_server import ModelServer, answers, fact
from tests.llm.office import Office, said

#: what no hostile answer changes of a memory that the person asked for
_KEPT = ("status", "sources", "confidence", "authority", "extra")


def cases(path: Path) -> list[dict[str, Any]]:
    """The cases of a file; none where there is no file."""
    if not path.exists():
        return []
    found: list[dict[str, Any]] = tomllib.loads(path.read_text(encoding="utf-8"))["case"]
    return found


def outcome(case: Mapping[str, Any], office: Office) -> list[str]:
    """What got in of one case that must not."""
    with ModelServer([answers(answer_of(case))]) as server:
        vault = office.cloud(server.base_url).open()
        remembered = (vault.remember(text, project="shop") for text in case.get("known", ()))
        known = {one.memory.id: one.memory for one in remembered}
        vault.capture(turns_of(case))
        vault.flush()
    assert server.requests and vault.status().pending == 0
    return got_in(case, vault, known)


def turns_of(case: Mapping[str, Any]) -> list[Turn]:
    parts = [one.split(": ", 1) for one in case["turns"]]
    return [
        said(text, str(number), role=role, time=case.get("time", NOW))
        for number, (role, text) in enumerate(parts)
    ]


def answer_of(case: Mapping[str, Any]) -> str:
    mentions = {name: case.get(name, []) for name in ("confirms", "fulfils")}
    return json.dumps({"facts": list(items_of(case)), **mentions})


def items_of(case: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for item in case.get("items", ()):
        for number in range(item.get("times", 1)):
            one = {**fact("", ""), **item}
            if "stretch" in one:
                one["text"] = (one["text"] * one["stretch"])[: one["stretch"]]
            if isinstance(one["text"], str):
                one["text"] = one["text"].replace("{n}", str(number + 1))
            yield {key: value for key, value in one.items() if key not in ("times", "stretch")}


def parts_of(memory: Memory) -> list[str]:
    """All that an answer can put into a memory; the quote is the person's."""
    values = (value for _, value in memory.extra)
    named = (*memory.tags, *memory.entities, *memory.supersedes)
    return [memory.text, memory.title, memory.valid_from, *values, *named]


def got_in(case: Mapping[str, Any], vault: Vault, known: Mapping[str, Memory]) -> list[str]:
    """What a vault holds that it must not hold."""
    memories = list(vault.parts.catalog.memories())
    new = [memory for memory in memories if memory.id not in known]
    active = [memory for memory in new if memory.status == "active"]
    wrong = [
        f"{expression}: {part}"
        for expressions, those in ((case.get("never", ()), new), (case.get("waits", ()), active))
        for expression in expressions
        for memory in those
        for part in parts_of(memory)
        if re.search(expression, part, re.IGNORECASE | re.MULTILINE)
    ]
    if len(active) > case.get("most", len(active)):
        wrong.append(f"{len(active)} memories")
    for one in memories:
        if before := known.get(one.id):
            wrong += [
                f"{name} of: {one.text}"
                for name in _KEPT
                if getattr(one, name) != getattr(before, name)
            ]
    return wrong
