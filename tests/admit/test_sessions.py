"""What belongs to a session, beside what is told in another one or holds everywhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from engram.admit.admission_context import AdmissionContext
from engram.admit.decide import admit
from engram.model.memory import Memory
from tests.admit.cases import candidate, memory

Knowing = Callable[..., AdmissionContext]
TEXT = "For this session, answer in German."


def of_session(name: str, **fields: object) -> Memory:
    return memory(text=TEXT, space="session", sources=(f"{name}#^m1",), **fields)


def test_the_same_words_in_another_session_are_another_memory(knowing: Knowing) -> None:
    said = candidate(TEXT, space="session", category="preference")
    here = said.conversation
    assert admit(said, knowing(of_session("claude-code-0000000000aa"))).decision == "new"
    assert admit(said, knowing(of_session(here))).decision == "same"
    assert admit(said, knowing(replace(of_session(here), space="project"))).decision == "new"


@pytest.mark.parametrize("field", ["confirms", "supersedes"])
def test_what_another_session_holds_is_out_of_reach_of_a_model(
    field: str, knowing: Knowing
) -> None:
    other = of_session("claude-code-0000000000aa")
    named = {"confirms": other.id} if field == "confirms" else {"supersedes": (other.id,)}
    verdict = admit(candidate(origin="model", **named), knowing(other))
    assert other.id not in verdict.memories
    assert (verdict.code == "unknown_memory") == (field == "confirms")


def test_a_session_changes_no_value_that_holds_everywhere(knowing: Knowing) -> None:
    holder = memory(text="The user's editor is Vim.", space="user", key="user::editor")
    said = candidate(text="The user's editor is Emacs.", space="session", slot="user::editor")
    assert admit(said, knowing(holder)).memories == ()
    own = replace(holder, space="session", sources=(f"{said.conversation}#^m0",))
    assert admit(said, knowing(own)).memories == (own.id,)
