"""Tiers of a vault: counted, shown, told before they fall, and looked at by mode."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from engram.model.instant import plus_days
from engram.model.settings import RetentionSettings
from engram.model.shown import ShownFile
from engram.model.tier import MODES, TIERS, Aging, RetrievalMode, retention
from engram.model.turn import turn_of
from engram.queries.tier_queries import TierQueries
from engram.store.base import layout
from engram.vault import Adapters, Vault
from tests.conftest import NOW
from tests.kit import LIGHT, reopened, takes_every_turn, tree_digest

#: what was said, and how many days ago
_SAID = [
    ("The kitchen valve holds 4 bar.", 0), ("The garden valve holds 5 bar.", 20),
    ("The cellar valve holds 6 bar.", 200), ("The attic valve holds 7 bar.", 400),
    ("The porch valve holds 8 bar.", 30), ("The hall valve holds 9 bar.", 1),
]  # fmt: skip


@pytest.fixture
def adapters() -> Adapters:
    return LIGHT


@pytest.fixture
def valves(open_vault: Callable[..., Vault]) -> Vault:
    """A vault with a hot fact, a warm one and two cold ones, and a superseded and a retired one."""
    vault = takes_every_turn(open_vault())
    vault.capture([
        turn_of("user", text, f"{plus_days(NOW, -days)}T12:00:00Z", source="test", session=text,
                project="shop", message="1")
        for text, days in _SAID
    ])  # fmt: skip
    vault.flush()
    vault.supersede(of(vault, "porch"), of(vault, "garden"))
    vault.retire([of(vault, "hall")])
    return vault


def of(vault: Vault, word: str) -> str:
    (found,) = (one.id for one in vault.parts.catalog.memories() if word in one.text)
    return found


def which(vault: Vault, identifiers: Iterable[str]) -> list[str]:
    return [vault.parts.catalog.memory(name).text.split()[1] for name in identifiers]  # type: ignore[union-attr]


def searched(vault: Vault, text: str = "valve", **more: Any) -> dict[str, str]:
    hits = vault.search(text, **more).memories
    return dict(
        zip(which(vault, (hit.id for hit in hits)), (hit.tier for hit in hits), strict=True)
    )


def test_a_mode_that_is_named_gives_its_tiers_and_no_other(valves: Vault) -> None:
    def given(mode: RetrievalMode) -> set[str]:
        shown = valves.recall("what about the valve", mode=mode, reason=False).shown
        return set(which(valves, shown))

    found = {mode: set(searched(valves, mode=mode)) for mode in MODES}
    assert found == {
        "reflexive": {"kitchen"},
        "standard": {"kitchen", "garden"},
        "deep": {"kitchen", "garden", "cellar", "attic"},
        "exhaustive": {"kitchen", "garden", "cellar", "attic", "porch", "hall"},
    }
    assert {mode: set(searched(valves, "category:fact", mode=mode)) for mode in MODES} == found
    valves.search("valve")
    reads = valves.parts.disk.size(layout.ACCESS)
    # what was retired is given to nobody; and what is read rises
    assert given("exhaustive") == found["exhaustive"] - {"hall"}
    assert (reads, given("reflexive")) == (None, found["deep"])
    assert searched(valves, all_statuses=True) == searched(valves, mode="exhaustive")


def test_what_is_cold_is_found_and_told_where_no_mode_is_named(valves: Vault) -> None:
    assert searched(valves) == {
        "kitchen": "hot",
        "garden": "warm",
        "cellar": "cold",
        "attic": "cold",
    }
    assert list(searched(valves, "attic valve")) == ["attic", "kitchen", "garden", "cellar"]
    assert list(searched(valves, limit=2)) == ["kitchen", "garden"]
    assert searched(valves, "attic", limit=1) == {"attic": "cold"}


def test_a_question_of_time_is_not_turned_away_from_what_is_old(valves: Vault) -> None:
    found = [
        *valves.search("when did we get the valve?").memories,
        *valves.search("valve", as_of=NOW).memories,
        *valves.search("valve since:2020").memories,
    ]
    assert len(found) > 8 and not any("cold" in why for hit in found for why in hit.why)
    faded = [hit.why[-1] for hit in valves.search("valve").memories if hit.tier == "cold"]
    assert faded == ["cold (x0.95)"] * 2


def test_a_weaker_match_is_not_before_a_cold_one_that_says_it(valves: Vault) -> None:
    # two of three words stand in the hot one, all of them in the cold one
    assert next(iter(searched(valves, "cellar valve bar"))) == "cellar"


def test_turns_have_no_tier(valves: Vault) -> None:
    found = valves.search("valve", mode="reflexive")
    assert {hit.tier for hit in found.turns} == {""} and len(found.turns) > 4


def test_a_search_computes_the_tiers_of_what_it_found_alone(
    open_vault: Callable[..., Vault], monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = takes_every_turn(open_vault())
    vault.capture([
        turn_of("user", f"The valve{n} holds {n} bar.", NOW, source="test", session="s",
                project="shop", message=str(n))
        for n in range(60)
    ])  # fmt: skip
    vault.flush()
    asked: list[int] = []
    every = TierQueries.of

    def counted(self: TierQueries, identifiers: Iterable[str], now: str) -> dict[str, Any]:
        names = list(identifiers)
        asked.append(len(names))
        return every(self, names, now)

    monkeypatch.setattr(TierQueries, "of", counted)
    assert len(vault.search("bar").memories) == 10
    assert max(asked) <= 50 and len(asked) == 2


def test_the_tiers_of_a_vault_are_counted_in_all_and_by_category(valves: Vault) -> None:
    counts = valves.tiers()
    # the records of six conversations are of today, and one of them is retired with its memory
    facts = {"hot": 1, "warm": 1, "cold": 2, "archived": 2}
    assert counts.categories["fact"] == facts
    assert sum(counts.tiers.values()) == len(list(valves.parts.catalog.memories()))
    assert counts.tiers == {
        tier: sum(found[tier] for found in counts.categories.values()) for tier in TIERS
    }
    assert valves.status().tiers == counts.tiers


def test_a_memory_that_is_about_to_fall_is_told_with_the_day(valves: Vault) -> None:
    falling = {
        which(valves, [one.memory.id])[0]: (one.retention.tier, one.lower, one.days)
        for one in valves.falling(60)
        if one.memory.category == "fact"
    }
    assert falling == {"kitchen": ("hot", "warm", 1), "garden": ("warm", "cold", 41)}
    overall = [one.retention.score.overall for one in valves.falling(60)]
    assert overall == sorted(overall, reverse=True)
    assert not any(one.memory.category == "fact" for one in valves.falling(0))


def test_show_and_why_tell_the_tier_before_they_make_it_rise(valves: Vault) -> None:
    name = of(valves, "cellar")
    shown = valves.show(name)
    assert isinstance(shown, ShownFile) and shown.retention
    assert (shown.retention.tier, shown.retention.score.activation) == ("cold", 0.0)
    origin = valves.origin(name)
    assert origin.retention and origin.retention.tier == "hot"
    assert searched(valves)["cellar"] == "hot"


def test_reads_of_one_day_are_one_and_lists_are_none(valves: Vault) -> None:
    name = of(valves, "cellar")
    before = tree_digest(valves.root, "facts")
    valves.search("cellar valve", mode="exhaustive")
    valves.list()
    valves.tiers()
    valves.falling(30)
    assert searched(valves)["cellar"] == "cold"
    for _ in range(3):
        valves.show(name)
        valves.origin(name)
        assert name in valves.recall("cellar valve").shown
    assert valves.parts.tiers.retention(name, NOW).score.activation == pytest.approx(
        0.2277, abs=1e-4
    )
    assert tree_digest(valves.root, "facts") == before


def test_a_torn_log_of_reads_leaves_the_tiers_of_what_was_read_before(valves: Vault) -> None:
    valves.show(of(valves, "cellar"))
    disk = valves.parts.disk
    disk.append(layout.ACCESS, b'{"ids": ["\xff\n[1]\n{"ids": ["' + b"x" * 99, sync=False)
    assert searched(valves)["cellar"] == "hot"
    valves.parts.view.accesses()
    assert searched(valves)["cellar"] == "hot"
    disk.remove(layout.ACCESS)
    assert searched(valves)["cellar"] == "cold"
    (valves.root / layout.ACCESS).mkdir()
    # a log that cannot be read: what was counted before counts
    assert valves.tiers().categories["fact"]["cold"] == 1


def test_the_settings_say_where_a_tier_begins(valves: Vault) -> None:
    settings = valves.settings._replace(retention=RetentionSettings(hot=0.1, warm=0.05))
    assert set(searched(reopened(valves, settings=settings)).values()) == {"hot"}


def test_criterion_2_the_tier_distribution_follows_the_scores_after_a_consolidation(
    open_vault: Callable[..., Vault],
) -> None:
    with open_vault(now="2026-01-05T10:00:00Z") as vault:
        vault.remember("We use Postgres instead of SQLite.", category="decision", project="shop")
        vault.remember("The till listens on port 8080.", category="fact", project="shop")
        vault.remember("I prefer small commits.", category="preference", project="shop")
        vault.remember("The till listens on port 9090.", category="fact", project="shop")
        vault.supersede(of(vault, "8080"), of(vault, "9090"))
        vault.remember("Renew the certificate by June.", category="commitment", project="shop")
    seen = []
    for now in ("2026-01-05T11:00:00Z", "2026-03-20T10:00:00Z", "2026-12-31T10:00:00Z"):
        with open_vault(now=now) as later:
            later.consolidate(full=True)
            catalog, counts = later.parts.catalog, Counter[str]()
            for name, memory in catalog.tiers.every():
                found = retention(memory, None, now, Aging())
                if catalog.memory(name).live:  # type: ignore[union-attr]
                    overall = found.score.overall
                    place = (overall >= 0.6, overall >= 0.3, overall >= 0.1, True).index(True)
                    assert found.tier == TIERS[place]
                counts[found.tier] += 1
            assert later.tiers().tiers == {tier: counts[tier] for tier in TIERS}
            seen.append(tuple(later.tiers().tiers.values()))
    # the fact ends by its day, the superseded one was archived from the first night on
    assert seen == [(4, 0, 0, 1), (0, 3, 1, 1), (0, 3, 0, 2)]
