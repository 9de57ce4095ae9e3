"""A person's sentence told of "the user"."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.language.third_person import third_person


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("I prefer oak over pine", "The user prefers oak over pine."),
        ("i really hate pine!", "The user really hates pine."),
        ("I don't like pine", "The user does not like pine."),
        ("I'm a carpenter", "The user is a carpenter."),
        ("im allergic to nuts", "The user is allergic to nuts."),
        ("I've moved to Graz", "The user has moved to Graz."),
        ("I'll send it by Friday", "The user will send it by Friday."),
        ("I'd rather use oak", "The user would rather use oak."),
        ("I need it dry", "The user needs it dry."),
        ("I no longer carve at the mill", "The user no longer carves at the mill."),
        ("I carry it and I fly home", "The user carries it and they fly home."),
        ("I love oak and hate pine", "The user loves oak and hates pine."),
        ("I like to cut and run", "The user likes to cut and run."),
        ("I went home with my saw", "The user went home with their saw."),
        ("My name is Bo and I am old", "The user's name is Bo and they are old."),
        ("Bo and I run the shop", "Bo and the user run the shop."),
        ("give it to me, it is mine", "Give it to the user, it is theirs."),
        ("I teach myself", "The user teaches themselves."),
        ("we use oak", "We use oak."),
        ("we're out of oak", "We're out of oak."),
        ("pnpm is our tool", "pnpm is our tool."),
        ("`oakd` is our daemon", "`oakd` is our daemon."),
        ("never use pine, please", "Never use pine."),
        ("we use oak btw", "We use oak."),
        ("Ilka cuts the oak btw, so ask first", "Ilka cuts the oak, so ask first."),
        ("I stopped smoking and feel great", "The user stopped smoking and feels great."),
        ("lets go with oak", "Let's go with oak."),
        ("I, for one, like oak", "The user said: I, for one, like oak."),
    ],
)
def test_only_the_person_is_renamed_and_the_verb_is_bent(said: str, told: str) -> None:
    assert third_person(said) == told


def test_names_that_hold_the_letters_are_left_alone() -> None:
    assert third_person("the I/O of my-app is in /srv/me") == "The I/O of my-app is in /srv/me."


@given(st.text(alphabet="Iimy' aned.,", max_size=60))
def test_any_text_can_be_told_and_never_speaks_as_the_person(text: str) -> None:
    told = third_person(text)
    assert told.endswith((".", "?", '"'))
    if "said:" not in told:
        assert re.search(r"(?<![\w/.'-])(?:I|i|my|me)(?![\w'/-])", told) is None
