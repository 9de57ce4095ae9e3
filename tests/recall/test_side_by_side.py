"""Words of a query that stand side by side in a text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engram.recall.side_by_side import asked_words, share_side_by_side


def share(query: str, text: str) -> float:
    return share_side_by_side(asked_words(query), text)


def test_all_of_a_query_counts_whole_and_half_of_it_by_the_square_of_its_steps() -> None:
    for query, text, wanted in (
        ("commit, push and pr", "Now commit, push and PR it.", 1.0),
        ("commit, push and pr", "push, then commit and pr", 1 / 9),
        ("did we fix lint errors", "The lint errors are gone.", 0.0),
        ("fix lint errors", "The lint errors are gone.", 1 / 4),
        ("fix lint errors", "errors lint fix", 0.0),
        ("the the end", "the end of the the end", 1.0),
        ("deploy", "deploy", 0.0), ("", "anything", 0.0), ("a b", "", 0.0),
    ):  # fmt: skip
        assert share(query, text) == wanted, (query, text)


@given(st.text("ab c", max_size=12), st.text("ab c", max_size=12))
def test_a_share_is_that_of_the_longest_run_that_both_have(query: str, text: str) -> None:
    asked, said = query.split(), f" {' '.join(text.split())} "
    runs = (asked[i:j] for i in range(len(asked)) for j in range(i + 1, len(asked) + 1))
    longest = max((len(run) for run in runs if f" {' '.join(run)} " in said), default=0)
    counts = len(asked) > 1 and longest > 1 and longest >= len(asked) / 2
    wanted = ((longest - 1) / (len(asked) - 1)) ** 2 if counts else 0.0
    assert share_side_by_side(asked, text) == wanted
