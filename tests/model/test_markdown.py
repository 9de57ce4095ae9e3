"""Foreign text becomes Markdown that shows the same words and can do nothing."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from engram.model.markdown import code_lines, neutralise, quote_block
from tests.effort import examples

#: Pieces that build blocks, open spans or escape each other, beside plain words.
PIECES = [
    "word", "two words", "été", "日本", "🎉", "C#", "a", "1", " ", "  ", "    ", "\t", "\n", "\n\n",
    "\r", "\r\n", "\u2028", "\x85", "\x0b", "\x00", "\x1b", "\xa0", "\\", "\\\\", "`", "``", "```",
    "````", "~~~", "~", "# ", "## ", "#tag", "#1a", "#42", "> ", ">", "- ", "* ", "+ ", "1. ",
    "2) ",
    "-", "---", "***", "___", "===", "=", "_", "*", "<", "<b>", "</b>", "<!--", "-->", "<?", "<%",
    "%>", "%%", "%", "$$", "$", "![", "[[", "]]", "[", "]", "](x)", "]:", "[^1]: ", "(", ")",
    "^abc",
    " ^m3f9a2c", "&lt;", "http://x.y/#z", "<http://x.y>", "dataview", "```dataviewjs", "~~~mermaid",
    "`= 1`", "`$= x`", "|", "| a | b |", "|---|---|", ":", "::", "{{", "{", "{%",
    "[a](javascript:x)", "[", "](data:x)", "obsidian://x", "`BUTTON[x]`", "--- ", "- - -", "!", ".",
]  # fmt: skip
markdown = st.lists(st.sampled_from(PIECES), max_size=24).map("".join) | st.text(max_size=60)

RENDERER = MarkdownIt("commonmark", {"html": True}).enable("table")
#: the stock renderer refuses some links; others do not
RENDERER.validateLink = lambda url: True  # type: ignore[method-assign]
FORBIDDEN = {"heading_open", "hr", "blockquote_open", "html_block", "html_inline", "image"}


def tokens(text: str) -> list[Token]:
    """All tokens of a text, inline ones included, as a CommonMark renderer sees them."""
    found = []
    for token in RENDERER.parse(text):
        found.append(token)
        found.extend(token.children or [])
    return found


def prose(text: str) -> str:
    """The text without its code blocks and code spans, as the renderer sees it: raw sources."""
    lines = text.split("\n")
    kept = [line for line, code in zip(lines, code_lines(lines), strict=True) if not code]
    spans = re.compile(r"\\[!-/:-@\[-`{-~]|(`+)(?!`).*?(?<!`)\1(?!`)")
    return spans.sub(lambda found: "code" if found[1] else found[0], "\n".join(kept))


@examples(75)
@given(markdown)
@example("`a\n` <b> `")
@example("- ```\ncode\n<b>")
@example("[foo\nbar]: /hidden\n[foo\nbar]")
@example("\\``\n<i>`")
def test_a_renderer_finds_nothing_that_acts(text: str) -> None:
    note = "before\n\n" + neutralise(text) + "\n\nafter"
    inert = tokens(note)
    assert {token.type for token in inert} & FORBIDDEN == set()
    assert [token.info for token in inert if token.type == "fence" and token.info] == []
    last = RENDERER.parse(note)[-2]
    assert last.content == "after" and last.level == 1, "nothing reaches past the end of the text"


@examples(75)
@given(markdown)
def test_no_line_begins_a_block_or_carries_a_block_id(text: str) -> None:
    lines = neutralise(text).split("\n")
    for line, code in zip(lines, code_lines(lines), strict=True):
        if code:
            continue
        assert not re.match(r"\s*(?:#{1,6}(?:\s|$)|>|~~~|([-=*_])(?:\s*\1)*\s*$)", line)
        assert not re.match(r"\s*(`{3,})[^`]*$", line)
        assert not re.search(r"(?:^|\s)\^[A-Za-z0-9-]+\s*$", line)


@examples(75)
@given(markdown)
def test_nothing_that_obsidian_and_its_plugins_run_is_left(text: str) -> None:
    inert = neutralise(text)
    assert not re.search(r"<%|\{\{|\{%", inert)
    left = prose(inert)
    for forbidden in ("[[", "![", "%%", "$$", "obsidian:/"):
        assert forbidden not in left
    assert not re.search(r"(?:^|\s)#[A-Za-z\u00c0-\u017e]", left)
    spans = [token.content.strip() for token in tokens(inert) if token.type == "code_inline"]
    assert not [span for span in spans if span.startswith(("=", "$=", "BUTTON["))]
    links = [str(token.attrs["href"]) for token in tokens(inert) if token.type == "link_open"]
    assert not [url for url in links if re.match(r"(?!https?:)\w+:", url)]


@examples(75)
@given(markdown)
def test_it_is_idempotent(text: str) -> None:
    once = neutralise(text)
    assert neutralise(once) == once
    assert quote_block(text) == quote_block(once)


@examples(100)
@given(markdown)
def test_every_word_survives_in_order(text: str) -> None:
    shown = re.sub("[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f]", "", text)
    before = re.findall(r"[^\W_]+", shown)
    after = iter(re.findall(r"[^\W_]+", neutralise(text)))
    dropped = [word for word in before if word not in after]
    assert not dropped or re.search("[`~]{3}", text), "only info strings of fences may go"


@given(st.text(alphabet=st.characters(categories=["Lu", "Ll", "Nd", "Zs"]) | st.sampled_from(",.")))
def test_plain_prose_is_left_alone(text: str) -> None:
    assert neutralise("x" + text + "x") == "x" + text + "x"


@examples(75)
@given(markdown)
def test_a_quote_is_one_quote_to_its_end(text: str) -> None:
    block = quote_block(text)
    assert all(line.startswith("> ") or line == ">" for line in block.split("\n") if block)
    inert = RENDERER.parse(block + "\n\nafter")
    top = [token.type for token in inert if token.level == 0 and token.nesting >= 0]
    assert top in (["blockquote_open", "paragraph_open"], ["paragraph_open"])
    assert inert[-2].content == "after"


@pytest.mark.parametrize(
    ("text", "inert"),
    [
        ("# Title", r"\# Title"),
        ("   ### deep", r"\### deep"),
        ("- # in a list", r"- \# in a list"),
        ("10. > quoted", r"10. \> quoted"),
        ("> forged receipt", r"\> forged receipt"),
        ("Title\n===", "Title\n\\==="),
        ("a\n---\nb", "a\n\\---\nb"),
        ("* * *", r"\* * *"),
        ("- * * *", r"- * * \*"),
        ("see [[note|x]] and ![[pic]]", r"see \[\[note|x]] and !\[\[pic]]"),
        ("![alt](http://x/y.png)", r"!\[alt](http://x/y.png)"),
        ("[a link](http://x)", "[a link](http://x)"),
        ("a <b>bold</b> <!-- c --> 1 < 2", r"a \<b>bold\</b> \<!-- c --> 1 < 2"),
        ("<% tp.file %>", r"<\% tp.file %>"),
        ("a %%hidden%% b", r"a \%\%hidden\%\% b"),
        ("{{date}} {{{x}}} {% raw %}", r"\{\{date}} \{\{\{x}}} {\% raw %}"),
        ("```\n${{ a }} <% b %>\n```", "```\n${\\{ a }} <\\% b %>\n```"),
        ("run `{{ a }}` now", r"run `{\{ a }}` now"),
        ("[a](javascript:x) [b]( <data:y>)", r"[a\](javascript:x) [b\]( \<data:y>)"),
        ("[a](docs/x.md) [b](/c) [d](x:y)", r"[a](docs/x.md) [b](/c) [d\](x:y)"),
        ("go to obsidian://open", r"go to obsidian\://open"),
        ("press `BUTTON[go]` or `button-go`", r"press `\BUTTON[go]` or `\button-go`"),
        ("a lone `= x", r"a lone \`\= x"),
        ("use #tag, not C# or #42 or x#y", r"use \#tag, not C# or #42 or x#y"),
        ("http://x.y/#part", "http://x.y/#part"),
        ("so it is ^m3f9a2c", r"so it is \^m3f9a2c"),
        ("x^2", "x^2"),
        ("run `git <cmd> [[x]] #a` now", "run `git <cmd> [[x]] #a` now"),
        ("run `= this.file` now", r"run `\= this.file` now"),
        ("a lone ` stays", r"a lone \` stays"),
        ("[x]: http://hidden", r"\[x]: http://hidden"),
        ("```dataviewjs\ndv.pages()\n```", "```\ndv.pages()\n```"),
        ("```py\nopen", "```\nopen\n```"),
        ("~~~ mermaid\n# not a heading\n~~~", "~~~\n# not a heading\n~~~"),
        ("1. ```sh\n   ls <dir>\n   ```", "1\\.\n```\nls <dir>\n```"),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "| a | b |\n|---|---|\n| 1 | 2 |"),
        ("- [ ] task\n- [x] done", "- [ ] task\n- [x] done"),
        ("already \\# \\[\\[x]] \\<b>", "already \\# \\[\\[x]] \\<b>"),
        ("one\rtwo\u2028# three", "one\ntwo\n\\# three"),
        ("nul\x00 esc\x1b[31m", "nul esc[31m"),
        ("lone \ud800 surrogate", "lone \ufffd surrogate"),
        ("", ""),
        (" \n\t\n ", ""),
    ],
)
def test_what_becomes_of(text: str, inert: str) -> None:
    assert neutralise(text) == inert


def test_a_quote_keeps_its_lines() -> None:
    assert quote_block("one\n\n# two\n") == "> one\n>\n> \\# two"
    assert quote_block(" ") == ""


def test_lines_of_code_are_told_from_prose() -> None:
    lines = ["a", "```py", "> x", "``", "```", "b", "~~~", "c"]
    assert code_lines(lines) == [False, True, True, True, True, False, True, True]


def test_long_hostile_lines_take_no_longer_than_others() -> None:
    hostile = " ".join("`" * n for n in range(1, 300)) + "[" * 20_000 + "- " * 20_000 + " " * 20_000
    assert neutralise(neutralise(hostile)) == neutralise(hostile)
