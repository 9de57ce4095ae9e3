"""Conversations in German and Chinese: from their transcripts to memories that are found.

`tests/fixtures/languages` holds two sessions of each, with the answers that a careful reader wrote
to the prompt, and questions with the words of the memory that answers them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from engram.model.entity import Entity
from engram.model.memory import STATUSES, Memory
from engram.model.turn import turn_of
from engram.recall.filter import Filter
from engram.store.base.clock import FixedClock
from engram.vault import Vault
from tests.fakes.model_server import ModelServer, fact, recorded

FIXTURES = Path(__file__).parents[1] / "fixtures" / "languages"
Talk = dict[str, Any]


def _talk(language: str) -> Talk:
    found: Talk = json.loads((FIXTURES / f"{language}.json").read_text(encoding="utf-8"))
    return found


def _lines(talk: Talk, session: Talk, language: str) -> Iterator[dict[str, Any]]:
    """The messages of a session as Claude Code writes them, or as generic JSON Lines."""
    start = datetime.fromisoformat(session["start"])
    for number, (role, text) in enumerate(session["turns"]):
        time = (start + timedelta(minutes=2 * number)).strftime("%Y-%m-%dT%H:%M:%SZ")
        if language == "chinese":
            yield {
                "role": role, "content": text, "timestamp": time, "session": session["id"],
                "project": talk["project"],
            }  # fmt: skip
            continue
        content = text if role == "user" else [{"type": "text", "text": text}]
        yield {
            "type": role, "uuid": f"{session['id']}-{number}", "parentUuid": None,
            "isSidechain": False, "cwd": f"/srv/demo/Projekte/{talk['project']}",
            "sessionId": session["id"], "timestamp": time,
            "message": {"role": role, "content": content},
        }  # fmt: skip


@pytest.fixture(scope="module", params=["german", "chinese"])
def read(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, Talk, Vault]]:
    """A vault that has read both sessions of a language with the model."""
    language, tmp_path = request.param, tmp_path_factory.mktemp(request.param)
    talk, answers = _talk(language), {}
    folder = tmp_path / "transcripts"
    folder.mkdir()
    for session in talk["sessions"]:
        lines = (json.dumps(line, ensure_ascii=False) for line in _lines(talk, session, language))
        (folder / f"{session['id']}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        answers[session["turns"][-2][1][:30]] = [
            fact(**item) for item in session["answer"]["facts"]
        ]
    with ModelServer([recorded(answers)]) as server:
        environment = {
            "ENGRAM_HOME": str(tmp_path / "home"), "HOME": str(tmp_path),
            "ENGRAM_LLM_MODEL": "gpt-5.4-nano", "ENGRAM_LLM_BASE_URL": server.base_url,
            "OPENAI_API_KEY": "recorded",
        }  # fmt: skip
        clock = FixedClock("2026-04-08T12:00:00Z")
        with Vault.create(tmp_path / "vault", environment=environment, clock=clock) as vault:
            source = "jsonl" if language == "chinese" else "claude-code"
            vault.import_files(source, folder, tier="model")
            vault.consolidate()
            yield language, talk, vault


def _memories(vault: Vault) -> list[Memory]:
    """All but the records of the conversations."""
    known = vault.parts.lookup.listing(Filter(statuses=STATUSES), 99)
    return [memory for memory in known if memory.schema != "session"]


def test_what_was_said_is_kept_and_changes_replace_what_was(
    read: tuple[str, Talk, Vault],
) -> None:
    _, talk, vault = read
    known = _memories(vault)
    proposed = [item for session in talk["sessions"] for item in session["answer"]["facts"]]
    assert len(known) == len(proposed)
    assert sum(memory.status == "superseded" for memory in known) == 3


def test_days_are_told_by_the_words_of_the_language(read: tuple[str, Talk, Vault]) -> None:
    language, _, vault = read
    due = {dict(memory.extra).get("due", "") for memory in _memories(vault)} - {""}
    since = {memory.valid_from for memory in _memories(vault)}
    texts = "\n".join(memory.text for memory in _memories(vault))
    if language == "german":
        assert due == {"2026-03-31", "2026-03-06", "2026-04-09"}
        assert {"2026-03-03", "2026-04-01", "2026-04-03", "2026-04-06"} <= since
        assert "ist am 2026-03-03 mit" in texts and "gestern" not in texts
    else:
        assert due == {"2026-03-31", "2026-03-13", "2026-05-20", "2026-04-09"}
        assert {"2026-03-04", "2026-04-03"} <= since
        assert "在2026年3月4日搬到" in texts and "昨天" not in texts and "20日 (" not in texts


def test_names_stand_as_they_are_written_and_ids_can_be_read(
    read: tuple[str, Talk, Vault],
) -> None:
    language, _, vault = read
    named: dict[str, Entity] = {page.id: page for page in vault.parts.view.entities()}
    topics = {topic for box in vault.parts.view.boxes() for topic in box.topics}
    if language == "german":
        assert named["person-jana-kohler"].name == "Jana Köhler"
        assert {"jana köhler", "bestellservice"} <= topics and "jana-kohler" not in topics
    else:
        assert named["person-chen-xiao-yu-b9849d31"].name == "陈晓雨"
        assert {"陈晓雨", "腾讯云"} <= topics
    assert not any("-x-" in one for memory in _memories(vault) for one in memory.entities)


def test_questions_in_the_language_find_the_memory_first(read: tuple[str, Talk, Vault]) -> None:
    language, talk, vault = read
    first = 0
    for question, words in talk["questions"]:
        found = vault.search(question, limit=5).hits
        texts = [hit.snippet for hit in found if hit.collection == "memories"]
        memory = vault.parts.lookup.find_memory(found[0].id) if texts else None
        first += memory is not None and words in memory.text
    assert first >= (29 if language == "german" else 28)


def test_a_project_goes_on_under_the_slug_that_it_had(open_vault: Callable[[], Vault]) -> None:
    vault = open_vault()
    said = "我们用Postgres。"
    vault.capture([turn_of("user", said, "2026-03-06T10:00:00Z", project="x-cb91dcd7")])
    vault.capture([turn_of("user", f"{said}!", "2026-03-06T10:01:00Z", project="食谱")])
    vault.capture([turn_of("user", said, "2026-03-06T10:02:00Z", project="菜园")])
    projects = [entry.turn.project for entry in vault.parts.turn_log.entries()]
    assert projects == ["x-cb91dcd7", "x-cb91dcd7", "cai-yuan-47270381"]
