"""Quotes: what may differ between a model's copy and the words of a turn, and what may not."""

from __future__ import annotations

import pytest

from engram.extract.llm.quotes import Words, quoted
from engram.model.turn import turn_of

SAID = (
    "## Ports\n\n- The **admin console** of the `label-printer` isn’t on port 8080 any more — it "
    "moved\n  to 9090, at 10–12 every day, said “Priya”.\n> We'd never deploy it before the audit, "
    "becuase nobody understands the recieving part of it."
)


def found(quote: str, said: str = SAID) -> str:
    """The captured words, or the code of the refusal."""
    turn = turn_of("user", said, "2026-03-06T12:00:00Z")
    _, words, code = quoted(quote, 1, [turn], [Words(said)])
    assert code or words in said
    return code or words


@pytest.mark.parametrize(
    "quote, captured",
    [
        ("The admin console of the label-printer isn't on port 8080",
         "The **admin console** of the `label-printer` isn’t on port 8080"),
        ("any more - it moved to 9090, at 10-12 every day",
         "any more — it moved\n  to 9090, at 10–12 every day"),
        ('said "Priya".', "said “Priya”."),
        ("the admin console", "The **admin console**"),
        ("ports the admin console of the label-printer",
         "Ports\n\n- The **admin console** of the `label-printer`"),
        ("We`d never deploy it.", "We'd never deploy it"),
        # a typo put right, an article lost, or one of each in a long quote
        ("deploy it before the audit, because nobody",
         "deploy it before the audit, becuase nobody"),
        ("We'd never deploy it before audit, becuase nobody",
         "We'd never deploy it before the audit, becuase nobody"),
        ("never deploy it before the audit, because nobody understands the receiving part",
         "never deploy it before the audit, becuase nobody understands the recieving part"),
        ("The admin console ... isn't on port 8080",
         "The **admin console** of the `label-printer` isn’t on port 8080"),
    ],
)  # fmt: skip
def test_signs_typos_and_articles_do_not_count_and_the_captured_words_are_kept(
    quote: str, captured: str
) -> None:
    assert found(quote) == captured


@pytest.mark.parametrize(
    "quote",
    [
        "The admin console of the label-printer is on port 8080 any more",
        "The admin console of the label-printer isn't on port 8081 any more",
        "isn't on port 80", "isn't on port 808", "at 10 every day, said Priya", "ports 8080",
        "We'd deploy it before the audit, becuase nobody understands",
        "We'd ever deploy it before the audit, becuase nobody understands",
        "never deploy it after the audit, becuase nobody understands",
        "it moved to 9090, at 10-12 every day, said Prija",
        "before deploy it never the audit, becuase nobody understands",
        "We'd ... deploy it before the audit", "admin console of the label-printer is",
    ],
)  # fmt: skip
def test_a_number_a_denial_a_name_or_another_word_does_count(quote: str) -> None:
    assert found(quote) == "quote-not-found"


def test_the_length_of_a_quote_is_measured_by_its_script() -> None:
    said = "我们用四种语言，一种是德语。他住在柏林。"
    assert found("他住在柏林", said) == "他住在柏林"
    assert found("柏林", said) == found("use", "We use vim.") == "thin_quote"


def test_words_are_found_in_letters_of_several_forms() -> None:
    assert found("Ｗe use ﬁles", "In short, We use ﬁles.") == "We use ﬁles"
    assert found("we use files", "In short, Ｗe use ﬁles.") == "Ｗe use ﬁles"
