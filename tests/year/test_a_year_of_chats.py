"""A year of one person's chats, imported: what is remembered, what must not be, what it looks like.

The fixture was written before anything was run on it: `tests/fixtures/year/README.md`.
"""

from __future__ import annotations

import pytest

from tests.benchmarks.year import counted
from tests.kit import failing
from tests.year.imported_year import (
    GOLDEN,
    ChangedMind,
    Year,
    changed_minds,
    holds,
    imported,
    known,
    pages,
)

#: by a part that stands nowhere else: no file and no cache may have one
SECRETS = (
    "Forelle-Blau", "code 4482", "Zirbenholz!77", "Drachen#Turm22", "Qx7LmV2tRz9K",
    "3200 0000 1234", "orchard velvet", "lens copper", "4556 7375", "cvv 412", "4127 150385",
    "counselling", "glad that it helps",
)  # fmt: skip
#: jokes, fiction, role play, words of others, and what the person replaced before it was sent
NOT_OF_THE_PERSON = (
    "mexico", "king of styria", "guinness", "fish only on", "koper with a cargo", "caravan",
    "cheese", "eleven cats", "hate bridges", "clock hands", "pigeons", "breathe fire", "wolkenhaus",
    "nachbarstadt", "schokolad", "auf kur", "für meine tochter", "simon community", "quit the bank",
    "in my garage", "live for bridges", "nobody needs a fixed desk", "german annex",
    "passionate about", "--force", "zoe", "dr. strict",
)  # fmt: skip
#: of these the older statement is in force no more
SETTLED = (
    "diet",
    "goal of the race",
    "car",
    "tool",
    "school",
    "holiday",
    "doctor",
    "lesson",
    "guests",
)

pytestmark = pytest.mark.xdist_group("year")


@pytest.fixture(scope="session")
def year(tmp_path_factory: pytest.TempPathFactory) -> Year:
    """The vault; no test changes it."""
    return imported(tmp_path_factory.mktemp("year"))


def test_no_secret_of_the_year_is_in_any_file(year: Year) -> None:
    files = {
        path: path.read_bytes()
        for path in year.folder.rglob("*")
        if path.is_file() and path.name != "conversations.json"
    }
    assert any("transcripts" in path.parts for path in files) and len(files) > 50

    def check(secret: str) -> None:
        assert [path for path, data in files.items() if secret.encode() in data] == []

    assert not failing(SECRETS, check)


def test_no_memory_and_no_page_holds_a_joke_fiction_or_somebody_else_s_words(year: Year) -> None:
    pages = [(year.vault / name).read_text(encoding="utf-8") for name in ("profile.md", "home.md")]
    shown = "\n".join((*year.statements(), *pages)).casefold()
    assert "english" in shown

    def check(words: str) -> None:
        assert words not in shown

    assert not failing(NOT_OF_THE_PERSON, check)


def test_of_a_changed_mind_the_older_statement_is_not_in_force(year: Year) -> None:
    told = year.statements()

    def check(pair: ChangedMind) -> None:
        assert [text for text in told if holds(text, pair.older)] == []

    assert not failing([pair for pair in changed_minds() if pair.name in SETTLED], check)


def test_the_benchmark_counts_what_is_remembered_and_what_is_told(year: Year) -> None:
    some = {one.number: one for one in known()}
    mother, name_of_nobody = some[10], some[10]._replace(number=0, words=[["nobody"]])
    assert counted([mother, name_of_nobody], year, year.statements()) == ({10}, {10})
    assert len(some) == 52 and sorted(some) == list(range(1, 53))


def test_the_pages_of_the_year_are_as_they_were_read(year: Year) -> None:
    made = dict(pages(year))
    assert made.keys() == {path.name for path in GOLDEN.iterdir()}

    def check(name: str) -> None:
        assert made[name] == (GOLDEN / name).read_text(encoding="utf-8")

    assert not failing(made, check), "python -m tests.year --update, and read the difference"
