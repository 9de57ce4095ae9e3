"""One tokeniser, one stemmer, one table of stop words, one of dense scripts, one of month names."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import engram
from engram.language import irregular, stop_words
from engram.language.stem import stem
from engram.language.stop_words import EMPTY, FILLER, INTENT, LIGHT, QUERY, SILENT, TAG, TOPIC
from engram.language.tokens import memory_terms, query_terms, telling_terms, terms
from engram.language.wording import terms_of
from engram.model.memory import Memory

SOURCE = Path(engram.__file__).parent
#: function words that are not left out of anything: they follow a number without being counted, and
#: follow "I" as verbs that are not bent, or as none
_OTHER_LISTS = {"language/quantity.py": 1, "language/third_person.py": 2}


def word_lists(path: Path) -> Iterator[list[str]]:
    """Every list of words that a module writes out: in one text, or in texts side by side."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value.split()
        elif isinstance(node, ast.List | ast.Set | ast.Tuple):
            texts = (one.value for one in node.elts if isinstance(one, ast.Constant))
            yield [text for text in texts if isinstance(text, str)]


def is_stop_list(listed: list[str]) -> bool:
    """Whether these are many words, no prose, a third of which say nothing in a question."""
    plain = all(word.replace("'", "").isalpha() for word in listed)
    return plain and len(listed) > 20 and len(listed) < 3 * len(QUERY & {*listed})


def test_stop_words_are_listed_in_one_module() -> None:
    found = Counter(
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if path.name != "stop_words.py"
        for listed in word_lists(path)
        if is_stop_list(listed)
    )
    assert found == _OTHER_LISTS


def test_stop_words_are_listed_once() -> None:
    rows = stop_words._TABLE.replace("\n    ", " ").strip().split("\n")
    roles = [frozenset(row.partition(": ")[0].split()) for row in rows]
    words = Counter(word for row in rows for word in row.partition(": ")[2].split())
    assert len(roles) == len(set(roles)) and max(words.values()) == 1
    assert QUERY < TOPIC < TAG
    assert words.keys() == TAG | EMPTY | LIGHT | FILLER | SILENT | INTENT


def test_a_stop_word_says_nothing_but_a_negation_of_a_tool_does() -> None:
    assert {"the", "did", "what", "don't"} <= QUERY
    assert not {"not", "no", "never", "postgres"} & QUERY


@pytest.mark.parametrize(
    ("sign", "module"), [("\\u4e00", "scripts"), ('"january', "calendar_words")]
)
def test_ranges_of_characters_and_names_of_months_are_written_in_one_module(
    sign: str, module: str
) -> None:
    found = {path.stem for path in SOURCE.rglob("*.py") if sign in path.read_text(encoding="utf-8")}
    assert found == {module}


@given(st.text("abcdefghijklmnopqrstuvwxyz", min_size=3) | st.sampled_from([*irregular.LEMMA]))
def test_judge_topics_and_index_share_one_stemmer(word: str) -> None:
    if word not in QUERY and word not in EMPTY:
        assert terms_of(word) == {stem(word)} == set(query_terms(word))


def test_the_terms_of_a_memory_are_those_of_all_that_it_says() -> None:
    memory = Memory("fact-1", "fact", "We use Redis.", title="Cache", tags=("infra",), quote="hm")
    assert memory_terms(memory) == set(terms("Cache We use Redis. hm infra"))
    assert set(telling_terms("We use Redis.")) == {"us", "redi"}
