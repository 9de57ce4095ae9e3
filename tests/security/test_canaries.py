"""What the redactor knows never lands (design 1.6): a secret in every field, and then a search.

Each field of each door gets secrets of its own, so that a leak names the door that let it through.
"""

from __future__ import annotations

import io
import json
import logging
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engram.capture.accept import cleaned
from engram.capture.redact.redactor import compile_redactor
from engram.model.errors import BadInput, EngramError
from engram.model.model_request import Reply, Request, Usage
from engram.model.refusal_codes import REFUSED
from engram.model.turn import Turn
from engram.recall.filter import Filter
from engram.settings.load import shipped
from engram.store.base.clock import FixedClock
from engram.vault import Adapters, Vault
from tests.kit import where
from tests.security.canaries import KINDS, TOKENS, Canary, canary, contents, leaks

_TIME = "2026-03-06T10:10:00Z"


class Cage:
    """Hands out canaries and keeps those that are out."""

    def __init__(self) -> None:
        self.out: list[Canary] = []

    def text(self, place: str, kinds: tuple[str, ...] = KINDS) -> str:
        """A sentence for each kind, so that rules have something to take for a fact."""
        said = [f"We decided to use {self.word(place, kind)} for the shop." for kind in kinds]
        return "\n\n".join(said)

    def word(self, place: str, kind: str = "openai") -> str:
        found = canary(kind, place)
        self.out.append(found)
        return found.text


@pytest.fixture
def cage() -> Cage:
    return Cage()


@pytest.fixture
def nothing_leaks(
    cage: Cage,
    vault: Vault,
    environment: dict[str, str],
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> Iterator[Callable[..., None]]:
    """Looks at vault, home, log, output and the index, and for errors in the words given."""
    caplog.set_level(logging.DEBUG)

    def look(*errors: object) -> None:
        said = capfd.readouterr()
        seen = [
            *contents(vault.root, Path(environment["ENGRAM_HOME"])),
            ("the log", caplog.text.encode()),
            ("the output", (said.out + said.err).encode()),
            ("an error", " ".join(f"{error} {error!r}" for error in errors).encode()),
            ("the catalog", "\n".join(_rows(vault)).encode("utf-8", "surrogatepass")),
            ("the index", "\n".join(_indexed(vault)).encode("utf-8", "surrogatepass")),
        ]
        assert cage.out
        assert not (found := leaks(cage.out, *seen)), "\n".join(found)

    yield look


def _rows(vault: Vault) -> Iterator[str]:
    """All that the catalog holds, as SQL."""
    database = sqlite3.connect(vault.parts.cache / "catalog.sqlite")
    try:
        yield from database.iterdump()
    finally:
        database.close()


def _indexed(vault: Vault) -> Iterator[str]:
    """All terms and keys of the index, in every generation that there is."""
    from whoosh import index

    for table in sorted((vault.parts.cache / "index").glob("gen-*/*/_*.toc")):
        name = table.name.split("_")[1]
        opened = index.open_dir(str(table.parent), indexname=name, readonly=True)
        reader = opened.reader()
        for field in ("key", "body"):
            yield from (term.decode() for term in reader.lexicon(field))
        reader.close()


def _live(vault: Vault) -> None:
    """What happens to memories and turns afterwards."""
    vault.flush()
    vault.search("shop")
    vault.recall("what do we use for the shop?")
    if memories := list(vault.parts.catalog.memories()):
        vault.forget(memories[0].id)
        vault.restore(memories[0].id)
    for _ in range(2):
        with suppress(EngramError):
            vault.undo()
    vault.rebuild()
    vault.doctor()
    vault.status()


def test_the_net_has_no_holes(cage: Cage, vault: Vault, nothing_leaks: Callable[..., None]) -> None:
    """What is no secret is found where it must be: so a secret would have been."""
    word = "marzipanlighthouse"
    cage.out.append(Canary("word", "text", word, word))
    turn = Turn("api", word, "user", f"We decided on {word}.", _TIME, "0" * 16, word, word, (word,))
    vault.capture([turn])
    vault.flush()
    vault.search("decided")
    with pytest.raises(AssertionError) as found:
        nothing_leaks(f"error: {word}")
    places = str(found.value)
    segment = next(vault.root.glob("transcripts/*/*")).relative_to(vault.root).as_posix()
    for place in ("state/turns/00000001.jsonl", "the catalog", "the index", "an error", segment):
        assert f"word at text in {place}" in places


def test_what_a_policy_keeps_out_for_its_words_is_nowhere(vault: Vault, tmp_path: Path) -> None:
    """Also the turn in which it was asked for: nobody else said it."""
    own = vault.parts.places.policy_file
    own.write_text('[privacy]\ndeny_patterns = ["project falke"]\n', encoding="utf-8")
    with pytest.raises(BadInput, match="privacy_deny_pattern"):
        vault.remember("Project Falke hangs on the zwickelhut.")
    (event,) = [event for _, _, event in vault.parts.catalog.log.since(REFUSED, "")]
    assert dict(event.details)["rule"] == "pattern:1"
    vault.close()
    assert where(tmp_path, "zwickelhut") == []


def _claude_lines(cage: Cage) -> Iterator[dict[str, object]]:
    session = f"{cage.word('session id')}-0001"
    about = {
        "sessionId": session,
        "cwd": f"/home/kim/{cage.word('cwd')}",
        "gitBranch": cage.word("branch"),
        "version": cage.word("version"),
        "timestamp": _TIME,
    }

    def line(kind: str, number: int, message: object, **more: object) -> dict[str, object]:
        return {"type": kind, "uuid": f"u{number}", "message": message, **about, **more}

    def calls(*tools: tuple[str, dict[str, str]]) -> list[dict[str, object]]:
        return [{"type": "tool_use", "id": "t", "name": n, "input": given} for n, given in tools]

    yield {"type": "summary", "summary": cage.word("summary"), "leafUuid": cage.word("leaf")}
    yield line("user", 1, {"role": "user", "content": cage.text("user text")})
    blocks = [{"type": "text", "text": cage.text("user block")}]
    yield line("user", 2, {"role": "user", "content": blocks})
    said = [{"type": "text", "text": cage.text("assistant text")}]
    thought = [{"type": "thinking", "thinking": cage.text("thinking")}]
    yield line("assistant", 3, {"id": "a1", "role": "assistant", "content": [*thought, *said]})
    tools = calls(
        (cage.word("tool name"), {}),
        ("Edit", {"file_path": f"/src/{cage.word('file path')}", "old_string": cage.text("edit")}),
        ("Bash", {"command": f"{cage.word('command')} --now", "description": cage.word("why")}),
        ("Bash", {"command": f"TOKEN={cage.word('assignment')} deploy"}),
        ("Grep", {"pattern": cage.word("pattern", "jwt"), "path": cage.word("grep path")}),
        ("Grep", {"pattern": "x" * 50 + " " + cage.word("late pattern")}),
        ("Grep", {"pattern": "x" * 40 + " " + cage.word("late secret", "aws-secret")}),
        ("WebFetch", {"url": cage.word("address", "url"), "prompt": cage.word("prompt")}),
        ("WebSearch", {"query": f"how to rotate {cage.word('query', 'password')}"}),
        ("Skill", {"skill": cage.word("skill")}),
    )
    yield line("assistant", 4, {"id": "a1", "role": "assistant", "content": tools})
    result = [{"type": "tool_result", "tool_use_id": "t", "content": cage.text("tool result")}]
    yield line("user", 5, {"role": "user", "content": result}, toolUseResult=cage.text("stdout"))
    title = "t" * 90 + " " + cage.word("late title", "aws-secret")
    yield {"type": "ai-title", "aiTitle": cage.word("ai title", "jwt"), "sessionId": session}
    yield {"type": "custom-title", "customTitle": title, "sessionId": session}
    queued = cage.text("queued", ("openai", "password"))
    for operation in ("enqueue", "remove"):
        yield {"type": "queue-operation", "operation": operation, "content": queued, **about}
    waiting = cage.text("waiting", ("openai", "password"))
    yield {"type": "queue-operation", "operation": "enqueue", "content": waiting, **about}
    yield {"type": cage.word("line type"), **about}
    yield line("user", 6, {"role": "user", "content": "We decided to ship on Friday."})


def _write(path: Path, rows: Iterator[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_an_agents_transcript(
    cage: Cage, vault: Vault, tmp_path: Path, nothing_leaks: Callable[..., None]
) -> None:
    folder = tmp_path / "projects" / cage.word("folder")
    folder.mkdir(parents=True)
    path = _write(folder / f"{cage.word('file name')}.jsonl", _claude_lines(cage))
    report, _ = vault.import_files("claude-code", tmp_path / "projects")
    assert report.new_turns == 5
    assert report.redactions > 20
    nothing_leaks()
    with path.open("a", encoding="utf-8") as stream:
        later = {"role": "user", "content": cage.text("later")}
        row = {"type": "user", "uuid": "u9", "message": later, "timestamp": _TIME}
        stream.write(json.dumps(row) + "\n")
    assert vault.import_files("claude-code", tmp_path / "projects", live=True)[0].new_turns == 1
    _live(vault)
    nothing_leaks()


def test_generic_json_lines(
    cage: Cage, vault: Vault, tmp_path: Path, nothing_leaks: Callable[..., None]
) -> None:
    def rows() -> Iterator[dict[str, object]]:
        yield {
            "role": "user",
            "content": cage.text("content"),
            "session": cage.word("session"),
            "project": f"/home/kim/{cage.word('project')}",
            "title": cage.word("title"),
            "timestamp": cage.word("timestamp"),
            "id": cage.word("id"),
        }
        yield {"role": cage.word("role"), "content": cage.text("of a strange role")}
        session = "s" * 180 + " " + cage.word("late session", "aws-secret")
        title = "t" * 100 + " " + cage.word("late title")
        yield {"role": "assistant", "content": "Done.", "session": session, "title": title}
        yield {"role": "user", "content": "ok", "project": cage.word("project of a word", "aws-id")}

    path = _write(tmp_path / f"{cage.word('file name')}.jsonl", rows())
    report, _ = vault.import_files("jsonl", path)
    assert report.new_turns == 3
    nothing_leaks()
    _live(vault)
    nothing_leaks()


@pytest.mark.parametrize("source", ["text", "markdown"])
def test_notes(
    source: str, cage: Cage, vault: Vault, tmp_path: Path, nothing_leaks: Callable[..., None]
) -> None:
    lines = [
        "---",
        f"title: {cage.word('title')}",
        f"project: {cage.word('project')}",
        f"date: {cage.word('date')}",
        "---",
        f"# {cage.word('heading')}",
        "",
        cage.text("body"),
        "",
        "word " * 780,
        cage.word("across the cut", "pem"),
        "",
        f"## 2026-03-06 {cage.word('dated heading')}",
        "",
        cage.text("after"),
    ]
    suffix = ".md" if source == "markdown" else ".txt"
    path = tmp_path / f"{cage.word('file name')}{suffix}"
    path.write_text("\n".join(lines), encoding="utf-8")
    assert vault.import_files(source, path)[0].new_turns > 2
    nothing_leaks()
    _live(vault)
    nothing_leaks()


def test_standard_input(cage: Cage, vault: Vault, nothing_leaks: Callable[..., None]) -> None:
    row = {"role": "user", "content": cage.text("content"), "session": cage.word("session")}
    lines = json.dumps(row | {"project": cage.word("project")}) + "\n"
    vault.capture_stream(io.BytesIO(lines.encode()))
    vault.capture_stream(io.BytesIO(b'{"role": "user", "content": "hi"}\n'), project=cage.word("p"))
    vault.capture_stream(io.BytesIO(cage.text("prose").encode()))
    _live(vault)
    nothing_leaks()


def test_turns_of_the_library(cage: Cage, vault: Vault, nothing_leaks: Callable[..., None]) -> None:
    turn = Turn(
        "api", cage.word("session"), "user", cage.text("text"), _TIME, "0123456789abcdef",
        cage.word("project"), cage.word("title"), (cage.word("tool"), cage.word("other", "jwt")),
    )  # fmt: skip
    vault.capture([turn])
    errors = []
    for name in ("source", "message", "time"):
        given = {"source": "api", "message": "0123456789abcdef", "time": _TIME}
        given[name] = cage.word(name)
        wrong = Turn(session="s", role="user", text="hello there", **given)  # type: ignore[arg-type]
        with pytest.raises(BadInput) as refused:
            vault.capture([wrong])
        errors.append(refused.value)
    _live(vault)
    nothing_leaks(*errors)


def test_what_a_person_says_to_the_program(
    cage: Cage, vault: Vault, nothing_leaks: Callable[..., None]
) -> None:
    errors: list[EngramError] = []
    for kind in KINDS:
        with pytest.raises(BadInput) as refused:
            vault.remember(f"The shop uses {cage.word('remembered', kind)} for all.")
        errors.append(refused.value)
    with pytest.raises(BadInput) as refused:
        vault.remember("The shop uses Postgres.", category=cage.word("category"))
    errors.append(refused.value)
    memory = vault.remember("The shop uses Postgres.", project=cage.word("project")).memory
    for kind in TOKENS:
        vault.remember(f"The shop uses {kind}.", project=f"/home/kim/{cage.word('folder', kind)}")
    vault.forget(memory.id, reason=cage.text("reason"))
    for kind in KINDS:
        vault.search(cage.word("query", kind))
        vault.recall(cage.word("question", kind))
        list(vault.parts.lookup.grep("zzz" + cage.word("pattern", "openai"), Filter()))
    vault.restore(memory.id)
    _live(vault)
    nothing_leaks(*errors)


def test_an_import_that_goes_wrong(
    cage: Cage, vault: Vault, tmp_path: Path, nothing_leaks: Callable[..., None]
) -> None:
    gone = tmp_path / cage.word("missing file")
    with pytest.raises(BadInput) as refused:
        vault.import_files("text", gone)
    folder = tmp_path / "notes"
    folder.mkdir()
    loop = folder / f"{cage.word('a loop')}.txt"
    loop.symlink_to(loop)
    binary = folder / f"{cage.word('binary')}.txt"
    binary.write_bytes(b"\0\1\2" + cage.text("in a binary").encode())
    with pytest.raises(BadInput):
        vault.import_files("text", loop)
    vault.import_files("text", folder)
    assert str(gone) in str(refused.value), "what the person typed is said back, and not kept"
    nothing_leaks()


_REDACTOR = compile_redactor(shipped("redaction"))
_WORDS = st.one_of(
    st.text(alphabet=st.sampled_from(" abcSK-_=:/'\"\n.#@[]{}0123456789pass"), max_size=30),
    st.sampled_from(["0000", "secret", "password:", "-----END", "eyJ", "AKIA", "sk-", "example"]),
)


@example("card", "title", ["", "", "", "0000", "0000"])
@given(
    st.sampled_from(KINDS),
    st.sampled_from(["text", "session", "title", "project", "tools"]),
    st.lists(_WORDS, min_size=5, max_size=5),
)
def test_no_neighbour_hides_a_secret(kind: str, field: str, around: list[str]) -> None:
    """The fields of a turn are looked at together first: that must not blind the redactor."""
    hidden = canary(kind, "among neighbours")
    alone = _REDACTOR.redact(hidden.text)
    assert alone.found
    given = dict(zip(("text", "session", "title", "project", "tools"), around, strict=True))
    given[field] = hidden.text
    turn = Turn(
        "api", given["session"], "user", given["text"], _TIME, "0" * 16, given["project"],
        given["title"], (given["tools"],),
    )  # fmt: skip
    clean, _ = cleaned(turn, _REDACTOR)
    shown = "\n".join((clean.text, clean.session, clean.title, clean.project, *clean.tools))
    assert leaks([hidden], ("the turn", shown.encode())) == []


def test_a_secret_torn_by_control_characters_is_whole_when_they_are_gone(
    cage: Cage, vault: Vault, nothing_leaks: Callable[..., None]
) -> None:
    """Rendering drops control characters: what was torn by them must not come together."""
    word = cage.word("torn")
    for mark in ("\x01", "\x1b", "\x7f", "\x9b"):
        torn = word[:20] + mark + word[20:]
        said = Turn("api", torn, "user", f"use {torn}", _TIME, f"{ord(mark):016x}", title=torn)
        vault.capture([said])
        with pytest.raises(BadInput):
            vault.remember(f"The shop uses {torn} for all.")
    vault.flush()
    nothing_leaks()


def _record(cage: Cage, place: str, **changed: object) -> dict[str, object]:
    """A decision as seed 001 writes one, of which some fields hold secrets."""
    content = {
        "status": "accepted", "context": "Two writers.", "decision": "The shop uses Postgres.",
        "alternatives": None, "rationale": ["two writers"], "consequences": None,
    }  # fmt: skip
    common = {
        "schema_version": "1.0", "category": "decision", "id": f"use-{place}", "title": place,
        "created_at": _TIME, "updated_at": _TIME, "tags": ["db"], "related_files": ["src/db.py"],
        "confidence": 0.9, "record_status": "active", "changes": [], "times_updated": 0,
    }  # fmt: skip
    inner = {name: changed.pop(name) for name in list(changed) if name in content}
    return common | changed | {"content": content | inner}


def _records(cage: Cage, door: str) -> Iterator[dict[str, object]]:
    """One for each field, and for each way in which it may be told."""
    for field in ("context", "decision", "title"):
        for kind in ("openai", "password"):
            yield _record(cage, f"{field}-{kind}", **{field: cage.word(f"{door} {field}", kind)})
    for field in ("rationale", "consequences", "tags", "related_files"):
        yield _record(cage, field, **{field: [cage.word(f"{door} {field}")]})
    change = {"date": _TIME, "field": "context", "reason": cage.word(f"{door} change")}
    yield _record(cage, "changed", changes=[change], times_updated=1)


def test_records_by_hand_and_reasons(
    cage: Cage, vault: Vault, nothing_leaks: Callable[..., None]
) -> None:
    errors: list[EngramError] = []
    for row in _records(cage, "by hand"):
        for dry_run in (True, False):
            try:
                vault.new(json.dumps(row).encode(), "decision", dry_run=dry_run)
            except EngramError as error:
                errors.append(error)
    assert len(errors) > 10
    refused = [event for _, _, event in vault.parts.catalog.log.since(REFUSED, "")]
    assert {dict(event.details)["code"] for event in refused} == {"privacy_deny_sensitive"}
    memory = vault.remember("The shop uses Postgres for all its orders.").memory
    vault.retire([memory.id], reason=cage.text("a reason to retire"))
    _live(vault)
    nothing_leaks(*errors)


def test_other_stores(
    cage: Cage, vault: Vault, tmp_path: Path, nothing_leaks: Callable[..., None]
) -> None:
    folder = tmp_path / "shop" / ".claude" / "memory" / "decisions"
    folder.mkdir(parents=True)
    for number, row in enumerate(_records(cage, "claude-memory")):
        (folder / f"{row['id']}-{number}.json").write_text(json.dumps(row), encoding="utf-8")
    vault.import_files("claude-memory", folder.parent)
    held = [
        {"id": cage.word("mem0 id"), "memory": cage.text("mem0 memory"), "created_at": _TIME,
         "user_id": cage.word("mem0 user"), "metadata": {"category": cage.word("mem0 metadata")}},
    ]  # fmt: skip
    export = tmp_path / f"{cage.word('mem0 file')}.json"
    export.write_text(json.dumps({"results": held}), encoding="utf-8")
    vault.import_files("mem0", export)
    graph = tmp_path / "memory.json"
    entity = {"type": "entity", "name": cage.word("entity"), "entityType": cage.word("type"),
              "observations": [cage.text("observation")]}  # fmt: skip
    relation = {"type": "relation", "from": cage.word("from"), "to": cage.word("to"),
                "relationType": cage.word("relation")}  # fmt: skip
    lines = "".join(json.dumps(row) + "\n" for row in (entity, relation))
    graph.write_text(lines, encoding="utf-8")
    vault.import_files("mcp-memory", graph)
    _live(vault)
    nothing_leaks()


class _Leaky:
    """A model that puts a secret into one field after the other of what it proposes."""

    def __init__(self, cage: Cage) -> None:
        fields = ("category", "text", "quote", "scope", "title", "replaces", "confidence")
        fact = {
            "category": "decision", "text": "The team ships on Friday.", "turn": 1,
            "quote": "We decided to ship on Friday.", "scope": "project", "confidence": "high",
        }  # fmt: skip
        self.facts: list[dict[str, object]] = [
            fact | {field: cage.word(f"a model's {field}")} for field in fields
        ]
        self.facts += [fact | {field: [cage.word(f"a model's {field}")]} for field in _LISTS]
        # told in words that the redactor cannot tell from others
        cage.out.append(Canary("word", "a model's words", _SAID, _SAID))
        self.facts.append(fact | {"text": f"The signing secret is {_SAID}."})

    def ask(self, request: Request) -> Reply:
        return Reply({request.key: self.facts}, "hand", "hand", Usage(1, 1))


_SAID = "whsec_marzipanlighthouse"
_LISTS = ("entities", "tags")


def test_answers_of_a_model(
    cage: Cage, environment: dict[str, str], tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    caplog.set_level(logging.DEBUG)
    vault = Vault.create(
        tmp_path / "asked", environment=environment, clock=FixedClock(_TIME),
        adapters=Adapters(model=_Leaky(cage)),
    )  # fmt: skip
    said = ["We decided to ship on Friday.", f"The signing key is {cage.word('said')}, keep it."]
    for number, text in enumerate(said):
        turn = Turn("api", "s", "user", text, _TIME, f"{number:016x}", "shop")
        vault.capture([turn])
    vault.flush()
    refused = [event for _, _, event in vault.parts.catalog.log.since(REFUSED, "")]
    assert any(dict(one.details)["code"] == "privacy_deny_sensitive" for one in refused)
    _live(vault)
    seen = [
        *contents(vault.root, Path(environment["ENGRAM_HOME"])), ("the log", caplog.text.encode()),
        ("the catalog", "\n".join(_rows(vault)).encode("utf-8", "surrogatepass")),
    ]  # fmt: skip
    vault.close()
    assert not (found := leaks(cage.out, *seen)), "\n".join(found)
