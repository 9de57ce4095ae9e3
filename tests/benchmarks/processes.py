"""Processes and what they take: runs a command, and tells CPU, wall time and peak memory of it.

A whole process is timed from outside, by what the system counted for it; what happens within one
process is timed there. `scratch_place` is a folder with a home of its own for every program that
is compared. CPU time is what to quote: wall time is that of a machine that others use too.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles

from tests.benchmarks import fts5

NOW = "2026-03-06T12:00:00Z"
ROOT = Path(__file__).parents[2]
#: as the installed command does it
ENGRAM = (sys.executable, "-c", "from engram.surfaces.entry import main; main()")
FTS5 = (sys.executable, str(Path(fts5.__file__)))


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


def megabytes(size: float) -> str:
    """A size."""
    return f"{size / 1e6:.1f} MB"


def of_process(
    command: Sequence[str], environment: Mapping[str, str], folder: Path,
    ends: Iterable[int] = (0,), said: str = "",
) -> tuple[Taken, str]:  # fmt: skip
    """What a whole process took that was told `said`, and what it printed.

    Raises RuntimeError when it ends with another code than one of `ends`.
    """
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8") as given,
        tempfile.TemporaryFile("w+", encoding="utf-8") as out,
        tempfile.TemporaryFile() as errors,
    ):
        given.write(said)
        given.seek(0)
        start = time.perf_counter()
        process = subprocess.Popen(
            command, env=environment, cwd=folder, stdin=given, stdout=out, stderr=errors
        )
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        if process.returncode not in ends:
            errors.seek(0)
            told = errors.read().decode("utf-8", "replace")
            raise RuntimeError(f"{shlex.join(command[:4])} failed: {told}")
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
    """Medians of some runs, and the largest peak."""
    return Taken(
        median(one.cpu for one in runs), median(one.wall for one in runs),
        max(one.peak for one in runs),
    )  # fmt: skip


def total(steps: Sequence[Taken]) -> Taken:
    """What several processes took one after the other, and the largest peak."""
    return Taken(
        sum(one.cpu for one in steps), sum(one.wall for one in steps),
        max(one.peak for one in steps),
    )  # fmt: skip


def peak() -> int:
    """The most memory that this process had, bytes."""
    status = Path("/proc/self/status")
    if status.exists():
        # of this program alone: ru_maxrss on Linux counts the process that started it as well
        lines = status.read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) * 1024
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def peak_of(runs: Iterable[Taken]) -> str:
    """The most memory of some processes; that of a process counts the one that started it."""
    most, own = max(one.peak for one in runs), peak()
    return megabytes(most) if most > own * 1.02 else f"< {megabytes(own)}"


def used_by(process: int) -> tuple[float, int]:
    """Seconds of CPU that a process has taken so far, and its memory in bytes; Linux only."""
    fields = Path(f"/proc/{process}/stat").read_text("ascii").rpartition(")")[2].split()
    ticks, pages = int(fields[11]) + int(fields[12]), int(fields[21])
    return ticks / os.sysconf("SC_CLK_TCK"), pages * os.sysconf("SC_PAGE_SIZE")


def size_of(path: Path) -> int:
    """Bytes of a file, or of all files in a folder."""
    files = [path] if path.is_file() else path.rglob("*")
    return sum(file.stat().st_size for file in files if file.is_file())


def edit(file: Path, word: str) -> None:
    """Add a word to the statement of a memory, as a person would."""
    header, rule, body = file.read_text(encoding="utf-8").partition("\n---\n")
    if not rule:
        header, body = "", header
    file.write_text(f"{header}{rule}{word} {body.lstrip()}", encoding="utf-8")


def peers() -> dict[str, str]:
    """The other programs that are here, by name; says which are not."""
    found = {name: shutil.which(program) for name, program in (("qmd", "qmd"), ("ripgrep", "rg"))}
    for name, program in found.items():
        if program is None:
            print(f"{name} is not on this machine: no figures of it")
    if not fts5.available():
        print("this SQLite has no FTS5: no figures of it")
    return {name: program for name, program in found.items() if program is not None}


def compiled(folder: Path) -> str:
    """Where byte code lies: in the folder of the run, if the environment does not say so."""
    return os.environ.get("PYTHONPYCACHEPREFIX", str(folder / "compiled"))


@contextmanager
def compiled_before() -> Iterator[None]:
    """Byte code of every place in one folder, where a first vault has put it: none compiles again.

    If the environment says where byte code lies, it is there already.
    """
    if "PYTHONPYCACHEPREFIX" in os.environ:
        yield
        return
    with tempfile.TemporaryDirectory(prefix="engram-bench-", ignore_cleanup_errors=True) as name:
        os.environ["PYTHONPYCACHEPREFIX"] = name
        try:
            with scratch_place() as here:
                for words in (("init", str(here.vault)), ("search", "valve"), ("rebuild",)):
                    here.engram(*words)
            yield
        finally:
            del os.environ["PYTHONPYCACHEPREFIX"]


@dataclass(frozen=True, slots=True)
class Place:
    """A folder with a vault in it, and how to run things there."""

    folder: Path
    environment: Mapping[str, str]

    @property
    def vault(self) -> Path:
        """The vault's folder, which need not be there."""
        return self.folder / "vault"

    @property
    def home(self) -> Path:
        """What the program keeps on this machine: caches, and which vaults it trusts."""
        return self.folder / "home"

    def run(self, *command: str, ends: Iterable[int] = (0,), said: str = "") -> Taken:
        """What a process took that was told `said`."""
        return of_process(command, self.environment, self.folder, ends, said)[0]

    def engram(self, *words: str, said: str = "") -> Taken:
        """What a command of the program took."""
        return self.run(*ENGRAM, *words, said=said)

    def asked(self, *words: str) -> tuple[Taken, str]:
        """What a command of the program took, and what it printed."""
        return of_process((*ENGRAM, *words), self.environment, self.folder)


@contextmanager
def scratch_place() -> Iterator[Place]:
    """A folder for one measurement, with a home of its own for every program."""
    with tempfile.TemporaryDirectory(
        prefix="engram-bench-",
        ignore_cleanup_errors=True,  # what a hook began may still write
    ) as name:
        yield place_in(Path(name))


def place_in(folder: Path) -> Place:
    """The place in an empty folder."""
    kept = {key: os.environ[key] for key in ("PATH", "LANG") if key in os.environ}
    return Place(
        folder,
        kept | {
            "ENGRAM_HOME": str(folder / "home"), "ENGRAM_VAULT": str(folder / "vault"),
            "ENGRAM_CLOCK": NOW, "HOME": str(folder), "PYTHONPATH": str(ROOT),
            "PYTHONPYCACHEPREFIX": compiled(folder),
            "XDG_CACHE_HOME": str(folder / "caches"),
            "XDG_CONFIG_HOME": str(folder / "settings"),
        },
    )  # fmt: skip
