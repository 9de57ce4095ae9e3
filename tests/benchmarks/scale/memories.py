"""Rows of vaults of memories: from a folder of foreign notes to the second night.

Each group is a function that fills rows of a table; `adoption` makes the vault that the others
measure, and is always run. A command is a process of its own with a fresh home; those that are
repeated take turns with their peers.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from engram.daemon.rpc import messages
from tests.benchmarks.processes import (
    ENGRAM,
    FTS5,
    Place,
    Taken,
    edit,
    megabytes,
    middle,
    peak_of,
    place_in,
    scratch_place,
    share,
    size_of,
    total,
    used_by,
)  # fmt: skip
from tests.benchmarks.scale.measured import Measured, of_part
from tests.benchmarks.scale.notes import MARK, MARKED, files_of, write_notes
from tests.benchmarks.table import Table

ADOPTION = "adoption: foreign notes until all are searchable"
REBUILD = "rebuild: from the files"
CLONE = "first search after a clone, which is trusted before"
NEXT = "... the next ones"
SEARCH = "search, a process of its own"
RECALL = "recall, a process of its own"
EDIT = "edit until found, without a daemon"
EDIT_DAEMON = "edit until found, with a daemon"
EXTRACTION = "extraction of 5 turns"
EXTRACTION_COLD = "import of 5 turns, a process of its own"
HOOKS = {"session-start": "hook: session-start", "prompt": "hook: prompt"}
NIGHT, SECOND_NIGHT = "night: the first", "night: the second"
#: what is measured, at how many -> the most CPU seconds it may take
WANTED = {
    (ADOPTION, 10_000): 5.0,
    (ADOPTION, 100_000): 60.0,
    (REBUILD, 10_000): 4.0,
    (CLONE, 10_000): 6.0,
    (NEXT, 10_000): 0.25,
    (f"{EDIT_DAEMON}: p95", 10_000): 0.1,
    (f"{EDIT}: p95", 10_000): 0.25,
    (f"{EXTRACTION}: p50", 10_000): 0.010,
    (HOOKS["session-start"], 10_000): 0.1,
    (HOOKS["prompt"], 10_000): 0.1,
    (NIGHT, 10_000): 6.0,
    (NIGHT, 100_000): 90.0,
    ("3 words, finder: p50", 100_000): 0.010,
}
TERMS = (1, 3, 5)
#: the steps of an adoption are timed with so many notes
_STEPS = 1_000
#: what is not searchable, or not found, after so many searches never will be
_TRIES = 10
#: how long a daemon is waited for, seconds
_PATIENCE = 600.0
#: how often it is looked at, seconds, and the CPU seconds that one takes meanwhile that rests
_LOOK, _RESTING = 0.5, 0.02


@dataclass(frozen=True, slots=True)
class Bench:
    """A vault of notes, how it is measured, and the table that is filled."""

    place: Place
    measured: Measured
    table: Table
    questions: Sequence[str]

    @property
    def database(self) -> Path:
        """That of FTS5, which has the same texts."""
        return self.place.folder / "fts5.db"

    def put(self, what: str, taken: dict[str, list[Taken]], *, peaks: bool = False) -> None:
        """Medians of everybody's runs; with `peaks` a row with their memory as well."""
        for who, runs in taken.items():
            self.table.put(what, who, middle(runs))
        for who, runs in taken.items() if peaks else ():
            self.table.put(f"{what}: peak memory", who, peak_of(runs))


def starts(chosen: frozenset[str], runs: int) -> dict[str, float]:
    """CPU seconds of the commands of each row in a vault without memories; medians."""
    taken: dict[str, list[Taken]] = {}
    with scratch_place() as here:
        first = total([here.engram("init", str(here.vault)), here.engram("search", MARK)])
        asked = json.dumps({"cwd": str(here.folder), "prompt": "what of the valve?"})
        said = here.folder / "said.jsonl"
        said.touch()
        commands = {
            "rebuild": {REBUILD: ("rebuild",)},
            "search": {SEARCH: ("search", "--json", "valve")},
            "recall": {RECALL: ("recall", "valve")},
            "hook": {what: ("hook", event) for event, what in HOOKS.items()},
            "extraction": {EXTRACTION_COLD: ("import", "jsonl", str(said))},
            "night": {NIGHT: ("consolidate", "--rules")},
        }
        wanted = {"search"} | chosen & commands.keys()
        for number in _rounds(runs):
            for group in wanted:
                for what, words in commands[group].items():
                    one = here.engram(*words, said=asked)
                    if number >= 0:
                        taken.setdefault(what, []).append(one)
    found = {what: middle(times).cpu for what, times in taken.items()}
    of_search = (NEXT, f"{EDIT}: p50", f"{EDIT}: p95")
    found |= dict.fromkeys(of_search, found[SEARCH]) | dict.fromkeys((ADOPTION, CLONE), first.cpu)
    return found | ({SECOND_NIGHT: found[NIGHT]} if NIGHT in found else {})


def _rounds(runs: int) -> range:
    """Numbers of runs, of which those below zero are not counted: what they read lies ready."""
    return range(-1 if runs > 1 else 0, runs)


def measure(measured: Measured, chosen: frozenset[str], folder: Path | None) -> Table:
    """The chosen groups in a vault of notes, invented or those of a folder."""
    table = Table(f"{measured.count:,} memories", measured.count, WANTED)
    with scratch_place() as here:
        write_notes(here.vault, measured.count, folder)
        table.title += f" ({megabytes(size_of(here.vault / 'facts'))} of foreign notes)"
        asked = of_part(here, "questions", measured.questions)["questions"]
        bench = Bench(here, measured, table, asked)
        for name, group in GROUPS.items():
            if name in chosen or name == "adoption":
                group(bench)
    return table


# -- the whole of it, from files -------------------------------------------------------------------


def adoption(bench: Bench) -> None:
    """A folder of notes becomes a vault, once; a peer reads the same files."""
    here, files = bench.place, files_of(bench.place.vault)
    made = here.engram("init", str(here.vault))
    found = _until(here, min(MARKED, len(files)), MARK)
    if found is None:
        raise RuntimeError("a search does not find all of the notes")
    taken = {"engram": [total([made, found])]} | _peers_read(bench)
    bench.put(ADOPTION, taken, peaks=True)
    bench.table.put("... each memory", "engram", _each(taken["engram"][0], len(files)))


def steps(bench: Bench) -> None:
    """Where the time of an adoption goes: what is computed of one note, each thing once."""
    for name, taken in of_part(bench.place, "steps", _STEPS)["steps"].items():
        bench.table.put(f"one memory: {name}", "engram", Taken(*taken))


def _each(taken: Taken, count: int) -> str:
    return f"{taken.cpu / count * 1e3:.2f} ms"


def _peers_read(bench: Bench) -> dict[str, list[Taken]]:
    """The files of the vault, read by each peer that has a database."""
    here, taken = bench.place, dict[str, list[Taken]]()
    if bench.measured.with_fts5:
        built = here.run(*FTS5, "build", str(here.vault), str(bench.database))
        taken["FTS5"] = [built]
    if bench.measured.qmd:
        shutil.rmtree(here.folder / "caches", ignore_errors=True)
        shutil.rmtree(here.folder / "settings", ignore_errors=True)
        facts = str(here.vault / "facts")
        taken["qmd"] = [here.run(bench.measured.qmd, "collection", "add", facts, "--name", "facts")]
    return taken


def _until(here: Place, wanted: int, word: str) -> Taken | None:
    """Searches, one after the other, until one finds so many; what they took together."""
    spent: list[Taken] = []
    while len(spent) < _TRIES:
        one, told = here.asked("search", "--json", "--limit", str(wanted), word)
        spent.append(one)
        if len(json.loads(told)) >= wanted:
            return total(spent)
    return None


def rebuild(bench: Bench) -> None:
    """Everything anew from the files, by whole processes that take turns; the index alone."""
    taken: dict[str, list[Taken]] = {}
    for _ in range(bench.measured.repeats):
        taken.setdefault("engram", []).append(bench.place.engram("rebuild"))
        for who, times in _peers_read(bench).items():
            taken.setdefault(who, []).extend(times)
    bench.put(REBUILD, taken, peaks=True)
    told = of_part(bench.place, "index", bench.measured.repeats)
    for who in ("engram", "FTS5"):
        if who in told:
            times = [Taken(*one) for one in told[who]]
            bench.table.put("... the index alone, from the catalog", who, middle(times))
    bench.table.put("index on disk", "engram", megabytes(told["size"]))
    bench.table.put("catalog on disk", "engram", megabytes(told["catalog"]))
    if bench.measured.with_fts5:
        bench.table.put("index on disk", "FTS5", megabytes(size_of(bench.database)))
    if bench.measured.qmd:
        held = megabytes(size_of(bench.place.folder / "caches"))
        bench.table.put("index on disk", "qmd", held)


def clone(bench: Bench) -> None:
    """The vault on a second machine: what git carries, and nothing of what was computed."""
    folder = bench.place.folder / "second"
    folder.mkdir()
    there = place_in(folder)
    ignored = shutil.ignore_patterns("state", "inbox")
    shutil.copytree(bench.place.vault, there.vault, ignore=ignored)
    trusted = there.engram("trust", str(there.vault))
    first = _until(there, min(MARKED, bench.measured.count), MARK)
    if first is None:
        raise RuntimeError("a search does not find all of the clone")
    taken = {"engram": [total([trusted, first])]}
    for who, times in _peers_read(bench).items():
        asked = bench.place.run(*_searches(bench, MARK)[who])
        taken[who] = [total([*times, asked])]
    bench.put(CLONE, taken)
    numbers = range(bench.measured.runs)
    later = [there.engram("search", "--json", *_words(bench, number)) for number in numbers]
    bench.put(NEXT, {"engram": later})
    shutil.rmtree(folder)


# -- questions -------------------------------------------------------------------------------------


def _words(bench: Bench, number: int) -> list[str]:
    return bench.questions[number % len(bench.questions)].split()


def _searches(bench: Bench, *words: str) -> dict[str, tuple[str, ...]]:
    """The command of each peer that searches for these words."""
    commands: dict[str, tuple[str, ...]] = {}
    if bench.measured.with_fts5:
        commands["FTS5"] = (*FTS5, "search", str(bench.database), *words)
    if bench.measured.qmd:
        commands["qmd"] = (bench.measured.qmd, "search", "--json", " ".join(words))
    if "ripgrep" in bench.measured.others:
        patterns = (piece for word in words for piece in ("-e", word))
        program, facts = bench.measured.others["ripgrep"], str(bench.place.vault / "facts")
        commands["ripgrep"] = (program, "-liF", *patterns, facts)
    return commands


def search(bench: Bench) -> None:
    """Searches by processes of their own, the first round not counted; then by an open one."""
    here, taken = bench.place, dict[str, list[Taken]]()
    for number in _rounds(bench.measured.runs):
        words = _words(bench, number)
        commands = {"engram": (*ENGRAM, "search", "--json", *words), **_searches(bench, *words)}
        for who, command in commands.items():
            one = here.run(*command, ends=(0, 1) if who == "ripgrep" else (0,))
            if number >= 0:
                taken.setdefault(who, []).append(one)
    bench.put(SEARCH, taken, peaks=True)
    told = {"engram": of_part(here, "ask", bench.measured.questions)}
    if bench.measured.with_fts5:
        told["FTS5"] = of_part(here, "ask_fts5", bench.measured.questions)
    for place, terms in enumerate(TERMS):
        for who, found in told.items():
            for percent in (50, 95):
                row = f"{terms} word{'s' if terms > 1 else ''}, finder: p{percent}"
                bench.table.put(row, who, share(found["finder"][place], percent))
    for percent in (50, 95):
        asked = share(told["engram"]["whole"], percent)
        bench.table.put(f"3 words, the whole search: p{percent}", "engram", asked)
    for who, found in told.items():
        bench.table.put("open process, peak memory", who, megabytes(found["peak"]))


def recall(bench: Bench) -> None:
    """What an agent is given for a question, by processes of their own and by an open one."""
    words = (_words(bench, number) for number in range(bench.measured.runs))
    bench.put(RECALL, {"engram": [bench.place.engram("recall", *one) for one in words]})
    told = of_part(bench.place, "recall", bench.measured.questions)
    for percent in (50, 95):
        bench.table.put(f"recall, open: p{percent}", "engram", share(told["recall"], percent))


def hooks(bench: Bench) -> None:
    """What an agent waits for."""
    for event, what in HOOKS.items():
        taken = []
        for number in _rounds(bench.measured.runs):
            words = " ".join(_words(bench, number))
            said = json.dumps({
                "cwd": str(bench.place.folder), "prompt": f"what about {words}?",
                "session_id": f"s{number}",
            })  # fmt: skip
            one = bench.place.engram("hook", event, said=said)
            taken += [one] if number >= 0 else []
        bench.put(what, {"engram": taken})


# -- changes ---------------------------------------------------------------------------------------


def edits(bench: Bench) -> None:
    """A file edited by hand, until a search finds what is new in it."""
    here, files = bench.place, files_of(bench.place.vault)
    count = 2 * bench.measured.runs - 1

    def edited(number: int, place: str) -> str:
        word = f"zyq{number}{place}"
        edit(files[(number * 104_729 + 5) % len(files)], word)
        return word

    cold, qmd, lost = [], [], 0
    for number in range(count):
        word = edited(number, "cold")
        found = _until(here, 1, word)
        cold += [found] if found else []
        lost += found is None
        if bench.measured.qmd and number < bench.measured.runs:
            commands = (("update",), ("search", "--json", word))
            qmd.append(total([here.run(bench.measured.qmd, *words) for words in commands]))
    with _daemon(here) as daemon:
        here.engram("search", "--json", *_words(bench, 0))
        warm = []
        for number in range(count):
            before = used_by(daemon.pid)[0]
            found = _until(here, 1, edited(number + count, "warm"))
            lost += found is None
            if found:
                spent = used_by(daemon.pid)[0] - before
                warm.append(Taken(found.cpu + spent, found.wall))
    for percent in (50, 95):
        for what, times in ((EDIT, cold), (EDIT_DAEMON, warm)):
            told = share([(one.cpu, one.wall) for one in times], percent) if times else "never"
            bench.table.put(f"{what}: p{percent}", "engram", told)
    if qmd:
        bench.table.put(f"{EDIT}: p50", "qmd", middle(qmd))
    if lost:
        bench.table.put("... never found", "engram", f"{lost} of {2 * count}")


@contextmanager
def _daemon(here: Place) -> Iterator[subprocess.Popen[bytes]]:
    """The daemon of this vault, when it has looked at everything and answers."""
    process = subprocess.Popen(
        (*ENGRAM, "daemon", "run"), env=dict(here.environment), cwd=here.folder,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        _wait(lambda: Path(messages.place(here.environment)).exists() or process.poll() is not None)
        _wait(lambda before=[-1.0]: _rests(process.pid, before))
        yield process
    finally:
        process.terminate()
        process.wait(_PATIENCE)


def _rests(process: int, before: list[float]) -> bool:
    """Whether a process took hardly any CPU since the time before, which is kept in a list."""
    now = used_by(process)[0]
    rests, before[0] = now - before[0] < _RESTING, now
    return rests


def _wait(until: Callable[[], bool]) -> None:
    end = time.monotonic() + _PATIENCE
    while not until():
        if time.monotonic() > end:
            raise RuntimeError("the daemon is not ready")
        time.sleep(_LOOK)


def extraction(bench: Bench) -> None:
    """Five turns of a conversation that state something to keep, into the memories there are."""
    told = of_part(bench.place, "extract", 4 * bench.measured.runs)
    for percent in (50, 95):
        bench.table.put(f"{EXTRACTION}: p{percent}", "engram", share(told["extract"], percent))
    bench.table.put("... their capture: p50", "engram", share(told["capture"], 50))
    bench.table.put("... the index after them: p50", "engram", share(told["index"], 50))
    taken = []
    for number in range(bench.measured.runs):
        file = bench.place.folder / f"said{number}.jsonl"
        of_part(bench.place, "say", number, file)
        taken.append(bench.place.engram("import", "jsonl", str(file)))
    bench.put(EXTRACTION_COLD, {"engram": taken})


def night(bench: Bench) -> None:
    """The first consolidation, and the one after it, which has nothing left to do."""
    for what in (NIGHT, SECOND_NIGHT):
        taken, told = bench.place.asked("consolidate", "--rules", "--json")
        bench.put(what, {"engram": [taken]}, peaks=what == NIGHT)
        steps = len(json.loads(told)["steps"])
        bench.table.put(f"... {what}, steps", "engram", f"{steps:,}")


#: in the order in which they are run: what changes the vault comes last
GROUPS: dict[str, Callable[[Bench], None]] = {
    "adoption": adoption, "steps": steps, "rebuild": rebuild, "search": search, "recall": recall,
    "hook": hooks, "clone": clone, "edit": edits, "extraction": extraction, "night": night,
}  # fmt: skip
