"""What memories say for the turns that they cite."""

from __future__ import annotations

from engram.model.hit import Found
from engram.model.memory import SESSION, Memory
from engram.model.turn import Turn, turn_of
from engram.recall.citations import MOST_CITING, cited_shares, citing
from engram.recall.query import parse
from engram.recall.rank import Ranked, Setting, rank_turns

NOW = Setting("2026-03-06T12:00:00Z", "shop")


def said(text: str, project: str = "") -> Turn:
    return turn_of("user", text, "2026-01-01T00:00:00Z", project=project)


def shares(
    question: str, turns: dict[str, str], *memories: tuple[str, str, float]
) -> dict[str, float]:
    """Of memories by their words, the turn that each cites and its score."""
    found = [
        (Memory(f"m{n}", "fact", text, sources=(link,)), Ranked(f"m{n}", "memories", score, ()))
        for n, (text, link, score) in enumerate(memories)
    ]
    return cited_shares(question, citing(found), {key: said(text) for key, text in turns.items()})


def test_a_memory_counts_that_answers_in_other_words_than_its_turn_or_holds_what_is_asked() -> None:
    turns = {"a#^1": "I took the Corsa to work.", "a#^2": "The vehicle is red."}
    asked = "which vehicle does Ana drive to the office?"
    for text, link, counts in (
        ("Ana goes to the office by Corsa.", "a#^1", True),  # says what the turn does not
        ("The vehicle is red.", "a#^2", False),  # repeats one word of four
        ("Ana has to drive a vehicle.", "a#^2", True),
        ("Tea is green.", "a#^1", False),
        ("Ana goes to the office by Corsa.", "gone#^1", False),
    ):
        assert bool(shares(asked, turns, (text, link, 0.8))) == counts, text
    both = ("The red vehicle.", "a#^2", 0.8), ("A red vehicle.", "a#^2", 0.4)
    assert shares("red vehicle", turns, *both) == {"a#^2": 1.0}
    assert shares("red vehicle", turns, ("Tea.", "a#^1", 0.8), both[1]) == {"a#^2": 0.5}


def test_the_record_of_a_session_and_what_is_far_behind_cite_nothing() -> None:
    memory = Memory("m", "fact", "red vehicle", sources=("a#^1",))
    session = Memory("s", "moment", "red vehicle", schema=SESSION, sources=("a#^1",))
    one = Ranked("m", "memories", 0.5, ())
    assert citing([(session, one)]) == citing([(memory, one._replace(score=0.0))]) == []
    assert len(citing([(memory, one)] * (MOST_CITING + 5))) == MOST_CITING


def test_a_cited_turn_gains_a_quarter_of_the_best_and_is_found_without_a_word() -> None:
    turns = {key: said(key, "shop") for key in "abc"}
    hits = [Found("a", "turns", 4.0), Found("b", "turns", 3.6)]
    ranked = rank_turns(parse("x"), [hits], turns, NOW, 5, {"b": 1.0, "c": 0.5, "nobody": 1.0})
    assert [one.key for one in ranked] == ["b", "a", "c"]
    assert "a memory cites it (+25%)" in ranked[0].why and ranked[0].score == 1.0
    assert "a memory cites it (+12%)" in ranked[2].why
    assert rank_turns(parse("x"), [hits], turns, NOW, 5, {}) == rank_turns(
        parse("x"), [hits], turns, NOW, 5
    )
