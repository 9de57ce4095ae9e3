"""Audit of quality: evidence about what was written -> rows of flaws, each with one fix.

Pure: `queries.audit_evidence` collects, this judges. A row counts its flaws against what could have
one, and is `ok` up to a tolerable share. Whether files, journal and index are as promised is up to
the doctor; here it is about what the memories are worth.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from engram.health.audit_rows import ROW_OF_CODE, ROWS, UNMEANT
from engram.model.box import Box
from engram.model.entity import Entity
from engram.model.findings import AuditFlaw, AuditReport, AuditRow
from engram.model.instant import Day, Instant, day_of, plus_days
from engram.model.memory import Memory, closed_as
from engram.model.refusal_codes import is_withheld, meaning
from engram.model.standing import disputes
from engram.model.step import Access
from engram.model.summary import Summary
from engram.model.text import first_line, normalise

#: days after which what waits for the person is stale, and an unused memory is noise
_LONG = 30
#: an importance below it is low (`importance_level`)
_LOW = 0.4
_SECRET = "holds something that looks like a secret"
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
    rules or a model made; `unmeant` why the person did not mean one of these, or took it back.
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
    unmeant: Mapping[str, str] = field(default_factory=dict)
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
    rows = tuple(audit(seen))
    named = {name for row in rows for flaw in row.flaws for name in flaw.ids}
    # what holds a secret, or may do harm, is not to be printed again
    private = {name for name, code in seen.junk.items() if code and is_withheld(code)}
    named -= private | set(seen.secrets)
    flawed = {memory.id: memory for memory in seen.memories if memory.id in named}
    return AuditReport(rows, tuple(rule_shares(seen)), flawed)


def audit(seen: AuditEvidence) -> list[AuditRow]:
    """Every row, in a fixed order, its flaws in a stable order."""
    live, tested = len(seen.live), len(seen.junk)
    boxed = len(seen.boxes) + len(seen.unboxed) + sum(len(box.memories) for box in seen.boxes)
    rows: Mapping[str, tuple[Iterable[AuditFlaw], int]] = {
        "exact_duplicates": (_exact(seen), live),
        "near_duplicates": (_near(seen), live),
        "recall_loop": (_loops(seen), live),
        "secrets": (_secrets(seen), len(seen.memories)),
        "others_words": (_refused(seen, "others_words"), tested),
        "taken_back": (_unmeant(seen), tested),
        "cut": (_refused(seen, "cut"), tested),
        "noise": (_refused(seen, "noise"), tested),
        "junk": (_refused(seen, "junk"), tested),
        "stale": (_stale(seen), live),
        "without_receipt": (_unproven(seen), live),
        "dead_links": (_dead(seen), seen.links),
        "orphans": (_orphans(seen), boxed),
        "contradictions": (_contradictions(seen), live),
        "rule_noise": (_noise(seen), len(seen.rules)),
    }
    found = []
    for name, (flaws, among) in rows.items():
        told = ROWS[name]
        ordered = tuple(sorted(flaws, key=lambda flaw: (flaw.ids, flaw.what)))
        found.append(
            AuditRow(name, ordered, among, told.threshold, told.fix, told.title, told.means)
        )
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
                yield _flaw("says the same words", memory, beside=kept)


def _near(seen: AuditEvidence) -> Iterator[AuditFlaw]:
    known = _echoes(seen).keys() | {one.id for _, others in seen.exact for one in others}
    for kept, others in seen.near:
        for memory in others:
            if memory.id not in known:
                yield _flaw("says the same as another", memory, beside=kept)


def _loops(seen: AuditEvidence) -> Iterator[AuditFlaw]:
    found = _echoes(seen)
    for memory in seen.live:
        if memory.id in found:
            yield _flaw(found[memory.id], memory)


def _echoes(seen: AuditEvidence) -> dict[str, str]:
    """Id and evidence of memories that engram gave to an agent and then learnt from it again."""
    found = {
        memory.id: "holds engram's own words"
        for memory in seen.live
        if _OWN.search(memory.text) or _OWN.search(memory.quote)
    }
    first: dict[str, Memory] = {}
    for memory in sorted(seen.memories, key=lambda one: (one.created, one.id)):
        older = first.setdefault(normalise(memory.text), memory)
        if older is not memory and memory.live and _of_agent(memory, seen):
            found.setdefault(memory.id, f"an agent repeated {older.id}")
    for kept, others in seen.near:
        oldest = min((kept, *others), key=lambda one: (one.created, one.id))
        for memory in (kept, *others):
            if memory is not oldest and _of_agent(memory, seen):
                found.setdefault(memory.id, f"an agent repeated {oldest.id}")
    return found


def _of_agent(memory: Memory, seen: AuditEvidence) -> bool:
    """Whether only agents said it: no receipt is the user's."""
    said = [seen.roles.get(link, "") for link in memory.sources]
    return bool(said) and all(role not in ("", "user") for role in said)


# -- what a memory is worth -----------------------------------------------------------------------


def _secrets(seen: AuditEvidence) -> Iterator[AuditFlaw]:
    private = (name for name, code in seen.junk.items() if _row_of(code) == "secrets")
    # the secret itself is not to be printed again
    yield from (
        AuditFlaw((name,), _SECRET, _SECRET) for name in dict.fromkeys((*seen.secrets, *private))
    )


def _refused(seen: AuditEvidence, row: str) -> Iterator[AuditFlaw]:
    """What admission would refuse today with a code of this row."""
    secret = set(seen.secrets)
    for memory in seen.live:
        code = seen.junk.get(memory.id, "")
        if code and _row_of(code) == row and memory.id not in secret:
            why = f"{code}, {meaning(code)}"
            # what may do harm is not to be printed again
            yield AuditFlaw((memory.id,), why, why) if is_withheld(code) else _flaw(why, memory)


def _row_of(code: str) -> str:
    return ROW_OF_CODE.get(code, "junk") if code else ""


def _unmeant(seen: AuditEvidence) -> Iterator[AuditFlaw]:
    for memory in seen.live:
        code = seen.unmeant.get(memory.id, "")
        if code and not seen.junk.get(memory.id, ""):
            yield _flaw(UNMEANT[code], memory)


def _stale(seen: AuditEvidence) -> Iterator[AuditFlaw]:
    today, long_ago = day_of(seen.now), plus_days(seen.now, -_LONG)
    for memory in seen.live:
        if "" < memory.expires < today:
            yield _flaw(f"its time was up on {memory.expires}", memory)
        elif "" < (due := _open_since(memory)) < long_ago:
            yield _flaw(f"it was due on {due}, and nobody said that it was done", memory)
        elif memory.status == "needs-review" and "" < memory.status_since[:10] < long_ago:
            yield _flaw(f"waits since {day_of(memory.status_since)}", memory)


def _open_since(memory: Memory) -> Day:
    """The day on which a promise was due that nobody closed, or kept when asked; else ''."""
    if memory.category != "commitment" or closed_as(memory):
        return ""
    asked = memory.extras.get("overdue", "")
    return memory.extras.get("due", "")[:10] if memory.status != "active" or not asked else ""


def _unproven(seen: AuditEvidence) -> Iterator[AuditFlaw]:
    for memory in seen.live:
        if not memory.sources and memory.id not in seen.typed:
            yield _flaw("nothing says where it is from", memory)


def _noise(seen: AuditEvidence) -> Iterator[AuditFlaw]:
    long_ago = plus_days(seen.now, -_LONG)
    for memory in seen.live:
        rule = seen.rules.get(memory.id, "")
        used = seen.accesses.get(memory.id, Access()).count or memory.id in seen.confirmed
        old = memory.created[:10] < long_ago
        if rule and old and not used and memory.importance < _LOW and len(memory.sources) < 2:
            yield _flaw(f"rule {rule}, never asked for", memory)


def _contradictions(seen: AuditEvidence) -> Iterator[AuditFlaw]:
    known = set()
    for older, newer in disputes(seen.live):
        known.add((older.id, newer.id))
        yield _pair("not settled", newer, older)
    for older, newer, why in seen.disagreeing:
        if (older.id, newer.id) not in known:
            yield _pair(why, newer, older)


# -- links and pages ------------------------------------------------------------------------------


def _dead(seen: AuditEvidence) -> Iterator[AuditFlaw]:
    """Notes with links that lead nowhere."""
    yield from (AuditFlaw((name,), why, why) for name, why in seen.dead)


def _orphans(seen: AuditEvidence) -> Iterator[AuditFlaw]:
    names = {memory.id for memory in seen.memories}
    for box in seen.boxes:
        if not names & set(box.memories):
            why = "none of its memories is there any more"
            yield AuditFlaw((box.id,), why, why)
    sealed: dict[str, Instant] = {}
    for box in seen.boxes:
        sealed[box.session] = max(sealed.get(box.session, ""), box.sealed)
    for memory in seen.unboxed:
        session = memory.conversation
        if memory.created <= sealed.get(session, ""):
            yield _flaw(f"in no box of {session}", memory)


def _flaw(why: str, memory: Memory, beside: Memory | None = None) -> AuditFlaw:
    """A flaw of a memory, which stands beside another one where that is part of it."""
    names = (memory.id,) if beside is None else (memory.id, beside.id)
    return AuditFlaw(names, f"{why}: {_said(memory)}", why)


def _pair(why: str, newer: Memory, older: Memory) -> AuditFlaw:
    return AuditFlaw((newer.id, older.id), f"{why}: {_said(newer)} / {_said(older)}", why)


def _said(memory: Memory) -> str:
    return first_line(memory.text, 80)
