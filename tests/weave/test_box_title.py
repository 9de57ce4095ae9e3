"""What a box is called."""

from __future__ import annotations

from dataclasses import replace

from engram.weave.box_title import box_title, is_made, is_of_topics
from tests.weave.yarn import box


def test_a_box_is_called_by_its_conversation_and_a_later_one_by_what_it_says_too() -> None:
    one = replace(box(1, "rent", "deposit"), lines=(("fact-1", "The deposit is two rents."),))
    assert box_title(one, "Apartment Hamburg", later=False) == "Apartment Hamburg"
    assert box_title(one, "Apartment Hamburg", later=True) == (
        "Apartment Hamburg: The deposit is two rents"
    )
    long = "For hosting we go back to Fly.io after all"
    assert box_title(one, long, later=True).startswith("For hosting we go back to Fly.io: The")
    assert box_title(one, "", later=True) == "The deposit is two rents"


def test_a_title_of_topics_is_of_an_older_version_and_one_of_a_person_is_theirs() -> None:
    one = replace(box(1, "writing-style", "reports"), title="Writing style, reports")
    assert is_of_topics(one) and is_made(one, "Letters")
    assert is_made(replace(one, title="Letters"), "Letters")
    assert not is_made(replace(one, title="Our letters"), "Letters")
