"""Records by one question to a model: what is believed of an answer, and what goes, by code."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.extract.llm.draft_check import DraftCheck
from engram.extract.llm.record_prompt import RecordPrompt, answer_schema
from engram.extract.records import RecordTier
from engram.extract.triage import compile_triage
from engram.extract.verified_fields import ShownExcerpt, verified
from engram.model.errors import BadAnswer, ConfigError, ModelAway
from engram.model.memory import Memory
from engram.model.model_request import Reply, Request, Usage
from engram.model.ports import NothingHeard
from engram.model.record import made_record, parts_of
from engram.model.record_draft import RecordDraft
from engram.model.records_found import RecordsFound
from engram.model.schemas import SCHEMA_TABLE
from engram.model.settings import RecordSettings
from engram.model.turn import Turn, turn_of
from engram.settings.shipped import shipped
from tests.effort import examples

NOW = "2026-03-06T12:00:00Z"  # a Friday
PROMPT = shipped("prompts/records")
SAID = (
    "We decided to use Postgres 16 instead of SQLite because two writers need the orders table.\n"
    "We also chose pgbouncer over the built-in pool, due to the 90 connections."
)
REPLY = (
    "The deploy failed with an error: stale lock file in src/deploy/lock.py.\n"
    "Root cause: a worker crashed. The fix: delete the lock, then run make deploy.\n"
    "It failed no more, resolved: make check is green."
)


def turn(text: str, message: str = "1", role: Any = "user", project: str = "shop") -> Turn:
    return turn_of(role, text, NOW, source="t", session="s", project=project, message=message)


TURNS = (turn(SAID), turn(REPLY, "2", "assistant"))


class Answers:
    """A model with answers that were written before."""

    def __init__(self, *values: object) -> None:
        self.values = list(values)
        self.asked: list[Request] = []

    def ask(self, request: Request) -> Reply:
        self.asked.append(request)
        value = self.values.pop(0)
        if isinstance(value, Exception):
            raise value
        return Reply(value, "fake", "fake", Usage())


def tier(*values: object, check: Answers | None = None, most: int = 12_000) -> RecordTier:
    second = DraftCheck(shipped("prompts/verify"), check, most) if check else None
    patterns = compile_triage(shipped("records"), RecordSettings())
    return RecordTier(patterns, RecordPrompt(PROMPT, most), Answers(*values), NothingHeard, second)


def decision(**more: object) -> dict[str, Any]:
    """A good draft of a decision, or one that is good but for something."""
    item = {
        "action": "create", "target": "", "event": "", "why": "", "confidence": "high",
        "quotes": [{"quote": "We decided to use Postgres 16 instead of SQLite", "turn": 1}],
        "title": "Postgres for orders", "tags": ["postgres", "orders"], "files": [],
        "decision": "The shop uses Postgres 16 instead of SQLite.", "status": "accepted",
        "context": "Two writers need the orders table.", "rationale": ["two writers"],
        "alternatives": [{"option": "SQLite", "rejected_reason": "two writers"}],
        "consequences": [],
    }  # fmt: skip
    return {**item, **more}


def runbook(**more: object) -> dict[str, Any]:
    item = {
        "action": "create",
        "quotes": [{"quote": "stale lock file in src/deploy/lock.py", "turn": 2}],
        "confidence": "medium", "title": "Stale deploy lock", "tags": ["deploy", "lock"],
        "files": ["src/deploy/lock.py"],
        "summary": "When the deploy failed with a stale lock file, delete the lock.",
        "trigger": "deploy failed: stale lock file", "verification": "make check is green",
        "steps": ["delete the lock", "run make deploy"], "root_cause": "a worker crashed",
    }  # fmt: skip
    return {**item, **more}


def found(
    *items: object, schema: str = "decision", known: Sequence[Memory] = (),
    turns: Sequence[Turn] = TURNS, check: Answers | None = None,
) -> RecordsFound:  # fmt: skip
    return tier({"records": {schema: list(items)}}, check=check).drafts(turns, known)


def one(item: object, schema: str = "decision", known: Sequence[Memory] = ()) -> RecordDraft:
    (draft,) = found(item, schema=schema, known=known).drafts
    return draft.draft


def codes(result: RecordsFound) -> list[str]:
    return [fault.code for fault in result.faults]


KNOWN = Memory(
    "decision-1", "decision", "The shop uses SQLite.", title="SQLite", created=NOW, project="shop",
    sections=(("Rationale", "- it is simple"),),
)  # fmt: skip


# -- the question ------------------------------------------------------------------------------


def test_one_question_shows_schemas_known_records_and_excerpts_in_a_fence() -> None:
    asked = tier().request(TURNS, [KNOWN])
    assert asked is not None and asked.prompt == PROMPT["version"]
    first, *lines, last = asked.text.split("\n")
    assert first.startswith("<engram-data ") and last == first.replace("<", "</")
    assert [line.split(" (")[0] for line in lines[1:3]] == ["- decision", "- runbook"]
    assert "[k1] decision: The shop uses SQLite. | rationale: it is simple" in lines
    assert f"[1] user, {NOW} (Friday):" in lines
    assert "Excerpts of a conversation in the project shop:" in lines


def test_the_form_of_an_answer_is_that_of_the_table() -> None:
    for name, schema in SCHEMA_TABLE.items():
        item = answer_schema([name])["properties"]["records"]["properties"][name]["items"]
        assert {one.name for one in schema.fields} <= set(item["required"])
        choices = {one.name: ["", *one.choices] for one in schema.fields if one.choices}
        assert {key: item["properties"][key]["enum"] for key in choices} == choices


def test_nothing_is_asked_where_nothing_points_to_a_record() -> None:
    model = tier()
    quiet = [turn("hello"), turn("hi", "2", "assistant")]
    assert model.request(quiet, []) is None
    assert model.drafts(quiet, []) == RecordsFound()


def test_a_schema_without_an_excerpt_is_skipped_with_a_warning() -> None:
    settings = RecordSettings(thresholds=(("decision", 0.0),))
    patterns = compile_triage(shipped("records"), settings)
    model = RecordTier(patterns, RecordPrompt(PROMPT, 12_000), Answers(), NothingHeard)
    assert codes(model.drafts([turn("hello")], [])) == ["no_excerpt"]


def test_schemas_with_the_lower_scores_are_left_out_where_there_is_no_room() -> None:
    result = tier({"records": {}}, most=3000).drafts(TURNS, [])
    assert set(codes(result)) <= {"no_room"}
    asked = tier(most=4200).request(TURNS, [])
    assert asked is None or asked.tokens <= 4200


@given(st.integers(3000, 9000), st.integers(1, 60))
@examples(15)
def test_a_question_never_takes_more_than_it_may(most: int, count: int) -> None:
    turns = [turn(f"{SAID} {'ü' * 80} {number}", str(number)) for number in range(count)]
    known = [replace(KNOWN, id=f"d{number}", text=f"{SAID} {number}") for number in range(count)]
    asked = tier(most=most).request(turns, known)
    assert asked is None or asked.tokens <= most


def test_a_prompt_without_a_hint_for_each_schema_is_refused() -> None:
    with pytest.raises(ConfigError):
        RecordPrompt({**PROMPT, "hints": {}}, 12_000)


# -- drafts ------------------------------------------------------------------------------------


def test_a_decision_keeps_fields_receipt_and_voice() -> None:
    draft = one(decision())
    assert draft.record.statement == "The shop uses Postgres 16 instead of SQLite."
    assert draft.record.items("alternatives") == ("SQLite — rejected: two writers",)
    assert draft.record.text("status") == "accepted"
    assert (draft.action, draft.origin, draft.voice, draft.project) == (
        "create", "model", "typed", "shop",
    )  # fmt: skip
    assert draft.receipts[0].quote == "We decided to use Postgres 16 instead of SQLite"
    assert draft.receipts[0].link == f"{TURNS[0].transcript}#^{TURNS[0].block}"


def test_a_runbook_of_an_agent_is_inferred() -> None:
    draft = one(runbook(), "runbook")
    assert (draft.voice, draft.confidence) == ("agent", 0.69)
    assert draft.record.items("steps") == ("delete the lock", "run make deploy")
    assert draft.record.related_files == ("src/deploy/lock.py",)


def test_a_choice_that_only_an_agent_made_is_proposed() -> None:
    said = "I chose Postgres 16 over SQLite because two writers need it.\nWe decided due to load."
    turns = (turn("go on"), turn(said, "2", "assistant"))
    quotes = [{"quote": "I chose Postgres 16 over SQLite", "turn": 2}]
    result = found(decision(quotes=quotes, context=""), turns=turns)
    assert result.drafts[0].draft.record.text("status") == "proposed"


def test_a_preference_is_the_persons_alone() -> None:
    said = "I prefer tabs as a rule.\nOur convention: always use tabs.\nIt is our practice."
    item = {"quotes": [{"quote": "I prefer tabs as a rule", "turn": 1}], "topic": "tabs",
            "value": "The user prefers tabs.", "tags": ["tabs", "style"]}  # fmt: skip
    assert found(item, schema="preference", turns=[turn(said)]).drafts
    by_agent = [turn("ok, I prefer to see it"), turn(said, "2", "assistant")]
    quoted = {**item, "quotes": [{"quote": "I prefer tabs as a rule", "turn": 2}]}
    assert codes(found(quoted, schema="preference", turns=by_agent)) == ["low_trust"]
    assert tier().request([turn("ok"), by_agent[1]], []) is None, "nobody pays for what is refused"


def test_a_known_record_is_updated_with_its_own_statement() -> None:
    draft = one(decision(action="update", target="k1", decision="", why="more writers"),
                known=[KNOWN])  # fmt: skip
    assert (draft.action, draft.target, draft.reason) == ("update", "decision-1", "more writers")
    assert draft.record.statement == "The shop uses SQLite."


def test_a_stranger_is_neither_updated_nor_retired() -> None:
    result = found(decision(action="retire", target="k7"), decision(action="update", target="k7"))
    assert codes(result) == ["unknown_target", "unknown_target"]
    assert [one.draft.target for one in result.drafts] == [""]


# -- what goes ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"quotes": []}, "no_receipt"),
        ({"quotes": [{"quote": "we decided to buy a boat", "turn": 1}]}, "no_receipt"),
        ({"quotes": None}, "no_receipt"),
        ({"decision": ""}, "no_statement"),
        ({"decision": None}, "no_statement"),
        ({"decision": "The shop uses Postgres 17 instead of SQLite."}, "untrue"),
        ({"decision": "The shop uses SQLite instead of Postgres 16."}, "untrue"),
        ({"decision": "The shop uses Oracle instead of SQLite."}, "untrue"),
    ],
)
def test_a_draft_without_a_true_statement_and_a_receipt_is_none(
    change: dict[str, object], code: str
) -> None:
    result = found(decision(**change))
    assert not result.drafts and code in codes(result)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("context", "There are 91 connections."),
        ("context", "It was decided on 2026-04-01."),
        ("context", "Postgres 15 was tried."),
        ("context", "See src/other/lock.py for two writers."),
        ("context", "See https://example.org/orders for two writers."),
        ("context", "Kim asked for two writers."),
        ("context", "The auditors insist on colourful dashboards."),
        ("context", "Set max_connections for two writers."),
        ("rationale", ["Oracle needs two writers"]),
        ("alternatives", [{"option": "MySQL", "rejected_reason": "two writers"}]),
        ("consequences", "the pool holds forty connections"),
    ],
)
def test_a_field_that_the_excerpt_does_not_say_goes_alone(field: str, value: object) -> None:
    (kept,) = found(decision(**{field: value})).drafts
    assert f"dropped:{field}" in kept.advisories
    assert not kept.draft.record.fields.get(field)
    assert kept.draft.record.statement


def test_one_item_of_a_list_goes_and_the_others_stay() -> None:
    (kept,) = found(decision(rationale=["two writers", "Oracle costs 40"])).drafts
    assert kept.draft.record.items("rationale") == ("two writers",)
    assert kept.advisories == ("dropped:rationale",)


def test_poor_drafts_are_kept_with_an_advisory() -> None:
    (kept,) = found(decision(tags=["postgres"], rationale=[])).drafts
    assert kept.advisories == ("thin_tags", "no_rationale")


def test_a_runbook_without_steps_or_check_is_none() -> None:
    for name in ("steps", "verification"):
        assert codes(found(runbook(**{name: ""}), schema="runbook")) == ["incomplete"]


def test_a_day_that_a_quote_names_in_words_may_be_told_as_a_date() -> None:
    said = "We decided to move to Postgres by next Friday because two writers need it."
    shown = ShownExcerpt([said], [NOW])
    receipts = one(
        decision(
            decision="The shop moves to Postgres.",
            quotes=[{"quote": "We decided to use Postgres 16", "turn": 1}],
        )
    ).receipts
    receipts = (replace(receipts[0], quote="We decided to move to Postgres by next Friday"),)
    record = made_record("decision", {"decision": "x", "context": "Due on 2026-03-13."})
    assert verified(record, shown, receipts).dropped == ()
    record = made_record("decision", {"decision": "x", "context": "Due on 2026-03-14."})
    assert verified(record, shown, receipts).dropped == ("context",)


def test_unknown_fields_choices_and_schemas_are_left_out_one_by_one() -> None:
    result = found(decision(colour="red", status="maybe"))
    assert codes(result) == ["unknown_field", "unknown_choice"]
    assert result.drafts[0].draft.record.text("status") == "accepted", "the default of a new one"
    assert codes(found({"x": 1}, schema="recipe")) == ["unknown_schema"]
    assert codes(found("a text", 7)) == ["malformed", "malformed"]


def test_a_flat_list_lists_as_text_and_nulls_are_read() -> None:
    item = {**decision(rationale="two writers", consequences=None), "schema": "decision"}
    result = tier({"records": [item]}).drafts(TURNS, [])
    assert result.drafts[0].draft.record.items("rationale") == ("two writers",)


@pytest.mark.parametrize("value", [None, {}, {"records": None}, {"records": "none"}, [], "x"])
def test_an_answer_without_a_list_is_raised(value: object) -> None:
    with pytest.raises(BadAnswer):
        tier(value).drafts(TURNS, [])


def test_a_flood_is_cut_with_one_code() -> None:
    assert codes(found(*[decision()] * 40)).count("flood") == 1


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 99) | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from([*decision(), *runbook(), "records", "decision", "x"]),
            inner,
            max_size=6,
        )
    ),
    max_leaves=25,
)


@given(_JSON)
@examples(150)
def test_whatever_a_model_answers_is_drafts_with_receipts_or_codes(value: object) -> None:
    merged = {**decision(), **value} if isinstance(value, dict) else value
    for answer in (value, {"records": value}, {"records": {"decision": [value, merged]}}):
        try:
            result = tier(answer).drafts(TURNS, [KNOWN])
        except BadAnswer:
            continue
        for kept in result.drafts:
            assert kept.draft.receipts and kept.draft.record.statement
            parts_of(kept.draft.record)
        json.dumps([list(fault) for fault in result.faults])


# -- the second model --------------------------------------------------------------------------


def checks(*rows: tuple[str, str]) -> Answers:
    return Answers(
        {"checks": [{"draft": name, "verdict": said, "reason": ""} for name, said in rows]}
    )


def test_a_checking_model_blocks_advises_or_lets_pass() -> None:
    assert codes(found(decision(), check=checks(("d1", "block")))) == ["blocked"]
    (kept,) = found(decision(), check=checks(("d1", "advisory"))).drafts
    assert kept.advisories == ("advised",)
    for row in (("d1", "pass"), ("d9", "block"), ("d1", "nonsense")):
        assert found(decision(), check=checks(row)).drafts[0].advisories == ()


def test_it_is_asked_once_about_what_would_do_harm_and_of_nothing_else() -> None:
    sure, unsure = checks(), checks()
    found(runbook(), schema="runbook", check=sure)
    found(runbook(confidence="low"), schema="runbook", check=unsure)
    assert (len(sure.asked), len(unsure.asked)) == (0, 1)
    both = checks()
    found(decision(), decision(), check=both)
    assert len(both.asked) == 1 and "[d1] create a decision" in both.asked[0].text


def test_its_failure_blocks_nothing_and_is_counted() -> None:
    away = Answers(ModelAway("timeout", "away"))
    result = found(decision(), check=away)
    assert len(result.drafts) == 1 and codes(result) == ["check_failed"]
