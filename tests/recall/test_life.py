"""The life of a memory is told in sentences, whatever version wrote its log."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import engram
from engram.model.change import Event
from engram.model.memory import Memory
from engram.model.trace import now_called
from engram.recall.life import TOLD, GivenCount, Happened, LifeEvidence, SourceTurn, life

ID, OTHER = "fact-20260305-100000-aaaaaaaa", "fact-20260306-100000-bbbbbbbb"
MINE = Memory(ID, "fact", "We use Postgres.", authority="ai_inferred")
THEIRS = Memory(OTHER, "fact", "We use SQLite.", authority="user_asserted")
SAID = SourceTurn("codex-000000000000#^m1", "2026-03-05T23:30:00Z", "user", "", "codex", "The shop")


def told(*events: Event, heard: tuple[SourceTurn, ...] = ()) -> list[str]:
    """The sentences about events of one transaction."""
    happened = [
        Happened(2, "2026-03-06T10:00:00Z", "extract", "", "", now_called(event))
        for event in events
    ]
    evidence = LifeEvidence(MINE, heard, happened, {ID: MINE, OTHER: THEIRS}.get)
    return [one.text for one in life(evidence, "UTC")]


def event(name: str, subject: str = ID, **details: str) -> Event:
    return Event(name, subject, tuple(details.items()))


ROWS = {
    "a rule found it": (
        [event("memory_write", origin="rules", rule="decided", category="decision")],
        ["It was kept as a decision, found by the rule “decided”."],
    ),
    "an older name": (
        [event("memory_created", origin="model", category="entity")],
        ["It was kept as an entity, found by a model."],
    ),
    "a correction": (
        [event("memory_conflict", winner=OTHER, rule="correction"),
         event("memory_deleted", reason="superseded", replaced_by=OTHER)],
        ["It was replaced by “We use SQLite.”, because a correction stands above what was said"
         " before."],
    ),
    "authority": (
        [event("memory_conflict", winner=OTHER, rule="authority"),
         event("memory_deleted", reason="superseded", replaced_by=OTHER)],
        ["It was replaced by “We use SQLite.”, because what a person said stands above what an"
         " agent concluded."],
    ),
    "the winner of a contest": (
        [event("memory_conflict", OTHER, winner=ID, rule="recency"),
         event("memory_deleted", OTHER, reason="superseded", replaced_by=ID)],
        ["It replaced “We use SQLite.”, because it was said later."],
    ),
    "it replaced one and was replaced in the same step": (
        [event("memory_deleted", reason="superseded", replaced_by="fact-newer"),
         event("memory_deleted", OTHER, reason="superseded", replaced_by=ID)],
        ["It replaced “We use SQLite.”.", "It was replaced by fact-newer."],
    ),
    "an undo of several": (
        [event("undone", undoes="1 2 3", what="taken back")],
        ["You undid changes 1, 2 and 3: its file was taken back."],
    ),
    "an older supersession": (
        [event("memory_superseded", by=OTHER, code="newer_value")],
        ["It was replaced by “We use SQLite.”: a newer value took its place."],
    ),
    "by hand": (
        [event("memory_superseded", by="fact-gone", code="by_hand")],
        ["You put fact-gone in its place."],
    ),
    "a merge into it": (
        [event("consolidated", step="1", task="duplicates", action="merge", why="the same words"),
         event("consolidated", OTHER, step="1", task="duplicates", action="merge", why="the same"),
         event("memory_deleted", OTHER, reason="superseded", replaced_by=ID, step="1")],
        ["A consolidation merged “We use SQLite.” into it: the same."],
    ),
    "a merge": (
        [event("consolidated", step="1", task="duplicates", action="merge", why="the same words"),
         event("memory_deleted", reason="superseded", replaced_by=OTHER, step="1")],
        ["A consolidation merged it into “We use SQLite.”: the same words."],
    ),
    "an expiry": (
        [event("consolidated", step="1", task="expiry", action="expire", why="its time was up"),
         event("memory_forget", reason="decay"),
         event("memory_deleted", reason="expired", step="1")],
        ["A consolidation took it out of use: its time was up."],
    ),
    "a person's reason": (
        [event("memory_deleted", reason="retired", was="active", why="sold")],
        ["You retired it: sold."],
    ),
    "an older reason": (
        [event("memory_deleted", reason="sold", was="active")],
        ["You forgot it, and the turns that it came from: sold."],
    ),
    "an undo": (
        [event("undone", what="changed back", undoes="5"), event("memory_write", reason="undone")],
        ["You undid change 5: it is in use again."],
    ),
    "an undo of a batch": (
        [event("undone", what="taken back", undoes="import-1"),
         event("memory_deleted", reason="undone")],
        ["You undid import-1: it is not in use any more."],
    ),
    "an edit": ([event("hand_edit", what="edited")], ["You edited its file."]),
    "a dispute": (
        [event("memory_disputed", by=OTHER)],
        ["“We use SQLite.” contradicts it; `engram review` asks which holds."],
    ),
    "an unknown event": ([event("later_event", a="1")], ["later_event a=1."]),
    "what an old log leaves out": (
        [event("memory_restored")], ["You restored it; it was not known."],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_a_transaction_is_told_in_one_sentence(name: str) -> None:
    events, sentences = ROWS[name]
    assert told(*events) == sentences


def test_it_begins_with_who_said_it_on_a_local_day_and_ends_with_who_was_given_it() -> None:
    known: dict[str, Memory] = {}
    evidence = LifeEvidence(
        MINE, (SAID,), (), known.get,
        given=(GivenCount("codex", 3, "2026-03-07T10:00:00Z"), GivenCount("person", 1, SAID.time)),
    )  # fmt: skip
    assert [one[:3:2] for one in life(evidence, "Europe/Berlin")] == [
        ("2026-03-06", "You said it in the conversation “The shop” (codex-000000000000)."),
        ("2026-03-07", "codex was given it 3 times until then."),
        ("2026-03-06", "You were given it once."),
    ]


def test_who_is_named_by_the_conversation_and_what_nothing_shows_are_told_so() -> None:
    named = SAID._replace(speaker="Kim", title="")
    dictated = SAID._replace(source="remember")
    gone = SourceTurn("codex-000000000000#^m9")
    assert told(heard=(named,)) == ["Kim said it in the conversation (codex-000000000000)."]
    assert told(heard=(dictated,)) == ["You told it to engram."]
    assert told(heard=(gone,)) == ["It was said where no transcript shows it any more."]


def test_the_same_on_several_days_is_one_line() -> None:
    happened = [
        Happened(number, f"2026-03-0{number}T10:00:00Z", "remember", "", "",
                 event("memory_confirmed", by="person"))
        for number in (2, 3, 4)
    ]  # fmt: skip
    (line,) = life(LifeEvidence(MINE, (), happened, {}.get), "UTC")
    assert line == ("2026-03-02", 2, "You confirmed it (3 times, the last on 2026-03-04).")


def test_a_policy_is_told_by_what_it_said_of_the_space() -> None:
    policy = {"write_policy": "normal", "deny_event_types": ["context"],
              "space": {"user": {"write_policy": "minimal"}}}  # fmt: skip
    written = Happened(2, SAID.time, "extract", "import-1", "9f2c41d07a6be813",
                       event("memory_write", origin="person", category="fact"))  # fmt: skip
    mine = replace(MINE, space="user", category="fact")
    (line,) = life(LifeEvidence(mine, (), [written], {}.get, lambda _: policy), "UTC")
    assert line.text == (
        "It was kept as a fact, as you asked (import-1); the policy allowed it: nothing"
        " private in it, write policy “minimal”, event type “fact”."
    )


#: events whose subject is a conversation, a batch, a page or nobody
OF_OTHERS = frozenset({
    "captured", "imported", "extracted", "extracted_elsewhere", "extraction_failed",
    "extraction_postponed", "dead_letter", "model_chosen", "requeued", "session_closed",
    "records_not_drafted", "turns_forgotten", "words_purged", "secrets_purged", "title_purged",
    "memory_denied", "item_numbered", "memory_phase_started", "memory_phase_diff",
})  # fmt: skip


def test_every_event_that_is_logged_of_a_memory_has_a_sentence() -> None:
    names = set(_logged(Path(engram.__file__).parent))
    assert {"memory_write", "consolidated", "hand_edit", "memory_updated"} <= names
    assert names - TOLD - OF_OTHERS <= {""}


def _logged(package: Path) -> Iterator[str]:
    """The names in calls that make events: literals, and constants of the package."""
    trees = [ast.parse(path.read_text("utf-8")) for path in package.rglob("*.py")]
    constants: dict[str, list[str]] = {}
    for node in (node for tree in trees for node in tree.body if isinstance(node, ast.Assign)):
        targets = node.targets[0].elts if isinstance(node.targets[0], ast.Tuple) else node.targets
        values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        for target, value in zip(targets, values, strict=False):
            said = value.value if isinstance(value, ast.Constant) else None
            if isinstance(target, ast.Name) and isinstance(said, str):
                constants.setdefault(target.id, []).append(said)
    calls = (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call))
    for call in calls:
        if _called(call.func) not in ("Event", "_event", "_note") or not call.args:
            continue
        first = call.args[0]
        if isinstance(first, ast.Constant):
            yield str(first.value)
        elif isinstance(first, ast.Name):
            yield from constants.get(first.id, ())


def _called(func: ast.expr) -> str:
    return func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
