"""Checks of redaction rules: a match -> where the secret stands in it, or nowhere for a look-alike.

A pattern says where a credential may stand; a check decides by the value itself: card and account
numbers by their checksums, key blocks by their lines, everything that is only *called* a password
or token by how it is made. A check may narrow the matched span (a closing full stop) or widen it
(the lines between two markers). Checks are pure, look at the match and a bounded stretch around
it, and never raise. All of them refuse what is obviously a placeholder.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping

from engram.capture.redact.check_digits import iban_length, is_card, is_iban, is_person_number
from engram.language.secret_conditions import is_condition

Span = tuple[int, int]
Spans = tuple[Span, ...]
Check = Callable[[re.Match[str], int | str], Spans]

#: Key blocks are looked for this far around a marker; a 16384-bit RSA key has 12,600 characters.
_BLOCK_REACH = 16_000

#: What placeholders contain, in small letters.
_STAND_INS = (
    "your", "example", "xxxx", "placeholder", "redacted", "dummy", "changeme", "change-me",
    "change_me", "change this", "changethis", "replace", "insert", "***", "...", "…", "••",
    "${", "$(", "{{", "#{", "%(",
)  # fmt: skip
_PLACEHOLDER = re.compile(
    r"(?:\w{0,8}%[-+ 0-9.]{0,6}[sdrf]\w{0,12}\W?)+\Z|%[a-z_]+%\Z"
    r"|(?:<|\\{1,4}u003c)[^<>\\]{1,60}(?:>|\\{1,4}u003e)\Z|&(?:lt|#60|#x3c);"
    r"|\[[a-z _]+\]\Z|[^{]{0,400}\{[a-z_.]*\}"
)
_VARIABLE = re.compile(r"\$(?:[A-Z][A-Z0-9_]*|[a-z][a-z_]*[0-9]?|[a-z]+(?:[A-Z][a-z]+)+)\Z")
_CONSTANT = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\Z")

#: Words that stand where a password would: in forms, types, sentences and documentation.
_ORDINARY_WORDS = """
and any api apikey argument array async auth authorization await bearer basic bool boolean bytes
char chars const credentials current default disabled empty enabled env environ expired fail
failed false field file flag flags float for form from function get hash hashed hidden input int
integer invalid key label let manager missing must name new nil none not null number object off
only option optional options parameter parameters pass passcode passphrase passwd password
passwords passwort plain plaintext policy prompt protected pwd read required reset return same
secret secrets see self session set show stdin str string strong super switch text that the this
token tokens true type undefined unset update user username value void was weak when with wrong yes
"""
_ORDINARY = frozenset(_ORDINARY_WORDS.split())
#: Words of labels and messages about a password.
_ASKING_WORDS = """
characters chars choose confirm confirmation create credentials does eingeben enter field forgot
forgotten invalid kennwort key least match max min minimum must optional pass passcode passphrase
passwd password passwort please prompt pwd remember repeat required requires secret should string
token type user username your
"""
_ASKS = frozenset(_ASKING_WORDS.split())
_CALLED_SO = re.compile(
    r"(?:^|[-_ .])(?i:password|passwd|pwd|token|secret|key|field|input)\Z"
    r"|[a-z](?:Password|Passwd|Pwd|Token|Secret|Key|Field|Input)\Z|\w\(\)\Z"
)
_COLOUR = re.compile(r"#[0-9A-Fa-f]{3,8}\Z")

#: Letters and then digits that are a name of something, not a password.
_TECHNICAL = re.compile(
    r"(?:base|utf|sha|md|aes|rsa|hs|rs|es|ps|oauth|http|ipv|gpt|u?int|float|amd|arm|x|h|win|rfc"
    r"|iso|ecma|python|py|node|java|vue|angular|web|log|crc|blake|argon|pbkdf|ed|secp|v|ver|step"
    r"|user|args?|param|val|value|var|str|string|field|input|item|te?mp|foo|bar|baz|version|level"
    r"|password|passwd|pass|pwd|pw|token|tok|secret|key|apikey|line|page|col|row|part|chapter"
    r"|option|case|demo|layer|model|id|num|no|nr|vector|point)[0-9]{1,5}"
    r"|1password|neo4j|argon2id?|base64url|utf16le|sqlite3|postgres[0-9]{1,2}",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"[A-Za-z_$][\w$]*(?:(?:\??\.|::|->)[A-Za-z_$][\w$]*)+[!;]?\Z"  # a path of names
    r"|[A-Za-z_$][\w.$:?!]*[(\[]|[(\[{]"  # a call, a subscript, a literal
)
_NAMES = re.compile(
    r"(?:[a-z]+(?:_[a-z]+)+|[A-Z]+(?:_[A-Z]+)+|[A-Z][a-z]*(?:_[A-Z][a-z]*)+)\Z|[a-z_]+(?:\.[a-z_]+)+\Z"
)
_DATE = re.compile(r"\d{4}[-/.]\d\d?[-/.]\d\d?\Z|\d\d?[-/.]\d\d?[-/.](?:\d{2}|\d{4})\Z")
_DATE_OR_VERSION = re.compile(
    r"\d{4}-\d\d(?:-\d\d(?:[T ][\d:.]*(?:Z|[+-]\d\d:?\d\d)?)?)?\Z"
    r"|[v^~]?\d+(?:\.\d+)+(?:[-+.]?(?:rc|alpha|beta|dev|post)[.\d]*)?\Z",
    re.IGNORECASE,
)
_PATH = re.compile(
    r"(?:~|\.{1,2})/|/[A-Za-z_.-]{2,30}(?:/|\Z)|[A-Za-z]:[\\/]|[a-z][a-z0-9+]{1,12}:\\{0,2}/|[a-z@][a-z_-]+(?:/[\w@.-]+){2,}\Z"
)
_FILE_ENDING = re.compile(
    r"\.(?:json|toml|ya?ml|py|[jt]sx?|java|html?|md|txt|log|csv|bak|env|pem|sh|go|rs|rb|php)\Z"
)
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+\Z")
_PIECE = re.compile(r"[A-Za-z0-9\u00c0-\u04ff]+")
_WORD_OR_NUMBER = re.compile(r"[^\W\d_]+|\d+")
_SLUG_OF_WORDS = re.compile(r"[a-z]{3,}(?:-[a-z]{3,}){2,}\Z")
_PLAIN_WORDS = re.compile(r"[^\W\d_]+\d*\Z|[A-Za-z]+\Z")
_MIXED_PIECE = re.compile(r"(?=\D*[0-9])(?=[0-9]*\D)[A-Za-z0-9\u00c0-\u04ff]{5,}\Z")
_NAME_WITH_NUMBER = re.compile(r"[A-Za-z]?[a-z]+(?:[A-Z]+[a-z]+)+[0-9]{1,2}\Z")
_TURN = re.compile(r"[A-Za-z](?=[!@#$%^&*?~+=]{0,3}[0-9])|[0-9](?=[!@#$%^&*?~+=]{0,3}[A-Za-z])")
_INNER_SYMBOL = re.compile(r"(?<=[A-Za-z0-9])[!@#$%^&*?~+]{1,8}(?=[A-Za-z0-9])")
_CLASSES = (re.compile(r"[0-9]"), re.compile(r"[A-Za-z]"), re.compile(r"[!@#$%^&]"))
_SLUG = re.compile(r"[a-z]{3,}(?:[-_][a-z]{3,})+[-_]|[A-Z]?[a-z]{2,}/")
_PAIR = re.compile(r"(?=([a-z]{2}))")
#: letters of languages that put no blanks between words
_WITHOUT_BLANKS = re.compile(r"[\u3040-\u9fff\uac00-\ud7af]")
#: so many characters of a value tell whether it was chosen as a password
_ENOUGH = 120
_SPACE = re.compile(r"\s")
_HUMP = re.compile(r"[a-z](?=[A-Z])")
_HEX = re.compile(r"[0-9a-fA-F]+\Z")
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\Z", re.IGNORECASE)

#: Letters that often follow a letter, in words of code and of English: 160 of 676 pairs make 85 %
#: of the pairs in words, and 24 % of those in random letters.
_FOLLOWERS = (
    "a:bcdgilmnprstu b:aelu c:aehiklort d:aeio e:acdeflmnprstvx f:aio g:e h:aeiot "
    "i:abcdefglmnoprst k:e l:adeilostuy m:aeiop n:acdegiost o:cdlmnoprstuw p:aeiloprty q:u "
    "r:adeimnorsty s:acehiopstu t:aehiorstuy u:elmnprst v:ae w:ai x:t y:p"
)
_COMMON_PAIRS = frozenset(
    letter + follower for letter, _, rest in (row.partition(":") for row in _FOLLOWERS.split())
    for follower in rest
)  # fmt: skip

#: prefixes of long identifiers, of agents, tools and checksums, that are no secrets
_OPEN_ID = re.compile(
    r"(?:(?:toolu|srvtoolu|msg|req|call|chatcmpl|resp|run|thread|asst|cus|pk_live|pk_test|fc|rs|ws"
    r"|evt|price|prod|sub|pi|ch|in|txn|seti|org|proj|user|team|file|batch|conv|sess|item|dpl|prj"
    r"|ses|prt|tool|gen|gr|part|step|event|task|job|node|index|chunk|main|vendor)[-_]"
    r"|sha(?:1|256|384|512)[-:_]|AAAA[BCE]3Nza|h1:|arn:)",
    re.IGNORECASE,
)

#: what a row of hexadecimal digits is called that is no secret
_DIGEST = re.compile(r"sha|md5|hash|digest|commit|checksum|etag|integrity|revision|blob|tree|trace")
_BEFORE = re.compile(
    r"[\"'`“„](?P<quoted>[^\"'`“”„\n]{4,64})[\"'`”“]\Z"
    r"|(?P<bare>[0-9]{2,4}(?:[ -][0-9]{2,4}){1,3}|[^\s\"'`]{4,64})\Z"
)
#: a word of a sentence without what is around it, and the sign that ends the sentence
_TOKEN = re.compile(
    r"[\s\"'`*_(,:，：、]{1,8}(?P<value>[^\s\"'`]{1,64}?)(?=[\"'`*,:;)!?.。，、]{0,3}(?P<stop>[.;!?。](?=\s|\Z))?"
    r"[\"'`*,:;)!?.。，、]{0,3}(?:\s|\Z))"
)
_SIGNS_OF_CODE = re.compile(
    r"\A(?:bool|str|int|optional)\b|[(){}\[\]<>=|\\]|\$\w|::|->|\A--?\w|\A[-+/#]+\Z"
)
_HOST = re.compile(
    r"(?:\w[\w-]*\.)+[A-Za-z][\w-]*(?::\d+)?(?:/|\Z)|\d+(?:\.\d+)+|[\w.+-]+@[A-Za-z]"
)
#: what is called after a password and is none: "the password manager"
_OTHER_THING = re.compile(
    r"[ -](?:hash|manager|polic|field|reset|rule|hint|prompt|page|form|file|length|strength|stor|"
    r"database|limit|count|rotation|expir|generator|check|validat|authentication|protect|input|"
    r"dialog|type|format|vault|tool|service|spray|crack|based|less|encrypt|column|test)"
)
_USER_OPTION = re.compile(
    r"\s(?:-u|-U|-l|-D|--?user(?:name)?|--?login|/u(?:ser)?:|--service-principal)(?=[ =:]?\S)"
)
_SQL_VALUE = re.compile(r"'((?:[^'\n]|''){0,200})'|[^',\s()]{1,200}")
_SECRET_COLUMN = re.compile(r"pass|pwd|secret|token|api_?key|\bpin\b")
_TELLING = re.compile(
    r"\b(?:uses?|used|using|with|enter|type|try|via|set|setting|changed?|reset|updated?|made|switched"
    r"|als)\s(?:(?:the|my|our|this|that|his|her|its|their|your)\s)?(?:[\w'-]{1,20} ){0,3}\Z"
    r"|\b(?:wi-?fi|wlan|ssid|network|login|user(?:name)?|account|zip|archive)\b[^.\n]{0,40}, \Z",
    re.IGNORECASE,
)
#: ASCII letters as small ones, space for all else
_SMALL_LETTERS = bytes(
    code | 32 if code < 128 and chr(code).isalpha() else 32 for code in range(256)
)
_BETWEEN_SEEDS = re.compile(r"[\s\d,;.)\"'`-]{1,12}")
#: what stands below the heads of a table in Markdown, and heads of columns in CSV
_TABLE_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-[-:| \t]*\Z")
_CSV_HEAD = re.compile(r"\"?[\w -]{1,30}\"?(?:[,;\t]\"?[\w -]{1,30}\"?)+\Z")
_LETTERS = re.compile(r"[A-Za-z]+")

#: Where a bare value ends although no space follows: the next field, or closing punctuation.
_NEXT_FIELD = re.compile(r"[,;&](?=\Z|[A-Za-z_][\w.\- ]{0,30}[=:])|%26(?=[A-Za-z_]+(?:=|%3D))")
_CLOSING = ".,;:)]}"


def is_placeholder(value: str) -> bool:
    """Whether a value stands for a secret instead of being one: `<key>`, `${KEY}`, `xxxx`."""
    lowered = value.lower()
    if any(part in lowered for part in _STAND_INS) or _PLACEHOLDER.match(lowered):
        return True
    if _VARIABLE.match(value) or _CONSTANT.match(value):
        return True
    size = len(value)
    return len(set(value)) <= (4 if size >= 12 else 2 if size >= 8 else 1)


def entropy(value: str) -> float:
    """Shannon entropy of the characters, bits each; 0 for an empty string."""
    size = len(value)
    return -sum(n / size * math.log2(n / size) for n in Counter(value).values())


def _value(match: re.Match[str], group: int | str) -> tuple[str, Span]:
    """The value in question and its span; a bare value is cut where the next field begins."""
    start, end = match.span(group)
    value = match[group]
    if "quote" not in match.re.groupindex:
        cut = _NEXT_FIELD.search(value)
        value = (value[: cut.start()] if cut else value).rstrip(_CLOSING)
        value = _FILE_ENDING.sub("", value)
        end = start + len(value)
    return value, (start, end)


def _is_word(value: str, bare: bool) -> bool:
    """Whether a value can be a chosen password at all: no ordinary word, no code, no sentence."""
    if len(value) < 3 or is_placeholder(value):
        return False
    if _SPACE.search(value):
        return not bare and _is_phrase(value)
    if value.strip("*_`~!?-:").lower() in _ORDINARY or _CALLED_SO.search(value):
        return False
    if _NAMES.match(value) or _PATH.match(value) or _DATE_OR_VERSION.match(value):
        return False
    return not (_COLOUR.match(value) or (bare and _CODE.match(value)))


def _is_phrase(value: str) -> bool:
    """Whether words in quotes can be a password: no sentence, no label and no message."""
    words = value.split()
    if len(words) > 10 or sum(map(is_condition, words)) * 2 >= len(words):
        return False
    return not any(word.lower() in _ASKS or _CALLED_SO.search(word) for word in words)


def _is_mixed(value: str, bare: bool) -> bool:
    """Whether a value looks chosen as a password: letters among digits, or symbols among both."""
    value = value[:_ENOUGH]
    if not _is_word(value, bare) or _EMAIL.match(value) or _WITHOUT_BLANKS.search(value):
        return False
    if value.isdigit() and value.isascii():
        return len(value) >= 6
    if len(value) >= 6 and (
        _INNER_SYMBOL.search(value) or all(sort.search(value) for sort in _CLASSES)
    ):
        return True
    if _is_jumbled(value) or _is_joined(value):
        return True
    return any(
        _MIXED_PIECE.match(piece)
        and not _TECHNICAL.fullmatch(piece)
        and not (bare and _NAME_WITH_NUMBER.match(piece) and _reads(piece) > 0.5)
        for piece in _PIECE.findall(value)
    )


def _is_joined(value: str) -> bool:
    """Whether a value is words joined by signs as people and routers make them: `Tea-and-Cup-7`.

    There is a number among the words, or a capital behind the first; `sha-256` and a name with a
    number are no passwords.
    """
    pieces = _WORD_OR_NUMBER.findall(value)
    words = [piece for piece in pieces if not piece.isdigit()]
    if len(pieces) < 2 or not words or _TECHNICAL.fullmatch("".join(pieces[:2])):
        return False
    if _TECHNICAL.fullmatch(value) or _PLAIN_WORDS.match(value):
        return False
    if _SLUG_OF_WORDS.match(value) and not any(map(is_condition, words)):
        return True
    number = len(pieces) > len(words)
    return (number and len(value) >= 6) or any(word[:2].istitle() for word in words[1:])


def _reads(value: str) -> float:
    """How much of a value reads like words, 0..1: the share of its letter pairs that are common."""
    pairs = _PAIR.findall(value.lower())
    return sum(pair in _COMMON_PAIRS for pair in pairs) / len(pairs) if len(pairs) >= 4 else 1.0


def _is_jumbled(value: str) -> bool:
    """Whether a value is letters of both cases in no order that words have."""
    if len(value) < 8 or value.lower() == value or value.upper() == value:
        return False
    reads = _reads(value)
    return reads < 0.4 or (reads < 0.5 and len(_HUMP.findall(value)) >= max(3, len(value) / 5))


def is_telling(secret: str) -> bool:
    """Whether a secret is distinctive enough to be replaced wherever else it stands."""
    return len(secret) >= 8 and not any(c.isspace() for c in secret) and _is_mixed(secret, True)


def _is_random(value: str, strict: bool = False) -> bool:
    """Whether a value looks machine-made: digits all through it, or letters in no words."""
    size = len(value)
    if len(_TURN.findall(value)) >= max(3, size / (6 if strict else 8)):
        return True
    if size >= 8 and all(sort.search(value) for sort in _CLASSES) and not value.islower():
        return True
    return _is_jumbled(value) or (size >= 16 and _reads(value) < (0.45 if strict else 0.5))


def _check_none(match: re.Match[str], group: int | str) -> Spans:
    return () if is_placeholder(match[group]) else (match.span(group),)


def _check_word(match: re.Match[str], group: int | str) -> Spans:
    value, span = _value(match, group)
    return (span,) if _is_word(value, "quote" not in match.re.groupindex) else ()


def _check_mixed(match: re.Match[str], group: int | str) -> Spans:
    value, span = _value(match, group)
    return (span,) if _is_mixed(value, "quote" not in match.re.groupindex) else ()


def _check_strong(match: re.Match[str], group: int | str) -> Spans:
    value, span = _value(match, group)
    bare = "quote" not in match.re.groupindex
    if len(value) < 6 or _OPEN_ID.match(value) or not _is_word(value, bare):
        return ()
    return (span,) if _is_random(value) else ()


def _check_entropy(match: re.Match[str], group: int | str) -> Spans:
    """At least 20 characters of 3.5 bits, machine-made, and no digest, identifier or path."""
    value, span = _value(match, group)
    if len(value) < 20 or _HEX.match(value) or _UUID.match(value) or _OPEN_ID.match(value):
        return ()
    if not _is_word(value, bare=True) or not any(c.isdigit() for c in value):
        return ()
    if _SLUG.match(value):
        return ()
    return (span,) if _is_random(value, strict=True) and entropy(value) >= 3.5 else ()


def _check_random(match: re.Match[str], group: int | str) -> Spans:
    """The whole match, if the group in it is machine-made."""
    value = match[group]
    return (match.span(),) if _is_random(value) and not is_placeholder(value) else ()


def _check_base62(match: re.Match[str], group: int | str) -> Spans:
    """Capitals, small letters and digits mixed as in a random number, and no identifier."""
    value, span = match[group], match.span(group)
    if _OPEN_ID.match(match[0]) or is_placeholder(value) or _reads(value) > 0.45:
        return ()
    kinds = (str.isdigit, str.isupper, str.islower)
    least, bits = (3, 3.8) if len(value) >= 16 else (1, 3.0)
    if any(sum(map(kind, value)) < least for kind in kinds) or entropy(value) < bits:
        return ()
    return (span,) if len(_TURN.findall(value)) >= len(value) / 8 else ()


def _check_hex(match: re.Match[str], group: int | str) -> Spans:
    """Hexadecimal digits in no simple order, and not called a digest of something."""
    before = match.string[max(0, match.start() - 24) : match.start()].lower()
    after = match.string[match.end() + 1 : match.end() + 6]
    if entropy(match[group]) < 2.5 or _DIGEST.search(before) or after.startswith(("refs/", "HEAD")):
        return ()
    return (match.span(group),)


def _check_stated(match: re.Match[str], group: int | str) -> Spans:
    """One word or a few that are said to be a password: none that says something about one."""
    value = match[group].rstrip(" " + _CLOSING)
    words = value.split()
    if not words or len(words) > 8 or is_placeholder(value) or any(map(is_condition, words)):
        return ()
    if len(value) < 3 or value.lower() in _ORDINARY or _CALLED_SO.search(value):
        return ()
    start = match.start(group)
    return ((start, start + len(value)),)


def _check_sentence(match: re.Match[str], group: int | str) -> Spans:
    """The words behind a noun that look chosen as one, up to the end of the sentence or to code."""
    if _OTHER_THING.match(match[group]):
        return ()
    spans = list[Span]()
    for token in _TOKEN.finditer(match.string, *match.span(group)):
        value = token["value"]
        if _SIGNS_OF_CODE.search(value):
            break
        if len(value) >= 6 and not _HOST.match(value) and _is_mixed(value, bare=True):
            spans.append(token.span("value"))
        if token["stop"]:
            break
    return tuple(spans)


def _check_told(match: re.Match[str], group: int | str) -> Spans:
    """What stands behind a noun that a verb leads to: "use the password ...", "set it to ..."."""
    text, start = match.string, match.start()
    if _OTHER_THING.match(text, match.start(group) - 1) or match[group].lower() in ("and", "or"):
        return ()
    return _check_stated(match, group) if _TELLING.search(text[max(0, start - 60) : start]) else ()


def _check_code(match: re.Match[str], group: int | str) -> Spans:
    """Four digits or more, three of a card's own code; no year behind a word like entry."""
    digits = sum(map(str.isdigit, match[group])) or len(_LETTERS.findall(match[group]))
    said = match[0].lower()
    short = said[:2] in ("cv", "cs") or "combination" in said or "security code" in said
    short = short or any(map(str.isalpha, match[group]))
    return (match.span(group),) if digits >= (3 if short else 4) else ()


def _check_number(match: re.Match[str], group: int | str) -> Spans:
    """Capitals and digits as states and insurers number people."""
    value = match[group]
    digits = sum(map(str.isdigit, value))
    if is_placeholder(value) or not (digits >= 4 or (digits >= 2 and len(value) >= 8)):
        return ()
    return () if _DATE.match(value) else (match.span(group),)


def _check_phrase(match: re.Match[str], group: int | str) -> Spans:
    """Several words in quotes after `passphrase`: a phrase, unless it asks for one."""
    words = match[group].lower().split()
    if len(words) < 2 or is_placeholder(match[group]):
        return ()
    return (
        () if any(is_condition(word) or word in _ASKS for word in words) else (match.span(group),)
    )


def _check_before(match: re.Match[str], group: int | str) -> Spans:
    """What stands before "is my password": in quotes anything that can be one, else mixed."""
    start = match.start()
    start -= match.string[start - 1 : start] == " "
    stated = _BEFORE.search(match.string, max(0, start - 80), start)
    if stated is None or stated.end() != start:
        return ()
    quoted = stated["quoted"]
    if quoted is not None:
        return (stated.span("quoted"),) if _is_word(quoted, bare=False) else ()
    bare = stated["bare"]
    typed = " " in bare or (
        bare.isdecimal() and match[0].endswith(("pin", "PIN", "code", "puk", "PUK"))
    )
    return (stated.span("bare"),) if typed or _is_mixed(bare, bare=True) else ()


def _check_option(match: re.Match[str], group: int | str) -> Spans:
    """The value of a short option on a command line that names a user in another one."""
    text, start = match.string, match.start()
    first = max(text.rfind("\n", max(0, start - 300), start), start - 300)
    value, span = _value(match, group)
    if not _is_mixed(value, "quote" not in match.re.groupindex) or "/" in value:
        return ()
    return (span,) if _USER_OPTION.search(text, max(0, first), span[1] + 80) else ()


def _check_row(match: re.Match[str], group: int | str) -> Spans:
    """The value of a column called password in a row that is put into a table."""
    values = list(_SQL_VALUE.finditer(match.string, *match.span(group)))
    columns = match["columns"].lower().split(",")
    return tuple(
        value.span(1)
        for name, value in zip(columns, values, strict=False)
        if value[1] and _SECRET_COLUMN.search(name) and _is_word(value[1], bare=False)
    )


def _check_seed(match: re.Match[str], group: int | str) -> Spans:
    """Twelve words or more of a wallet's list in a row: most of them differ, and not in order."""
    from engram.capture.redact.seed_words import SEED_WORDS

    text, first, last = match.string, max(0, match.start() - 240), match.end() + 240
    # few texts have twelve such words one after the other, whatever stands between them
    near = text[first:last].encode("ascii", "replace").translate(_SMALL_LETTERS).decode().split()
    if b"\1" * 12 not in bytes(map(SEED_WORDS.__contains__, near)):
        return ()
    row: list[re.Match[str]] = []
    for word in _LETTERS.finditer(text, first, last):
        joined = not row or _BETWEEN_SEEDS.fullmatch(text, row[-1].end(), word.start())
        if joined and word[0].lower() in SEED_WORDS:
            row.append(word)
        elif len(row) >= 12:
            break
        else:
            row.clear()
    words = [word[0].lower() for word in row] if len(row) >= 12 else []
    if len(set(words)) < 9 or words == sorted(words) or len({word[0] for word in words}) == 1:
        return ()
    return ((row[0].start(), row[-1].end()),)


def _check_column(match: re.Match[str], group: int | str) -> Spans:
    """The cells of a table below one that is called password, up to the end of the table."""
    text, first, spans = match.string, match.start("header"), list[Span]()
    before = text[text.rfind("\n", 0, first) + 1 : first]
    sign = match["sign"] or before.rstrip(' *`"')[-1:]
    lines = match[group].split("\n")
    if not sign or sign not in "|,;\t":
        return ()
    if not (_TABLE_RULE if sign == "|" else _CSV_HEAD).match(
        lines[0] if sign == "|" else before + match["header"]
    ):
        return ()
    column, signs = before.count(sign), (before + match["header"]).count(sign)
    at = match.start(group)
    for line in lines:
        if line.count(sign) != signs:
            break
        cells = line.split(sign)
        value = cells[column].strip().strip("`*\"'")
        place = at + sum(len(cell) + 1 for cell in cells[:column]) + cells[column].find(value)
        if re.search(r"[^-: ]", value) and _is_word(value, bare=False) and not is_condition(value):
            spans.append((place, place + len(value)))
        at += len(line) + 1
    return tuple(spans)


def _check_basic(match: re.Match[str], group: int | str) -> Spans:
    """Base64 of `user:password`, as HTTP basic authentication sends it."""
    value = match[group].rstrip("=")
    try:
        plain = base64.b64decode(value + "=" * (-len(value) % 4), validate=True)
    except (binascii.Error, ValueError):
        return ()
    return (match.span(group),) if b":" in plain and min(plain) >= 0x20 else ()


def _check_luhn(match: re.Match[str], group: int | str) -> Spans:
    """A payment card."""
    return (match.span(group),) if is_card("".join(_PIECE.findall(match[group]))) else ()


def _check_iban(match: re.Match[str], group: int | str) -> Spans:
    """An account number, up to where its country says that it ends."""
    length = iban_length(match[group][:2])
    places = [place for place, c in enumerate(match[group]) if not c.isspace()]
    if length is None or len(places) < length:
        return ()
    start = match.start(group)
    end = start + places[length - 1] + 1
    plain = "".join(match.string[start:end].split())
    if match.string[end : end + 1].isalnum() or not (plain.isascii() and plain.isalnum()):
        return ()
    return ((start, end),) if is_iban(plain) else ()


def _check_person(match: re.Match[str], group: int | str) -> Spans:
    """A number of a person by its check digits; the pattern's group names the state."""
    plain = "".join(_PIECE.findall(match[0]))
    return (match.span(),) if is_person_number(match.lastgroup or "", plain) else ()


_LINE = r"[A-Za-z0-9+/]{16,}={0,2}"
_HEADER = r"(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset):[^\r\n\\]{0,100}"
#: What may stand between two lines of a key: white space, escapes, quotes, line numbers.
_GAP = r"(?:[\s\"'`,>|=]|\\{1,4}[nrt]?|\+(?=\s)|[0-9]{1,5}(?=→|\t|\\{1,4}t)|→)"
_REST = r"[A-Za-z0-9+/]{0,75}[0-9+/=][A-Za-z0-9+/=]{0,75}(?![A-Za-z0-9+/=])"
_FORWARD = re.compile(rf"(?:{_GAP}{{0,40}}(?:{_LINE}|{_HEADER}))+(?:{_GAP}{{1,40}}{_REST})?")
_BACKWARD = re.compile(rf"{_LINE}(?:{_GAP}{{1,40}}(?:{_LINE}|{_REST}))*(?={_GAP}{{0,40}}\Z)")
_LINES = re.compile(_LINE)


def _check_key_block(match: re.Match[str], group: int | str) -> Spans:
    """A private key from its BEGIN or END marker: to the other one, or as far as its lines go."""
    text, (start, end) = match.string, match.span()
    if match["side"].upper() == "END":
        before = text[max(0, start - _BLOCK_REACH) : start]
        before = before[before.rfind("-----") + 1 :]
        lines = _BACKWARD.search(before)
        return ((start - len(before) + lines.start(), end),) if lines else ()
    stop = text.find("-----END", end, end + _BLOCK_REACH)
    if stop >= 0 and text.find("-----BEGIN", end, stop) < 0:
        body = sum(len(line) for line in _LINES.findall(text, end, stop))
        if body > (stop - end) / 2:
            close = text.find("-----", stop + 8, stop + 80)
            return ((start, close + 5 if close >= 0 else stop),)
    lines = _FORWARD.match(text, end, end + _BLOCK_REACH)
    return ((start, lines.end()),) if lines else ()


#: The names that `check` may have in config/redaction.toml.
CHECKS: Mapping[str, Check] = {
    "none": _check_none,
    "word": _check_word,
    "mixed": _check_mixed,
    "strong": _check_strong,
    "entropy": _check_entropy,
    "random": _check_random,
    "base62": _check_base62,
    "hex": _check_hex,
    "stated": _check_stated,
    "sentence": _check_sentence,
    "told": _check_told,
    "code": _check_code,
    "number": _check_number,
    "phrase": _check_phrase,
    "before": _check_before,
    "option": _check_option,
    "row": _check_row,
    "seed": _check_seed,
    "column": _check_column,
    "basic": _check_basic,
    "luhn": _check_luhn,
    "iban": _check_iban,
    "person": _check_person,
    "key-block": _check_key_block,
}
