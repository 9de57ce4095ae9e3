"""Ports to extraction and judgement: extractors, models, judges, folds of boxes and entities."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Collection as Some
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from engram.model.box import Box
    from engram.model.candidate import Candidate
    from engram.model.cluster_verdict import ClusterKey, ClusterVerdict
    from engram.model.consolidation_run import ModelUse
    from engram.model.entity import Entity
    from engram.model.instant import Instant
    from engram.model.memory import Memory
    from engram.model.model_request import Context, Reply, Request
    from engram.model.pair_verdict import PairKey, PairVerdict
    from engram.model.records_found import RecordsFound
    from engram.model.step import Opinion
    from engram.model.turn import Turn
    from engram.model.view import VaultView


class Extractor(Protocol):
    """Turns of one session -> candidates. Raises EngramError when it could not do its work."""

    #: whether its work costs money or minutes: then each portion is committed by itself
    costly: bool

    def portion(self, turns: Sequence[Turn], attempts: int) -> int:
        """How many of the first turns it takes at once (at least one), after failed attempts."""
        ...

    def extract(self, turns: Sequence[Turn]) -> list[Candidate]:
        """Candidates with receipts that point into these turns."""
        ...


@runtime_checkable
class Asker(Protocol):
    """An Extractor that asks a model, and can show the question."""

    def asks(self, turns: Sequence[Turn]) -> bool:
        """Whether it asks anything about these turns."""
        ...

    def request(self, turns: Sequence[Turn]) -> Request:
        """The question about these turns; nothing is asked."""
        ...


class RecordAsker(Protocol):
    """Drafts records of a conversation by asking a model; it is asked once a conversation."""

    def request(self, turns: Sequence[Turn], known: Sequence[Memory]) -> Request | None:
        """The question that `drafts` would ask, or None where it asks nothing."""
        ...

    def drafts(self, turns: Sequence[Turn], known: Sequence[Memory]) -> RecordsFound:
        """Drafts of a whole conversation, in order, beside the records that are known.

        Raises ModelError and BudgetExceeded: then nothing was drafted.
        """
        ...


class Model(Protocol):
    """A model behind any provider. Every call is budgeted, redacted and logged."""

    def ask(self, request: Request) -> Reply:
        """The JSON answer. Raises ModelError or BudgetExceeded; nothing else."""
        ...


class RunModel(Model, Protocol):
    """A model for one run, which knows what was asked of it."""

    @property
    def used(self) -> ModelUse:
        """Questions, tokens, money and errors so far."""
        ...


class Embedder(Protocol):
    """A model that turns texts into vectors. Every call is budgeted, redacted and logged."""

    @property
    def model(self) -> str:
        """Its name: vectors of different models cannot be compared."""
        ...

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """A vector for each text, in order, all of one length and none without a direction.

        Raises ModelError or BudgetExceeded; nothing else.
        """
        ...


class PromptContext(Protocol):
    """What the vault knows around some turns."""

    def near(self, turns: Sequence[Turn]) -> Context:
        """The nearest memories, known names, and what was said just before."""
        ...


class Heard(Protocol):
    """What was said before, by the person and by agents."""

    def before(self, turn: Turn) -> Sequence[Turn]:
        """The last turns of its conversation before a turn, in order."""
        ...

    def elsewhere(self, words: str, transcript: str) -> Sequence[Turn]:
        """The turns of other conversations that are most like some words."""
        ...

    def is_template(self, turn: Turn) -> bool:
        """Whether several conversations hold a turn that opens with the same many words."""
        ...

    def said_again(self, words: str, link: str) -> bool:
        """Whether the person said the same in another conversation than the one behind a link."""
        ...


class NothingHeard:
    """A Heard that knows nothing, for candidates whose conversation is not at hand."""

    def before(self, turn: Turn) -> Sequence[Turn]:
        """None."""
        return ()

    def elsewhere(self, words: str, transcript: str) -> Sequence[Turn]:
        """None."""
        return ()

    def is_template(self, turn: Turn) -> bool:
        """No."""
        return False

    def said_again(self, words: str, link: str) -> bool:
        """No."""
        return False


class Given(Protocol):
    """What agents were given."""

    def before(self, memory: str, transcript: str, time: Instant) -> bool:
        """Whether the agent of a conversation had been given a memory by then."""
        ...


class NothingGiven:
    """A Given of a vault from which no agent was given anything."""

    def before(self, memory: str, transcript: str, time: Instant) -> bool:
        """No."""
        return False


class WrittenRules(Protocol):
    """What the rule files of projects say."""

    def note(self, project: str, folder: str) -> None:
        """Remember where a project lies."""
        ...

    def says(self, text: str, project: str) -> bool:
        """Whether a rule file of the project says all that a statement does."""
        ...


class NoRules:
    """WrittenRules where no project's folder is known."""

    def note(self, project: str, folder: str) -> None:
        """Nothing."""

    def says(self, text: str, project: str) -> bool:
        """No."""
        return False


class Judge(Protocol):
    """Says how two memories of one scope relate (admit's engine, design 3)."""

    def compare(self, older: Memory, newer: Memory) -> Opinion:
        """The opinion about two live memories; never raises when no model answers."""
        ...

    def compare_all(self, pairs: Sequence[tuple[Memory, Memory]]) -> Sequence[Opinion]:
        """The same for many pairs of (older, newer), in their order."""
        ...


class BoxWeaver(Protocol):
    """Makes boxes of memories, and topic threads of boxes (weave's engine, design 3)."""

    def line(self, memory: Memory) -> str:
        """The line with which a box lists a memory."""
        ...

    def seal(
        self,
        view: VaultView,
        now: Instant,
        reason: str = "",
        *,
        born: Sequence[Memory] | None = None,
        waiting: Some[str] = (),
    ) -> list[Box]:
        """New boxes of all that no box holds and that has ended, or the rest too for a reason.

        With `born`, memories that are about to be written, only their conversations are looked at;
        silence does not end those in `waiting`, of which more is to be extracted.
        """
        ...

    def without(self, box: Box, names: Some[str], view: VaultView) -> Box | None:
        """A box without these memories; None when none is left in it."""
        ...

    def silence(
        self, names: Some[str], links: Some[str], view: VaultView
    ) -> list[tuple[Box, Box | None]]:
        """`(before, after)` of the boxes that tell of memories or turns to be forgotten."""
        ...

    def retold(self, box: Box, after: Box, links: Some[str], view: VaultView) -> Box:
        """A box `after` a change, its title and goal without the turns of these links."""
        ...

    def thread(self, boxes: Iterable[Box]) -> list[tuple[Box, Box]]:
        """`(before, after)` of the boxes whose links to their trace neighbours are missing."""
        ...


class EntityPage(Protocol):
    """Says what the page of an entity contains (weave's engine, design 3)."""

    def __call__(
        self, identifier: str, memories: Iterable[Memory], former: Entity | None,
        aliases: Sequence[str], lead: Callable[[str], str], said: str = "",
    ) -> Entity:  # fmt: skip
        """The page of an entity, folded from its memories.

        `aliases` lead here from now on, `lead` resolves an id, `said` is a synthesis by a model.
        """
        ...


class Verdicts(Protocol):
    """What a model said about pairs of memories in earlier runs."""

    def known(self, key: PairKey) -> PairVerdict | None:
        """The verdict that was kept or learnt, if any."""
        ...

    def learn(self, key: PairKey, verdict: PairVerdict) -> None:
        """Know it for this run; nothing is written."""
        ...


class ClusterVerdicts(Protocol):
    """What a model said about clusters in earlier runs."""

    def cluster(self, key: ClusterKey) -> ClusterVerdict | None:
        """The verdict that was kept or learnt, if any."""
        ...

    def learn_cluster(self, key: ClusterKey, verdict: ClusterVerdict) -> None:
        """Know it for this run; nothing is written."""
        ...


class KeptVerdicts(Verdicts, ClusterVerdicts, Protocol):
    """Both, of a vault."""

    def save(self, standing: Callable[[], Some[str]]) -> None:
        """Write what was learnt of texts that stand (their digests); the writer lock is held."""
        ...
