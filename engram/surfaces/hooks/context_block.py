"""Context for a session or prompt: the block of memories, read from the catalog alone.

Finds the vault that a session belongs to, and gives only from one that the user registered on this
machine (design promise 9), only what still holds, a disputed memory beside its opponents, and only
what `recall.audience` leaves to the agents of this project or of all; beside it from the vaults
that are read in the folder (`catalogs_beside`). Nothing is written and no lock is taken; what a
block is made of is told, for the access log (`given_log`). Raises EngramError for a vault or
catalog that cannot be used.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from engram.language.stem import stem
from engram.language.stop_words import FILLER
from engram.language.tokens import query_terms, terms
from engram.model.errors import NotFound
from engram.model.given import BY_HAND, PolicyRef, Reader
from engram.model.hit import ContextBlock
from engram.model.instant import Day, Instant, day_of
from engram.model.memory import SESSION, Memory, is_silent
from engram.model.settings import Settings
from engram.model.tier import Aging
from engram.recall.borders import Recipient
from engram.recall.disputed import Given, members
from engram.recall.given_items import Shown, ShownSummary
from engram.recall.injection import (
    InjectionCandidate,
    InjectionOrder,
    most_useful,
    with_summaries,
)
from engram.recall.last_session import last_session
from engram.recall.match import PromptWords, matches
from engram.recall.unasked_blocks import (
    MOST_CHARACTERS,
    GivenSummary,
    ShownItem,
    prompt_block,
    session_block,
)
from engram.settings.load import load
from engram.settings.paths import UserPaths
from engram.settings.policy_mark import marked_policy
from engram.settings.project_folders import project_names
from engram.settings.registry import Registered, Registry
from engram.settings.shipped import fingerprint
from engram.settings.vault_folders import cache_folder, not_own, own_vault, real_root
from engram.store.base import layout
from engram.store.base.clock import clock_of
from engram.store.catalog.readonly import ReadOnlyCatalog
from engram.surfaces.hooks.current_memories import FilesNow, current, stored
from engram.surfaces.hooks.host_protocol import HookCall

if TYPE_CHECKING:
    from engram.surfaces.hooks.earlier_block import EarlierBlock

#: beginning of a prompt that is searched with, characters
_MOST_PROMPT = 8_000
#: matches that are read before those of other projects are filtered out
_LOOKED_AT = 200


class ContextSource(NamedTuple):
    """A registered vault, with what injection needs of it, and all that are `registered`.

    `known`: its format is that of here.
    """

    root: Path
    id: str
    cache: Path
    settings: Settings
    places: UserPaths
    now: Instant
    registered: Sequence[Registered]
    known: bool = True
    timezone: str = "UTC"

    @property
    def today(self) -> Day:
        """The day of now."""
        return day_of(self.now)

    @property
    def files(self) -> FilesNow:
        """Its files, to be read again where they changed."""
        return FilesNow(self.root, self.today, self.settings.capture.redact_allow)

    def leaves_out(self, path: str) -> bool:
        """Whether the settings keep out what lies or is said at a path."""
        outside = _exclusion(self.settings.capture.exclude)
        return outside is not None and outside(path, "")


class GivenContext(NamedTuple):
    """A block; the memories and summaries in it, in order, with the item ids that they have.

    `policy` is the one that held, `last` the number of the last transaction that was seen.
    """

    text: str = ""
    shown: tuple[Shown, ...] = ()
    items: Mapping[str, str] = {}
    policy: PolicyRef = PolicyRef()
    last: int = 0


def source_of(
    chosen: str, asked: HookCall, environment: Mapping[str, str], places: UserPaths
) -> ContextSource | None:
    """The person's own vault, whatever folder is worked in; None when it is not registered here.

    Raises EngramError when there is none, and BadInput for one that is shared with others.
    """
    entries = Registry(places).entries()
    root = real_root(own_vault(chosen, environment, places, entries))
    loaded = load(root, environment, home=places)
    if loaded.vault is None:
        raise NotFound(f"{root} is no vault")
    entry = next((one for one in entries if one[:2] == (root, loaded.vault.id)), None)
    if entry is None:
        return None
    if entry.sharing.space or loaded.vault.shares:
        raise not_own(root)
    cache = cache_folder(places, root, loaded.vault.id)
    return ContextSource(
        root, loaded.vault.id, cache, loaded.settings, places,
        clock_of(environment).now(), entries, loaded.vault.format <= layout.FORMAT,
        loaded.vault.timezone,
    )  # fmt: skip


def _policy(mark: str, source: ContextSource) -> PolicyRef:
    """The policy that holds. Raises ConfigError: by one that is not understood nothing is given."""
    found = marked_policy(mark, source.places, source.root)
    if found is None:
        # imported here: a command has read the files since they were changed, as a rule
        from engram.settings.policy_files import load_policy

        found = load_policy(source.places, source.root).policy.ref
    return found


def _projects(source: ContextSource, folder: str) -> tuple[str, ...]:
    """The names of the project of a folder; none where it is kept out."""
    if source.leaves_out(folder):
        return ()
    return project_names(folder, source.places.home, source.root)


def _recipient(
    source: ContextSource, projects: tuple[str, ...], reader: Reader, policy: PolicyRef,
    catalog_reader: ReadOnlyCatalog,
) -> Recipient:  # fmt: skip
    """The agent that works on a project."""

    def of_silent(memory: Memory) -> bool:
        return is_silent(catalog_reader.last_heard(memory), source.now)

    outside = _exclusion(source.settings.capture.exclude)
    session = "" if reader.session == BY_HAND else reader.session
    agent = Recipient(
        projects, source.settings.recall.share_personal, session=session, spaces=policy.spaces,
        is_silent=of_silent,
    )  # fmt: skip
    return agent if outside is None else agent._replace(excludes=partial(outside, ""))


@cache
def _exclusion(globs: tuple[str, ...]) -> Callable[[str, str], bool] | None:
    """What tells whether a folder or project is kept out; None where nothing is."""
    if not globs:
        return None
    # imported here: hardly anybody keeps a folder out
    from engram.capture.exclusion import Exclusion

    return Exclusion(globs)


def _in_phase(
    recipient: Recipient, policy: PolicyRef, catalog_reader: ReadOnlyCatalog, source: ContextSource
) -> Recipient:  # fmt: skip
    """The same, who is given nothing of an older phase where the policy says so."""
    if not policy.current_only or not (source.root / layout.PHASES).exists():
        return recipient
    # imported here: a vault has hardly ever phases
    from engram.recall.current_phase import OlderPhases
    from engram.store.base.disk import VaultDisk
    from engram.store.files.phases_file import PhasesFile

    page, spoken = PhasesFile(VaultDisk(source.root)).read(), catalog_reader.last_said
    older = OlderPhases(page, policy.current_only, source.now, spoken)
    return recipient._replace(is_older=older.hold)


def at_session_start(
    source: ContextSource, asked: HookCall, deadline: float, reader: Reader,
    earlier: EarlierBlock | None = None,
) -> GivenContext:  # fmt: skip
    """Where the last session of the project stopped, and the most useful memories for this one.

    Nothing where the session has that block already, with or without what was learnt from itself.
    """
    projects = _projects(source, asked.folder)
    with _open_catalog(source, asked.folder, projects, deadline) as catalog_reader:
        policy = _policy(catalog_reader.policy_mark, source)
        recipient = _recipient(source, projects, reader, policy, catalog_reader)
        recipient = _in_phase(recipient, policy, catalog_reader, source)
        give = partial(_session_block, catalog_reader, source, recipient, policy)
        if earlier is None:
            return give("")
        found = give(earlier.version)
        own = earlier.conversation
        return found if found.text and give(earlier.version, own).text else GivenContext()


def _session_block(
    catalog_reader: ReadOnlyCatalog,
    source: ContextSource,
    recipient: Recipient,
    policy: PolicyRef,
    known: str,
    without: str = "",
) -> GivenContext:
    """The block, unless it is the one `known`; `without` what a conversation told."""
    rows = catalog_reader.live(
        recipient.projects, personal=recipient.personal, conversation=recipient.session
    )
    left_out = catalog_reader.told_by(without) if without else frozenset()
    headers = (InjectionCandidate(*row) for row in rows if row[0] not in left_out)
    summaries, aging = catalog_reader.summarised(), source.settings.retention
    order = InjectionOrder(
        Aging(aging.half_life_days, aging.hot, aging.warm),
        source.settings.recall.prefer,
        catalog_reader.reads(),
    )
    best = with_summaries(most_useful(headers, recipient, source.today, order), summaries)
    offered, found = _Offered(), stored(best, catalog_reader)
    block = session_block(
        offered.each(current(found, catalog_reader, source.files, recipient)),
        source.settings.recall.budget_tokens,
        project=next(iter(recipient.projects), ""),
        last=partial(_last_session, catalog_reader, source, recipient, left_out, offered),
        known=known,
        timezone=source.timezone,
    )
    return offered.context(block, catalog_reader, policy)


class _Offered:
    """What a block was chosen from, by id."""

    def __init__(self) -> None:
        self._known: dict[str, Memory | GivenSummary] = {}

    def each(self, found: Iterable[Given | GivenSummary]) -> Iterator[Given | GivenSummary]:
        """The same, each remembered as it goes by."""
        for one in found:
            for part in (one,) if isinstance(one, GivenSummary) else members(one):
                self._known[part.id] = part
            yield one

    def context(
        self, block: ContextBlock, catalog_reader: ReadOnlyCatalog, policy: PolicyRef
    ) -> GivenContext:
        """A block with what is in it."""
        if not block.shown:
            return GivenContext()
        shown = tuple(_shown(self._known[name]) for name in block.shown)
        items = catalog_reader.items(block.shown)
        return GivenContext(block.text, shown, items, policy, catalog_reader.last)


def _shown(one: Memory | GivenSummary) -> Shown:
    if isinstance(one, Memory):
        return one
    tells = tuple(memory.id for memory in one.sources)
    return ShownSummary(one.id, one.item(MOST_CHARACTERS), one.sources[0].space, tells)


def _last_session(
    catalog_reader: ReadOnlyCatalog,
    source: ContextSource,
    recipient: Recipient,
    left_out: Collection[int],
    offered: _Offered,
    most: int,
) -> ShownItem | None:
    """What is told in so many characters of the newest session that may be given."""
    if not recipient.projects:
        return None
    for number, memory, audience, day in catalog_reader.last_sessions(recipient.projects):
        if number in left_out:
            continue
        now = current([(memory, audience)], catalog_reader, source.files, recipient)
        for one in offered.each(now):
            if isinstance(one, Memory) and one.schema == SESSION:
                text = last_session(one, day, most)
                return ShownItem(one.id, text) if text else None
    return None


def beside_a_prompt(
    source: ContextSource, asked: HookCall, deadline: float, reader: Reader
) -> GivenContext:
    """The few memories that match a prompt well."""
    words = asked.prompt[:_MOST_PROMPT].strip()
    terms = [] if words.startswith("/") else query_terms(words)  # a slash begins a command
    if not terms:
        return GivenContext()
    filler = frozenset(map(stem, FILLER))
    projects = _projects(source, asked.folder)
    with _open_catalog(source, asked.folder, projects, deadline) as catalog_reader:
        known = PromptWords(
            partial(catalog_reader.holders, projects, source.settings.recall.share_personal),
            catalog_reader.sizes, catalog_reader.count(), filler,
            cache(partial(_names, catalog_reader)),
        )  # fmt: skip
        found = matches(terms, known, _LOOKED_AT)
        if not found:
            return GivenContext()
        policy = _policy(catalog_reader.policy_mark, source)
        recipient = _recipient(source, projects, reader, policy, catalog_reader)
        recipient = _in_phase(recipient, policy, catalog_reader, source)
        known_ones = catalog_reader.memories(match.number for match in found)
        # a session is given at the start of the next one, or asked for
        memories = (one for one in known_ones if one[0].schema != SESSION)
        offered = _Offered()
        now = current(memories, catalog_reader, source.files, recipient)
        budget = source.settings.recall.budget_tokens
        block = prompt_block(offered.each(now), budget, source.timezone)
        return offered.context(block, catalog_reader, policy)


def _names(catalog_reader: ReadOnlyCatalog, number: int) -> set[str]:
    """The terms that name what a memory is about: its entities, and the names in its statement."""
    # imported here: the start of a session has no prompt
    from engram.language.telling_names import telling_names
    from engram.model.entity_ids import stem_of

    found = set[str]()
    for memory, _ in catalog_reader.memories([number]):
        found |= telling_names(memory.text)
        for entity in memory.entities:
            name = stem_of(entity)
            if "-" not in name:  # of several words each is as common as any other
                found.update(terms(name)[:1])
    return found


def _open_catalog(
    source: ContextSource, folder: str, projects: Sequence[str], deadline: float
) -> ReadOnlyCatalog:
    """The catalog of the vault, with those of the vaults that are read beside it in a folder."""
    judged = fingerprint("redaction", source.settings.capture.redact_allow)
    own = source.cache / "catalog.sqlite"
    if len(source.registered) > 1:
        # imported here: most people have one vault
        from engram.surfaces.hooks.catalogs_beside import CatalogsBeside, catalogs_beside

        first = Registered(source.root, source.id)
        others = catalogs_beside(first, source.registered, folder, projects, source.places)
        if others:
            return CatalogsBeside(own, source.id, judged, deadline, others)
    return ReadOnlyCatalog(own, source.id, judged, deadline)
