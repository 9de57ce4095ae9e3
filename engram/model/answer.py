"""The answer to a question, with what it rests on.

Source: seed 004 (ReasonedAnswer): answer, confidence, reasoning, the time expressions that were
resolved, the sources, and whether anything had to be inferred.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from engram.model.instant import Day
    from engram.model.time_span import TimeSpan


class AnswerSource(NamedTuple):
    """A memory or a turn that an answer rests on; `line` of `file` (relative to the vault) has it.

    `said` is the day on which it was said, `speaker` who said it where that is known, `text` the
    words that count; `status` is that of a memory, `role` that of a turn, each else empty.
    """

    kind: Literal["memory", "turn"]
    id: str
    file: str
    line: int
    text: str
    said: Day = ""
    speaker: str = ""
    status: str = ""
    role: str = ""


@dataclass(frozen=True, slots=True)
class ReasonedAnswer:
    """An answer in words; where it is a time also its first and last day, both included.

    `confidence` is 0..1, and 0 for what was not found: then `source_memories` came nearest.
    `reasoning` has a line for each step. `requires_inference`: the days stand in no source, they
    were reckoned from the day on which it was said. `asked_model`: a model was asked, and answered.
    `model_fault` says why the rules answer, where a model was to be asked and its answer is none.
    Raises ValueError for a confidence outside of 0..1, and days that are out of order.
    """

    answer: str
    confidence: float
    reasoning: str = ""
    temporal_resolutions: tuple[TimeSpan, ...] = ()
    source_memories: tuple[AnswerSource, ...] = ()
    requires_inference: bool = False
    start: Day = ""
    end: Day = ""
    asked_model: bool = False
    model_fault: str = ""

    def __post_init__(self) -> None:
        """Refuse what no answer can be."""
        if not 0.0 <= self.confidence <= 1.0:
            raise ValueError(f"a confidence lies in 0..1: {self.confidence}")
        if self.start > self.end:
            raise ValueError(f"{self.start} lies after {self.end}")

    @property
    def found(self) -> bool:
        """Whether the question was answered."""
        return self.confidence > 0
