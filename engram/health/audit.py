"""Audit of quality: evidence about what was written -> rows of flaws, each with one fix.

Pure: `queries.audit_evidence` collects, this judges. A row counts its flaws against what could have
one, and is `ok` up to a tolerable share. Whether files, journal and index are as promised is up to
the doctor; here it is about what the memories are worth.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from engram.model.box import Box
from engram.model.entity import Entity
from engram.model.findings import AuditFlaw, AuditReport, AuditRow
from engram.model.instant import Instant, day_of, plus_days
from engram.model.memory import Memory
from engram.model.refusal_codes import is_withheld, meaning
from engram.model.standing import disputes
from engram.model.step import Access
from engram.model.summary import Summary
from engram.model.text import first_line, normalise

#: days after which what waits for the person is stale, and an unused memory is noise
_LONG = 30
#: an importance below it is low (`importance_level`)
_LOW = 0.4
#: words that only engram's own answers contain
_OWN = re.compile(r"</?engram-memory\b|from the person's own memory vault", re.IGNORECASE)

Group = tuple[Memory, Sequence[Memory]]


@dataclass(slots=True)
class AuditEvidence:
    """What is known of a vault, collected without judging.

    `exact` and `near` are groups that say the same (`consolidate.passes.duplicates`), `disagreeing`
    pairs that do not agree, with why; `roles` say who spoke a turn, by its link; `typed`
    are ids of memories that a person wrote as files or vouched for; `rules` the rule behind each;
    `links` is how many links there are, `dead` has those that lead nowhere: id or path, and why;
    `junk` the code that would refuse a memory today, '' for one that would be admitted, of all that
    rules or a model made.
    """

    now: Instant
    memories: Sequence[Memory] = ()
    exact: Sequence[Group] = ()
    near: Sequence[Group] = ()
    disagreeing: Sequence[tuple[Memory, Memory, str]] = ()
    roles: Mapping[str, str] = field(default_factory=dict)
    secrets: Sequence[str] = ()
    typed: frozenset[str] = frozenset()
    boxes: Sequence[Box] = ()
    summaries: Sequence[Summary] = ()
    entities: Sequence[Entity] = ()
    unboxed: Sequence[Memory] = ()
    rules: Mapping[str, str] = field(default_factory=dict)
    junk: Mapping[str, str] = field(default_factory=dict)
    confirmed: frozenset[str] = frozenset()
    links: int = 0
    dead: Sequence[tuple[str, str]] = ()
    accesses: Mapping[str, Access] = field(default_factory=dict)

    @property
    def live(self) -> list[Memory]:
        """The memories in use."""
        return [memory for memory in self.memories if memory.live]


def report(seen: AuditEvidence) -> AuditReport:
    """Every row, and the rules that make noise."""
    return AuditReport(tuple(audit(seen)), tuple(rule_shares(seen)))


def audit(seen: AuditEvidence) -> list[AuditRow]:
    """Every row, in a fixed order, its flaws in a stable order."""
    live, sourced = len(seen.live), len(seen.unboxed)
    boxed = len(seen.boxes) + sourced + sum(len(box.memories) for box in seen.boxes)
    rows: list[tuple[str, Callable[[AuditEvidence], Iterator[AuditFlaw]], int, float, str]] = [
        ("exact_duplicates", _exact, live, 0.02, "`engram consolidate --full` merges them"),
        ("near_duplicates", _near, live, 0.05, "`engram consolidate --full` merges them"),
        ("recall_loop", _loops, live, 0.0, "`engram retire ID`: it is engram's own echo"),
        ("secrets", _secrets, len(seen.memories), 0.0, "`engram purge ID`, and change the secret"),
        ("junk", _junk, len(seen.junk), 0.05, "`engram review`, or `engram retire ID`"),
        ("stale", _stale, live, 0.1, "`engram review` asks about each; `engram consolidate`"),
        ("without_receipt", _unproven, live, 0.05, "`engram confirm ID`, or `engram retire ID`"),
        (
            "dead_links",
            _dead,
            seen.links,
            0.0,
            "`engram consolidate` after a rename; `engram restore ID`, or remove the link by hand",
        ),
        ("orphans", _orphans, boxed, 0.02, "`engram consolidate --full` boxes them"),
        (
            "contradictions",
            _contradictions,
            live,
            0.0,
            "`engram consolidate`, then `engram review` for what is left",
        ),
        ("rule_noise", _noise, len(seen.rules), 0.2, "`engram archive ID`; or teach the rule less"),
    ]
    found = []
    for name, find, among, most, fix in rows:
        flaws = sorted(find(seen), key=lambda flaw: (flaw.ids, flaw.what))
        found.append(AuditRow(name, tuple(flaws), among, most, fix))
    return found


def rule_shares(seen: AuditEvidence) -> list[tuple[str, int, int]]:
    """`(rule, noise, all)` for each rule with noise, the worst first."""
    noise = Counter(seen.rules[flaw.ids[0]] for flaw in _noise(seen))
    known = Counter(seen.rules.values())
    return sorted(
        ((rule, count, known[rule]) for rule, count in noise.items()),
        key=lambda row: (-row[1] / row[2], row[0]),
    )


# -- duplicates and echoes ------------------------------------------------------------------------


def _exact(seen: AuditEvidence) -> Iterator[AuditFlaw]:
    echoes = _echoes(seen)
    for kept, others in seen.exact:
        for memory in others:
            if memory.id not in echoes:
                yield AuditFlaw((memory.id, kept.id), f"says the same words: {_said(memory)}")


def _near(seen: AuditEvidence) -> Iterator[AuditFlaw]:
    known = _echoes(seen).keys() | {one.id for _, others in seen.exact for one in others}
    for kept, others in seen.near:
        for memory in others:
            if memory.id not in known:
                yield AuditFlaw((memory.id, kept.id), f"says the same as another: {_said(memory)}")


def _loops(seen: AuditEvidence) -> Iterator[AuditFlaw]:
    for name, what in _echoes(seen).items():
        yield AuditFlaw((name,), what)


def _echoes(seen: AuditEvidence) -> dict[str, str]:
    """Id and evidence of memories that engram gave to an agent and then learnt from it again."""
    found = {
        memory.id: f"holds engram's own words: {_said(memory)}"
        for memory in seen.live
        if _OWN.search(memory.text) or _OWN.search(memory.quote)
    }
    first: dict[str, Memory] = {}
    for memory in sorted(seen.memories, key=lambda one: (one.created, one.id)):
        older = first.setdefault(normalise(memory.text), memory)
        if older is not memory and memory.live and _of_agent(memory, seen):
            found.setdefault(memory.id, f"an agent repeated {older.id}: {_said(memory)}")
    for kept, others in seen.near:
        oldest = min((kept, *others), key=lambda one: (one.created, one.id))
        for memory in (kept, *others):
            if memory is not oldest and _of_agent(memory, seen):
                found.setdefault(memory.id, f"an agent repeated {oldest.id}: {_said(memory)}")
    return found


def _of_agent(memory: Memory, seen: AuditEvidence) -> bool:
    """Whether only agents said it: no receipt is the user's."""
    said = [seen.roles.get(link, "") for link in memory.sources]
    return bool(said) and all(role not in ("", "user") for role in said)


# -- what a memory is worth -----------------------------------------------------------------------


def _secrets(seen: AuditEvidence) -> Iterator[AuditFlaw]:
    # the secret itself is not to be printed again
    yield from (
        AuditFlaw((name,), "holds something that looks like a secret") for name in seen.secrets
    )


def _junk(seen: AuditEvidence) -> Iterator[AuditFlaw]:
    for memory in seen.live:
        if code := seen.junk.get(memory.id, ""):
            # what may do harm is not to be printed again
            said = "" if is_withheld(code) else f": {_said(memory)}"
            yield AuditFlaw((memory.id,), f"{code}, {meaning(code)}{said}")


def _stale(seen: AuditEvidence) -> Iterator[AuditFlaw]:
    today, long_ago = day_of(seen.now), plus_days(seen.now, -_LONG)
    for memory in seen.live:
        if "" < memory.expires < today:
            yield AuditFlaw((memory.id,), f"its time was up on {memory.expires}: {_said(memory)}")
        elif memory.status == "needs-review" and "" < memory.status_since[:10] < long_ago:
            yield AuditFlaw(
                (memory.id,), f"waits since {day_of(memory.status_since)}: {_said(memory)}"
            )


def _unproven(seen: AuditEvidence) -> Iterator[AuditFlaw]:
    for memory in seen.live:
        if not memory.sources and memory.id not in seen.typed:
            yield AuditFlaw((memory.id,), f"nothing says where it is from: {_said(memory)}")


def _noise(seen: AuditEvidence) -> Iterator[AuditFlaw]:
    long_ago = plus_days(seen.now, -_LONG)
    for memory in seen.live:
        rule = seen.rules.get(memory.id, "")
        used = seen.accesses.get(memory.id, Access()).count or memory.id in seen.confirmed
        old = memory.created[:10] < long_ago
        if rule and old and not used and memory.importance < _LOW and len(memory.sources) < 2:
            yield AuditFlaw((memory.id,), f"rule {rule}, never asked for: {_said(memory)}")


def _contradictions(seen: AuditEvidence) -> Iterator[AuditFlaw]:
    known = set()
    for older, newer in disputes(seen.live):
        known.add((older.id, newer.id))
        yield AuditFlaw((newer.id, older.id), f"not settled: {_said(newer)} / {_said(older)}")
    for older, newer, why in seen.disagreeing:
        if (older.id, newer.id) not in known:
            yield AuditFlaw((newer.id, older.id), f"{why}: {_said(newer)} / {_said(older)}")


# -- links and pages ------------------------------------------------------------------------------


def _dead(seen: AuditEvidence) -> Iterator[AuditFlaw]:
    """Notes with links that lead nowhere."""
    yield from (AuditFlaw((name,), why) for name, why in seen.dead)


def _orphans(seen: AuditEvidence) -> Iterator[AuditFlaw]:
    names = {memory.id for memory in seen.memories}
    for box in seen.boxes:
        if not names & set(box.memories):
            yield AuditFlaw((box.id,), "none of its memories is there any more")
    sealed: dict[str, Instant] = {}
    for box in seen.boxes:
        sealed[box.session] = max(sealed.get(box.session, ""), box.sealed)
    for memory in seen.unboxed:
        session = memory.conversation
        if memory.created <= sealed.get(session, ""):
            yield AuditFlaw((memory.id,), f"in no box of {session}: {_said(memory)}")


def _said(memory: Memory) -> str:
    return first_line(memory.text, 80)
