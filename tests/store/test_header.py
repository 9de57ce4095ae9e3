"""Header lines become texts by key and back, without a library for our own shape."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from engram.store.files.foreign_header import Value, oversize, read_yaml
from engram.store.files.header import TEXT_KEYS, comment_after, cut, entry_lines, read, scalar
from tests.effort import examples

#: Texts that some reader takes for something else, beside whatever hypothesis finds.
TRAPS = [
    "", " ", "~", "null", "Null", "y", "n", "yes", "No", "ON", "off", "true", "False", "010",
    "0o17",
    "0x1F", "1_000", "1e3", "12345e67", "9c1f03aa", "3.10", "1.0", ".5", "-1", "+1", "12:30:45",
    "190:20:30", ".inf", ".nan", "-.inf", "2026-03-06", "2026-02-30", "0000-01-01", "2026-3-6",
    "2026-03-06T10:10:00Z", "2026-03-06 10:10:00", "2026-03-06T25:00:00Z", "=", "<<", "---", "...",
    "- a", "-", "?", "? a", ":", ": a", "a: b", "a:", "a :b", "#a", "a #b", "a#b", "'a'", '"a"',
    "a'",
    'a"b', "\\", "a\\nb", "[a]", "[[a]]", "{a: b}", "[", "]", "a, b", "a]b", "&a", "*a", "!a",
    "!!int 1",
    "|", "> a", "%a", "@a", "`a`", " a", "a ", "a\t", "\ta", "a\nb", "a\r\nb", "\n", "a\u2028b",
    "\x85",
    "\xa0a", "\ufeff", "\x00", "\x1b[0m", "\x7f", "\ufffe", "🎉", "日本: 語", "é", "e\u0301",
    "\u202eabc",
]  # fmt: skip
texts = st.sampled_from(TRAPS) | st.text(max_size=20)
pieces = st.lists(st.sampled_from(["a", "b", *": #'\",[]\n\\é", ": ", " #", "- "]), max_size=8).map(
    "".join
)

#: YAML 1.2 core schema (what JavaScript readers use), written down from its specification.
CORE = re.compile(
    r"~|null|Null|NULL|true|True|TRUE|false|False|FALSE|[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+"
    r"|[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)|"
)


def values(text: str) -> dict[str, Value]:
    """The values of header lines that must be understood without any problem."""
    reading = read(text.split("\n"))
    assert reading.problem is None
    return reading.values


# Reading.


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("k: plain words", "plain words"),
        ("k:   spaced   ", "spaced"),
        ("k:\ttabbed", "tabbed"),
        ("k : blank before the colon", "blank before the colon"),
        ("k:", ""),
        ("k: ~", ""),
        ("k: null", ""),
        ('k: "null"', "null"),
        ("k: nullable", "nullable"),
        ("k: no", "no"),
        ("k: 010", "010"),
        ("k: 3.10", "3.10"),
        ("k: 2026-03-06T10:10:00Z", "2026-03-06T10:10:00Z"),
        ("k: a:b", "a:b"),
        ("k: a # comment", "a"),
        ("k: a#b", "a#b"),
        ("k: # comment", ""),
        ("k: -5", "-5"),
        ("k: :smile", ":smile"),
        ("k: '' # c", ""),
        ("k: 'it''s'", "it's"),
        ('k: "a \\"b\\" \\\\ \\n \\t \\x41 \\u00e9 \\U0001F389"', 'a "b" \\ \n \t A é 🎉'),
        ('k: "a # b" # c', "a # b"),
        ("k: []", []),
        ("k: [ ] # none", []),
        ("k: [a, b]", ["a", "b"]),
        ("k: [a, \"b, c\", 'd''e' ,f ]", ["a", "b, c", "d'e", "f"]),
        ("k: [a, b,]", ["a", "b"]),
        ("k: [~, 1] # c", ["", "1"]),
        ("k: [[name]]", "[[name]]"),
        ('k: "[[name]]"', "[[name]]"),
        ("k: {}", "{}"),
        ("k: {a: 1, b: [x, ~]}", '{"a": "1", "b": ["x", null]}'),
        ("k: [{a: 1}, b]", ['{"a": "1"}', "b"]),
        ("k:\n  - a\n  - b", ["a", "b"]),
        ("k:\n- a\n- b", ["a", "b"]),
        ("k: # c\n\n    - a # one\n\n    # between\n    - 'b'\n    -\n", ["a", "b", ""]),
        ("k:\n  - [[name]]\n  - \"[[other]]\"", ["[[name]]", "[[other]]"]),
        ("k:\n  - a: 1\n    b: 2", ['{"a": "1", "b": "2"}']),
        ("k: |\n  one\n  # two\n", "one\n# two\n"),
        ("k: >-\n  one\n  two", "one two"),
        ("k: one\n  two", "one two"),
        ('k: "one\n  two"', "one two"),
        ("k: [a,\n  b]", ["a", "b"]),
        ("k: [\na,\nb\n]", ["a", "b"]),
        ("k:\n  a: 1\n  b: no", '{"a": "1", "b": "no"}'),
        ('"k": v', "v"),
        ("'k' : v", "v"),
    ],
)  # fmt: skip
def test_one_key_reads_as(line: str, value: Value) -> None:
    assert values(f"before: 1\n{line}\nafter: 2") == {"before": "1", "k": value, "after": "2"}


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("with space", "with space"), ("a-b", "a-b"), ("a.b/c", "a.b/c"), ("日付", "日付"),
        ("a:b", "a:b"), ("c#", "c#"), ('"a: b"', "a: b"), ("''", ""), ("null", "null"), ("1", "1"),
    ],
)  # fmt: skip
def test_keys_are_texts(key: str, name: str) -> None:
    assert values(f"{key}: v\n") == {name: "v"}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", {}),
        ("\n# only a comment\n  # and another", {}),
        ("  a: 1\n  b:\n    - x", {"a": "1", "b": ["x"]}),
        ("{a: 1, b: [x, y]}", {"a": "1", "b": ["x", "y"]}),
        ("? a\n: b", {"a": "b"}),
    ],
)
def test_headers_of_another_form_read_too(text: str, found: dict[str, Value]) -> None:
    assert values(text) == found


def test_a_key_that_stands_twice_has_its_last_value_and_is_named() -> None:
    reading = read(["a: 1", "b: 2", "a: 3"])
    assert reading.values == {"a": "3", "b": "2"}
    assert reading.problem == "'a' stands twice, the last one counts"
    assert reading.sound


@pytest.mark.parametrize(
    ("line", "value"),
    [("k: Foo: bar # c", "Foo: bar"), ("k: @home", "@home"), ("k: `x`", "`x`"), ("k: a:", "a:")],
)
def test_plain_words_that_need_quotes_are_read_and_named(line: str, value: str) -> None:
    reading = read(["a: 1", line])
    assert reading.values == {"a": "1", "k": value}
    assert reading.problem == "'k' needs quotes around its value"
    assert reading.sound


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("k: &a b", "anchors"),
        ("k: *a", "anchors"),
        ("k: !!python/object:os.system x", "tags"),
        ("k: ! x", "tags"),
        ("k:\n  <<: {a: 1}", "merge"),
        ("k: " + "[" * 9 + "]" * 9, "deeper"),
        ("k: " + "{a: " * 9 + "}" * 9, "deeper"),
        ("k: " + "[" * 15_000, "deeper"),
        ("k: [" + '"]", [' * 2_000, "deeper"),
        ("k:\n  " + "- " * 9 + "a", "deeper"),
        ("k:\n  " + "? " * 4_000, "deeper"),
        ("k:\n" + "\n".join("  " * n + "a:" for n in range(1, 10)), "deeper"),
        ("k: {a: " + "x" * 17_000 + "}", "16384 bytes"),
        ("k:\n" + "  a:\n" * 200, "200 lines"),
        ("k: {a: \udcff}", "not UTF-8"),
        ("k: {a: b\u2028}", "line ends"),
        ("k: {a: \x00}", ""),
        ("k: [a, b", ""),
        ("k: 'open", ""),
        ('k: "\\q"', ""),
        ('k: "\\ud83d\\ude00"', ""),
        ('k: "\\UFFFFFFFF"', ""),
        ("k: [a] b", ""),
        ("k: - a", ""),
        ("k: a\nlost words", ""),
        ("k:\n  - a\n - b", ""),
        ("k: |\n  a\n b: c", ""),
        ("k: ]", ""),
    ],
)
def test_what_is_refused_is_named_and_the_other_keys_are_read(line: str, reason: str) -> None:
    reading = read(f"a: 1\n{line}\nb: [x]".split("\n"))
    assert not reading.sound
    assert (reading.problem or "").startswith("unreadable header: 'k': ")
    assert reason in (reading.problem or "")
    assert {"a": "1", "b": ["x"]}.items() <= reading.values.items()
    assert "k" not in reading.values


@pytest.mark.parametrize("text", ["- a\n- b", "just words", "%YAML 1.2", "[a: 1", "!!map {a: 1}"])
def test_a_header_without_keys_is_unreadable(text: str) -> None:
    reading = read(text.split("\n"))
    assert (reading.values, reading.sound) == ({}, False)
    assert (reading.problem or "").startswith("unreadable header: ")


def test_the_limits_hold_for_yaml_and_not_for_our_own_shape() -> None:
    links = [f"  - s{number}" for number in range(5_000)]
    assert len(values("\n".join(["sources:", *links]))["sources"]) == 5_000
    assert oversize(["x" * 100] * 150) == ""
    assert oversize(["a"] * 201) == "more than 200 lines"
    assert oversize(["é" * 9_000]) == "more than 16384 bytes"


@examples(100)
@given(st.lists(texts | pieces, max_size=8))
def test_any_lines_can_be_read(lines: list[str]) -> None:
    reading = read(lines)
    assert reading.sound or reading.problem or not cut(lines)
    for value in reading.values.values():
        assert isinstance(value, str) or all(isinstance(item, str) for item in value)


shapes = st.sampled_from([
    "k: {}", "k: '{}'", 'k: "{}"', "k: [{}, x]", "k: ['{}']", "k:\n  - {}\n  - x", "k:\n- {}",
    "k: {} # c", "k:\n  x: {}", "k: |\n  {}", "{}: v", "k: {}\n  more", "k:\n  # c\n  - {} # c\n",
])  # fmt: skip


@examples(200)
@given(st.lists(st.tuples(shapes, texts | pieces), min_size=1, max_size=3))
def test_our_reading_is_that_of_yaml(parts: list[tuple[str, str]]) -> None:
    text = "\n".join(shape.replace("{}", words) for shape, words in parts)
    lines = re.sub(r"\[\[[^\[\]]*\]\]|\r", "", text).split("\n")
    whole, ours = read_yaml(lines), read(lines)
    if isinstance(whole, dict) and ours.sound and len(cut(lines)) == len(whole):
        assert ours.values == whole
        assert ours.problem is None


# Writing.


@examples(125)
@given(texts)
def test_a_written_text_is_that_text_for_every_reader(text: str) -> None:
    for written in (scalar(text), scalar(text, flow=True)):
        assert "\n" not in written
        assert values(f"k: {written}") == {"k": text}
        assert yaml.safe_load(f"k: {written}") == {"k": text}
        assert yaml.safe_load(f"k:\n  - {written}\n") == {"k": [text]}
        assert written[0] == '"' or not CORE.fullmatch(written)
    assert yaml.safe_load(f"k: [{scalar(text, flow=True)}, x]") == {"k": [text, "x"]}
    assert values(f"k: [{scalar(text, flow=True)}, x]") == {"k": [text, "x"]}


@examples(125)
@given(texts | st.decimals(allow_nan=False, places=3).map(str) | st.dates().map(str))
def test_a_typed_value_keeps_its_text_whatever_it_is_read_as(text: str) -> None:
    written = scalar(text, typed=True)
    assert values(f"k: {written}") == {"k": text}
    read_back = yaml.safe_load(f"k: {written}")["k"]
    shown = str(read_back)
    if isinstance(read_back, float):
        shown = f"{read_back:.6f}".rstrip("0").rstrip(".")
    assert shown.replace("+00:00", "Z").replace(" ", "T") == text.replace(" ", "T")


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("0.9", "0.9"), ("1", "1"), ("0", "0"), ("-3", "-3"), ("2026-03-06", "2026-03-06"),
        ("2026-03-06T10:10:00Z", "2026-03-06T10:10:00Z"), ("2026-02-30", '"2026-02-30"'),
        ("3.10", '"3.10"'), ("010", '"010"'), ("1_000", '"1_000"'), ("12345e67", '"12345e67"'),
        ("1e3", '"1e3"'), ("-0", '"-0"'), ("y", '"y"'), ("no", '"no"'), ("12:30", '"12:30"'),
        ("[[a#^b]]", '"[[a#^b]]"'), ("words, with commas", "words, with commas"),
        ("user::editor", "user::editor"), ("it's", "it's"), ("a: b", '"a: b"'),
    ],
)  # fmt: skip
def test_values_are_written_as(text: str, written: str) -> None:
    assert scalar(text, typed=True) == written


def test_numbers_and_days_among_names_are_quoted() -> None:
    assert entry_lines("title", "2026-03-06") == ['title: "2026-03-06"']
    assert entry_lines("expires", "2026-03-06") == ["expires: 2026-03-06"]
    assert entry_lines("id", "12345678") == ['id: "12345678"']
    assert entry_lines("severity", "3") == ["severity: 3"]
    assert entry_lines("tags", ["2026", "a"]) == ["tags:", '  - "2026"', "  - a"]
    assert entry_lines("tags", []) == ["tags: []"]
    assert "confidence" not in TEXT_KEYS


@given(texts, texts | st.lists(texts, max_size=3))
def test_a_written_entry_reads_back(key: str, value: Value) -> None:
    lines = entry_lines(key, value)
    assert values("\n".join(["before: 1", *lines])) == {"before": "1", key: value}
    assert yaml.safe_load("\n".join(entry_lines("key" + key, value))).keys() == {"key" + key}


def test_lone_surrogates_become_replacement_characters() -> None:
    assert scalar("a\ud800b") == '"a\ufffdb"'


@pytest.mark.parametrize(
    ("rest", "comment"),
    [
        (" a  # c", "  # c"), (" a#b", ""), ("  # c", "  # c"), (' "a # b" # c', " # c"),
        (" 'a # b'", ""), (" [a, '# b'] # c", " # c"), (" {a: \"# b\"}\t# c # d", "\t# c # d"),
        (" | # c", " # c"), (' "open # no', ""), ("", ""), (" [ # c", " # c"),
    ],
)  # fmt: skip
def test_the_comment_after_a_value(rest: str, comment: str) -> None:
    assert comment_after(rest) == comment


def test_our_own_shape_needs_no_yaml() -> None:
    program = (
        "import sys\n"
        "from engram.store.files.document import parse, patch\n"
        "from engram.store.files.memory_file import read_memory\n"
        'data = b\'---\\nid: "a\\\\n"\\ntags: [a, b]\\nsources:\\n  - "[[x]]"\\n---\\nText.\\n\'\n'
        "read_memory('facts/a.md', patch(data, {'status': 'active', 'tags': ['c']}))\n"
        "assert parse(data).problem is None\n"
        "print(sorted({'yaml', 'frontmatter'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout.decode().strip() == "[]"


@pytest.mark.parametrize(
    "line",
    ["k: [" + " " * 20_000, "k" + " " * 20_000, 'k: "' + "\\" * 20_000, "k: " + "a " * 20_000],
)
def test_hostile_lines_are_read_in_linear_steps(line: str) -> None:
    """Quadratic matching would keep these busy for minutes; the values are beside the point."""
    assert read([line + "x"] * 3).values.keys() <= {"k"}


@example("a")
@given(texts)
def test_comments_and_blank_lines_below_belong_to_nobody(text: str) -> None:
    lines = [*entry_lines("k", [text]), "", "# c", "", "z: 1"]
    first, last = cut(lines)
    assert (first.start, first.stop, last.start) == (0, 2, 5)
