"""What a memory is recognised by: its statement in at most 60 characters."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engram.model.display import plain_line
from engram.model.memory import Memory
from engram.model.titles import WIDTH, shown_title, title_of
from tests.effort import examples

#: statement -> title
TOLD = {
    "We decided to use postgres instead of sqlite because two writers need it.":
        "We decided to use postgres instead of sqlite",
    "The user prefers small commits with one topic each.":
        "Prefers small commits with one topic each",
    "The user's sister Katja lives in Bremen. She has a dog.":
        "Sister Katja lives in Bremen",
    "Change of plan for the hosting: we move to Hetzner instead of Fly.io, it costs less there.":
        "Change of plan for the hosting: we move to Hetzner instead…",
    "The till in the store is a Raspberry Pi 4 and loses its wifi a few times a day.":
        "The till in the store is a Raspberry Pi 4…",
    "We do not deploy on Fridays unless the fix is for a customer who cannot order at all.":
        "We do not deploy on Fridays unless the fix…",
    "For the six sensors that drift, the power supply of the rack was the cause.":
        "For the six sensors that drift, the power supply…",
    "**Never** use `rm -rf` in [[shop]] scripts.": "Never use rm -rf in shop scripts",
    "Dr. Weber is the dentist.": "Dr. Weber is the dentist",
    "数据库使用 PostgreSQL，因为需要两个写入者。": "数据库使用 PostgreSQL，因为需要两个写入者",
    "...": "",
}  # fmt: skip


def test_a_title_is_the_statement_without_its_reason_and_ends_at_a_word() -> None:
    assert {statement: title_of(statement) for statement in TOLD} == TOLD


@examples(100)
@given(st.lists(st.sampled_from(
    ["The user", "prefers", "a", "of", "`x`", "[[shop]]", "because", ",", ";", "(", "Dr.", "so.",
     "Straße", "数据库", "\n", "> ", "\u202e", "a" * 70, "and", "—"]
)).map(" ".join) | st.text(max_size=90))  # fmt: skip
def test_a_title_is_one_short_line_of_the_statements_own_words(statement: str) -> None:
    title = title_of(statement)
    assert len(title) <= WIDTH + 1
    assert title == " ".join(title.split())
    letters = iter(plain_line(statement).casefold())
    assert all(letter in letters for letter in title.casefold() if letter.isalnum())


def test_a_title_that_was_given_is_shown_before_that_of_the_statement() -> None:
    plain = Memory("fact-a", "fact", "The user lives in Bremen.")
    assert shown_title(plain) == "Lives in Bremen"
    assert shown_title(Memory("fact-a", "fact", "Long words.", title="Home")) == "Home"
    assert shown_title(Memory("fact-a", "fact", "…")) == "fact-a"
