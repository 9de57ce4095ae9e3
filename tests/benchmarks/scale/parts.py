"""What is measured in a process of its own: `python -m tests.benchmarks.scale.parts NAME FOLDER`.

Each function takes the folder of a `Place`, and numbers; what it measured is printed as one line of
JSON: times as `(CPU seconds, wall seconds)`, in lists by question or by what was done.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from engram.capture.sources import source
from engram.index.bag import bag_of
from engram.language.proper_names import mentioned_in
from engram.language.tokens import memory_terms
from engram.language.topics import topic_terms
from engram.model.memory import Memory
from engram.model.ports import SourceReading
from engram.model.turn import Turn
from engram.pipeline import extraction, ingest
from engram.queries.index_sync import document_of
from engram.recall.audience import audience_of
from engram.recall.query import parse
from engram.store.base.clock import FixedClock
from engram.store.files.content_file import ContentFile, read_content
from engram.vault import Vault
from tests.benchmarks import fts5
from tests.benchmarks.invented import Invented
from tests.benchmarks.processes import NOW, peak, size_of, within
from tests.benchmarks.scale.memories import TERMS
from tests.benchmarks.scale.notes import files_of

Times = list[tuple[float, float]]
#: questions of each length that are not timed
_WARM_UP = 5
#: questions are made of the words of so many texts
_ASKED_ABOUT = 2_000
#: questions of time for three words, of a day on which something is said at every size
_OF_TIME = {"when": "when did the {}?", "a day": "what about {} on 12 January 2024?"}
_SAID = (
    "we decided to use {0} instead of {1} because two writers need it",
    "Good. What about the {0} of the {1}?",
    "from now on never merge {0} without {1} being reviewed",
    "i read the {1} again, and the {0} is not in it",
    "i prefer {0} over {1} in every service",
)


@cache
def _invented() -> Invented:
    """The vocabulary; making it takes a third of a second."""
    return Invented()


@contextmanager
def _opened(folder: Path) -> Iterator[Vault]:
    """The vault of a folder, made if there is none."""
    environment = {"ENGRAM_HOME": str(folder / "home"), "HOME": str(folder)}
    root, clock = folder / "vault", FixedClock(NOW)
    made = Vault.open if root.exists() else Vault.create
    with made(root, environment=environment, clock=clock) as vault:
        yield vault


# -- questions -------------------------------------------------------------------------------------


def _asked(texts: Sequence[str], count: int, terms: int, first: int = 0) -> list[str]:
    invented = _invented()
    return [invented.question(number, terms, texts) for number in range(first, first + count)]


def _timed(
    ask: Callable[[str], object], texts: Sequence[str], count: int, terms: int, first: int = 0
) -> Times:
    """Each question once, after a few others."""
    for question in _asked(texts, _WARM_UP, terms, first=1_000_000):
        ask(question)
    return [
        within(lambda question=question: ask(question))  # type: ignore[misc]
        for question in _asked(texts, count, terms, first)
    ]


def _texts(folder: Path) -> list[str]:
    """What some of the notes say, from all over the vault."""
    files = files_of(folder / "vault")
    chosen = files[:: max(len(files) // _ASKED_ABOUT, 1)]
    return [fts5.text_of(file) for file in chosen]


def questions(folder: Path, count: int) -> dict[str, Any]:
    """Questions of three words of the notes."""
    return {"questions": _asked(_texts(folder), count, 3)}


def ask(folder: Path, count: int) -> dict[str, Any]:
    """Searches of memories by one process: the index alone, then all that a user gets."""
    texts = _texts(folder)
    with _opened(folder) as vault:
        vault.search("nothing yet")
        index = vault.parts.index
        finder = [
            _timed(lambda words: index.find(words, "memories", 10), texts, count, terms)
            for terms in TERMS
        ]
        whole = _timed(vault.search, texts, count, 3, first=count)
    return {"finder": finder, "whole": whole, "peak": peak()}


def ask_fts5(folder: Path, count: int) -> dict[str, Any]:
    """The same questions to the peer."""
    texts = _texts(folder)
    with fts5.Texts(folder / "fts5.db") as peer:
        finder = [
            _timed(lambda words: peer.search(words, 10), texts, count, terms) for terms in TERMS
        ]
    return {"finder": finder, "peak": peak()}


def recall(folder: Path, count: int) -> dict[str, Any]:
    """What is recalled for questions, by one process."""
    texts = _texts(folder)
    with _opened(folder) as vault:
        return {"recall": _timed(vault.recall, texts, count, 3, first=2 * count)}


# -- changes ---------------------------------------------------------------------------------------


def index(folder: Path, runs: int) -> dict[str, Any]:
    """The index alone, anew from the catalog, and the peer's from the same texts; its size."""
    told: dict[str, Any] = {"engram": []}
    with _opened(folder) as vault:
        for _ in range(runs):
            told["engram"].append(within(vault.parts.index.rebuild))
        size = size_of(vault.parts.cache / "index")
        told |= {"size": size, "catalog": size_of(vault.parts.cache) - size}
    rows = [(file.stem, fts5.text_of(file)) for file in files_of(folder / "vault")]
    for _ in range(runs if fts5.available() else 0):
        path = folder / "alone.db"
        times = told.setdefault("FTS5", [])
        with fts5.Texts(path) as peer:
            times.append(within(lambda peer=peer: peer.build(rows)))  # type: ignore[misc]
        path.unlink()
    return told


def steps(folder: Path, most: int) -> dict[str, Any]:
    """What is made of each note as it is taken up, step by step; nothing is done before."""
    root, found = folder / "vault", dict[str, Any]()

    def timed(name: str, step: Callable[[Any], Any], of: Sequence[Any]) -> list[Any]:
        for one in of[-_WARM_UP:]:
            step(one)
        results, taken = _result_of(lambda: [step(one) for one in of[:-_WARM_UP]])
        found[name] = [time / len(results) for time in taken]
        return [*results, *map(step, of[-_WARM_UP:])]

    files = files_of(root)[:most]
    names = [file.relative_to(root).as_posix() for file in files]
    data = timed("a file read", Path.read_bytes, files)
    read = timed("parsed", lambda pair: read_content(*pair), list(zip(names, data, strict=True)))
    timed("the meaning of its bytes", ContentFile.meaning.func, read)
    memories = [one.content for one in read if isinstance(one.content, Memory)]
    timed("its words", memory_terms, memories)
    timed("its topics", lambda memory: topic_terms(memory.text), memories)
    timed("names in it", mentioned_in, memories)
    timed("a bag of words for the index", lambda memory: bag_of(document_of(memory)), memories)
    with _opened(folder) as vault:
        clean = vault.parts.redactor.clean
        timed("who may be given it", lambda memory: audience_of(memory, clean), memories)
    return {"steps": found}


def _lines(number: int) -> list[dict[str, str]]:
    """Five turns of one conversation, in words that memories have too."""
    draw = random.Random(f"said {number}")
    words = [word for word in _invented().words(draw, 200) if word.isalpha() and len(word) > 3]
    return [
        {
            "role": "user", "content": text.format(*draw.sample(words, 2)),
            "timestamp": f"2026-03-06T{8 + number // 60 % 4:02d}:{number % 60:02d}:{place:02d}Z",
            "session": f"said{number}", "project": "shop", "id": f"said{number}-{place}",
        }
        for place, text in enumerate(_SAID)
    ]  # fmt: skip


def say(_: Path, number: int, file: str) -> dict[str, Any]:
    """The lines of one conversation in a file."""
    Path(file).write_text("".join(json.dumps(one) + "\n" for one in _lines(number)), "utf-8")
    return {}


def _turns(folder: Path, number: int) -> list[Turn]:
    file = folder / "five.jsonl"
    say(folder, number, str(file))
    with file.open("rb") as stream:
        reading = SourceReading(f"said{number}", FixedClock(NOW), path=file)
        return list(source("jsonl").parse(stream, reading))


def _result_of(action: Callable[[], Any]) -> tuple[Any, tuple[float, float]]:
    """What an action gave, and what it took."""
    results: list[Any] = []
    spent = within(lambda: results.append(action()))
    return results[0], spent


def extract(folder: Path, runs: int) -> dict[str, Any]:
    """Conversations of five turns: captured, extracted and indexed by one process."""
    told: dict[str, Any] = {"capture": [], "extract": [], "index": []}
    memories = 0
    with _opened(folder) as vault:
        vault.search("nothing yet")
        for number in range(1_000, 1_000 + _WARM_UP + runs):
            said = _turns(folder, number)
            captured, spent = _result_of(lambda said=said: ingest.take_in(said, vault.parts))
            told["capture"].append(spent)
            names = captured.transcripts
            done, spent = _result_of(lambda names=names: extraction.extract(names, vault.parts))
            told["extract"].append(spent)
            told["index"].append(within(vault.parts.index.refresh))
            memories += done.memories
    assert memories > 0
    return {name: times[_WARM_UP:] for name, times in told.items()}


# -- conversations ---------------------------------------------------------------------------------


def talk(folder: Path, count: int) -> dict[str, Any]:
    """A file of so many turns, as lines of the generic source."""
    invented = _invented()
    with (folder / "talk.jsonl").open("w", encoding="utf-8") as stream:
        for number in range(count):
            stream.write(json.dumps(invented.turn(number)) + "\n")
    return {}


def _said(folder: Path) -> Iterator[tuple[str, str]]:
    """Id and words of each turn."""
    with (folder / "talk.jsonl").open(encoding="utf-8") as stream:
        for line in stream:
            turn = json.loads(line)
            yield turn["id"], turn["content"]


def _sample(folder: Path, count: int) -> list[str]:
    step = max(count // _ASKED_ABOUT, 1)
    return [text for _, text in islice(_said(folder), 0, None, step)]


def take_in(folder: Path, count: int) -> dict[str, Any]:
    """The turns captured; then their index, by one process."""
    with _opened(folder) as vault:
        file = folder / "talk.jsonl"
        done, taken = _result_of(
            lambda: vault.import_files("jsonl", file, extract=False, index=False)
        )
        assert done[0].new_turns == count
        built = within(vault.parts.index.refresh)
        size = size_of(vault.parts.cache / "index")
        return {"import": taken, "index": built, "size": size, "peak": peak()}


def read_only(folder: Path, _: int) -> dict[str, Any]:
    """What every importer has to do at least: each line parsed."""
    with (folder / "talk.jsonl").open("rb") as stream:
        return {"import": within(lambda: [None for line in stream if json.loads(line) is None])}


def ask_turns(folder: Path, count: int, asked: int) -> dict[str, Any]:
    """Searches of turns with what stands around them, questions of time, and recall."""
    texts = _sample(folder, count)
    with _opened(folder) as vault:
        vault.search("nothing yet")
        index = vault.parts.index
        return {
            "finder": [
                _timed(lambda words: index.find(words, "turns", 10), texts, asked, terms)
                for terms in TERMS
            ],
            "of_time": {
                name: _timed(_of_time(vault, form), texts, asked, 3, first=2 * asked)
                for name, form in _OF_TIME.items()
            },
            "whole": _timed(vault.search, texts, asked, 3, first=asked),
            "recall": _timed(vault.recall, texts, asked, 3, first=3 * asked),
            "peak": peak(),
        }  # fmt: skip


def _of_time(vault: Vault, form: str) -> Callable[[str], object]:
    """Asks the index of turns for some words in a question of time, which is read as well."""

    def ask(words: str) -> object:
        query = parse(form.format(words))
        return vault.parts.index.find(query.text, "turns", 10, query.hints(NOW[:10]))

    return ask


def turns_fts5(folder: Path, count: int, asked: int) -> dict[str, Any]:
    """The turns in the peer's index, and the same questions."""
    texts = _sample(folder, count)
    with fts5.Texts(folder / "turns.db") as peer:
        built = within(lambda: peer.build(_said(folder)))
        finder = [
            _timed(lambda words: peer.search(words, 10), texts, asked, terms) for terms in TERMS
        ]
    return {"index": built, "finder": finder, "size": size_of(folder / "turns.db")}


_PARTS: dict[str, Callable[..., dict[str, Any]]] = {
    part.__name__: part
    for part in (
        questions, ask, ask_fts5, recall, index, say, extract, talk, take_in, read_only, ask_turns,
        turns_fts5, steps,
    )
}  # fmt: skip


def main(words: Iterable[str]) -> None:
    """Print what a part measured."""
    name, folder, *given = words
    values = [int(word) if word.isdigit() else word for word in given]
    print(json.dumps(_PARTS[name](Path(folder), *values)))


if __name__ == "__main__":
    main(sys.argv[1:])
