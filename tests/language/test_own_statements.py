"""Which sentences of a turn are a person's own statements."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.language.own_statements import statements


def said(text: str) -> list[str]:
    return [sentence.said for sentence in statements(text)]


@pytest.mark.parametrize(
    "text",
    [
        "can you fix the build", "could we use oak instead", "should we use oak or pine",
        "is there a way to do this", "do we use oak here", "how do i start the server",
        "what is left", "what happens when it rains", "why is it wet", "any idea",
        "I wonder if oak is better", "does it float?", "we use oak, right?", "ok so do you agree",
        "are the tests green", "where is the saw",
    ],
)  # fmt: skip
def test_questions_are_left_out_with_and_without_their_mark(text: str) -> None:
    assert said(text) == []


@pytest.mark.parametrize(
    "text",
    ["push it", "fix the lint errors", "ok, run the tests", "please add a column", "now merge"],
)
def test_plain_orders_are_left_out(text: str) -> None:
    assert said(text) == []


@pytest.mark.parametrize(
    "text",
    ["always run the tests", "add a test for every endpoint", "call me Bo", "remember: push it"],
)
def test_orders_that_stand_remain(text: str) -> None:
    assert len(said(text)) == 1


@pytest.mark.parametrize(
    "opening",
    ["remember this: ", "Save this: ", "please save this to memory: ", "save to your memory: "],
)
def test_a_request_to_remember_opens_a_statement(opening: str) -> None:
    assert said(f"{opening}we use oak") == ["we use oak"]


@pytest.mark.parametrize(
    "text",
    [
        "```\nwe use oak\n```", "~~~py\nwe use oak\n~~~\n", "    we use oak", "\twe use oak",
        "`we use oak`", "> we use oak", "| we | use | oak |", "# we use oak", "$ we use oak",
        "2026-03-04T10:00:00 we use oak", "ERROR we use oak", "[INFO] we use oak",
        'Traceback (most recent call last):\n  File "a.py", line 1\nValueError: we use oak',
        "diff --git a/x b/x\n@@ -1 +1 @@\n-we use pine\n+we use oak", '{"say": "we use oak"}',
        '"wood": "we use oak"', "<note>\nwe use oak\n</note>", "const wood = 'we use oak';",
        "import oak from 'wood'", "FAILED tests/test_oak.py - we use oak", "- `we use oak`",
        "at com.acme.Oak.cut(Oak.java:10)", "Dana wrote:\nwe use oak",
        "here is the log:\n\nwe use oak",
        "the error output:\n\nwe use oak\n\nwe use pine", "npm ERR! we use oak",
    ],
)  # fmt: skip
def test_what_is_not_the_persons_own_prose_is_left_out(text: str) -> None:
    assert said(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Implement the following plan:\n\nWe use oak.", "[Request interrupted by user]",
        "This session is being continued from a previous one. We use oak.",
        "You are a carpenter. We always use oak.", "Your task is to say that we use oak.",
        "Stop hook feedback: we use oak", "# Context\n\nYour name is **Ada**. We use oak.",
        "we use oak. " * 800,
    ],
)  # fmt: skip
def test_turns_of_the_machinery_and_endless_ones_say_nothing(text: str) -> None:
    assert said(text) == []


def test_of_a_pasted_document_only_what_stands_before_it_is_said() -> None:
    document = "# Plan\n\nWe use oak.\n\n## Steps\n\nWe use pine.\n\n## End\n\nWe use elm.\n"
    assert said(f"we use teak\n\n{document}") == ["we use teak"]
    assert said(document) == []
    bold = "\n".join(f"- **Step {n}** we use oak" for n in range(5))
    assert said(f"we use teak\n{bold}") == ["we use teak"]


def test_what_a_tool_appended_is_not_said() -> None:
    text = "we use teak\n\n--- Content from referenced files ---\n\nwe use oak\n"
    assert said(text) == ["we use teak"]


@pytest.mark.parametrize(
    "text",
    [
        "wir verwenden immer Eiche und nicht Kiefer",
        "nous utilisons toujours le chêne pour les tables",
        "usamos siempre el roble para las mesas", "мы всегда используем дуб", "我们总是使用橡木",
        "wij gebruiken altijd eik en niet den",
        "usiamo sempre la quercia, non il pino, per il tavolo",
    ],
)  # fmt: skip
def test_other_languages_say_nothing(text: str) -> None:
    assert said(text) == []


def test_names_of_other_languages_do_not_make_english_foreign() -> None:
    assert said("Zoë in São Paulo uses the naïve café script, we keep it.") != []


def test_prose_around_code_and_quotations_remains() -> None:
    text = "we use oak.\n\n```\nwe use pine\n```\n\n> we use elm\n\nbut we glue with hide glue."
    assert said(text) == ["we use oak.", "we glue with hide glue."]


def test_items_of_a_list_that_the_person_introduces_are_sentences_of_their_own() -> None:
    items = "- we use oak\n- we avoid pine\n1. we oil it"
    assert said(f"our rules:\n{items}") == ["we use oak", "we avoid pine", "we oil it"]
    assert said(f"STRICT RULES\n{items}")[1:] == said(f"our rules:\n{items}")
    assert said(f"the plan:\n{items}") == []


def test_a_typed_list_that_opens_a_turn_is_the_persons_and_what_stands_below_it_too() -> None:
    assert said("1. we use oak\n\n2. no pine please") == ["we use oak", "no pine please"]
    listed = "draw the table so that:\n- it has four legs\n\nDo not use pine. Only use oak."
    assert said(listed)[-2:] == ["Do not use pine.", "Only use oak."]


def test_hard_wrapped_lines_are_joined() -> None:
    text = "we use oak for everything that stands outside in the rain\nand pine for all the rest."
    assert said(text) == [" ".join(text.split())]


def test_full_stops_in_code_abbreviations_and_numbers_end_nothing() -> None:
    text = "we use `a. b` e.g. oak v1.2 for approx. 3.5 m, says Dr. Holt."
    assert said(text) == [text]


def test_statements_of_one_sentence_are_told_apart() -> None:
    assert said("use pine, we ran out of oak and i prefer it anyway") == [
        "use pine",
        "we ran out of oak",
        "i prefer it anyway",
    ]
    assert said("the saw is at ~/saw, can you sharpen it?") == ["the saw is at ~/saw"]


@pytest.mark.parametrize(
    "text",
    [
        "if it rains, we stay inside and i read", "we use oak because pine rots, and we like oak",
        "Bo and I run the shop together", "my wife and I live in Graz",
        "we decided to use oak in june and pine in july",
    ],
)  # fmt: skip
def test_what_hangs_together_stays_together(text: str) -> None:
    assert said(text) == [text]


def test_opening_words_are_taken_off_and_kept_in_lower_case() -> None:
    (sentence,) = statements("Ok, no – actually, it’s oak")
    assert sentence.said == "it's oak"
    assert sentence.lead == "ok, no – actually"


@pytest.mark.parametrize(
    "text", ["Now we use oak", "FYI: we use oak", "btw we use oak", "Note that we use oak"]
)
def test_an_opening_hides_no_statement(text: str) -> None:
    assert said(text) == ["we use oak"]


@given(st.text(max_size=400))
def test_any_text_gives_sentences_that_stand_in_it_in_order(text: str) -> None:
    at = 0
    for sentence in statements(text):
        assert at <= sentence.start < sentence.end <= len(text)
        at = sentence.end
        assert sentence.said.split() == " ".join(sentence.said.split()).split()
        verbatim = text[sentence.start : sentence.end]
        assert verbatim == verbatim.strip()
        folded = verbatim.replace("’", "'").replace("ʼ", "'").split()
        assert " ".join(folded).endswith(" ".join(sentence.said.split()))


_LINES = st.sampled_from(
    ["we use oak", "```", "", "> quoted", "- item we use pine", "<x>", "</x>", "# head", "    code",
     "here is the log:", "Dana said:", "i prefer oak. we use pine; never mind", "---", "is it oak?"]
)  # fmt: skip


@given(st.lists(_LINES, max_size=25).map("\n".join))
def test_any_mixture_of_lines_is_read_without_error_and_alike(text: str) -> None:
    assert statements(text) == statements(text)
    for sentence in statements(text):
        assert "\n" not in sentence.said


def test_a_statement_before_or_behind_a_question_is_read_without_it() -> None:
    assert said("we use oak for the shelves can you cut it?") == ["we use oak for the shelves"]
    assert said("we saw oak on Mondays -- would you join?") == ["we saw oak on Mondays"]
    asked = "can you help me set it up, I want to show oak at the fair"
    assert said(asked) == ["I want to show oak at the fair"]


def test_stress_is_no_part_of_a_statement() -> None:
    assert said("Do **not** cut outside the shed") == ["Do not cut outside the shed"]
