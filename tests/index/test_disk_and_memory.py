"""The index on disk answers exactly as the one in memory: same keys, same order, same scores."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import Phase, given
from hypothesis import strategies as st

from engram.index import turn_scores
from engram.index.contract import COLLECTIONS, SearchIndex
from engram.index.memory_finder import MemoryFinder
from engram.index.whoosh_finder import WhooshFinder
from engram.model.hit import Collection, Document, Hints, place_in
from tests.effort import examples

#: two quarters of one year and one of another, and no day
DAYS = ("2025-11-30", "2026-02-28", "2026-03-01", "2026-04-01", "")
WORDS = [
    "ant", "bees", "bee", "cats", "running", "ran", "Kim", "Lee", "naïve", "Größe", "東京タワー",
    "v1.2", "the", "last", "March", "car", "vehicle?", "truck", "runing", "yesterday,",
]  # fmt: skip
NAMES = ("", "Kim", "Lee", "Kim Lee")

texts = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
days = st.sampled_from(DAYS)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    collection: Collection = draw(st.sampled_from(COLLECTIONS))
    body, day = draw(texts), draw(days)
    if draw(st.booleans()):
        body += f" [photo: {draw(texts)}]"
    if collection != "turns":
        return Document(draw(st.sampled_from("mnopqrst")), collection, draw(texts), body, day)
    talk, ordinal = draw(st.sampled_from("abc")), draw(st.integers(1, 9))
    place = place_in(talk, ordinal) if draw(st.integers(0, 9)) else 0
    return Document(
        f"{talk}{ordinal}", collection, "", body, day, draw(st.sampled_from(NAMES)), place
    )


@dataclass(frozen=True)
class Change:
    """One update."""

    come: list[Document]
    gone: list[tuple[Collection, str]]


keys = st.sampled_from([*"mnopqrst", *(f"{talk}{n}" for talk in "abc" for n in range(1, 10))])
changes = st.lists(
    st.builds(
        Change,
        st.lists(documents(), max_size=6),
        st.lists(st.tuples(st.sampled_from(COLLECTIONS), keys), max_size=9),
    ),
    max_size=5,
)
hints = st.builds(
    Hints,
    prefixes=st.lists(
        st.sampled_from(["be", "runn", "running", "grö", "l", "東京"]), max_size=2
    ).map(tuple),
    spans=st.lists(st.tuples(days, days), max_size=2).map(tuple),
    since=days,
    before=days,
    when=st.booleans(),
    named=st.booleans(),
    related=st.booleans(),
)
questions = st.lists(st.tuples(texts, hints, st.integers(1, 12)), min_size=1, max_size=4)


def answers(
    index: SearchIndex, asked: Iterable[tuple[str, Hints, int]]
) -> list[list[tuple[str, float, tuple[tuple[str, float], ...]]]]:
    return [
        [(found.key, found.score, found.parts) for found in index.find(query, name, limit, hint)]
        for query, hint, limit in asked
        for name in COLLECTIONS
    ]


# a smaller example is not worth the minutes that each try's files cost
@examples(7, phases=(Phase.explicit, Phase.reuse, Phase.generate))
@given(st.lists(documents(), max_size=20), changes, questions)
def test_they_answer_alike_after_any_changes_and_a_rebuild_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory,
    first: list[Document],
    then: list[Change],
    asked: list[tuple[str, Hints, int]],
) -> None:
    disk, plain = WhooshFinder(tmp_path_factory.mktemp("index") / "i"), MemoryFinder()
    live: dict[tuple[Collection, str], Document] = {}
    for index in (disk, plain):
        index.rebuild(first)
    live.update({(one.collection, one.key): one for one in first})
    assert answers(disk, asked) == answers(plain, asked)
    for change in then:
        for index in (disk, plain):
            index.update(change.come, change.gone)
        for name in change.gone:
            live.pop(name, None)
        live.update({(one.collection, one.key): one for one in change.come})
        assert answers(disk, asked) == answers(plain, asked)
    counts = [sum(name == wanted for name, _ in live) for wanted in COLLECTIONS]
    for index in (disk, plain):
        state = index.state()
        assert [state.memories, state.turns, state.pages] == counts
        assert index.terms_like("bees", 99) == plain.terms_like("bees", 99)
        assert index.surprises(["bees", "zz"]) == plain.surprises(["bees", "zz"])
    before = answers(disk, asked)
    disk.rebuild(reversed(live.values()))
    assert answers(disk, asked) == before
    disk.close()


def test_of_a_word_that_very_many_say_the_same_spread_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turn_scores, "_SPREADING", 10)
    talks = [
        Document(f"{name}{n:02d}", "turns", "", "tea" if n % 3 else "cake", place=place_in(name, n))
        for name in "cab"
        for n in range(1, 30)
    ]
    disk, plain = WhooshFinder(tmp_path / "i"), MemoryFinder()
    for index in (disk, plain):
        index.rebuild(sorted(talks, key=lambda one: one.key[::-1]))
    asked = [("tea", Hints(), 99), ("cake tea", Hints(), 99)]
    assert answers(disk, asked) == answers(plain, asked)


def test_many_small_updates_are_one_large_one(tmp_path: Path) -> None:
    """Through many merges, on disk."""
    bodies = [" ".join(WORDS[n % 7 : n % 7 + n % 5 + 1]) for n in range(30)]
    turns = [
        Document(f"t{n:02d}", "turns", "", body, DAYS[n % 5], NAMES[n % 4], place_in("t", n + 1))
        for n, body in enumerate(bodies)
    ]
    slow, plain = WhooshFinder(tmp_path / "slow"), MemoryFinder()
    slow.rebuild(())
    for one, other in zip(turns, chain(turns[7:], turns[:7]), strict=True):
        slow.update([one], [("turns", other.key)])
    for one in turns:
        slow.update([one], [])
    plain.rebuild(turns)
    asked = [(word, Hints(), 30) for word in (*WORDS, "bee Kim", "ran cats Lee")]
    assert answers(slow, asked) == answers(plain, asked)
    assert slow.state().turns == 30


_HASHED = """
from engram.index.memory_finder import MemoryFinder
from engram.model.hit import Document, Hints, place_in
words = "ant bee car vehicle truck Kim Lee March yesterday doctor physician tea? Friday".split()
said = [" ".join(words[(n * k) % 13] for k in range(1, 2 + n % 6)) for n in range(1, 80)]
index = MemoryFinder()
index.rebuild(
    Document(f"{name}{n}", name, "", body, f"2026-03-{1 + n % 28:02}", words[5 + n % 2], place)
    for n, body in enumerate(said) for name in ("turns", "memories")
    for place in [place_in(f"t{n % 5}", n // 5 + 1) if name == "turns" else 0]
)
hints = Hints(("ph",), (("2026-03-01", "2026-03-31"), ("2026-02-01", "2026-02-09")), when=True)
for query in (" ".join(words), "automobile", "what did Kim and Lee tell the medic", "yesterdat"):
    for name in ("turns", "memories"):
        print(index.find(query, name, 99, hints))
"""


def test_the_order_of_hashes_changes_no_score() -> None:
    """Texts are hashed differently in each process."""
    root = str(Path(__file__).parents[2])
    first, second = (
        subprocess.run(
            [sys.executable, "-c", _HASHED],
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": root},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("1", "2")
    )  # fmt: skip
    assert first == second and "related words" in first and "day named" in first
