"""What a model said of pairs is kept by digests, and is purged with the texts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from engram.model.cluster_verdict import ClusterKey, ClusterVerdict
from engram.model.pair_verdict import PairKey, PairVerdict, text_digest
from engram.store.base import layout
from engram.store.base.disk import VaultDisk
from engram.store.files import kept_verdicts
from engram.store.files.kept_verdicts import VerdictFile
from engram.vault import Vault
from tests.consolidate.cases import PairJudge
from tests.kit import reopened, where

OLD, NEW = "The heron tank holds warm water.", "A cold spring feeds the heron tank."
KEY = PairKey(text_digest(OLD), text_digest(NEW), "judge")
SAID = PairVerdict("partial", "medium", "only the warmth", "warm water")


def written(root: Path) -> list[dict[str, str]]:
    path = root / layout.VERDICTS
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def test_a_verdict_is_known_to_the_next_run_and_a_text_that_left_is_not_written(
    tmp_path: Path,
) -> None:
    first = VerdictFile(VaultDisk(tmp_path))
    gone = KEY._replace(newer=text_digest("gone"))
    first.learn(KEY, SAID)
    first.learn(gone, SAID)
    assert first.known(KEY) == SAID and written(tmp_path) == []
    first.save(lambda: {KEY.older, KEY.newer})
    again = VerdictFile(VaultDisk(tmp_path))
    assert (again.known(KEY), again.known(gone)) == (SAID, None)
    assert OLD not in (tmp_path / layout.VERDICTS).read_text()


def test_torn_and_foreign_lines_are_no_verdicts(tmp_path: Path) -> None:
    kept = VerdictFile(VaultDisk(tmp_path))
    kept.learn(KEY, SAID)
    kept.save(lambda: {KEY.older, KEY.newer})
    path = tmp_path / layout.VERDICTS
    (row,) = written(tmp_path)
    hostile = [
        row | {"relation": "always"}, row | {"confidence": 1}, row | {"more": ""}, [], 3, None,
        row | {"older": ["x"]},
        *({"texts": ["x"], "asked": "judge", "belongs": wrong} for wrong in (False, 3, "x", [3])),
    ]  # fmt: skip
    path.write_text("".join(json.dumps(one) + "\n" for one in hostile) + json.dumps(row)[:40])
    kept = VerdictFile(VaultDisk(tmp_path))
    assert kept.known(KEY) is None and kept.cluster(ClusterKey(("x",), "judge")) is None
    kept.learn(KEY, SAID)
    kept.save(lambda: {KEY.older, KEY.newer})
    assert VerdictFile(VaultDisk(tmp_path)).known(KEY) == SAID


def test_of_many_verdicts_the_newest_half_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_verdicts, "MOST", 4)
    for number in range(8):
        kept = VerdictFile(VaultDisk(tmp_path))
        kept.learn(KEY._replace(asked=str(number)), SAID)
        kept.save(lambda: {KEY.older, KEY.newer})
    asked = [row["asked"] for row in written(tmp_path)]
    assert len(asked) <= 5 and asked[-1] == "7"


def test_a_second_night_asks_nothing_twice_and_a_purge_takes_the_verdict_out(
    vault: Vault, open_vault: Callable[..., Vault]
) -> None:
    model = PairJudge("complementary")
    asking = reopened(vault, model=model)
    old = asking.remember(OLD, project="shop").memory
    later = reopened(open_vault(now="2026-03-08T12:00:00Z"), model=model)
    later.remember(NEW, project="shop")
    later.consolidate(full=True, dry_run=True)
    assert written(later.root) == []
    later.consolidate(full=True)
    asked = len(model.asked)
    assert asked and len(written(later.root)) == 1
    kept = (later.root / layout.VERDICTS).read_bytes()
    copy = later.root / "state/verdicts.sync-conflict-20260308-130000-ABCDEFG.jsonl"
    copy.write_bytes(kept + kept[:50])
    again = reopened(open_vault(now="2026-03-09T12:00:00Z"), model=model)
    again.consolidate(full=True)
    assert len(model.asked) == asked
    again.purge(old.id)
    assert written(again.root) == [] and where(again.root, KEY.older) == []


def test_a_link_in_place_of_verdicts_or_records_is_left_alone_and_stops_nothing(
    vault: Vault, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.write_text("theirs")
    (vault.root / layout.VERDICTS).symlink_to(outside)
    (vault.root / layout.RUNS).symlink_to(tmp_path)
    asking = reopened(vault, model=PairJudge("complementary"))
    told = [asking.remember(text, project="shop").memory.id for text in (OLD, NEW)]
    asking.parts.verdicts.learn(KEY, SAID)
    assert asking.consolidate().transaction
    assert asking.parts.verdicts.known(KEY) is None
    assert asking.purge(told[0]).left == ()
    assert outside.read_text() == "theirs"


def test_a_verdict_on_a_cluster_is_kept_by_its_texts_and_purged_with_any_of_them(
    vault: Vault,
) -> None:
    texts = tuple(text_digest(text) for text in (OLD, NEW, "The heron tank is cleaned in May."))
    whole, declined = ClusterKey(texts, "summary"), ClusterKey(texts[1:], "summary")
    kept = VerdictFile(vault.parts.disk)
    kept.learn_cluster(whole, ClusterVerdict(texts[:2]))
    kept.learn_cluster(declined, ClusterVerdict(()))
    kept.learn_cluster(ClusterKey(texts[:2], "summary"), ClusterVerdict(None))
    kept.save(lambda: set(texts))
    again = VerdictFile(vault.parts.disk)
    assert again.cluster(whole) == ClusterVerdict(texts[:2])
    assert again.cluster(declined) == ClusterVerdict(())
    assert again.cluster(ClusterKey(texts[:2], "summary")) == ClusterVerdict(None)
    memory = vault.remember(OLD, project="shop").memory
    vault.purge(memory.id)
    assert [row["texts"] for row in written(vault.parts.disk.root)] == [list(texts[1:])]


def test_a_replacement_by_a_kept_verdict_that_was_undone_is_not_done_again(
    vault: Vault, open_vault: Callable[..., Vault]
) -> None:
    model = PairJudge("supersedes")
    old = reopened(vault, model=model).remember(OLD, project="shop").memory
    later = reopened(open_vault(now="2026-03-08T12:00:00Z"), model=model)
    later.remember(NEW, project="shop")
    done = later.consolidate(full=True)
    number = next(n for n, step in enumerate(done.steps, 1) if step.action == "supersede")
    assert later.parts.lookup.memory(old.id).status == "superseded"
    later.undo(f"{done.transaction}.{number}")
    again = reopened(open_vault(now="2026-03-09T12:00:00Z"), model=model)
    again.consolidate(full=True)
    assert again.parts.lookup.memory(old.id).status == "active" and len(model.asked) == 1
