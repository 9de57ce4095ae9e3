"""Request to a model and its reply, usage and cost, as plain data; no provider is known here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from engram.model.errors import ConfigError
from engram.model.ids import message_digest
from engram.model.text import tokens_of

if TYPE_CHECKING:
    from engram.model.instant import Instant
    from engram.model.memory import Memory
    from engram.model.turn import Turn

#: who reads turns: the model what is captured live and the rules what was imported; the rules all;
#: the model all (it has to be asked for: history is long, and costs)
Tier = Literal["auto", "rules", "model"]


def fenced(data: str) -> str:
    """Data between a fence that cannot be closed from inside: its name is a digest of the data."""
    fence = f"engram-data {message_digest('fence', '', data)[:8]}"
    return f"<{fence}>\n{data}\n</{fence}>"


def strict_object(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The strict JSON schema of an object that has all of these fields and no other."""
    return {
        "type": "object",
        "properties": dict(fields),
        "required": list(fields),
        "additionalProperties": False,
    }


def list_of(key: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The strict JSON schema of an answer that is a list of such objects under a key."""
    return strict_object({key: {"type": "array", "items": strict_object(fields)}})


def prompt_of(table: Mapping[str, Any], name: str) -> tuple[str, str]:
    """Version and instructions of a prompt, `config/prompts/NAME.toml`. Raises ConfigError."""
    version, instructions = table.get("version"), table.get("instructions")
    if not (isinstance(version, str) and isinstance(instructions, str) and instructions.strip()):
        raise ConfigError(f"config/prompts/{name}.toml: needs version and instructions")
    return version, instructions.strip()


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a model, answered by one JSON object.

    `instructions` are ours, `text` is the data: untrusted, redacted once more before it is sent.
    `schema` is the strict JSON schema of the answer, whose items stand under `key`; `prompt` names
    the prompt and its version. `subject` (a transcript's name) and `turns` go to the usage log; no
    content does.
    """

    prompt: str
    instructions: str
    text: str
    schema: Mapping[str, Any]
    key: str
    subject: str = ""
    turns: int = 0

    @property
    def tokens(self) -> int:
        """How many tokens it takes at most, its schema included."""
        return sum(map(tokens_of, (self.instructions, self.text, str(self.schema))))


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call, as the provider counted them; `known` is False for our own estimate."""

    input_tokens: int = 0
    output_tokens: int = 0
    known: bool = True

    @property
    def tokens(self) -> int:
        """Both together."""
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True, slots=True)
class Reply:
    """The JSON value of an answer, redacted, and its provider and model."""

    value: object
    provider: str
    model: str
    usage: Usage


@dataclass(frozen=True, slots=True)
class Estimate:
    """Estimate of some work: calls, tokens, US dollars at most and most likely.

    `provider` and `model` are who would do it; `priced` is False when that model's price is not
    known and the dearest one was taken.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float = 0.0
    likely_usd: float = 0.0
    provider: str = ""
    model: str = ""
    priced: bool = True


@dataclass(frozen=True, slots=True)
class Spent:
    """Tokens and US dollars of one day, reserved ones included, and the caps; `calls` so far."""

    day: str = ""
    tokens: int = 0
    usd: float = 0.0
    calls: int = 0
    cap_tokens: int = 0
    cap_usd: float = 0.0

    @property
    def exhausted(self) -> bool:
        """Whether a cap is reached."""
        return self.tokens >= self.cap_tokens or 0 < self.cap_usd <= self.usd


@dataclass(frozen=True, slots=True)
class ModelAbsence:
    """A provider that is not asked for now: why, and until when."""

    provider: str
    code: str
    until: Instant


@dataclass(frozen=True, slots=True)
class Context:
    """What the vault knows around some turns: for the model to recognise updates and names.

    `memories` are the nearest live ones, `entities` known names (`Postgres (tool)`), `earlier` the
    turns of the same conversation just before, which were extracted already.
    """

    memories: tuple[Memory, ...] = ()
    entities: tuple[str, ...] = ()
    earlier: tuple[Turn, ...] = field(default=())
