"""The labelled times and the talks with questions of when are sound: real days, words that stand
in their text, questions of talks that exist. What the rules make of them is tested elsewhere.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any, get_args

from engram.model.time_span import Granularity, Role

_TABLES = Path(__file__).parent
_TALKS = _TABLES.parent / "fixtures" / "when_talk"
_HALVES = ("dev", "held")
_FULL_DAYS = {"day": {1}, "weekend": {2}, "week": {7}, "month": {28, 29, 30, 31},
              "quarter": {90, 91, 92}, "season": {90, 91, 92}, "year": {365, 366}}  # fmt: skip


def _table(half: str) -> dict[str, list[dict[str, Any]]]:
    return tomllib.loads((_TABLES / f"time_cases_{half}.toml").read_text(encoding="utf-8"))


def _lines(name: str) -> list[dict[str, Any]]:
    text = (_TALKS / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def _faults_of_span(row: dict[str, Any]) -> Iterator[str]:
    """What is wrong with the days of a row (it has start, end, granularity)."""
    first, last = date.fromisoformat(row["start"]), date.fromisoformat(row["end"])
    kind, days = row["granularity"], (last - first).days + 1
    if kind not in get_args(Granularity):
        yield f"no such granularity: {kind}"
    if days not in _FULL_DAYS.get(kind, {days}) or days < 1:
        yield f"{days} days are no {kind}"
    if kind == "weekend" and first.weekday() != 5:
        yield "a weekend starts on Saturday"
    after = last + timedelta(days=1)
    if kind in {"month", "quarter", "season", "year"} and (first.day, after.day) != (1, 1):
        yield f"not a whole {kind}"


def _faults_of_case(row: dict[str, Any]) -> Iterator[str]:
    date.fromisoformat(row["anchor"])
    if not row["expression"] or row["expression"] not in row["text"]:
        yield "the expression is not in the text"
    if not row["construct"]:
        yield "no construct"


def test_a_labelled_time_has_real_days_and_stands_in_its_text() -> None:
    faults, texts = [], []
    for half in _HALVES:
        table = _table(half)
        for row in table["resolves"] + table["never"]:
            found = list(_faults_of_case(row))
            if "start" in row:
                found += _faults_of_span(row)
                if row["role"] not in get_args(Role):
                    found.append(f"no such role: {row['role']}")
                for first, last in row.get("also", []):
                    if date.fromisoformat(first) > date.fromisoformat(last):
                        found.append(f"{first} is after {last}")
            faults += [f"{half}, {row['text']}: {fault}" for fault in found]
            texts.append(row["text"])
        assert all("start" in row for row in table["resolves"])
        assert not any("start" in row for row in table["never"])
    assert faults == []
    assert sorted(set(texts)) == sorted(texts)


def test_a_talk_runs_forward_in_time_and_its_questions_belong_to_it() -> None:
    faults = []
    for half in _HALVES:
        data = json.loads((_TALKS / f"{half}.json").read_text(encoding="utf-8"))
        talks = {talk["id"]: talk for talk in data["conversations"]}
        for talk in talks.values():
            turns = talk["turns"]
            times = [f"{turn['date']}T{turn['time']}" for turn in turns]
            if times != sorted(times) or len({turn["id"] for turn in turns}) != len(turns):
                faults.append(f"{talk['id']}: turns out of order, or an id twice")
            if not {turn["speaker"] for turn in turns} <= set(talk["speakers"]):
                faults.append(f"{talk['id']}: an unknown speaker")
            for turn in turns:
                date.fromisoformat(turn["date"])
        dated, undated = _lines(f"{half}.jsonl"), _lines(f"{half}_unanswerable.jsonl")
        for row in dated:
            faults += [f"{row['case_id']}: {fault}" for fault in _faults_of_span(row)]
        names = [row["case_id"] for row in dated + undated]
        faults += [f"{name}: no such talk" for name in names if name.split("#q")[0] not in talks]
        assert len(set(names)) == len(names)
    assert faults == []
