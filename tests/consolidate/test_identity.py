"""IDENTITY.md: what was learnt earlier is part of what is condensed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.consolidate.passes import identity
from engram.model.page_lines import Lines
from tests.consolidate.cases import Condenser, context
from tests.consolidate.view import Remembered, after, remembering

HEAD = "# Identity\n\nI am the agent of Al.  \n\n## Values\n- be kind\n\n"
OLD = "I read a file before I edit it."


def page(reflections: int, patterns: tuple[str, ...] = (OLD,)) -> str:
    said = "".join(
        f"## Reflection 2026-03-{n % 28 + 1:02d}\n\nI forgot thing {n:03d}. It was late.\n\n"
        for n in range(reflections)
    )
    return (
        f"{HEAD}## Learned Patterns\n\n" + "".join(f"- {one}\n" for one in patterns) + "\n" + said
    )


def condensed(text: str, most: int = 2000, **more: object) -> str:
    """The page after the pass, which plans nothing more when it is asked again."""
    view = remembering(pages={"IDENTITY.md": text})
    made = after(view, identity.plan(context(view, identity_max_bytes=most, **more)))
    assert identity.plan(context(made, identity_max_bytes=most, **more)) == []
    return made.pages["IDENTITY.md"]


def learnt(text: str) -> list[str]:
    return [one.text for one in Lines(text).bullets() if one.heading == "Learned Patterns"]


def test_without_the_page_or_below_the_limit_nothing_is_done() -> None:
    assert identity.plan(context(Remembered())) == []
    text = page(20)
    assert condensed(text, len(text)) == text
    assert condensed(text, len(text) - 1) != text


def test_reflections_become_patterns_and_earlier_ones_stay() -> None:
    made = condensed(page(50))
    assert OLD in learnt(made)
    assert "I forgot thing 049." in learnt(made)
    assert "## Reflection" not in made
    assert made.startswith(HEAD)
    assert len(made.encode()) <= 2000


def test_what_recurs_comes_first_and_the_newest_before_the_older() -> None:
    text = page(50, (OLD, "I guess too much.", "I guess too much", "I ask when in doubt."))
    assert learnt(condensed(text))[:2] == ["I guess too much", "I forgot thing 049."]


def test_all_is_kept_when_repeats_alone_make_it_short() -> None:
    text = page(0, tuple(f"I say thing {n % 9}." for n in range(200)))
    assert len(learnt(condensed(text))) == 9


def test_less_than_thirty_percent_is_refused() -> None:
    text = page(0, tuple(f"I learnt thing {n:03d}." for n in range(100)))
    assert len(learnt(condensed(text, 1300))) == 38
    assert len(learnt(condensed(text, 1040))) == 30
    assert condensed(text, 1005) == text


def test_what_stands_elsewhere_stays_byte_for_byte() -> None:
    text = page(50) + "# Notes\r\n- mine\n\n## Reflections on art\nNot a reflection.\n"
    text = text.replace("## Learned Patterns\n", "## Learned Patterns\n\nHand-written.\n")
    made = condensed(text)
    assert made.endswith("# Notes\r\n- mine\n\n## Reflections on art\nNot a reflection.\n")
    assert "Hand-written.\n" in made


def test_a_page_without_patterns_gets_the_section_where_reflections_were() -> None:
    text = page(40).replace(f"## Learned Patterns\n\n- {OLD}\n\n", "") + "## Last\nWords.\n"
    made = condensed(text)
    assert [name for name, *_ in Lines(made).sections] == ["Values", "Learned Patterns", "Last"]


def test_a_pattern_over_several_lines_is_one() -> None:
    made = condensed(page(50, ("I read a file\n  before I edit it.",) * 2))
    assert learnt(made)[0] == OLD


def joined(said: list[str]) -> list[dict[str, object]]:
    text = " ".join(line.partition(". ")[2] for line in said[1:])
    return [
        {"section": "Learned Patterns", "text": text, "of": list(range(2, len(said) + 1))},
        {"section": "Learned Patterns", "text": "Else.", "of": [1]},
    ]


def test_a_model_sees_earlier_patterns_and_whole_reflections() -> None:
    seen: list[str] = []

    def answer(said: list[str]) -> list[dict[str, object]]:
        seen.extend(said)
        return joined(said)

    made = condensed(page(50), model=Condenser(answer))
    assert any(OLD in line for line in seen)
    assert any("I forgot thing 049. It was late." in line for line in seen)
    assert learnt(made)[1] == OLD


def lengthy(said: list[str]) -> list[dict[str, object]]:
    return [{**joined(said)[0], "text": "I forget things. " * 200}]


def brief(said: list[str]) -> list[dict[str, object]]:
    return [{**joined(said)[0], "text": "I forget things."}]


@pytest.mark.parametrize("answer", [lambda said: [], lambda said: joined(said)[1:], brief, lengthy])
def test_a_model_s_answer_is_refused_when_it_forgets(
    answer: Callable[[list[str]], list[dict[str, object]]],
) -> None:
    assert condensed(page(50), model=Condenser(answer)) == page(50)


@given(st.lists(st.sampled_from([
    "# I\n", "## Reflection\n", "## Learned Patterns\n", "- one\n", "- two [[x]]\n", "  more\n",
    "Words. More.\n", "\n", "```\n", "## Mine\n", "mine\n",
]), max_size=30))  # fmt: skip
def test_whatever_is_outside_stays_and_a_second_look_plans_nothing(lines: list[str]) -> None:
    text = "".join(lines)
    made = condensed(text, 100)
    if made != text:
        outside = _outside(text)
        rest = iter(_outside(made))
        assert all(line in rest for line in outside)


def _outside(text: str) -> list[str]:
    """The lines with words that stand in neither of the two kinds of section."""
    page, taken = Lines(text), set[int]()
    for section in page.sections:
        if section.heading in ("Reflection", "Learned Patterns"):
            taken |= set(range(section.start, section.end))
    return [line for at, line in enumerate(page.raw) if line.strip() and at not in taken]
