"""Related words: the shipped table is what the script makes of the list of words."""

from __future__ import annotations

import runpy
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

import engram
from engram.language.related_words import related_terms

DECISIONS = Path(__file__).parents[2] / "docs" / "decisions"
SHIPPED = Path(engram.__file__).parent / "language" / "related_stems.txt"
LINES = [line.split() for line in SHIPPED.read_text("ascii").splitlines() if line[0] != "#"]
STEMS = frozenset(line[0] for line in LINES)


def test_the_shipped_stems_are_made_of_the_list_of_words(tmp_path: Path) -> None:
    script = runpy.run_path(str(DECISIONS / "0033-related-stems.py"))
    script["main"](DECISIONS / "0033-related-words.txt", tmp_path / "stems.txt")
    assert (tmp_path / "stems.txt").read_bytes() == SHIPPED.read_bytes()


def test_stems_are_united_by_the_larger_share_and_stop_words_and_numbers_left_out() -> None:
    script = runpy.run_path(str(DECISIONS / "0033-related-stems.py"))
    made = script["listing"](
        "# origin\nships boat:20 boats:40 ship:90 pier:3 innings:20\nboat ship:40\nbat innings:2\n"
        "six nine:44 sixth:56\nyear march:40 six:30 week:20\n"
    )
    assert made == script["HEAD"] + "boat ship:40\nship boat:40 pier:3\nyear week:20\n"


def test_every_stem_of_the_table_is_found_with_its_shares_best_first() -> None:
    for head, *others in LINES:
        found = related_terms(head)
        assert [f"{name}:{share * 100:.0f}" for name, share in found] == others
        assert list(found) == sorted(found, key=lambda one: (-one[1], one[0]))
        assert all(0 < share < 1 and name != head for name, share in found)


@given(st.text() | st.sampled_from(("", "#", "abbey manor", "abbey ", "\nabbey", "abbeyx", "abbe")))
def test_a_term_that_the_table_does_not_have_is_related_to_nothing(term: str) -> None:
    assert bool(related_terms(term)) == (term in STEMS)
