"""The ladder: which of two statements about one thing stands, and by which rung."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.model.authority import AUTHORITIES, Assertion, authority_rank, contest

#: who said what holds (rows) and what comes (columns); `+` is a correction
_WHO = ("sys", "sys+", "tool", "tool+", "user", "user+", "ai", "ai+")
_LEVELS = dict(zip(("ai", "user", "tool", "sys"), AUTHORITIES, strict=True))
_RUNGS = {"a": "authority", "c": "correction", "r": "recency"}
#: E: what holds stands, I: what comes; then the rung. A correction by the user or anybody above
#: overrides what stands above it (seed 002: "user_asserted authority or higher").
_TABLE = """
sys     Ir Ic Ea Ic Ea Ic Ea Ea
sys+    Ec Ir Ea Ir Ea Ir Ea Ea
tool    Ia Ia Ir Ic Ea Ic Ea Ea
tool+   Ia Ia Ec Ir Ea Ir Ea Ea
user    Ia Ia Ia Ia Ir Ic Ea Ea
user+   Ia Ia Ia Ia Ec Ir Ea Ea
ai      Ia Ia Ia Ia Ia Ia Ir Ic
ai+     Ia Ia Ia Ia Ia Ia Ec Ir
"""
_CELLS = [
    (row.split()[0], who, cell)
    for row in _TABLE.strip().splitlines()
    for who, cell in zip(_WHO, row.split()[1:], strict=True)
]


def claim(who: str, since: str = "1", importance: float = 0.5, number: int = 0) -> Assertion:
    return Assertion(_LEVELS[who.rstrip("+")], who.endswith("+"), since, importance, number)


@pytest.mark.parametrize(("held", "said", "cell"), _CELLS)
def test_each_cell_of_the_ladder(held: str, said: str, cell: str) -> None:
    winner, rule = contest(claim(held), claim(said, "2"))
    assert (winner[0].upper(), rule) == (cell[0], _RUNGS[cell[1]])


def test_of_equals_of_one_moment_importance_decides_and_then_the_number() -> None:
    held = claim("user", importance=0.4, number=9)
    assert contest(held, held._replace(importance=0.7, number=1)) == ("incoming", "importance")
    assert contest(held, held._replace(importance=0.1, number=10)) == ("existing", "importance")
    assert contest(held, held._replace(number=10)) == ("incoming", "importance")
    assert contest(held, held._replace(number=8)) == ("existing", "importance")
    assert contest(held, held._replace(since="0")) == ("existing", "recency")


@given(st.sampled_from(_WHO), st.sampled_from([*AUTHORITIES, "", "root", "SYSTEM_IMPOSED"]))
def test_an_unknown_word_vouches_for_nothing(held: str, named: str) -> None:
    said = Assertion(named, correction=True, since="2")
    if authority_rank(named) == 0 and not held.startswith("ai"):
        assert contest(claim(held), said) == ("existing", "authority")
