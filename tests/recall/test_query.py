"""The text of a query, and what it lets through."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.model.memory import Memory
from engram.model.turn import turn_of
from engram.recall.query import Query, parse

NOW = "2026-03-06T12:00:00Z"
MEMORY = Memory(
    id="m",
    category="decision",
    text="The shop uses Postgres, not SQLite; main.py is in C++.",
    created="2026-03-06T10:10:00Z",
    project="shop",
    tags=("db", "Storage"),
    quote="we need two writers",
    title="Database choice",
)


def test_all_parts_of_a_query() -> None:
    text = 'postgres "two writers" -mysql category:decision project:shop since:2026-03 tag:db'
    assert parse(text) == Query(
        words=("postgres",), phrases=("two writers",), excluded=("mysql",),
        categories=("decision",), projects=("shop",), tags=("db",), since="2026-03-01",
    )  # fmt: skip
    assert parse(text).text == "postgres two writers"


def test_plain_words_are_words() -> None:
    assert parse("why postgres") == Query(words=("why", "postgres"))


def test_the_beginning_of_a_word_is_a_prefix() -> None:
    found = parse("Postg* m* a*b *")
    assert (found.prefixes, found.words) == (("postg",), ("m*", "a*b", "*"))
    assert found.asks and parse("post*").text == ""
    assert parse("post*").hints(NOW).prefixes == ("post",)


@pytest.mark.parametrize(
    ("text", "when", "spans"),
    [
        ("When did we choose it?", True, ()),
        ("what day is the demo", True, ()),
        ("what happened in March 2026", False, (("2026-03-01", "2026-03-31"),)),
        ("postgres", False, ()),
    ],
)
def test_what_a_question_says_of_time_is_told_to_the_index(
    text: str, when: bool, spans: tuple[tuple[str, str], ...]
) -> None:
    hints = parse(text).hints(NOW)
    assert (hints.when, hints.spans) == (when, spans)


def test_kind_space_entity_and_source_are_filters() -> None:
    query = parse("kind:note space:user entity:postgres source:codex")
    assert (query.kinds, query.spaces, query.entities, query.sources) == (
        ("note",), ("user",), ("postgres",), ("codex",),
    )  # fmt: skip
    memory = replace(
        MEMORY, kind="note", space="user", entities=("tool-postgres",), sources=("codex-1#^m1",)
    )
    assert query.admits(memory)
    assert not query.admits(replace(memory, entities=("tool-mysql",)))
    assert not query.admits(replace(memory, sources=("claude-code-1#^m1",)))
    assert not query.admits(replace(memory, space="project"))
    assert not query.admits(replace(memory, kind="episode"))


def test_a_phrase_can_be_loosened_into_words() -> None:
    assert parse('the "two writers" rule').loose().words == ("the", "rule", "two writers")


def test_values_of_one_filter_add_up_and_dates_narrow() -> None:
    query = parse("status:Active,expired status:retired since:2025 since:2026-02 before:2027")
    assert query.statuses == ("active", "expired", "retired")
    assert (query.since, query.before) == ("2026-02-01", "2027-01-01")


@pytest.mark.parametrize(
    "text",
    [
        "https://a.b", "category:nonsense", "since:soon", "before:2026-02-30", "10:30", "a::b",
        "status:", "-5", "--force", "-", "::", "since:2026-13", "time:now", "category:decision,xx",
    ],
)  # fmt: skip
def test_what_only_looks_like_a_filter_is_a_word(text: str) -> None:
    assert parse(text) == Query(words=(text,))


def test_an_unbalanced_quote_runs_to_the_end() -> None:
    assert parse('a "b c').phrases == ("b c",)
    assert parse('-"b c').excluded == ("b c",)
    assert parse('"') == Query()
    assert parse('tag:"big db" x').tags == ("big db",)


@given(st.text(alphabet=st.one_of(st.characters(), st.sampled_from('"-: tag,')), max_size=60))
def test_every_text_is_a_query(text: str) -> None:
    query = parse(text)
    assert parse(text) == query
    query.admits(MEMORY)


@pytest.mark.parametrize(
    "text",
    [
        "", "anything", '"postgres, NOT sqlite"', '"two writers"', '"database choice"', "-mysql",
        "category:decision", "category:fact,decision", "project:SHOP", "tag:db tag:storage",
        "since:2026-03-06", "before:2026-03-07", "since:2026 before:2027", '"C++"', '"main"',
        "status:active",
    ],
)  # fmt: skip
def test_what_lets_a_memory_through(text: str) -> None:
    assert parse(text).admits(MEMORY)


@pytest.mark.parametrize(
    "text",
    [
        '"sqlite not"', '"post"', "-postgres", '-"two writers"', "category:fact", "project:other",
        "tag:db tag:other", "since:2026-03-07", "before:2026-03-06", "status:expired",
    ],
)  # fmt: skip
def test_what_keeps_a_memory_out(text: str) -> None:
    assert not parse(text).admits(MEMORY)


def test_only_live_memories_pass_unless_asked_for() -> None:
    old = replace(MEMORY, status="superseded")
    assert parse("x").admits(replace(MEMORY, status="needs-review"))
    assert not parse("x").admits(old)
    assert parse("x").admits(old, all_statuses=True)
    assert parse("x status:superseded").admits(old)


def test_a_memory_without_a_date_is_in_no_period() -> None:
    undated = replace(MEMORY, created="")
    assert not parse("since:2020").admits(undated)
    assert not parse("before:2030").admits(undated)
    assert parse("x").admits(undated)


def test_phrases_stand_in_text_of_a_dense_script() -> None:
    assert parse('"東京タワー"').admits(replace(MEMORY, text="昨日東京タワーへ"))


def test_turns_have_no_category() -> None:
    turn = turn_of("user", "we need two writers", "2026-03-06T10:10:00Z", project="shop")
    assert parse('"two writers" project:shop since:2026').admits_turn(turn)
    assert not parse("-writers").admits_turn(turn)
    assert not parse("category:decision").admits_turn(turn)
    assert not parse("before:2026").admits_turn(turn)


# -- records ------------------------------------------------------------------------------------


def test_a_schema_is_a_filter_and_may_be_written_by_its_beginning() -> None:
    assert parse("jwt schema:decision").schemas == ("decision",)
    assert parse("schema:dec,Tech-Debt").schemas == ("decision", "tech_debt")
    session = replace(MEMORY, category="moment", schema="session")
    assert parse("schema:decision").admits(MEMORY)
    assert not parse("schema:decision").admits(session)
    assert parse("schema:session").admits(session)
    assert not parse("schema:session").admits(replace(session, schema=""))
    assert not parse("schema:session").admits_turn(turn_of("user", "hello", NOW, source="test"))


def test_a_schema_that_there_is_none_of_is_kept_apart() -> None:
    for text in ("schema:nonsense", "schema:x", 'schema:"no such"'):
        found = parse(text)
        assert len(found.unknown_schemas) == 1 and not found.schemas and not found.words


@pytest.mark.parametrize(
    ("question", "schema", "about"),
    [
        ("What did we decide about auth?", "decision", "auth"),
        ("so why didn’t we take MySQL?", "decision", "take MySQL"),
        ("was haben wir zu den Preisen entschieden?", "decision", "zu den Preisen"),
        ("how did we fix the flaky tests last time?", "runbook", "the flaky tests"),
        ("wie haben wir den Drucker repariert", "runbook", "den Drucker"),
        ("what's in the way of the release?", "constraint", "the release"),
        ("Was steht dem Umzug im Weg?", "constraint", "dem Umzug"),
        ("what did we put off in the export?", "tech_debt", "the export"),
        ("how do I want commit messages?", "preference", "commit messages"),
        ("wie will ich Antworten haben?", "preference", "Antworten"),
        ("where did I stop?", "session", ""),
        ("Where did we leave off last time", "session", ""),
        ("where was I with the till sync?", "session", "the till sync"),
        ("Wo habe ich aufgehört?", "session", ""),
    ],
)
def test_the_form_of_a_question_names_a_schema(question: str, schema: str, about: str) -> None:
    form = parse(question).form
    assert form is not None and (form.schema, form.about) == (schema, about)


@pytest.mark.parametrize(
    "text",
    [
        "postgres", "we decided to use Postgres", "where is the till?", "how long is a deploy?",
        "what is the payment provider", "why postgres", "wo liegt das Archiv?", "stop the till",
    ],
)  # fmt: skip
def test_other_questions_have_no_form(text: str) -> None:
    assert parse(text).form is None
