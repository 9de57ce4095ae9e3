"""The benchmarks: the one that others run asks as a user does, and each prints its table."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.benchmarks import facts, fts5, locomo, other_words, quality, transcripts
from tests.benchmarks.__main__ import MEASUREMENTS
from tests.benchmarks.invented import Invented
from tests.benchmarks.processes import Taken
from tests.benchmarks.scale import growth, memories, pictures
from tests.benchmarks.table import Table
from tests.golden.console import run

#: day, and what Ines and Pavel said in turn; a picture's caption stands behind a bar
TALK = """
2023-05-08 Hey Pavel! I finally signed up for the pottery class on Tuesdays.
Great! I spent the weekend repairing my grandfather's boat.
The blue one that lay in the barn?|a small blue boat on two trestles
Yes. The hull needs new planks, oak if I can get it.
My cousin Rosa sells timber in Split, I'll send you her number.
You are the best. How is your knee?
Better, I ran five kilometres yesterday without pain.
2023-06-19 My first bowl came out of the kiln today!|a green bowl with a crack in its rim
It looks lovely, even with the crack.
I'll give it to my mother for her birthday on the 2nd of July.
Rosa's oak arrived. The boat will be called Marlena, after my grandmother.
Did she sail as well?
Every summer until she was eighty. She taught me to read the wind.
2023-08-02 We are back from Lisbon! The trams made me dizzy.
Did you try the custard tarts?
Eleven of them. And we met a violin maker who let me play.
I did not know that you play the violin!
Only since last autumn, badly. My teacher is called Mr. Okada.
I launched Marlena last week; she leaks a little at the stern.
2023-10-14 I adopted a cat from the shelter. Her name is Pixel.|a grey kitten asleep on a keyboard
Congratulations! Is she allowed on the wheel?
Never again. There were paw prints in the clay.
I sold two of my boat photographs at the harbour fair.
How much did you get for them?
Ninety euros, which pays for the new sail.
2023-12-30 Mr. Okada says that I may join the string orchestra in February.
That is wonderful news. I have an interview with the maritime museum on Thursday.
As a restorer?
Yes, three days a week. I would keep the workshop for the rest.
Fingers crossed! Pixel sends a paw.
"""
QUESTIONS = """
When did Ines sign up for the pottery class?|What did Pavel repair?|blue boat
Who sells timber?|Where does Rosa live?|What is the name of the boat?
knee|How far did Ines run?|What came out of the kiln?|bowl with a crack
When is the birthday of Ines' mother?|Who taught Pavel to read the wind?|grandmother sailing
Where did Ines travel in summer 2023?|custard tarts|How many tarts did she eat?|violin maker
Who is the violin teacher?|Since when does Ines play the violin?|What leaks?|stern|Lisbon trams
What is the cat called?|kitten on a keyboard|When was the cat adopted?|paw prints|shelter
What did Pavel sell at the fair?|How much money for the photographs?|ninety euros|new sail
string orchestra|When may she join the orchestra?|interview|Which museum?|restorer
How many days a week would Pavel work?|workshop|"grandfather's boat"|boat -blue|pott*
What did Pavel say in June?|Did Ines ever hurt her knee?|Pavel|Ines|Marlena leaks
What happened on 2 August 2023?|who is|photographs harbour fair|zyzzyva
"""

#: what is run so small that it takes seconds -> words that its table holds
SMALL = {
    "imports --mb 0.02 --export-mb 0.1": ("| claude-code |", "| markdown |", "peak memory"),
    "durable --runs 2": ("five facts durable",),
    "rules_speed --turns 40": ("turns/s",),
    "triage_speed --turns 200": ("turns/s",),
    "rules_tier --split dev": ("precision", "preference"),
    "gate --memories 30": ("candidates a second",),
    "time_questions": ("held_back, date",),
    "events --events 200": ("the last 50 denied",),
    "beside --memories 20 --runs 1": ("hook session-start: 20 in one vault", "10 and 10 beside"),
    "phases --memories 20": ("20 memories: ", "phases diff: "),
    "spaces --memories 20 --runs 1": ("hook session-start: 20 in one space", "recall: 20"),
    "tiers --sizes 60 --runs 1": ("tiers --at-risk", "of ten hits"),
    "signals --runs 1": ("casefold and one search",),
    "cold_start --memories 5 --hook-memories 5 --runs 1": ("engram search", "hook prompt"),
    "warm --memories 5 --runs 1 --noticed 0.5": (
        "warm search  ", "the daemon's share", "warm remember",
    ),
    "scale --sizes 30 --turns 40 --runs 1 --questions 3": (
        "| adoption: foreign notes until all are searchable |", "| rebuild: from the files |",
        "| first search after a clone, which is trusted before |",
        "| search, a process of its own |",
        "| 5 words, finder: p95 |", "| recall, open: p50 |", "| hook: prompt |",
        "| edit until found, with a daemon: p95 |", "| edit until found, without a daemon: p95 |",
        "| extraction of 5 turns: p50 |", "| ... night: the second, steps | 0 |",
        "| import of turns |", "| 3 words in turns, finder: p50 |",
    ),
    "facts": ("| engram | all | 100 |", "| engram | changed | 20 |"),
    "other_words": ("| engram | dev, other words | 20 |", "| FTS5 | held, all | 45 |"),
    "consolidate --sizes 60,120 --compared 60": (
        "| merge, full |", "| ... all pairs compared |", "| night: 15 changed |",
    ),
    "supersession tests/fixtures/supersession/dev.jsonl --parts judge": ("judge alone",),
    "clusters tests/fixtures/subjects/dev.jsonl --sizes 100": (
        "of one subject; 22 subjects", "100 invented memories, one project",
    ),
    "closing 20": ("20 turns: closed in", "splitting them into sentences"),
    "qmd_face --notes 40 --searches 2": ("40 notes", "| cold search --json, median |"),
}  # fmt: skip
#: have tests of their own (capture/test_redact, pipeline/test_stored_model_answers, year)
TESTED_ELSEWHERE = {"model_tier", "redaction", "year"}


@pytest.fixture(scope="module")
def talk() -> Iterator[locomo.Retriever]:
    """The Retriever with the invented conversation in it."""
    turns: list[dict[str, object]] = []
    day, session = "", 0
    for number, line in enumerate(TALK.strip().splitlines()):
        text, _, caption = line.partition("|")
        if text.startswith("2023-"):
            day, _, text = text.partition(" ")
            session += 1
        turns.append(
            {
                "id": f"D{session}:{number}", "session": f"session_{session}", "date": day,
                "time": f"10:{number:02d}", "speaker": ("Ines", "Pavel")[number % 2],
                "text": text, "caption": caption or None,
            }
        )  # fmt: skip
    retriever = locomo.Retriever()
    retriever.index(turns)
    yield retriever
    retriever.close()


def test_the_retriever_gives_what_the_command_line_gives(talk: locomo.Retriever) -> None:
    questions = [one for line in QUESTIONS.strip().splitlines() for one in line.split("|")]
    assert len(set(questions)) == 50
    root = talk.vault.root
    there = {"ENGRAM_VAULT": str(root), "ENGRAM_CLOCK": locomo._NOW}
    found = 0
    for question in questions:
        asked = ("search", "--json", "--limit", "10", "--", question)
        ran = run(asked, root.parent, there)
        assert ran.code == 0, ran.err
        rows = [row for row in json.loads(ran.out) if row["collection"] == "turns"]
        own = talk.search(question, 10)
        assert own == [talk._ids[row["id"]] for row in rows], question
        found += bool(own)
    assert found >= 45


@pytest.mark.parametrize("line", SMALL)
def test_a_measurement_prints_its_table(
    line: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    name, *words = line.split()
    monkeypatch.setattr(sys, "argv", [name, *words])
    # what is on this machine besides, and on which path, is none of the test's business
    monkeypatch.setattr("tests.benchmarks.processes.peers", dict)
    # what is compiled already is not compiled again
    monkeypatch.setenv("PYTHONPYCACHEPREFIX", "")
    importlib.import_module(f"tests.benchmarks.{name}").main()
    printed = capfd.readouterr().out
    for expected in SMALL[line]:
        assert expected in printed


def test_growth_is_told_without_the_start_of_a_process_and_drawn_with_earlier_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(count: int, cpu: float) -> growth.Figures:
        table = Table(f"{count:,} memories", count, memories.WANTED)
        table.put(memories.REBUILD, "engram", Taken(cpu, 9.0))
        table.put(memories.REBUILD, "FTS5", Taken(0.1, 0.1))
        table.put(memories.SEARCH, "engram", Taken(0.3, 0.3))
        figures = growth.Figures(starts={memories.REBUILD: 0.2, memories.SEARCH: 0.29})
        figures.add("memories", table, tmp_path / "figures.json")
        return figures

    run(1_000, 0.6)
    figures = run(10_000, 4.2)
    figures.print()
    printed = capsys.readouterr().out
    assert f"| {memories.REBUILD} | 200 ms | 600 ms | 4.20 s | 1.00 |" in printed
    assert f"| {memories.SEARCH} | 290 ms | 300 ms | 300 ms | - |" in printed
    pictures.draw(figures, tmp_path)
    drawn = ElementTree.parse(tmp_path / "memories.svg")
    told = [one.text for one in drawn.iter("{http://www.w3.org/2000/svg}title")]
    assert "engram: 4.20 s at 10,000" in told and "wanted: 4.00 s at 10,000" in told
    assert len(list(drawn.iter("{http://www.w3.org/2000/svg}polyline"))) == 3


#: id, half, what the agent and the person said, the statement to keep, what was not their words
LABELLED = (
    ("till-1", "dev", "The till is done.",
     "Good. From now on always run make lint before you push. What is left?",
     "always run make lint before you push", ""),
    ("till-2", "held", "",
     "We use Postgres 15 for the ledger. The receipts go out as PDF, never as HTML.",
     "The receipts go out as PDF, never as HTML", "we use postgres 15"),
    ("till-3", "held", "", "We decided to use these instead of those.", "", ""),
)  # fmt: skip


def test_labelled_turns_are_measured_against_what_the_rules_make_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "labelled.jsonl"
    lines = [
        json.dumps({
            "id": name, "half": half, "before": before, "text": text, "project": "shop",
            "keep": [{"quote": keep, "grade": "strong" if half == "dev" else "weak"}] * bool(keep),
            "found": [{"quote": strange, "label": "M"}] * bool(strange),
        })
        for name, half, before, text, keep, strange in LABELLED
    ]  # fmt: skip
    file.write_text("\n".join(lines), encoding="utf-8")
    outcomes = quality.measure(quality.rows([file]))
    found = quality.figures(outcomes)
    assert [found[name] for name in ("turns", "memories", "worth", "strange")] == [3, 2, 1, 1]
    assert [found[name] for name in ("strong", "found_strong", "kept", "found")] == [1, 1, 2, 1]
    assert [found[name] for name in ("silent", "silent_with_memories")] == [1, 0]
    assert found["refused"] == {"dangling": (1, 0)}
    assert found["rules"] == {"from-now-on": (1, 1), "we-use": (1, 0)}

    monkeypatch.setattr(sys, "argv", ["quality", str(file), "--half", "held", "--misses", "2"])
    quality.main()
    printed = capsys.readouterr().out
    assert "2 turns, 1 with nothing to keep (0 made a memory all the same)" in printed
    assert "junk     till-2 [we-use] 'We use Postgres 15 for the ledger.'" in printed
    assert "missed   till-2 [weak] 'The receipts go out as PDF, never as HTML'" in printed


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Never push to main!", "so: never push to MAIN, please", True),
        ("ship oak", "ships oak", False),
        ("the till prints two receipts a sale", "two receipts a sale is what it prints", True),
        ("the till prints receipts", "the ledger keeps receipts", False),
        ("...", "the till", False),
    ],
)
def test_quotes_of_one_statement_are_told_by_their_words(one: str, other: str, same: bool) -> None:
    assert quality.alike(one, other) is quality.alike(other, one) is same


def test_every_measurement_is_tried_here_or_elsewhere() -> None:
    assert {line.split()[0] for line in SMALL} | TESTED_ELSEWHERE == set(MEASUREMENTS)


def test_gold_that_no_memory_holds_is_an_error() -> None:
    with pytest.raises(ValueError, match="0 live memories"):
        facts.resolved([facts.Question("who?", ("nobody said this",), False)], [])


def test_there_are_a_hundred_questions_of_which_twenty_are_about_what_changed() -> None:
    asked = facts.questions()
    assert len({one.text for one in asked}) == 100
    assert sum(one.changed for one in asked) == 20


def test_every_question_in_other_words_names_the_turns_that_answer() -> None:
    said = {turn["id"]: turn for turn in other_words.turns()}
    assert len(said) == len(other_words.turns())
    for half in other_words.HALVES:
        asked = other_words.questions(half)
        assert len({one.text for one in asked}) == 45
        assert all(one.gold and one.gold <= set(said) for one in asked)


def test_what_is_invented_depends_on_its_number_alone() -> None:
    one, other = Invented(), Invented()
    assert [memory.id for memory in one.memories(3)] == [other.memory(n).id for n in range(3)]
    assert other.memory(2) == one.memory(2)
    assert other.turn(7) == one.turn(7)
    texts = [memory.text for memory in one.memories(5)]
    assert [len(one.question(n, terms, texts).split()) for n, terms in ((0, 1), (3, 5))] == [1, 5]


def test_the_peer_finds_any_of_the_words_and_replaces() -> None:
    if not fts5.available():
        pytest.skip("this SQLite has no FTS5")
    with fts5.Texts() as texts:
        texts.build([("a", "the oak planks"), ("b", 'two "quoted" boats')])
        texts.remember_rows()
        assert set(texts.search("boat (plank*", 5)) == {"a", "b"}
        texts.replace("b", "kiln")
        assert texts.search("kilns?", 5) == ["b"]
        assert texts.search("?!", 5) == []


def test_every_source_has_transcripts_to_import() -> None:
    from engram.capture.sources import SOURCES

    # records of another store are no transcript
    measured = {name.partition(" ")[0] for name in transcripts.FORMS}
    assert measured == set(SOURCES) - {"claude-memory"}
