"""Which paths a pattern means, and that none takes long."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.surfaces.qmd.globs import Glob, expanded, masks


@pytest.mark.parametrize(
    ("pattern", "matched", "not_matched"),
    [
        ("**/*.md", ["a.md", "x/a.md", "x/y/a.md"], ["a.txt", ".x/a.md", "x/.a.md", "a.md/b"]),
        ("*.md", ["a.md"], ["x/a.md", ".md", ".a.md"]),
        ("boats/*", ["boats/a", "boats/b.md"], ["boats/x/a", "boats"]),
        ("boats/**", ["boats/a", "boats/x/a"], ["boat/a"]),
        ("**/old/**", ["old/a", "x/old/y/a"], ["older/a"]),
        ("a?c.md", ["abc.md", "a.c.md"], ["ac.md", "a/c.md"]),
        ("[a-c]*.md", ["b.md"], ["d.md"]),
        ("[!a-c]*.md", ["d.md"], ["b.md"]),
        ("{a,b/{c,d}}.md", ["a.md", "b/c.md", "b/d.md"], ["b.md"]),
        ("a*b*c", ["abc", "a1b2c", "abbc"], ["acb", "ab"]),
        ("!*.md", ["a.txt"], ["a.md"]),
        ("\\*.md", ["*.md"], ["a.md"]),
        ("./a.md", ["a.md"], []),
        ("qmd://notes/*.md", ["qmd://notes/a.md"], ["qmd://other/a.md"]),
        ("[", ["["], ["a"]),
        ("{a", ["{a"], ["a"]),
    ],
)
def test_a_pattern_means(pattern: str, matched: list[str], not_matched: list[str]) -> None:
    glob = Glob(pattern)
    assert [path for path in matched if not glob.matches(path)] == []
    assert [path for path in not_matched if glob.matches(path)] == []


def test_hidden_parts_are_matched_when_asked_for() -> None:
    assert Glob("**/*", dot=True).matches(".a/.b")
    assert Glob(".a/*").matches(".a/b")


@given(st.text("ab*?[]{},!\\./^-", max_size=24), st.text("ab./", max_size=24))
def test_any_pattern_is_one(pattern: str, path: str) -> None:
    Glob(pattern).matches(path)
    assert all(masks(pattern))


@given(st.text("abc.", max_size=8), st.text("abc.", max_size=8))
def test_a_star_is_any_text_between(left: str, right: str) -> None:
    assert Glob(f"x{left}*{right}").matches(f"x{left}---{right}")


@pytest.mark.parametrize(
    "pattern",
    ["*a" * 40 + "b", "**/" * 60 + "b", "{a,b}" * 60, "[ab]*" * 40 + "c", "?*" * 50 + "b"],
)
def test_no_pattern_takes_long(pattern: str) -> None:
    began = time.process_time()
    glob = Glob(pattern)
    for _ in range(20):
        glob.matches("a" * 200)
        glob.matches("/".join("a" * 100))
    assert time.process_time() - began < 2


def test_masks_are_cut_at_commas_outside_of_brackets() -> None:
    assert masks("*.md, {a,b}.txt,,[,]x") == ["*.md", "{a,b}.txt", "[,]x"]
    assert sorted(expanded("{a,b}{1,2}")) == ["a1", "a2", "b1", "b2"]
