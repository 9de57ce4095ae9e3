"""Merging: what a draft knows of a record goes into its memory, and what protects it."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.admit.merging import MergeError, merged, protected, title_difference
from engram.model.memory import SCHEMAS, Memory
from engram.model.record import FieldValue, made_record, other_sections, record_of, with_receipt
from engram.model.record_changes import change_line, changes_of
from engram.model.schemas import CHANGES_MOST, ITEMS_MOST, RECORD_MOST, SCHEMA_TABLE, TAGS_MOST
from engram.store.files.memory_file import memory_changes, read_memory, render_memory
from tests.admit.cases import FIELDS, record_memory
from tests.effort import examples

DAY = "2026-03-06"
HELD = record_memory("decision")


def grown(
    memory: Memory, fields: dict[str, FieldValue] | None = None, *, title: str = "",
    tags: tuple[str, ...] = (), files: tuple[str, ...] = (), why: str = "", gone: str = "",
    outranked: bool = False, named: bool = True,
) -> Memory:  # fmt: skip
    """A memory once a draft with these fields is merged into it; paths that begin so are gone."""
    held = record_of(memory)
    assert held is not None
    record = made_record(held.schema, fields or {}, title=title, tags=tags, related_files=files)
    return merged(
        memory, record, day=DAY, why=why, named=named, outranked=outranked,
        exists=lambda path: not (gone and path.startswith(gone)),
    ).after  # fmt: skip


def rule_of(before: Memory, after: Memory, gone: str = "") -> str:
    """The name of the rule that refuses a change, '' where none does."""
    try:
        protected(before, after, day=DAY, exists=lambda path: path != gone)
    except MergeError as error:
        assert error.code == "MERGE_ERROR" and error.rule in str(error)
        return error.rule
    return ""


def changes_in(memory: Memory) -> tuple[str, ...]:
    """The lines under `## Changes`, without their bullets."""
    return tuple(change_line(one).removeprefix("- ") for one in changes_of(memory))


def section(memory: Memory, heading: str) -> str:
    return dict(memory.sections).get(heading, "")


# -- what grows -----------------------------------------------------------------------------------


def test_items_are_appended_below_those_that_stand() -> None:
    after = grown(HELD, {"rationale": ("It is boring.", "it   is BORING!")})
    assert section(after, "Rationale") == f"{section(HELD, 'Rationale')}\n- It is boring."


def test_an_item_that_stands_is_the_same_with_another_receipt() -> None:
    items = (with_receipt("sqlite locks the whole file for one writer", "talk#^m1"),)
    with pytest.raises(MergeError, match="new entry required"):
        grown(HELD, {"rationale": items})


def test_steps_go_on_counting() -> None:
    held = record_memory("runbook")
    after = grown(held, {"steps": ("Tell the shop", "Set SYNC_BATCH to 50")})
    assert section(after, "Steps").split("\n")[-1] == "3. Tell the shop"
    assert len(section(after, "Steps").split("\n")) == 3


def test_an_option_is_rejected_once() -> None:
    held = grown(HELD, {"alternatives": ("SQLite — rejected: one writer",)})
    with pytest.raises(MergeError):
        grown(held, {"alternatives": ("sqlite — rejected: it locks",)})


def test_below_paragraphs_of_a_person_another_one_is_put() -> None:
    sections = (("Rationale", "Because I say so.\n\nAnd it is boring."),)
    after = grown(replace(HELD, sections=sections), {"rationale": ("fast", "- odd")})
    record = record_of(after)
    assert record is not None
    assert record.items("rationale") == (
        "Because I say so.", "And it is boring.", "fast", "\\- odd",
    )  # fmt: skip


def test_a_task_that_is_done_is_ticked_and_never_unticked() -> None:
    held = record_memory("session")
    done = grown(held, {"next_actions": ("[x] run it against the staging till",)})
    assert section(done, "Next actions") == "- [x] run it against the staging till"
    assert changes_in(done) == (
        "2026-03-06 · next_actions · done: run it against the staging till",
    )
    with pytest.raises(MergeError):
        grown(done, {"next_actions": ("run it against the staging till",)})


def test_what_stands_of_a_session_is_what_was_seen_last() -> None:
    items = (with_receipt("test it", "talk#^m1"), "mine", with_receipt("ship it", "talk#^m2"))
    fields = {**FIELDS["session"], "in_progress": items}
    held = record_memory("session", fields=fields)
    after = grown(held, {"in_progress": (with_receipt("ship it", "talk#^m3"), "clean up")})
    record = record_of(after)
    assert record is not None
    assert record.items("in_progress") == ("mine", items[2], "clean up")
    assert changes_in(after) == ("2026-03-06 · in_progress · added: clean up, removed: test it",)
    decision = grown(HELD, {"rationale": ("new",)})
    assert section(decision, "Rationale").startswith(section(HELD, "Rationale"))


def test_a_text_is_set_where_none_is_or_where_the_draft_says_more() -> None:
    held = record_memory("runbook")
    first = grown(held, {"root_cause": "The provider throttles."})
    assert section(first, "Root cause") == "The provider throttles."
    with pytest.raises(MergeError):
        grown(first, {"root_cause": "Throttles: the provider!"})
    more = grown(first, {"root_cause": "The provider throttles batches above 50."})
    assert section(more, "Root cause") == "The provider throttles batches above 50."
    for text in ("The network is slow.", "The provider throttles."):
        with pytest.raises(MergeError):
            grown(more, {"root_cause": text})


def test_of_two_sections_of_one_name_none_is_rewritten() -> None:
    twice = (("Context", "The till writes."), ("context", "The office writes."))
    held = replace(HELD, sections=(*twice, *HELD.sections[1:]))
    with pytest.raises(MergeError):
        grown(held, {"context": "The till writes. The office writes. So does the web shop."})
    lists = (("Rationale", "- a"), ("Rationale", "- b"))
    after = grown(replace(HELD, sections=lists), {"rationale": ("A", "c")})
    assert after.sections[:2] == (("Rationale", "- a"), ("Rationale", "- b\n- c"))


def test_the_words_of_the_lead_are_not_said_twice() -> None:
    held = record_memory("runbook", fields={**FIELDS["runbook"], "trigger": ""})
    with pytest.raises(MergeError):
        grown(held, {"summary": "When it fails with 429, lower it."})


def test_scalars_are_set_and_the_statement_never() -> None:
    held = record_memory("constraint")
    after = grown(held, {"rule": "Another rule.", "severity": "low", "expires": "2027-01-01"})
    assert (after.text, after.extras["severity"], after.extras["until"]) == (
        held.text, "low", "2027-01-01",
    )  # fmt: skip
    assert changes_in(after) == (
        "2026-03-06 · severity · high → low",
        "2026-03-06 · expires · → 2027-01-01",
    )


def test_what_outranks_a_draft_keeps_what_it_says() -> None:
    held = record_memory("constraint")
    after = grown(
        held, {"severity": "low", "active": "false", "workarounds": ("ask",)}, title="Other",
        outranked=True,
    )  # fmt: skip
    assert (after.extras["severity"], after.extras["in_effect"]) == ("high", "false")
    assert after.title == held.title and section(after, "Workarounds") == "- ask"


def test_what_was_accepted_is_not_proposed_again() -> None:
    with pytest.raises(MergeError):
        grown(HELD, {"status": "proposed"})


def test_sections_stand_in_the_order_of_the_schema_with_changes_last() -> None:
    after = grown(HELD, {"consequences": ("a server",), "alternatives": ("SQLite",)}, tags=("db",))
    names = [heading for heading, _ in after.sections]
    assert names == ["Context", "Rationale", "Alternatives", "Consequences", "Changes"]


# -- title and names ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other", "share"),
    [
        ("Use JWT", "use jwt", 0),
        ("", "", 0),
        ("a b", "c d", 1),
        ("a b c", "a d c", 0.5),
        ("", "a", 1),
    ],
)
def test_the_difference_of_titles(one: str, other: str, share: float) -> None:
    assert title_difference(one, other) == share


def test_another_title_gets_a_name_of_its_own_and_the_old_one_leads_on() -> None:
    held = replace(HELD, title="Use JWT auth", aliases=("use-jwt-auth",))
    near = grown(held, title="Use OAuth auth")
    assert (near.title, near.aliases) == ("Use OAuth auth", ("use-jwt-auth",))
    far = grown(held, title="Adopt PASETO tokens")
    assert far.aliases == ("adopt-paseto-tokens", "use-jwt-auth")
    with pytest.raises(MergeError):
        grown(held, title="Adopt PASETO tokens", named=False)
    assert grown(replace(held, title=""), title="Tokens", named=False).title == "Tokens"


# -- tags and files -------------------------------------------------------------------------------


def tags(count: int, name: str = "t") -> tuple[str, ...]:
    return tuple(f"{name}{number}" for number in range(count))


def test_tags_grow_to_twelve_and_those_that_are_there_stay() -> None:
    held = replace(HELD, tags=tags(10))
    assert grown(held, tags=("zz", "aa", "bb", "T3")).tags == (*tags(10), "zz", "aa")
    with pytest.raises(MergeError):
        grown(replace(HELD, tags=tags(12)), tags=("aa",))


@pytest.mark.parametrize(
    ("held", "after", "rule"),
    [
        (tags(3), tags(2), "grow-only"),
        (tags(11), (*tags(10), "new"), "grow-only"),
        (tags(12), (*tags(11), "new"), ""),
        (tags(12), tags(11), "no net shrink"),
        (tags(12), (*tags(11), *tags(3, "n")), "cap exceeded"),
        (tags(12), (*tags(10), *tags(2, "n")), ""),
        (tags(12), tags(12)[::-1], ""),
    ],
)
def test_tags_are_protected(held: tuple[str, ...], after: tuple[str, ...], rule: str) -> None:
    before = replace(HELD, tags=held)
    assert rule_of(before, replace(before, tags=after)) == rule


def test_the_thirteenth_tag_is_not_written() -> None:
    before = replace(HELD, tags=tags(12))
    after = replace(before, tags=tags(13), related_files=("a",))
    assert protected(before, after, day=DAY).after.tags == tags(12)


def test_files_grow_and_only_those_that_are_gone_go() -> None:
    before = replace(HELD, related_files=("a", "b"))
    assert grown(before, files=("b", "c")).related_files == ("a", "b", "c")
    without = replace(before, related_files=("a",))
    assert rule_of(before, without) == "grow-only"
    assert rule_of(before, without, gone="b") == ""


def test_files_that_are_gone_make_room() -> None:
    held = (*(f"old{number}" for number in range(5)), *tags(ITEMS_MOST - 5, "f"))
    after = grown(replace(HELD, related_files=held), files=("new",), gone="old")
    assert after.related_files == (*tags(ITEMS_MOST - 5, "f"), "new")


# -- what never changes ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"id": "decision-x"}, "immutable"),
        ({"created": "2099-01-01T00:00:00Z"}, "immutable"),
        ({"category": "fact"}, "immutable"),
        ({"schema": "runbook"}, "immutable"),
        ({"text": "Other."}, "immutable"),
        ({"quote": "Other."}, "immutable"),
        ({"status": "archived"}, "immutable via UPDATE"),
        ({"status_since": "2026-01-01T00:00:00Z"}, "immutable via UPDATE"),
        ({"extra": (*HELD.extra, ("mine", "2"))}, "immutable"),
        ({"sections": HELD.sections}, "immutable"),
        ({"sections": (*HELD.sections, ("Notes", "other"))}, "immutable"),
        ({}, "append-only (new entry required)"),
    ],
)
def test_what_an_agent_cannot_change(changes: dict[str, object], rule: str) -> None:
    before = replace(
        HELD, extra=(*HELD.extra, ("mine", "1")), sections=(*HELD.sections, ("Notes", "my own"))
    )
    assert rule_of(before, replace(before, **changes)) == rule


def test_another_schema_is_not_merged() -> None:
    with pytest.raises(MergeError, match="immutable"):
        merged(HELD, made_record("runbook", FIELDS["runbook"]), day=DAY)
    with pytest.raises(MergeError):
        merged(replace(HELD, category="fact"), made_record("decision", {}), day=DAY)


# -- lines of change ------------------------------------------------------------------------------


def with_log(memory: Memory, count: int) -> Memory:
    log = "\n".join(f"- c{number}" for number in range(count))
    return replace(memory, sections=(*memory.sections, ("Changes", log)))


@pytest.mark.parametrize(
    ("log", "rule"),
    [
        ("- c0\n- c1\n- c2", ""),
        ("- c0", "append-only"),
        ("- c1\n- c0", "append-only"),
        ("- c0\n- x", "append-only"),
        ("- c1\n- c2", "append-only"),
    ],
)
def test_lines_of_change_are_only_appended(log: str, rule: str) -> None:
    before = with_log(HELD, 2)
    after = replace(before, tags=("x", *before.tags), sections=(*HELD.sections, ("Changes", log)))
    assert rule_of(before, after) == rule


def test_the_oldest_line_of_fifty_goes_first() -> None:
    after = grown(with_log(HELD, CHANGES_MOST), tags=("new",))
    told = changes_in(after)
    assert len(told) == CHANGES_MOST and told[0] == "c1"
    assert told[-1] == "2026-03-06 · tags · added: new"
    two = grown(with_log(HELD, CHANGES_MOST), {"consequences": ("x",)}, tags=("new",))
    assert changes_in(two)[0] == "c2" and len(changes_in(two)) == CHANGES_MOST
    assert rule_of(with_log(HELD, CHANGES_MOST), two) == ""


def test_what_a_person_wrote_above_the_lines_stays() -> None:
    log = "\n".join(["My own words.", "", *(f"* c{number}" for number in range(CHANGES_MOST))])
    held = replace(HELD, sections=(*HELD.sections, ("changes", log)))
    text = section(grown(held, tags=("new",)), "changes")
    assert text.startswith("My own words.\n\n* c1\n") and text.endswith(
        "\n- 2026-03-06 · tags · added: new"
    )


def test_values_in_a_line_are_inert_brief_and_keep_its_parts_apart() -> None:
    item = "[[link]] a · b → c <img> " + "x" * 300
    (line,) = changes_in(grown(HELD, {"consequences": (item,)}, why="w\n## h · [[x]]"))
    assert line.count(" · ") == 3 and "→" not in line and "\n" not in line
    assert " [[" not in line and len(line) < 250


# -- limits ---------------------------------------------------------------------------------------


def test_a_list_holds_a_hundred_items() -> None:
    held = grown(HELD, {"consequences": tags(ITEMS_MOST - 1, "c")})
    after = grown(held, {"consequences": ("one", "two")})
    record = record_of(after)
    assert record is not None and record.items("consequences")[-1] == "one"
    with pytest.raises(MergeError):
        grown(after, {"consequences": ("three",)})


def test_a_text_and_a_record_are_not_larger_than_they_may_be() -> None:
    with pytest.raises(MergeError, match="cap exceeded"):
        grown(HELD, {"consequences": ("x" * 8193,)})
    big = grown(HELD, {"consequences": tuple("x" * 8000 + str(number) for number in range(7))})
    assert len(render_memory(big)) <= RECORD_MOST
    with pytest.raises(MergeError, match="cap exceeded"):
        grown(big, {"rationale": ("y" * 8000,)})


def test_a_person_may_have_more_and_the_rest_still_grows() -> None:
    log = "\n".join(f"- c{number}" for number in range(ITEMS_MOST + 5))
    held = replace(HELD, sections=(*HELD.sections, ("Consequences", log)))
    assert grown(held, tags=("new",)).tags == (*HELD.tags, "new")


# -- any draft ------------------------------------------------------------------------------------

_texts = st.one_of(
    st.sampled_from(
        ["", "a", "- a", "1. b", "[x] c", "# d", "```", "a\n\nb", "> q", "[[l]]", "\\", "·"]
    ),
    st.text(max_size=12),
)
_items = st.lists(_texts, max_size=4).map(tuple)


@st.composite
def _records(draw: st.DrawFn, schema: str) -> tuple[dict[str, FieldValue], tuple[str, ...]]:
    fields: dict[str, FieldValue] = {}
    for field in draw(st.sets(st.sampled_from(SCHEMA_TABLE[schema].fields))):
        if field.choices:
            fields[field.name] = draw(st.sampled_from(field.choices))
        else:
            fields[field.name] = draw(_items if field.is_list else _texts)
    return fields, draw(_items)


@given(st.data(), st.sampled_from(SCHEMAS))
@examples(150)
def test_an_update_by_an_agent_keeps_what_there_was(data: st.DataObject, schema: str) -> None:
    own = (("Mine", "my *own* words\n\n- and a list"),)
    memory = record_memory(schema)
    memory = replace(
        memory, sections=(*memory.sections, *own), extra=(*memory.extra, ("mine", "1"))
    )
    states = [memory]
    for _ in range(3):
        fields, more = data.draw(_records(schema))
        try:
            states.append(
                grown(states[-1], fields, tags=more, files=more, title=more[0] if more else "")
            )
        except MergeError:
            continue
        # the same again has nothing to say
        with pytest.raises(MergeError):
            grown(states[-1], fields, tags=more, files=more, title=more[0] if more else "")
    for before, after in pairwise(states):
        assert (after.id, after.text, after.quote, after.created) == (
            before.id, before.text, before.quote, before.created,
        )  # fmt: skip
        assert (after.category, after.schema, after.status) == (
            before.category, before.schema, before.status,
        )  # fmt: skip
        assert set(before.tags) <= set(after.tags) and len(after.tags) <= TAGS_MOST
        assert set(before.related_files) <= set(after.related_files)
        assert changes_in(after)[: len(changes_in(before))] == changes_in(before)
        assert other_sections(after) == other_sections(memory) == own
        assert after.extras["mine"] == "1"
        # the file says it, and a patch of lines writes it
        data_before = render_memory(before)
        read = read_memory("a.md", data_before).memory
        written = memory_changes(data_before, read, replace(after, path="a.md"))
        assert read_memory("a.md", written).memory.sections == after.sections
