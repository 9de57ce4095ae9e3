"""Two people with a clone of one repository each, a shared vault in it, and git between them."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from engram.model.errors import EngramError
from engram.model.memory import Memory
from engram.settings.paths import places_of
from engram.settings.registry import Registry
from engram.settings.shared_vaults import serving
from engram.store.base.clock import FixedClock
from engram.vault import Vault, create
from engram.vault.vaults_beside import take_up
from tests.kit import files

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not here")

NOW, LATER = "2026-03-06T12:00:00Z", "2026-03-07T12:00:00Z"
DECIDED = "We use Postgres for the till, because two writers are needed."


@dataclass
class Person:
    """Somebody with a home, a vault of their own, and a clone of the shop's repository."""

    home: Path

    @property
    def clone(self) -> Path:
        return self.home / "shop"

    @property
    def memory(self) -> Path:
        return self.clone / "memory"

    @property
    def environment(self) -> dict[str, str]:
        return {"ENGRAM_HOME": str(self.home / "user"), "HOME": str(self.home)}

    @contextmanager
    def own(self, now: str = NOW) -> Iterator[Vault]:
        root, clock = self.home / "vault", FixedClock(now)
        make = Vault.open if (root / "engram.toml").exists() else Vault.create
        with make(root, environment=self.environment, clock=clock) as vault:
            yield vault

    @contextmanager
    def shared(self, now: str = LATER) -> Iterator[Vault]:
        clock = FixedClock(now)
        with Vault.open(self.memory, environment=self.environment, clock=clock) as vault:
            yield vault

    def promotes(self, text: str, now: str = NOW) -> str:
        with self.own(now) as vault:
            memory = vault.remember(text, project="shop", category="decision").memory
            assert memory is not None
            vault.promote([memory.id], "project")
            return memory.id

    def finds(self, query: str = "Postgres till") -> list[str]:
        with self.shared() as vault:
            return [hit.snippet for hit in vault.search(query).memories]

    def knows(self) -> dict[str, Memory]:
        every = ("active", "needs-review", "superseded", "retired")
        with self.shared() as vault:
            return {one.text: one for one in vault.list(statuses=every)}

    def git(self, *arguments: str) -> str:
        names = ("-c", f"user.name={self.home.name}", "-c", "user.email=a@example.org")
        environment = {
            "PATH": os.environ["PATH"], "HOME": str(self.home), "GIT_CONFIG_NOSYSTEM": "1",
        }  # fmt: skip
        done = subprocess.run(
            ["git", *names, "-c", "commit.gpgsign=false", "-c", "pull.rebase=false", *arguments],
            cwd=self.clone, capture_output=True, text=True, timeout=60, check=False,
            env=environment,
        )  # fmt: skip
        return done.stdout + done.stderr

    def pushes(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-m", "what we know")
        self.git("pull", "--no-edit")
        said = self.git("push", "origin", "main")
        assert "main -> main" in said or "up-to-date" in said, said

    def edits(self, old: str, new: str) -> None:
        (path,) = (one for one in files(self.memory / "facts") if old in one.read_text("utf-8"))
        path.write_text(path.read_text("utf-8").replace(old, new), encoding="utf-8")


@pytest.fixture
def people(tmp_path: Path) -> tuple[Person, Person]:
    """Ann, who made the shared vault, and Ben, who cloned the repository and trusts it."""
    bare = tmp_path / "shop.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(bare)], check=True)
    ann, ben = Person(tmp_path / "ann"), Person(tmp_path / "ben")
    for one in (ann, ben):
        one.home.mkdir()
    subprocess.run(["git", "clone", "-q", str(bare), str(ann.clone)], check=True)
    ann.git("checkout", "-b", "main")
    Vault.create(
        ann.memory, environment=ann.environment, clock=FixedClock(NOW), shares="project"
    ).close()
    ann.pushes()
    subprocess.run(["git", "clone", "-q", str(bare), str(ben.clone)], check=True)
    create.register(ben.memory, places_of(ben.environment))
    return ann, ben


def test_what_one_promotes_the_other_has_after_a_pull(people: tuple[Person, Person]) -> None:
    ann, ben = people
    ann.promotes(DECIDED)
    ann.pushes()
    carried = set(ann.git("ls-files").splitlines())
    assert not [name for name in carried if "state" in name]
    assert ben.finds() == []
    ben.git("pull")
    assert len(ben.finds()) == 1
    assert [one.authority for one in ben.knows().values()] == ["ai_inferred"]
    assert [one.authority for one in ann.knows().values()] == ["user_asserted"]
    places = places_of(ben.environment)
    entries, home = Registry(places).entries(), ben.home
    (ben.home / "mill" / ".git").mkdir(parents=True)
    assert serving(entries, str(ben.clone / "src"), ("shop",), home)
    assert not serving(entries, str(ben.home / "mill"), ("mill",), home)
    with ben.shared() as vault:
        assert [one for one in vault.doctor() if one.severity == "error"] == []


def test_an_edit_of_the_other_is_taken_up_and_claims_nothing(
    people: tuple[Person, Person],
) -> None:
    ann, ben = people
    name = ann.promotes(DECIDED)
    ann.pushes()
    ben.git("pull")
    ben.edits("two writers", "three writers")
    ben.edits("user_asserted", "system_imposed")
    ben.pushes()
    ann.git("pull")
    with ann.shared() as vault:
        take_up(vault.parts)
        (read,) = vault.parts.beside.values()
        assert [one.authority for one in read.catalog.memories()] == ["ai_inferred"]
    (found,) = ann.knows().values()
    assert (found.id, found.authority) == (name, "ai_inferred")
    assert "three writers" in found.text
    # so that a newer word of hers stands against it, whatever the header claims
    ann.promotes("We use MySQL for the till now, not Postgres.", LATER)
    assert [one.status for one in ann.knows().values()].count("superseded") == 1
    ann.pushes()
    ben.git("pull")
    assert {one.status for one in ben.knows().values()} == {"active", "superseded"}


def test_both_promote_at_once(people: tuple[Person, Person]) -> None:
    ann, ben = people
    # one memory on two machines of one person: the vault was carried, its log books were not
    with ann.own() as vault:
        memory = vault.remember(DECIDED, project="shop", category="decision").memory
        assert memory is not None
    shutil.copytree(ann.home / "vault", ben.home / "vault", ignore=shutil.ignore_patterns("state"))
    create.register(ben.home / "vault", places_of(ben.environment))
    with ben.own(LATER) as vault:
        vault.remember("The till closes at six.", project="shop")
        vault.promote([memory.id], "project")
    with ann.own() as vault:
        vault.promote([memory.id], "project")
    ann.promotes("The till runs on port 8080.")
    ben.promotes("The till is called Bella.")
    ann.pushes()
    ben.pushes()
    ann.git("pull")
    assert ann.git("status", "--porcelain") == ben.git("status", "--porcelain") == ""
    assert len(ann.knows()) == 3 and ann.knows().keys() == ben.knows().keys()


def test_a_file_with_marks_of_a_merge_waits_for_a_person(people: tuple[Person, Person]) -> None:
    ann, ben = people
    name = ann.promotes(DECIDED)
    ann.pushes()
    ben.git("pull")
    ben.edits("two writers", "three writers")
    ben.pushes()
    ann.edits("two writers", "four writers")
    ann.git("commit", "-am", "mine")
    ann.git("pull")
    assert "<<<<<<<" in next(iter(files(ann.memory / "facts"))).read_text("utf-8")
    with ann.shared() as vault:
        (found,) = vault.doctor()
        assert (found.code, "conflict marks" in found.message) == ("header", True)
        assert [vault.parts.catalog.audience(one.id) for one in vault.list()] == ["nobody"]
    ann.git("checkout", "--theirs", ".")
    assert ["three writers" in text for text in ann.knows()] == [True]
    ann.pushes()
    assert ann.git("status", "--porcelain") == ""
    with ann.own() as vault, pytest.raises(EngramError, match="promotion_conflict"):
        vault.restore(name)
        vault.promote([name], "project")


def test_log_books_that_came_with_git_are_not_believed(people: tuple[Person, Person]) -> None:
    ann, ben = people
    ann.promotes(DECIDED)
    ann.git("add", "-f", "memory/state")
    ann.pushes()
    ben.git("pull")
    forms = ("--index-version=2", "--index-version=4", "--split-index")
    for form in forms:
        ben.git("update-index", *form.split("="))
        with pytest.raises(EngramError, match="git carries"):
            create.register(ben.memory, places_of(ben.environment))
