"""Signals: what a user's turn must say to be extracted at once."""

from __future__ import annotations

import re
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.capture import signals as module
from engram.capture.signals import Signals, compile_signals
from engram.model.errors import ConfigError

CONFIG = Path(__file__).parents[2] / "config" / "signals.toml"


def shipped() -> dict[str, Any]:
    with CONFIG.open("rb") as file:
        return tomllib.load(file)


SIGNALS = compile_signals(shipped())


def test_there_are_seventeen_high_patterns_in_nine_families_and_five_medium() -> None:
    table = shipped()
    assert len(table["high"]) == 17
    assert len({row["family"] for row in table["high"]}) == 9
    assert len(table["medium"]) == 5


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("actually, we ship on Monday", ("self-correction:actually",)),
        ("no, my desk is upstairs", ("self-correction:no",)),
        ("That’s not right", ("self-correction:not-right",)),
        ("Correction: it costs ten", ("self-correction:correction",)),
        ("why did you say that?", ("challenge:why-did-you-say",)),
        ("I really hate long meetings", ("stance:i-always",)),
        ("do not ever use globals", ("prohibition:do-not",)),
        ("DON'T\n use  globals", ("prohibition:do-not",)),
        ("please remember the milk", ("standing-instruction:please-always",)),
        ("this is important", ("importance:important",)),
        ("fyi the lift is out", ("importance:fyi",)),
        ("for the record, it rained", ("importance:for-the-record",)),
        ("my role is editor", ("identity:my-name-is",)),
        ("i'm a baker", ("identity:i-work-at",)),
        ("we finally agreed on oak", ("decision:we-decided",)),
        ("the decision was oak", ("decision:the-decision-is",)),
        ("going forward we use oak", ("durable-rule:going-forward",)),
        ("from now on we use oak", ("durable-rule:from-now-on",)),
        (
            "from now on I never want pine",
            ("stance:i-always", "durable-rule:from-now-on"),
        ),
    ],
)
def test_each_family_is_heard(text: str, names: tuple[str, ...]) -> None:
    signal = SIGNALS.scan(text)
    assert signal.level == "high"
    assert signal.families == names


@pytest.mark.parametrize(
    ("text", "level", "count"),
    [
        ("i think so", "low", 1),
        ("typically we meet at noon", "low", 1),
        ("i like it, usually", "medium", 2),
        ("my setup is old and i believe it will break", "medium", 2),
        ("run the tests", "none", 0),
        ("", "none", 0),
        ("knowing us, the corrections are unimportant", "none", 0),
        ("hi needy friend", "none", 0),
    ],
)
def test_quieter_words_give_medium_low_or_nothing(text: str, level: str, count: int) -> None:
    signal = SIGNALS.scan(text)
    assert (signal.level, len(signal.families)) == (level, count)


@pytest.mark.parametrize("text", ["That is wrong.", "no that's not right", "this is not correct"])
def test_a_rejection_is_a_disagreement(text: str) -> None:
    assert SIGNALS.is_disagreement(text)
    assert not SIGNALS.is_disagreement("this is right, thanks")


def test_a_persons_own_pattern_counts_as_high_whatever_the_case() -> None:
    signals = compile_signals(shipped(), [r"\bzebra\d+", "lion"])
    assert signals.scan("first line\nsee ZEBRA12").families == ("own:1",)
    assert signals.scan("no beast here").level == "none"


def test_a_persons_own_pattern_sees_no_more_than_the_head_of_a_turn() -> None:
    signals = compile_signals(shipped(), ["lion"])
    assert signals.scan("x " * 2100 + "lion").level == "none"
    assert signals.scan("x" * 600 + " lion").level == "none"


def test_a_pattern_that_is_broken_is_refused_by_name() -> None:
    with pytest.raises(ConfigError, match=re.escape("'(' is not a regular expression")) as refused:
        compile_signals(shipped(), ["fine", "("])
    assert refused.value.hint


def test_an_own_pattern_that_takes_too_long_is_given_up_and_the_others_go_on(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "_OWN_SECONDS", 0.05)
    signals = compile_signals(shipped(), ["fine", "(a|aa)+$", r"(\w+\s?)*!", ".*.*.*"])
    assert signals.scan("this is fine!").families == ("own:1", "own:3", "own:4")
    for _ in range(200):
        assert signals.scan("hello\n" + "a" * 60 + "! fine").families[0] == "own:1"
    assert signals.scan("aaa").families == ("own:4",)
    (said,) = [record.getMessage() for record in caplog.records]
    assert "high_signal_patterns: '(a|aa)+$' takes too long" in said


def test_the_shipped_patterns_take_no_longer_on_the_worst_text() -> None:
    rows = [row for group in shipped().values() for row in group]
    begun = time.monotonic()
    for start in sorted({start for row in rows for start in row["starts"]}):
        for filler in ("", " a", " the", ",", "  "):
            SIGNALS.scan((start + filler * 50 + " ") * (4000 // (len(start) + 50)))
    assert time.monotonic() - begun < 20


@pytest.mark.parametrize(
    "row",
    [
        {"family": "x", "label": "y", "pattern": "z"},
        {"family": "x", "label": "y", "pattern": "z", "starts": []},
        {"family": "x", "label": "y", "pattern": "z", "starts": ["Z"]},
        {"family": "", "label": "y", "pattern": "z", "starts": ["z"]},
        "no row",
    ],
)
def test_an_incomplete_row_is_refused(row: object) -> None:
    with pytest.raises(ConfigError):
        compile_signals({"high": [row]})


def test_a_group_that_is_no_list_is_refused() -> None:
    with pytest.raises(ConfigError):
        compile_signals({"high": {"family": "x"}})


@given(st.text(max_size=300))
def test_any_text_has_a_level_and_it_agrees_with_what_matched(text: str) -> None:
    signal = SIGNALS.scan(text)
    assert signal == SIGNALS.scan(text)
    if signal.level == "high":
        assert signal.families
    else:
        assert signal.level == ("none", "low", "medium")[min(len(signal.families), 2)]


@given(st.text(alphabet="ab i'.\n", max_size=60), st.sampled_from(["going forward", "fyi"]))
def test_a_signal_in_the_middle_is_found(around: str, phrase: str) -> None:
    assert SIGNALS.scan(f"{around} {phrase} {around}").level == "high"


def test_compiling_nothing_gives_signals_that_stay_silent() -> None:
    assert isinstance(compile_signals({}), Signals)
    assert compile_signals({}).scan("I always prefer this").level == "none"
