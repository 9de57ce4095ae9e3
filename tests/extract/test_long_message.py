"""What is shown of a message that is too long to be shown whole."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engram.extract.llm.long_message import GAP, shown

FILLER = "The parser reads a line and then another line of the same file."


def paragraphs(count: int, *between: str) -> str:
    half = [f"Paragraph {number}. {FILLER}" for number in range(count)]
    return "\n\n".join([*half[: count // 2], *between, *half[count // 2 :]])


def test_a_short_message_is_shown_as_it_is() -> None:
    assert shown(paragraphs(3), 4000) == paragraphs(3)


def test_a_long_message_is_cut_between_paragraphs() -> None:
    text = paragraphs(200)
    told = shown(text, 4000)
    assert len(told) <= 4000 and told.count(GAP) == 1
    assert all(part in text.split("\n\n") for part in told.replace(GAP, "").strip().split("\n\n"))
    begun, _, ended = told.partition(GAP)
    assert begun.startswith("Paragraph 0.") and "Paragraph 199." in ended
    assert len(begun) > 2 * len(ended) > 1000


def test_lists_headings_and_tables_between_are_shown() -> None:
    told = shown(
        paragraphs(
            200, "## Results", "| run | seconds |\n|---|---|\n| cold | 41 |",
            "- the cache was stale\n  1. mended in two places\n* and tested",
        ), 4000,
    )  # fmt: skip
    for line in ("## Results", "| run | seconds |", "| cold | 41 |", "- the cache was stale",
                 "  1. mended in two places", "* and tested"):  # fmt: skip
        assert f"\n{line}\n" in told
    assert told.count(GAP) == 2 and "|---|" not in told and len(told) <= 4000


def test_lines_of_code_are_no_list() -> None:
    told = shown(paragraphs(200, "```diff\n- old = 1\n# new\n+ new = 2\n```", "- said"), 4000)
    assert "old = 1" not in told and "# new" not in told and "\n- said\n" in told


def test_a_long_list_between_takes_its_part_of_the_room() -> None:
    told = shown(paragraphs(200, "\n".join(f"- item {n} {FILLER}" for n in range(500))), 4000)
    assert len(told) <= 4000 and "- item 5 " in told and "- item 499 " not in told
    assert told.endswith(f"Paragraph 199. {FILLER}") and told.startswith("Paragraph 0.")


@given(st.text(alphabet="a \n-|#`1.漢", max_size=3000), st.integers(200, 1500))
def test_it_is_never_longer_than_asked_for(text: str, most: int) -> None:
    assert len(shown(text, most)) <= most
