"""Redactor: text -> the same text with credentials, cards and account numbers as placeholders.

    the key is sk-...  ->  the key is [REDACTED:openai-key:51]

Guarantees: the placeholder keeps kind and length, nothing else of the secret, and no result object
holds it either; redacting twice changes nothing; a secret that was found is replaced wherever
else it stands in the text; time is linear in the text. The rules are data (config/redaction.toml):
where a pattern may match is found by substring searches over the whole text, and only there is it
tried; what the match is worth is decided by a named check (`span_checks`).
Refuses a table with a rule that cannot work, naming the rule (ConfigError); refuses no text.
(design 1.6: before disk, log and trace, and again before a model.)
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from engram.capture.redact.span_checks import CHECKS, Check, is_telling
from engram.model.errors import ConfigError

#: How far from its key word (`near`) a secret may stand, characters on either side.
_REACH = 40
#: Keys of every provider hold a run of this many letters and digits; ordinary words do not.
_RUN = 20
#: How far before its run a key may begin: the longest prefix with a character outside (`dp.pt.`).
_BEFORE_RUN = 8
#: the most different secrets of one text that are searched in the rest of it
_MOST_REPEATED = 200
#: how often a rule is tried inside a match of its own: `pw=pw=pw=...` stays cheap
_MOST_NESTED = 8


def _shape(code: int) -> str:
    """A for a capital, a for a small letter, 0 for a digit, space for all else and beyond ASCII."""
    letter = chr(code) if code < 128 else " "
    if letter.isalpha():
        return "A" if letter.isupper() else "a"
    return "0" if letter.isdigit() else " "


_SHAPE_TABLE = "".join(map(_shape, range(256))).encode("ascii")
#: x for what a run is made of, space for all else.
_RUN_TABLE = bytes(
    ord("x" if _shape(code) != " " or chr(code) in "+/=_-" else " ") for code in range(256)
)

_PLACEHOLDER = re.compile(r"\[REDACTED:[a-z0-9-]{1,40}:[0-9]{1,9}\]")
_UNMASKED = re.compile(r"[^\0]+")
_KIND = re.compile(r"[a-z0-9-]{1,40}\Z")
_PART = re.compile(r"\{\{([a-z_]+)\}\}")
_KEYS = frozenset({"kind", "literals", "run", "near", "shape", "pattern", "group", "check"})
_FILE = "config/redaction.toml"

#: start, end, number of the rule
_Found = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Redaction:
    """One replacement: kind and number of characters. Never the secret."""

    kind: str
    length: int


@dataclass(frozen=True, slots=True)
class Redacted:
    """The text without its secrets, and the replacements."""

    text: str
    found: tuple[Redaction, ...]


@dataclass(frozen=True, slots=True)
class _Rule:
    """One row of the table, ready to run; `number` is its place, and its rank in an overlap.

    `where` says what `words` are: literals, literals in a run, key words near, shapes.
    """

    number: int
    kind: str
    where: str
    words: tuple[bytes, ...]
    pattern: re.Pattern[str]
    group: int | str
    check: Check


class Redactor:
    """Finds what the rules know, and replaces it. Holds no state between texts."""

    def __init__(self, rules: Sequence[_Rule], allow: Sequence[str] = ()) -> None:
        self._kinds = tuple(rule.kind for rule in rules)
        self._literals = tuple(_by_word(rules, "literals").items())
        self._shapes = tuple(_by_word(rules, "shape").items())
        self._near = tuple(rule for rule in rules if rule.where == "near")
        in_runs = _by_word(rules, "run")
        self._in_runs = {word.decode(): _of_prefixes(word, in_runs) for word in in_runs}
        self._run_start = _any_of(self._in_runs)
        self._allow = frozenset(allow)
        globs = [fnmatch.translate(glob) for glob in allow if set(glob) & set("*?[")]
        self._allow_globs = re.compile("|".join(globs)) if globs else None

    def redact(self, text: str) -> Redacted:
        """The text with every secret replaced by `[REDACTED:kind:length]`; idempotent."""
        found: list[Redaction] = []
        while spans := self._spans(text):
            pieces: list[str] = []
            done = 0
            for start, end, number in spans:
                taken = Redaction(self._kinds[number], end - start)
                found.append(taken)
                pieces += text[done:start], f"[REDACTED:{taken.kind}:{taken.length}]"
                done = end
            text = "".join([*pieces, text[done:]])
        return Redacted(text, tuple(found))

    def clean(self, text: str) -> bool:
        """Whether there is nothing to redact."""
        return not self._spans(text)

    def _spans(self, text: str) -> list[_Found]:
        """The stretches to replace, in order, apart from one another and from placeholders."""
        masked = _PLACEHOLDER.sub(_blank, text) if "[REDACTED:" in text else text
        found: list[_Found] = []
        for rule, match in self._matches(masked):
            span = rule.check(match, rule.group)
            if span is not None and not self._allowed(masked[slice(*span)]):
                found.append((*span, rule.number))
        if not found:
            return found
        spans = _merged([*found, *_repeated(masked, found)])
        return spans if masked is text else list(_outside_placeholders(masked, spans))

    def _matches(self, text: str) -> Iterator[tuple[_Rule, re.Match[str]]]:
        """Every place where a rule's pattern matches.

        The searches run over one byte a character (anything beyond ASCII is a question mark), so
        that a place found is a place in the text.
        """
        raw = text.encode("ascii", "replace")
        lowered, shape = raw.lower(), raw.translate(_SHAPE_TABLE)
        yield from _at_words(text, lowered, self._literals)
        yield from _at_words(text, shape, self._shapes)
        runs = raw.translate(_RUN_TABLE)
        start = runs.find(b"x" * _RUN)
        while start >= 0:
            end = runs.find(b" ", start)
            end = end if end >= 0 else len(runs)
            for literal in self._run_start.finditer(text, max(0, start - _BEFORE_RUN), end):
                for rule in self._in_runs[literal[0]]:
                    if match := rule.pattern.match(text, literal.start()):
                        yield rule, match
            if shape.find(b"0", start, end) >= 0:
                yield from self._near_words(text, lowered, start, end)
            start = runs.find(b"x" * _RUN, end)

    def _near_words(
        self, text: str, lowered: bytes, start: int, end: int
    ) -> Iterator[tuple[_Rule, re.Match[str]]]:
        """What matches in a run with a digit, if a key word stands within reach of it."""
        around = lowered[max(0, start - _REACH) : end + _REACH]
        for rule in self._near:
            if any(word in around for word in rule.words):
                # Two characters more than the run has, for what must not follow it.
                yield from ((rule, match) for match in rule.pattern.finditer(text, start, end + 2))

    def _allowed(self, secret: str) -> bool:
        """Whether the user's allow-list holds it."""
        if secret in self._allow:
            return True
        return self._allow_globs is not None and self._allow_globs.match(secret) is not None


def compile_redactor(table: Mapping[str, object], allow: Sequence[str] = ()) -> Redactor:
    """The redactor of a parsed config/redaction.toml; `allow` are exact strings and globs.

    The table holds `[parts]` (pieces that patterns name as `{{piece}}`, in order) and `[[rule]]`.
    Raises ConfigError that names the rule whose pattern, group, check or key is wrong.
    """
    named, rows = table.get("parts", {}), table.get("rule", [])
    if not isinstance(named, Mapping):
        raise ConfigError(f"{_FILE}: [parts] is not a table")
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
        raise ConfigError(f"{_FILE}: [[rule]] is not a list of tables")
    parts: dict[str, str] = {}
    for name, piece in named.items():
        parts[str(name)] = _expanded(str(piece), parts, f"part {name}")
    return Redactor([_rule(number, row, parts) for number, row in enumerate(rows)], allow)


def _rule(number: int, row: Mapping[str, object], parts: Mapping[str, str]) -> _Rule:
    """One row of the table, checked and compiled."""
    kind, check, group = row.get("kind"), row.get("check", "none"), row.get("group", 0)
    name = f"rule {number + 1} ({kind})"
    if not isinstance(kind, str) or not _KIND.match(kind):
        raise ConfigError(f"{_FILE}: {name}: kind must be 1 to 40 of a-z, 0-9 and hyphen")
    if unknown := sorted(set(row) - _KEYS):
        raise ConfigError(f"{_FILE}: {name}: unknown key {unknown[0]!r}")
    if not isinstance(check, str) or check not in CHECKS:
        raise ConfigError(f"{_FILE}: {name}: check {check!r} is none of {', '.join(CHECKS)}")
    try:
        pattern = re.compile(_expanded(str(row.get("pattern", "")), parts, name))
    except re.error as error:
        raise ConfigError(f"{_FILE}: {name}: bad pattern: {error}") from error
    if pattern.match("") or (check == "key-block" and "side" not in pattern.groupindex):
        raise ConfigError(f"{_FILE}: {name}: the pattern matches nothing, or has no group 'side'")
    known = pattern.groupindex if isinstance(group, str) else range(pattern.groups + 1)
    if not isinstance(group, int | str) or group not in known:
        raise ConfigError(f"{_FILE}: {name}: the pattern has no group {group!r}")
    where, words = _words(row, name)
    return _Rule(number, kind, where, words, pattern, group, CHECKS[check])


def _words(row: Mapping[str, object], name: str) -> tuple[str, tuple[bytes, ...]]:
    """Where a rule is to be tried, and the words that say so."""
    given = [key for key in ("literals", "near", "shape") if key in row]
    if len(given) != 1:
        raise ConfigError(f"{_FILE}: {name}: give one of literals, near and shape")
    value = row[given[0]]
    words = [value] if isinstance(value, str) else value
    if not isinstance(words, list) or not words:
        raise ConfigError(f"{_FILE}: {name}: {given[0]} must be a list of strings")
    run = row.get("run", False)
    if not isinstance(run, bool) or (run and given[0] != "literals"):
        raise ConfigError(f"{_FILE}: {name}: run is true or false, beside literals")
    where = "run" if run else given[0]
    for word in words:
        if not isinstance(word, str) or not word or not word.isascii():
            raise ConfigError(f"{_FILE}: {name}: {word!r} is no string of ASCII characters")
        if where in ("literals", "near") and word != word.lower():
            raise ConfigError(f"{_FILE}: {name}: {word!r} must be in small letters")
    return where, tuple(word.encode("ascii") for word in words)


def _expanded(pattern: str, parts: Mapping[str, str], name: str) -> str:
    """The pattern with its `{{part}}` replaced."""
    if missing := sorted(set(_PART.findall(pattern)) - set(parts)):
        raise ConfigError(f"{_FILE}: {name}: there is no part {missing[0]!r}")
    return _PART.sub(lambda match: parts[match[1]], pattern)


def _by_word(rules: Iterable[_Rule], where: str) -> dict[bytes, tuple[_Rule, ...]]:
    """Word -> the rules that are tried where it stands, each word once."""
    table: dict[bytes, tuple[_Rule, ...]] = {}
    for rule in rules:
        for word in rule.words if rule.where == where else ():
            table[word] = (*table.get(word, ()), rule)
    return table


def _of_prefixes(word: bytes, table: Mapping[bytes, tuple[_Rule, ...]]) -> tuple[_Rule, ...]:
    """The rules of every literal that a literal begins with: `sk-` stands where `sk-ant-` does."""
    return tuple(rule for other, rules in table.items() if word.startswith(other) for rule in rules)


def _any_of(words: Iterable[str]) -> re.Pattern[str]:
    """One pattern for many literals, the longest first, grouped by first letter for speed."""
    groups: dict[str, list[str]] = {}
    for word in sorted(words, key=lambda word: (-len(word), word)):
        groups.setdefault(word[0], []).append(re.escape(word[1:]))
    grouped = (f"{re.escape(first)}(?:{'|'.join(rest)})" for first, rest in groups.items())
    return re.compile("|".join(grouped) or r"(?!)")


def _at_words(
    text: str, haystack: bytes, table: tuple[tuple[bytes, tuple[_Rule, ...]], ...]
) -> Iterator[tuple[_Rule, re.Match[str]]]:
    """Matches of each word's rules at each place of the word."""
    for word, rules in table:
        #: number of a rule -> end of its last match, and how often it matched inside that
        nested: dict[int, tuple[int, int]] = {}
        at = haystack.find(word)
        while at >= 0:
            for rule in rules:
                end, count = nested.get(rule.number, (0, 0)) if nested else (0, 0)
                if at < end and count > _MOST_NESTED:
                    continue
                if match := rule.pattern.match(text, at):
                    nested[rule.number] = (end, count + 1) if at < end else (match.end(), 0)
                    yield rule, match
            at = haystack.find(word, at + 1)


def _repeated(text: str, found: Iterable[_Found]) -> Iterator[_Found]:
    """Other places of what was found, as far as it cannot be an ordinary word there."""
    known = {text[start:end]: number for start, end, number in found}
    for secret in sorted(filter(is_telling, known))[:_MOST_REPEATED]:
        at = text.find(secret)
        while at >= 0:
            yield at, at + len(secret), known[secret]
            at = text.find(secret, at + len(secret))


def _merged(found: list[_Found]) -> list[_Found]:
    """Overlapping stretches as one, under the rule that stands first in the table."""
    spans: list[_Found] = []
    for start, end, number in sorted(found):
        if spans and start < spans[-1][1]:
            first, until, other = spans[-1]
            spans[-1] = (first, max(until, end), min(other, number))
        else:
            spans.append((start, end, number))
    return spans


def _blank(match: re.Match[str]) -> str:
    return "\0" * len(match[0])


def _outside_placeholders(masked: str, spans: list[_Found]) -> Iterator[_Found]:
    """The stretches without what was a placeholder, as far as letters or digits remain."""
    for start, end, number in spans:
        for piece in _UNMASKED.finditer(masked, start, end):
            if any(c.isalnum() for c in piece[0]):
                yield piece.start(), piece.end(), number
