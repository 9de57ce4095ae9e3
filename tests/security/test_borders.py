"""Who is given what: each space and audience, by every way to an agent, and by hand."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from engram.model.memory import Memory
from engram.model.turn import turn_of
from engram.store.base.clock import FixedClock
from engram.store.files.memory_file import render_memory
from engram.surfaces.hooks.agents import AGENTS, reader_of
from engram.vault import Vault
from tests.cli.shop import Shop
from tests.golden.console import prompt_context
from tests.hooks.conversation import hook, said_by
from tests.kit import box, entity, failing, summary, write_pages

ROOT = Path(__file__).parents[2]
CLAUDE = AGENTS["claude-code"]
#: the conversation in which something was said for that session alone
SESSION = reader_of(CLAUDE, "s1").session
STATED = Memory(
    "fact-20260305-090000-00000000", "fact", "", created="2026-03-05T09:00:00Z", confidence=0.97,
    importance=0.9, authority="user_asserted", project="shop",
)  # fmt: skip
#: by a word that stands in no other; all hold "lantern"
MEMORIES = {
    "kookaburra": replace(
        STATED, text="For now the kookaburra lantern stays unlit.", space="session",
        sources=(f"{SESSION}#^m0123456789",), created="2026-03-06T09:00:00Z",
    ),
    "bettong": replace(
        STATED, text="For now the bettong lantern is broken.", space="session",
        sources=(f"{SESSION}#^m0123456789",),
    ),
    "wombat": replace(
        STATED, category="preference", space="user",
        text="The user prefers small commits with one topic each, wombat lantern style.",
    ),
    "numbat": replace(STATED, space="user", text="The user's daughter keeps a numbat lantern."),
    "quokka": replace(STATED, text="The shop database is backed up by the quokka lantern."),
    "bilby": replace(STATED, text="My daughter hid the bilby lantern in the garden."),
    "echidna": replace(STATED, project="", text="The echidna lantern stands in the cellar."),
    "dugong": replace(STATED, space="system", text="Every release gets a dugong lantern."),
    "galah": replace(STATED, text="The galah lantern has the password is hunter2hunter2."),
    "currawong": replace(
        STATED, text="The currawong lantern lights the server.", expires="2026-03-06"
    ),
    "brolga": replace(
        STATED, category="decision", text="The brolga lantern is the build server.",
        expires="2026-03-06",
    ),
}  # fmt: skip


class Place(NamedTuple):
    """A folder, and the session of an agent that works in it; none: the person is there."""

    folder: str
    session: str = ""


AGENTS_AT = Place("shop", "s1"), Place("shop", "s2"), Place("till", "s3"), Place("elsewhere", "s4")
BY_HAND_AT = Place("shop"), Place("till"), Place("elsewhere")
#: what is given to these agents | by hand | to MCP clients that these agents started
TABLE = """
               agents  by hand  MCP     what it is
    kookaburra 1 0 0 0 | 0 0 0 | 1 0 0 0 # of session s1, in the shop
    bettong    0 0 0 0 | 0 0 0 | 0 0 0 0 # of session s1, with its last word 27 hours ago
    wombat     1 1 1 1 | 1 1 1 | 1 1 1 1 # of the user, about work
    numbat     0 0 0 0 | 1 1 1 | 1 1 1 1 # of the user, private
    quokka     1 1 0 0 | 1 0 1 | 1 1 0 1 # of the shop
    bilby      0 0 0 0 | 1 0 1 | 1 1 0 1 # of the shop, private
    echidna    0 0 0 0 | 1 1 1 | 1 1 1 1 # of no project
    dugong     1 1 1 1 | 1 1 1 | 1 1 1 1 # of the system
    galah      0 0 0 0 | 0 0 0 | 1 1 0 1 # of the shop, with a secret that no client is shown
    currawong  0 0 0 0 | 0 0 0 | 0 0 0 0 # of the shop, over since today
    brolga     0 0 0 0 | 1 0 1 | 1 1 0 1 # of the shop, to be asked about since today
"""
SEEN = {
    word: "".join(rest.partition("#")[0].split()).split("|")
    for word, _, rest in (line.strip().partition(" ") for line in TABLE.splitlines() if "|" in line)
}


class Desk:
    """A vault and folders of projects around it."""

    def __init__(self, folder: Path) -> None:
        self.shop = Shop(folder, {"ENGRAM_VAULT": str(folder / "vault")})
        self.folder = folder
        assert self.shop.run("init", "vault").code == 0
        for name in ("shop", "till", "elsewhere"):
            (folder / "work" / name).mkdir(parents=True)

    def environment(self, place: Place) -> dict[str, str]:
        """What a program in a place sees."""
        agent = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": place.session}
        own = {
            "ENGRAM_VAULT": str(self.shop.vault), "HOME": str(self.folder),
            "ENGRAM_HOME": str(self.folder / "home"),
        }  # fmt: skip
        return own | (agent if place.session else {})

    def keep(self, memory: Memory, number: int) -> Memory:
        """Write the file of a memory by hand."""
        kept = replace(memory, id=f"{memory.category}-20260305-090000-{number:08x}")
        self.shop.write(f"vault/facts/2026-03-05/{kept.id}.md", render_memory(kept))
        return kept

    def recall(self, place: Place, question: str, *more: str) -> str:
        """What `recall` prints in a place."""
        at = Shop(self.folder / "work" / place.folder, self.environment(place))
        ran = at.run("recall", question, "--limit", "40", "--budget", "8000", *more)
        assert ran.code == 0, ran.err
        return ran.out.replace(question, "")

    def hook(self, place: Place, prompt: str = "") -> str:
        """What a hook gives in a place."""
        fields = {
            "session_id": place.session, "prompt": prompt,
            "transcript_path": str(self.folder / ".claude/projects/x" / f"{place.session}.jsonl"),
        }  # fmt: skip
        folder = self.folder / "work" / place.folder
        name, event = (
            ("UserPromptSubmit", "prompt") if prompt else ("SessionStart", "session-start")
        )
        out, complaints = hook(self.shop, event, said_by(name, folder, **fields))
        assert complaints == []
        return out

    def mcp(self, place: Place, *calls: tuple[str, Mapping[str, Any]]) -> list[str]:
        """The answers of a server that an agent started in a place, each as text."""
        pipe = subprocess.PIPE
        code = "from engram.surfaces.qmd.mcp_main import main; main([])"
        seen = prompt_context(self.folder) | self.environment(place) | {"PYTHONPATH": str(ROOT)}
        lines = [
            json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call",
                        "params": {"name": tool, "arguments": asked}})
            for number, (tool, asked) in enumerate(calls)
        ]  # fmt: skip
        ran = subprocess.run(
            [sys.executable, "-c", code], input="\n".join(lines).encode(), stdout=pipe, check=True,
            cwd=self.folder / "work" / place.folder, env=seen, timeout=60,
        )  # fmt: skip
        return [json.dumps(json.loads(line)["result"]) for line in ran.stdout.splitlines()]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    yield Desk(tmp_path)


@pytest.fixture
def filled(desk: Desk) -> Desk:
    """With a memory of every space and audience in it."""
    for number, memory in enumerate(MEMORIES.values()):
        desk.keep(memory, number)
    desk.keep(replace(STATED, project="till", text="The till has a bell."), 99)
    assert desk.shop.run("list").code == 0
    assert desk.shop.run("qmd", "update").code == 0
    return desk


def words(told: str) -> str:
    """The words of the table that something tells."""
    return " ".join(word for word in MEMORIES if word in told)


def wanted(part: int, at: int) -> str:
    return " ".join(word for word, seen in SEEN.items() if seen[part][at] == "1")


def test_each_space_is_given_to_whom_it_is_for(filled: Desk) -> None:
    asked = {"query": "lantern", "limit": 40, "minScore": 0}

    def by_prompt(place: Place) -> str:
        return words("".join(filled.hook(place, one.text) for one in MEMORIES.values()))

    for at, place in enumerate(AGENTS_AT):
        assert words(filled.hook(place)) == wanted(0, at), (place, "session-start")
        assert by_prompt(place) == wanted(0, at), (place, "prompt")
        assert words(filled.recall(place, "lantern")) == wanted(0, at), (place, "recall")
        (told,) = filled.mcp(place, ("query", asked))
        assert words(told) == wanted(2, at), (place, "MCP")
    for at, place in enumerate(BY_HAND_AT):
        assert words(filled.recall(place, "lantern")) == wanted(1, at), (place, "by hand")
    for more in (["--project", "till"], ["--everywhere"]):
        at = 1 if "till" in more else 2
        assert words(filled.recall(BY_HAND_AT[0], "lantern", *more)) == wanted(1, at), more
    found = json.loads(filled.shop.run("search", "lantern", "--json", "--limit", "40").out)
    assert words(json.dumps(found)) == " ".join(MEMORIES)
    assert words(filled.recall(BY_HAND_AT[0], "lantern", "--mode", "exhaustive")) == words(
        " ".join(MEMORIES).replace("kookaburra bettong", "").replace("galah", "")
    )


def test_what_the_person_confirms_of_a_silent_session_is_given_there_again(filled: Desk) -> None:
    place, other = AGENTS_AT[0], BY_HAND_AT[0]
    assert filled.shop.run("confirm", "fact-20260305-090000-00000001").code == 0
    for told in (filled.hook(place), filled.recall(place, "lantern")):
        assert "bettong" in words(told)
    assert "bettong" not in words(filled.recall(other, "lantern"))


def test_a_space_that_the_policy_closes_is_given_to_nobody_and_the_log_says_so(
    filled: Desk,
) -> None:
    policy = '[spaces]\nread_order = ["project", "system"]\n'
    filled.shop.write("vault/policy.toml", policy)
    place = AGENTS_AT[0]
    opened = "quokka dugong"
    told = [filled.hook(place), filled.hook(place, MEMORIES["quokka"].text)]
    assert list(map(words, told)) == [opened, "quokka"]
    assert filled.hook(place, MEMORIES["wombat"].text) == ""
    assert words(filled.recall(place, "lantern")) == opened
    (listed,) = filled.mcp(place, ("query", {"query": "lantern", "limit": 40}))
    assert words(listed) == "quokka bilby echidna dugong galah brolga"
    assert words(filled.recall(BY_HAND_AT[2], "lantern")) == ("quokka bilby echidna dugong brolga")
    ran = filled.shop.run("events", "--event", "memory_border_check", "--json", "--limit", "4")
    read = [(row["from_space"], row["reason"]) for row in json.loads(ran.out)]
    assert read == [
        ("project", "allowed"), ("system", "allowed"), ("session", "space_disabled"),
        ("user", "space_disabled"),
    ]  # fmt: skip
    ran = filled.shop.run("events", "--event", "memory_recall", "--json", "--limit", "1")
    assert json.loads(ran.out)[0]["spaces_consulted"] == ["project", "system"]


#: stands in every word that was said, learnt or made of the till, and nowhere else
CANARY = "cassowary"


def turns(project: str, word: str) -> bytes:
    """A conversation about a project; the same questions lead to each."""
    said = [
        ("user", f"We decided to use Postgres for the {word} ledger on 2026-03-02."),
        ("assistant", f"The {word} ledger gets Postgres, as two writers need it."),
        ("user", f"I moved the {word} ledger to the new server yesterday."),
        ("user", f"The {word} ledger listens on port 8080."),
    ]
    rows = [
        {"role": role, "content": text, "session": project, "project": project,
         "timestamp": f"2026-03-03T09:0{number}:00Z"}
        for number, (role, text) in enumerate(said)
    ]  # fmt: skip
    return "\n".join(map(json.dumps, rows)).encode() + b"\n"


@pytest.fixture
def two(desk: Desk) -> Desk:
    """Two projects that say the same, bound to each other by every link that there is."""
    for project, word in (("shop", "emu"), ("till", CANARY)):
        desk.shop.write(f"{project}.jsonl", turns(project, word))
        assert desk.shop.run("import", "jsonl", f"{project}.jsonl").code == 0
    keep, disputed = desk.keep, {"status": "needs-review", "status_reason": "contradiction"}
    old = replace(STATED, project="till", text=f"The ledger runs on the {CANARY} host.")
    here, names = "shop", [f"fact-20260305-090000-{number:08x}" for number in range(8)]
    keep(replace(old, status="superseded", superseded_by=(names[1],)), 0)
    keep(replace(STATED, text="The ledger runs on the emu host.", supersedes=(names[0],)), 1)
    keep(replace(old, text=f"The ledger closes at {CANARY} hour.", **disputed,
                 conflicts=(names[3],)), 2)  # fmt: skip
    keep(replace(STATED, text="The ledger closes at emu hour.", **disputed,
                 conflicts=(names[2],)), 3)  # fmt: skip
    keep(replace(old, text=f"Each {CANARY} ledger page is numbered twice."), 4)
    keep(replace(STATED, text="Each emu ledger page is numbered."), 5)
    keep(replace(old, space="session", sources=(f"{SESSION}#^m0123456789",),
                 text=f"For now the {CANARY} ledger is frozen."), 6)  # fmt: skip
    assert desk.shop.run("list").code == 0
    lines = [(name, f"A line of the {CANARY} ledger.") for name in (names[4], names[5])]
    with Vault.open(desk.shop.vault, environment=prompt_context(desk.folder)) as vault:
        write_pages(
            vault,
            (None, box("box-0000000a", names[5], session="test-s", project="till",
                       title=f"The {CANARY} ledger")),
            (None, box("box-0000000b", names[5], names[4], session="test-t", project=here)),
            (None, replace(entity("tool-ledger", names[4], names[5]),
                           timeline=tuple(("2026-03-05", *line) for line in lines))),
            (None, summary("sum-0000000a", names[4], names[5], project=here,
                           title=f"The {CANARY} ledger")),
        )  # fmt: skip
    assert desk.shop.run("consolidate").code == 0
    assert desk.shop.run("qmd", "update").code == 0
    return desk


QUESTIONS = (
    "ledger", "which database does the ledger use?", "when did I move the ledger?",
    "when did we decide to use Postgres for the ledger?", "on which host does the ledger run?",
    "when does the ledger close?", "how are the ledger pages numbered?", "which port?",
    "we decided on Postgres for the ledger, and the ledger runs on the host",
)  # fmt: skip


def test_nothing_of_another_project_reaches_one(two: Desk) -> None:
    pages = [
        path.relative_to(two.shop.vault).as_posix()
        for top in ("facts", "boxes", "entities", "summaries", "profile.md")
        for path in [two.shop.vault / top, *(two.shop.vault / top).rglob("*.md")]
        if path.is_file()
    ]
    closed = [one for one in pages if CANARY in (two.shop.vault / one).read_text("utf-8")]
    assert {one.partition("/")[0] for one in closed} >= {"facts", "boxes", "entities", "summaries"}
    here = AGENTS_AT[1], BY_HAND_AT[0]

    def check(question: str) -> None:
        for place in here:
            for more in ([], ["--history"], ["--reason"], ["--mode", "exhaustive"],
                         ["--as-of", "2026-03-05"]):  # fmt: skip
                told = two.recall(place, question, *more)
                assert CANARY not in told, (place, more, told)
        assert CANARY not in two.hook(here[0], question)

    assert failing(QUESTIONS, check) == ""
    assert CANARY not in two.hook(here[0])
    calls: list[tuple[str, Mapping[str, Any]]] = [
        *(("query", {"query": one, "limit": 50}) for one in QUESTIONS),
        *(("get", {"file": f"vault/{one}"}) for one in closed),
        ("multi_get", {"pattern": "vault/**"}),
        ("multi_get", {"pattern": ",".join(f"vault/{one}" for one in closed)}),
    ]
    told = two.mcp(here[0], *calls)
    assert not [one for one in told if CANARY in one]
    assert "emu" in "".join(told) and "emu" in two.recall(here[0], QUESTIONS[1])
    # the canary is found where it may be
    assert CANARY in two.recall(Place("till"), QUESTIONS[0])
    assert CANARY in two.recall(Place("elsewhere"), QUESTIONS[0])
    assert CANARY in two.hook(Place("till", "s3"))
    assert CANARY in two.hook(Place("till", "s3"), QUESTIONS[-1])
    assert CANARY in "".join(two.mcp(Place("till", "s3"), *calls))


def test_what_was_asked_of_one_session_is_told_no_other_one_by_its_turn_either(
    desk: Desk,
) -> None:
    said = turn_of(
        "user", "For this session, only edit files under the emu folder.", "2026-03-06T11:50:00Z",
        source="claude-code", session="s1", project="shop", message="1",
    )  # fmt: skip
    clock = FixedClock("2026-03-06T11:50:00Z")
    environment = prompt_context(desk.folder)
    with Vault.open(desk.shop.vault, environment=environment, clock=clock) as vault:
        vault.capture([said])
        vault.flush()
        assert [one.space for one in vault.list()] == ["session"]
    own, other = AGENTS_AT[:2]
    for question in ("edit files folder", "when did we edit files under a folder?"):
        assert "emu" in desk.recall(own, question)
        assert "emu" not in desk.recall(other, question)
    # what orders agents about is told of no turn; a search shows a person their own words
    assert "emu" in desk.shop.run("search", "edit files folder").out
