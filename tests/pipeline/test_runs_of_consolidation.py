"""The record of a consolidation, two at once, those without a model, and those that are undone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from engram.model.consolidation_run import ConsolidationRun, row_of
from engram.model.errors import BadInput
from engram.store.base import layout
from engram.store.catalog.run_files import MOST, RunFiles
from engram.vault import Vault
from tests.conftest import NOW
from tests.fakes.model_server import Asked, Handler, ModelServer, answers, fails
from tests.kit import tree_digest, where
from tests.llm.office import Office

ORDERS = "The shop uses Postgres for its zwiebel orders."
TOLD = (
    ORDERS,
    "Postgres runs on the old server of the shop.",
    "Postgres 16 is the version of the shop.",
    "We decided to back up Postgres each night because a disk failed.",
    "Redis caches the prices of the shop.",
    "Redis runs in a container.",
    "Redis is restarted on Mondays.",
)
#: an answer of every question that consolidation asks, with which nothing can be done
NOTHING = answers(json.dumps({"synthesis": "", "pairs": [], "lines": []}))


def told(vault: Vault, *texts: str) -> Vault:
    for text in texts or TOLD:
        vault.remember(text)
    return vault


@pytest.fixture
def office(tmp_path: Path) -> Office:
    return Office(tmp_path)


def record(vault: Vault, number: int) -> ConsolidationRun:
    run = vault.consolidation_run(number)
    assert run is not None
    return run


# -- the record -----------------------------------------------------------------------------------


def test_a_record_tells_what_was_done_in_counts_and_no_words(vault: Vault) -> None:
    done = told(vault).consolidate(tier="rules")
    run = record(vault, done.transaction)
    assert run == done.run and (run.full, run.looked_at) == (True, len(TOLD))
    assert sum(count for _, counts in run.steps for _, count in counts) == len(done.steps) > 0
    assert dict(run.skipped) == {"model": "by_rules"} and run.model.questions == 0
    assert {"duplicates", "summaries", "profile"} <= {name for name, _ in run.passes}
    said = (vault.root / layout.run_path(run.number)).read_text("ascii")
    for word in ("zwiebel", "Postgres", "postgres", "Redis"):
        assert word not in said
    assert dict(run.tiers).keys() == {"hot -> warm"}, "the sources of summaries"
    assert vault.status().last_run == run


def test_equal_runs_have_equal_records(open_vault: Callable[..., Vault]) -> None:
    made = [told(open_vault(name)) for name in ("one", "other")]
    numbers = [vault.consolidate().transaction for vault in made]
    files = [
        (vault.root / layout.run_path(number)).read_bytes()
        for vault, number in zip(made, numbers, strict=True)
    ]
    assert files[0] == files[1]


def test_the_newest_hundred_stay_and_a_damaged_one_is_none(vault: Vault) -> None:
    runs = RunFiles(vault.parts.disk)
    for number in range(1, MOST + 6):
        runs.put(ConsolidationRun(number, NOW))
    assert len(vault.parts.disk.names(layout.RUNS)) == MOST
    assert runs.read(5) is None and runs.read(6) == ConsolidationRun(6, NOW)
    for number, data in enumerate((b"", b"[", b"[]", b"null", b'{"run": 9}', b"\xff", b"7"), 90):
        (vault.root / layout.run_path(number)).write_bytes(data)
        assert runs.read(number) is None
    (vault.root / layout.run_path(MOST + 5)).write_bytes(json.dumps(row_of(RUN)).encode())
    assert runs.last() == ConsolidationRun(MOST + 4, NOW), "its number is another one's"


RUN = ConsolidationRun(3, NOW, steps=(("archive", (("archive", 2),)),), tiers=(("hot -> warm", 1),))


def test_a_purge_finds_nothing_in_the_records(vault: Vault) -> None:
    done = told(vault).consolidate()
    before = (vault.root / layout.run_path(done.transaction)).read_bytes()
    vault.purge(next(one.id for one in vault.list() if "zwiebel" in one.text))
    assert where(vault.root, "zwiebel") == []
    assert (vault.root / layout.run_path(done.transaction)).read_bytes() == before


def test_undo_of_a_consolidation_brings_back_every_byte_and_leaves_its_record(
    vault: Vault,
) -> None:
    told(vault)
    before = tree_digest(vault.root, *layout.CONTENT, layout.PROFILE, layout.INDEX)
    done = vault.consolidate()
    assert any(step.task == "summaries" for step in done.steps), "with a summary among them"
    assert tree_digest(vault.root, *layout.CONTENT, layout.PROFILE, layout.INDEX) != before
    vault.undo(str(done.transaction))
    assert tree_digest(vault.root, *layout.CONTENT, layout.PROFILE, layout.INDEX) == before
    assert record(vault, done.transaction).steps
    assert next(one for one in vault.log(9) if one.number == done.transaction).undone


def test_a_dry_run_leaves_every_byte_as_it_is(vault: Vault) -> None:
    told(vault).status()
    before = tree_digest(vault.root)
    planned = vault.consolidate(dry_run=True)
    assert planned.steps and planned.run.number == 0 and tree_digest(vault.root) == before


def test_a_second_night_finds_nothing(vault: Vault) -> None:
    told(vault).consolidate()
    assert vault.consolidate().steps == ()
    assert vault.consolidate(full=True).steps == ()


# -- what runs after extractions leave for later ---------------------------------------------------


def test_summaries_wait_for_a_run_that_does_not_follow_extractions(vault: Vault) -> None:
    from engram.pipeline.consolidation import ConsolidationMode, consolidate

    told(vault)
    after = consolidate(vault.parts, ConsolidationMode(closing=False, summarises=False))
    assert dict(after.run.skipped)["summaries"] == "after_extractions"
    assert not any(step.task == "summaries" for step in after.steps)
    night = vault.consolidate(closing=False)
    assert any(step.task == "summaries" for step in night.steps)
    assert record(vault, night.transaction).whole


# -- with a model, and without --------------------------------------------------------------------


def test_what_a_model_was_asked_and_did_not_answer_is_on_record(office: Office) -> None:
    with ModelServer([fails(401, "invalid_api_key", "wrong key")]) as server:
        vault = told(office.cloud(server.base_url).open())
        done = vault.consolidate()
        asked = len(server.requests)
    used = record(vault, done.transaction).model
    assert used.questions == asked == dict(used.errors)["auth"] > 0
    assert (used.tokens, used.usd) == (0, 0.0)
    office.close()


def test_of_two_at_once_the_second_waits_and_asks_nothing_again(office: Office) -> None:
    asked, go_on = threading.Event(), threading.Event()

    def slow(question: Asked, handler: Handler) -> None:
        asked.set()
        go_on.wait(20)
        NOTHING(question, handler)

    with ModelServer([slow]) as server:
        told(office.cloud(server.base_url).open())
        office.close()
        steps: list[int] = []

        def night() -> None:
            with Office(office.folder, office.environment).open() as vault:
                steps.append(len(vault.consolidate().steps))

        first = threading.Thread(target=night)
        first.start()
        assert asked.wait(20)
        second = threading.Thread(target=night)
        second.start()
        second.join(0.3)
        assert second.is_alive(), "it waits for the first"
        go_on.set()
        first.join(60)
        second.join(60)
    assert steps[0] > 0 and steps[1] == 0
    with office.open() as vault:
        assert [one.kind for one in vault.log(99)].count("consolidate") == 1
        run = vault.consolidation_run()
        assert run is not None and run.model.questions == len(server.requests)
    office.close()


def test_a_model_that_is_demanded_in_vain_is_named_by_its_key(vault: Vault) -> None:
    with pytest.raises(BadInput, match=r"llm\.model"):
        told(vault).consolidate(tier="model")


def test_criterion_6_without_a_model_or_an_extra_nothing_heavy_is_loaded(
    vault: Vault, environment: dict[str, str]
) -> None:
    told(vault)
    script = (
        "import sys; from engram.surfaces.cli.app import main\n"
        "try: main(['--vault', sys.argv[1], 'consolidate'])\n"
        "except SystemExit as ended: code = ended.code\n"
        "heavy = {'numpy', 'sklearn', 'scipy', 'openai', 'httpx2', 'torch'} & set(sys.modules)\n"
        "print(code or 0, sorted(heavy))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script, str(vault.root)],
        env=os.environ | environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert ran.stdout.splitlines()[-1] == "0 []"
    assert "llm.model" in ran.stderr.splitlines()[-1]
