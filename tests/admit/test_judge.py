"""The judge that goes by words: what it is sure of is right, and it is sure only of evidence."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.admit.judge.rule_judge import RuleJudge
from engram.model.memory import Memory
from engram.model.step import Opinion
from tests.admit.cases import memory

PAIRS = tomllib.loads(Path(__file__).with_name("change_pairs.toml").read_text(encoding="utf-8"))
BEFORE, AFTER = "2026-02-02T10:00:00Z", "2026-03-04T10:00:00Z"


def said(text: str, created: str, **more: object) -> Memory:
    return memory(text, created=created, **{"authority": "user_asserted", **more})


def opinion(older: str, newer: str, **more: object) -> Opinion:
    return RuleJudge().compare(said(older, BEFORE), said(newer, AFTER, **more))


def sure(given: Opinion) -> bool:
    return given.relation == "supersedes" and given.sure


# -- the labelled pairs -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("half", "precision", "recall"),
    [("tuned", 1.0, 0.95), ("unseen", 0.97, 0.8), ("lived", 1.0, 0.8)],
)
def test_criterion_4_what_is_sure_is_right_and_most_of_what_is_right_is_found(
    half: str, precision: float, recall: float
) -> None:
    judged = [(sure(opinion(older, newer)), relation) for older, newer, relation in PAIRS[half]]
    fired = [relation for is_sure, relation in judged if is_sure]
    right = [is_sure for is_sure, relation in judged if relation == "supersedes"]
    assert fired.count("supersedes") >= precision * len(fired)
    assert sum(right) >= recall * len(right)


@pytest.mark.parametrize("half", ["tuned", "unseen", "lived"])
def test_what_stands_beside_each_other_is_no_suspicion(half: str) -> None:
    beside = [pair[:2] for pair in PAIRS[half] if pair[2] in ("other", "same")]
    relations = {(older, newer): opinion(older, newer).relation for older, newer in beside}
    assert [pair for pair, relation in relations.items() if relation == "contradicts"] == []


@pytest.mark.parametrize("half", ["tuned", "unseen"])
def test_what_contradicts_without_a_word_of_change_goes_to_the_person(half: str) -> None:
    pairs = [pair[:2] for pair in PAIRS[half] if pair[2] == "contradicts"]
    assert len(pairs) >= 2
    for older, newer in pairs:
        assert opinion(older, newer).relation == "contradicts", (older, newer)


def test_the_set_is_large_and_half_of_it_was_not_tuned_on() -> None:
    assert len(PAIRS["tuned"]) + len(PAIRS["unseen"]) >= 120 and len(PAIRS["unseen"]) >= 60
    everything = [tuple(pair[:2]) for pair in (*PAIRS["tuned"], *PAIRS["unseen"])]
    assert len(set(everything)) == len(everything)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        # what the older one says was over already, or left behind as well
        ("The site was on Joomla once.", "The site moved from Joomla to Ghost."),
        ("We use Arrow instead of SQLite for lists.", "We use Polars instead of SQLite for lists."),
        # elsewhere, of another, of a part
        ("The worker has 2 GB of memory.", "In staging the worker now has 4 GB of memory."),
        ("Kim teaches the cello class.", "Kim's twin no longer teaches the cello class."),
        ("We use SQLite.", "The phone app switched from SQLite to Realm."),
        ("Use tabs in Go files.", "Use two spaces in YAML files instead of tabs."),
        ("The free plan has 3 seats.", "The team plan now has 9 seats."),
        ("Room 12 seats 20 people.", "Room 7 now seats 30 people."),
        ("Our timeout is 30 minutes.", "We raised the upload timeout to 90 s."),
        # over for a while, over elsewhere, another thing of that name, people who go on
        ("The gym has a sauna.", "The gym is closed down for a week."),
        ("The shop writes to Redis.", "Billing is on Postgres now; we ripped Redis out."),
        ("The backup server has 8 disks.", "The old backup was deleted."),
        ("Marco is a dentist.", "Marco and I broke up."),
        # one purpose, two tools
        ("We use Jest for unit tests.", "We use Mocha for unit tests."),
    ],
)  # fmt: skip
def test_each_guard_holds_by_itself(older: str, newer: str) -> None:
    assert not sure(opinion(older, newer))


# -- who may be compared ------------------------------------------------------------------------

OLD, NEW = "The default branch is master.", "The default branch is now trunk."
BARE = "The default branch is trunk."


@pytest.mark.parametrize(
    "elsewhere",
    [
        {"project": "blog"}, {"space": "user"}, {"created": BEFORE},
        {"created": "2026-01-01T00:00:00Z"},
    ],
)  # fmt: skip
def test_another_scope_or_no_later_time_replaces_nothing(elsewhere: dict[str, str]) -> None:
    newer = said(NEW, **{"created": AFTER, **elsewhere})
    assert RuleJudge().compare(said(OLD, BEFORE), newer).relation == "unrelated"


def test_what_happened_stays_what_happened_and_a_fact_is_replaced_whatever_its_kind() -> None:
    moment = said(OLD, BEFORE, category="moment")
    assert RuleJudge().compare(moment, said(NEW, AFTER)).relation == "unrelated"
    assert opinion("The nightly build failed.", "The nightly build no longer fails.").code == (
        "unrelated"
    )
    assert sure(RuleJudge().compare(said(OLD, BEFORE, kind="episode"), said(NEW, AFTER)))


def test_what_stands_above_it_is_no_more_than_suspected_to_be_replaced() -> None:
    verified = said(OLD, BEFORE, authority="tool_verified", key="shop::limit")
    told = RuleJudge().compare(verified, said(BARE, AFTER, key="shop::limit"))
    assert (told.relation, told.sure, told.code) == ("contradicts", False, "lower_authority")
    corrected = said(OLD, BEFORE, category="correction", key="shop::limit")
    told = RuleJudge().compare(corrected, said(BARE, AFTER, key="shop::limit"))
    assert (told.relation, told.sure, told.code) == ("contradicts", False, "earlier_correction")
    for change in (said(NEW, AFTER), said(BARE, AFTER, category="correction")):
        assert sure(RuleJudge().compare(verified, change))
        assert sure(RuleJudge().compare(replace(corrected, key=""), change))
    inferred = said(NEW, AFTER, category="correction", authority="ai_inferred")
    assert RuleJudge().compare(verified, inferred).relation == "contradicts"


def test_the_same_words_are_the_same() -> None:
    assert opinion(OLD, OLD.upper()).relation == "same"


# -- header attributes --------------------------------------------------------------------------


def about(text: str, created: str, **attributes: str) -> Memory:
    return said(text, created, entities=("project-x",), extra=tuple(attributes.items()))


def test_an_attribute_that_is_replaced_alone_leaves_the_rest_standing() -> None:
    older = about("X is in Austin and uses vim.", BEFORE, city="Austin", tool="vim")
    newer = about("X sits in Lima.", AFTER, city="Lima")
    told = RuleJudge().compare(older, newer)
    assert sure(told) and told.partial and told.code == "attribute"
    whole = about("X is in Austin.", BEFORE, city="Austin")
    assert sure(RuleJudge().compare(whole, newer)) and not RuleJudge().compare(whole, newer).partial


def test_an_attribute_that_the_words_do_not_say_is_no_evidence() -> None:
    older = about("X holds a cup.", BEFORE, cssclass="wide")
    newer = about("X paints a wall.", AFTER, cssclass="narrow")
    assert RuleJudge().compare(older, newer).relation == "unrelated"


# -- anything -----------------------------------------------------------------------------------

_VOCABULARY = """
we use the shop now no longer from to Postgres SQLite not is 5 30 min if Kim lives in Oslo instead
of , . ; moved replaced with
"""
_WORDS = st.lists(st.sampled_from(_VOCABULARY.split()), max_size=14).map(" ".join)


@given(_WORDS, _WORDS)
def test_whatever_is_said_there_is_an_opinion_and_never_two_replacements(a: str, b: str) -> None:
    first, second = said(a, BEFORE), said(b, AFTER)
    assert RuleJudge().compare(first, second) == RuleJudge().compare(first, second)
    # time decides: never both ways, so that there are no cycles
    assert RuleJudge().compare(second, first).relation == "unrelated"


@given(st.text(max_size=300), st.text(max_size=300))
def test_no_text_raises(a: str, b: str) -> None:
    assert RuleJudge().compare(said(a, BEFORE), said(b, AFTER)).code


def test_a_long_text_is_judged_by_its_beginning() -> None:
    tail = " from a to b instead of c" * 40_000
    assert opinion("We use c." + tail, "We no longer use c." + tail).code


def test_a_day_told_from_the_present_is_told_from_the_day_in_the_vaults_time_zone() -> None:
    older = said("The demo of the till is in 3 days.", "2026-03-06T02:00:00Z")
    newer = said("The demo of the till is on 8 March 2026.", "2026-03-06T03:00:00Z")
    assert RuleJudge("America/Los_Angeles").compare(older, newer).relation != "contradicts"
    assert RuleJudge().compare(older, newer).relation == "contradicts"
