"""The day it was said is the day in the vault's time zone; times in files are those of UTC."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engram.model.memory import Memory
from engram.model.turn import turn_of
from engram.pipeline import ingest
from engram.store.base.clock import FixedClock
from engram.vault import Vault
from tests.fakes.model_server import ModelServer, answers, fact, facts

ZONE = "America/Los_Angeles"
#: the evening of Thursday, 5 March there
EVENING = "2026-03-06T02:00:00Z"


@pytest.fixture
def west(tmp_path: Path, environment: dict[str, str]) -> Iterator[Vault]:
    with Vault.create(
        tmp_path / "west", environment=environment, clock=FixedClock(EVENING), timezone=ZONE
    ) as vault:
        yield vault


def learnt(vault: Vault, *texts: str) -> dict[str, Memory]:
    """The memories that are made of these texts, by their words."""
    turns = [
        turn_of("user", text, EVENING, source="t", session="s", project="shop") for text in texts
    ]
    ingest.take_in(turns, vault.parts)
    vault.flush()
    return {memory.text: memory for memory in vault.parts.catalog.memories()}


def later(vault: Vault, environment: dict[str, str], now: str) -> Vault:
    """The same vault at another time."""
    vault.close()
    return Vault.open(vault.root, environment=environment, clock=FixedClock(now))


def test_yesterday_is_the_day_before_in_the_vaults_time_zone(west: Vault) -> None:
    found = learnt(
        west, "Yesterday we decided to use Postgres because two writers need it.",
        "I will send the invoice by tomorrow.",
    )  # fmt: skip
    decision, promise = (next(one for text, one in found.items() if word in text)
                         for word in ("Postgres", "invoice"))  # fmt: skip
    assert "2026-03-04" in decision.text and "2026-03-05" not in decision.text
    assert decision.valid_from == "2026-03-04" and promise.valid_from == "2026-03-05"
    assert promise.extras["due"] == "2026-03-06"
    assert decision.created == EVENING and decision.path.startswith("facts/2026-03-06/")
    assert (west.root / "transcripts" / "2026-03-06").is_dir()


def test_a_vault_without_a_zone_of_its_own_counts_in_utc(open_vault: Vault) -> None:
    found = learnt(
        open_vault("utc", EVENING),  # type: ignore[operator]
        "Yesterday we decided to use Postgres because two writers need it.",
    )
    assert ["2026-03-05" in text for text in found] == [True]


def test_remember_dates_its_words_as_extraction_does(west: Vault) -> None:
    memory = west.remember("The till was replaced yesterday.").memory
    assert memory.text == "The till was replaced on 2026-03-04."
    assert memory.quote == "The till was replaced yesterday." and memory.created == EVENING
    again = west.remember("The till was replaced yesterday.")
    assert (again.decision, again.memory.id) == ("same", memory.id)


def test_a_model_is_told_the_local_time_and_its_dates_are_held_to_it(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    said = "We deployed the till to the two new shops yesterday. I promise the manual by tomorrow."
    items = facts(
        fact("The team deployed the till to the two new shops on 2026-03-04.",
             "We deployed the till to the two new shops yesterday", since="2026-03-04"),
        fact("The user promises the manual by tomorrow.", "I promise the manual by tomorrow",
             category="commitment", due="2026-03-06"),
    )  # fmt: skip
    with ModelServer([answers(items)]) as server:
        environment |= {
            "ENGRAM_LLM_MODEL": "gpt-5.4-nano", "ENGRAM_LLM_BASE_URL": server.base_url,
            "OPENAI_API_KEY": "recorded",
        }  # fmt: skip
        with Vault.create(
            tmp_path / "asked", environment=environment, clock=FixedClock(EVENING), timezone=ZONE
        ) as vault:
            found = learnt(vault, said)
        assert "2026-03-05T18:00:00-08:00 (Thursday):" in server.requests[0].text
    deployed = found["The team deployed the till to the two new shops on 2026-03-04."]
    assert deployed.valid_from == "2026-03-04"
    promise = next(one for one in found.values() if one.category == "commitment")
    assert promise.extras["due"] == "2026-03-06" and "2026-03-06" in promise.text


def test_a_question_finds_by_local_days_also_after_the_zone_was_changed(
    west: Vault, environment: dict[str, str]
) -> None:
    west.remember("The till runs on a Raspberry Pi 4.")
    config = west.root / "engram.toml"
    for zone, found in ((ZONE, [True, False]), ("UTC", [False, True]), (ZONE, [True, False])):
        text = config.read_text(encoding="utf-8")
        old = next(line for line in text.splitlines() if line.startswith("timezone"))
        config.write_text(text.replace(old, f'timezone = "{zone}"'), encoding="utf-8")
        with later(west, environment, "2026-03-07T02:00:00Z") as vault:
            days = ("since:2026-03-05 before:2026-03-06", "since:2026-03-06")
            assert [bool(vault.search(f"till {one}").hits) for one in days] == found
            # in either zone it is asked on the day after
            (turn,) = vault.search("till yesterday").turns
            assert "day named" in " ".join(turn.why)


def test_a_promise_is_overdue_when_its_day_is_over_there(
    west: Vault, environment: dict[str, str]
) -> None:
    west.remember("I will send the invoice by tomorrow.", category="commitment")
    for now, steps in (("2026-03-07T02:00:00Z", 0), ("2026-03-07T09:00:00Z", 1)):
        with later(west, environment, now) as vault:
            found = vault.consolidate(full=True, dry_run=True).steps
            assert len([one for one in found if one.task == "commitments"]) == steps
