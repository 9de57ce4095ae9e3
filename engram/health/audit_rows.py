"""Rows of the audit: the name of each -> what a person is told of it.

The names are stable, programs read them. A person reads the title, one sentence that says what is
wrong with what is listed there, and what can be done about it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class RowWords(NamedTuple):
    """What is said of a row, and the share of flaws that is still `ok`, 0..1."""

    title: str
    means: str
    fix: str
    threshold: float = 0.0


ROWS: Mapping[str, RowWords] = {
    "exact_duplicates": RowWords(
        "same words twice",
        "Two memories say the same in the same words.",
        "`engram consolidate --full` merges them",
        0.02,
    ),
    "near_duplicates": RowWords(
        "said twice",
        "Two memories say the same in other words.",
        "`engram consolidate --full` merges them",
        0.05,
    ),
    "recall_loop": RowWords(
        "told by engram itself",
        "An agent was given this by engram and said it again, so that it was learnt as news.",
        "`engram retire ID`: it is engram's own echo",
    ),
    "secrets": RowWords(
        "passwords and keys",
        "The text holds what looks like a password, a PIN or a key.",
        "`engram purge ID`, and change the secret",
    ),
    "others_words": RowWords(
        "other people's words",
        "It quotes what you pasted, or what an agent or a program said, as if it were your word.",
        "`engram forget ID`; `engram confirm ID` where it is true of you",
    ),
    "taken_back": RowWords(
        "taken back, not meant",
        "You took it back at once, or said it in jest, in a story or in a role.",
        "`engram forget ID`; `engram confirm ID` where you mean it",
    ),
    "cut": RowWords(
        "broken off",
        "The statement ends in the middle.",
        "`engram edit ID` completes it, or `engram forget ID`",
    ),
    "noise": RowWords(
        "worth nothing later",
        "It is an order for now, a question, progress of the moment, or leans on words that are"
        " not in it.",
        "`engram edit ID` says what is meant, or `engram forget ID`",
        0.05,
    ),
    "junk": RowWords(
        "refused today",
        "engram would not learn it today, for the reason that stands beside it.",
        "`engram review`, or `engram retire ID`",
        0.05,
    ),
    "stale": RowWords(
        "waiting too long",
        "Its time is up, or it has waited for your answer for more than a month.",
        "`engram review` asks about each; `engram consolidate`",
        0.1,
    ),
    "without_receipt": RowWords(
        "without a source",
        "Nothing says in which conversation it was said, and you did not write it yourself.",
        "`engram confirm ID`, or `engram retire ID`",
        0.05,
    ),
    "dead_links": RowWords(
        "dead links",
        "A link leads to no note or block, as Obsidian follows it.",
        "`engram consolidate` after a rename; `engram restore ID`, or remove the link by hand",
    ),
    "orphans": RowWords(
        "missing in its box",
        "The box of a conversation lacks one of its memories, or has none left.",
        "`engram consolidate --full` boxes them",
        0.02,
    ),
    "contradictions": RowWords(
        "contradictions",
        "Two memories cannot both be true now.",
        "`engram consolidate`, then `engram review` for what is left",
    ),
    "rule_noise": RowWords(
        "never asked for",
        "A rule made it more than a month ago; it is of little weight, and nobody ever asked for"
        " it.",
        "`engram archive ID`; or teach the rule less",
        0.2,
    ),
}

#: codes of refusal whose memories have a row of their own, which says more; else they are `junk`
ROW_OF_CODE: Mapping[str, str] = {
    **dict.fromkeys(("secret", "privacy_deny_sensitive"), "secrets"),
    **dict.fromkeys(
        ("not_own_words", "program_prompt", "low_trust", "not_the_person"), "others_words"
    ),
    "cut": "cut",
    **dict.fromkeys(
        ("dangling", "request", "question", "passing", "repair", "working", "trivial"), "noise"
    ),
}
#: why a person did not mean what they said (`extract.withdrawn`), in words
UNMEANT: Mapping[str, str] = {
    "taken_back": "you took it back in the next words",
    "joke": "said laughing",
    "played": "said in a story or in a role",
}
