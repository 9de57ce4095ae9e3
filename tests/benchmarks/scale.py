"""How it goes with size: `python -m tests.benchmarks.scale [--sizes 1000,10000] [--large]`.

Vaults of invented memories (`invented`) and, beside them, of invented conversations: the index
made anew, a file edited by hand until the edit is found, a search by a process of its own, searches
by one that stays open, memory and size. In the same run the same is done by SQLite's FTS5 on the
same texts, and by qmd and ripgrep where they are on this machine. `--large` adds 100,000 turns, and
the index alone of 100,000 memories: taking up their files takes most of an hour, so that a whole
vault of them is measured only when asked for (`--sizes 100000`).

A cell is `CPU seconds (wall seconds)`, and behind a peer's the ratio of CPU time, engram to peer.
Each process is timed from outside; what happens within one process is timed there.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from statistics import mean, median, quantiles
from typing import Any

from tests.benchmarks import fts5

_NOW = "2026-03-06T12:00:00Z"
_ROOT = Path(__file__).parents[2]
#: as the installed command does it
_ENGRAM = (sys.executable, "-c", "from engram.surfaces.entry import main; main()")
_FTS5 = (sys.executable, str(Path(fts5.__file__)))
_TERMS = range(1, 6)
#: questions of each length that are not timed
_WARM_UP = 5
#: questions of time for three words, of a day on which something is said at every size
_OF_TIME = {"when": "when did the {}?", "a day": "what about {} on 12 January 2024?"}
#: a hand edit that so many searches do not find is not found
_TRIES = 10
#: what is measured, at how many -> the most CPU seconds it may take
TARGETS = {
    ("rebuild: index from the catalog", 10_000): 3.0,
    ("hand edit until found, open: p95", 10_000): 0.1,
    ("cold search --json", 10_000): 0.2,
    ("3 words, finder: p50", 100_000): 0.010,
    ("3 words in turns, finder: p50", 100_000): 0.035,
    ("when in turns, finder: p50", 100_000): 0.080,
}


# -- time ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Taken:
    """What something took: CPU and wall seconds, and the peak of its process in bytes."""

    cpu: float
    wall: float
    peak: int = 0

    def __str__(self) -> str:
        return f"{seconds(self.cpu)} ({seconds(self.wall)})"


def seconds(value: float) -> str:
    """Three digits that tell: `21.2 s`, `84 ms`, `210 µs`."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size or unit == "µs":
            shown = value / size
            return f"{shown:.{0 if shown >= 100 else 1 if shown >= 10 else 2}f} {unit}"
    raise AssertionError


def of_process(
    command: Sequence[str], environment: Mapping[str, str], folder: Path, ends: Iterable[int] = (0,)
) -> tuple[Taken, str]:
    """What a whole process took, and what it printed. Raises RuntimeError when it fails."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as out, tempfile.TemporaryFile() as errors:
        start = time.perf_counter()
        process = subprocess.Popen(
            command, env=environment, cwd=folder, stdin=subprocess.DEVNULL, stdout=out,
            stderr=errors,
        )  # fmt: skip
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        if process.returncode not in ends:
            errors.seek(0)
            said = errors.read().decode("utf-8", "replace")
            raise RuntimeError(f"{shlex.join(command[:4])} failed: {said}")
        unit = 1 if sys.platform == "darwin" else 1024
        return Taken(used.ru_utime + used.ru_stime, wall, used.ru_maxrss * unit), out.read()


def within(action: Callable[[], object]) -> tuple[float, float]:
    """CPU and wall seconds of an action in this process."""
    cpu, wall = time.process_time(), time.perf_counter()
    action()
    return time.process_time() - cpu, time.perf_counter() - wall


def share(times: Sequence[Sequence[float]], percent: int) -> Taken:
    """A percentile of CPU and of wall seconds, each of its own."""
    cpu, wall = ([one[place] for one in times] for place in (0, 1))
    if len(times) == 1:
        return Taken(cpu[0], wall[0])
    return Taken(*(quantiles(part, n=100, method="inclusive")[percent - 1] for part in (cpu, wall)))


def middle(runs: Sequence[Taken]) -> Taken:
    """Medians of some runs."""
    return Taken(
        median(one.cpu for one in runs), median(one.wall for one in runs),
        max(one.peak for one in runs),
    )  # fmt: skip


# -- the table -------------------------------------------------------------------------------------


@dataclass(slots=True)
class Table:
    """Rows by what was measured, cells by who did it, engram first."""

    title: str
    count: int
    rows: dict[str, dict[str, Taken | str]] = field(default_factory=dict)

    def put(self, what: str, who: str, value: Taken | str) -> None:
        """Fill a cell."""
        self.rows.setdefault(what, {})[who] = value

    def print(self) -> None:
        """To standard output, as Markdown."""
        names = list(dict.fromkeys(name for row in self.rows.values() for name in row))
        print(f"\n{self.title}\n")
        print(f"| | {' | '.join(names)} | wanted |")
        print(f"|---|{'---|' * len(names)}---|")
        for what, row in self.rows.items():
            cells = [_cell(row.get(name), row.get("engram")) for name in names]
            wanted = TARGETS.get((what, self.count))
            print(f"| {what} | {' | '.join(cells)} | {seconds(wanted) if wanted else ''} |")
        sys.stdout.flush()


def _cell(value: Taken | str | None, own: Taken | str | None) -> str:
    if value is None:
        return ""
    if isinstance(value, Taken) and isinstance(own, Taken) and value is not own:
        ratio = own.cpu / max(value.cpu, 1e-9)
        return f"{value} {ratio:.{0 if ratio >= 10 else 1 if ratio >= 1 else 2}f}x"
    return str(value)


def megabytes(size: float) -> str:
    """A size."""
    return f"{size / 1e6:.1f} MB"


def peak_of(runs: Iterable[Taken]) -> str:
    """The most memory of some processes; that of a process counts the one that started it."""
    most, own = max(one.peak for one in runs), peak()
    return megabytes(most) if most > own * 1.02 else f"< {megabytes(own)}"


def _size_of(path: Path) -> int:
    files = [path] if path.is_file() else path.rglob("*")
    return sum(file.stat().st_size for file in files if file.is_file())


# -- memories, from outside ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Place:
    """A folder with a vault in it, and how to run things there."""

    folder: Path
    environment: Mapping[str, str]

    @property
    def vault(self) -> Path:
        return self.folder / "vault"

    @property
    def database(self) -> Path:
        return self.folder / "fts5.db"

    def run(self, *command: str, ends: Iterable[int] = (0,)) -> Taken:
        """What a process took."""
        return of_process(command, self.environment, self.folder, ends)[0]

    def part(self, name: str, *words: object) -> dict[str, Any]:
        """What a part of this program measured in a process of its own."""
        command = (sys.executable, "-m", __name__.replace("__main__", "tests.benchmarks.scale"))
        given = ("--part", name, str(self.folder), *map(str, words))
        told = of_process((*command, *given), self.environment, self.folder)[1]
        found: dict[str, Any] = json.loads(told.splitlines()[-1])
        return found

    def engram(self, *words: str) -> Taken:
        return self.run(*_ENGRAM, *words)


def compiled(folder: Path) -> str:
    """Where byte code lies: in the folder of the run, if the environment does not say so."""
    return os.environ.get("PYTHONPYCACHEPREFIX", str(folder / "compiled"))


@contextmanager
def place() -> Iterator[Place]:
    """A folder for one table, with a home of its own for every program."""
    with tempfile.TemporaryDirectory(prefix="engram-bench-") as name:
        folder = Path(name)
        kept = {key: os.environ[key] for key in ("PATH", "LANG") if key in os.environ}
        yield Place(
            folder,
            kept | {
                "ENGRAM_HOME": str(folder / "home"), "ENGRAM_VAULT": str(folder / "vault"),
                "ENGRAM_CLOCK": _NOW, "HOME": str(folder), "PYTHONPATH": str(_ROOT),
                "PYTHONPYCACHEPREFIX": compiled(folder),
                "XDG_CACHE_HOME": str(folder / "caches"),
                "XDG_CONFIG_HOME": str(folder / "settings"),
            },
        )  # fmt: skip


def peers() -> dict[str, str]:
    """The other programs that are here, by name; says which are not."""
    found = {name: shutil.which(program) for name, program in (("qmd", "qmd"), ("ripgrep", "rg"))}
    for name, program in found.items():
        if program is None:
            print(f"{name} is not on this machine: no figures of it")
    if not fts5.available():
        print("this SQLite has no FTS5: no figures of it")
    return {name: program for name, program in found.items() if program is not None}


def memories(count: int, runs: int, questions: int, others: Mapping[str, str]) -> Table:
    """Everything that is measured on a vault of so many memories."""
    table = Table(f"{count:,} memories", count)
    with place() as here:
        made = here.part("furnish", count)
        with_fts5 = fts5.available()
        table.put("files taken up the first time", "engram", Taken(*made["taken_up"]))
        _rebuilds(table, here, runs if count < 50_000 else 1, others, with_fts5)
        told = here.part("index", min(runs, 3) if count < 50_000 else 1)
        table.title += f" ({made['bytes'] / 1e6:.1f} MB of files, {told['postings']:,} postings)"
        for who in ("engram", "FTS5"):
            if who in told:
                taken = middle([Taken(*one) for one in told[who]])
                table.put("rebuild: index from the catalog", who, taken)
                each = f"{taken.cpu / told['postings'] * 1e6:.2f} µs"
                table.put("... for each posting", who, each)
        _warm(table, here, questions, with_fts5)
        _edits(table, here, max(runs * 4, 2), others, with_fts5)
        _cold(table, here, questions, runs, others, with_fts5)
        table.put("on disk", "engram", megabytes(told["size"]))
        table.put("... and the catalog", "engram", megabytes(told["catalog"]))
        if with_fts5:
            table.put("on disk", "FTS5", megabytes(_size_of(here.database)))
        if "qmd" in others:
            table.put("on disk", "qmd", megabytes(_size_of(here.folder / "caches")))
    return table


def _rebuilds(
    table: Table, here: Place, runs: int, others: Mapping[str, str], with_fts5: bool
) -> None:
    """Everything anew from the files, by whole processes that take turns."""
    taken: dict[str, list[Taken]] = {}
    for _ in range(runs):
        taken.setdefault("engram", []).append(here.engram("rebuild"))
        if with_fts5:
            built = here.run(*_FTS5, "build", str(here.vault), str(here.database))
            taken.setdefault("FTS5", []).append(built)
        if "qmd" in others:
            shutil.rmtree(here.folder / "caches", ignore_errors=True)
            shutil.rmtree(here.folder / "settings", ignore_errors=True)
            facts = str(here.vault / "facts")
            built = here.run(others["qmd"], "collection", "add", facts, "--name", "facts")
            taken.setdefault("qmd", []).append(built)
    for who, times in taken.items():
        table.put("rebuild: from the files, whole process", who, middle(times))
        table.put("... peak memory", who, peak_of(times))


def _warm(table: Table, here: Place, questions: int, with_fts5: bool) -> None:
    """Searches by a process that stays open."""
    told = {"engram": here.part("ask", questions)}
    if with_fts5:
        told["FTS5"] = here.part("ask-fts5", questions)
    for terms in _TERMS:
        words = f"{terms} word{'s' if terms > 1 else ''}"
        for who, found in told.items():
            times = found["finder"][terms - 1]
            table.put(f"{words}, finder: p50", who, share(times, 50))
            table.put(f"{words}, finder: p95", who, share(times, 95))
    times = told["engram"]["whole"]
    table.put("3 words, the whole search: p50", "engram", share(times, 50))
    table.put("3 words, the whole search: p95", "engram", share(times, 95))
    looked_at = told["engram"]["postings"]
    for who, found in told.items():
        spent = sum(cpu for times in found["finder"] for cpu, _ in times)
        table.put("finder, for each posting", who, f"{spent / max(looked_at, 1) * 1e6:.2f} µs")
        table.put("open process, peak memory", who, megabytes(found["peak"]))


def _edits(
    table: Table, here: Place, edits: int, others: Mapping[str, str], with_fts5: bool
) -> None:
    """A file edited by hand, until a search finds what is new in it."""
    told = here.part("edit", edits, int(with_fts5))
    for who in ("engram", "FTS5"):
        for percent in (50, 95) if who == "engram" or with_fts5 else ():
            found = share(told[who], percent) if told[who] else "never"
            table.put(f"hand edit until found, open: p{percent}", who, found)
    table.put("... settled without a limit: p50", "engram", share(told["patient"], 50))
    table.put("... settled without a limit: p95", "engram", share(told["patient"], 95))
    tries = f"{mean(told['tries']):.1f} searches" if told["tries"] else "none"
    lost = f", {told['lost']} of {edits} never" if told["lost"] else ""
    table.put("... found by", "engram", tries + lost)
    files = sorted((here.vault / "facts").rglob("*.md"))
    taken: dict[str, list[Taken]] = {}
    lost = 0
    for number in range(max(edits // 4, 1)):
        word = f"zyq{number}cold"
        edit(files[(number * 7919 + 11) % len(files)], word)
        found = False
        spent = []
        while not found and len(spent) < _TRIES:
            one, told_now = of_process(
                (*_ENGRAM, "search", "--json", word), here.environment, here.folder
            )
            spent.append(one)
            found = bool(json.loads(told_now))
        if found:
            taken.setdefault("engram", []).append(_sum(spent))
        lost += not found
        if "qmd" in others:
            commands = (("update",), ("search", "--json", word))
            steps = [here.run(others["qmd"], *words) for words in commands]
            taken.setdefault("qmd", []).append(_sum(steps))
    for who, times in taken.items():
        table.put("hand edit until found, cold: p50", who, middle(times))
    if lost:
        table.put("... cold, never found", "engram", f"{lost} of {max(edits // 4, 1)}")


def _sum(steps: Sequence[Taken]) -> Taken:
    return Taken(sum(one.cpu for one in steps), sum(one.wall for one in steps))


def _cold(
    table: Table, here: Place, questions: int, runs: int, others: Mapping[str, str],
    with_fts5: bool,
) -> None:  # fmt: skip
    """Searches by processes of their own, which take turns; the first round is not counted."""
    asked = here.part("questions", questions)["questions"]
    taken: dict[str, list[Taken]] = {}
    for number in range(runs * 2 + 1):
        words = asked[number % len(asked)].split()
        commands: dict[str, tuple[str, ...]] = {"engram": (*_ENGRAM, "search", "--json", *words)}
        if with_fts5:
            commands["FTS5"] = (*_FTS5, "search", str(here.database), *words)
        if "qmd" in others:
            commands["qmd"] = (others["qmd"], "search", "--json", " ".join(words))
        if "ripgrep" in others:
            patterns = (piece for word in words for piece in ("-e", word))
            commands["ripgrep"] = (others["ripgrep"], "-liF", *patterns, str(here.vault / "facts"))
        commands["python -c pass"] = (sys.executable, "-c", "pass")
        for who, command in commands.items():
            one = here.run(*command, ends=(0, 1) if who == "ripgrep" else (0,))
            if number:
                taken.setdefault(who, []).append(one)
    for who, times in taken.items():
        table.put("cold search --json", who, middle(times))
        table.put("... cold, peak memory", who, peak_of(times))


def edit(file: Path, word: str) -> None:
    """Add a word to the statement of a memory, as a person would."""
    header, rule, body = file.read_text(encoding="utf-8").partition("\n---\n")
    file.write_text(f"{header}{rule}{word} {body.lstrip()}", encoding="utf-8")


def index_alone(count: int, questions: int) -> Table:
    """What is measured on an index of so many memories without their files."""
    table = Table(f"{count:,} memories, the index without a vault", count)
    with place() as here:
        told = here.part("finder", count, questions, int(fts5.available()))
        table.title += f" ({told['postings']:,} postings)"
        for who in ("engram", "FTS5"):
            if who not in told:
                continue
            found = told[who]
            table.put("index of documents", who, Taken(*found["built"]))
            for terms in _TERMS:
                words = f"{terms} word{'s' if terms > 1 else ''}, finder"
                table.put(f"{words}: p50", who, share(found["finder"][terms - 1], 50))
                table.put(f"{words}: p95", who, share(found["finder"][terms - 1], 95))
            spent = sum(cpu for times in found["finder"] for cpu, _ in times)
            each = f"{spent / max(told['looked_at'], 1) * 1e6:.2f} µs"
            table.put("finder, for each posting", who, each)
            table.put("on disk", who, megabytes(found["size"]))
    return table


def turns(count: int, questions: int) -> Table:
    """What is measured on conversations of so many turns."""
    table = Table(f"{count:,} turns", count)
    with place() as here:
        told = here.part("turns", count, questions, int(fts5.available()))
        table.title += f" ({told['postings']:,} postings)"
        for who in ("engram", "FTS5"):
            if who not in told:
                continue
            found = told[who]
            table.put("index of turns", who, Taken(*found["built"]))
            for terms in _TERMS:
                words = f"{terms} word{'s' if terms > 1 else ''} in turns, finder"
                table.put(f"{words}: p50", who, share(found["finder"][terms - 1], 50))
                table.put(f"{words}: p95", who, share(found["finder"][terms - 1], 95))
            table.put("on disk", who, megabytes(found["size"]))
        for name, times in told["engram"]["of_time"].items():
            table.put(f"{name} in turns, finder: p50", "engram", share(times, 50))
            table.put(f"{name} in turns, finder: p95", "engram", share(times, 95))
        table.put("3 words, the whole search: p50", "engram", share(told["engram"]["whole"], 50))
        table.put("3 words, the whole search: p95", "engram", share(told["engram"]["whole"], 95))
        table.put("open process, peak memory", "engram", megabytes(told["engram"]["peak"]))
    return table


# -- what is measured in a process of its own ------------------------------------------------------


def _opened(folder: Path) -> Any:
    """The vault of a folder; a `Vault`."""
    from engram.store.base.clock import FixedClock
    from engram.vault import Vault

    environment = {"ENGRAM_HOME": str(folder / "home"), "HOME": str(folder)}
    root, clock = folder / "vault", FixedClock(_NOW)
    if root.exists():
        return Vault.open(root, environment=environment, clock=clock)
    return Vault.create(root, environment=environment, clock=clock)


def _bags(texts: Mapping[str, str]) -> dict[str, int]:
    """How many of the texts hold each term."""
    from collections import Counter

    from engram.language.tokens import terms

    return Counter(term for text in texts.values() for term in set(terms(text)))


def _texts(vault: Any) -> dict[str, str]:
    from engram.queries.index_sync import document_of

    return {memory.id: document_of(memory).body for memory in vault.parts.catalog.memories()}


def peak() -> int:
    """The most memory that this process had, bytes."""
    status = Path("/proc/self/status")
    if status.exists():
        # of this program alone: ru_maxrss on Linux counts the process that started it as well
        lines = status.read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) * 1024
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def part_furnish(folder: Path, count: int) -> dict[str, Any]:
    """A vault of so many memories, taken up."""
    from tests.benchmarks.invented import write_memories

    with _opened(folder) as vault:
        write_memories(vault.root, _words().memories(count))
        taken = within(vault.rebuild)
        texts = _texts(vault)
        assert len(texts) == count
    (folder / "texts.json").write_text(json.dumps(texts), encoding="utf-8")
    return {"bytes": _size_of(folder / "vault" / "facts"), "taken_up": taken}


def _saved(folder: Path) -> dict[str, str]:
    found: dict[str, str] = json.loads((folder / "texts.json").read_text(encoding="utf-8"))
    return found


def part_index(folder: Path, runs: int) -> dict[str, Any]:
    """The index alone, anew; and how large it is."""
    texts = _saved(folder)
    told: dict[str, Any] = {"engram": [], "postings": sum(_bags(texts).values())}
    with _opened(folder) as vault:
        for number in range(runs + 1):
            taken = within(vault.parts.index.rebuild)
            if number or runs == 1:
                told["engram"].append(taken)
            if fts5.available():
                path = folder / "alone.db"
                with fts5.Texts(path) as peer:
                    taken = within(lambda peer=peer: peer.build(texts.items()))
                told.setdefault("FTS5", []).append(taken)
                path.unlink()
        told["size"] = _size_of(vault.parts.cache / "index")
        told["catalog"] = _size_of(vault.parts.cache) - told["size"]
    return told


@cache
def _words() -> Any:
    """The vocabulary, an `Invented`; making it takes a third of a second."""
    from tests.benchmarks.invented import Invented

    return Invented()


def _asked(texts: Sequence[str], count: int, terms: int, first: int = 0) -> list[str]:
    words = _words()
    return [words.question(number, terms, texts) for number in range(first, first + count)]


def part_questions(folder: Path, count: int) -> dict[str, Any]:
    """Questions of three words."""
    return {"questions": _asked(list(_saved(folder).values()), count, 3)}


def _timed(
    ask: Callable[[str], object], texts: Sequence[str], count: int, terms: int, first: int = 0
) -> list[tuple[float, float]]:
    """Each question once, after a few others."""
    for question in _asked(texts, _WARM_UP, terms, first=1_000_000):
        ask(question)
    return [
        within(lambda question=question: ask(question))
        for question in _asked(texts, count, terms, first)
    ]


def part_ask(folder: Path, count: int) -> dict[str, Any]:
    """Searches of memories by one process: the index alone, then all that a user gets."""
    texts = list(_saved(folder).values())
    with _opened(folder) as vault:
        vault.search("nothing yet")
        finder = [
            _timed(lambda words: vault.parts.index.find(words, "memories", 10), texts, count, terms)
            for terms in _TERMS
        ]
        whole = _timed(vault.search, texts, count, 3, first=count)
        return {
            "finder": finder, "whole": whole, "peak": peak(),
            "postings": _looked_at(_saved(folder), texts, count),
        }  # fmt: skip


def _looked_at(saved: Mapping[str, str], texts: Sequence[str], count: int) -> int:
    """How many postings the terms of all questions have."""
    from engram.language.tokens import query_terms

    held = _bags(saved)
    asked = (one for terms in _TERMS for one in _asked(texts, count, terms))
    return sum(held[term] for question in asked for term in query_terms(question))


def part_ask_fts5(folder: Path, count: int) -> dict[str, Any]:
    """The same questions to the peer."""
    texts = list(_saved(folder).values())
    with fts5.Texts(folder / "fts5.db") as peer:
        finder = [
            _timed(lambda words: peer.search(words, 10), texts, count, terms) for terms in _TERMS
        ]
    return {"finder": finder, "peak": peak()}


def part_edit(folder: Path, count: int, with_fts5: int) -> dict[str, Any]:
    """Files edited by hand, by a process that stays open."""
    told: dict[str, Any] = {"engram": [], "FTS5": [], "patient": [], "tries": [], "lost": 0}
    with _opened(folder) as vault, fts5.Texts(folder / "fts5.db") as peer:
        if with_fts5:
            peer.remember_rows()
        files = sorted((vault.root / "facts").rglob("*.md"))
        vault.search("nothing yet")

        def edited(number: int) -> tuple[Path, str]:
            file, word = files[(number * 104_729 + 5) % len(files)], f"zyq{number}warm"
            edit(file, word)
            return file, word

        for number in range(count):
            file, word = edited(number)
            asked: list[bool] = []

            def until_found(word: str = word, asked: list[bool] = asked) -> None:
                while not any(asked) and len(asked) < _TRIES:
                    asked.append(bool(vault.search(word, limit=1).memories))

            taken = within(until_found)
            if any(asked):
                told["engram"].append(taken)
                told["tries"].append(len(asked))
            else:
                told["lost"] += 1
            if with_fts5:
                told["FTS5"].append(
                    within(lambda file=file, word=word: _replaced(peer, file, word))
                )
        vault.parts.settler.within(float("inf"))
        for number in range(count, 2 * count):
            _, word = edited(number)
            told["patient"].append(within(lambda word=word: _settled(vault, word)))
    return told


def _settled(vault: Any, word: str) -> None:
    vault.parts.settler.within(float("inf"))
    assert vault.search(word, limit=1).memories


def _replaced(peer: fts5.Texts, file: Path, word: str) -> None:
    peer.replace(file.stem, fts5.text_of(file))
    assert peer.search(word, 1) == [file.stem]


def part_finder(folder: Path, count: int, questions: int, with_fts5: int) -> dict[str, Any]:
    """The index of memories that lie in no vault."""
    from engram.index.whoosh_finder import WhooshFinder
    from engram.queries.index_sync import document_of

    documents = [document_of(memory) for memory in _words().memories(count)]
    saved = {document.key: document.body for document in documents}
    texts = list(saved.values())
    told: dict[str, Any] = {
        "postings": sum(_bags(saved).values()), "looked_at": _looked_at(saved, texts, questions),
    }  # fmt: skip
    finder = WhooshFinder(folder / "index")
    told["engram"] = {
        "built": within(lambda: finder.rebuild(documents, seen=1)),
        "finder": [
            _timed(lambda text: finder.find(text, "memories", 10), texts, questions, terms)
            for terms in _TERMS
        ],
        "size": _size_of(folder / "index"),
    }
    if with_fts5:
        with fts5.Texts(folder / "fts5.db") as peer:
            built = within(lambda: peer.build(saved.items()))
            asked = [
                _timed(lambda text: peer.search(text, 10), texts, questions, terms)
                for terms in _TERMS
            ]
        told["FTS5"] = {"built": built, "finder": asked, "size": _size_of(folder / "fts5.db")}
    return told


def _of_time(vault: Any, form: str) -> Callable[[str], object]:
    """Asks the index of turns for some words in a question of time, which is read as well."""
    from engram.recall.query import parse

    def ask(words: str) -> object:
        query = parse(form.format(words))
        return vault.parts.index.find(query.text, "turns", 10, query.hints(_NOW[:10]))

    return ask


def part_turns(folder: Path, count: int, questions: int, with_fts5: int) -> dict[str, Any]:
    """Turns that the program captured: their index, and searches with what stands around."""
    words = _words()
    path = folder / "talk.jsonl"
    texts: dict[str, str] = {}
    with path.open("w", encoding="utf-8") as stream:
        for number in range(count):
            turn = words.turn(number)
            texts[turn["id"]] = turn["content"]
            stream.write(json.dumps(turn) + "\n")
    said = list(texts.values())
    told: dict[str, Any] = {"postings": sum(_bags(texts).values())}
    with _opened(folder) as vault:
        report, _ = vault.import_files("jsonl", path, extract=False, index=False)
        assert report.new_turns == count
        built = within(vault.parts.index.refresh)
        vault.search("nothing yet")
        told["engram"] = {
            "built": built,
            "finder": [
                _timed(
                    lambda text: vault.parts.index.find(text, "turns", 10), said, questions, terms
                )
                for terms in _TERMS
            ],
            "of_time": {
                name: _timed(_of_time(vault, form), said, questions, 3, first=2 * questions)
                for name, form in _OF_TIME.items()
            },
            "whole": _timed(vault.search, said, questions, 3, first=questions),
            "size": _size_of(vault.parts.cache / "index"),
            "peak": peak(),
        }
    if with_fts5:
        with fts5.Texts(folder / "turns.db") as peer:
            built = within(lambda: peer.build(texts.items()))
            finder = [
                _timed(lambda text: peer.search(text, 10), said, questions, terms)
                for terms in _TERMS
            ]
        size = _size_of(folder / "turns.db")
        told["FTS5"] = {"built": built, "finder": finder, "size": size}
    return told


_PARTS: dict[str, Callable[..., dict[str, Any]]] = {
    "furnish": part_furnish, "index": part_index, "questions": part_questions, "ask": part_ask,
    "ask-fts5": part_ask_fts5, "edit": part_edit, "turns": part_turns, "finder": part_finder,
}  # fmt: skip


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="1000,10000", help="memories, and turns, of each vault")
    parser.add_argument("--tables", default="memories,turns", help="which of them for each size")
    parser.add_argument("--large", action="store_true", help="100,000 of each, in part")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--questions", type=int, default=60, help="of each number of words")
    parser.add_argument("--part", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        name, folder, *given = options.part
        print(json.dumps(_PARTS[name](Path(folder), *map(int, given))))
        return
    others = peers()
    print("CPU seconds (wall seconds), and CPU of engram by CPU of the peer")
    for count in [int(size) for size in options.sizes.split(",") if size]:
        if "memories" in options.tables:
            memories(count, options.runs, options.questions, others).print()
        if "turns" in options.tables:
            turns(count, options.questions).print()
    if options.large:
        index_alone(100_000, options.questions).print()
        turns(100_000, options.questions).print()


if __name__ == "__main__":
    main()
