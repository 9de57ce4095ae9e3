"""Which conversations have a record that is wanted in a month."""

from __future__ import annotations

from dataclasses import replace

from engram.extract.session import session_of
from engram.extract.session_worth import is_worth_keeping
from engram.extract.work_words import names_work
from tests.extract.test_session import talk

EDIT = " >> Edit oven.py"

#: what happened -> the conversation
WANTED = {
    "two things done in one request": (
        "U: The oven forgets its programme at night, fix that.",
        "A: Both are fixed:\n\n- Added a battery check to the clock\n"
        f"- Moved the programme to flash memory{EDIT}",
    ),
    "several requests, one thing done that is named": (
        "U: Why is the rye flat?", "A: The proofing timer stops at 40 minutes.",
        "U: raise it", f"A: Raised the limit. I've changed the proofing timer to 90 minutes.{EDIT}",
    ),
    "a commit": ("U: Fix the typo on the label and commit.", "A: Committed as `06e93767`."),
    "a request to merge": (
        "U: Send the label change.", "A: PR created: https://git.example/bakery/site/pull/12",
    ),
    "a next step": (
        "U: Let the till keep its orders when the wifi is gone.",
        "A: Added a queue on the card.\n\n## Next steps\n1. Run it with the wifi off >> Edit t.py",
    ),
    "what the person says is still broken": (
        "U: Make the bell ring at six.", f"A: Set the bell.{EDIT}",
        "U: it is still not ringing",
    ),
    "work that was cut off": (
        "U: Move the recipes to the new shelf.",
        "A: Moved the bread. Now let me move the cakes: >> Edit cakes.md; Bash mv",
    ),
    "work that was reported in a language that is not read": (
        "U: Bitte baue eine Uhr in den Ofen ein.", "A: Die Uhr ist drin. >> Edit uhr.py",
        "U: Zeige die Uhrzeit auch auf der Kasse.", "A: Steht jetzt dort. >> Edit kasse.py",
        "U: Die Kasse soll um sechs piepen.", "A: Sie piept. >> Edit kasse.py",
    ),
}  # fmt: skip
UNWANTED = {
    "one request, one edit": (
        "U: Add an MIT licence to the bakery.", f"A: Created `LICENCE` with the MIT text.{EDIT}",
    ),
    "an edit of which nothing is told": ("U: Sort the list of jars by grain.", f"A: ok{EDIT}"),
    "an explanation": (
        "U: What does the proofing timer do?", "A: It stops the fermentation by cold air.",
        "U: and why at 40 minutes?", "A: Because wheat is done by then.",
    ),
    "a question of the agent": (
        "U: Reorder the lists in the price sheet.",
        "A: Which order do you want? Please add the price sheet to the chat.",
    ),
    "a file that was not shared": ("U: What is this folder for?", "A: Please share its files."),
    "several edits of one file, with nothing told": (
        "U: Improve my conventions.", f"A: Here they are.{EDIT}",
        "U: improve them further", f"A: Here they are.{EDIT}",
        "U: one more time", f"A: Here they are.{EDIT}",
    ),
    "what is done everywhere": (
        "U: Run the tests of the till.", "A: All 41 tests pass.", "U: push it", "A: Pushed.",
    ),
    "an offer at the end": (
        "U: Rename the grams column.", f"A: Renamed it. Want me to rename the ounces too?{EDIT}",
    ),
}  # fmt: skip


def _wanted(*said: str, project: str = "bakery") -> bool:
    turns = [replace(turn, project=project) for turn in talk(*said)]
    session = session_of(turns)
    assert session is not None
    return is_worth_keeping(session.record, turns)


def test_something_named_done_or_left_open_is_wanted_and_a_task_for_the_moment_is_not() -> None:
    assert {name: _wanted(*said) for name, said in (WANTED | UNWANTED).items()} == {
        **dict.fromkeys(WANTED, True),
        **dict.fromkeys(UNWANTED, False),
    }


def test_a_talk_that_belongs_to_no_project_and_changed_nothing_is_not_gone_on_with() -> None:
    advice = (
        "U: Rewrite this letter to my landlord.", "A: Removed the threat. Added the date.",
        "U: shorter please", "A: Removed the second paragraph of the letter.",
    )  # fmt: skip
    assert not _wanted(*advice, project="")
    assert _wanted(*advice)


def test_work_is_named_by_words_of_its_own() -> None:
    for item in ("Added a key per order", "`scale.py` — Removed the unused tare button"):
        assert names_work(item), item
    for item in ("All 1,351 tests pass.", "Committed as `06e9376` and pushed to main.", "All done"):
        assert not names_work(item), item
