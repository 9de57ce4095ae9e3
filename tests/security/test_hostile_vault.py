"""A vault made by somebody who means harm: it is read, nothing breaks, the doctor tells (4.3)."""

from __future__ import annotations

import json
import os
import re
import socket
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from engram.daemon.tail import Tail
from engram.model.errors import EngramError, StorageError
from engram.model.ids import is_id
from engram.recall.filter import Filter
from engram.settings.paths import places_of
from engram.settings.registry import Registry
from engram.surfaces.cli.app import cli
from engram.surfaces.cli.arguments import begin
from engram.vault import Vault
from tests.kit import turns

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links, pipes and errors of POSIX")
_DAY = "2026-03-06"
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def note(vault: Vault, name: str, data: bytes, folder: str = f"facts/{_DAY}") -> Path:
    """A file that somebody put into the vault."""
    path = vault.root / folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def fact(text: str = "The shop uses Postgres.", header: str = "id: good\n") -> bytes:
    head = "category: decision\nstatus: active\ncreated: 2026-03-06T10:10:00Z\n"
    return f"---\n{header}{head}---\n{text}\n".encode()


def findings(vault: Vault) -> dict[str, str]:
    """What the doctor says: subject -> code."""
    return {finding.subject: finding.code for finding in vault.doctor()}


def live(vault: Vault) -> set[str]:
    vault.ready_to_read()
    return {memory.text for memory in vault.parts.lookup.listing(Filter(), 1000)}


@pytest.fixture
def engram(vault: Vault, environment: dict[str, str]) -> Callable[..., Result]:
    """The command line on the vault; what it prints has no control characters."""

    def run(*arguments: str) -> Result:
        begin()
        done = CliRunner().invoke(
            cli, ["--vault", str(vault.root), *arguments], env=environment, catch_exceptions=False
        )
        assert not _CONTROL.search(done.output), repr(done.output)
        return done

    return run


_HEADERS = {
    "30 kB of brackets": b"tags: " + b"[" * 30_000,
    "brackets below a key": b"a:\n  b: " + b"{x: " * 5_000,
    "an alias bomb": b"a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: [*c, *c]\n" * 20,
    "an anchor": b"status: &s active\ncategory: *s",
    "a merge key": b"base: &b {category: decision}\n<<: *b",
    "a python object": b"x: !!python/object/apply:os.system ['touch /tmp/engram-was-here']",
    "a python name": b"category: !!python/name:os.system\nx: !!python/module:os",
    "0.9 MB": b"x: y\n" * 180_000,
    "one line of 0.9 MB": b"x: " + b"y" * 900_000,
    "dashes": b"- " * 450_000,
    "a thousand keys": b"".join(b"k%d: [a, b]\n" % number for number in range(1000)),
    "NUL bytes": b"cate\0gory: fact\0",
    "invalid UTF-8": b"category: \xff\xfe\x80fact",
    "lone surrogates": b'title: "\\ud800 \\udfff"\nx: \xed\xa0\x80',
    "an unclosed quote": b"title: 'never closed\ncategory: fact",
    "tabs": b"category:\tfact\n\t- x\n",
    "numbers and dates": b"created: 2026-99-99\nconfidence: 1e400\nimportance: -inf\nexpires: 0",
    "lists for words": b"id: [a, b]\nstatus: {x: y}\ncategory: [fact]\ncreated: []",
    "a status of its own": b"status: admin\ncategory: root\nauthority: god\nspace: all",
    "forged links": b'supersedes: ["[[../../etc/passwd]]", "[[x|]]"]\nsources: ["a#^b","\\x1b[3m"]',
}


@pytest.mark.parametrize("kind", sorted(_HEADERS))
def test_a_hostile_header_does_no_more_than_be_listed(
    kind: str, vault: Vault, engram: Callable[..., Result]
) -> None:
    note(vault, "good.md", fact())
    path = note(
        vault,
        "bad.md",
        b"---\nkind: note\n" + _HEADERS[kind] + b"\n---\nWords that are findable.\n",
    )
    assert {"The shop uses Postgres.", "Words that are findable."} <= live(vault)
    assert [hit.file for hit in vault.search("findable").memories] == [f"facts/{_DAY}/bad.md"]
    found = findings(vault)
    assert any(subject in ("bad", f"facts/{_DAY}/bad.md") for subject in found), found
    assert f"facts/{_DAY}/good.md" not in found
    before = path.read_bytes()
    for arguments in (["list"], ["show", "bad"], ["why", "bad"], ["links", "bad"], ["doctor"]):
        engram(*arguments)
    vault.rebuild()
    assert path.read_bytes() == before
    assert not Path("/tmp/engram-was-here").exists()


def test_forged_ids_name_nothing_outside(vault: Vault, engram: Callable[..., Result]) -> None:
    forged = {
        "up.md": "../../x",
        "long.md": "a" * 200,
        "upper.md": "UPPER-Case",
        "root.md": "/etc/passwd",
        "dot.md": ".",
        "con.md": "con",
        "blank.md": "a b",
        "nul.md": '"a\\0b"',
        "esc.md": '"a\\x1b[31mb"',
        "option.md": "--help",
    }
    for name, identifier in forged.items():
        note(vault, name, fact(f"Fact of {name}.", f"kind: note\nid: {identifier}\n"))
    assert len(live(vault)) == len(forged)
    found = findings(vault)
    for name, identifier in forged.items():
        if identifier != "--help":
            assert found[f"facts/{_DAY}/{name}"] == "header"
    memories = vault.parts.lookup.listing(Filter(), 100)
    assert all(is_id(memory.id) for memory in memories)
    for memory in memories:
        engram("show", memory.id)
        vault.forget(memory.id)
    for name in forged:
        assert b"status: retired" in (vault.root / f"facts/{_DAY}/{name}").read_bytes()
    assert not live(vault)


def test_the_first_of_two_files_with_one_id_keeps_it(vault: Vault) -> None:
    mine = vault.remember("The shop uses Postgres because two writers are needed.").memory
    text = (vault.root / mine.path).read_text(encoding="utf-8")
    copies = ("aaa.md", "zzz.md")
    for name in copies:
        note(vault, name, text.replace("Postgres", "nothing at all").encode())
    for _ in range(2):
        assert live(vault) == {mine.text}
        found = findings(vault)
        assert [found[f"facts/{_DAY}/{name}"] for name in copies] == ["duplicate_id"] * 2
        vault.rebuild()
    (vault.root / mine.path).unlink()
    vault.ready_to_read()
    assert (
        vault.parts.lookup.find_memory(mine.id) is not None
        or "duplicate_id" not in findings(vault).values()
    )


def test_links_are_not_followed(
    vault: Vault, tmp_path: Path, engram: Callable[..., Result]
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "private.md").write_text(
        "Neither words nor names of the outside: xyzzy.", encoding="utf-8"
    )
    folder = vault.root / "facts" / _DAY
    folder.mkdir()
    (folder / "file.md").symlink_to(outside / "private.md")
    (folder / "host.md").symlink_to("/etc/hostname")
    (folder / "dangling.md").symlink_to(tmp_path / "nothing")
    (folder / "loop.md").symlink_to(folder / "loop.md")
    (folder / "folder").symlink_to(outside)
    (vault.root / "facts" / "all").symlink_to("/")
    note(vault, "good.md", fact())
    assert live(vault) == {"The shop uses Postgres."}
    found = findings(vault)
    for name in ("file.md", "host.md", "dangling.md", "loop.md", "folder"):
        assert found[f"facts/{_DAY}/{name}"] == "unreadable", found
    assert found["facts/all"] == "unreadable"
    vault.rebuild()
    assert not vault.search("xyzzy").memories
    assert not list(vault.parts.lookup.grep("xyzzy", Filter()))
    for arguments in (["doctor"], ["list"], ["search", "xyzzy"], ["grep", "xyzzy"], ["status"]):
        assert "private" not in engram(*arguments).output
    assert "xyzzy" not in _state(vault)


def _state(vault: Vault) -> str:
    files = [path for path in (vault.root / "state").rglob("*") if path.is_file()]
    return "".join(path.read_text("utf-8", "replace") for path in files)


@pytest.mark.parametrize("top", ["facts", "archive", "transcripts", "state", "state/journal"])
def test_a_folder_of_the_vault_that_is_a_link_is_not_followed(
    top: str, vault: Vault, tmp_path: Path, open_vault: Callable[..., Vault]
) -> None:
    """What lies outside is not read, not even by its names; what lies inside is."""
    vault.remember("The shop uses Postgres.")
    vault.close()
    moved = tmp_path / "moved"
    (vault.root / top).rename(moved)
    (vault.root / top).symlink_to(moved)
    before = sorted(path.name for path in moved.rglob("*"))
    with open_vault() as reopened:
        expected = set() if top == "facts" else {"The shop uses Postgres."}
        assert live(reopened) == expected
        assert bool(reopened.search("postgres").memories) == bool(expected)
        found = {finding.subject for finding in reopened.doctor()}
        assert top in found, found
        assert sorted(path.name for path in moved.rglob("*")) == before


def test_a_lock_that_is_a_link_makes_no_file_elsewhere(
    vault: Vault, tmp_path: Path, open_vault: Callable[..., Vault]
) -> None:
    target = tmp_path / "made-by-a-link"
    (vault.root / "state" / "lock").unlink(missing_ok=True)
    (vault.root / "state" / "lock").symlink_to(target)
    with open_vault() as reopened, pytest.raises(StorageError):
        reopened.remember("The shop uses Postgres.")
    assert not target.exists()


@contextmanager
def _listening(path: Path) -> Iterator[None]:
    """A socket at a path, which may be longer than a socket's name."""
    with tempfile.TemporaryDirectory(dir="/tmp") as short, socket.socket(socket.AF_UNIX) as server:
        server.bind(f"{short}/s")
        os.rename(f"{short}/s", path)
        yield


def test_pipes_sockets_and_devices_are_not_opened(
    vault: Vault, engram: Callable[..., Result]
) -> None:
    note(vault, "good.md", fact())
    folder = vault.root / "facts" / _DAY
    os.mkfifo(folder / "pipe.md")
    os.mkfifo(vault.root / "inbox" / "pipe.md")
    (folder / "folder.md").mkdir()
    with _listening(folder / "socket.md"):
        assert live(vault) == {"The shop uses Postgres."}
        found = findings(vault)
        assert found[f"facts/{_DAY}/pipe.md"] == "unreadable"
        assert found[f"facts/{_DAY}/socket.md"] == "unreadable"
        vault.rebuild()
        report, _ = vault.import_files("markdown", vault.root / "inbox")
        assert (report.files, report.new_turns) == (0, 0)
        report, _ = vault.import_files("markdown", vault.root / "facts", dry_run=True)
        assert report.files == 0
        engram("doctor")


def test_pipes_where_the_program_writes_are_refused(
    vault: Vault, open_vault: Callable[..., Vault]
) -> None:
    vault.capture(turns(1))
    path = next(vault.root.glob("transcripts/*/*.md"))
    state = vault.root / "state"
    for place in (path, state / "trace.jsonl", state / "cursors.json"):
        kept = place.read_bytes() if place.exists() else b""
        place.unlink(missing_ok=True)
        os.mkfifo(place)
        with open_vault() as reopened, suppress(EngramError):
            reopened.capture(turns(1, first=5))
            reopened.remember("The shop uses Postgres.")
            reopened.import_files("text", note(vault, "note.txt", b"Postgres it is.", "inbox"))
        place.unlink()
        place.write_bytes(kept)
    with open_vault() as reopened:
        reopened.capture(turns(2, first=5))
        told = {entry.turn.text for entry in reopened.parts.turn_log.entries()}
        assert told >= {one.text for one in (*turns(1), *turns(2, first=5))}
        reopened.rebuild()
        assert reopened.doctor() == []


def test_large_files_are_bounded(vault: Vault, engram: Callable[..., Result]) -> None:
    """50 MB of one line in a fact: neither indexed nor journalled, but told of."""
    note(vault, "good.md", fact())
    huge = note(vault, "huge.md", fact("word " * 10_000_000))
    note(vault, "line.md", fact("x" * 900_000, "id: line\n"))
    assert "The shop uses Postgres." in live(vault)
    found = findings(vault)
    assert found[f"facts/{_DAY}/huge.md"] == "no_memory"
    assert f"facts/{_DAY}/line.md" not in found
    turn_log = sum(path.stat().st_size for path in (vault.root / "state").rglob("*.json"))
    assert turn_log < 3_000_000
    engram("list")
    engram("search", "word")
    assert huge.exists()


_NAMES = [
    b"two\nlines.md", b"--help.md", b"-rf.md", b"\xff\xfe.md", "right\u202eleft.md".encode(),
    b"esc\x1b[31mred.md", b"bell\x07.md", b"tab\t.md", b" .md", b"'quote\".md",
    "e\u0301.md".encode(), "\u00e9.md".encode(), b"$(touch x).md", b"%s%n.md", b"[[link]].md",
    b"back\\slash.md", b"a" * 250 + b".md", "\U0001f600.md".encode(), b"#tag.md",
]  # fmt: skip


def test_names_of_any_bytes_break_nothing(vault: Vault, engram: Callable[..., Result]) -> None:
    folder = vault.root / "facts" / _DAY
    folder.mkdir()
    for number, name in enumerate(_NAMES):
        body = fact(f"The shop has {number} doors.", "")
        with open(os.fsencode(folder) + b"/" + name, "wb") as file:
            file.write(body)
    texts = live(vault)
    found = vault.doctor()
    listed = {one.subject for one in found if one.code in ("unreadable", "duplicate_id")}
    assert len(texts) + len(listed) == len(_NAMES), listed
    assert {f"facts/{_DAY}/\udcff\udcfe.md", f"facts/{_DAY}/back\\slash.md"} <= listed
    for arguments in (["doctor"], ["list"], ["search", "doors"], ["grep", "doors"], ["log"]):
        engram(*arguments)
        json.loads(engram(*arguments, "--json").stdout)
    for memory in vault.parts.lookup.listing(Filter(), 100):
        engram("show", memory.id)
        engram("why", memory.id)
    vault.rebuild()
    assert live(vault) == texts
    memory = next(one for one in vault.parts.lookup.listing(Filter(), 100) if "\n" in one.path)
    vault.forget(memory.id)
    vault.undo()
    assert live(vault) == texts


def test_escapes_in_words_are_not_printed(vault: Vault, engram: Callable[..., Result]) -> None:
    evil = "Sale \x1b]0;owned\x07 \x1b[2J \x9b31m \u202e reversed \u2066 isolate \x08\x08 \r over"
    note(vault, "evil.md", fact(evil, f'title: "{"x"}"\nproject: "p\\x1b[31m"\n'))
    note(vault, "body.md", evil.encode())
    for arguments in (
        ["list"], ["search", "reversed"], ["grep", "reversed"], ["show", "evil"], ["why", "evil"],
        ["show", "body"], ["recall", "reversed isolate"], ["doctor"], ["today"], ["links", "evil"],
    ):  # fmt: skip
        engram(*arguments)


_SAID = b"**user** 2026-03-06 10:00:00 ^m0123456789\n\nhello there\n"
_TRANSCRIPTS = {
    "no header": _SAID,
    "a wrong time": b"---\n---\n" + _SAID.replace(b"2026-03-06 10:00:00", b"9999-99-99 99:99:99"),
    "other digits": b"---\n---\n" + _SAID.replace(b"2026", "\u0662\u0660\u0662\u0666".encode()),
    "one block twice": b"---\n---\n" + _SAID + b"\n" + _SAID,
    "invalid UTF-8": b"---\n---\n" + _SAID.replace(b" there", b" \xff there"),
    "a hostile header": b"---\na: " + b"[" * 30_000 + b"\n---\n" + _SAID,
    "no words": b"---\n---\n" + _SAID.partition(b"\n")[0],
}


@pytest.mark.parametrize("kind", sorted(_TRANSCRIPTS))
def test_a_hostile_transcript_breaks_nothing(
    kind: str, vault: Vault, engram: Callable[..., Result]
) -> None:
    note(vault, "stranger-000000000000.md", _TRANSCRIPTS[kind], f"transcripts/{_DAY}")
    cited = fact(header='sources: ["[[stranger-000000000000#^m0123456789]]"]\n')
    note(vault, "cited.md", cited)
    vault.rebuild()
    for arguments in (
        ["search", "hello there"], ["grep", "hello"], ["why", "cited"], ["doctor"], ["status"],
        ["list"], ["show", "cited"],
    ):  # fmt: skip
        engram(*arguments)
    vault.remember("The shop is closed on Sundays.")
    assert "The shop is closed on Sundays." in live(vault)


_STATE = {
    "journal/2026-03/garbage.json": b"{}",
    "journal/2026-03/00000009.json": b"\xff\0 no json",
    "journal/2026-03/99999999.json": b'{"format": 1}',
    "journal/nowhere": b"a file, no folder",
    "journal/2026-03/\u00b2\u00b2\u00b2\u00b2\u00b2\u00b2\u00b2\u00b2.json": b"{}",
    "turns/\u00b2\u00b2\u00b2\u00b2\u00b2\u00b2\u00b2\u00b2.jsonl": b"{}\n",
    "turns/garbage.jsonl": b"{}\n",
    "turns/00000001.jsonl": b"\xff\xfe\n{}\n" + b"[" * 30_000 + b"\n",
    "pending/garbage.txt": b"x",
    "pending/garbage.json": b"x",
    "cursors.json": b"[" * 30_000,
    "trace.jsonl": b"[" * 30_000 + b"\n{\n",
    "fact-hashes.txt": b"\xff\xfe\n\n \n",
    "dead-letter/garbage.json": b"x",
}


@pytest.mark.parametrize("name", sorted(_STATE))
def test_garbage_in_the_state_of_a_strangers_vault_keeps_nobody_from_reading(
    name: str, vault: Vault, environment: dict[str, str], open_vault: Callable[..., Vault]
) -> None:
    """The logs are never needed to read a vault (design 1.1)."""
    vault.remember("The shop uses Postgres because two writers are needed.")
    vault.close()
    note(vault, Path(name).name, _STATE[name], f"state/{Path(name).parent.as_posix()}")
    for path in sorted(vault.parts.cache.rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()
    Registry(places_of(environment)).remove(vault.root)
    with open_vault() as stranger:
        assert not stranger.trusted
        assert len(stranger.search("postgres").memories) == 1
        assert len(live(stranger)) == 1
        stranger.doctor()
        stranger.rebuild()
        stranger.status()
        stranger.log()


def test_a_known_file_that_becomes_a_link_is_gone(
    vault: Vault, tmp_path: Path, engram: Callable[..., Result]
) -> None:
    memory = vault.remember("The shop uses Postgres.").memory
    outside = tmp_path / "outside.md"
    outside.write_text(
        (vault.root / memory.path).read_text(encoding="utf-8").replace("Postgres", "xyzzy"),
        encoding="utf-8",
    )
    (vault.root / memory.path).unlink()
    (vault.root / memory.path).symlink_to(outside)
    assert not vault.search("postgres xyzzy").memories
    assert findings(vault)[memory.path] == "unreadable"
    assert "xyzzy" not in engram("list").output + engram("grep", "xyzzy").output
    with pytest.raises(EngramError):
        vault.restore(memory.id)
    assert "xyzzy" in outside.read_text(encoding="utf-8")


def test_a_file_that_cannot_be_read_now_is_still_known(
    vault: Vault, monkeypatch: pytest.MonkeyPatch, engram: Callable[..., Result]
) -> None:
    """Another user's file, or a disk with a bad sector: told of, and not taken for removed."""
    memory = vault.remember("The shop uses Postgres.").memory
    (vault.root / memory.path).touch()
    real = os.open

    def denied(name: object, *rest: object, **named: object) -> int:
        if str(name).endswith(memory.path.rpartition("/")[2]):
            raise PermissionError(13, "Permission denied")
        return real(name, *rest, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", denied)
    assert [hit.id for hit in vault.search("postgres").memories] == [memory.id]
    assert not list(vault.parts.lookup.grep("Postgres", Filter(), turns=False))
    assert findings(vault)[memory.path] == "unreadable"
    with pytest.raises(StorageError):
        vault.forget(memory.id)
    monkeypatch.undo()
    assert live(vault) == {"The shop uses Postgres."}
    assert vault.doctor() == []


def test_a_folder_that_cannot_be_listed_now_is_not_taken_for_empty(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = vault.remember("The shop uses Postgres.").memory
    folder = memory.path.rpartition("/")[0]
    real = os.scandir

    def denied(name: object) -> object:
        if str(name).endswith(folder):
            raise PermissionError(13, "Permission denied")
        return real(name)  # type: ignore[call-overload]

    monkeypatch.setattr(os, "scandir", denied)
    assert [hit.id for hit in vault.search("postgres").memories] == [memory.id]
    assert findings(vault)[folder] == "unreadable"
    monkeypatch.undo()
    assert live(vault) == {"The shop uses Postgres."}
    assert [entry.kind for entry in vault.log()] == ["remember"]


def test_following_a_folder_does_not_follow_links_in_it(vault: Vault, tmp_path: Path) -> None:
    folder, outside = tmp_path / "projects", tmp_path / "outside.jsonl"
    folder.mkdir()
    row = '{"type": "user", "uuid": "u", "sessionId": "s", "message": {"content": "xyzzy"}}\n'
    outside.write_text(row, encoding="utf-8")
    (folder / "link.jsonl").symlink_to(outside)
    os.mkfifo(folder / "pipe.jsonl")
    (folder / "mine.jsonl").write_text(
        row.replace("xyzzy", "hello").replace('"u"', '"v"'), encoding="utf-8"
    )
    tail = Tail(vault, "claude-code", folder, lambda text: None)
    tail.scan()
    for path in sorted(folder.iterdir()):
        tail._take(path)
    assert [entry.turn.text for entry in vault.parts.turn_log.entries()] == ["hello"]
