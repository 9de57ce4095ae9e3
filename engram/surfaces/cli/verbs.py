"""The verbs of the command line: groups of one-line summaries, and those that the list leaves out.

A verb is a module of this package with a `command`; here is what the list of verbs says of it. What
is not listed works and has help of its own: programs call it, or `status` names it when it helps.
"""

from __future__ import annotations

#: heading -> verb -> summary; the most used first, in the list as in each group
GROUPS: dict[str, dict[str, str]] = {
    "Find": {
        "search": "find memories and turns by words",
        "recall": "ask: a short answer with sources, for a person or an agent",
        "list": "the memories, filtered: by category, project, tag, day",
        "today": "what was learnt today, or on another day",
        "grep": "find lines by a regular expression",
        "entities": "the people, tools and projects that memories speak of",
        "boxes": "what was learnt in each stretch of a conversation",
        "traces": "subjects that came up again, as time lines",
        "summaries": "what related memories say, in few lines",
    },
    "Look": {
        "show": "a memory, conversation, box, entity or summary as it is on disk",
        "why": "where a memory came from, and all that happened to it",
        "links": "what something points to, and what points to it",
        "log": "the changes of the vault, newest first",
        "events": "what was written, refused, replaced, forgotten and given, one by one",
        "tiers": "how many memories are hot, warm, cold, archived; which will fall",
        "stats": "turns, memories, refusals, spending by week; bars or a picture",
        "phases": "begin a phase of a project, see what changed since the last",
    },
    "Change": {
        "edit": "change a memory in your editor",
        "forget": "take a memory out of use; its file stays",
        "restore": "bring a memory back",
        "undo": "take a change back; undo an undo to have it again",
        "purge": "destroy what was said or learnt for good, with every copy",
        "confirm": "say that a memory holds",
        "supersede": "let one memory replace another",
        "retire": "take memories out of use, and leave what was said searchable",
        "archive": "put memories out of the way",
    },
    "Keep": {
        "review": "the weekly habit: what waits for you, one key each",
        "audit": "the quality of what was written, with one fix for each row",
        "consolidate": "merge, replace, age and tidy now; all of it can be undone",
        "resolve": "settle a contradiction between memories",
        "promote": "let a memory hold elsewhere: for you everywhere, in a project",
        "conflicts": "take in what sync tools left apart, as far as that is sure",
        "gc": "move to the archive what was retired long ago",
    },
    "Capture": {
        "import": "take in conversations of an agent or an export, once",
        "remember": "write one memory down, in your words",
        "new": "write one record down: a decision, a runbook, a session ...",
        "daemon": "capture in the background: start, stop, pause, resume, install",
        "sources": "the kinds of transcripts, and what is on this machine",
        "capture": "take in turns from stdin, or follow a folder",
        "extract": "turn pending turns into memories now",
    },
    "Connect": {
        "connect": "let an agent be given memories by itself",
        "disconnect": "take that back; its settings are as before",
        "export": "put memories into CLAUDE.md, or records into JSON files",
        "policy": "what may be remembered and who is given it; try it on a text",
    },
    "Service": {
        "init": "make a vault, in the usual folder or another, and register it",
        "status": "what is captured, pending, refused; whether the daemon runs",
        "doctor": "check vault, hooks and daemon, with one fix for each finding",
        "config": "show, set and locate the settings",
        "trust": "register an existing vault on this machine, as after a move or a clone",
        "rebuild": "make catalog, index and views anew from the files",
        "embed": "make vectors, so that search goes by meaning too",
        "completion": "the script that completes verbs and options in your shell",
        "man": "the manual page of all verbs",
    },
}  # fmt: skip

#: works and is not listed
HIDDEN: dict[str, str] = {
    "hook": "what a connected agent calls",
    "retry": "queue again what failed too often",
}
#: verbs that take the arguments of another program, answer as that does, and are not listed
FACES: dict[str, str] = {
    "qmd": "what calls qmd can call this: search any folders of Markdown",
}
#: verb -> summary, of all but the faces
VERBS: dict[str, str] = {
    verb: summary for group in (*GROUPS.values(), HIDDEN) for verb, summary in group.items()
}
