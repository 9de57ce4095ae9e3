"""The reading half of a vault: by name, by word, by pattern."""

from __future__ import annotations

from pathlib import Path

import pytest

from engram.model.errors import BadInput, NotFound
from engram.model.hit import Hit
from engram.model.ids import docid
from engram.model.memory import Memory
from engram.model.turn import turn_of
from engram.queries import search
from engram.recall import grep
from engram.recall.filter import Filter
from engram.recall.rank import Setting
from engram.store.base import layout
from engram.vault import Vault
from tests.conftest import NOW
from tests.kit import LIGHT, reopened, takes_every_turn, tree_digest

HERE = Setting(NOW, "shop")
_SAID = [
    ("user", "The shop uses Postgres because two writers need it."),
    ("assistant", "Then Postgres it is, and marzipan for everyone."),
    ("user", "Kim takes her tea without sugar."),
    ("user", "The deploy runs on Tuesdays.\n\nNever on a Friday."),
    ("user", "The archive valve is blue."),
]


@pytest.fixture
def full(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> Vault:
    """A vault with one conversation, extracted."""
    reopened(vault, finder=LIGHT.finder)
    takes_every_turn(vault)
    said = [
        turn_of(role, text, f"2026-03-0{day}T10:00:00Z", source="test", session="s",  # type: ignore[arg-type]
                project="shop", title="Which database?", message=str(day))
        for day, (role, text) in enumerate(_SAID, 1)
    ]  # fmt: skip
    vault.capture(said)
    vault.flush()
    return vault


def the(vault: Vault, word: str) -> Memory:
    """The memory that has this word."""
    (found,) = (one for one in vault.parts.catalog.memories() if word in one.text)
    return found


def asked(vault: Vault, text: str, *, all_statuses: bool = False) -> tuple[list[Hit], list[Hit]]:
    found = vault.search(text, project="shop", all_statuses=all_statuses)
    return found.memories, found.turns


# -- by name ------------------------------------------------------------------------------------


def test_a_memory_is_found_by_every_name_it_has(full: Vault) -> None:
    memory = the(full, "tea")
    short = docid(memory.id)
    beginning = memory.id[:-6]
    for name in (
        memory.id, f" {memory.id} ", f"[[{memory.id}]]", f"{memory.id}.md", memory.path,
        short, short.removeprefix("#"), short.upper(), beginning,
    ):  # fmt: skip
        assert full.parts.lookup.memory(name) == memory


def test_an_id_whose_memory_is_gone_does_not_mean_the_next_of_that_name(full: Vault) -> None:
    first = full.remember("The shop opens at nine.").memory
    second = full.remember("The shop opens at nine.", project="shop").memory
    assert second.id == f"{first.id}-2"
    full.undo(str(full.parts.catalog.last - 1))
    with pytest.raises(NotFound):
        full.forget(first.id)
    assert full.restore(first.id) == first.id
    assert full.parts.lookup.memory(first.id).live and full.parts.lookup.memory(second.id).live


def test_an_ambiguous_beginning_is_refused_with_examples(full: Vault) -> None:
    with pytest.raises(BadInput) as refused:
        full.parts.lookup.memory("fact-")
    assert "fact-2026" in refused.value.hint


@pytest.mark.parametrize("name", ["", "nobody", "#000000", "../x", "[[]]", "\ud800", "%", "#"])
def test_what_nobody_is_called_is_not_found(full: Vault, name: str) -> None:
    with pytest.raises(NotFound):
        full.parts.lookup.memory(name)
    assert full.parts.lookup.find_memory(name) is None


def test_a_file_that_a_person_renamed_is_found_by_its_id(full: Vault) -> None:
    memory = the(full, "tea")
    path = full.root / memory.path
    path.rename(path.with_name("About tea.md"))
    full.doctor()
    assert full.parts.lookup.memory(memory.id).path.endswith("/About tea.md")


def test_a_turn_is_found_by_its_link(full: Vault) -> None:
    memory = the(full, "tea")
    said = full.parts.lookup.find_turn(memory.sources[0])
    assert said is not None and said.turn.text == _SAID[2][1]
    lines = (full.root / said.file).read_text("utf-8").split("\n")
    assert lines[said.line - 1].endswith("^" + said.link.partition("^")[2])
    assert full.parts.lookup.find_turn(docid(said.link)) == said
    assert full.parts.lookup.find_turn("nobody#^m0123456789") is None


# -- listings -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wanted", "days"),
    [
        (Filter(), "5431"), (Filter(categories=("fact",)), "5431"),
        (Filter(categories=("decision",)), ""), (Filter(project="shop"), "5431"),
        (Filter(project="blog"), ""), (Filter(since="2026-03-04"), "54"),
        (Filter(before="2026-03-04"), "31"), (Filter(statuses=("retired",)), ""),
        (Filter(tag="tea"), ""),
    ],
)  # fmt: skip
def test_a_listing_shows_what_passes_newest_first(full: Vault, wanted: Filter, days: str) -> None:
    assert "".join(one.created[9] for one in full.parts.lookup.listing(wanted, 10)) == days


def test_a_listing_as_of_a_day_shows_what_was_true_then(full: Vault) -> None:
    days = [
        len(full.parts.lookup.listing(Filter(as_of=f"2026-03-0{day}"), 10)) for day in range(1, 7)
    ]
    assert days == sorted(days) and days[-1] == 4 and days[0] < 4
    assert full.parts.lookup.listing(Filter(as_of="2026-03-06", statuses=("retired",)), 10) == []


def test_a_listing_shows_no_more_than_asked_for(full: Vault) -> None:
    assert [one.created[9] for one in full.parts.lookup.listing(Filter(), 2)] == ["5", "4"]
    assert full.parts.lookup.listing(Filter(), 0) == []


def test_the_forgotten_are_listed_when_asked_for(full: Vault) -> None:
    memory = the(full, "tea")
    full.forget(memory.id)
    assert memory.id not in [one.id for one in full.parts.lookup.listing(Filter(), 10)]
    (found,) = full.parts.lookup.listing(Filter(statuses=("retired",)), 10)
    assert found.id == memory.id


# -- where it came from -------------------------------------------------------------------------


def test_an_origin_is_the_words_the_time_and_every_event(full: Vault) -> None:
    memory = the(full, "tea")
    full.forget(memory.id, reason="wrong")
    full.restore(memory.id)
    origin = full.parts.lookup.origin(the(full, "tea"))
    assert origin.receipts == (
        (memory.sources[0], "2026-03-03T10:00:00Z", "user", "Kim takes her tea without sugar."),
    )
    assert [event.name for _, _, event in origin.events] == [
        "memory_write", "memory_deleted", "memory_restored",
    ]  # fmt: skip
    assert [number for number, _, _ in origin.events] == sorted(
        number for number, _, _ in origin.events
    )


def test_a_receipt_that_no_transcript_shows_says_so(full: Vault) -> None:
    memory = the(full, "tea")
    path = full.root / memory.path
    link = memory.sources[0]
    path.write_text(path.read_text("utf-8").replace(link, "gone-0#^m0123456789"), "utf-8")
    full.doctor()
    ((_, time, role, said),) = full.parts.lookup.origin(
        full.parts.lookup.memory(memory.id)
    ).receipts
    assert (time, role) == ("", "") and said.startswith("(no transcript")


def test_links_lead_both_ways(full: Vault) -> None:
    old, new = the(full, "Postgres"), the(full, "tea")
    path = full.root / new.path
    header = f'supersedes:\n  - "[[{old.id}]]"\nsources:'
    path.write_text(path.read_text("utf-8").replace("sources:", header, 1), "utf-8")
    full.doctor()
    assert ("supersedes", old.id) in [one[:2] for one in full.links(new.id)]
    assert ("superseded by", new.id) in [one[:2] for one in full.links(old.id)]


# -- by word ------------------------------------------------------------------------------------


def test_a_search_finds_memories_and_turns_with_file_and_line(full: Vault) -> None:
    memories, turns = asked(full, "postgres writers")
    hit = memories[0]
    assert hit.id == the(full, "Postgres").id and hit.docid == docid(hit.id)
    assert "Postgres" in (full.root / hit.file).read_text("utf-8").split("\n")[hit.line - 1]
    assert (hit.category, hit.status, hit.project) == ("fact", "active", "shop")
    assert hit.source == the(full, "Postgres").sources[-1] and hit.why
    first = turns[0]
    assert first.collection == "turns" and first.title == "Which database?"
    line = (full.root / first.file).read_text("utf-8").split("\n")[first.line - 1]
    assert line.endswith("^" + first.id.partition("^")[2])
    assert any("everyone" in hit.snippet for hit in turns)


def test_a_hit_shows_the_line_of_its_statement_and_not_that_of_its_title(full: Vault) -> None:
    text = "The nightly backup of the shop runs on the small old server in the cellar, on Sundays."
    full.remember(text, project="shop")
    hit = asked(full, "backup cellar")[0][0]
    lines = (full.root / hit.file).read_text("utf-8").split("\n")
    assert any(one.startswith("title: The nightly backup of") for one in lines)
    assert lines[hit.line - 1] == text


def test_an_empty_question_lists_memories_and_no_turns(full: Vault) -> None:
    memories, turns = asked(full, "")
    assert len(memories) == 4 and turns == []
    assert asked(full, "zeppelin") == ([], [])


def test_equal_questions_have_equal_answers(full: Vault) -> None:
    assert asked(full, "the deploy") == asked(full, "the deploy")


def test_what_was_forgotten_is_hidden_with_its_turns_until_it_is_restored(full: Vault) -> None:
    memory = the(full, "tea")
    full.forget(memory.id)
    assert asked(full, "tea sugar") == ([], [])
    hidden, turns = asked(full, "tea sugar", all_statuses=True)
    assert [hit.status for hit in hidden] == ["retired"] and turns == []
    assert full.parts.lookup.find_turn(memory.sources[0]) is None
    assert list(full.parts.lookup.grep("sugar", Filter())) == []
    full.restore(memory.id)
    memories, turns = asked(full, "tea sugar")
    assert len(memories) == 1 and turns[0].id == memory.sources[0]


def test_reading_writes_nothing_but_that_it_was_asked(full: Vault) -> None:
    before = tree_digest(full.root)
    asked(full, "tea")
    list(full.parts.lookup.grep("tea", Filter()))
    full.recall("what does Kim drink?")
    full.parts.lookup.origin(the(full, "tea"))
    (full.root / layout.ACCESS).unlink()
    assert tree_digest(full.root) == before


# -- by pattern ---------------------------------------------------------------------------------


def test_a_pattern_finds_lines_where_they_stand(full: Vault) -> None:
    found = list(full.parts.lookup.grep("Postgres|Friday", Filter()))
    assert len(found) == 7
    for path, line in found:
        lines = (full.root / path).read_text("utf-8").split("\n")
        assert lines[line.number - 1] == line.text
        start, end = line.spans[0]
        assert line.text[start:end] in ("Postgres", "Friday")
    kinds = [path.partition("/")[0] for path, _ in found]
    assert kinds == sorted(kinds, key=["facts", "transcripts"].index)


def test_case_matters_unless_it_is_told_not_to(full: Vault) -> None:
    assert list(full.parts.lookup.grep("POSTGRES", Filter())) == []
    assert (
        len(list(full.parts.lookup.grep("POSTGRES", Filter(), ignore_case=True, turns=False))) == 2
    )


@pytest.mark.parametrize("pattern", ["(", "(a|aa)+$", "a" * 2000, "[z-a]"])
def test_a_pattern_that_cannot_be_used_is_refused(
    full: Vault, pattern: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grep, "MATCHING_SECONDS", 0.2)
    full.remember(f"The code of the door is {'a' * 60}!")
    with pytest.raises(BadInput):
        list(full.parts.lookup.grep(pattern, Filter()))


# -- given back ---------------------------------------------------------------------------------


def test_recall_gives_the_memories_that_answer_within_its_budget(full: Vault) -> None:
    block = full.recall("how does Kim take her tea?")
    assert "without sugar" in str(block) and the(full, "tea").id in str(block)
    full.forget(the(full, "tea").id)
    assert "without sugar" not in str(full.recall("how does Kim take her tea?"))


def test_a_transcript_alone_still_answers(full: Vault) -> None:
    link = the(full, "tea").sources[0]
    for path in (full.root / "state" / "turns").iterdir():
        path.unlink()
    full.rebuild()
    said = full.parts.lookup.find_turn(link)
    assert said is not None and said.turn.text == "Kim takes her tea without sugar."
    assert asked(full, "tea sugar")[1][0].id == link
    assert Path(said.file).parts[0] == "transcripts"


# -- records ------------------------------------------------------------------------------------

_RECORD = """---
id: decision-20260301-090000-0a1b2c3d
category: decision
title: Auth with JWT
aliases:
  - token-auth
status: active
created: 2026-03-01T09:00:00Z
confidence: 0.8
importance: 0.6
project: shop
---
The API authenticates requests with JWT.

## Rationale
- stateless, so any node can answer

## Alternatives
- server sessions — rejected: sticky load balancing
"""
_SESSION = """---
id: moment-2026030{day}-090000-0a1b2c3{day}
category: moment
schema: session
title: Till sync
status: active
created: 2026-03-0{day}T09:00:00Z
confidence: 0.6
importance: 0.6
project: {project}
---
Make the till retry its sync.

## Next actions
- [ ] run it on day {day}
"""


@pytest.fixture
def records(full: Vault) -> Vault:
    """The vault with a decision and three sessions that a person wrote."""
    folder = full.root / "facts" / "2026-03-01"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "decision-20260301-090000-0a1b2c3d.md").write_text(_RECORD)
    for day, project in ((2, "shop"), (3, "shop"), (4, "garden")):
        text = _SESSION.format(day=day, project=project)
        (folder / f"moment-2026030{day}-090000-0a1b2c3{day}.md").write_text(text)
    return full


def test_a_hit_shows_the_line_of_the_section_that_was_asked_for(records: Vault) -> None:
    hit = asked(records, "sticky load balancing")[0][0]
    assert hit.snippet == "Alternatives: server sessions — rejected: sticky load balancing"
    assert hit.section == "Alternatives" and hit.title == "Auth with JWT"
    line = (records.root / hit.file).read_text().splitlines()[hit.line - 1]
    assert line == "- server sessions — rejected: sticky load balancing"
    why = asked(records, "why did we choose JWT?")[0][0]
    assert why.snippet == "Rationale: stateless, so any node can answer"
    assert asked(records, "requests with JWT")[0][0].section == ""


def test_an_answer_quotes_the_section_under_its_heading(records: Vault) -> None:
    text = records.recall("why did we choose JWT?", budget=300).text
    assert "decision: The API authenticates requests with JWT.\n  Rationale: stateless" in text
    text = records.recall("sticky load balancing", budget=300).text
    assert "  Alternatives: server sessions — rejected: sticky load balancing\n" in text


def test_a_secret_in_a_section_is_shown_as_a_placeholder(records: Vault) -> None:
    path = records.root / "facts/2026-03-01/decision-20260301-090000-0a1b2c3d.md"
    key = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    path.write_text(path.read_text().replace("stateless", f"stateless, token is {key}"))
    (hit, *_) = asked(records, "why did we choose JWT?")[0]
    assert "Rationale" in hit.snippet and key not in hit.snippet
    assert key not in records.recall("why did we choose JWT?", budget=300).text


def test_why_a_memory_with_a_secret_was_found_names_no_term_of_it(records: Vault) -> None:
    path = records.root / "facts/2026-03-01/decision-20260301-090000-0a1b2c3d.md"
    path.write_text(path.read_text().replace("stateless", "stateless, password=marzipan88x"))
    (hit,) = asked(records, "marzipan88")[0]  # the beginning of a word
    assert hit.why[0].startswith("words match") and "marzipan" not in " ".join(hit.why)


def test_where_did_i_stop_gives_the_newest_session_of_the_project(records: Vault) -> None:
    assert [hit.created[:10] for hit in asked(records, "Where did I stop?")[0]] == [
        "2026-03-03", "2026-03-02", "2026-03-04",
    ]  # fmt: skip
    everywhere = records.search("where did I leave off?").memories
    assert everywhere[0].project == "garden"
    newest = asked(records, "where did I stop?")[0][0]
    assert newest.snippet == "Next actions: run it on day 3"
    records.retire([newest.id])
    assert asked(records, "where did I stop?")[0][0].created[:10] == "2026-03-02"


def test_a_question_of_form_alone_without_such_a_record_is_searched(full: Vault) -> None:
    full.remember("The bus will stop here.", project="shop")
    assert [hit.snippet for hit in asked(full, "where did I stop?")[0]] == [
        "The bus will stop here."
    ]


def test_a_schema_filters_and_an_unknown_one_is_refused_with_the_names(records: Vault) -> None:
    hits, turns = asked(records, "till schema:session")
    assert {hit.category for hit in hits} == {"moment"} and not turns
    assert asked(records, "schema:dec")[0][0].title == "Auth with JWT"
    for ask in (records.search, records.recall):
        with pytest.raises(BadInput, match="no schema 'nonsense'") as refused:
            ask("till schema:nonsense")
        assert "session, decision, runbook" in refused.value.hint


def test_a_listing_by_schema_agrees_with_the_memories(records: Vault) -> None:
    found = records.list(schemas=("session",), limit=2)
    assert [memory.project for memory in found] == ["garden", "shop"]
    both = records.list(schemas=("session", "decision"))
    assert len(both) == 4
    assert records.list(schemas=("session",), categories=("fact",)) == []
    assert records.list(schemas=("runbook",)) == []


def test_a_record_is_named_by_its_alias_or_title(records: Vault) -> None:
    records.search("x")
    decision = "decision-20260301-090000-0a1b2c3d"
    for name in ("token-auth", "auth-with-jwt", "Auth with JWT", "Token Auth", "[[token-auth]]"):
        assert records.parts.lookup.memory(name).id == decision
    with pytest.raises(BadInput, match="could be 3 memories"):
        records.show("till-sync")
    records.retire(["moment-20260302-090000-0a1b2c32", "moment-20260303-090000-0a1b2c33"])
    # those that are out of use do not stand in the way of the one that is not
    assert records.parts.lookup.memory("till-sync").project == "garden"
    assert records.retire(["token-auth"]).events[0].subject == decision
    records.restore("token-auth")
    assert records.parts.lookup.memory("token-auth").live
    with pytest.raises(NotFound):
        records.show("no-such-title")


def test_a_title_that_was_changed_names_nothing_any_more(records: Vault) -> None:
    records.search("x")
    path = records.root / "facts/2026-03-01/decision-20260301-090000-0a1b2c3d.md"
    path.write_text(path.read_text().replace("Auth with JWT", "Tokens for the API"))
    records.search("x")
    assert records.parts.lookup.find_memory("auth-with-jwt") is None
    assert records.parts.lookup.memory("tokens-for-the-api").title == "Tokens for the API"


def test_a_long_record_does_not_come_before_what_says_just_this(records: Vault) -> None:
    words = ["staging", "till", "stands", "office", "kitchen", "orders", "key", "warehouse"]
    words += ["numbers", "refunds", "manager"]
    lines = "\n".join(
        f"- {' '.join(words[(row * 3 + place * 5) % len(words)] for place in range(9))}"
        for row in range(90)
    )
    path = records.root / "facts/2026-03-01/decision-20260301-090000-0a1b2c3d.md"
    path.write_text(f"{_RECORD}\n## Consequences\n{lines}\n")
    records.remember("The staging till stands in the office kitchen.", project="shop")
    records.remember("Refunds need a manager.", project="shop")
    assert asked(records, "where does the staging till stand")[0][0].snippet.startswith("The stag")
    assert asked(records, "refunds manager")[0][0].snippet == "Refunds need a manager."
    # what only the record says is found there, however long it is
    assert asked(records, "warehouse numbers")[0][0].title == "Auth with JWT"


# -- related words ------------------------------------------------------------------------------


def test_a_related_word_is_found_and_named_unless_the_setting_is_off(full: Vault) -> None:
    said = turn_of("user", "The old vehicle broke down.", NOW, source="test", session="two")
    full.capture([said])
    full.remember("Kim sold the vehicle in May.", project="shop")
    memories, turns = asked(full, "car")
    assert [one.title for one in memories] == ["Kim sold the vehicle in May"]
    assert "The old vehicle broke down." in [one.snippet for one in turns]
    for one in (*memories, *turns):
        assert "related words 100% of it: vehicle" in one.why or one.collection == "turns"
        assert any(why.endswith("of it: vehicle") for why in one.why), one.why
        # the stretch that is shown has the word that was found
        assert [one.snippet[first:last] for first, last in one.spans] == ["vehicle"]
    settings = full.settings
    recall = settings.recall._replace(related_words=False)
    reopened(full, settings=settings._replace(recall=recall))
    assert asked(full, "car") == ([], [])
    assert [one.title for one in asked(full, "vehicle")[0]] == ["Kim sold the vehicle in May"]


def test_it_is_told_when_nothing_holds_a_word_of_the_query(full: Vault) -> None:
    full.remember("Kim sold the vehicle in May.", project="shop")
    assert not full.search("vehicle").other_words
    assert not full.search("car marzipan").other_words
    found = full.search("car marzipn")
    assert found.hits and found.other_words and found.meant == []
    # a misspelt word of a memory finds what begins alike, and which word was meant
    found = full.search("posgres postgers")
    assert found.other_words and found.meant == ["postgres"]
    assert "words that begin like it 100% of it: postgres" in found.memories[0].why
    assert not full.search("zebra").other_words


def test_the_turn_that_a_found_memory_cites_is_found_with_it_unless_it_is_hidden(
    full: Vault,
) -> None:
    tea = the(full, "tea")
    path = full.root / tea.path
    path.write_text(path.read_text("utf-8").replace(tea.text, "Kim drinks her beverage bitter.", 1))
    _, (turn, *_) = asked(full, "bitter beverage")
    assert turn.snippet == _SAID[2][1] and "a memory cites it (+25%)" in turn.why
    assert asked(full, "bitter beverage -sugar")[1] == []
    assert full.search("bitter beverage before:2026-03-02").turns == []
    full.forget(tea.id)
    memories, turns = asked(full, "bitter beverage", all_statuses=True)
    assert [one.id for one in memories] == [tea.id] and turns == []


def test_of_a_memory_with_very_many_sources_the_first_count(
    full: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "MOST_CITED", 1)
    tea = the(full, "tea")
    path, link = full.root / tea.path, tea.sources[0]
    other = next(one.sources[0] for one in full.list() if "valve" in one.text)
    data = path.read_text("utf-8").replace(tea.text, "Kim drinks her beverage bitter.", 1)
    path.write_text(data.replace(f'"[[{link}]]"', f'"[[{link}]]"\n  - "[[{other}]]"', 1))
    assert [turn.id for turn in asked(full, "bitter beverage")[1]] == [link]
    monkeypatch.setattr(search, "MOST_CITED", 2)
    assert {turn.id for turn in asked(full, "bitter beverage")[1]} == {link, other}
