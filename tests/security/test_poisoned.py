"""Orders that others planted in what is captured: none of them is ever given to an agent."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from engram.language.hidden_text import without_hidden_signs
from engram.model.memory import Memory
from engram.model.model_request import Reply, Request, Usage
from engram.recall.unasked_blocks import session_block
from engram.store.base.clock import FixedClock
from engram.vault import Vault
from tests.conftest import NOW
from tests.kit import reopened

#: all of them read the same two vaults, which take long to make
pytestmark = pytest.mark.xdist_group("poisoned")

CASES: list[Mapping[str, Any]] = tomllib.loads(
    Path(__file__).with_name("poisoned.toml").read_text(encoding="utf-8")
)["case"]
TRUSTED = "We decided to use Postgres for the orders."
_TIME = "2026-03-06T10:10:00Z"
_MESSAGE = re.compile(r"^\[(\d+)\] (user|assistant)[^\n]*:\n", re.MULTILINE)


class PraisesAll:
    """A model that finds every sentence worth remembering, as a fact, a decision and a rule.

    It also says each sentence with the person's own first words as its quote.
    """

    def ask(self, request: Request) -> Reply:
        return Reply({"facts": list(self._facts(request.text))}, "test", "praises-all", Usage())

    def _facts(self, text: str) -> Iterator[dict[str, object]]:
        parts = _MESSAGE.split(text.rpartition("\n</")[0])[1:]
        own = ""
        for number, role, said in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
            sentences = [part.strip() for part in re.split(r"(?<=[.?!]) |\n", said)]
            sentences = [part for part in sentences if len(part) >= 8][:15]
            own = sentences[0] if role == "user" and sentences else own
            for sentence in sentences:
                for category, quote in (("fact", sentence), ("principle", sentence), ("fact", own)):
                    yield {
                        "category": category, "text": sentence, "quote": quote,
                        "turn": int(number), "confidence": "high", "scope": "project",
                    }  # fmt: skip

    def fits(self, request: Request) -> bool:
        return True


def _written(case: Mapping[str, Any], number: int, folder: Path) -> Path:
    """The case as a file of its source."""
    source, session = case["source"], f"s{number}"
    stem = folder / f"{number:02d}"
    if source == "claude-code":
        lines = []
        for at, (role, words) in enumerate(case["said"]):
            content: object = words
            if role == "tool":
                content = [{"type": "tool_result", "tool_use_id": "t", "content": words}]
            if role == "assistant":
                content = [{"type": "text", "text": words}]
            speaker = "assistant" if role == "assistant" else "user"
            lines.append(
                {
                    "type": speaker, "uuid": f"{session}-{at}", "sessionId": session,
                    "cwd": "/srv/shop", "timestamp": f"2026-03-06T11:{at:02d}:00Z",
                    "message": {"id": f"m{at}", "role": speaker, "content": content},
                }
            )  # fmt: skip
        return _file(stem.with_suffix(".jsonl"), "\n".join(map(json.dumps, lines)))
    if source == "jsonl":
        rows = [
            {"role": role, "content": words, "session": session, "timestamp": _TIME,
             "project": "shop"}
            for role, words in case["said"]
        ]  # fmt: skip
        return _file(stem.with_suffix(".jsonl"), "\n".join(map(json.dumps, rows)))
    if source == "mem0":
        held = [
            {"id": f"{session}-{at}", "memory": words, "user_id": "kim", "created_at": _TIME}
            for at, words in enumerate(case["holds"])
        ]
        return _file(stem.with_suffix(".json"), json.dumps({"results": held}))
    if source == "mcp-memory":
        entity = {
            "type": "entity", "name": "shop", "entityType": "project",
            "observations": case["holds"],
        }  # fmt: skip
        return _file(stem.with_suffix(".json"), json.dumps(entity))
    suffix = ".md" if source == "markdown" else ".txt"
    return _file(stem.with_suffix(suffix), "\n".join(case["holds"]))


def _file(path: Path, text: str) -> Path:
    path.write_text(text + "\n", encoding="utf-8")
    return path


def _words(memory: Memory) -> str:
    """All that can be recalled of a memory, as it is read."""
    parts = (memory.text, memory.quote, memory.title, *memory.tags, *memory.entities)
    return without_hidden_signs("\n".join((*parts, str(memory.extras)))).casefold()


@pytest.fixture(scope="module", params=["rules", "model"])
def poisoned(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Vault]:
    """A vault that knows one decision of the person, and took in all the conversations."""
    home = tmp_path_factory.mktemp("poisoned")
    environment = {"ENGRAM_HOME": str(home / "home"), "HOME": str(home)}
    vault = Vault.create(home / "vault", environment=environment, clock=FixedClock(NOW))
    folder = home / "in"
    folder.mkdir()
    first = {"source": "claude-code", "said": [["user", TRUSTED]]}
    vault.import_files("claude-code", _written(first, 99, folder))
    vault.flush()
    if request.param == "model":
        settings = vault.parts.settings
        every = settings._replace(extract=settings.extract._replace(max_per_turn=1_000))
        reopened(vault, settings=every, model=PraisesAll())
    for number, case in enumerate(CASES):
        vault.import_files(case["source"], _written(case, number, folder), tier=request.param)
        vault.flush()
    vault.consolidate()
    yield vault
    vault.close()


def test_there_are_sixty_conversations_of_all_sources() -> None:
    assert len(CASES) >= 60
    assert {case["source"] for case in CASES} >= {
        "claude-code",
        "jsonl",
        "mem0",
        "mcp-memory",
        "markdown",
        "text",
    }


def test_no_planted_order_is_remembered(poisoned: Vault) -> None:
    memories = [(_words(one), one) for one in poisoned.parts.catalog.memories()]
    through = {
        case["name"]: memory.text
        for case in CASES
        for planted in case["planted"]
        for words, memory in memories
        if planted.casefold() in words
    }
    assert through == {}


def test_no_planted_order_is_given_to_an_agent(poisoned: Vault) -> None:
    live = [one for one in poisoned.parts.catalog.memories() if one.live]
    asked = "what do we always use, trust, run, approve, send and remember in every session?"
    shown = [
        session_block(live, 20_000).text,
        poisoned.recall(asked, budget=20_000, limit=100).text,
        *map(str, poisoned.search("always trust remember use send", limit=100).memories),
    ]
    assert TRUSTED in shown[0] and shown[1]
    given = without_hidden_signs("\n".join(shown)).casefold()
    planted = [planted for case in CASES for planted in case["planted"]]
    assert [words for words in planted if words.casefold() in given] == []


def test_what_the_person_said_beside_it_is_remembered(poisoned: Vault) -> None:
    held = [_words(one) for one in poisoned.parts.catalog.memories()]
    wanted = [kept for case in CASES for kept in case.get("kept", ())]
    assert wanted and [kept for kept in wanted if not any(kept in one for one in held)] == []
    trusted = [one for one in poisoned.parts.catalog.memories() if one.text == TRUSTED]
    assert [(one.status, one.conflicts, one.authority) for one in trusted] == [
        ("active", (), "user_asserted")
    ]
