"""What the record of a conversation says of it, without a model."""

from __future__ import annotations

import re
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from engram.extract.session import SessionFound, session_of
from engram.model.record import faults_of, receipt_in, without_receipt
from engram.model.turn import Role, Turn, turn_of
from tests.effort import examples

_ROLES: dict[str, Role] = {"U": "user", "A": "assistant", "P": "user"}


def talk(*said: str) -> list[Turn]:
    """Turns of `U: words`, `A: words >> tool line; tool line`, `P: a program's words`."""
    turns = []
    for number, line in enumerate(said):
        role, _, text = line.partition(": ")
        words, _, tools = text.partition(" >> ")
        turn = turn_of(
            _ROLES[role], words, f"2026-03-06T09:{number:02d}:00Z", source="claude-code",
            session="till", message=str(number),
        )  # fmt: skip
        lines = tuple(filter(None, tools.split("; ")))
        turns.append(replace(turn, tools=lines, program=role == "P"))
    return turns


def found(*said: str) -> SessionFound:
    record = session_of(talk(*said))
    assert record is not None
    return record


def told(session: SessionFound, name: str) -> list[str]:
    return [without_receipt(item) for item in session.record.items(name)]


SYNC = (
    "U: Make the till retry its sync, but never book an order twice.",
    "A: Let me look at the queue. >> Read sync.py; Grep retry",
    "A: I suspect the lock is the culprit. >> Bash pytest",
    "A: It was not the lock. Done. Here's what was changed:\n\n"
    "- **`sync.py`** — added a key per order\n"
    "- `test_sync.py`: covers a lost answer\n\n"
    "All 41 tests pass.\n\n## Next steps\n1. Run it against the staging till\n"
    " >> Edit sync.py; Write test_sync.py; Bash git",
)


def test_a_session_tells_goal_outcome_work_next_steps_and_changed_files() -> None:
    session = found(*SYNC)
    assert session.record.text("goal") == session.quote == SYNC[0][3:]
    assert session.record.text("outcome") == "success"
    assert told(session, "completed") == [
        "`sync.py` — added a key per order",
        "`test_sync.py`: covers a lost answer",
        "All 41 tests pass.",
    ]
    assert told(session, "next_actions") == ["Run it against the staging till"]
    assert told(session, "key_changes") == ["written test_sync.py", "edited sync.py"]
    assert session.record.title.startswith("Make the till retry its sync")
    assert faults_of(session.record) == []


def test_what_an_agent_supposed_on_the_way_is_no_item() -> None:
    session = found(*SYNC)
    assert "lock" not in " ".join(told(session, "completed"))


def test_times_and_message_are_those_of_the_goal_and_the_end() -> None:
    turns = talk("A: Hello, what shall we do?", *SYNC)
    session = session_of(turns)
    assert session is not None
    assert (session.created, session.last) == (turns[1].time, turns[-1].time)
    assert session.message == turns[1].message
    assert session.sources[0] == f"{turns[1].transcript}#^{turns[1].block}"


def test_a_greeting_a_look_and_housekeeping_give_way_to_the_first_request() -> None:
    session = found(
        "U: hi there",
        "U: ok lets get back to main",
        "A: On main. >> Bash git",
        "U: read @docs/oven.md",
        "A: Read it. >> Read oven.md",
        "U: The oven timer drifts by a minute a day, can you find out why?",
        "A: The quartz is read once an hour.",
    )
    assert session.quote == "The oven timer drifts by a minute a day, can you find out why?"


def test_the_goal_is_what_the_person_typed_and_no_program() -> None:
    session = found(
        "P: Read the session logs for continuity and go on.",
        "U: [Request interrupted by user]",
        "U: /add src/oven.py",
        "U: This session is being continued from a previous conversation about kilns.",
        "U: Please draw the kiln's temperature as a curve.",
        "A: The curve has been added to `kiln.html`. >> Edit kiln.html",
    )
    assert session.quote == "Please draw the kiln's temperature as a curve."


def test_a_conversation_without_a_request_has_no_record() -> None:
    for said in ("U: hello!", "U: continue", "U: yes", "P: You are a reviewer. Review it."):
        assert session_of(talk(said, "A: Added a test for the mill.")) is None
    assert session_of([]) is None


def test_a_goal_in_another_language_is_told_with_its_changes() -> None:
    for goal in (
        "Bitte baue eine Uhr ein, die den Ofen um sechs einschaltet.",
        "Ajoute une horloge qui allume le four à six heures.",
        "Añade un reloj que encienda el horno a las seis.",
        "请添加一个早上六点打开烤箱的时钟。",
    ):
        session = found(f"U: {goal}", "A: … >> Edit ofen.py")
        assert session.quote == goal
        assert told(session, "key_changes") == ["edited ofen.py"]
        assert 0 < len(session.record.tags) <= 5


def test_a_question_that_was_answered_without_work_gives_way_to_the_larger_task() -> None:
    opening = (
        "U: are we inside the bakery's network?",
        "A: Yes, you are on its wifi.",
        "U: Let the oven report its temperature to the till every minute. You know why?",
        "A: Because the bread burns. Shall I build it?",
    )
    task = opening[2][3:]
    worked = found(*opening, "U: go", "A: Added the report. >> Edit oven.py")
    assert worked.quote == task
    assert found(*opening).quote == opening[0][3:]
    assert found(*opening[:2], "U: fix it", "A: Fixed the wifi.").quote == opening[0][3:]


def test_a_task_stays_the_goal_whatever_larger_task_follows() -> None:
    session = found(
        "U: Sort the jars.",
        "A: Sorted the jars. >> Edit jars.md",
        "U: Now also print a label for each jar with its weight, its grain and the day.",
        "A: Printed the labels. >> Write labels.md",
    )
    assert session.quote == "Sort the jars."


def test_what_stands_behind_the_name_of_a_command_is_asked_for() -> None:
    planned = found(
        "U: /plan I want to bake the rye at night, when power is cheap.",
        "A: Added a night shift to the oven. >> Edit oven.py",
    )
    assert planned.quote == "I want to bake the rye at night, when power is cheap."
    bare = found("U: /shift 4", "A: Added shift 4. >> Edit oven.py", "U: continue", "A: Done.")
    assert bare.quote == "/shift 4"
    assert session_of(talk("U: /clear")) is None


def test_consent_to_what_an_agent_proposed_is_no_goal() -> None:
    proposed = "A: The scale drifts. Tu veux que je corrige la balance ?"
    assert session_of(talk(proposed, "U: oui avec soin et rigueur", "A: Fixed the scale.")) is None
    asked = found(proposed, "U: yes. Then weigh every jar of the pantry again.", "A: Weighed them.")
    assert asked.quote == "Then weigh every jar of the pantry again."


def test_a_look_is_a_request_where_more_is_asked_for() -> None:
    asked = "Take a look at the oven's log and try to solve why the rye burns."
    assert found(f"U: {asked}", "A: The fan is off.", "U: turn the fan on then").quote == asked


def test_what_was_typed_behind_a_pasted_log_is_asked_for() -> None:
    session = found(
        "U: Windows PowerShell\nCopyright (C)\n\nPS C:\\oven> bake --rye\nerror: no flour\n"
        "PS C:\\oven> and the other thing is that there is no button to stop the oven, add one",
        "A: Added a button. >> Edit oven.py",
    )
    assert "no button to stop the oven, add one" in session.quote
    assert "PowerShell" not in session.quote


def test_a_line_for_a_shell_that_nobody_answered_is_no_goal() -> None:
    session = found(
        "U: setx OVEN_PORT:", "U: Summarise what the oven's folder is for.", "A: It bakes."
    )
    assert session.quote == "Summarise what the oven's folder is for."


def _title(goal: str, name: str = "") -> str:
    session = session_of([replace(turn, title=name) for turn in talk(f"U: {goal}", "A: ok")])
    assert session is not None
    return session.record.title


def test_a_title_is_the_request_without_what_opens_it() -> None:
    for goal, title in (
        ("Create an oven page in the bakery's site and log all what you do in it.",
         "Create an oven page in the bakery's site…"),
        ("I want to have an estimate of the time that we take to bake the rye",
         "Have an estimate of the time that we take to bake the rye"),
        ("I had a quick question about the starter of the rye: is it alive?",
         "The starter of the rye: is it alive?"),
        ("What does rise mean in this recipe? I am baking with rye",
         "What does rise mean in this recipe?"),
        ("This is a bakery. Create a page for each of its ovens.",
         "Create a page for each of its ovens"),
        ("Read /srv/ovens/rye/plan.md for the bakers, then tell me the hours of each",
         "Read plan.md for the bakers, then tell me the hours of each"),
        ("should we close https://git.example/bakery/site/issues/12 as resolved by the new oven",
         "Should we close issues/12 as resolved by the new oven"),
    ):  # fmt: skip
        assert _title(goal) == title
    assert _title("请你对比一下oven-dev.yml和oven-test.yml").startswith("请你对比一下oven-dev.yml")


def _titled(*said: str) -> str:
    return found(*said).record.title


def test_a_thin_request_is_told_with_what_came_of_it() -> None:
    done = "A: Fixed:\n\n- `kiln.py:146` - Removed the redundant return of the kiln >> Edit kiln.py"
    assert _titled("U: fix lint errors", done) == (
        "Fix lint errors: removed the redundant return of the kiln"
    )
    assert _titled("U: fix the lint errors", "A: ok >> Edit a.py") == "Fix the lint errors"
    assert _titled("U: fix the lint errors", "A: All 4 tests pass.") == "Fix the lint errors"
    plan = "P: Implement the following plan:\n\n# Plan: Report in JSON by default\n\n## Context"
    assert _titled(plan, "A: done", "U: then commit", done) == "Report in JSON by default"
    assert _titled("U: then commit", done) == "Removed the redundant return of the kiln"
    look = "U: okay, let's have a look at our PR review feedback"
    assert _titled(look, done).startswith("PR review feedback: removed the redundant")


def test_an_objection_is_no_goal() -> None:
    session = found(
        "U: morning! back on the shop. what is left for the demo at three?",
        "A: The banner: orders close at 20:00.",
        "U: no, that's wrong: orders close at 18:00, the dough is started right after",
        "A: Corrected the banner. >> Edit banner.html",
    )
    assert session.record.title == "What is left for the demo at three?"


def test_the_name_of_a_conversation_is_its_title_where_it_says_more_than_the_turn() -> None:
    assert _title("Can you explain how this works?", "Proofing rye dough") == "Proofing rye dough"
    assert (
        _title("Can you explain how rye works?", "Can you explain how") == "Explain how rye works?"
    )
    assert _title("Explain how rye dough proofs", "New chat") == "Explain how rye dough proofs"


def test_tags_are_no_parts_of_an_address_and_no_verb_before_an_article() -> None:
    session = found("U: Create a guide in https://git.example/bakery about the sourdough", "A: ok")
    assert set(session.record.tags) == {"guide", "sourdough"}


def test_what_follows_done_was_done_and_what_a_message_ends_open_with_goes_on() -> None:
    session = found(
        "U: Let the oven write a log.",
        "A: Done. The log is now in the oven's folder. Next, I'll rotate it.",
    )
    assert told(session, "completed") == ["The log is now in the oven's folder."]
    assert told(session, "next_actions") == []
    shown = found("U: Let the oven write a log.", "A: Done. To read it, open the log.")
    assert told(shown, "completed") == []
    opened = found("U: Let the oven write a log.", "A: Wrote it. Now the rotation of the log:")
    assert told(opened, "in_progress") == ["Now the rotation of the log"]
    assert opened.record.text("outcome") == "partial"


def test_steps_under_a_line_of_their_own_in_a_section_of_next_steps_are_next() -> None:
    session = found(
        "U: Test the oven.",
        "A: All 4 tests pass.\n\n### Next: the timer\n\nIt involves:\n\n1. Wire the timer\n"
        "2. Test the bell\n\n[Logs saved]",
    )
    assert told(session, "next_actions") == ["Wire the timer", "Test the bell"]


def test_a_bare_command_changes_nothing_of_how_a_conversation_ended() -> None:
    fixed = "A: Fixed the speed control; all tests pass. >> Edit mixer.py"
    assert _outcome(fixed, "U: /insights", "A: Your report is ready. Want more?") == "success"


def test_a_prompt_laid_out_as_a_document_is_told_by_its_task() -> None:
    session = found("U: # Role: baker\n\n# Task: Bake the rye twice\n\n## Rules\n- no sugar")
    assert session.record.text("goal") == "Bake the rye twice"


def test_a_long_request_is_cut_where_a_clause_ends() -> None:
    asked = "I want " + ", ".join(f"a shelf of oak for jar number {at}" for at in range(20)) + "."
    goal = found(f"U: {asked}", "A: ok").record.text("goal")
    assert len(goal) <= 240
    assert asked.startswith(goal)
    assert goal[-1].isdigit()


def _outcome(*said: str) -> str:
    return found("U: Fix the dough mixer's speed control.", *said).record.text("outcome")


def test_outcome_is_decided_by_the_end() -> None:
    fixed = "A: Fixed the speed control; all tests pass. >> Edit mixer.py"
    assert _outcome(fixed) == "success"
    assert _outcome(fixed, "U: thanks, works!") == "success"
    assert _outcome(fixed, "U: still broken at speed 3") == "partial"
    assert (
        _outcome(fixed, "U: commit and push", "A: Committed as `0a1b2c3`. >> Bash git") == "success"
    )
    assert _outcome("A: I cannot access the mixer's firmware. Please share the file.") == "blocked"
    assert _outcome("A: Now let me run the motor test: >> Bash pytest") == "partial"
    assert _outcome() == "abandoned"
    assert (
        _outcome("A: Let me look. >> Read a.py", "U: [Request interrupted by user]") == "abandoned"
    )
    assert _outcome(fixed, "U: what does the relay do?", "A: It cuts the motor.") == "success"
    assert _outcome("A: The speed could be read twice. Should I fix that?") == "partial"


def test_what_the_person_objects_to_or_the_agent_takes_back_is_not_done() -> None:
    objected = found(
        "U: Let the oven beep when the bread is done.",
        "A: Added a beep at 200 degrees. >> Edit oven.py",
        "U: that is not correct, it has to beep by time",
        "A: Changed the beep to the timer's end. >> Edit oven.py",
    )
    assert told(objected, "completed") == ["Changed the beep to the timer's end."]
    taken_back = found(
        "U: Let the oven beep when the bread is done.",
        "A: Verified that the timer is exact. >> Bash pytest",
        "U: the clock on the wall says otherwise",
        "A: Good catch about the timer. Fixed its divisor. >> Edit timer.py",
    )
    assert "exact" not in " ".join(told(taken_back, "completed"))


def test_a_conversation_that_ends_amid_tool_calls_tells_what_was_begun() -> None:
    session = found(
        "U: Move the recipes to the new shelf.",
        "A: Moved the bread recipes. Now let me move the cakes: >> Edit cakes.md; Bash mv",
    )
    assert told(session, "in_progress") == ["Now let me move the cakes"]
    assert told(session, "completed") == ["Moved the bread recipes."]
    assert session.record.text("outcome") == "partial"


def test_tags_are_words_of_substance_and_a_picture_is_no_word() -> None:
    german = found("U: kannst du mir sagen warum die Mehlwaage [Image #1] nicht mit uns spricht")
    assert told(german, "goal") == ["kannst du mir sagen warum die Mehlwaage nicht mit uns spricht"]
    assert "mehlwaage" in german.record.tags
    assert not {"die", "mir", "mit", "uns", "nicht", "warum"} & set(german.record.tags)
    spanish = found("U: revisa que los hornos del taller no queden encendidos")
    assert not {"que", "los", "del"} & set(spanish.record.tags)


def test_an_unanswered_request_is_begun_and_an_unanswered_complaint_in_the_way() -> None:
    before = ("U: Sort the flour by grain.", "A: Sorted. >> Edit flour.md")
    asked = found(*before, "U: now also label each of the flour jars")
    assert told(asked, "in_progress") == ["now also label each of the flour jars"]
    assert told(found(*before, "U: I prefer labels of paper."), "in_progress") == []
    broken = found(*before, "U: the rye jars are still not in it")
    assert told(broken, "blockers") == ["the rye jars are still not in it"]


def test_questions_left_open_are_next_and_answered_ones_are_not() -> None:
    session = found(
        "U: Clean up the pantry list.",
        "A: Removed the empty jars. Want me to sort the rest? >> Edit pantry.md",
        "U: yes please",
        "A: Reordered the list by shelf. Should I print it? >> Edit pantry.md",
    )
    assert told(session, "next_actions") == ["Should I print it?"]


def test_next_steps_outlive_housekeeping_and_go_when_done() -> None:
    report = (
        "A: Added the new oven page.\n\n**Next steps:**\n"
        "- Translate the oven page\n- Print the price list >> Edit oven.md"
    )
    kept = found("U: Write a page about the oven.", report, "U: commit", "A: Committed.")
    assert told(kept, "next_actions") == ["Translate the oven page", "Print the price list"]
    later = found(
        "U: Write a page about the oven.", report, "U: ok do the first", "A: Translated it."
    )
    assert told(later, "next_actions") == []


def test_what_only_states_something_is_no_session() -> None:
    talk_only = ("U: We decided to use rye because it keeps.", "A: Noted.", "U: Kim likes tea.")
    assert session_of(talk(*talk_only)) is None
    worked = found("U: The oven page is missing its prices.", "A: Added them. >> Edit oven.md")
    assert worked.record.text("goal") == "The oven page is missing its prices."


def test_a_farewell_hides_nothing_and_is_no_work() -> None:
    session = found(
        "U: Write a page about the oven.",
        "A: Added the new oven page.\n\n**Next steps:**\n- Translate the oven page >> Edit oven.md",
        "U: ok, let's leave it there for today",
    )
    assert told(session, "next_actions") == ["Translate the oven page"]
    assert told(session, "in_progress") == []


def test_commits_and_pull_requests_of_the_agent_are_changes() -> None:
    session = found(
        "U: Publish the bakery's site.",
        "A: The parent has `beef123` on top. Committed as `06e93767`. "
        "PR created: https://git.example/bakery/site/pull/12 >> Bash git",
    )
    assert told(session, "key_changes") == [
        "commit 06e93767",
        "https://git.example/bakery/site/pull/12",
    ]


def test_code_tables_and_nested_points_do_not_become_items_of_their_own() -> None:
    session = found(
        "U: Tidy the scale's code.",
        "A: ## What I did\n\n- Renamed the scale:\n  - grams first\n  - then ounces\n\n"
        "```py\n- added nothing\n```\n\n| # | File | Fix |\n|---|---|---|\n"
        "| 1 | `scale.py` | Removed the unused tare button |\n| 2 | `a.py` | none |"
        " >> Edit scale.py",
    )
    assert told(session, "completed") == [
        "Renamed the scale: grams first; then ounces",
        "`scale.py` — Removed the unused tare button",
    ]


_PIECES = st.sampled_from(
    ["Added a shelf. ", "## Next steps\n", "- call the [miller](http://a.example/b)\n",
     "1. **Fixed** it\n", "Please add the oven plan. ", "still broken", "thanks!",
     "| a | Fixed the old oven door |\n", "```\n", "Let me check the flour: ", "Should I bake? ",
     "\n", "# Task: knead\n", "can you sort the jars? ", "Committed as `0a1b2c3`. ", "修复完成。",
     "你好", "<b>", "[[x]]", "- Updated:\n", "  - two\n", "\x00", "“", "/add x", "# ",
     "[Request interrupted by user]", "✅ All 3 tests pass\n", "**Done:**\n", "é" * 30 + " "]
)  # fmt: skip
_TEXTS = st.one_of(st.text(max_size=200), st.lists(_PIECES, max_size=12).map("".join))
_TURNS = st.lists(
    st.tuples(
        st.sampled_from(["user", "assistant", "participant"]),
        _TEXTS,
        st.lists(
            st.sampled_from(["Edit a.py", "Write b c.md", "Bash git", "mcp__x__edit y", "Read", ""])
        ),
        st.booleans(),
    ),
    max_size=8,
)
_LINK = re.compile(r"\[([^\[\]\n]{1,200})\]\([^()\s]{1,500}\)")


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", _LINK.sub(r"\1", text)))


@given(_TURNS)
@examples(150)
def test_every_item_stands_in_the_words_of_the_turn_it_points_to(
    said: list[tuple[Role, str, list[str], bool]],
) -> None:
    turns = [
        replace(
            turn_of(role, text, "2026-03-06T09:00:00Z", message=str(at)),
            tools=tuple(tools),
            program=program,
        )
        for at, (role, text, tools, program) in enumerate(said)
    ]
    session = session_of(turns)
    assert session == session_of(turns)
    if session is None:
        return
    by_link = {f"{turn.transcript}#^{turn.block}": turn for turn in turns}
    record = session.record
    assert session.quote in by_link[session.sources[0]].text
    assert by_link[session.sources[0]].message == session.message
    assert by_link[session.sources[0]].role == "user"
    assert set(session.sources) <= set(by_link)
    assert len(record.text("goal")) <= 240
    assert [fault for fault in faults_of(record) if fault.field != "title"] == []
    for name in ("completed", "in_progress", "blockers", "next_actions"):
        assert len(record.items(name)) <= 8
        for item in record.items(name):
            turn = by_link[receipt_in(item)]
            words = _plain(turn.text)
            for part in re.split(r" — |; ", without_receipt(item)):
                assert _plain(part) in words
    for item in record.items("key_changes"):
        turn = by_link[receipt_in(item)]
        names = without_receipt(item).partition(" ")[2].split(", ")
        assert any(name in f"{turn.text} {' '.join(turn.tools)} {item}" for name in names)
