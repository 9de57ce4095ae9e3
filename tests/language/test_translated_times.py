"""Time expressions of German and Chinese, seen from Wednesday, 4 March 2026."""

from __future__ import annotations

import pytest

from engram.language.anchor import anchored
from engram.language.when import find_times

SAID = "2026-03-04T10:00:00Z"


@pytest.mark.parametrize(
    ("text", "start", "end", "role"),
    [
        ("Gestern sind wir umgezogen", "2026-03-03", "2026-03-03", "point"),
        ("Guten Morgen! Morgen streichen wir", "2026-03-05", "2026-03-05", "point"),
        ("übermorgen ist Termin", "2026-03-06", "2026-03-06", "point"),
        ("am nächsten Freitag ist Elternabend", "2026-03-06", "2026-03-06", "point"),
        ("bis Freitag fertig", "2026-03-06", "2026-03-06", "deadline"),
        ("muss bis Ende März fertig sein", "2026-03-31", "2026-03-31", "deadline"),
        ("bis Ende März 2027", "2027-03-31", "2027-03-31", "deadline"),
        ("am 3. April 2026", "2026-04-03", "2026-04-03", "point"),
        ("seit dem 1. April", "2025-04-01", "2025-04-01", "since"),
        ("vor drei Tagen", "2026-03-01", "2026-03-01", "point"),
        ("im Juni 2027", "2027-06-01", "2027-06-30", "point"),
        ("昨天搬家", "2026-03-03", "2026-03-03", "point"),
        ("我后天去北京", "2026-03-06", "2026-03-06", "point"),
        ("下周五开始上课", "2026-03-13", "2026-03-13", "point"),
        ("三月底之前交付", "2026-03-31", "2026-03-31", "deadline"),
        ("周五之前", "2026-03-06", "2026-03-06", "deadline"),
        ("2026年4月3日上线", "2026-04-03", "2026-04-03", "point"),
        ("两个星期后", "2026-03-18", "2026-03-18", "point"),
        ("上个月", "2026-02-01", "2026-02-28", "point"),
        ("三天后天气好", "2026-03-07", "2026-03-07", "point"),
    ],
)
def test_an_expression_means_its_days(text: str, start: str, end: str, role: str) -> None:
    (found,) = find_times(text, SAID)
    assert (found.start, found.end, found.role_hint) == (start, end, role)


@pytest.mark.parametrize(
    "text",
    ["Guten Morgen!", "jeden Freitag um 9", "am Freitag", "morgens um sechs", "bald", "每周三开会",
     "星期五很忙", "每个月", "Morgan Stanley", "Ende gut, alles gut"],
)  # fmt: skip
def test_what_is_no_certain_day_is_none(text: str) -> None:
    assert find_times(text, SAID) == []


@pytest.mark.parametrize(
    ("text", "dated"),
    [
        ("Der Server steht seit gestern bei uns.", "Der Server steht seit 2026-03-03 bei uns."),
        ("Übermorgen streichen wir.", "Am 2026-03-06 streichen wir."),
        ("用户一家昨天搬到了西湖区。", "用户一家在2026年3月3日搬到了西湖区。"),
        ("从明天起用新流程。", "从2026年3月5日起用新流程。"),
        ("昨天（2026-03-03）搬家。", "昨天（2026-03-03）搬家。"),
        ("I am from today on here.", "I am from 2026-03-04 on here."),
    ],
)
def test_a_statement_outlives_the_day_it_was_said_on(text: str, dated: str) -> None:
    assert anchored(text, SAID) == dated
