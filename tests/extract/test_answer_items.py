"""One item of a model's answer: what is believed, what is mended, and each code of refusal."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.extract.llm import answer_items
from engram.extract.llm.answer_items import candidates_of
from engram.extract.receipt import verify
from engram.model.candidate import Candidate
from engram.model.memory import CATEGORIES, Memory
from engram.model.model_request import Context
from engram.model.turn import Turn, turn_of
from tests.fakes.model_server import fact

NOW = "2026-03-06T12:00:00Z"  # a Friday
SAID = "We moved  the shop to MySQL\nlast week, and I will ship the importer by Tuesday."
REPLY = "I noted that the shop runs on MySQL now."
KNOWN = Memory("fact-1", "fact", "The shop runs on Postgres.", created=NOW)


def turn(text: str, message: str, role: Any = "user") -> Turn:
    return turn_of(role, text, NOW, source="t", session="s", project="shop", message=message)


TURNS = (turn(SAID, "1"), turn(REPLY, "2", "assistant"), turn("Say it twice. Say it twice.", "3"))


def item(**more: object) -> dict[str, Any]:
    """A good item, or one that is good but for something."""
    return {**fact("The shop runs on MySQL.", "We moved the shop to MySQL"), **more}


def read(*items: object, context: Context | None = None) -> list[Candidate]:
    return candidates_of(items, TURNS, context or Context())


def one(**more: object) -> Candidate:
    (candidate,) = read(item(**more))
    return candidate


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in item().items() if key != name}


# -- what is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "code, wrong",
    [
        ("malformed", {"text": 7}), ("malformed", {"category": None}), ("malformed", {"quote": []}),
        ("malformed", {"turn": "1"}), ("malformed", {"turn": True}), ("malformed", {"turn": 1.0}),
        ("malformed", {"confidence": "sure"}), ("malformed", {"confidence": 1.5}),
        ("malformed", {"confidence": float("nan")}), ("malformed", {"confidence": True}),
        ("unknown_category", {"category": "vibe"}), ("unknown_category", {"category": ""}),
        ("empty", {"text": ""}), ("empty", {"text": " \n "}),
        ("no-quote", {"quote": ""}), ("no-quote", {"quote": ' "" '}),
        ("quote-not-found", {"quote": "We moved the shop to Oracle"}),
        ("quote-not-found", {"quote": "We moved the shop to MySQL!"}),
        ("thin_quote", {"quote": "shop", "turn": 1}),
    ],
)  # fmt: skip
def test_an_item_is_refused_with_a_code(code: str, wrong: dict[str, object]) -> None:
    refused = one(**wrong)
    assert refused.fault == code and refused.text == ""
    assert refused.category in CATEGORIES


@pytest.mark.parametrize("raw", [None, 7, "x", [], [1], 1.5, True])
def test_what_is_no_object_is_malformed(raw: object) -> None:
    (refused,) = read(raw)
    assert refused.fault == "malformed"


def test_one_bad_item_costs_no_other() -> None:
    other = item(
        text="The user ships the importer by Tuesday.", quote="ship the importer by Tuesday"
    )
    found = read(None, item(), item(text=""), other)
    assert [candidate.fault for candidate in found] == ["malformed", "", "empty", ""]


# -- what is mended -----------------------------------------------------------------------------


def test_what_is_left_out_has_its_usual_value() -> None:
    assert read(without("category"))[0].category == "fact"
    assert read(without("confidence"))[0].confidence == 0.7
    (found,) = read({**without("text"), "content": "The shop runs on MySQL."})
    assert found.text == "The shop runs on MySQL."


def test_every_alias_leads_to_a_category() -> None:
    for name, (category, schema) in answer_items._ALIASES.items():
        found = one(category=f" {name.upper().replace('_', '-')} ")
        assert (found.category, found.schema, found.fault) == (category, schema, ""), name


@pytest.mark.parametrize(
    "name, category",
    [("Facts", "fact"), ("entities", "entity"), ("TODOs", "commitment"), ("policies", "principle")],
)
def test_plurals_and_case_are_forgiven(name: str, category: str) -> None:
    assert one(category=name).category == category


@pytest.mark.parametrize(
    "said, number", [("low", 0.3), (" Medium ", 0.7), ("HIGH", 0.9), (0.55, 0.55), (1, 1.0)]
)
def test_confidence_is_a_word_or_a_number(said: object, number: float) -> None:
    assert one(confidence=said).confidence == number


@pytest.mark.parametrize(
    "quote",
    [
        "We moved the shop to MySQL last week", "we MOVED the  shop\tto mysql last WEEK",
        '"We moved the shop to MySQL\nlast week"', "“We moved the shop to MySQL last week”",
    ],
)  # fmt: skip
def test_the_captured_words_are_taken_for_the_quote(quote: str) -> None:
    assert one(quote=quote).receipt.quote == "We moved  the shop to MySQL\nlast week"


def test_letters_that_fold_to_several_keep_their_place() -> None:
    there = turn("Die Maße der Straße: ﬁnal. Straße heißt sie.", "9")
    (found,) = candidates_of([item(quote="DER STRASSE: FINAL.")], [there], Context())
    assert found.receipt.quote == "der Straße: ﬁnal." and verify(found, [there]) == ""


@pytest.mark.parametrize("number", [0, 3, 99, -1, 10**30])
def test_a_wrong_number_is_forgiven_where_one_message_says_so(number: int) -> None:
    assert one(turn=number).receipt.message == TURNS[0].message


def test_a_wrong_number_is_not_forgiven_where_two_say_so() -> None:
    assert one(quote="the shop", turn=3).fault == "quote-not-found"
    assert one(quote="the shop", turn=1).receipt.message == TURNS[0].message
    assert one(quote="the shop", turn=2).receipt.message == TURNS[1].message


def test_a_page_is_no_quote() -> None:
    long = turn("The shop keeps its orders in Postgres. " * 40, "9")
    found = candidates_of([item(quote=long.text), item(quote=long.text[:900])], [long], Context())
    assert [one.fault for one in found] == ["long_quote", ""]


def test_a_short_message_may_be_quoted_whole() -> None:
    (found,) = candidates_of(
        [item(text="The user wants vim.", quote="use vim")], [turn("Use vim", "9")], Context()
    )
    assert found.receipt.quote == "Use vim"


# -- time ---------------------------------------------------------------------------------------


def test_a_commitment_carries_its_date_beside_the_words() -> None:
    promise = item(
        category="commitment", text="The user ships the importer by Tuesday.",
        quote="I will ship the importer by Tuesday.",
    )  # fmt: skip
    for said in ("", "2026-03-10", "2026-12-24", "soon", 7):
        (found,) = read({**promise, "due": said})
        assert found.text == "The user ships the importer by Tuesday (2026-03-10)."
        assert dict(found.fields) == {"due": "2026-03-10", "commitment_state": "open"}
    (found,) = read({**promise, "text": "The user ships by Tuesday (2026-03-10)."})
    assert found.text == "The user ships by Tuesday (2026-03-10)."


@pytest.mark.parametrize(
    "said, due, text, told",
    [
        ("next Saturday", "2026-03-07", "The fair is next Saturday (2026-03-07).", "2026-03-07"),
        ("next Saturday", "2026-03-14", "The fair is next Saturday (2026-03-14).", "2026-03-14"),
        ("next Saturday", "2026-03-14", "The fair is next Saturday, 14 March.", "2026-03-07"),
        ("next month", "2026-04-30", "The fair is next month (April 2026).", "2026-04-30"),
        ("next month", "", "The fair is next month (April 2026).", "2026-04-30"),
        ("by 3 April", "", "The fair is open by 3 April 2026.", "2026-04-03"),
    ],
)  # fmt: skip
def test_no_second_date_beside_one_that_stands_there(
    said: str, due: str, text: str, told: str
) -> None:
    quote = f"I promise that the fair is {said}"
    (found,) = candidates_of(
        [item(category="commitment", text=text, quote=quote, due=due)], [turn(quote, "9")],
        Context(),
    )  # fmt: skip
    assert (found.text, dict(found.fields)["due"]) == (text, told)


@pytest.mark.parametrize(
    "quote, since, kept",
    [
        ("we promised the launch for April 3rd", "", "2026-03-06"),
        ("we promised the launch for April 3rd", "2026-04-03", "2026-03-06"),
        ("we launched on April 3rd", "2025-04-03", "2025-04-03"),
        ("we launched on April 3rd, 2025", "", "2025-04-03"),
        ("we launched on December 12th", "", "2025-12-12"),
        ("we launch on January 5th, as promised", "2027-01-05", "2026-03-06"),
    ],
)
def test_a_coming_day_is_not_read_into_last_year(quote: str, since: str, kept: str) -> None:
    (found,) = candidates_of(
        [item(text=quote, quote=quote, since=since)], [turn(quote, "9")], Context()
    )
    assert found.valid_from == kept


@pytest.mark.parametrize(
    "due, kept",
    [
        ("2026-03-20", "2026-03-20"), (" 2026-03-06 ", "2026-03-06"), ("2026-03-05", ""),
        ("2026-02-30", ""), ("2027-02-30", ""), ("20270301", ""), ("2027-W10-1", ""), (None, ""),
        ("2027-03-01\n2027", ""), (["2027-03-01"], ""), ("٢٠٢٧-٠٣-٠١", ""),
    ],
)  # fmt: skip
def test_a_deadline_is_a_day_that_lies_ahead(due: object, kept: str) -> None:
    found = one(category="commitment", due=due)
    assert dict(found.fields).get("due", "") == kept


def test_only_a_commitment_has_a_deadline() -> None:
    assert one(due="2026-03-20").fields == ()
    assert one(category="moment", due="2026-03-20").fields == ()


@pytest.mark.parametrize(
    "quote, since, kept",
    [
        ("the shop to MySQL", "2026-03-02", "2026-03-02"),
        ("the shop to MySQL", "2026-02-30", "2026-03-06"),
        ("the shop to MySQL", "2026-03-07", "2026-03-06"),
        ("the shop to MySQL", "", "2026-03-06"),
        ("the shop to MySQL\nlast week", "2020-01-01", "2026-02-23"),
    ],
)
def test_what_holds_since_a_day_has_a_day(quote: str, since: str, kept: str) -> None:
    assert one(quote=quote, since=since).valid_from == kept


def test_only_a_moment_is_an_episode() -> None:
    kinds = {category: one(category=category).kind for category in CATEGORIES}
    assert {category for category, kind in kinds.items() if kind == "episode"} == {"moment"}


# -- findings, decisions, importance ------------------------------------------------------------


@pytest.mark.parametrize(
    "text, category",
    [
        ("The build failed because glob 9 drops Node 16; pinning glob 8 fixed it.", "fact"),
        ("Postgres was chosen over SQLite because two writers need it.", "decision"),
        ("To reset the cache, delete `var/cache` and restart.", "skill"),
        ("The staging data is restored by running `make seed`.", "skill"),
    ],
)
def test_a_finding_is_filed_by_its_words(text: str, category: str) -> None:
    found = one(category="finding", text=text)
    assert (found.category, found.tags, found.fault) == (category, (), "")


def agreed(*said: tuple[Any, str], turn_named: object = 3) -> Candidate:
    """A decision that quotes the agent's proposal, before a message of the given words."""
    turns = [turn("How do we queue the mails?", "1"), turn(PROPOSAL, "2", "assistant")]
    turns += [turn(text, str(number), role) for number, (role, text) in enumerate(said, 3)]
    decision = item(
        category="decision", text="The mails are queued in a table of Postgres.", quote=PROPOSAL,
        turn=2, state="accepted", agreed=turn_named,
    )  # fmt: skip
    (found,) = candidates_of([decision], turns, Context())
    return found


PROPOSAL = "I would queue the mails in a table of Postgres, with one worker."


@pytest.mark.parametrize(
    "said, words",
    [
        ("yes, do that. and add a test", "yes, do that."), ("option 2", "option 2"),
        ("Great. But not today, please.", "Great."), ("ja, machen wir so", "ja, machen wir so"),
        ("好，就这样做", "好，就这样做"), ("давай", "давай"), ("as you propose", "as you propose"),
        ("the mails go into a postgres table then", "the mails go into a postgres table then"),
    ],
)  # fmt: skip
def test_the_words_of_agreement_are_a_second_receipt(said: str, words: str) -> None:
    found = agreed(("user", said))
    (second,) = found.also
    assert (second.quote, second.role) == (words, "user")
    assert verify(found, [turn(PROPOSAL, "2", "assistant"), turn(said, "3")]) == ""


@pytest.mark.parametrize(
    "role, said, number",
    [
        ("user", "no, not in the database", 3), ("user", "why a table?", 3),
        ("user", "wait, what is a worker", 3), ("user", "thanks for the overview", 3),
        ("user", "nein, lieber nicht", 3), ("user", "先别动", 3), ("assistant", "yes, do that", 3),
        ("user", "yes, do that", 1), ("user", "yes, do that", 0), ("user", "yes, do that", 99),
    ],
)  # fmt: skip
def test_other_words_are_no_agreement(role: str, said: str, number: int) -> None:
    assert agreed((role, said), turn_named=number).also == ()


@pytest.mark.parametrize("number", [None, "3", 3.0, True, [3], -1, 10**30])
def test_a_message_of_agreement_is_a_number(number: object) -> None:
    assert agreed(("user", "yes"), turn_named=number).also == ()


def test_a_decision_is_proposed_where_the_model_says_so() -> None:
    states = [dict(one(category="decision", state=said).fields)["decision_state"]
              for said in ("proposed", "accepted", "", 7)]  # fmt: skip
    assert states == ["proposed", "accepted", "accepted", "accepted"]
    assert one(state="proposed").fields == ()


def test_importance_lies_within_the_level_that_is_named() -> None:
    said = [one(importance=word).importance for word in ("low", "normal", "high")]
    assert said[0] < 0.4 <= said[1] < 0.7 <= said[2]
    without_it = read(without("importance"))[0].importance
    assert one(importance="huge").importance == without_it


def test_what_matters_little_is_left_out_only_where_it_passes() -> None:
    assert one(importance="low", lasting="lasting").appraisal.useful == 0
    assert one(importance="low", lasting="passing").appraisal == (-1, -1, 0)
    assert one(importance="high").appraisal.useful == 1
    assert one(useful="low").appraisal.useful == -1


# -- ids, names, tags ---------------------------------------------------------------------------


def test_only_what_was_shown_is_replaced() -> None:
    shown = Context(memories=(KNOWN,))
    (found,) = read(item(replaces=["k1", "k1", ""]), context=shown)
    assert found.supersedes == ("fact-1",)
    kept, stranger = read(item(replaces=["k1", "k2"]), context=shown)
    assert (kept.supersedes, kept.fault) == (("fact-1",), "")
    assert stranger.fault == "unknown_memory"
    kept, stranger = read(item(replaces=["k1"]))
    assert (kept.supersedes, stranger.fault) == ((), "unknown_memory")
    assert one(replaces="k1").supersedes == one(replaces=[7, None]).supersedes == ()


def test_names_of_what_passes_are_left_out() -> None:
    passing = [
        "PR 17", "#17", "PROJ-12", "3fa9c01", "src/app.py", "C:\\x", "", " ", "x" * 61,
        "[REDACTED:openai-key:51]", "!!!",
    ]  # fmt: skip
    found = one(entities=[*passing, {"name": "PR 3", "type": "thing"}, {"type": "tool"}, 7, None])
    assert found.entities == ()
    named = [{"name": "MySQL", "type": "tool"}, {"name": "Kim", "type": "alien"}, "Oslo", "Oslo"]
    assert one(entities=named).entities == ("tool-mysql", "other-kim", "other-oslo")
    assert len(one(entities=[f"Name {letter}" for letter in "abcdefgh"]).entities) == 5


def test_a_name_that_the_text_does_not_spell_is_kept_as_it_is_written() -> None:
    named = [{"name": "Anna  de Vries", "type": "person"}, {"name": "MySQL", "type": "tool"}]
    found = one(text="MySQL is reviewed by her.", entities=[*named, "bakery", "李雷"])
    assert dict(found.fields) == {"names": "Anna de Vries, 李雷"}
    assert one(text="Anna de Vries reviews MySQL.", entities=named).fields == ()


def test_a_name_is_known_with_the_type_that_the_question_shows_behind_it() -> None:
    named = [{"name": "MySQL (tool)", "type": "tool"}, {"name": "Oslo (old town)", "type": "place"}]
    assert one(entities=named).entities == ("tool-mysql", "place-oslo-old-town")


def test_tags_are_few_short_and_in_lower_case() -> None:
    tags = ["Data  Base", "data base", "x", "y" * 31, 7, None, "a1", "b1", "c1", "d1", "e1"]
    assert one(tags=tags).tags == ("data base", "a1", "b1", "c1", "d1")
    assert one(tags="mysql").tags == ()


def test_scope_says_where_it_holds() -> None:
    assert [one(scope=said).space for said in ("user", "project", "world", 7)] == [
        "user", "project", "project", "project",
    ]  # fmt: skip
    assert one().project == "shop"


@pytest.mark.parametrize(
    ("said", "scope", "space"),
    [
        ("For this session, answer in German.", "user", "session"),
        ("Let's deploy to staging only during our session with the client.", "session", "session"),
        ("We moved the shop to MySQL last week.", "session", "project"),
        ("We keep Postgres for now because the client knows it.", "project", "project"),
        ("Bitte antworte nur jetzt auf Englisch, und nicht auf Deutsch.", "session", "session"),
    ],
)
def test_a_session_is_believed_where_the_words_may_say_so(
    said: str, scope: str, space: str
) -> None:
    (found,) = candidates_of([fact(said, said, scope=scope)], [turn(said, "1")], Context())
    assert found.space == space


# -- whatever it is -----------------------------------------------------------------------------

ANY: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=8,
)
PIECE = st.sampled_from(SAID.split() + REPLY.split())
WORDS = st.lists(PIECE, max_size=8).map(" ".join) | st.text(max_size=30)
ITEMS = st.fixed_dictionaries(
    {},
    optional={
        "category": st.sampled_from([*CATEGORIES, "todo", "x"]) | ANY,
        "text": WORDS | ANY, "quote": WORDS | st.sampled_from([SAID, REPLY]) | ANY,
        "turn": st.integers(-1, 4) | ANY, "confidence": st.sampled_from(["high", "low"]) | ANY,
        "due": st.dates().map(str) | ANY, "since": st.dates().map(str) | ANY,
        "scope": ANY, "tags": ANY, "entities": ANY, "replaces": st.just(["k1"]) | ANY,
    },
)  # fmt: skip


@given(ITEMS | ANY)
def test_anything_is_refused_with_a_code_or_has_a_receipt(raw: object) -> None:
    found = read(raw, context=Context(memories=(KNOWN,)))
    assert 1 <= len(found) <= 2
    for candidate in found:
        assert candidate.category in CATEGORIES and candidate.origin == "model"
        if candidate.fault:
            assert candidate.fault.replace("_", "-").replace("-", "").isalpha()
        else:
            assert verify(candidate, TURNS) == "" and candidate.text
            assert 0 <= candidate.confidence <= 1 and 0 <= candidate.importance <= 1


@given(st.text("aAßıİΣςſﬁK \n\t\u2003.,", max_size=40), st.data())
def test_any_words_of_a_message_are_found_and_verified(text: str, data: st.DataObject) -> None:
    places = [word.span() for word in re.finditer(r"\S+", text)] or [(0, 0)]
    first = data.draw(st.integers(0, len(places) - 1))
    quote = text[places[first][0] : places[data.draw(st.integers(first, len(places) - 1))][1]]
    there = turn(text, "9", "assistant")
    (found,) = candidates_of([item(quote=quote, text=f"{quote}!")], [there], Context())
    assert found.fault in ("", "no-quote", "thin_quote")
    assert found.fault or verify(found, [there]) == ""


@pytest.mark.parametrize("quote", ["a " * 20_000 + "b", "a" * 40_000 + "b", " a" * 9 + ".*(a+)+$"])
def test_hostile_words_cost_little(quote: str) -> None:
    long = replace(TURNS[0], text="a " * 200_000 + " " * 200_000 + "a" * 200_000)
    (found,) = candidates_of([item(quote=quote)], [long], Context())
    assert found.fault == "quote-not-found"
