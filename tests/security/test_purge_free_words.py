"""A purge takes the free words of persons and models out of every log that names what it takes."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.model.change import Event, Plan
from engram.model.given import GivenBlock, GivenItem
from engram.store.base.disk import VaultDisk
from engram.store.catalog.access_log import AccessLog
from engram.store.catalog.access_purge import purge_questions
from engram.store.catalog.given_line import block_of, line_of
from engram.store.commits.purge_words import MARK, ReasonEraser
from engram.vault import Vault
from tests.conftest import NOW
from tests.kit import reopened, where

#: a made-up word for each door through which free words come in, none of which a memory has
DOORS = (
    "quorple",
    "zimbelus",
    "frandoli",
    "glukosan",
    "pramosch",
    "wendrulo",
    "tarrazin",
    "obelquix",
)
RETIRED, FORGOTTEN, MODEL, PAIR, ASKED, LOST, VERDICT, RECORD = DOORS
ACCESS = "state/access.jsonl"


def lived_in(vault: Vault) -> tuple[str, str]:
    """Two memories, one of them with a canary word behind every door; their ids."""
    gone = vault.remember("The blue zwickelhut hangs behind the oven.").memory.id
    kept = vault.remember("We use postgres for the shop.").memory.id
    vault.retire([gone], f"{RETIRED} says so")
    vault.restore(gone)
    vault.forget(gone, kept, reason=f"{FORGOTTEN} wanted both gone")
    vault.restore(gone)
    vault.restore(kept)
    step = (("step", "1"), ("task", "contradictions"), ("action", "dispute"))
    pair = (*step, ("why", f"the {PAIR} key is another"))
    vault.parts.committer.commit(
        Plan("consolidate", events=(
            Event("consolidated", gone, (*step, ("why", f"a {MODEL} reason"))),
            Event("consolidated", gone, pair), Event("consolidated", kept, pair),
            Event("memory_updated", kept, (("source", "t#^m1"), ("reason", "kept in winter"))),
            Event("memory_updated", "x", (("by", gone), ("reason", f"the {RECORD} of it"))),
        ))
    )  # fmt: skip
    lines = [
        {"given": ["fact-20260305-100000-00000000"], "time": NOW, "question": "where is postgres"},
        {"ids": [gone], "time": NOW, "question": f"where is the {ASKED} \u00fcber"},
        {"ids": [kept], "time": NOW, "question": "is the zwickelhut hot"},
    ]
    vault.parts.disk.append(
        ACCESS, b"".join(json.dumps(row).encode() + b"\n" for row in lines)
        + b'{"ids": ["' + gone.encode() + b'"], "question": "' + ASKED.encode(),
    )  # fmt: skip
    trace = vault.root / "state/trace.jsonl"
    lost = {"n": 0, "time": NOW, "event": "memory_retired", "subject": gone, "reason": LOST}
    trace.write_text(json.dumps(lost) + "\n" + trace.read_text())
    said = {"older": "0", "newer": "1", "asked": "2", "relation": "same", "confidence": "high",
            "reason": VERDICT, "replaced": ""}  # fmt: skip
    (vault.root / "state/verdicts.jsonl").write_text(json.dumps(said) + "\n")
    copied = vault.root / "state/access.sync-conflict-20260308-130000-ABCDEFG.jsonl"
    copied.write_text(json.dumps(lines[1]))
    vault.recall("postgres")
    vault.recall(f"where does the zwickelhut of {ASKED} hang")
    return gone, kept


def test_no_free_word_about_a_purged_memory_stands_anywhere(vault: Vault, tmp_path: Path) -> None:
    gone, kept = lived_in(vault)
    assert all(where(tmp_path, word) for word in DOORS)
    (vault.root / "state/verdicts.jsonl").write_text(f'{{"reason": "{VERDICT}"\n')
    log = AccessLog(vault.parts.disk)
    before = vault.parts.catalog.accesses.of_now(log)
    assert vault.purge(gone).left == ()
    assert vault.parts.catalog.accesses.of_now(log) == before
    vault.rebuild()
    vault.close()
    assert {word: where(tmp_path, word) for word in DOORS} == {word: [] for word in DOORS}
    questions = [json.loads(line).get("question") for line in where_it_parses(vault)]
    assert questions[:3] == ["where is postgres", MARK, f"is the {MARK} hot"]
    again = reopened(vault)
    # the line that the journal has lost
    assert [one.subject for one in again.doctor()] == ["state/trace.jsonl"]
    reasons = [value for *_, event in again.origin(kept).events for key, value in event.details
               if key in ("reason", "why")]  # fmt: skip
    # one reason was given for both memories, and one for both of the pair
    assert reasons == ["forgotten", MARK, MARK, "kept in winter"]


def where_it_parses(vault: Vault) -> list[bytes]:
    """The lines of the access log that are not blank."""
    return [line for line in (vault.root / ACCESS).read_bytes().splitlines() if line.strip()]


def test_a_secret_in_a_question_or_a_models_reason_is_found_and_marked(
    vault: Vault, tmp_path: Path
) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    held = vault.remember("We deploy the shop to Hetzner.").memory.id
    said = Event("consolidated", held, (("why", f"it names {secret}"),))
    vault.parts.committer.commit(Plan("consolidate", events=(said,)))
    line = {"ids": [held], "time": NOW, "question": f"is {secret} right"}
    vault.parts.disk.append(ACCESS, json.dumps(line).encode() + b"\n")
    assert ACCESS in vault.secrets() and len(vault.secrets()) == 2
    assert vault.purge_secrets() == []
    vault.close()
    assert where(tmp_path, secret) == []
    assert b"REDACTED" in where_it_parses(vault)[0]


def test_lines_that_are_appended_while_questions_are_purged_stay(tmp_path: Path) -> None:
    disk = VaultDisk(tmp_path)
    (tmp_path / "state").mkdir()
    log, done = AccessLog(disk), threading.Event()
    name = "fact-20260305-100000-00000000"
    asked = {"ids": [name], "time": NOW, "question": "where is the key of the blue door"}
    written = 0

    def append() -> None:
        nonlocal written
        while not done.is_set() or written < 50:
            disk.append(ACCESS, json.dumps(asked).encode() + b"\n", sync=False)
            log.note([name], NOW)
            written += 2

    other = threading.Thread(target=append)
    other.start()
    for _ in range(20):
        purge_questions(disk, [name], str)
    done.set()
    other.join()
    purge_questions(disk, [name], str)
    rows = [json.loads(line) for line in (tmp_path / ACCESS).read_bytes().splitlines()]
    assert len(rows) == written
    assert {row.get("question", MARK) for row in rows} == {MARK}
    assert {row["ids"][0] for row in rows} == {name}


def test_the_line_of_a_block_is_a_block_without_its_question(tmp_path: Path) -> None:
    disk = VaultDisk(tmp_path)
    name = "fact-20260305-100000-00000000"
    item = GivenItem(name, "user:me:semantic:1", "semantic", "user", ("matches_query",))
    block = GivenBlock(NOW, "person", "by-hand", "recall", (item,), "0" * 64, ("user",),
                       asked=True, question="wo h\u00e4ngt der Schl\u00fcssel?")  # fmt: skip
    disk.append(ACCESS, line_of(block))
    purge_questions(disk, [name], str)
    assert block_of(disk.read(ACCESS) or b"") == block._replace(question=MARK)


def test_an_item_of_a_purged_project_loses_its_id_and_its_line_stays_a_block(
    tmp_path: Path,
) -> None:
    disk = VaultDisk(tmp_path)
    named, other = "fact-20260305-100000-00000000", "fact-20260305-100000-00000001"
    items = (
        GivenItem(named, "project:falke:semantic:7", "semantic", "project"),
        GivenItem(other, "project:shop:semantic:1", "semantic", "project"),
    )
    block = GivenBlock(NOW, "person", "by-hand", "recall", items, "0" * 64, ("project",),
                       asked=True, question="is falke here")  # fmt: skip
    line = line_of(block)
    # a line that somebody else wrote may have no room for what ours would say
    foreign = json.dumps(json.loads(line_of(block._replace(question="\U0001f511" * 40))),
                         ensure_ascii=False, separators=(",", ":"))  # fmt: skip
    disk.append(ACCESS, line + foreign.encode() + b"\n" + line)
    before = disk.read(ACCESS) or b""

    def cleaned(text: str) -> str:
        return text.replace("falke", MARK)

    purge_questions(disk, [], cleaned)
    after = disk.read(ACCESS) or b""
    assert b"falke" not in after
    assert [len(one) for one in after.split(b"\n")] == [len(one) for one in before.split(b"\n")]
    kept = [block_of(one) for one in after.splitlines()]
    unnamed = (items[0]._replace(item=""), items[1])
    assert kept[0] == kept[2] == block._replace(items=unnamed, question=f"is {MARK} here")
    purge_questions(disk, [], cleaned)
    assert disk.read(ACCESS) == after
    disk.append(ACCESS, line)
    purge_questions(disk, [named], cleaned)
    assert block_of((disk.read(ACCESS) or b"").splitlines()[-1]) == kept[0]._replace(question=MARK)


_QUESTIONS = st.text(max_size=30)
_LINES = st.one_of(
    _QUESTIONS.map(lambda text: json.dumps({"ids": ["a"], "question": text}).encode()),
    _QUESTIONS.map(lambda text: json.dumps({"ids": ["b"], "question": text}).encode()),
    st.just(b'{"ids": ["b"], "question": "torn'),
    st.just(b'{"question": "one", "question": "two"}'),
    st.just(b'{"ids": ["a"], "question": 7}'),
    st.just(b'{"ids": ["a"]}'),
    st.binary(max_size=20),
)


def _marked(text: str) -> str:
    return text if MARK in text else text.replace("e", MARK)


@given(lines=st.lists(_LINES, max_size=6), end=st.sampled_from([b"", b"\n"]))
def test_a_log_keeps_its_length_and_its_sound_lines_whatever_it_holds(
    lines: list[bytes], end: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    disk = VaultDisk(tmp_path_factory.mktemp("log"))
    before = b"\n".join(lines) + end
    disk.append(ACCESS, before, sync=False)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("engram.store.catalog.access_purge._APPENDED", 0)
        purge_questions(disk, ["a"], _marked)
    once = disk.read(ACCESS) or b""
    assert len(once) == len(before)
    for old, new in zip(before.split(b"\n"), once.split(b"\n"), strict=True):
        if old.startswith(b'{"ids": ["') and old.endswith(b'"}'):
            row, was = json.loads(new), json.loads(old)
            marked = was["question"].replace("e", MARK)
            assert row["ids"] == was["ids"]
            assert row["question"] in ({MARK, ""} if row["ids"] == ["a"] else {marked, MARK, ""})
        assert b"torn" not in new and b"two" not in new
    purge_questions(disk, ["a"], _marked)
    assert disk.read(ACCESS) == once


def test_codes_and_the_reasons_of_other_memories_stay() -> None:
    free = ReasonEraser({"a", "user:me:profile:3"}, str)
    kept = (
        Event("memory_deleted", "a", (("reason", "forgotten"), ("was", "active"))),
        Event("memory_deleted", "b", (("reason", "my own words"),)),
        Event("consolidated", "b", (("step", "2"), ("why", "its time was up"))),
    )
    told = (
        Event("consolidated", "a", (("step", "1"), ("why", "its time was up"))),
        Event("memory_conflict", "", (("item", "user:me:profile:3"), ("explanation", "as said"))),
    )
    after = free.without((*kept, *told))
    assert after[:3] == kept
    assert [
        dict(one.details).get("why") or dict(one.details)["explanation"] for one in after[3:]
    ] == [MARK, MARK]
    assert free.without(after) == after
