"""The examples at the end of each verb's help: command path -> lines that can be run as they stand.

Ids in them are docids of an invented vault; whoever reads them puts their own in.
"""

from __future__ import annotations

#: what is called without its first word, as a person would type it
EXAMPLES: dict[str, tuple[str, ...]] = {
    "search": (
        "search postgres vouchers", "search 'category:decision since:2026-03 login'",
        "search --around 'two writers'",
    ),
    "recall": ("recall when did we decide to use postgres", "recall --budget 300 what is due"),
    "list": (
        "list --since 2026-03-02", "list --category decision --project shop",
        "list --status retired",
    ),
    "today": ("today", "today --day 2026-03-04"),
    "grep": ("grep -i postgres", r"grep --memories-only '\bport [0-9]+'"),
    "entities": ("entities", "entities show postgres"),
    "entities show": ("entities show postgres",),
    "boxes": ("boxes --limit 5", "boxes --open"),
    "traces": ("traces", "traces show box-a6010e5a"),
    "traces show": ("traces show box-a6010e5a",),
    "summaries": ("summaries --all-status",),
    "summaries show": ("summaries show summary-20260306-120000-5b1c0de2",),
    "show": (
        "show 8f26a5", "show '[[tool-postgres]]'", "show jsonl-8b624710e9e6",
    ),
    "why": ("why 8f26a5", "why --refused", "why 8f26a5 --given"),
    "links": ("links 8f26a5", "links tool-postgres"),
    "log": ("log --limit 5", "log 2"),
    "events": ("events --since 2026-03-06", "events --event memory_denied", "events --verify"),
    "tiers": ("tiers", "tiers --at-risk --days 30"),
    "phases": ("phases list",),
    "phases start": ("phases start 'second beta' --project shop",),
    "phases list": ("phases list --project shop",),
    "phases diff": ("phases diff --project shop",),
    "edit": ("edit 8f26a5",),
    "forget": ("forget 8f26a5", "forget --matching 'orange door' --dry-run"),
    "restore": ("restore 8f26a5",),
    "undo": ("undo --dry-run", "undo 2", "undo import-1"),
    "purge": ("purge 8f26a5 --dry-run", "purge --matching 'orange door' --yes"),
    "confirm": ("confirm 8f26a5",),
    "supersede": ("supersede 8f26a5 3c01b7  # the second one holds from now on",),
    "retire": ("retire 8f26a5 --reason 'the shop is closed'",),
    "archive": ("archive 8f26a5 --dry-run", "archive 8f26a5"),
    "review": ("review", "review import-1", "review --refused"),
    "audit": ("audit", "audit --all"),
    "consolidate": ("consolidate --dry-run", "consolidate"),
    "resolve": ("resolve 8f26a5", "resolve 8f26a5 --both"),
    "promote": ("promote 3c01b7 --to user --dry-run",),
    "conflicts": ("conflicts --dry-run",),
    "gc": ("gc --dry-run",),
    "import": (
        "import auto --dry-run", "import chatgpt export.zip", "import claude-code --no-extract",
    ),
    "remember": (
        "remember The staging server listens on port 8443.",
        "remember --category preference --project shop 'Small commits.'",
    ),
    "new": ("new decision --title Payments", "new decision --from decision.json"),
    "daemon": ("daemon start", "daemon pause", "daemon resume"),
    "daemon run": ("daemon run",),
    "daemon start": ("daemon start",),
    "daemon stop": ("daemon stop",),
    "daemon status": ("daemon status",),
    "daemon pause": ("daemon pause", "daemon pause claude-code"),
    "daemon resume": ("daemon resume",),
    "daemon logs": ("daemon logs --limit 20", "daemon logs --follow"),
    "daemon install": ("daemon install --dry-run", "daemon install"),
    "daemon uninstall": ("daemon uninstall --dry-run",),
    "sources": ("sources", "sources --watch codex"),
    "capture": (
        "capture - --project shop < notes.txt",
        "capture --follow ~/.claude/projects --source claude-code",
    ),
    "extract": ("extract --dry-run", "extract --rules"),
    "connect": ("connect claude-code --dry-run", "connect codex"),
    "disconnect": ("disconnect codex",),
    "export": ("export claude --project shop --to CLAUDE.md", "export claude-memory records"),
    "export claude": ("export claude --project shop --to CLAUDE.md --dry-run",),
    "export claude-memory": ("export claude-memory records --schema decision",),
    "policy": ("policy show", "policy test my phone number is 555 0199"),
    "policy show": ("policy show --space project",),
    "policy test": ("policy test my phone number is 555 0199",),
    "init": ("init", "init ~/Documents/memory"),
    "status": ("status", "status --json"),
    "stats": ("stats", "stats --weeks 52 --svg stats.svg", "stats --project shop"),
    "doctor": ("doctor", "doctor --quick", "doctor --sources"),
    "config": ("config show", "config set recall.limit 20"),
    "config show": ("config show",),
    "config set": ("config set recall.limit 20", "config set vault ~/Documents/memory"),
    "config path": ("config path",),
    "trust": ("trust ~/copied-vault", "trust shop-memory --for shop"),
    "rebuild": ("rebuild --dry-run", "rebuild"),
    "embed": ("embed --dry-run", "embed"),
    "completion": ('eval "$(engram completion bash)"', "completion fish"),
    "man": ("man | man -l -", "man > ~/.local/share/man/man1/engram.1"),
    "hook": ("hook catch-up",),
    "retry": ("retry",),
}  # fmt: skip


def epilog_of(path: str) -> str:
    """The paragraph of examples of a command path such as `daemon pause`, '' for none."""
    if path not in EXAMPLES:
        return ""
    return "\n".join(["\b", "Examples:", *(f"  {shown}" for shown in examples_of(path))])


def examples_of(path: str) -> tuple[str, ...]:
    """The examples of a command path, as a person types them."""
    lines = EXAMPLES.get(path, ())
    return tuple(line if "$(" in line else f"engram {line}" for line in lines)
