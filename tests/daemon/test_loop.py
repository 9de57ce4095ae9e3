"""The daemon's work under a clock that is a number: a day of it takes a moment."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from engram.daemon.spool import TranscriptNotice, noted, spool
from engram.daemon.state import pause
from engram.model.errors import StorageError
from engram.model.intake import ExtractionResult
from engram.model.report import Consolidated
from engram.pipeline.consolidation import ConsolidationMode, consolidate
from engram.vault import Vault
from tests.daemon.life import Life, events, rows, said, watch_source
from tests.fakes.model_server import ModelServer, embeds, fails
from tests.kit import tree_digest

HOUR = 3600.0


@pytest.fixture
def projects(tmp_path: Path, environment: dict[str, str]) -> Path:
    """Where Claude Code keeps its transcripts; it is watched."""
    watch_source(environment, "claude-code")
    folder = tmp_path / ".claude" / "projects" / "shop"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def root(vault: Vault) -> Path:
    return vault.root


@pytest.fixture
def begin(root: Path, environment: dict[str, str]) -> Iterator[Callable[..., Life]]:
    """Begin a daemon's rounds over the vault; they are closed at the end."""
    begun: list[Life] = []

    def one(**options: Any) -> Life:
        begun.append(Life(root, environment, **options))
        return begun[-1]

    yield one
    for life in begun:
        life.close()


def memories(open_vault: Callable[..., Vault]) -> list[str]:
    with open_vault() as vault:
        vault.ready_to_read()
        return sorted(memory.text for memory in vault.parts.catalog.memories())


def kinds(open_vault: Callable[..., Vault]) -> list[str]:
    """The transactions, oldest first."""
    with open_vault() as vault:
        return [entry.kind for entry in reversed(vault.log(1000))]


def test_a_day_of_it(
    begin: Callable[..., Life], projects: Path, open_vault: Callable[..., Vault],
    environment: dict[str, str],
) -> None:  # fmt: skip
    life = begin()
    life.live(60)
    transcript = projects / "s1.jsonl"
    transcript.write_text(said("I prefer tabs over spaces.", 1), encoding="utf-8")
    os.utime(transcript, (life.hours.wall(), life.hours.wall()))
    life.live(11 * 60)
    # found without any event, not due yet: it is one turn, and no strong signal
    assert "took" in events(environment)
    life.live(16 * 60)
    assert memories(open_vault) == ["The user prefers tabs over spaces."]
    life.live(31 * 60)
    assert "consolidated" in events(environment)
    before = kinds(open_vault)
    assert before.count("consolidate") == 1
    steps = life.live(24 * HOUR)
    assert steps < 24 * HOUR / 2, "it looks at the world every few seconds at most"
    days = [row for row in rows(environment) if row["event"] == "consolidated"]
    assert len(days) == 2, "one for the quiet while, one for the day"
    assert events(environment).count("index_built") == 1
    life.live(25 * HOUR)
    assert events(environment).count("index_built") == 1, "nothing has changed"
    assert "failed" not in events(environment)


def test_where_nothing_happens_nothing_is_written(
    begin: Callable[..., Life], root: Path, environment: dict[str, str]
) -> None:
    life = begin()
    life.live(HOUR)

    def written() -> dict[str, int]:
        return {str(path): path.stat().st_mtime_ns for path in root.rglob("*")}

    before = written()
    life.live(23 * HOUR)
    assert written() == before


def test_a_box_is_sealed_after_its_gap_without_new_traffic(
    begin: Callable[..., Life], projects: Path, open_vault: Callable[..., Vault],
    environment: dict[str, str],
) -> None:  # fmt: skip
    life = begin()
    life.live(60)
    line = said("Remember that we never deploy on a Friday.", 1)
    transcript = projects / "s1.jsonl"
    transcript.write_text(line.replace("2026-03-06T00:01:00Z", life.hours.now()), encoding="utf-8")
    life.live(26 * 60)
    with open_vault() as vault:
        assert [box.path for box in vault.parts.boxes.listing()] == [""]
    life.live(20 * 60)
    with open_vault() as vault:
        assert all(box.path for box in vault.parts.boxes.listing())
    assert "sealed" in events(environment)


def test_vectors_are_made_of_what_came_and_of_nothing_twice(
    begin: Callable[..., Life], open_vault: Callable[..., Vault], environment: dict[str, str]
) -> None:
    with ModelServer([fails(500), fails(500), embeds()]) as server:
        environment["ENGRAM_LLM_EMBEDDING_MODEL"] = "m"
        environment["ENGRAM_LLM_EMBEDDING_URL"] = server.base_url
        life = begin()
        with open_vault() as vault:
            vault.remember("The shop uses Postgres.")
        life.live(HOUR)  # the model is ill at first, and rests
        asked = len(server.requests)
        with open_vault() as vault:
            assert vault.parts.vectors.state()[3:] == (1, 1)
            vault.remember("The logo is blue.")
        life.live(HOUR)
        sent = [text for one in server.requests[asked:] for text in one.body["input"]]
        # the memory, and the turn that it was said in
        assert [text.splitlines()[-1] for text in sent] == ["The logo is blue."] * 2
        assert not _failing(life)


def test_a_quiet_consolidation_that_fails_is_tried_again(
    begin: Callable[..., Life], root: Path, open_vault: Callable[..., Vault],
    environment: dict[str, str],
) -> None:  # fmt: skip
    with open_vault() as vault:
        vault.remember("The shop uses Postgres.")
    full = True

    class Full(Vault):
        def consolidate(self, **options: Any) -> Consolidated:
            if full:
                raise StorageError("the disk is full")
            return super().consolidate(**options)

    life = begin(vault=Full)
    life.live(HOUR)
    assert _failing(life) == {f"night {root}": "StorageError"}
    full = False
    life.live(10 * 60)
    assert "consolidated" in events(environment) and not _failing(life)


def test_fifty_new_memories_are_not_left_until_it_is_quiet(
    begin: Callable[..., Life], open_vault: Callable[..., Vault], projects: Path,
    environment: dict[str, str],
) -> None:  # fmt: skip
    life = begin()
    life.live(60)
    with open_vault() as vault:
        for number in range(49):
            vault.remember(f"Till {number} of the shop stands in street {number * 7 + 3}.")
    for _ in range(4):  # somebody is at work all the time
        life.loop.vault_workers[vault.root].mark_used()
        life.live(5 * 60)
    assert "consolidated" not in events(environment)
    with open_vault() as vault:
        vault.remember("The gateway of the shop listens on port 8080.")
    life.loop.vault_workers[vault.root].mark_used()
    life.live(5 * 60)
    assert events(environment).count("consolidated") == 1
    life.live(5 * 60)
    assert events(environment).count("consolidated") == 1


def test_what_runs_after_extractions_left_is_done_when_it_is_quiet(
    begin: Callable[..., Life], open_vault: Callable[..., Vault], environment: dict[str, str]
) -> None:
    life = begin()
    life.live(60)
    with open_vault() as vault:
        vault.remember("The gateway of the shop listens on port 8080.")
        consolidate(vault.parts, ConsolidationMode(closing=False, summarises=False))
    life.live(HOUR)
    assert events(environment).count("consolidated") == 1
    with open_vault() as vault:
        run = vault.consolidation_run()
        assert run is not None and run.whole
    life.live(HOUR)
    assert events(environment).count("consolidated") == 1


def test_history_is_an_import_and_news_are_live(
    begin: Callable[..., Life], projects: Path, open_vault: Callable[..., Vault]
) -> None:
    transcript = projects / "s1.jsonl"
    transcript.write_text(said("I prefer tabs over spaces.", 1), encoding="utf-8")
    life = begin()
    life.live(60)
    assert kinds(open_vault)[:2] == ["import", "extract"]
    with transcript.open("a", encoding="utf-8") as stream:
        stream.write(said("I prefer dark mode in every editor.", 2))
    os.utime(transcript, (life.hours.wall(), life.hours.wall()))
    life.live(HOUR)
    assert kinds(open_vault).count("import") == 1
    assert len(memories(open_vault)) == 2


def test_lost_events_are_made_good_by_a_look_at_everything(
    begin: Callable[..., Life], projects: Path, open_vault: Callable[..., Vault],
    environment: dict[str, str],
) -> None:  # fmt: skip
    life = begin()
    life.live(60)
    for number in range(20):
        path = projects / f"s{number}.jsonl"
        path.write_text(
            said(f"Remember that valve {number} holds {number} bar.", number, f"s{number}"),
            encoding="utf-8",
        )
    fact = Path(open_vault().root, "facts", "2026-03-06", "note.md")
    fact.parent.mkdir(parents=True, exist_ok=True)
    fact.write_text("Written by hand.\n", encoding="utf-8")
    life.debouncer.lose()
    life.live(1)
    assert "events_lost" in events(environment)
    assert len(memories(open_vault)) == 21


@pytest.mark.parametrize("asleep", [True, False])
def test_after_a_sleep_or_a_clock_that_was_put_everything_is_looked_at(
    begin: Callable[..., Life], projects: Path, open_vault: Callable[..., Vault], asleep: bool
) -> None:
    life = begin()
    life.live(60)
    (projects / "s1.jsonl").write_text(
        said("Remember that we never deploy on a Friday.", 1), encoding="utf-8"
    )
    if asleep:
        life.hours.go(8 * HOUR, asleep=True)
    else:
        life.hours.asleep -= HOUR
    life.live(1)
    assert len(memories(open_vault)) == 1


def test_what_is_paused_is_read_when_it_goes_on(
    begin: Callable[..., Life], projects: Path, open_vault: Callable[..., Vault],
    environment: dict[str, str], root: Path,
) -> None:  # fmt: skip
    state = Path(environment["ENGRAM_HOME"])
    pause.pause(state, ["claude-code"])
    transcript = projects / "s1.jsonl"
    transcript.write_text(said("I prefer tabs over spaces.", 1), encoding="utf-8")
    life = begin()
    spool(state, TranscriptNotice("", "session-end", "claude-code", str(transcript), str(root)))
    life.live(HOUR)
    assert memories(open_vault) == []
    life.close()
    assert len(noted(state)) == 1, "what a hook said is kept for later"
    again = begin()
    pause.resume(state, [])
    again.live(HOUR)
    assert len(memories(open_vault)) == 1


def test_a_hook_is_followed(
    begin: Callable[..., Life], tmp_path: Path, root: Path, environment: dict[str, str],
    open_vault: Callable[..., Vault],
) -> None:  # fmt: skip
    transcript = tmp_path / "s1.jsonl"
    transcript.write_text(said("Remember that we never deploy on a Friday.", 1), encoding="utf-8")
    spool(
        Path(environment["ENGRAM_HOME"]),
        TranscriptNotice("", "session-end", "claude-code", str(transcript), str(root)),
    )
    begin().live(60)
    assert len(memories(open_vault)) == 1


def test_a_task_that_fails_is_tried_again_later_and_later_and_the_others_go_on(
    begin: Callable[..., Life], projects: Path, open_vault: Callable[..., Vault],
    environment: dict[str, str],
) -> None:  # fmt: skip
    full, tries = True, []

    class Full(Vault):
        def tick(self) -> ExtractionResult:
            tries.append(life.hours.passed)
            if full:
                raise StorageError("the disk is full: secret-name.md was not written")
            return super().tick()

    life = begin(vault=Full)
    life.live(HOUR)
    gaps = [round(late - early) for early, late in pairwise(tries)]
    assert gaps[:4] == [1, 2, 4, 8] and max(gaps) == 300
    (projects / "s1.jsonl").write_text(said("I prefer tabs.", 1), encoding="utf-8")
    life.live(11 * 60)
    assert "took" in events(environment)
    assert [code for task, code in _failing(life).items()] == ["StorageError"]
    full = False
    life.live(10 * 60)
    assert "recovered" in events(environment) and not _failing(life)
    assert not any("secret-name" in str(row) for row in rows(environment))


def _failing(life: Life) -> dict[str, str]:
    return {name: failure.code for name, failure in life.loop.tasks.failures.items()}


def test_a_file_that_breaks_its_reader_does_not_hold_up_the_others(
    begin: Callable[..., Life], projects: Path, open_vault: Callable[..., Vault]
) -> None:
    for number in range(3):
        (projects / f"s{number}.jsonl").write_text(
            said(f"Remember that valve {number} holds {number} bar.", number, f"s{number}"),
            encoding="utf-8",
        )
    broken = True

    class Breaking(Vault):
        def import_files(self, source: str, *paths: Path, **options: Any) -> Any:
            if broken and any(path.name == "s0.jsonl" for path in paths):
                raise RuntimeError("a bug in a reader")
            return super().import_files(source, *paths, **options)

    life = begin(vault=Breaking)
    life.live(5 * 60)
    assert len(memories(open_vault)) == 2
    assert not _failing(life), "what is new is not held up for ever either"
    broken = False
    life.live(15 * 60)
    assert len(memories(open_vault)) == 3, "it is tried again with the next look at everything"


def test_a_source_that_is_installed_later_and_a_folder_that_goes_are_noticed(
    begin: Callable[..., Life], tmp_path: Path, environment: dict[str, str],
    open_vault: Callable[..., Vault],
) -> None:  # fmt: skip
    watch_source(environment, "claude-code")
    life = begin()
    life.live(60)
    folder = tmp_path / ".claude" / "projects" / "shop"
    folder.mkdir(parents=True)
    (folder / "s1.jsonl").write_text(
        said("Remember that we never deploy on a Friday.", 1), encoding="utf-8"
    )
    life.live(15)
    assert len(memories(open_vault)) == 1
    (tmp_path / ".claude").rename(tmp_path / "elsewhere")
    life.live(30)
    assert folder.parent not in life.loop.watch.folders
    assert not life.loop.tasks.failures


def test_a_vault_that_is_moved_away_is_not_taken_for_emptied(
    begin: Callable[..., Life], root: Path, projects: Path, open_vault: Callable[..., Vault],
    environment: dict[str, str],
) -> None:  # fmt: skip
    (projects / "s1.jsonl").write_text(
        said("Remember that we never deploy on a Friday.", 1), encoding="utf-8"
    )
    life = begin()
    life.live(60)
    before = kinds(open_vault)
    away = root.with_name("away")
    root.rename(away)
    (projects / "s2.jsonl").write_text(
        said("I prefer tabs over spaces.", 2, "s2"), encoding="utf-8"
    )
    life.live(HOUR)
    assert not root.exists(), "nothing of it is made anew"
    assert "vault_away" in events(environment)
    away.rename(root)
    life.live(HOUR)
    assert len(memories(open_vault)) == 2
    assert kinds(open_vault)[: len(before)] == before
    assert "settle" not in kinds(open_vault)


def test_on_battery_everything_that_can_wait_waits_longer(begin: Callable[..., Life]) -> None:
    mains, battery = begin().live(HOUR), begin(battery=True).live(HOUR)
    assert battery < mains / 2


def test_broken_settings_change_nothing_and_are_told(
    begin: Callable[..., Life], projects: Path, environment: dict[str, str]
) -> None:
    life = begin()
    life.live(60)
    config = Path(environment["ENGRAM_HOME"]) / "config.toml"
    good = config.read_text(encoding="utf-8")
    config.write_text("[daemon\n", encoding="utf-8")
    life.loop.reload()
    assert _failing(life) == {"reload": "ConfigError"}
    assert list(life.loop.source_workers) == ["claude-code"]
    config.write_text(good.replace("claude-code", "codex"), encoding="utf-8")
    life.loop.reload()
    assert list(life.loop.source_workers) == ["codex"] and not _failing(life)


def test_what_is_excluded_while_it_runs_is_not_read_any_more(
    begin: Callable[..., Life], projects: Path, environment: dict[str, str],
    open_vault: Callable[..., Vault],
) -> None:  # fmt: skip
    life = begin()
    life.live(60)
    config = Path(environment["ENGRAM_HOME"]) / "config.toml"
    with config.open("a", encoding="utf-8") as stream:
        stream.write('[capture]\nexclude = ["shop"]\n')
    (projects / "s9.jsonl").write_text(
        said("I prefer tabs over spaces.", 2, "s9"), encoding="utf-8"
    )
    life.live(HOUR)
    assert not [text for text in memories(open_vault) if "tabs" in text]
    assert events(environment).count("reloaded") == 1


def test_a_shared_vault_is_read_for_hooks_and_nothing_else(
    begin: Callable[..., Life], projects: Path, tmp_path: Path, environment: dict[str, str]
) -> None:
    shared = tmp_path / "rules"
    Vault.create(shared, environment=environment, shares="system").close()
    life = begin()
    life.live(60)
    before = tree_digest(shared)
    folder = shared / "facts" / "2026-03-06"
    folder.mkdir()
    text = "---\nid: fact-a\ncategory: fact\nstatus: active\ncreated: 2026-03-06T10:00:00Z\n---\n"
    (folder / "fact-a.md").write_text(f"{text}The till closes at six.\n", encoding="utf-8")
    life.loop.tasks.want(f"edits {shared}")
    life.live(3 * HOUR)
    (folder / "fact-a.md").unlink()
    folder.rmdir()
    assert tree_digest(shared) == before
    (catalog,) = (tmp_path / "home" / "cache").glob("*/reading/catalog.sqlite")
    with sqlite3.connect(catalog) as database:
        assert database.execute("select id from memories").fetchall() == [("fact-a",)]
