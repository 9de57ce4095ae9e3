"""What a question finds, what it scores, and how it is printed."""

from __future__ import annotations

import csv
import io
import math
import re

import pytest

from tests.qmd.desk import NOTES, Desk


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("mizzen", {"boats/ketch.md", "boats/yawl.md", "boats/old/log.md"}),
        ("mizzen yawl", {"boats/yawl.md"}),
        ("sail", {"boats/ketch.md", "boats/old/log.md"}),
        ("Sails", {"boats/ketch.md", "boats/old/log.md"}),
        ("miz", {"boats/ketch.md", "boats/yawl.md", "boats/old/log.md"}),
        ("mizzen -night", {"boats/ketch.md", "boats/yawl.md"}),
        ('"two masts"', {"boats/ketch.md"}),
        ('"masts two"', set()),
        ('mizzen -"behind the"', {"boats/ketch.md", "boats/old/log.md"}),
        ("TT-1911", {"boats/old/log.md"}),
        ("1911-tt", set()),
        ("ol", {"plain.md", "boats/old/log.md"}),
        ("boats", {"boats/ketch.md", "boats/yawl.md", "boats/old/log.md"}),
        ("title:yawl", set()),
        ("?!", set()),
        ("yawl OR ketch", set()),
    ],
)
def test_a_query_finds(machine: Desk, query: str, found: set[str]) -> None:
    ran = machine.run("search", "--json", "--", query)
    assert (ran.code, ran.err) == (0, "")
    assert set(ran.files) == found


def test_scores_are_bm25_over_one_length_with_weights(machine: Desk) -> None:
    """Recomputed by hand for a word that no other word begins with."""
    words = {
        path: (
            re.findall(r"\w+", f"notes/{path}"),
            re.findall(r"\w+", {"tea.md": "Brewing tea", "plain.md": "plain"}.get(
                path, text.split("\n")[0])),
            re.findall(r"\w+", text),
        )
        for path, text in NOTES.items()
    }  # fmt: skip
    lengths = {path: sum(map(len, parts)) for path, parts in words.items()}
    average = sum(lengths.values()) / len(lengths)
    weight = {
        path: 1.5 * parts[0].count("yawl") + 4 * parts[1].count("yawl") + parts[2].count("yawl")
        for path, parts in words.items()
    }
    idf = math.log((len(words) - 1 + 0.5) / (1 + 0.5))
    tf, length = weight["boats/yawl.md"], lengths["boats/yawl.md"]
    raw = idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * length / average))
    rows = list(csv.DictReader(io.StringIO(machine.run("search", "yawl", "--csv").out)))
    assert [row["score"] for row in rows] == [f"{raw / (1 + raw):.4f}"]


def test_a_word_of_most_documents_scores_nothing_and_is_found(machine: Desk) -> None:
    rows = machine.search("the").json
    assert len(rows) > 3 and {row["score"] for row in rows} == {0}


def test_a_row_of_json(machine: Desk) -> None:
    machine.run("context", "add", "qmd://notes/boats", "What floats")
    (row,) = machine.search("masts").json
    assert list(row) == ["docid", "score", "file", "line", "title", "context", "snippet"]
    assert row["file"] == "qmd://notes/boats/ketch.md"
    assert (row["line"], row["title"], row["context"]) == (3, "# The ketch"[2:], "What floats")
    assert row["snippet"] == (
        "@@ -2,4 @@ (1 before, 0 after)\n\nA ketch has two masts.\n"
        "Its mizzen is the smaller sail.\n"
    )
    assert re.fullmatch("#[0-9a-f]{6}", row["docid"])


def test_none_found_in_each_form(machine: Desk) -> None:
    said = {
        form: machine.run("search", "zzz", "--format", form).out
        for form in ("cli", "json", "csv", "md", "xml", "files")
    }
    assert said == {
        "cli": "No results found.\n", "json": "[]\n", "md": "", "files": "",
        "csv": "docid,score,file,title,context,line,snippet\n", "xml": "<results></results>\n",
    }  # fmt: skip
    assert "above minimum" in machine.run("search", "yawl", "--min-score", "0.99").out


def test_limits(machine: Desk) -> None:
    assert len(machine.search("mizzen", "-n", "2").files) == 2
    assert len(machine.search("mizzen", "-n2").files) == 2
    for odd in ("0", "-4", "many", ""):
        assert len(machine.search("mizzen", "-n", odd).files) == 3


def test_collections(machine: Desk) -> None:
    machine.run("collection", "add", "notes/boats", "--name", "boats")
    assert len(machine.search("mizzen").files) == 6
    assert set(machine.search("mizzen", "-c", "boats").files) == {
        "ketch.md",
        "yawl.md",
        "old/log.md",
    }
    machine.run("collection", "exclude", "boats")
    assert len(machine.search("mizzen").files) == 3
    assert len(machine.search("mizzen", "-c", "boats", "-c", "notes").files) == 6
    ran = machine.search("mizzen", "-c", "nope")
    assert (ran.code, ran.out, ran.err) == (1, "", "Collection not found: nope\n")


def test_full_path_shows_files_and_says_which_are_gone(machine: Desk) -> None:
    (machine.notes / "boats" / "yawl.md").unlink()
    ran = machine.search("mizzen", "--full-path")
    rows = {row["file"]: row for row in ran.json}
    assert set(rows) == {
        "./notes/boats/ketch.md", "./notes/boats/old/log.md", "qmd://notes/boats/yawl.md",
    }  # fmt: skip
    assert ["docid" in row for _, row in sorted(rows.items())] == [False, False, True]
    assert "1 of 3 results" in ran.err


def test_a_plain_question_finds_any_word_and_those_with_all_first(machine: Desk) -> None:
    ran = machine.run("query", "which yawl has a mizzen", "--json")
    assert ran.files[0] == "boats/yawl.md"
    assert set(ran.files) == {"boats/ketch.md", "boats/yawl.md", "boats/old/log.md"}
    assert [row["score"] for row in ran.json] == [1, 0.5, 0.33]
    assert machine.search("which yawl has a mizzen").files == []
    assert machine.run("vsearch", "varnish for masts", "--json").files != []


def test_typed_lines_are_fused(machine: Desk) -> None:
    ran = machine.run(
        "query", "intent: sailing\nlex: mizzen\nvec: night tides", "--json", "--explain"
    )
    assert ran.files[0] == "boats/old/log.md"
    explained = ran.json[0]["explain"]["rrf"]
    assert explained["rank"] == 1 and len(explained["contributions"]) == 2


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("one\ntwo", "Line 1 is missing a lex:"),
        ("lex: a\ntwo", "Line 2 is missing a lex:"),
        ("lex:", "must include text"),
        ("intent: a", "intent: cannot appear alone"),
        ("intent: a\nintent: b\nlex: c", "only one intent:"),
        ("expand: a\nlex: b", "cannot mix expand"),
        ('lex: "a', "unmatched double quote"),
        ("vec: a -b", "not supported in vec/hyde"),
    ],
)
def test_a_document_that_cannot_be_meant_is_refused(machine: Desk, query: str, said: str) -> None:
    ran = machine.run("query", query)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("Error: ") and said in ran.err


def test_a_named_index_is_apart_and_says_so(machine: Desk) -> None:
    machine.run("--index", "second", "collection", "add", "notes/boats", "--name", "boats")
    rows = machine.run("--index", "second", "search", "yawl", "--json").json
    assert [row["file"] for row in rows] == ["qmd://boats/yawl.md?index=second"]
    shown = machine.run("get", "qmd://boats/yawl.md?index=second")
    assert shown.code == 0 and "behind the rudder" in shown.out
    assert "boats (" not in machine.run("collection", "list").out


def test_a_terminal_is_not_told_what_to_do(machine: Desk) -> None:
    from engram.surfaces.qmd.output import _shown

    assert _shown("a\x1b[31mb", terminal=False) == "a\x1b[31mb"
    assert _shown("a\x1b[31mb", terminal=True) == "a[31mb"
