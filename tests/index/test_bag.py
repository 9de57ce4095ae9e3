"""The bag of a document: what counts how much, and what no text can say."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engram.index.bag import CAPTION, SECTION, TITLE, bag_of
from engram.index.scoring import BODY, MARK, SPOKEN_OF, german_term, speaker_term
from engram.language.tokens import query_terms, terms
from engram.model.hit import Document

anything = st.text(st.one_of(st.characters(), st.sampled_from("\x01\0 []:\n\ud800photo")))


def turn(body: str, title: str = "", speaker: str = "") -> Document:
    return Document("t", "turns", title, body, speaker=speaker)


def test_every_word_counts_as_often_as_it_stands() -> None:
    bag = bag_of(turn("tea, tea and cake"))
    assert (bag.terms["tea"], bag.terms["cake"]) == (2 * BODY, BODY)
    assert bag.length == 4


def test_the_caption_of_a_picture_counts_a_little_less_than_what_was_said() -> None:
    bag = bag_of(turn("look [photo: a marzipan cake] at the cake [IMAGES: tea]"))
    assert bag.terms["marzipan"] == CAPTION
    assert bag.terms["cake"] == BODY + CAPTION
    assert bag.terms["tea"] == CAPTION
    assert "photo" not in bag.terms


def test_other_brackets_are_words() -> None:
    bag = bag_of(turn("[x] a [photo] and [photo: cake\nline] [note: tea]"))
    assert bag.terms["cake"] == bag.terms["tea"] == BODY


def test_the_title_counts_for_memories_alone() -> None:
    memory = bag_of(Document("m", "memories", "tea", "cake"))
    assert (memory.terms["tea"], memory.terms["cake"]) == (TITLE, BODY)
    assert "tea" not in bag_of(turn("cake", "tea")).terms


def test_a_word_of_the_sections_counts_once_and_less_than_one_of_the_statement() -> None:
    record = Document("m", "memories", "", "cake", sections="- tea\n- tea and cake\n" * 50)
    bag = bag_of(record)
    assert (bag.terms["tea"], bag.terms["cake"]) == (SECTION, BODY + SECTION)
    assert SECTION < BODY and bag.length < 5


def test_sections_in_german_are_judged_by_themselves() -> None:
    german = "Die Preise werden in Cent gespeichert und nicht gerundet."
    english = "the stores of the warehouse are open and the lamps are not"
    mixed = bag_of(Document("m", "memories", "", german, sections=english))
    assert german_term("lamp") not in mixed.terms and german_term("lamps") not in mixed.terms
    told = bag_of(Document("m", "memories", "", english, sections=german))
    assert {term for term in told.terms if term.startswith(german_term(""))} == {
        term for term in bag_of(Document("m", "memories", "", german)).terms
        if term.startswith(german_term(""))
    }  # fmt: skip


def test_every_name_of_a_speaker_is_a_term_and_adds_no_length() -> None:
    bag = bag_of(turn("tea", speaker="Anna Maria"))
    assert {speaker_term("anna"), speaker_term("MARIA")} <= bag.terms.keys()
    assert bag.length == 1
    assert bag_of(turn("")).terms == {} and bag_of(turn("")).length == 1


def test_an_endless_document_has_a_bounded_length() -> None:
    assert bag_of(turn("tea " * 70_000)).length == 65_535


def test_many_unclosed_captions_cost_no_more_than_their_length() -> None:
    """Had each looked for its end as far as it may, this would take minutes."""
    assert bag_of(turn("[photo: " * 500_000 + "]")).terms["photo"] == 500_000 * BODY


def test_a_table_of_many_days_is_about_none_of_them_and_makes_no_terms_of_them() -> None:
    def days(body: str) -> int:
        bag = bag_of(Document("t", "turns", "", body, "2026-03-06"))
        return sum(term.startswith(SPOKEN_OF) for term in bag.terms)

    assert days("We flew on 2026-01-05 and were back in February 2026.") == 1 + 28
    assert days(" ".join(f"in May {year}" for year in range(1970, 2100))) == 0


@given(anything, anything)
def test_no_text_says_who_spoke(text: str, title: str) -> None:
    document = Document("m", "memories", title, text)
    assert not any(term.startswith(MARK) for term in bag_of(document).terms)
    assert not any(term.startswith(MARK) for term in (*terms(text), *query_terms(text)))


@given(anything, anything)
def test_any_document_has_a_bag_that_can_be_written(text: str, speaker: str) -> None:
    bag = bag_of(turn(text, speaker=speaker))
    assert 1 <= bag.length <= 65_535
    assert all(weight > 0 for weight in bag.terms.values())
    "".join(bag.terms).encode("utf-8")
