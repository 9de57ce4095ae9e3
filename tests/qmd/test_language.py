"""Arguments, words of a query, snippets, distances: what is typed, and what is meant by it."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.surfaces.qmd.addresses import edits
from engram.surfaces.qmd.arguments import parse
from engram.surfaces.qmd.folder import title_of
from engram.surfaces.qmd.output import fixed, rounded
from engram.surfaces.qmd.snippets import numbered, snippet
from engram.surfaces.qmd.terms import asked, spaced


@pytest.mark.parametrize(
    ("argv", "command", "words", "values", "flags"),
    [
        (["search", "a", "b"], "search", ["a", "b"], {}, set()),
        (["--json", "search", "a", "-n", "3"], "search", ["a"], {"n": "3"}, {"json"}),
        (["search", "-n3", "a", "--min-score=0.5"], "search", ["a"],
         {"n": "3", "min-score": "0.5"}, set()),
        (["search", "-words"], "search", [], {}, {"w", "o", "r", "d", "s"}),
        (["search", "--", "-words"], "search", ["-words"], {}, set()),
        (["search", "a", "--unknown", "b"], "search", ["a", "b"], {}, {"unknown"}),
        (["search", "a", "--name"], "search", ["a"], {}, {"name"}),
        (["search", "a", "-n", "1", "-n", "2"], "search", ["a"], {"n": "2"}, set()),
        (["-v"], "", [], {}, {"version"}),
        ([], "", [], {}, set()),
    ],
)  # fmt: skip
def test_arguments(
    argv: list[str], command: str, words: list[str], values: dict[str, str], flags: set[str]
) -> None:
    found = parse(argv)
    assert (found.command, found.words, found.values, found.flags) == (
        command, words, values, flags,
    )  # fmt: skip


def test_collections_add_up() -> None:
    assert parse(["-c", "a", "--collection", "b", "-cd"]).collections == ["a", "b", "d"]


@given(st.lists(st.text(max_size=12), max_size=8))
def test_any_arguments_are_some(argv: list[str]) -> None:
    found = parse(argv)
    for name in ("n", "min-score"):
        found.whole(name), found.share(name)


@pytest.mark.parametrize(
    ("query", "wanted", "unwanted"),
    [
        ("Two words", ('"two"*', '"words"*'), ()),
        ('"Two  words"', ('"two words"',), ()),
        ("-a b", ('"b"*',), ('"a"*',)),
        ('-"a b"', (), ('"a b"',)),
        ("x-ray", ('"x ray"',), ()),
        ("-x-ray y", ('"y"*',), ('"x ray"',)),
        ("1.2.3", ('"1"*', '"2"*', '"3"*'), ()),
        ("-1.2 a", ('"a"*',), ('("1"* AND "2"*)',)),
        ("東京", ('"東 京"',), ()),
        ('a"b c"d', ('"a"*', '"b c"', '"d"*'), ()),
        ('"open end', ('"open end"',), ()),
        ("(a*) ?! -", ('"a"*',), ()),
        ("don't a_b", ('"don\'t"*', '"a_b"*'), ()),
    ],
)
def test_units(query: str, wanted: tuple[str, ...], unwanted: tuple[str, ...]) -> None:
    found = asked(query)
    assert (found.wanted, found.unwanted) == (wanted, unwanted)


def test_a_relaxed_question_leaves_out_what_every_question_says() -> None:
    assert asked("what is the yawl").relaxed() == '("yawl"*)'
    assert asked("what is the").relaxed() == '("what"* OR "is"* OR "the"*)'
    assert asked("a b -c").strict() == '("a"* AND "b"*) NOT "c"*'
    assert asked("-c").strict() is None


@given(st.text(max_size=40) | st.text("ab \"-.'_*():^{}+", max_size=30))
def test_no_query_is_an_error_of_syntax(query: str) -> None:
    db = sqlite3.connect(":memory:")
    db.execute("create virtual table t using fts5(a, tokenize='porter unicode61')")
    for expression in (asked(query).strict(), asked(query).relaxed()):
        if expression is not None:
            db.execute("select * from t where t match ?", (expression,)).fetchall()
    db.close()


def test_text_without_spaces_is_given_some() -> None:
    assert spaced("a東京b") == "a 東 京 b"
    assert spaced("plain") == "plain"


def test_a_snippet_is_the_best_line_and_those_around() -> None:
    body = "one\ntwo\nthree words\nfour words here\nfive\nsix\nseven"
    assert snippet(body, "words here", 300) == (
        4, "@@ -3,4 @@ (2 before, 1 after)\nthree words\nfour words here\nfive\nsix"
    )  # fmt: skip
    assert snippet(body, "nothing", 300).line == 1
    assert snippet(body, "words", 300, "the line with six").line == 3
    assert snippet("x" * 400, "x", 300).text.endswith("x" * 297 + "...")


@given(st.text("ab\n", max_size=40), st.text("ab ", max_size=6))
def test_a_snippet_counts_its_lines(body: str, query: str) -> None:
    found = snippet(body, query, 300)
    header, _, text = found.text.partition("\n")
    total = body.count("\n") + 1
    start, count = map(int, header.split()[1].strip("-").split(","))
    assert text == "\n".join(body.split("\n")[start - 1 : start - 1 + count])
    assert f"({start - 1} before, {total - start - count + 1} after)" in header
    assert start <= found.line < start + count


def test_lines_are_numbered() -> None:
    assert numbered("a\nb\n", 9) == "9: a\n10: b\n11: "


@pytest.mark.parametrize(
    ("path", "text", "title"),
    [
        ("a/b.md", "no heading", "b"),
        ("a.md", "text\n\n```\n# in code\n```", "in code"),
        ("a.md", "## Second", "Second"),
        ("a.md", "### Third", "a"),
        ("a.md", "# Notes\n\ntext\n\n## Garden", "Garden"),
        ("a.md", "---\ntitle: Hidden\n---\n", "a"),
        ("a.txt", "# Not for text", "a"),
        ("a.org", "#+TITLE: Org\n* Heading", "Org"),
        ("a.org", "* Heading", "Heading"),
        ("a.md", "# Windows\r\n\r\ntext", "Windows"),
    ],
)
def test_titles(path: str, text: str, title: str) -> None:
    assert title_of(path, text) == title


@given(st.text("abc", max_size=9), st.text("abc", max_size=9))
def test_edits_are_those_of_levenshtein(one: str, other: str) -> None:
    rows = [list(range(len(other) + 1))]
    for number, letter in enumerate(one, 1):
        row = [number]
        for column, wanted in enumerate(other):
            row.append(
                min(row[-1] + 1, rows[-1][column + 1] + 1, rows[-1][column] + (letter != wanted))
            )
        rows.append(row)
    exact = rows[-1][-1]
    assert edits(one, other, 5) == exact if exact <= 5 else edits(one, other, 5) > 5


def test_numbers_are_rounded_as_javascript_does() -> None:
    assert (rounded(0.125, 2), fixed(0.125, 2), fixed(1, 4)) == (0.13, "0.13", "1.0000")
