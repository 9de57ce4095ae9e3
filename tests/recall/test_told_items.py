"""Which memories and turns a question is answered with, in which order."""

from __future__ import annotations

from engram.model.answer import AnswerSource
from engram.model.memory import Memory
from engram.recall.evidence import Evidence
from engram.recall.question_words import QuestionWords
from engram.recall.told_items import is_telling, share_of, told_memories, weighed_turns

#: how telling some words are; all others tell most
COMMON = {"go": 0.5, "berta": 1.0}


def asked(question: str) -> QuestionWords:
    return QuestionWords.of(question, lambda term: COMMON.get(term, 3.0))


def turn(
    text: str, score: float = 1.0, *, role: str = "user", day: str = "2026-03-06",
    speaker: str = "", before: str = "",
) -> Evidence:  # fmt: skip
    source = AnswerSource("turn", text, "", 1, text, day, speaker, role=role)
    return Evidence(source, text, score, (before,) if before else (), text)


def order(question: str, *turns: Evidence) -> list[str]:
    return [one.evidence.text for one in weighed_turns(asked(question), turns)]


def test_a_memory_that_shares_a_common_word_gives_way_to_a_turn_that_says_what_is_asked() -> None:
    question = "which kindergarten does Berta go to?"
    words = asked(question)
    memory = Memory("m1", "fact", "We go to the lake on Wednesday.")
    told = weighed_turns(words, [turn("Berta got a place in the kindergarten!")])
    share = share_of(words, memory)
    assert told[0].share > 0.8 > share
    assert told_memories([memory], [share], [told[0].share]) == []
    assert told_memories([memory], [share], []) == [memory]
    best = Memory("m2", "fact", "Berta got a place.")
    assert not is_telling("chat#^m1", share, [best], [told[0].share])


def test_a_turn_that_says_no_more_than_the_memory_made_of_it_is_not_told_again() -> None:
    memory = Memory("m1", "fact", "The shop moved to MariaDB.", sources=("chat#^m1",))
    assert not is_telling("chat#^m1", 0.5, [memory], [0.5])
    assert is_telling("chat#^m1", 0.6, [memory], [0.5])
    assert is_telling("chat#^m2", 0.5, [memory], [0.5])


def test_what_a_memory_tells_in_its_quote_or_sections_counts() -> None:
    words = asked("why the expansion vessel?")
    plain = Memory("m1", "decision", "The plumber comes.")
    for memory in (
        Memory("m2", "decision", "The plumber comes.", quote="the expansion vessel is gone"),
        Memory("m3", "decision", "It comes.", sections=(("Rationale", "the expansion vessel"),)),
    ):
        assert share_of(words, memory) == 1.0 > share_of(words, plain)


def test_what_a_person_states_comes_before_questions_and_agents_that_match_as_well() -> None:
    question = "what was the boiler fault?"
    stated = turn("The boiler fault was a valve. Who knew?", 0.8)
    asks = turn("What is the boiler fault?", 1.0)
    agent = turn("A boiler fault may be many things.", 0.9, role="assistant")
    assert order(question, asks, agent, stated)[0] == stated.text
    # in a talk of several people the other one is no agent
    assert order(question, stated, agent._replace(source=agent.source._replace(speaker="Ana")))[
        0
    ].startswith("A boiler")
    far_better = turn("The boiler fault was the pump.", 0.9, role="assistant")
    assert order(question, turn("The boiler.", 0.2), far_better)[0] == far_better.text


def test_of_two_turns_that_say_the_same_of_the_question_the_later_one_comes_first() -> None:
    question = "where do I keep my tasks?"
    old = turn("My tasks are in the app.", day="2026-01-02")
    new = turn("All tasks go into a notebook now.", 0.7, day="2026-08-02")
    assert order(question, old, new) == [new.text, old.text]
    # one that matches much worse only happens to have the word
    assert order(question, old, new._replace(score=0.4)) == [old.text, new.text]


def test_a_reply_says_what_the_turn_before_it_asked_though_less_surely() -> None:
    words = asked("which kindergarten does Berta go to?")
    reply, question = "The one by the lake.", "Which kindergarten does Berta go to?"
    told = weighed_turns(words, [turn(reply, before=question), turn(reply)])
    assert sorted(one.share for one in told) == [0.0, 0.7]
