"""What was true and said by a day: searched, recalled and listed alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from engram.model.change import Event
from engram.model.errors import BadInput
from engram.model.turn import turn_of
from engram.recall.query import parse
from engram.vault import Adapters, Vault
from tests.conftest import NOW
from tests.kit import LIGHT, takes_every_turn

#: the value, and the time from which on it held
_VALUES = [
    ("The till listens on port 8080.", "2026-01-10T09:00:00Z"),
    ("The till listens on port 9090.", "2026-02-10T09:00:00Z"),
    ("The till listens on port 7070.", "2026-03-04T09:00:00Z"),
]
_DAYS = {
    "2026-01-09": [], "2026-01-10": ["8080"], "2026-02-09": ["8080"], "2026-02-10": ["9090"],
    "2026-03-03": ["9090"], "2026-03-04": ["7070"], "2026-12-31": ["7070"], "": ["7070"],
}  # fmt: skip


@pytest.fixture
def adapters() -> Adapters:
    return LIGHT


@pytest.fixture
def replaced(open_vault: Callable[..., Vault]) -> Vault:
    """A vault in which a value was replaced twice, each time on the day on which it was said."""
    names: list[str] = []
    for number, (text, time) in enumerate(_VALUES):
        with open_vault(now=time) as vault:
            turn = turn_of(
                "user", text, time, source="test", session=f"s{number}", project="shop",
                message=str(number),
            )  # fmt: skip
            takes_every_turn(vault).capture([turn])
            vault.flush()
            names += [memory.id for memory in vault.list() if memory.text == text]
            if number:
                vault.supersede(names[-2], names[-1])
    return open_vault(now=NOW)


def ports(told: str) -> list[str]:
    """The ports that a text names, in its order."""
    return [word.strip(".") for word in told.split() if word.strip(".").isdigit() and len(word) > 3]


def test_as_of_each_day_the_value_of_that_day_is_searched_recalled_and_listed(
    replaced: Vault,
) -> None:
    for day, values in _DAYS.items():
        found = replaced.search("till port", as_of=day)
        told = replaced.recall("which port does the till use", as_of=day).text
        listed = replaced.list(as_of=day)
        assert [one for hit in found.memories for one in ports(hit.snippet)] == values, day
        assert [one for memory in listed for one in ports(memory.text)] == values, day
        items = [line for line in told.splitlines() if line.startswith("- ")]
        assert [one for line in items for one in ports(line)] == values, day
        assert (f" as of {day}" in told) == bool(day)


def test_what_was_replaced_since_says_that_it_no_longer_holds(replaced: Vault) -> None:
    told = replaced.recall("till port", as_of="2026-02-20").text
    assert "fact (no longer true): The till listens on port 9090." in told


def test_of_turns_those_are_found_that_were_said_by_the_end_of_the_day(replaced: Vault) -> None:
    said = {
        day: sorted({one for hit in replaced.search("till port", as_of=day).turns for one in
                     ports(hit.snippet)})
        for day in ("2026-01-09", "2026-02-10", "")
    }  # fmt: skip
    assert said == {"2026-01-09": [], "2026-02-10": ["8080", "9090"], "": ["7070", "8080", "9090"]}


def test_a_turn_without_time_was_said_on_no_day_that_is_asked_about() -> None:
    said = turn_of("user", "The till is blue.", NOW, source="test", session="s")
    turn = replace(said, time="")
    assert parse("till").admits_turn(turn)
    assert not parse("till", as_of="2026-12-31").admits_turn(turn)


def test_what_was_forgotten_is_hidden_as_of_every_day(replaced: Vault) -> None:
    (old,) = replaced.list(as_of="2026-01-20")
    replaced.forget(old.id)
    for day in ("2026-01-20", "2026-02-20", "2026-12-31"):
        told = [replaced.recall("till port", as_of=day).text]
        told += [hit.snippet for hit in replaced.search("till port", as_of=day)]
        told += [memory.text for memory in replaced.list(as_of=day)]
        assert "8080" not in "\n".join(told), day


def test_an_agent_of_a_project_is_given_what_was_true_then_of_its_own_project(
    replaced: Vault,
) -> None:
    told = replaced.recall("till port", projects=("shop",), as_of="2026-02-20").text
    assert ports(told) == ["9090"]
    assert not replaced.recall("till port", projects=("blog",), as_of="2026-02-20").text


def test_a_memory_that_is_disputed_since_stands_alone_as_of_the_day_before(
    open_vault: Callable[..., Vault],
) -> None:
    with open_vault(now="2026-02-01T09:00:00Z") as vault:
        first = vault.remember("The valve is blue.").memory
    with open_vault() as vault:
        second = vault.remember("The valve is green.").memory
        for one, other in ((first, second), (second, first)):
            path = vault.root / vault.memory(one.id).path
            doubt = f'needs-review\nstatus_reason: contradiction\nconflicts:\n  - "[[{other.id}]]"'
            path.write_text(path.read_text("utf-8").replace("status: active", f"status: {doubt}"))
        assert "disputed" in vault.recall("valve").text
        told = vault.recall("valve", as_of="2026-02-20").text
        assert "blue" in told and "green" not in told and "disputed" not in told
        hits = vault.search("blue valve", as_of="2026-02-20").memories
        assert [hit.id for hit in hits] == [first.id]


def test_a_question_for_decisions_brings_those_of_the_day_newest_first(
    open_vault: Callable[..., Vault],
) -> None:
    names = []
    for day, text in (("01", "use SQLite"), ("02", "use MySQL"), ("05", "use Postgres")):
        with open_vault(now=f"2026-03-{day}T09:00:00Z") as vault:
            names.append(
                vault.remember(f"We decided to {text}.", category="decision", project="shop")
            )
    with open_vault() as vault:
        vault.supersede(names[0].memory.id, names[2].memory.id)
        asked = "what did we decide?"
        assert [hit.snippet.split()[-1] for hit in vault.search(asked).memories] == [
            "Postgres.", "MySQL.",
        ]  # fmt: skip
        then = vault.search(asked, as_of="2026-03-04").memories
        assert [hit.snippet.split()[-1] for hit in then] == ["MySQL.", "SQLite."]


def test_boxes_are_found_once_they_had_ended_and_entities_only_as_they_are_now(
    vault: Vault,
) -> None:
    said = [
        turn_of("user", f"We decided to use Postgres for the till {word}.",
                f"2026-03-04T09:0{number}:00Z", source="test", session="s", project="shop",
                message=str(number))
        for number, word in enumerate(("orders", "stock"))
    ]  # fmt: skip
    vault.capture(said)
    vault.flush()
    vault.consolidate()
    assert {hit.category for hit in vault.search("postgres").pages} == {"box", "entity"}
    assert {hit.category for hit in vault.search("postgres", as_of="2026-03-04").pages} == {"box"}
    assert not vault.search("postgres", as_of="2026-03-04T09:00:30Z").pages


def test_a_day_is_one_of_the_vaults_time_zone(open_vault: Callable[..., Vault]) -> None:
    with open_vault(now="2026-03-06T02:00:00Z") as vault:  # the evening of 5 March in Los Angeles
        vault.remember("The valve is blue.")
        config = vault.root / "engram.toml"
        config.write_text(config.read_text("utf-8").replace('"UTC"', '"America/Los_Angeles"'))
    with open_vault() as vault:
        for day, there in (("2026-03-04", False), ("2026-03-05", True)):
            assert bool(vault.list(as_of=day)) == there
            assert bool(vault.search("valve", as_of=day).memories) == there
            assert ("blue" in vault.recall("valve", as_of=day).text) == there


@pytest.mark.parametrize(
    "text",
    ["soon", "2026-13-40", "1969-12-31", "0000-01-01", "2026-03", "20260305", "2026-W10-1", " "],
)
def test_what_is_no_day_is_refused(vault: Vault, text: str) -> None:
    for ask in (
        lambda: vault.list(as_of=text),
        lambda: vault.search("x", as_of=text),
        lambda: vault.recall("x", as_of=text),
    ):
        with pytest.raises(BadInput) as refused:
            ask()
        assert "2026-03-06" in refused.value.hint


def test_history_tells_the_chain_with_days_and_reasons_within_the_budget(replaced: Vault) -> None:
    block = replaced.recall("till port", history=True)
    told = [
        line.rpartition(" (")[0] or line for line in block.text.splitlines() if "history" in line
    ]
    assert told == [
        "  history: 2026-02-10 to 2026-03-04: The till listens on port 9090.",
        "  history: 2026-01-10 to 2026-02-10: The till listens on port 8080.",
    ]
    assert block.text.count("; replaced by hand") == 2
    assert block.history is not None
    ((name, steps),) = block.history
    assert name == block.shown[0] == steps[0].id and steps[0].until == ""
    assert replaced.recall("till port").history is None
    for budget in range(50, block.used_tokens + 20, 10):
        some = replaced.recall("till port", history=True, budget=budget)
        assert some.used_tokens <= budget
        assert "8080" not in some.text or "9090" in some.text


def test_the_history_of_what_was_replaced_tells_what_replaced_it(replaced: Vault) -> None:
    text = replaced.recall("till port", history=True, as_of="2026-02-20").text
    lines = [line for line in text.splitlines() if "history" in line]
    assert lines[0].startswith("  history: since 2026-03-04: The till listens on port 7070. (")
    assert lines[1] == "  history: 2026-02-10 to 2026-03-04: this one; replaced by hand"
    assert lines[2].startswith(
        "  history: 2026-01-10 to 2026-02-10: The till listens on port 8080."
    )


def test_a_reason_is_told_only_beside_both_memories_that_it_is_about(
    replaced: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = Event("consolidated", "", (("action", "merge"), ("why", "wombats need 7070")))
    log = replaced.parts.catalog.log
    monkeypatch.setattr(type(log), "events", lambda *_: [(1, NOW, done)])

    def reasons() -> list[str]:
        block = replaced.recall("till port", history=True, as_of="2026-02-20")
        ((_, steps),) = block.history or ()
        return [step.reason for step in steps if step.text != "The till listens on port 8080."]

    assert reasons() == ["", "wombats need 7070"]
    (holder,) = replaced.list()
    replaced.forget(holder.id)
    assert reasons() == ["replaced by hand"]


def test_what_was_forgotten_is_in_no_history(replaced: Vault) -> None:
    (old,) = replaced.list(as_of="2026-01-20")
    replaced.forget(old.id)
    assert "8080" not in str(replaced.recall("till port", history=True, as_of="2026-02-20"))


def test_a_question_of_time_is_answered_from_what_was_said_by_then(vault: Vault) -> None:
    said = turn_of("user", "We moved the shop to Adyen on 2 March 2026.", "2026-03-05T10:00:00Z",
                   source="test", session="s", message="1")  # fmt: skip
    vault.capture([said])
    asked = "when did we move the shop to Adyen?"
    for day, found in (("2026-03-01", False), ("2026-03-05", True), ("", True)):
        answer = vault.recall(asked, as_of=day).answer
        assert answer is not None and answer.found == found, day
        assert answer.start == ("2026-03-02" if found else "")
