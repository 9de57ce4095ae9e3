"""Promotion into a shared vault: what the copy holds, who may, what stands, and crashes between."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from engram.model.change import Plan, Transaction
from engram.model.errors import EngramError
from engram.model.given import Reader
from engram.model.memory import Memory
from engram.model.turn import turn_of
from engram.settings.paths import places_of
from engram.store.base.clock import FixedClock
from engram.vault import Vault, create
from tests.conftest import NOW
from tests.kit import failing, files, tree_digest, where

LATER = "2026-03-07T12:00:00Z"
SAID = "Canarylunch with Mara at noon. We decided to use Postgres for the till, not SQLite."


@pytest.fixture
def folder(tmp_path: Path, environment: dict[str, str]) -> Path:
    """A shared vault in the repository of a project, registered here."""
    (tmp_path / "shop" / ".git").mkdir(parents=True)
    root = tmp_path / "shop" / "memory"
    Vault.create(root, environment=environment, clock=FixedClock(NOW), shares="project").close()
    return root


@pytest.fixture
def shared(folder: Path, environment: dict[str, str]) -> Iterator[Vault]:
    with Vault.open(folder, environment=environment, clock=FixedClock(LATER)) as opened:
        yield opened


def learnt(vault: Vault) -> Memory:
    """A decision out of a conversation."""
    vault.capture([turn_of("user", SAID, NOW, source="codex", session="s", project="shop")])
    vault.flush()
    (memory,) = vault.list(categories=("decision",))
    return memory


def told(vault: Vault, text: str = "The till runs on port 8080.", **more: str) -> Memory:
    memory = vault.remember(text, project="shop", **more).memory
    assert memory is not None
    return memory


def states(vault: Vault) -> dict[str, str]:
    every = ("active", "needs-review", "superseded", "retired")
    return {one.text: one.status for one in vault.list(statuses=every)}


def committed(root: Path) -> dict[str, str]:
    """What git would carry."""
    return {
        path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
        for path in files(root)
        if "state" not in path.relative_to(root).parts
    }


@pytest.mark.parametrize("quoted", [False, True])
def test_a_copy_tells_what_holds_and_nothing_of_the_conversation(
    vault: Vault, shared: Vault, quoted: bool
) -> None:
    memory = learnt(vault)
    assert memory.quote and memory.sources
    (done,) = vault.promote([memory.id], "project", with_quote=quoted)
    assert (done.code, done.shared, bool(done.path)) == ("allowed", "@shop", True)
    (copy,) = shared.list()
    kept = ("id", "text", "category", "created", "tags", "entities", "project", "space")
    assert [getattr(copy, name) for name in kept] == [getattr(memory, name) for name in kept]
    assert (copy.sources, copy.expires, copy.quote) == ((), "", memory.quote if quoted else "")
    text = "".join(committed(shared.root).values())
    assert ("not SQLite" in text) is ("not SQLite" in memory.text or quoted)
    assert "#^" not in text and str(vault.root) not in text
    assert where(shared.root, "canarylunch") == where(shared.root, "Canarylunch") == []
    assert states(vault) == {memory.text: "superseded"}
    assert vault.promote([memory.id], "project")[0].code == "already"
    assert [one.code for one in shared.doctor()] == []


def test_events_tell_the_shared_vault_and_the_item_there(vault: Vault, shared: Vault) -> None:
    memory = told(vault)
    vault.promote([memory.id], "project")
    last = [one.row for one in vault.events(4)][-3:]
    assert [one["type"] for one in last] == [
        "memory_border_check", "memory_promoted", "memory_deleted",
    ]  # fmt: skip
    promoted = last[1]
    assert (promoted["to_vault"], promoted["reason"]) == (shared.id, "by_hand")
    assert promoted["to_id"] == str(shared.parts.catalog.items.of(memory.id))
    assert last[2]["reason"] == "promoted"


def test_a_crash_between_both_vaults_is_finished_by_the_same_request(
    vault: Vault, shared: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory, commit = told(vault), vault.parts.committer.commit

    def crashes(plan: Plan) -> Transaction:
        if plan.kind == "promote":
            raise KeyboardInterrupt
        return commit(plan)

    monkeypatch.setattr(vault.parts.committer, "commit", crashes)
    with pytest.raises(KeyboardInterrupt):
        vault.promote([memory.id], "project")
    monkeypatch.undo()
    before = committed(shared.root)
    assert states(vault) == states(shared) == {memory.text: "active"}
    assert vault.promote([memory.id], "project")[0].code == "allowed"
    assert committed(shared.root) == before
    assert states(vault) == {memory.text: "superseded"}


def test_a_copy_that_is_gone_is_told_and_the_own_one_can_be_shared_again(
    vault: Vault, shared: Vault
) -> None:
    memory = told(vault)
    vault.promote([memory.id], "project")
    shared.undo()
    with pytest.raises(EngramError, match="in use there no more") as refused:
        vault.promote([memory.id], "project")
    assert "restore" in refused.value.hint
    vault.restore(memory.id)
    assert vault.promote([memory.id], "project")[0].code == "allowed"
    assert states(shared) == {memory.text: "active"}


def test_a_purge_tells_the_copy_that_stays(vault: Vault, shared: Vault) -> None:
    memory = told(vault)
    vault.promote([memory.id], "project")
    assert vault.purge(memory.id).purged.shared == (f"@shop/{memory.id}",)
    assert shared.purge(memory.id).purged.shared == ()
    assert where(shared.root, "port 8080") == where(vault.root, "port 8080") == []


def test_what_others_changed_there_stands(vault: Vault, shared: Vault) -> None:
    memory = told(vault)
    vault.promote([memory.id], "project")
    (path,) = (path for path in files(shared.root / "facts"))
    path.write_text(path.read_text(encoding="utf-8").replace("8080", "9090"), encoding="utf-8")
    vault.restore(memory.id)
    other = told(vault, "The till closes at six.")
    with pytest.raises(EngramError, match="promotion_conflict"):
        vault.promote([other.id, memory.id], "project")
    assert states(vault) == {memory.text: "active", other.text: "active"}
    assert states(shared) == {memory.text.replace("8080", "9090"): "active"}
    assert vault.events(1)[0].row["reason"] == "promotion_conflict"


def test_a_newer_decision_replaces_the_shared_one(vault: Vault, shared: Vault) -> None:
    first = told(vault, "We use Postgres for the till.", category="decision")
    vault.promote([first.id], "project")
    vault.close()
    with Vault.open(
        vault.root, environment=vault.parts.environment, clock=FixedClock(LATER)
    ) as later:
        second = told(
            later, "We use MySQL for the till now, no more Postgres.", category="decision"
        )
        later.promote([second.id], "project")
    assert states(shared) == {first.text: "superseded", second.text: "active"}


def test_one_of_another_with_the_same_words_gives_way_to_it(vault: Vault, shared: Vault) -> None:
    told(vault)
    vault.promote([vault.list()[0].id], "project")
    before = committed(shared.root)
    vault.clock.__init__(LATER)  # type: ignore[misc]
    again = told(vault)
    assert vault.promote([again.id], "project")[0].code == "allowed"
    assert committed(shared.root) == before


def test_nothing_is_shared_that_may_not_be(
    vault: Vault, shared: Vault, environment: Mapping[str, str]
) -> None:
    """Each row: what is asked for, how, and a word of the refusal."""
    secret = told(vault, "The till's port is 8080.")
    file = vault.root / secret.path
    key = "ghp_k3JdW9sXq2Lm8Rt5Vb1Nz7Yc4Hf6Pg0Aa2Ee"
    file.write_text(file.read_text(encoding="utf-8").replace("8080", key), encoding="utf-8")
    filed = told(vault, "The till has a file of its own.")
    path = vault.root / filed.path
    told_files = f"related_files:\n  - src/{key}.py\n---\n"
    path.write_text(f"\n{told_files}".join(path.read_text("utf-8").rsplit("\n---\n", 1)), "utf-8")
    private = told(vault, "My daughter's birthday is the third of May.")
    elsewhere = vault.remember("The mill runs on port 7070.", project="mill").memory
    assert elsewhere is not None
    doubted = told(vault, "The till sleeps at night.")
    path = vault.root / doubted.path
    path.write_text(
        path.read_text(encoding="utf-8").replace("status: active", "status: needs-review"),
        encoding="utf-8",
    )
    plain, agent = told(vault, "The till closes at six."), Reader("codex", "codex-1")
    rows: list[tuple[str, dict[str, object], str]] = [
        (secret.id, {"private": True}, "secret"),
        (filed.id, {"private": True}, "secret"),
        (private.id, {}, "for you alone"),
        (elsewhere.id, {"private": True}, "no shared vault serves project mill"),
        (doubted.id, {}, "needs-review"),
        (plain.id, {"reader": agent}, "the person's to decide"),
    ]

    def refused(row: tuple[str, dict[str, object], str]) -> None:
        name, how, word = row
        with pytest.raises(EngramError, match=word):
            vault.promote([name], "project", **how)  # type: ignore[arg-type]

    assert failing(rows, refused) == ""
    assert states(shared) == {}
    assert vault.promote([private.id], "project", private=True)[0].code == "allowed"


def test_the_policy_of_both_vaults_decides(vault: Vault, shared: Vault) -> None:
    memory = told(vault, "The project falcon ships in May.")
    (shared.root / "policy.toml").write_text('[privacy]\ndeny_patterns = ["falcon"]\n')
    with pytest.raises(EngramError, match="privacy_deny_pattern"):
        vault.promote([memory.id], "project")
    (shared.root / "policy.toml").unlink()
    (vault.root / "policy.toml").write_text('[privacy]\ndeny_patterns = ["falcon"]\n')
    with pytest.raises(EngramError, match="privacy_deny_pattern"):
        vault.promote([memory.id], "project")
    (vault.root / "policy.toml").write_text("[spaces]\npromotions = []\n")
    with pytest.raises(EngramError, match="promotion_disallowed"):
        vault.promote([memory.id], "project")
    assert states(shared) == {} and states(vault) == {memory.text: "active"}


def test_no_header_claims_more_than_the_registry_lets_it(
    vault: Vault, shared: Vault, environment: Mapping[str, str]
) -> None:
    memory = told(vault)
    vault.promote([memory.id], "project")
    assert [one.authority for one in shared.list()] == ["user_asserted"]
    (path,) = files(shared.root / "facts")
    text = path.read_text(encoding="utf-8").replace("user_asserted", "system_imposed")
    path.write_text(text.replace("8080", "9090"), encoding="utf-8")
    assert [one.authority for one in shared.list()] == ["ai_inferred"]
    shared.archive([memory.id])
    shared.undo()
    assert [one.authority for one in shared.list()] == ["ai_inferred"]
    shared.close()
    create.register(shared.root, places_of(environment), authority="tool_verified")
    with Vault.open(shared.root, environment=environment) as again:
        assert [one.authority for one in again.list()] == ["tool_verified"]
        assert again.rebuild() == []
        again.confirm([memory.id])
        assert [one.authority for one in again.list()] == ["tool_verified"]


def test_words_that_somebody_changed_count_again_once_confirmed(
    vault: Vault, shared: Vault
) -> None:
    memory = told(vault)
    vault.promote([memory.id], "project")
    (path,) = files(shared.root / "facts")
    path.write_text(path.read_text(encoding="utf-8").replace("8080", "9090"), encoding="utf-8")
    assert [one.authority for one in shared.list()] == ["ai_inferred"]
    before = path.read_bytes()
    shared.confirm([memory.id])
    assert [one.authority for one in shared.list()] == ["user_asserted"]
    shared.rebuild()
    assert ([one.authority for one in shared.list()], path.read_bytes()) == (
        ["user_asserted"], before,
    )  # fmt: skip


def test_a_shared_vault_takes_no_conversation(vault: Vault, shared: Vault, tmp_path: Path) -> None:
    memory = told(vault)
    vault.promote([memory.id], "project")
    shared.ready_to_read()
    before = tree_digest(shared.root)
    turn = turn_of("user", SAID, NOW, source="codex", session="s", project="shop")
    rows = [
        lambda: shared.capture([turn]),
        lambda: shared.remember("The till closes at six."),
        lambda: shared.flush(),
        lambda: shared.tick(),
        lambda: shared.import_files("jsonl", tmp_path),
        lambda: shared.promote([memory.id], "user"),
        lambda: shared.seal_boxes(),
    ]

    def refused(act: object) -> None:
        with pytest.raises(EngramError, match="shared with others"):
            act()  # type: ignore[operator]

    assert failing(rows, refused) == ""
    assert tree_digest(shared.root) == before
    shared.consolidate(full=True)
    assert set(committed(shared.root)) == {
        ".gitignore", "README.md", "engram.toml", shared.list()[0].path,
    }  # fmt: skip


def test_a_shared_vault_that_is_not_what_it_was_takes_nothing(
    vault: Vault, folder: Path, tmp_path: Path
) -> None:
    memory = told(vault)
    config = folder / "engram.toml"
    text = config.read_text(encoding="utf-8")

    def with_text(text: str) -> None:
        config.write_text(text, encoding="utf-8")

    def linked() -> None:
        with_text(text)
        (tmp_path / "elsewhere").mkdir()
        (folder / "facts").rmdir()
        (folder / "facts").symlink_to(tmp_path / "elsewhere")

    rows = [
        (lambda: with_text(text.replace('id = "vault-', 'id = "other-')), "not the vault"),
        (lambda: with_text(text.replace('shares = "project"', "")), "does not say so"),
        (lambda: with_text(text.replace('"project"', '"system"')), "registered for project"),
        (lambda: with_text(text.replace("format = 1", "format = 9")), "newer engram"),
        (linked, "facts"),
        (lambda: shutil.rmtree(folder), "is gone"),
    ]

    def refused(row: tuple[object, str]) -> None:
        spoil, word = row
        spoil()  # type: ignore[operator]
        with pytest.raises(EngramError, match=word):
            vault.promote([memory.id], "project")

    assert failing(rows, refused) == ""
    assert states(vault) == {memory.text: "active"}
    assert not any((tmp_path / "elsewhere").iterdir())


def test_a_repository_that_is_a_home_folder_is_no_projects(
    tmp_path: Path, vault: Vault, environment: dict[str, str]
) -> None:
    (tmp_path / ".git").mkdir()
    memory = told(vault)
    clock = FixedClock(NOW)
    root = tmp_path / "memory"
    with Vault.create(root, environment=environment, clock=clock, shares="project") as shared:
        assert shared.served == []
    with pytest.raises(EngramError, match="no shared vault serves"):
        vault.promote([memory.id], "project")
    create.register(root, places_of(environment), ["sh*"])
    assert vault.promote([memory.id], "project")[0].shared == "@memory"
