"""Redactor: text -> the same text with credentials, cards and account numbers as placeholders.

    the key is sk-...  ->  the key is [REDACTED:openai-key:51]

Guarantees: the placeholder keeps kind and length, nothing else of the secret, and no result object
holds it either; redacting twice changes nothing; a secret that was found is replaced wherever
else it stands in the text; what reads the same is treated the same (`disguise`); time is linear in
the text. The rules are data (config/redaction.toml): where a pattern may match is found by one pass
over the text for all their words, and only there is it tried; what the match is worth is decided by
a named check (`span_checks`).
Refuses a table with a rule that cannot work, naming the rule (ConfigError); refuses no text.
(design 1.6: before disk, log and trace, and again before a model.)
"""

from __future__ import annotations

import fnmatch
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ahocorasick_rs import AhoCorasick, BytesAhoCorasick, Implementation

from engram.capture.redact.disguise import Seen
from engram.capture.redact.span_checks import CHECKS, Check, is_telling
from engram.model.errors import ConfigError

#: How far from its key word (`near`) a secret may stand, characters on either side.
_REACH = 40
#: What is made by a machine holds a run of this many letters and digits; few words do.
_RUN = 12
#: ... and this many, where no key word stands near.
_LONG_RUN = 22
#: How far before such a run its token may begin: with the name of a service.
_BEFORE_RUN = 60
#: the most different secrets of one text that are searched in the rest of it
_MOST_REPEATED = 200
#: how often the rules of one word are tried within so many characters
_MOST_CROWDED = 4
_CROWD = 100
#: how often a rule is tried inside a match of its own: `pw=pw=pw=...` stays cheap
_MOST_NESTED = 3


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
#: The same for letters and digits alone, and with what joins them in a name.
_ALNUM_TABLE = bytes(ord("x" if _shape(code) != " " else " ") for code in range(256))
_NAME_TABLE = bytes(
    ord("x" if _shape(code) != " " or chr(code) in "_-" else " ") for code in range(256)
)
_ASCII_BYTES = bytes(range(128))
#: the first byte of letters in UTF-8: all but Latin-1's signs and the blocks of punctuation
_LETTER_BYTES = re.compile(rb"[\xc3-\xdf\xe0\xe1\xe3-\xed]")
_UNMASKED = re.compile(r"[^\0]+")
_KIND = re.compile(r"[a-z0-9-]{1,40}\Z")
_PART = re.compile(r"\{\{([a-z_]+)\}\}")
_PLACES = ("literals", "near", "shape", "run")
_KEYS = frozenset({"kind", *_PLACES, "pattern", "group", "check"})
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


@dataclass(frozen=True)
class _Rule:
    """One row of the table, ready to run; `number` is its place, and its rank in an overlap.

    `where` says what `words` are: literals, key words near a run, shapes; or none, for every run.
    The pattern is compiled when a text first has a place for it: few texts have any.
    """

    number: int
    kind: str
    where: str
    words: tuple[str, ...]
    source: str
    group: int | str
    check: Check

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(self.source)


class _RuleWords:
    """All the words of some rules, found in one pass; each leads to its rules."""

    def __init__(self, rules: Iterable[_Rule]) -> None:
        table: dict[str, tuple[_Rule, ...]] = {}
        for rule in rules:
            for word in dict.fromkeys(rule.words):
                table[word] = (*table.get(word, ()), rule)
        ascii_words = {word: found for word, found in table.items() if word.isascii()}
        others = {
            spelling: found
            for word, found in table.items()
            if not word.isascii()
            for spelling in (word, word.capitalize(), word.upper())
        }
        self._ascii_rules, self._other_rules = [*ascii_words.values()], [*others.values()]
        dfa = Implementation.DFA
        self._ascii = BytesAhoCorasick([w.encode() for w in ascii_words], implementation=dfa)
        self._others = AhoCorasick(list(others), implementation=dfa) if others else None

    def places(self, text: str, as_bytes: bytes) -> list[tuple[tuple[_Rule, ...], int, int]]:
        """The rules of every word, its start and its end.

        ASCII words are searched in `as_bytes`, one byte a character, the others in the text, which
        is empty if it has no letters beyond ASCII.
        """
        rules = self._ascii_rules
        found = self._ascii.find_matches_as_indexes(as_bytes, overlapping=True)
        places = [(rules[word], start, end) for word, start, end in found]
        if text and self._others is not None:
            rules = self._other_rules
            found = self._others.find_matches_as_indexes(text, overlapping=True)
            places += [(rules[word], start, end) for word, start, end in found]
        return places


class Redactor:
    """Finds what the rules know, and replaces it. Holds no state between texts."""

    def __init__(self, rules: Sequence[_Rule], allow: Sequence[str] = ()) -> None:
        self._kinds = tuple(rule.kind for rule in rules)
        self._words = _RuleWords(rule for rule in rules if rule.where in ("literals", "near"))
        self._shapes = _RuleWords(rule for rule in rules if rule.where == "shape")
        self._near = tuple(rule for rule in rules if rule.where == "near")
        self._runs = tuple(rule for rule in rules if rule.where == "run")
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
        return next(self._found(_without_placeholders(Seen(text).text)), None) is None

    def _spans(self, text: str) -> list[_Found]:
        """The stretches to replace, in order, apart from one another and from placeholders."""
        seen = Seen(text)
        masked = _without_placeholders(seen.text)
        found = list(self._found(masked))
        if not found:
            return found
        spans = _outside_placeholders(masked, _merged([*found, *_repeated(masked, found)]))
        return [(*seen.span(start, end), number) for start, end, number in spans]

    def _found(self, masked: str) -> Iterator[_Found]:
        """What the rules find in a text without placeholders, and the person's list allows not."""
        for rule, match in self._matches(masked):
            for start, end in rule.check(match, rule.group):
                if not self._allowed(masked[start:end]):
                    yield from _outside_placeholders(masked, [(start, end, rule.number)])

    def _matches(self, text: str) -> Iterator[tuple[_Rule, re.Match[str]]]:
        """Every place where a rule's pattern matches.

        The searches run over one byte a character (anything beyond ASCII is a question mark), so
        that a place found is a place in the text.
        """
        raw = text.encode("ascii", "replace")
        #: number of a rule -> end of its last match, and how often it matched inside that
        nested: dict[int, tuple[int, int]] = {}
        #: rules of a word -> where they were tried, and how often soon after that
        crowded: dict[int, tuple[int, int]] = {}
        #: number of a rule -> where its key words end
        near: dict[int, list[int]] = {}
        shape = raw.translate(_SHAPE_TABLE)
        digits = b"0" in shape
        places = self._words.places("" if _no_letters_beyond_ascii(text) else text, raw.lower())
        for rules, start, end in places + self._shapes.places("", shape) if digits else places:
            crowd, count = crowded.get(id(rules), (-_CROWD, 0))
            crowded[id(rules)] = (start, 1) if start >= crowd + _CROWD else (crowd, count + 1)
            if count >= _MOST_CROWDED and start < crowd + _CROWD:
                continue
            for rule in rules:
                if rule.where == "near":
                    near.setdefault(rule.number, []).append(end)
                elif nested and _matched_enough(nested.get(rule.number), start):
                    continue
                elif match := rule.pattern.match(text, start):
                    last, count = nested.get(rule.number, (0, 0))
                    inside = start < last
                    nested[rule.number] = (last, count + 1) if inside else (match.end(), 0)
                    yield rule, match
        if not digits:
            return
        if near:
            ends = sorted({end for places in near.values() for end in places})
            for start, end in _runs_near(raw.translate(_RUN_TABLE), shape, ends):
                for rule in self._near:
                    if _is_near(near.get(rule.number), start, end):
                        # Two characters more than the run has, for what must not follow it.
                        yield from ((rule, m) for m in rule.pattern.finditer(text, start, end + 2))
        names = b""
        for start, _ in _runs(raw.translate(_ALNUM_TABLE), shape, _LONG_RUN):
            names = names or raw.translate(_NAME_TABLE)
            first = names.rfind(b" ", max(0, start - _BEFORE_RUN), start) + 1 or start
            # the letter behind a backslash belongs to an escape
            first += text[first - 1 : first] == "\\"
            for rule in self._runs:
                for at in sorted({first, start}):
                    if match := rule.pattern.match(text, at):
                        yield rule, match

    def _allowed(self, secret: str) -> bool:
        """Whether the user's allow-list holds it."""
        if secret in self._allow:
            return True
        return self._allow_globs is not None and self._allow_globs.match(secret) is not None


def compile_redactor(
    table: Mapping[str, object], allow: Sequence[str] = (), *, tried: bool = False
) -> Redactor:
    """The redactor of a parsed config/redaction.toml; `allow` are exact strings and globs.

    The table holds `[parts]` (pieces that patterns name as `{{piece}}`, in order), `[words]` (lists
    that rules name instead of their own) and `[[rule]]`. The patterns of a table that was `tried`,
    as the shipped one is by its tests, are compiled when they are needed.
    Raises ConfigError that names the rule whose pattern, group, check or key is wrong.
    """
    named, lists, rows = table.get("parts", {}), table.get("words", {}), table.get("rule", [])
    for title, part in (("parts", named), ("words", lists)):
        if not isinstance(part, Mapping):
            raise ConfigError(f"{_FILE}: [{title}] is not a table")
    assert isinstance(named, Mapping) and isinstance(lists, Mapping)
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
        raise ConfigError(f"{_FILE}: [[rule]] is not a list of tables")
    parts: dict[str, str] = {}
    for name, piece in named.items():
        parts[str(name)] = _expanded(str(piece), parts, f"part {name}")
    made = [_rule(number, row, parts, lists) for number, row in enumerate(rows)]
    for rule in () if tried else made:
        _try_pattern(rule, rows[rule.number].get("check", "none"))
    return Redactor(made, allow)


def _rule(
    number: int,
    row: Mapping[str, object],
    parts: Mapping[str, str],
    lists: Mapping[str, object],
) -> _Rule:
    """One row of the table, checked."""
    kind, check, group = row.get("kind"), row.get("check", "none"), row.get("group", 0)
    name = f"rule {number + 1} ({kind})"
    if not isinstance(kind, str) or not _KIND.match(kind):
        raise ConfigError(f"{_FILE}: {name}: kind must be 1 to 40 of a-z, 0-9 and hyphen")
    if unknown := sorted(set(row) - _KEYS):
        raise ConfigError(f"{_FILE}: {name}: unknown key {unknown[0]!r}")
    if not isinstance(check, str) or check not in CHECKS:
        raise ConfigError(f"{_FILE}: {name}: check {check!r} is none of {', '.join(CHECKS)}")
    if not isinstance(group, int | str):
        raise ConfigError(f"{_FILE}: {name}: the pattern has no group {group!r}")
    source = _expanded(str(row.get("pattern", "")), parts, name)
    where, words = _words(row, lists, name)
    return _Rule(number, kind, where, words, source, group, CHECKS[check])


def _try_pattern(rule: _Rule, check: str) -> None:
    """Compile a rule's pattern. Raises ConfigError."""
    name, group = f"rule {rule.number + 1} ({rule.kind})", rule.group
    try:
        pattern = rule.pattern
    except re.error as error:
        raise ConfigError(f"{_FILE}: {name}: bad pattern: {error}") from error
    if pattern.match("") or (check == "key-block" and "side" not in pattern.groupindex):
        raise ConfigError(f"{_FILE}: {name}: the pattern matches nothing, or has no group 'side'")
    known = pattern.groupindex if isinstance(group, str) else range(pattern.groups + 1)
    if group not in known:
        raise ConfigError(f"{_FILE}: {name}: the pattern has no group {group!r}")


def _words(
    row: Mapping[str, object], lists: Mapping[str, object], name: str
) -> tuple[str, tuple[str, ...]]:
    """Where a rule is to be tried, and the words that say so."""
    given = [key for key in _PLACES if key in row]
    if len(given) != 1:
        raise ConfigError(f"{_FILE}: {name}: give one of {', '.join(_PLACES)}")
    where, value = given[0], row[given[0]]
    if where == "run":
        if value is not True:
            raise ConfigError(f"{_FILE}: {name}: run can be true only")
        return where, ()
    words = lists.get(value, [value]) if isinstance(value, str) else value
    if not isinstance(words, list) or not words:
        raise ConfigError(f"{_FILE}: {name}: {where} must be a list of strings")
    for word in words:
        if not isinstance(word, str) or not word or (where != "literals" and not word.isascii()):
            raise ConfigError(f"{_FILE}: {name}: {word!r} is no word to look for")
        if where != "shape" and word != word.lower():
            raise ConfigError(f"{_FILE}: {name}: {word!r} must be in small letters")
    return where, tuple(words)


def _expanded(pattern: str, parts: Mapping[str, str], name: str) -> str:
    """The pattern with its `{{part}}` replaced."""
    if missing := sorted(set(_PART.findall(pattern)) - set(parts)):
        raise ConfigError(f"{_FILE}: {name}: there is no part {missing[0]!r}")
    return _PART.sub(lambda match: parts[match[1]], pattern)


def _no_letters_beyond_ascii(text: str) -> bool:
    """Whether all letters are ASCII; dashes, quotation marks and arrows may be there."""
    if text.isascii():
        return True
    beyond = text.encode("utf-8", "replace").translate(None, _ASCII_BYTES)
    return _LETTER_BYTES.search(beyond) is None


def _matched_enough(last: tuple[int, int] | None, start: int) -> bool:
    """Whether a place is inside a rule's last match, in which it has matched often enough."""
    return last is not None and start < last[0] and last[1] > _MOST_NESTED


def _runs(as_bytes: bytes, shape: bytes, least: int) -> Iterator[tuple[int, int]]:
    """Start and end of every row of at least so many x with a digit among them."""
    row = b"x" * least
    start = as_bytes.find(row)
    while start >= 0:
        end = as_bytes.find(b" ", start)
        end = end if end >= 0 else len(as_bytes)
        if shape.find(b"0", start, end) >= 0:
            yield start, end
        start = as_bytes.find(row, end)


def _runs_near(as_bytes: bytes, shape: bytes, ends: Iterable[int]) -> Iterator[tuple[int, int]]:
    """The same for the shorter rows that key words, of which these are the ends, stand near."""
    row, done = b"x" * _RUN, 0
    for word_end in ends:
        first = as_bytes.rfind(b" ", done, max(done, word_end - _REACH)) + 1
        start = as_bytes.find(row, max(done, first), word_end + _REACH + _RUN)
        while start >= 0:
            done = as_bytes.find(b" ", start)
            done = done if done >= 0 else len(as_bytes)
            if shape.find(b"0", start, done) >= 0:
                yield start, done
            start = as_bytes.find(row, done, word_end + _REACH + _RUN)


def _is_near(word_ends: list[int] | None, start: int, end: int) -> bool:
    """Whether one of some words, in order, is within reach of a stretch."""
    if word_ends is None:
        return False
    after = bisect_left(word_ends, start - _REACH)
    return after < len(word_ends) and word_ends[after] < end + _REACH


def _repeated(text: str, found: Iterable[_Found]) -> Iterator[_Found]:
    """Other places of what was found, as far as it cannot be an ordinary word there."""
    known = {text[start:end]: number for start, end, number in found}
    secrets = sorted(filter(is_telling, known))[:_MOST_REPEATED]
    for secret, start, end in AhoCorasick(secrets).find_matches_as_indexes(text):
        yield start, end, known[secrets[secret]]


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


def _without_placeholders(text: str) -> str:
    return _PLACEHOLDER.sub(_blank, text) if "[REDACTED:" in text else text


def _blank(match: re.Match[str]) -> str:
    return "\0" * len(match[0])


def _outside_placeholders(masked: str, spans: list[_Found]) -> Iterator[_Found]:
    """The stretches without what was a placeholder, as far as letters or digits remain."""
    for start, end, number in spans:
        for piece in _UNMASKED.finditer(masked, start, end):
            if any(c.isalnum() for c in piece[0]):
                yield piece.start(), piece.end(), number
