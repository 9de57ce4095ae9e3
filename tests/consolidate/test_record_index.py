"""index.md: the active records by schema; the person's lines stay, and no title forges anything."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from engram.consolidate.passes import record_index
from engram.model.page_lines import Lines
from tests.consolidate.cases import aged, context
from tests.consolidate.view import Remembered, after, remembering
from tests.effort import examples

PATH = record_index.PATH
POSTGRES = aged(9, "The shop uses Postgres.", category="decision", project="shop")
TABS = aged(3, "The user prefers tabs.", category="preference", space="user")
TILL = aged(2, "Make the till retry.", category="moment", schema="session", project="shop",
            title="Till sync retries", extra=(("outcome", "partial"),))  # fmt: skip
ABOUT = record_index._ABOUT


def written(view: Remembered) -> Remembered:
    """The view after the pass, which plans nothing more when it is asked again."""
    made = after(view, record_index.plan(context(view)))
    made.pages = {path: text for path, text in made.pages.items() if text}
    assert record_index.plan(context(made)) == []
    return made


def test_records_stand_under_their_schema_with_links() -> None:
    fact = aged(1, "The till runs on port 80.")
    assert written(remembering(POSTGRES, TABS, TILL, fact)).pages[PATH] == (
        f"# Index\n\n{ABOUT}\n"
        f"\n## Sessions\n\n- Till sync retries (shop, 2026-11-18, partial) [[{TILL.id}]]\n"
        f"\n## Decisions\n\n- The shop uses Postgres. (shop, 2026-11-11) [[{POSTGRES.id}]]\n"
        f"\n## Preferences\n\n- The user prefers tabs. (2026-11-17) [[{TABS.id}]]\n"
    )


def test_without_records_there_is_no_page_and_one_without_any_left_goes() -> None:
    assert record_index.plan(context(remembering(aged(1)))) == []
    view = written(remembering(POSTGRES))
    view.memories[POSTGRES.id] = replace(POSTGRES, status="retired")
    (step,) = record_index.plan(context(view))
    assert step.action == "remove"
    assert step.prose[0].after is None


def test_lines_of_the_person_stay_byte_for_byte() -> None:
    page = written(remembering(POSTGRES, TABS)).pages[PATH]
    mine = page.replace("## Decisions\n\n", "## Decisions\n\nRead these first.\n\n- no link\n")
    mine += "\n## Mine\n\n- [[home]] is better  \n* x\n"
    newer = aged(1, "The shop runs on two hosts.", category="decision", project="shop")
    old = replace(POSTGRES, status="superseded")
    made = written(remembering(old, TABS, newer, pages={PATH: mine})).pages[PATH]
    link = f"- The shop uses Postgres. (shop, 2026-11-11) [[{POSTGRES.id}]]\n"
    line = f"- The shop runs on two hosts. (shop, 2026-11-19) [[{newer.id}]]\n"
    assert made == mine.replace(link, line)


def test_a_stale_line_goes_wherever_it_was_moved() -> None:
    page = written(remembering(POSTGRES)).pages[PATH].replace("## Decisions", "## Mine")
    view = remembering(replace(POSTGRES, status="expired"), pages={PATH: page + "\nMy words.\n"})
    assert POSTGRES.id not in written(view).pages[PATH]


def test_a_page_that_is_not_of_this_program_is_left_alone() -> None:
    view = remembering(POSTGRES, pages={PATH: "# My own index\n\n- [[home]]\n"})
    assert record_index.plan(context(view)) == []
    page = written(remembering(POSTGRES)).pages[PATH].replace(ABOUT, "")
    assert record_index.plan(context(remembering(TABS, pages={PATH: page}))) == []


def test_a_long_section_says_how_many_more_there_are() -> None:
    many = [aged(day, f"We chose option {day}.", category="decision") for day in range(60)]
    view = written(remembering(*many))
    bullets = [one.text for one in Lines(view.pages[PATH]).bullets()]
    assert len(bullets) == 51
    assert bullets[-1] == "and 10 more: `engram list --schema decision`"
    for one in many[:20]:
        view.memories[one.id] = replace(one, status="retired")
    assert "more: `" not in written(view).pages[PATH]


def test_what_is_secret_or_of_one_session_or_waits_for_review_is_not_shown() -> None:
    hidden = [
        replace(POSTGRES, sensitivity="secret"), replace(POSTGRES, space="session"),
        replace(POSTGRES, status="needs-review"),
    ]  # fmt: skip
    for one in hidden:
        assert record_index.plan(context(remembering(one))) == []


@given(st.text(min_size=1, max_size=60))
@examples(100)
def test_no_title_forges_a_line(title: str) -> None:
    forged = replace(POSTGRES, title=title)
    page = Lines(written(remembering(forged, TABS)).pages[PATH])
    assert [section.heading for section in page.sections] == ["Decisions", "Preferences"]
    links = [one.text.rpartition("[[")[2] for one in page.bullets()]
    assert links == [f"{POSTGRES.id}]]", f"{TABS.id}]]"]
