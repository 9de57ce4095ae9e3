"""A person's pattern: what it matches, and that none of them hangs the program."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engram.language.timed_pattern import TimedPattern, TimeLimit
from engram.model.errors import BadInput

#: what a test waits at most for a pattern that has a twentieth of a second, on a busy machine
SOON = 5.0


def spans(pattern: str, line: str, seconds: float = 10.0) -> tuple[tuple[int, int], ...] | None:
    return TimedPattern(pattern).spans(line, TimeLimit(seconds), 200)


@pytest.mark.parametrize(
    ("pattern", "line"),
    [
        ("(a+)+$", "a" * 5000 + "!"), ("(a|aa)+$", "a" * 60 + "!"), ("(a|a)*$", "a" * 60 + "!"),
        ("(x+x+)+y", "x" * 500), ("(a{1,50}){1,50}b", "a" * 500), (r"(a+)\1\1b", "a" * 9000),
    ],
)  # fmt: skip
def test_what_backtracks_without_bound_is_given_up_by_name(pattern: str, line: str) -> None:
    begun = time.monotonic()
    with pytest.raises(BadInput, match=re.escape(repr(pattern))) as refused:
        spans(pattern, line, 0.05)
    assert refused.value.hint
    assert time.monotonic() - begun < SOON


@pytest.mark.parametrize(
    ("pattern", "line"),
    [
        ("(?:a*)*", "aa"), (r"(?:\w+ )*x", "one two x"), ("(a|ab)*", "ab"), (".*.*.*", "a b"),
        (r"\s*\s*\s*x", "  x"), (r"(x)\1", "xx"), ("(?:(?:ab)+c?)+", "ababc"), (r"\d{3,}-", "123-"),
        ("(?:foo|bar)+", "foobar"), ("[^x]*x[^x]*x", "axbx"), ("(?i:todo)", "TODO"), ("^$", ""),
    ],
)  # fmt: skip
def test_a_pattern_that_could_backtrack_matches_what_it_means(pattern: str, line: str) -> None:
    assert spans(pattern, line) is not None


def test_all_that_goes_by_one_limit_shares_it() -> None:
    limit, slow = TimeLimit(0.5), TimedPattern("(a|aa)+$")
    TimedPattern("a").spans("a", limit, 1)
    assert 0 < limit.left < 0.5
    with pytest.raises(BadInput):
        while True:
            slow.spans("a" * 18 + "!", limit, 1)


@pytest.mark.parametrize(
    "pattern",
    [
        "(?:a{65000}){65000}", "a{4294967294}", "(?:abc){400000000}", "(?:a{3000}|b){3000}",
        "(?=(?:a{999}){999})x", "(?>a{99999})", "(a)?(?(1)b{99999}|c)", "(?:a??){999999999}",
        "(?x)(?:(?:a{1000} # ) \n){1000})", "(?i:x{5000}){3}", "(?<=a{20000})b",
    ],
)  # fmt: skip
def test_what_would_fill_the_memory_when_compiled_is_refused(pattern: str) -> None:
    with pytest.raises(BadInput, match="too large a pattern") as refused:
        TimedPattern(pattern)
    assert refused.value.hint


@pytest.mark.parametrize(
    ("pattern", "line"),
    [
        ("{e}", "a{e}b"), ("{e}", "ab"), ('f"{i}"', 'f"{i}"'), (r"x\{s}", "x{s}"), ("[{}]", "}"),
        ("a{2}", "aa"), ("a{,2}b", "aab"), ("a{2,}b", "aaab"), ("x{id}", "x{id}"), ("{}", "{}"),
        (r"\N{DIGIT ONE}", "1"), ("(?:ab){e<=1}", "ac"), ("${HOME}", "${HOME}"),
        (r"\\{e}", r"\{e}"), ("[a{999999}]", "9"), (r"a\{99999999\}", "a{99999999}"),
    ],
)  # fmt: skip
def test_a_brace_means_what_it_means_to_re(pattern: str, line: str) -> None:
    found = re.search(pattern, line)
    assert spans(pattern, line) == (None if found is None else (found.span(),))


@pytest.mark.parametrize("pattern", ["(", "(" * 5000 + ")" * 5000, "a{2,1}", r"\8", r"\p{Lu}"])
def test_what_is_no_pattern_is_refused_with_a_hint(pattern: str) -> None:
    with pytest.raises(BadInput, match="not a regular expression") as refused:
        TimedPattern(pattern)
    assert refused.value.hint


_ATOMS = st.sampled_from(["a", "b", ".", r"\w", "[ab]", "(?:a|b)", "(?:a|ab)"])
_PIECES = st.tuples(_ATOMS, st.sampled_from(["", "?", "*", "+", "{2}", "{1,40}"])).map("".join)
_PATTERNS = st.lists(_PIECES, min_size=1, max_size=4).map("".join)


@settings(deadline=None)
@given(_PATTERNS, st.sampled_from(["", "+", "*", "{12}"]), st.sampled_from(["", "+", "*"]))
def test_any_pattern_comes_to_an_end_on_the_worst_text(body: str, repeat: str, again: str) -> None:
    begun = time.monotonic()
    try:
        assert spans(f"(?:(?:{body}){repeat}){again}c", "a" * 120 + "!", 0.02) is None
    except BadInput as slow:
        assert "takes too long" in str(slow)
    assert time.monotonic() - begun < SOON
