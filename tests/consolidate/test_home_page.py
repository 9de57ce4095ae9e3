"""home.md: its block follows what the vault has; the rest, and a page without marks, stay."""

from __future__ import annotations

import re

from engram.consolidate.passes import home_page
from engram.model.marked_block import END
from engram.settings.load import vault_template
from tests.consolidate.cases import aged, context
from tests.consolidate.view import after, remembering
from tests.kit import box, entity

MIA = aged(3, "Our daughter Mia is four.", category="relationship", entities=("person-mia",))
PAGE = f"# Mine\r\n\r\n{home_page.BEGIN}\r\nold\r\n{END}\r\n\r\n[[note]]  "


def test_the_block_links_what_there_is_and_every_other_byte_stays() -> None:
    page = entity(
        "person-mia", MIA.id, name="Mia", synthesis="Person: the user's daughter. Last spoken of.",
        synthesis_by="listed",
    )  # fmt: skip
    view = remembering(MIA, pages={"home.md": PAGE, "profile.md": "# Profile\n"}, named=(page,))
    made = after(view, home_page.plan(context(view)))
    text = made.pages["home.md"]
    assert text.startswith(f"# Mine\r\n\r\n{home_page.BEGIN}\r\n\r\n- [[profile]]: ")
    assert "\r\n- [[person-mia|Mia]]: the user's daughter\r\n" in text
    assert text.endswith(f"{END}\r\n\r\n[[note]]  ") and "index" not in text
    assert home_page.plan(context(made)) == []


def test_a_page_without_marks_is_left_and_none_is_made() -> None:
    for pages in ({}, {"home.md": "# Home\n"}, {"home.md": f"{END}\n{home_page.BEGIN}\n"}):
        assert home_page.plan(context(remembering(MIA, pages=pages, sealed=(box("box-a"),)))) == []


def test_the_page_of_a_new_vault_has_the_marks() -> None:
    text = (vault_template() / "home.md").read_text(encoding="utf-8")
    assert f"{home_page.BEGIN}\n{END}\n" in text


def test_no_name_of_a_conversation_ends_its_link_or_turns_the_line() -> None:
    hostile = ("a ]] b | c #^x", "!\\[\\[note]] x", "abc \u202egnp.exe", "[[home]]|z \\", "\\]\\]")
    boxes = tuple(box(f"box-{at}", title=title) for at, title in enumerate(hostile))
    made = after(view := remembering(MIA, pages={"home.md": PAGE}, sealed=boxes),
                 home_page.plan(context(view))).pages["home.md"]  # fmt: skip
    lines = [line for line in made.splitlines() if "[[box-" in line]
    assert len(lines) == len(hostile) and "\u202e" not in made
    for line in lines:
        assert re.fullmatch(
            r"- \S+ \[\[box-\d\|[^\[\]|]+\]\]( \(\[\[[^\[\]|]+\|all that was said\]\]\))", line
        ), line
