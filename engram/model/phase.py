"""Phases: the lines of `phases.md` -> the phases of a store (seed 002).

    - 2026-03-04T10:00:00Z project/shop "beta": release

A store is `user`, `system`, `project/<name>` or `session/<transcript>`. phase-1 of a store begins
with its first memory, each line begins the next one, in the order of time and, within a second, of
the page: so the numbers follow from the page alone, and versions of two machines are united line by
line. A memory belongs to the phase in which it was created; it is live in a phase that had it at
its end. Guarantees: every other line of a page and the order of all survive `with_line` and
`united`; list items that say no phase are told, never dropped. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from engram.model.errors import BadInput
from engram.model.instant import Instant, instant_of
from engram.model.item import OWNER, SYSTEM, UNKNOWN, Store, normal_owner
from engram.model.text import first_line

if TYPE_CHECKING:
    from engram.model.policy import Policy

#: reasons of a phase that nobody gave one for: the first of a store, and one that a person began
AUTO, MANUAL = "auto", "manual"
#: the phase of what no page and no file tells it
NO_PHASE = "phase-unknown"
#: the code of a phase that the policy does not let begin
DISABLED = "phase_disabled"
#: characters of a name and of a reason
MOST_NAME, MOST_REASON = 60, 200
#: a page of more bytes is none
MOST_BYTES = 1_000_000
_LONGEST = 1_000
_ITEM = re.compile(r"\s{0,3}[-*]\s+(.*)")
_LINE = re.compile(r'(\S+)\s+(\S+)(?:\s+"([^"]*)")?\s*(?::\s*(.*))?')
_OWNERS = {"user": OWNER, "system": SYSTEM}
_NAMED = frozenset({"project", "session"})


class PhaseRequest(NamedTuple):
    """What begins a phase: a token that tells one wish from another, perhaps a name, a reason."""

    token: str
    name: str | None
    reason: str


class PhaseLine(NamedTuple):
    """One line of the page: a phase of a store that begins at an instant."""

    at: Instant
    store: Store
    name: str
    reason: str

    def __str__(self) -> str:
        name = f' "{self.name}"' if self.name else ""
        return f"- {self.at} {store_words(self.store)}{name}: {self.reason}"


class PhasePage(NamedTuple):
    """The lines of a page in its order; `wrong` are `(number of the line, why it says none)`."""

    lines: tuple[PhaseLine, ...] = ()
    wrong: tuple[tuple[int, str], ...] = ()

    def phases(self, store: Store) -> tuple[Phase, ...]:
        """The phases of a store, the first one always."""
        lines: dict[tuple[Instant, str], PhaseLine] = {}
        for line in self.lines:
            if line.store == store:
                # what stands twice, as after a merge, begins one phase
                lines.setdefault((line.at, line.name), line)
        begun = sorted(lines.values(), key=lambda line: line.at)
        ends = [*(line.at for line in begun), ""]
        return (
            Phase(1, "", ends[0], "", AUTO),
            *(
                Phase(number, line.at, end, line.name, line.reason)
                for number, (line, end) in enumerate(zip(begun, ends[1:], strict=True), 2)
            ),
        )

    @property
    def stores(self) -> tuple[Store, ...]:
        """The stores that a line names, in its order."""
        return tuple(dict.fromkeys(one.store for one in self.lines))


class Phase(NamedTuple):
    """A phase of a store: from `start` on and before `end`.

    `start` is '' of the first one, which begins with the store; `end` is '' of the last one.
    """

    number: int
    start: Instant
    end: Instant
    name: str
    reason: str

    @property
    def id(self) -> str:
        """`phase-<n>`."""
        return f"phase-{self.number}"

    def had(self, created: Instant, ended: Instant) -> bool:
        """Whether it had a memory at its end; `ended` is '' of one that is in use."""
        born = not self.end or created < self.end
        return born and (not ended or (bool(self.end) and ended >= self.end))


class StartedPhase(NamedTuple):
    """The current phase of a store; `began` with this wish, else it was called so already."""

    store: Store
    phase: Phase
    tick: int
    began: bool


class ListedPhase(NamedTuple):
    """A phase of a store: when it began (time and tick, 0 of another machine), what it has.

    `memories` is how many it had at its end, or has. `current`: it is the one of now.
    """

    store: Store
    phase: Phase
    start: Instant
    tick: int
    memories: int
    current: bool


def phase_request(token: str, name: str | None = None, reason: str = "") -> PhaseRequest | None:
    """The wish for a phase; None for one without a token."""
    told = token.strip()
    return PhaseRequest(told, name, reason or MANUAL) if told else None


def phase_at(phases: Iterable[Phase], instant: Instant) -> Phase:
    """The phase of a moment: of those that have begun by then the last."""
    *_, found = (one for one in phases if one.start <= instant)
    return found


def phase_named(phases: tuple[Phase, ...], text: str, store: Store) -> Phase:
    """The phase that a person means: `phase-2`, `2` or its name. Raises BadInput."""
    wanted = [one for one in phases if text in (one.id, str(one.number))]
    wanted = wanted or [one for one in phases if one.name and one.name == text]
    if len(wanted) == 1:
        return wanted[0]
    known = ", ".join(
        one.id + (f' "{one.name}"' if one.name else "") for one in wanted or phases
    )  # fmt: skip
    problem = "is the name of several phases" if wanted else "is no phase"
    raise BadInput(f"{text!r} {problem} of {store_words(store)}", f"its phases are {known}")


def refused_diff(policy: Policy, space: str) -> str:
    """Why a policy tells no difference of phases of a space; '' where it does."""
    rules = policy.of_space(space).phase
    if space not in policy.read_order:
        return "space_disabled"
    if not rules.enabled:
        return DISABLED
    return "" if rules.diff_enabled else "phase_diff_disabled"


def store_words(store: Store) -> str:
    """A store as the page and a person write it: `user`, `project/shop`."""
    return store.space if store.space in _OWNERS else f"{store.space}/{store.owner}"


def store_in_words(text: str) -> Store | None:
    """The store that a text names; None for any other text."""
    space, _, owner = text.partition("/")
    if space in _OWNERS and owner in ("", _OWNERS[space]):
        return Store(space, _OWNERS[space])
    if space not in _NAMED or (space == "session" and not owner):
        return None
    return Store(space, normal_owner(owner) if owner else UNKNOWN)


def read_page(text: str) -> PhasePage:
    """The phases that a page tells; whatever else stands there is left alone."""
    lines: list[PhaseLine] = []
    wrong: list[tuple[int, str]] = []
    for number, line in enumerate(text.splitlines(), 1):
        item = _ITEM.fullmatch(line[:_LONGEST]) if line.lstrip()[:1] in ("-", "*") else None
        found = _read(item[1], long=len(line) > _LONGEST) if item else None
        if isinstance(found, PhaseLine):
            lines.append(found)
        elif found is not None:
            wrong.append((number, found))
    return PhasePage(tuple(lines), tuple(wrong))


def _read(item: str, *, long: bool) -> PhaseLine | str:
    """The phase of a list item, else why it says none."""
    found = None if long else _LINE.fullmatch(item.rstrip())
    if found is None:
        return 'it is not of the form `- TIME STORE "NAME": REASON`'
    try:
        at = instant_of(found[1]) if "T" in found[1] else ""
    except ValueError:
        at = ""
    if not at:
        return "its first word is no time such as 2026-03-04T10:00:00Z"
    store = store_in_words(found[2])
    if store is None:
        return "its second word is no store: user, system, project/NAME or session/TRANSCRIPT"
    return PhaseLine(at, store, plain_name(found[3] or ""), plain_reason(found[4] or ""))


def plain_name(text: str) -> str:
    """A name as the page can hold it: one line without quotes."""
    return first_line(text.replace('"', "'"), MOST_NAME)


def plain_reason(text: str) -> str:
    """A reason as the page can hold it; `manual` for none."""
    return first_line(text, MOST_REASON) or MANUAL


_HEAD = """# Phases

One line begins a phase of a store: `- TIME STORE "NAME": REASON`. You may edit them.

"""


def with_line(text: str, line: PhaseLine) -> str:
    """The page with a line at its end, in the line ends that it has."""
    return _with_lines(text, [str(line)])


def united(one: str, other: str) -> str:
    """A page with the lines of phases that only another version of it has; '' ends as they are."""
    known = set(read_page(one).lines)
    return _with_lines(one, [str(line) for line in read_page(other).lines if line not in known])


def _with_lines(text: str, lines: list[str]) -> str:
    if not lines:
        return text
    text = text or _HEAD
    end = "\r\n" if "\r\n" in text else "\n"
    gap = "" if text.endswith("\n") else end
    return text + gap + "".join(line + end for line in dict.fromkeys(lines))
