"""The marks of Obsidian and its plugins around the words of a note."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.capture.sources.obsidian import NoteLines


def plain(text: str) -> str:
    note = NoteLines()
    return "".join(note.plain(line) for line in text.splitlines(keepends=True))


@pytest.mark.parametrize(
    ("link", "shown"),
    [
        ("[[Ana Lima]]", "Ana Lima"),
        ("[[people/Ana Lima|Ana]]", "Ana"),
        ("[[people/Ana\\|A.]]", "A."),
        ("[[Shop#Costs]]", "Shop"),
        ("[[#Costs]]", "Costs"),
        ("[[#^b1]]", "b1"),
        ("![[board.png]]", ""),
        ("[[a]] and [[b]]", "a and b"),
        ("[[]] [[a", "[[]] [[a"),
    ],
)
def test_links_become_what_they_show(link: str, shown: str) -> None:
    assert plain(f"- see {link}.\n") == f"- see {shown}.\n"


def test_an_embed_alone_and_a_block_id_leave_nothing() -> None:
    assert plain("![[board.png]]\n^b1\nTea. ^b2\n2^10\n") == "Tea.\n2^10\n"


def test_code_stays_and_what_a_plugin_runs_goes() -> None:
    code = "```js\n[[a]] %% x %%\n- \n```\n"
    assert (
        plain(f"{code}```dataview\nTABLE a\n```\n~~~tasks\nnot done\n~~~\nEnd.\n")
        == code + "End.\n"
    )


def test_comments_go_wherever_they_stand() -> None:
    assert plain("a %%b%% c\n%% d %%\n%%\nsecret\n```\n%%\ne\n") == "a  c\ne\n"
    assert plain("%% kanban:settings\n```\n{}\n```\n%%\nf\n") == "f\n"
    assert plain("100 %% sure\n") == "100 %% sure\n"


def test_a_callout_is_the_authors_own_and_a_quotation_is_not() -> None:
    note = "> [!note]- Title\n> Mine.\n>> quoted\n\n> theirs\n\n> [!quote] Who\n> theirs\n"
    assert plain(note) == "Title\nMine.\n> quoted\n\n> theirs\n\n> [!quote] Who\n> theirs\n"


def test_placeholders_and_items_without_words_go() -> None:
    note = "# {{title}}\n<% tp.x() %>\n- [ ] \n1.\n- [x] done\nUse {{name}} here.\n---\n"
    assert plain(note) == "- [x] done\nUse {{name}} here.\n---\n"


def test_a_piece_of_a_long_line_opens_nothing() -> None:
    note = NoteLines()
    assert note.plain("long ") + note.plain("```dataview", inner=True) == "long ```dataview"
    note.plain("%%\n")
    assert note.plain("secret ") + note.plain("more", inner=True) == ""


@given(st.text(alphabet="a[]|#!^%{}<>-`~ \n", max_size=60))
def test_no_line_raises_and_words_stay(text: str) -> None:
    assert "tea" in plain(f"I like tea.\n{text}")
