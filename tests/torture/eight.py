"""`make torture`: eight processes at one vault: the daemon, four commands, two editors, a reader.

What any of them was told to be done is there in the end: every turn is accounted for, no edit of a
person is gone, no command failed but for the lock, and nobody ever saw half a file.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from engram.vault import Vault
from tests.accounting import account, doubles, said
from tests.background import Background, speaker
from tests.effort import EFFORT
from tests.kit import takes_every_turn, turns

_SECONDS = 6.0 * EFFORT
#: numbers of what the agent, `capture -` and `import` say, apart from each other
_AGENT, _CAPTURE, _IMPORT = 0, 100_000, 200_000

_COMMAND = """
import json, os, subprocess, sys, time
from pathlib import Path
from tests.accounting import said
kind, seconds, folder, first, *names = sys.argv[1:]
end, count, done, failed = time.monotonic() + float(seconds), 0, [], []

def row(number):
    one = said(number)
    return json.dumps({"role": one.role, "content": one.text, "session": kind, "id": one.token})

while time.monotonic() < end:
    numbers = range(int(first) + count, int(first) + count + 3)
    words, given = [kind], ""
    if kind == "remember":
        words.append(f"The {kind} gate {count} opens at noon.")
    elif kind == "capture":
        words, given = ["capture", "-"], "".join(row(number) + "\\n" for number in numbers)
    elif kind == "import":
        path = Path(folder, f"in-{count}.jsonl")
        path.write_text("".join(row(number) + "\\n" for number in numbers))
        words += ["jsonl", str(path)]
    else:
        words.append(names[count % len(names)])
    ran = subprocess.run(
        [sys.executable, "-m", "engram", *words], input=given, text=True, capture_output=True
    )
    if ran.returncode:
        failed.append([ran.returncode, ran.stderr[-300:]])
        if ran.returncode == 3:
            continue  # locked: nothing was done, so that it is said once more
    done.append(count)
    count += 3
print(json.dumps([done, failed]))
"""

_EDITOR = """
import json, os, sys, time
from pathlib import Path
kind, seconds, *names = sys.argv[1:]
end, count, done = time.monotonic() + float(seconds), 0, []
while time.monotonic() < end:
    path, mark = Path(names[count % len(names)]), f"Marked by {kind} {count}."
    if kind == "inplace":
        with open(path, "ab", buffering=0) as stream:
            stream.write(f"\\n{mark}\\n".encode())
    else:
        saved = path.with_name(f".{path.name}.saving")
        saved.write_bytes(path.read_bytes() + f"\\n{mark}\\n".encode())
        os.replace(saved, path)
    done.append([path.name, mark])
    count += 1
    time.sleep(0.05)
print(json.dumps(done))
"""

_READER = """
import json, subprocess, sys, time
from pathlib import Path
root, seconds = Path(sys.argv[1]), float(sys.argv[2])
end, looked, torn, failed = time.monotonic() + seconds, 0, [], []
while time.monotonic() < end:
    for path in sorted((root / "facts").rglob("*.md")):
        if path.name.startswith("."):
            continue
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            continue
        looked += 1
        whole = data.startswith(b"---\\n") and b"\\nid: " in data and data.count(b"\\n---\\n") == 1
        if not (whole and data.endswith(b"\\n")):
            torn.append([str(path), data[-200:].decode("utf-8", "replace")])
    ran = subprocess.run(
        [sys.executable, "-m", "engram", "search", "valve", "--json"], text=True,
        capture_output=True,
    )
    if ran.returncode or not json.loads(ran.stdout):
        failed.append([ran.returncode, ran.stdout[:200], ran.stderr[-300:]])
print(json.dumps([looked, torn, failed]))
"""


def test_eight_processes_at_one_vault_lose_and_tear_nothing(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    print(worked(tmp_path, environment, _SECONDS))


def worked(home: Path, environment: Mapping[str, str], seconds: float) -> str:
    """Let all of them work for so long; what was counted."""
    spoken = int(10 * seconds)
    with takes_every_turn(Vault.create(home / "vault", environment=environment)) as vault:
        root, now = vault.root, vault.clock.now()
        vault.capture([replace(turn, time=now) for turn in turns(60)])
        vault.flush()
        memories = list(vault.parts.catalog.memories())
        names = [memory.id for memory in memories]
        files = [str(root / memory.path) for memory in memories]
    drop = home / "drop"
    drop.mkdir()
    with Background(home, root, environment) as daemon:
        daemon.start()
        daemon.wait_until_it_runs()
        lasting = str(seconds)
        agent = speaker(daemon.projects, _AGENT, spoken, 4, seconds)

        def run(code: str, *arguments: str) -> subprocess.Popen[str]:
            return subprocess.Popen(
                [sys.executable, "-c", code, *arguments],
                env=daemon.environment, stdout=subprocess.PIPE, text=True,
            )  # fmt: skip

        commands = {
            "remember": run(_COMMAND, "remember", lasting, str(drop), "0"),
            "capture": run(_COMMAND, "capture", lasting, str(drop), str(_CAPTURE)),
            "import": run(_COMMAND, "import", lasting, str(drop), str(_IMPORT)),
            "confirm": run(_COMMAND, "confirm", lasting, str(drop), "0", *names[:20]),
        }
        editors = [
            run(_EDITOR, "inplace", lasting, *files[20:40]),
            run(_EDITOR, "replace", lasting, *files[40:]),
        ]
        reader = run(_READER, str(root), lasting)
        told = {name: json.loads(_out(process)) for name, process in commands.items()}
        edits = [edit for editor in editors for edit in json.loads(_out(editor))]
        looked, torn, unfound = json.loads(_out(reader))
        assert agent.wait() == 0
        daemon.wait_until_done(range(spoken))
        daemon.stop()
        errors = [row for row in daemon.log() if row["level"] == "error"]
    assert (torn, unfound, errors) == ([], [], [])
    refused = {name: failed for name, (_, failed) in told.items()}
    assert all(code == 3 for failed in refused.values() for code, _ in failed), refused
    with Vault.open(root, environment=environment) as after:
        after.flush()
        assert after.doctor() == []
        texts = [memory.text for memory in after.parts.catalog.memories()]
    here = {path.name: path.read_text("utf-8") for path in root.rglob("*-*.md")}
    missing = [edit for edit in edits if edit[1] not in here[edit[0]]]
    assert not missing, f"{len(missing)} of {len(edits)} edits are gone, as {missing[:3]}"
    for count in told["remember"][0]:
        assert texts.count(f"The remember gate {count} opens at noon.") == 1
    everything = [
        said(first + number)
        for first, counts in ((_CAPTURE, told["capture"][0]), (_IMPORT, told["import"][0]))
        for count in counts
        for number in range(count, count + 3)
    ]
    everything += [said(_AGENT + number) for number in range(spoken)]
    counted = account(root, everything, settled=True)
    assert doubles(root) == []
    return (
        f"{seconds:.0f} s: {dict(counted)} turns,"
        f" { {name: len(done) for name, (done, _) in told.items()} } commands, locked out"
        f" {sum(map(len, refused.values()))} times, {len(edits)} edits, {looked} files read"
    )


def _out(process: subprocess.Popen[str]) -> str:
    out, _ = process.communicate(timeout=300)
    assert process.returncode == 0
    return out
