"""What states a fact is held against what is like it at admission."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from engram.admit.admission_context import AdmissionContext
from engram.admit.decide import admit
from engram.admit.draft import AdmissionDraft
from engram.model.candidate import Candidate, Voice
from engram.model.memory import Memory
from engram.model.step import Opinion
from tests.admit.cases import EARLIER, NOW, SAID, candidate, memory

Knowing = Callable[..., AdmissionContext]
Drafting = Callable[..., tuple[AdmissionDraft, AdmissionContext]]
JENKINS = memory("We use Jenkins for builds.", authority="user_asserted")
BUILDKITE = candidate("We replaced Jenkins with Buildkite for builds.", authority="user_asserted")
BORN = memory("Vera Quist was born in 1985.", authority="user_asserted")
BORN_LATER = candidate("As of now Vera Quist was born in 1987.", authority="user_asserted")
BARE = candidate("Vera Quist was born in 1987.", authority="user_asserted")


def decided(admission: AdmissionContext, one: Candidate) -> tuple[str, str, tuple[str, ...]]:
    verdict = admit(one, admission)
    return verdict.decision, verdict.code, verdict.memories


# -- the row ------------------------------------------------------------------------------------


def test_a_change_that_names_what_it_replaces_supersedes_it(knowing: Knowing) -> None:
    assert decided(knowing(JENKINS), BUILDKITE) == ("supersede", "judged", (JENKINS.id,))


@pytest.mark.parametrize(
    "elsewhere",
    [{"project": "blog"}, {"space": "user"}, {"status": "retired"}, {"category": "moment"}],
)
def test_only_live_statements_of_the_same_scope_are_replaced(
    knowing: Knowing, elsewhere: dict[str, str]
) -> None:
    assert decided(knowing(replace(JENKINS, **elsewhere)), BUILDKITE) == ("new", "new", ())


def test_another_value_replaces_with_a_word_of_change_and_else_casts_doubt_on_both(
    drafting: Drafting,
) -> None:
    branch = memory("The default branch is master.", authority="user_asserted", kind="episode")
    said = candidate("The default branch is trunk.", authority="user_asserted")
    draft, born = entered(drafting, branch, said=said)
    ((_, doubted),) = draft.amended
    assert {one.status for one in (born, doubted)} == {"needs-review"}
    assert (born.conflicts, doubted.conflicts) == ((branch.id,), (born.id,))
    (event,) = [event for event in draft.events if event.name == "memory_disputed"]
    told = dict(event.details)
    assert (told["source"], told["against"]) == (said.receipt.link, branch.sources[0])
    assert told["judged"] == "value"


@pytest.mark.parametrize("how", [{"corrects": True}, {"sentence": "It's trunk now, by the way."}])
def test_a_correction_or_a_word_of_change_beside_the_quote_supersedes(
    knowing: Knowing, how: dict[str, Any]
) -> None:
    branch = memory("The default branch is master.", authority="user_asserted")
    said = candidate("The default branch is trunk.", authority="user_asserted", **how)
    assert decided(knowing(branch), said) == ("supersede", "judged", (branch.id,))


def test_always_and_never_stand_against_each_other(knowing: Knowing) -> None:
    never = memory("Never squash before a merge.", category="principle", authority="user_asserted")
    always = candidate("Always squash before a merge.", authority="user_asserted")
    always = replace(always, category="principle")
    assert decided(knowing(never), always) == ("review", "contradiction", (never.id,))


def test_rivals_meet_that_share_no_word(drafting: Drafting) -> None:
    tabs = memory("Tabs, please.", category="preference", authority="user_asserted")
    spaces = candidate("Spaces from now on.", category="preference", authority="user_asserted")
    draft, admission = drafting(tabs)
    assert decided(admission, spaces) == ("supersede", "judged", (tabs.id,))
    draft.enter(admit(spaces, admission))
    # in the same batch, too
    back = replace(spaces, text="Tabs instead.", receipt=replace(spaces.receipt, time=NOW))
    assert admit(back, admission).memories == tuple(one.id for one in draft.born)


@pytest.mark.parametrize("voice", ["pasted", "agent", "program", "stored"])
def test_words_that_are_not_the_persons_neither_flip_nor_doubt_what_is(
    drafting: Drafting, voice: Voice
) -> None:
    for text in ("Buildkite replaced Jenkins for builds.", "The builds make no use of Jenkins."):
        said = candidate(
            text, origin="model", voice=voice, corrects=True, authority="user_asserted"
        )
        quote = f"{text} That is the convention of `ci.yaml` 1.2."
        said = replace(said, receipt=replace(said.receipt, quote=quote))
        draft, admission = drafting(JENKINS)
        verdict = admit(said, admission)
        born = draft.enter(verdict)
        assert draft.amended == []
        if voice == "stored":
            assert born is not None and born.status_reason == "lower_authority"
        else:
            assert (born, verdict.code) == (None, "outranked")


def test_lower_authority_goes_to_review_and_a_change_that_the_user_tells_supersedes(
    knowing: Knowing,
) -> None:
    admission = knowing(replace(BORN, authority="tool_verified"))
    assert decided(admission, BARE) == ("review", "lower_authority", (BORN.id,))
    admission = knowing(replace(JENKINS, authority="tool_verified"))
    assert decided(admission, BUILDKITE)[:2] == ("supersede", "judged")
    guess = replace(BUILDKITE, corrects=True, authority="ai_inferred")
    assert decided(admission, guess)[:2] == ("review", "lower_authority")


def test_who_may_not_replace_the_stronger_replaces_not_the_weaker_beside_it(
    knowing: Knowing,
) -> None:
    weaker = replace(JENKINS, id="weaker", authority="ai_inferred")
    stronger = replace(JENKINS, id="stronger")
    admission = knowing(weaker, stronger)
    guess = replace(BUILDKITE, authority="ai_inferred")
    assert decided(admission, guess) == ("review", "lower_authority", ("stronger",))


def test_what_was_said_before_the_memory_replaces_nothing(knowing: Knowing) -> None:
    late = replace(BUILDKITE, receipt=replace(BUILDKITE.receipt, time="2026-01-01T00:00:00Z"))
    assert decided(knowing(JENKINS), late) == ("new", "new", ())


def test_the_courts_judge_is_asked_and_not_more(knowing: Knowing) -> None:
    class Asked:
        pairs: list[tuple[str, str]] = []

        def compare(self, older: Memory, newer: Memory) -> Opinion:
            self.pairs.append((older.text, newer.text))
            return Opinion("supersedes", sure=False)

    admission = replace(knowing(JENKINS, memory("Kim rows.")), judge=Asked())
    assert decided(admission, BUILDKITE) == ("new", "new", ())
    assert Asked.pairs == [(JENKINS.text, BUILDKITE.text)]


def test_what_is_said_of_the_person_in_a_project_doubts_what_is_so_everywhere(
    knowing: Knowing,
) -> None:
    vim = memory("The user uses vim.", space="user", authority="user_asserted")
    over = candidate("The user stopped using vim.", authority="user_asserted")
    assert decided(knowing(vim), over) == ("review", "contradiction", (vim.id,))
    of_team = replace(over, text="We stopped using vim.")
    assert decided(knowing(), of_team) == ("new", "new", ())


# -- what becomes of it -------------------------------------------------------------------------


def entered(drafting: Drafting, *known: Memory, said: Candidate) -> tuple[AdmissionDraft, Memory]:
    draft, admission = drafting(*known)
    born = draft.enter(admit(said, admission))
    assert born is not None
    return draft, born


def test_links_and_validity_are_set_on_both_sides(drafting: Drafting) -> None:
    draft, born = entered(drafting, JENKINS, said=BUILDKITE)
    ((before, after),) = draft.amended
    assert before == JENKINS and born.supersedes == (JENKINS.id,)
    assert (after.status, after.status_reason) == ("superseded", "judged")
    assert after.superseded_by == (born.id,) and after.valid_until == SAID[:10]


def test_of_a_suspicion_both_sides_wait_for_the_person(drafting: Drafting) -> None:
    draft, born = entered(drafting, BORN, said=BORN_LATER)
    ((before, after),) = draft.amended
    assert (born.status, born.status_reason, born.conflicts) == (
        "needs-review", "contradiction", (BORN.id,),
    )  # fmt: skip
    assert (after.status, after.status_reason, after.status_since) == (
        "needs-review", "contradiction", NOW,
    )  # fmt: skip
    assert after.conflicts == (born.id,) and after.text == before.text
    assert [event.name for event in draft.events] == ["memory_write", "memory_disputed"]


def test_a_trusted_memory_stays_active_beside_low_trust_text(drafting: Drafting) -> None:
    guess = replace(BORN_LATER, authority="ai_inferred")
    draft, born = entered(drafting, BORN, said=guess)
    assert draft.amended == []
    assert (born.status, born.status_reason) == ("needs-review", "lower_authority")
    assert born.conflicts == (BORN.id,)


def test_of_several_only_those_that_may_be_doubted_are(drafting: Drafting) -> None:
    below = replace(BORN, id="below", authority="ai_inferred", created="2026-03-01T00:00:00Z")
    above = replace(BORN, authority="tool_verified")
    draft, born = entered(drafting, below, above, said=BARE)
    assert [after.id for _, after in draft.amended] == ["below"]
    assert set(born.conflicts) == {"below", above.id} and born.status_reason == "contradiction"


def test_a_guess_holds_up_nothing_that_the_person_says(drafting: Drafting) -> None:
    draft, born = entered(drafting, replace(BORN, authority="ai_inferred"), said=BARE)
    ((_, doubted),) = draft.amended
    assert (born.status, born.conflicts) == ("active", ())
    assert (doubted.status, doubted.status_reason) == ("needs-review", "lower_authority")
    assert doubted.conflicts == (born.id,)


def test_a_part_that_is_replaced_leaves_the_memory_and_an_event(drafting: Drafting) -> None:
    older = memory(
        "Project X is in Austin and uses vim.", entities=("project-x",), authority="user_asserted",
        extra=(("city", "Austin"), ("tool", "vim")),
    )  # fmt: skip
    said = candidate(
        "Project X sits in Lima.", entities=("project-x",), authority="user_asserted",
        fields=(("city", "Lima"),),
    )  # fmt: skip
    draft, born = entered(drafting, older, said=said)
    assert draft.amended == [] and born.status == "active" and born.supersedes == ()
    assert [(event.name, event.subject) for event in draft.events] == [
        ("memory_write", born.id), ("memory_replaced_in_part", older.id),
    ]  # fmt: skip


def test_there_and_back_again_within_one_batch(drafting: Drafting) -> None:
    draft, admission = drafting(replace(JENKINS, created=EARLIER))
    back = replace(
        candidate("We replaced Buildkite with Jenkins for builds.", time="2026-03-06T11:00:00Z"),
        authority="user_asserted",
    )
    first = draft.enter(admit(BUILDKITE, admission))
    second = draft.enter(admit(back, admission))
    assert first is not None and second is not None
    left = {one.id: one for one in (*draft.born, *(after for _, after in draft.amended))}
    assert left[second.id].status == "active" and left[second.id].supersedes == (first.id,)
    assert left[first.id].superseded_by == (second.id,)
    assert left[JENKINS.id].superseded_by == (first.id,)


def test_a_slot_is_the_same_however_it_is_written(drafting: Drafting) -> None:
    holder = memory("The database is SQLite.", key="shop::package-manager")
    _, born = entered(drafting, holder, said=candidate(slot="Shop :: Package  Manager"))
    assert born.key == "shop::package-manager" and born.supersedes == (holder.id,)


def test_of_drafts_that_are_equally_near_the_first_by_name_are_taken(drafting: Drafting) -> None:
    draft, admission = drafting()
    for number in range(12):
        time = f"2026-03-06T09:{number:02d}:00Z"
        draft.enter(admit(candidate(f"We use tool{number} for builds.", time=time), admission))
    assert [one.id for one in draft.view.around(BUILDKITE)] == sorted(one.id for one in draft.born)[
        :8
    ]


# -- neighbours ---------------------------------------------------------------------------------


def test_the_neighbours_are_few_live_of_the_scope_and_the_nearest_come_first(
    knowing: Knowing,
) -> None:
    crowd = [memory(f"We use tool {n} for builds.", id=f"n{n}") for n in range(40)]
    here = knowing(*crowd, JENKINS, memory("Kim rows.", id="kim")).view
    near = here.around(BUILDKITE)
    assert near[0] == JENKINS and len(near) <= 12 and "kim" not in [one.id for one in near]
    assert here.around(replace(BUILDKITE, project="blog")) == []
    assert here.around(replace(BUILDKITE, text="...")) == []


def test_the_neighbours_of_the_person_are_those_of_every_project(knowing: Knowing) -> None:
    mine = replace(JENKINS, space="user", project="blog")
    assert list(knowing(mine).view.around(replace(BUILDKITE, space="user"))) == [mine]


def test_a_draft_is_a_neighbour_and_what_it_retired_is_none(drafting: Drafting) -> None:
    draft, admission = drafting(JENKINS)
    born = draft.enter(admit(BUILDKITE, admission))
    again = replace(BUILDKITE, receipt=replace(BUILDKITE.receipt, time="2026-03-06T11:00:00Z"))
    assert [one.id for one in draft.view.around(again)] == [born.id if born else ""]
    assert draft.view.around(replace(again, project="blog")) == []
    assert draft.view.around(replace(again, text="Kim rows.")) == []
