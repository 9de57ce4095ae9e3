"""Settings: the frozen values of all configuration keys; origins are in `settings.load`.

One class a table of the TOML file, one field a key; units stand in the key's comment in
`config/engram.toml`. Plain values only: this module imports nothing and reads nothing.
"""

from typing import NamedTuple


class CaptureSettings(NamedTuple):
    """`[capture]`: what is read and what is kept out."""

    #: globs over paths and project names; matching transcripts are never read
    exclude: tuple[str, ...] = ()
    #: user regular expressions that count as high signals, beside config/signals.toml
    high_signal_patterns: tuple[str, ...] = ()
    #: strings (exact) and globs that the redactor leaves alone
    redact_allow: tuple[str, ...] = ()
    #: a longer line of a transcript is counted as unparsed, bytes
    max_line_bytes: int = 33_554_432
    #: what is kept of a file that was dropped into the inbox, beside its transcript
    inbox_copies: str = "redacted"


class TriggerSettings(NamedTuple):
    """`[trigger]`: when buffered turns are extracted (seed 003)."""

    mode: str = "smart"
    buffer_max_turns: int = 5
    buffer_max_minutes: float = 15.0
    #: minutes to wait after the 1st, 2nd, 3rd... failure
    retry_minutes: tuple[float, ...] = (1.0, 5.0, 30.0)
    #: failures before the turns go to the dead letter
    max_attempts: int = 5


class ExtractSettings(NamedTuple):
    """`[extract]`: which statements become candidates."""

    #: lowest importance level that is written: trivial low normal high critical
    min_importance: str = "low"
    #: the most memories one batch may propose per turn; a guard against floods
    max_per_turn: int = 6


class LlmSettings(NamedTuple):
    """`[llm]`: whether a model helps to extract, which, and what it may cost."""

    #: the model to ask in the cloud; empty: none
    model: str = ""
    #: its endpoint; any server that speaks OpenAI's API
    base_url: str = "https://api.openai.com/v1"
    #: the environment variable that holds its key
    key_variable: str = "OPENAI_API_KEY"
    #: models of local servers, asked when the one before is unreachable; empty: none
    lmstudio_model: str = ""
    lmstudio_url: str = "http://127.0.0.1:1234/v1"
    ollama_model: str = ""
    ollama_url: str = "http://127.0.0.1:11434/v1"
    #: time-out of a whole answer
    timeout_seconds: float = 60.0
    #: the most that one question may hold
    max_input_tokens: int = 12_000
    #: caps over all vaults; a call that would exceed them waits
    daily_usd: float = 1.0
    daily_tokens: int = 1_000_000
    run_usd: float = 0.5
    run_tokens: int = 500_000
    #: prices of a model that config/prices.toml does not list; 0: it counts as the dearest
    usd_per_million_input: float = 0.0
    usd_per_million_output: float = 0.0
    #: the model that checks drafted decisions, constraints and ends of records; empty: none
    verify_model: str = ""
    #: the model that makes vectors for search by meaning, and its endpoint; empty: none
    embedding_model: str = ""
    embedding_url: str = "http://127.0.0.1:11434/v1"
    #: while no model answers: wait (turns stay pending), or rules
    when_away: str = "wait"


class RetentionSettings(NamedTuple):
    """`[retention]`: days until a memory expires or, when protected, asks for review."""

    #: TTL in days by type (seed 000), 0 for ever; a category overrides its type (commitment:
    #: seed 003), a schema its category
    days: tuple[tuple[str, int], ...] = (
        ("episodic", 14), ("semantic", 180), ("procedural", 365), ("commitment", 90),
        ("session", 90),
    )  # fmt: skip
    #: days that what was retired stays where it is, until `gc` moves it
    grace_days: int = 30
    #: hours in which retired content is not learnt again (design 5.3)
    resurrection_hours: int = 24
    #: days in which the recency of a memory halves, and the scores from which on it is hot and warm
    #: (seed 004)
    half_life_days: float = 30.0
    hot: float = 0.6
    warm: float = 0.3


class RecordSettings(NamedTuple):
    """`[records]`: the six record schemas (seed 001)."""

    #: sessions of a project that stay active
    sessions: int = 5
    #: records of one schema above which `status` says so
    most: int = 100
    #: by schema: auto, by-hand (made with `engram new` only), off; what is not named is auto
    capture: tuple[tuple[str, str], ...] = ()
    #: by schema: what it is, for triage and for a model; shipped in config/records.toml
    describe: tuple[tuple[str, str], ...] = ()
    #: by schema: the score from which a conversation is drafted from; shipped there too
    thresholds: tuple[tuple[str, float], ...] = ()


class BoxSettings(NamedTuple):
    """`[boxes]`: when a Memory Box is sealed, and which boxes make a trace (seed 003)."""

    #: a box is sealed when less than this share of the new topics is its own
    topic_shift: float = 0.35
    gap_minutes: float = 30.0
    max_memories: int = 50
    #: boxes whose topics agree so far (Jaccard) share a trace, within so many days
    trace_overlap: float = 0.4
    trace_days: int = 7


class ConsolidateSettings(NamedTuple):
    """`[consolidate]`: when consolidation runs, and what it may do (seed 003)."""

    #: extractions after which it runs by itself; 0: only on command
    every_extractions: int = 3
    archive: bool = True
    #: all of these must hold (seed 003: fact archival)
    archive_age_days: int = 90
    archive_max_importance: float = 0.3
    archive_max_access: int = 2
    archive_protected: tuple[str, ...] = ("commitment", "preference", "decision", "principle")
    #: above so many lines profile.md is condensed to so many
    profile_max_lines: int = 300
    profile_lines: int = 50
    #: above so many bytes IDENTITY.md is condensed
    identity_max_bytes: int = 8192
    #: whether clusters of related memories get a page that sums them up (seed 004)
    summaries: bool = True


class RecallSettings(NamedTuple):
    """`[recall]`: limits of answers."""

    budget_tokens: int = 1200
    limit: int = 10
    #: whether agents are given the person's private memories, too
    share_personal: bool = False
    #: whether words that mean nearly the same are looked for, too
    related_words: bool = True
    #: what of equally hot memories an agent is given first: relevance, recency or activation
    prefer: str = "relevance"
    #: the longest that a read may spend on settling hand edits, milliseconds
    settle_ms: int = 150


class DaemonSettings(NamedTuple):
    """`[daemon]`: what runs in the background, and when (seed 003)."""

    #: sources whose transcripts are watched; none by default
    sources: tuple[str, ...] = ()
    #: a vault without changes for so long is consolidated
    idle_minutes: float = 30.0
    #: interval of full scans, whatever the events said
    rescan_minutes: float = 10.0


class StoreSettings(NamedTuple):
    """`[store]`: the vault on disk."""

    lock_timeout_seconds: float = 30.0


class Settings(NamedTuple):
    """All settings."""

    #: the default vault
    vault: str = "~/engram"
    #: the names of the person whose memory it is, as conversations name them
    owner: tuple[str, ...] = ()
    capture: CaptureSettings = CaptureSettings()
    trigger: TriggerSettings = TriggerSettings()
    extract: ExtractSettings = ExtractSettings()
    llm: LlmSettings = LlmSettings()
    retention: RetentionSettings = RetentionSettings()
    records: RecordSettings = RecordSettings()
    boxes: BoxSettings = BoxSettings()
    consolidate: ConsolidateSettings = ConsolidateSettings()
    recall: RecallSettings = RecallSettings()
    daemon: DaemonSettings = DaemonSettings()
    store: StoreSettings = StoreSettings()
