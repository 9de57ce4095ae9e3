"""Processes that spend until the budget is used up (`test_spend` starts several)."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

from engram.model.errors import BudgetExceeded
from tests.llm.office import Office, said


def reserve_until_spent(folder: str, environment: dict[str, str], others: int) -> None:
    """Set ten tokens aside, again and again, when others are there who do the same."""
    vault = Office(Path(folder), dict(environment)).open(f"vault-{os.getpid()}")
    budget = vault.parts.budget()
    vault.close()
    (Path(folder) / f"ready-{os.getpid()}").touch()
    while len(list(Path(folder).glob("ready-*"))) < others + 1:
        time.sleep(0.001)
    with suppress(BudgetExceeded):
        while True:
            budget.settle(budget.reserve(10, 0.0), 10, 0.0)


def ask_until_spent(folder: str, environment: dict[str, str], name: str, most: int) -> None:
    """Capture and extract turn after turn in a vault of one's own."""
    office = Office(Path(folder), dict(environment))
    vault = office.open(name)
    for number in range(most):
        vault.capture([said(message=str(number))])
        if vault.flush().reason == "budget":
            break
    office.close()
