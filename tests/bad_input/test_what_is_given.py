"""What people and programs hand in that cannot be used: a clear error, or a counted skip."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.capture.sources import SOURCES
from engram.model.errors import BadInput, ConfigError, EngramError, NotFound
from engram.model.turn import Turn, turn_of
from engram.recall.filter import Filter
from engram.store.base.clock import FixedClock
from engram.vault import Vault
from tests.conftest import NOW
from tests.effort import examples
from tests.kit import failing

_TIME = "2026-03-06T10:10:00Z"
_GOOD = b'{"role": "user", "content": "We decided to use Postgres for the shop."}\n'


@pytest.mark.parametrize("source", SOURCES)
def test_a_path_without_a_file_is_an_error_that_names_it(
    source: str, vault: Vault, tmp_path: Path
) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "dangling").symlink_to(tmp_path / "gone")
    for name in ("gone", "loop", "dangling", "x" * 300):
        path = tmp_path / name
        with pytest.raises(BadInput) as refused:
            vault.import_files(source, path)
        assert str(path) in str(refused.value)
        assert refused.value.hint
    with pytest.raises(BadInput):
        vault.import_files(source, Path("a\0b"))
    assert vault.log() == []


def test_an_unknown_source_is_an_error_that_lists_those_there_are(
    vault: Vault, tmp_path: Path
) -> None:
    with pytest.raises(BadInput) as refused:
        vault.import_files("claude", tmp_path)
    assert "claude-code" in refused.value.hint


_BLOBS = (
    b"", b"\n\n\n", b"\0" * 5000, bytes(range(256)) * 20, b"\xff\xfeh\0i\0",
    b"\x1f\x8b\x08" + b"z" * 99, b"%PDF-1.7\n\xe2\xe3", b"PK\3\4" + b"\0" * 99, b"[" * 100_000,
    b'{"a":' * 50_000, b'{"type": "user"}\n' * 50, b'null\n1\n[]\n"x"\n{}\n{"role": 7}\n',
    b'{"role": "user", "content": {"x": 1}}\n', b'{"role": "user", "content": [[], 3, null]}\n',
    b'{"type": "user", "message": {"content": 5}, "uuid": [], "timestamp": {}, "cwd": 1}\n',
    b'{"type": "user", "message": {"content": "\\ud800"}, "uuid": "u", "timestamp": 1e999}\n',
    b'{"role": "user", "content": "hi", "timestamp": -1e30, "session": ["x"], "id": 1e309}\n',
    b"---\n" * 3000, b"# 9999-99-99\n\nUser: hi\nAssistant: " + b"x" * 9000,
)  # fmt: skip


@pytest.mark.parametrize("source", SOURCES)
def test_a_file_of_something_else_is_read_without_harm(
    source: str, vault: Vault, tmp_path: Path
) -> None:
    def check(data: bytes) -> None:
        folder = tmp_path / str(_BLOBS.index(data))
        folder.mkdir()
        for suffix in (".jsonl", ".txt", ".md"):
            (folder / f"x{suffix}").write_bytes(data)
        report, _ = vault.import_files(source, folder)
        assert report.problems == []
        vault.import_files(source, folder / "x.jsonl")
        vault.flush()
        assert vault.doctor() == []

    assert not failing(_BLOBS, check)


@pytest.mark.parametrize("source", ["jsonl", "claude-code"])
def test_json_that_is_no_transcript_gives_no_turns_and_is_counted(
    source: str, vault: Vault, tmp_path: Path
) -> None:
    path = tmp_path / "package.jsonl"
    path.write_text('{"name": "shop", "version": 1}\n' * 3 + "no json\n", encoding="utf-8")
    report, outcome = vault.import_files(source, path)
    assert (report.turns, report.new_turns, outcome.memories) == (0, 0, 0)
    assert report.tally.lines == 4
    assert sum(report.tally.unknown.values()) + report.tally.unparsed_lines >= 4


def test_invalid_utf8_is_replaced_and_what_is_whole_is_taken(vault: Vault, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'{"role": "user", "content": "caf\xe9 \xff"}\n' + _GOOD)
    report, _ = vault.import_files("jsonl", path)
    assert report.new_turns == 2
    assert {entry.turn.text for entry in vault.parts.turn_log.entries()} == {
        "caf\ufffd \ufffd", "We decided to use Postgres for the shop.",
    }  # fmt: skip


def test_a_torn_last_line_waits_and_is_taken_when_it_is_whole(vault: Vault, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(_GOOD + _GOOD[:30])
    assert vault.import_files("jsonl", path)[0].new_turns == 1
    path.write_bytes(_GOOD + _GOOD.replace(b"Postgres", b"Redis"))
    assert vault.import_files("jsonl", path)[0].new_turns == 1


def test_one_bad_file_does_not_stop_the_others(
    vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for name in ("a", "b", "c"):
        (folder / f"{name}.jsonl").write_bytes(_GOOD.replace(b"shop", name.encode()))
    shut = str(folder / "b.jsonl")
    real = os.open

    def denied(path: object, *rest: object, **named: object) -> int:
        if str(path) == shut:
            raise PermissionError(13, "Permission denied", shut)
        return real(path, *rest, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", denied)
    report, _ = vault.import_files("jsonl", folder)
    assert report.new_turns == 2
    assert [name for name, _ in report.problems] == ["b.jsonl"]
    assert "Permission denied" in report.problems[0][1]


def test_a_file_that_shrinks_or_is_replaced_is_read_again_and_doubles_nothing(
    vault: Vault, tmp_path: Path
) -> None:
    path = tmp_path / "x.jsonl"
    lines = [
        json.dumps({"role": "user", "content": f"note {n}", "id": str(n)}) + "\n" for n in range(9)
    ]
    path.write_text("".join(lines), encoding="utf-8")
    assert vault.import_files("jsonl", path)[0].new_turns == 9
    path.write_text("".join(lines[:4]), encoding="utf-8")
    assert vault.import_files("jsonl", path)[0].new_turns == 0
    path.write_text(
        "".join(lines[:4]) + json.dumps({"role": "user", "content": "new"}) + "\n", encoding="utf-8"
    )
    assert vault.import_files("jsonl", path)[0].new_turns == 1
    path.unlink()
    path.write_text("".join(reversed(lines)), encoding="utf-8")
    assert vault.import_files("jsonl", path)[0].new_turns == 0


@pytest.mark.parametrize(
    "data", [b"\0\1\2", b"", b"\xff" * 100, b"%PDF-1.7\n\xe2\xe3\xcf", b'{"name": "no turn"}\n']
)
def test_a_stream_of_something_else_is_refused_or_says_nothing(data: bytes, vault: Vault) -> None:
    try:
        assert vault.capture_stream(io.BytesIO(data)).new == 0
    except BadInput as refused:
        assert refused.hint
    assert vault.doctor() == []


def test_a_stream_without_end_is_refused_before_it_fills_memory(vault: Vault) -> None:
    class Endless(io.RawIOBase):
        read_bytes = 0

        def read(self, size: int = -1) -> bytes:
            assert 0 < size < 100_000_000
            type(self).read_bytes += size
            return b"x" * size

    with pytest.raises(BadInput, match="too much"):
        vault.capture_stream(Endless())  # type: ignore[arg-type]
    assert Endless.read_bytes < 100_000_000
    assert vault.log() == []


_TURN = {
    "source": "api", "session": "s", "role": "user", "text": "hi there", "time": _TIME,
    "message": "0123456789abcdef",
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("source", "../../evil"), ("source", ""), ("source", "a/b"), ("source", "\ud800"),
        ("role", "system"), ("role", ""), ("time", ""), ("time", "yesterday"), ("time", "../../x"),
        ("time", "2026-03-06T10:10:00+01:00"), ("time", "9999-99-99T99:99:99Z"),
        ("message", "x"), ("message", ""), ("message", "0123456789ABCDEF"), ("text", None),
        ("session", 7), ("project", b"x"), ("title", ["x"]), ("tools", (None,)),
    ],
)  # fmt: skip
def test_a_malformed_turn_is_refused_before_anything_is_kept(
    name: str, value: object, vault: Vault
) -> None:
    good = Turn(**_TURN)  # type: ignore[arg-type]
    bad = Turn(**{**_TURN, "message": "fedcba9876543210", name: value})  # type: ignore[arg-type]
    with pytest.raises(BadInput):
        vault.capture([good, bad])
    assert list(vault.parts.turn_log.entries()) == []
    assert vault.capture([good]).new == 1
    assert vault.doctor() == []


_ODD = st.text(
    st.one_of(st.characters(), st.sampled_from("\0\x1b\ud800\udfff\u202e\u2028\ufeff\x85[]`*^")),
    max_size=40,
)


@given(_ODD, _ODD, _ODD, _ODD, _ODD)
@examples(10, shared_fixture=True)
def test_a_turn_of_any_words_is_kept_and_read_back(
    vault: Vault, session: str, text: str, title: str, project: str, tool: str
) -> None:
    """Lone surrogates, control characters and the like break neither catalog nor transcript."""
    number = vault.parts.turn_log.end()[2] + 1
    turn = Turn(
        "api", session, "user", text, _TIME, f"{number:016x}", project, title, (tool,)
    )  # fmt: skip
    assert vault.capture([turn]).new == 1
    vault.search(text)
    assert vault.parts.turn_log.end()[2] == number
    assert [one for one in vault.doctor() if one.severity == "error"] == []


_NAMES = [
    "", " ", ".", "..", "/", "../../etc/passwd", "\0", "\ud800", "\udcff", "x" * 5000, "%", "_",
    "'", '"; drop table memories; --', "#", "#zzzzzz", "#000000", "[[x]]", "--help", "*", "\u202e",
    "\n",
]  # fmt: skip


@pytest.mark.parametrize("name", _NAMES)
def test_a_name_of_nothing_is_not_found(name: str, vault: Vault) -> None:
    vault.remember("The shop uses Postgres.")
    vault.remember("The shop is closed on Sundays.")
    before = vault.log()
    deeds: list[Callable[[], object]] = [
        lambda: vault.parts.lookup.memory(name), lambda: vault.forget(name),
        lambda: vault.restore(name), lambda: vault.purge(name),
    ]  # fmt: skip
    for deed in deeds:
        with pytest.raises((NotFound, BadInput)):
            deed()
    assert vault.log() == before


@pytest.mark.parametrize(
    "what", ["0", "-1", "99", "9" * 5000, "\u00b2", "\u0663", "import-", "import-x", "\ud800", "\0"]
)
def test_undo_of_nothing_is_not_found(what: str, vault: Vault) -> None:
    vault.remember("The shop uses Postgres.")
    with pytest.raises((NotFound, BadInput)):
        vault.undo(what)
    assert len(vault.log()) == 1


@pytest.mark.parametrize(
    "query",
    [
        "", " ", "\0", "\ud800", "*" * 1000, '"', '"never closed', "-", "-x", "category:",
        "since:x", "category:nonsense", "since:9999-99-99", "AND OR NOT", "(((((", "a" * 100_000,
        "\u202e\x1b[2J",
        "tag:", "^" * 50, "before:0000-00-00 since:2026-13-45", "~!@#$%^&*()_+", "' or 1=1 --",
    ],
)  # fmt: skip
def test_a_search_for_anything_answers(query: str, vault: Vault) -> None:
    vault.remember("The shop uses Postgres.")
    try:
        vault.search(query)
        vault.recall(query)
    except BadInput as refused:
        assert refused.hint
    assert vault.search("postgres").memories


_WORDS = " ".join(f"w{number} doctor valve" for number in range(4_000))
_DAYS = " ".join(f"2026-{1 + n % 12:02}-{1 + n % 28:02}" for n in range(900))
#: a question, and how many turns answer it
_QUESTIONS = (
    (_WORDS, 2), (_WORDS * 3, 2), ("the of and to", 2), ("what who where", 0), ("天気がいい", 1),
    ("สวัสดีครับ", 1), ("สวัสดีครับ" * 900, 1), (_DAYS, 2), ("2026-02-03", 1), ("3 February", 1),
    ("5 July 2025", 0), ("from 1926 to 2026", 0), ("in the last 100 years", 0), ("in 1970", 0),
    ("in 9999", 0), ("31 December 9999", 0), ("1 January 1970", 0), ("in 10000", 0),
    ("29 February", 0), ("29 February 2025", 0), ("29 February 2024", 1), ("0001-01-01", 0),
    ("valve since:9999", 0), ("valve before:0001", 0), ("valve since:1970 before:1970", 0),
    ('"' + "valve " * 3_000 + '"', 0), ("valve* doct* " * 900, 1), ("?" * 20_000, 0),
    ("\x01kim \x02valve \x03 \x0450a5", 1), ("when " * 900, 0), ("doctor valve " * 64, 2),
)  # fmt: skip


def test_a_question_of_anything_is_answered_by_the_turns_that_it_means(vault: Vault) -> None:
    said = (
        ("2026-02-03", "The blue valve is open."), ("2026-03-01", "My physician said rest."),
        ("2024-02-29", "今日は天気がいい"), ("2026-01-11", "สวัสดีครับ"),
        ("2026-06-06", "Of the and to."),
    )  # fmt: skip
    vault.capture([
        turn_of("user", text, f"{day}T10:00:00Z", source="test", session=day, message=day)
        for day, text in said
    ])  # fmt: skip

    def check(row: tuple[str, int]) -> None:
        query, count = row
        assert len(vault.search(query).turns) == count, [
            hit.snippet for hit in vault.search(query).turns
        ]
        vault.search(query, around=True, fold=True, as_of="2026-02-20")
        vault.recall(query)

    assert failing(_QUESTIONS, check) == ""


@pytest.mark.parametrize(
    "pattern", ["(", "[", "*", "(a+)+$", "\\", "(?P<x", "a" * 20_000, "\ud800", "(?R)", "{999999}"]
)
def test_any_pattern_is_searched_for_or_refused(pattern: str, vault: Vault) -> None:
    vault.remember("The shop uses Postgres.")
    try:
        list(vault.parts.lookup.grep(pattern, Filter()))
    except BadInput as refused:
        assert refused.hint


@pytest.mark.parametrize("text", ["", " \n\t", "\0", "...", "?!", "\u200b", "x" * 5_000])
def test_nothing_to_remember_is_refused(text: str, vault: Vault) -> None:
    with pytest.raises(BadInput):
        vault.remember(text)
    assert list(vault.parts.catalog.memories()) == []
    assert vault.doctor() == []


@pytest.mark.parametrize("name", ["file", "missing", "folder"])
def test_opening_what_is_no_vault_is_an_error_with_a_hint(
    name: str, tmp_path: Path, environment: dict[str, str]
) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    (tmp_path / "folder").mkdir()
    with pytest.raises((BadInput, NotFound)) as refused:
        Vault.open(tmp_path / name, environment=environment, clock=FixedClock(NOW))
    assert refused.value.hint


def test_a_vault_is_not_made_over_a_file_or_another_vault(
    vault: Vault, tmp_path: Path, environment: dict[str, str]
) -> None:
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    for path in (vault.root, tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(EngramError) as refused:
            Vault.create(path, environment=environment, clock=FixedClock(NOW))
        assert refused.value.hint
    assert (tmp_path / "file").read_text(encoding="utf-8") == "mine"


def test_a_vault_made_in_a_folder_with_files_leaves_them_alone(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    folder = tmp_path / "notes"
    (folder / "facts").mkdir(parents=True)
    (folder / "README.md").write_text("my own readme", encoding="utf-8")
    (folder / "facts" / "mine.md").write_text("The shop uses Postgres.\n", encoding="utf-8")
    with Vault.create(folder, environment=environment, clock=FixedClock(NOW)) as vault:
        assert (folder / "README.md").read_text(encoding="utf-8") == "my own readme"
        assert [hit.snippet for hit in vault.search("postgres").memories] == [
            "The shop uses Postgres."
        ]
        assert (folder / "facts" / "mine.md").read_text(
            encoding="utf-8"
        ) == "The shop uses Postgres.\n"


@pytest.mark.parametrize(
    "text",
    ["", "format = 1", "id = 'x'", "format = '1'\nid = 'x'", "format = 1\nid = '../x'", "[["],
)
def test_an_engram_toml_that_is_none_is_named(
    text: str, vault: Vault, environment: dict[str, str]
) -> None:
    config = vault.root / "engram.toml"
    config.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as refused:
        Vault.open(vault.root, environment=environment, clock=FixedClock(NOW))
    assert str(config) in str(refused.value)


def test_a_vault_of_a_newer_format_is_read_and_not_written(
    vault: Vault, environment: dict[str, str]
) -> None:
    from engram.model.errors import FormatTooNew
    from tests.kit import tree_digest

    vault.remember("The shop uses Postgres.")
    vault.close()
    config = vault.root / "engram.toml"
    config.write_text(
        config.read_text(encoding="utf-8").replace("format = 1", "format = 2\nfuture = 'x'"),
        encoding="utf-8",
    )
    before = tree_digest(vault.root)
    with Vault.open(vault.root, environment=environment, clock=FixedClock(NOW)) as newer:
        assert newer.search("postgres").memories
        assert newer.recall("what does the shop use?").shown
        assert newer.doctor() == []
        newer.rebuild()
        for deed in (lambda: newer.remember("x y z"), newer.flush, newer.undo, newer.retry):
            with pytest.raises(FormatTooNew):
                deed()
    assert tree_digest(vault.root) == before
