"""`TEST_EFFORT`: how much the tests try, as a factor on the numbers that stand in them.

1 in `make test`, 10 in `make torture`. It multiplies the examples of properties, and the kills and
seconds of proofs; a loop over every call of a disk tries one call in eight at effort 1 (which one
depends on the day), and each of them from effort 8 on.
"""

from __future__ import annotations

import os
from datetime import date
from typing import Any

from hypothesis import HealthCheck, settings

EFFORT = max(1, int(os.environ.get("TEST_EFFORT", "1")))
#: of so many calls of a disk one is tried
STRIDE = max(1, 8 // EFFORT)


def examples(count: int = 25, *, shared_fixture: bool = False, **more: Any) -> settings:
    """The decorator of a property that tries so many examples at effort 1.

    There is no deadline, because machines are busy. `shared_fixture`: pytest's fixtures of the test
    are made once and serve all examples.
    """
    unchecked = [HealthCheck.too_slow]
    if shared_fixture:
        unchecked.append(HealthCheck.function_scoped_fixture)
    return settings(
        max_examples=count * EFFORT, deadline=None, suppress_health_check=unchecked, **more
    )


def calls(most: int) -> range:
    """Of the numbers 1, 2, 3 ... `most` those that are tried today."""
    return range(1 + date.today().toordinal() % STRIDE, most + 1, STRIDE)
