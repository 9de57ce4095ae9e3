"""The YAML of the configuration: what is written is read back, by us and by other readers."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from engram.surfaces.qmd.yaml_text import Tree, read, write

_AWKWARD = "ab: #-'\"\n\\|>*{}[],?!&%@`~\t 0."
_KEYS = (
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | st.text(_AWKWARD, max_size=6)
).filter(lambda key: key != "<<")
_LEAVES = (
    st.none() | st.booleans() | st.integers(-(10**9), 10**9)
    | st.text(st.characters(exclude_categories=["Cs"])) | st.text(_AWKWARD, max_size=12)
)  # fmt: skip
TREES = st.dictionaries(
    _KEYS,
    st.recursive(
        _LEAVES,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=3),
        max_leaves=6,
    ),
    min_size=1,
    max_size=4,
)


@given(TREES)
def test_what_is_written_is_read_back(tree: Tree) -> None:
    assert read(write(tree)) == tree


@given(TREES)
def test_other_readers_agree(tree: Tree) -> None:
    assert yaml.safe_load(write(tree)) == tree


@given(st.text(_AWKWARD, max_size=80) | st.text())
def test_any_text_is_read_or_refused_with_its_line(text: str) -> None:
    try:
        read(text)
    except ValueError as error:
        assert str(error).startswith("line ")


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("", None),
        ("# only a remark\n", None),
        ("---\na: 1\n", {"a": 1}),
        ("a: b # remark\n", {"a": "b"}),
        ("a: 'it''s'\n", {"a": "it's"}),
        ('a: "two\\nlines"\n', {"a": "two\nlines"}),
        ("a: |\n  one\n   two\n\nb: 1\n", {"a": "one\n two\n", "b": 1}),
        ("a: |-\n  one\n  two\n", {"a": "one\ntwo"}),
        ("a: >\n  one\n  two\n\n  three\n", {"a": "one two\nthree\n"}),
        ("a:\n- 1\n- 2\n", {"a": [1, 2]}),
        ("a:\n  - x: 1\n    y: 2\n  - z\n", {"a": [{"x": 1, "y": 2}, "z"]}),
        ("a: [x, 'y, z', 3]\nb: {k: v}\n", {"a": ["x", "y, z", 3], "b": {"k": "v"}}),
        ("a: one\n  two\n", {"a": "one two"}),
        ("a: yes\nb: 12:30\nc: 2026-01-01\n", {"a": "yes", "b": "12:30", "c": "2026-01-01"}),
        ("a: 010\nb: 0x1F\nc: .5\nd: ~\n", {"a": 10, "b": 31, "c": 0.5, "d": None}),
        ("/:\n  '': root\n", {"/": {"": "root"}}),
        ("a: https://example.org/x\n", {"a": "https://example.org/x"}),
        ("a:\r\n  b: 1\r\n", {"a": {"b": 1}}),
    ],
)
def test_what_people_and_qmd_write(text: str, tree: Tree) -> None:
    assert read(text) == tree


@pytest.mark.parametrize(
    "text",
    [
        "a: &x 1\n", "a: *x\n", "a: !tag 1\n", "<<: {}\n", "a: 1\na: 2\n", "\ta: 1\n",
        "a: {b: 1\n", "a: 'open\n", "a: 1\n--- \nb: 2\n", "a: b: c\n",
        "a:\n    b: 1\n  c: 2\n", "- a\nb: 1\n", "a: " + "[" * 40, "a: '\\ud800'x\n",
    ],
)  # fmt: skip
def test_what_is_not_read_here_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"line [0-9]+: "):
        read(text)
