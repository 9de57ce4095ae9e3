"""AdmissionContext: what deciding about a candidate may ask, all of it given by the caller."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from engram.model.candidate import Candidate
from engram.model.instant import Instant
from engram.model.memory import Memory
from engram.model.policy import Policy
from engram.model.ports import (
    Given,
    Heard,
    Judge,
    NoRules,
    NothingGiven,
    NothingHeard,
    WrittenRules,
)
from engram.model.settings import Settings
from engram.model.view import VaultView


def _cue_judge() -> Judge:
    # imported here: a vault that is only read needs none of its patterns
    from engram.admit.judge.rule_judge import RuleJudge

    return RuleJudge()


@dataclass(frozen=True, slots=True)
class AdmissionContext:
    """What the rows may ask: the vault's knowledge, the redactor, settings, the time, a judge, what
    was said before, what the project's rule files say, the policy, what agents were given.
    """

    view: VaultView
    clean: Callable[[str], bool]
    settings: Settings
    now: Instant
    judge: Judge = field(default_factory=_cue_judge)
    heard: Heard = field(default_factory=NothingHeard)
    rules: WrittenRules = field(default_factory=NoRules)
    policy: Policy = field(default_factory=Policy)
    given: Given = field(default_factory=NothingGiven)
    #: when the last turn of a conversation was said, '' where that is not known
    spoken: Callable[[str], Instant] = lambda conversation: ""
    #: how many memories the candidates of one answer say that they replace, by the words they quote
    named: Mapping[str, int] = field(default_factory=dict)
    #: what was around one candidate: several rows ask for it
    _found: dict[tuple[str, str, str], Sequence[Memory]] = field(default_factory=dict)

    def of_one(self) -> AdmissionContext:
        """The same for one candidate, whose decision changes nothing in the vault."""
        return replace(self, _found={})

    def around(self, candidate: Candidate) -> Sequence[Memory]:
        """The live memories of a candidate's place that share words with it."""
        place = (candidate.text, candidate.space, candidate.project)
        if place not in self._found:
            self._found[place] = self.view.around(candidate)
        return self._found[place]
