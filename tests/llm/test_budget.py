"""The budget: what is reserved and spent never passes a cap, whoever spends and whatever dies."""

from __future__ import annotations

import json
import multiprocessing
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.llm.budget import Budget, Reservation
from engram.model.errors import BudgetExceeded
from engram.model.settings import LlmSettings
from engram.store.base.clock import FixedClock
from engram.store.base.disk import VaultDisk
from tests.conftest import NOW
from tests.fakes.model_server import (
    Asked,
    Handler,
    ModelServer,
    answers,
    fact,
    facts,
    fails,
    reply_of,
    send,
    silent,
)
from tests.llm.hammer import ask_until_spent, reserve_until_spent
from tests.llm.office import SENTENCE, Office, said, usage_log

GOOD = facts(fact("The shop stores its orders in Postgres.", SENTENCE))


class Memory(VaultDisk):
    """A disk for what is read and appended, without the folder."""

    def __init__(self) -> None:
        super().__init__(Path())
        self.files: dict[str, bytes] = {}

    def read(self, path: str) -> bytes | None:
        return self.files.get(path)

    def append(self, path: str, data: bytes, *, sync: bool = True) -> None:
        self.files[path] = self.files.get(path, b"") + data


@contextmanager
def unlocked() -> Iterator[None]:
    yield


def budget(disk: VaultDisk, now: str = NOW, **caps: float) -> Budget:
    """A budget of which only these caps matter."""
    settings = LlmSettings(daily_usd=1e6, run_usd=1e6, daily_tokens=10**9, run_tokens=10**9)
    return Budget(disk, unlocked, FixedClock(now), settings._replace(**caps))  # type: ignore[arg-type]


# -- one process --------------------------------------------------------------------------------


def test_an_estimate_is_set_aside_until_it_is_settled() -> None:
    mine = budget(Memory(), daily_tokens=1000)
    held = mine.reserve(800, 0.0)
    with pytest.raises(BudgetExceeded, match="daily_tokens"):
        mine.reserve(201, 0.0)
    mine.settle(held, 100, 0.0)
    mine.reserve(900, 0.0)
    assert (mine.today().tokens, mine.today().calls) == (1000, 2)
    with pytest.raises(BudgetExceeded):
        mine.reserve(1, 0.0)


@pytest.mark.parametrize("cap", ["daily_usd", "run_usd"])
def test_money_has_caps_of_its_own(cap: str) -> None:
    caps = {cap: 1.0}
    mine = budget(Memory(), NOW, **caps)
    mine.reserve(1, 0.75)
    with pytest.raises(BudgetExceeded, match=cap) as caught:
        mine.reserve(1, 0.26)
    assert caught.value.code == "budget" and cap in caught.value.hint
    mine.reserve(1, 0.25)


def test_a_run_is_capped_by_itself() -> None:
    disk = Memory()
    mine = budget(disk, run_tokens=100)
    held = mine.reserve(90, 0.0)
    with pytest.raises(BudgetExceeded, match="run_tokens"):
        mine.reserve(11, 0.0)
    mine.settle(held, 50, 0.0)
    mine.reserve(50, 0.0)
    budget(disk, run_tokens=100).reserve(100, 0.0)


def test_a_new_day_frees_it() -> None:
    disk = Memory()
    budget(disk, daily_usd=1).reserve(1, 1.0)
    with pytest.raises(BudgetExceeded):
        budget(disk, "2026-03-06T23:59:59Z", daily_usd=1).reserve(1, 0.01)
    budget(disk, "2026-03-07T00:00:00Z", daily_usd=1).reserve(1, 1.0)
    assert sorted(disk.files) == ["spend/2026-03-06.jsonl", "spend/2026-03-07.jsonl"]


def test_a_call_over_midnight_is_settled_on_the_day_it_began() -> None:
    disk = Memory()
    held = budget(disk, "2026-03-06T23:59:59Z").reserve(100, 0.0)
    after = budget(disk, "2026-03-07T00:00:01Z")
    after.settle(held, 40, 0.0)
    assert after.today().tokens == 0
    assert budget(disk).today().tokens == 40


def test_a_process_that_dies_leaves_its_estimate_counted() -> None:
    disk = Memory()
    budget(disk).reserve(700, 0.0)
    assert budget(disk).today().tokens == 700
    with pytest.raises(BudgetExceeded):
        budget(disk, daily_tokens=1000).reserve(301, 0.0)


@pytest.mark.parametrize(
    "damage",
    [
        b'{"call": 2, "tok', b"\xff\xfe", b"[]\n", b'{"call": 2, "tokens": "many", "usd": 0}\n',
        b'{"call": 2, "tokens": 1e999, "usd": 0}\n', b'{"call": 2, "tokens": 1, "usd": NaN}\n',
        b'{"call": 1, "tokens": -9, "usd": 0}\n', b"[" * 9000,
    ],
)  # fmt: skip
def test_a_damaged_line_costs_no_other(damage: bytes) -> None:
    disk = Memory()
    budget(disk).reserve(100, 0.5)
    disk.append("spend/2026-03-06.jsonl", damage)
    mine = budget(disk)
    assert (mine.today().tokens, mine.today().usd) == (100, 0.5)
    held = mine.reserve(100, 0.25)
    assert (mine.today().tokens, mine.today().usd) == (200, 0.75)
    mine.settle(held, 50, 0.125)
    assert (mine.today().tokens, mine.today().usd) == (150, 0.625)


#: (whose call, estimate, what it really took as a share of it)
CALLS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 400), st.floats(0, 1.5)), max_size=40
)  # fmt: skip


@given(CALLS, st.data())
def test_any_interleaving_keeps_the_cap(
    calls: list[tuple[int, int, float]], data: st.DataObject
) -> None:
    disk, cap = Memory(), 1000
    people = [budget(disk, daily_tokens=cap) for _ in range(4)]
    held: list[tuple[Budget, Reservation, int]] = []
    beyond = 0
    for who, estimate, share in calls:
        before = people[0].today().tokens
        try:
            reservation = people[who].reserve(estimate, 0.0)
        except BudgetExceeded:
            assert before + estimate > cap
        else:
            assert not estimate or before + estimate <= cap
            held.append((people[who], reservation, int(estimate * share)))
        number = data.draw(st.integers(0, 2 * len(held)))
        if number < len(held):
            whose, reservation, took = held.pop(number)
            whose.settle(reservation, took, 0.0)
            beyond += max(took - reservation.tokens, 0)
        assert people[0].today().tokens <= cap + beyond


# -- with a model -------------------------------------------------------------------------------


@pytest.mark.parametrize("cap", ["daily_usd", "daily_tokens", "run_usd", "run_tokens"])
def test_what_does_not_fit_waits_and_nothing_is_sent(cap: str, office: Office) -> None:
    with ModelServer([answers(GOOD)]) as server:
        office.cloud(server.base_url).set(**{f"llm_{cap}": 0})
        vault = office.open()
        vault.capture([said()])
        outcome = vault.flush()
        assert (outcome.reason, outcome.postponed, outcome.failed) == ("budget", 1, 0)
        assert server.requests == [] and usage_log(vault) == []
    (waiting,) = vault.status().waiting
    assert (waiting.turns, waiting.attempts, waiting.reason) == (1, 0, "budget")


def test_without_money_a_model_of_ones_own_still_answers(office: Office) -> None:
    with ModelServer([answers(GOOD)]) as cloud, ModelServer([answers(GOOD)]) as local:
        office.cloud(cloud.base_url).set(llm_daily_usd=0)
        office.set(llm_ollama_model="m", llm_ollama_url=local.base_url)
        vault = office.open()
        vault.capture([said()])
        assert vault.flush().memories == 1
        assert (len(cloud.requests), len(local.requests)) == (0, 1)


def test_the_rest_of_a_run_waits_when_the_cap_is_reached(office: Office) -> None:
    with ModelServer([answers(facts())]) as server:
        office.cloud(server.base_url).set(llm_daily_tokens=7000)
        vault = office.open()
        for session in "abcdef":
            vault.capture([said(session=session)])
        outcome = vault.flush()
        done = len(server.requests)
        assert 0 < done < 6 and (outcome.turns, outcome.postponed) == (done, 6 - done)
        assert vault.flush().reason == "budget" and len(server.requests) == done
    spent = vault.status().model
    assert spent is not None and spent.spent.tokens <= 7000


def test_while_the_budget_is_used_up_the_rules_go_on_if_so_set(office: Office) -> None:
    office.set(llm_when_away="rules", llm_daily_usd=0, llm_model="m", OPENAI_API_KEY="k")
    vault = office.open()
    vault.capture([said("I prefer tabs over spaces.")])
    assert vault.waiting() == [] and len(list(vault.parts.catalog.memories())) == 1


class Till:
    """A server that bills what it answers, and fails each seventh request for nothing."""

    def __init__(self) -> None:
        self.usd = 0.0
        self.answered = 0
        self._lock = threading.Lock()
        self._count = 0

    def __call__(self, asked: Asked, handler: Handler) -> None:
        body = reply_of(asked, GOOD)
        with self._lock:
            self._count += 1
            fault = self._count % 7 == 0
            if not fault:
                usage = body["usage"]
                self.usd += (usage["input_tokens"] * 0.25 + usage["output_tokens"] * 2) / 1e6
                self.answered += 1
        if fault:
            fails(500)(asked, handler)
        else:
            send(handler, 200, json.dumps(body).encode())


def test_four_processes_never_pass_the_cap_together(
    office: Office, run: Callable[..., None]
) -> None:
    till, cap, estimate = Till(), 0.02, 0.01
    with ModelServer([till]) as server:
        office.cloud(server.base_url, "gpt-5-mini").set(llm_daily_usd=cap)
        names = [f"vault-{number}" for number in range(4)]
        run(ask_until_spent, [(str(office.folder), office.environment, name, 40) for name in names])
    rows = [row for name in names for row in usage_log(office.open(name))]
    assert {row["outcome"] for row in rows} == {"ok", "server-error"}
    assert till.answered == sum(row["outcome"] == "ok" for row in rows) > 10
    assert till.usd == pytest.approx(sum(row["usd"] for row in rows), abs=1e-6)
    assert cap - estimate < till.usd <= cap
    status = office.open(names[0]).status().model
    assert status is not None and status.spent.usd == pytest.approx(till.usd, abs=1e-6)
    assert status.spent.calls == len(rows) == len(server.requests)
    assert all(vault.waiting() for vault in map(office.open, names))


def test_four_processes_reserve_one_after_the_other(
    office: Office, run: Callable[..., None]
) -> None:
    office.set(llm_daily_tokens=3000, llm_model="m")
    run(reserve_until_spent, [(str(office.folder), office.environment, 3) for _ in range(4)])
    vault = office.open()
    status = vault.status().model
    assert status is not None and (status.spent.tokens, status.spent.calls) == (3000, 300)
    steps = (vault.parts.places.state_dir / "spend" / f"{NOW[:10]}.jsonl").read_bytes().splitlines()
    assert len(steps) == 600  # no number was given twice


def test_a_process_that_is_killed_while_it_asks(office: Office) -> None:
    with ModelServer([silent(5)]) as server:
        office.cloud(server.base_url, "gpt-5-mini")
        arguments = (str(office.folder), office.environment, "vault", 1)
        asking = multiprocessing.get_context("spawn").Process(
            target=ask_until_spent, args=arguments
        )
        asking.start()
        while not server.requests and asking.is_alive():
            asking.join(0.05)
        asking.kill()
        asking.join()
    vault = office.open()
    status = vault.status()
    assert len(server.requests) == 1 and usage_log(vault) == [] and status.pending == 1
    assert status.model is not None and status.model.spent.calls == 1
    assert status.model.spent.tokens > 4096 and status.model.spent.usd > 0.008


@pytest.fixture
def run() -> Callable[..., None]:
    """Start a function in processes of their own, all at once, and wait for them."""

    def start(function: Callable[..., None], arguments: list[tuple[object, ...]]) -> None:
        processes = multiprocessing.get_context("spawn")
        workers = [processes.Process(target=function, args=args) for args in arguments]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join(60)
        assert [worker.exitcode for worker in workers] == [0] * len(workers)

    return start
