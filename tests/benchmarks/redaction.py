"""The labelled sets in data/redaction* -> recall, false positives and speed of the redactor.

`python -m tests.benchmarks.redaction` prints all three. The set holds templates instead of
secrets (`sk-${b62:48}`), so that no scanner takes it for a leak; they are filled in from SHA-256
of the row number, the same in every run. A secret counts as found only if it is wholly absent
from the result, in every escaped form that the row used, and so are both of its halves.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import string
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from urllib.parse import quote

from engram.capture.redact.redactor import Redactor, compile_redactor
from engram.capture.redact.seed_words import SEED_WORDS

ROOT = Path(__file__).resolve().parents[2]
LABELLED = Path(__file__).parent / "data" / "redaction.jsonl"
KINDS = LABELLED.with_name("redaction_kinds.txt")
#: written last, when the rules caught all others: .93 were caught at first sight
LATER = LABELLED.with_name("redaction_kinds_later.txt")
#: three sets written before the rules were read: .69, .76 and .96 were caught at first sight
BLIND = LABELLED.with_name("redaction_kinds_blind.txt")
LOOKALIKES = LABELLED.with_name("redaction_lookalikes.txt")

_LETTERS = string.ascii_letters
_ALPHABETS = {
    "hex": "0123456789abcdef",
    "HEX": "0123456789ABCDEF",
    "b62": _LETTERS + string.digits,
    "b64": _LETTERS + string.digits + "+/",
    "b64url": _LETTERS + string.digits + "-_",
    "b36": string.ascii_lowercase + string.digits,
    "b32": string.ascii_uppercase + "234567",
    "up36": string.ascii_uppercase + string.digits,
    "alpha": _LETTERS,
    "dig": string.digits,
    "abc": string.ascii_lowercase,
    "b58": "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
    "bech32": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
}
_TEMPLATE = re.compile(r"\$\{([A-Za-z0-9]+)(?::([^{}]*))?\}")
_SECRET = re.compile(r"\$\{secret(?::(\w+))?\}")
_ESCAPES: dict[str, Callable[[str], str]] = {
    "": lambda text: text,
    "json": lambda text: json.dumps(text)[1:-1],
    "json2": lambda text: json.dumps(json.dumps(text)[1:-1])[1:-1],
    "slash": lambda text: text.replace("/", r"\/"),
    "url": lambda text: quote(text, safe=""),
}


class Draws:
    """An endless, repeatable row of numbers made from a seed with SHA-256."""

    def __init__(self, seed: str) -> None:
        self._bytes = self._stream(seed)

    @staticmethod
    def _stream(seed: str) -> Iterator[int]:
        block = 0
        while True:
            yield from hashlib.sha256(f"{seed}/{block}".encode()).digest()
            block += 1

    def below(self, limit: int) -> int:
        """The next number in 0..limit-1, limit up to 65536."""
        return (next(self._bytes) * 256 + next(self._bytes)) % limit

    def of(self, alphabet: str, size: int) -> str:
        """`size` characters of an alphabet."""
        return "".join(alphabet[self.below(len(alphabet))] for _ in range(size))


def _password(draws: Draws, size: int, symbols: str) -> str:
    """A password as a generator makes it: at least one letter of each case, digit and symbol."""
    sure = [draws.of(part, 1) for part in (string.ascii_lowercase, string.digits, symbols)]
    rest = draws.of(_LETTERS + string.digits + symbols, size - 4)
    return draws.of(string.ascii_uppercase, 1) + sure[0] + rest + sure[1] + sure[2]


def _with_check_digit(body: str) -> str:
    total = 0
    for place, digit in enumerate(reversed(body)):
        number = int(digit) * (2 - place % 2)
        total += number - 9 if number > 9 else number
    return body + str(-total % 10)


def _card(draws: Draws, argument: str, valid: bool) -> str:
    """`prefix:length:separator` -> a number whose Luhn checksum is right, or wrong by one."""
    prefix, length, separator = [*argument.split(":"), ""][:3]
    digits = _with_check_digit(prefix + draws.of(string.digits, int(length) - len(prefix) - 1))
    if not valid:
        digits = digits[:-1] + str((int(digits[-1]) + 1) % 10)
    cuts = [0, 4, 10, 15] if len(digits) == 15 else list(range(0, len(digits) + 4, 4))
    groups = [digits[a:b] for a, b in pairwise(cuts)]
    return separator.join(group for group in groups if group)


_BANKS = {
    "DE": "d18", "GB": "u4d14", "FR": "d10u11d2", "AT": "d16", "NL": "u4d10",
    "CH": "d5u12", "ES": "d20", "BE": "d12", "IT": "u1d10u12",
}  # fmt: skip


def _iban(draws: Draws, argument: str, valid: bool) -> str:
    """`country:separator` -> an account number whose checksum is right, or wrong by one."""
    country, separator = [*argument.split(":"), ""][:2]
    body = ""
    for sort, size in re.findall(r"([du])(\d+)", _BANKS[country]):
        body += draws.of(string.digits if sort == "d" else string.ascii_uppercase, int(size))
    number = "".join(str(int(c, 36)) for c in body + country + "00")
    check = 98 - int(number) % 97
    whole = f"{country}{check if valid else check % 97 + 2:02d}{body}"
    return separator.join(whole[at : at + 4] for at in range(0, len(whole), 4))


def _jwt(draws: Draws, size: int) -> str:
    def part(value: dict[str, object]) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    body = {"sub": draws.of(string.digits, 10), "iat": 1767225600, "name": draws.of(_LETTERS, 6)}
    return f"{part({'alg': 'HS256'})}.{part(body)}.{draws.of(_ALPHABETS['b64url'], size)}"


def _weighed(digits: str, weights: Iterable[int]) -> int:
    """The sum of digits times weights, of which most check digits are made."""
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=False))


def _cpf(draws: Draws) -> str:
    body = draws.of(string.digits, 9)
    for weights in (range(10, 1, -1), range(11, 1, -1)):
        body += str(-_weighed(body, weights) % 11 % 10)
    return f"{body[:3]}.{body[3:6]}.{body[6:9]}-{body[9:]}"


def _german_tax(draws: Draws) -> str:
    body, product = "1" + draws.of("23456789", 9), 10
    for digit in body:
        product = ((int(digit) + product) % 10 or 10) * 2 % 11
    whole = body + str((11 - product) % 10)
    return f"{whole[:2]} {whole[2:5]} {whole[5:8]} {whole[8:]}"


def _verhoeff(draws: Draws) -> str:
    """Twelve digits with the check digit of Verhoeff, in groups of four."""
    rows = ["0123456789", "1576283094", "5803796142", "8916043527", "9453126870", "4286573901",
            "2793806415", "7046913258"]  # fmt: skip

    def times(a: int, b: int) -> int:
        turned = (a + (b if a < 5 else -b)) % 5
        return turned + 5 * ((a >= 5) != (b >= 5))

    body, total = "2" + draws.of(string.digits, 10), 0
    for place, digit in enumerate(reversed(body), start=1):
        total = times(total, int(rows[place % 8][int(digit)]))
    whole = body + str(next(n for n in range(10) if times(total, n) == 0))
    return f"{whole[:4]} {whole[4:8]} {whole[8:]}"


def _dutch(draws: Draws) -> str:
    while True:
        body = "1" + draws.of(string.digits, 7)
        if (check := _weighed(body, range(9, 1, -1)) % 11) < 10:
            return body + str(check)


def _italian(draws: Draws) -> str:
    body = "RSSLNE85" + "C" + f"{1 + draws.below(28):02d}" + "F205"
    odd = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25,
           24, 23)  # fmt: skip
    total = 0
    for place, sign in enumerate(body):
        value = int(sign) if sign.isdigit() else ord(sign) - 65
        total += value if place % 2 else odd[value]
    return body + chr(65 + total % 26)


def _french(draws: Draws) -> str:
    body = f"2{50 + draws.below(50)}05{draws.of('123456789', 2)}" + draws.of(string.digits, 6)
    return f"{body[0]} {body[1:3]} {body[3:5]} {body[5:7]} {body[7:10]} {body[10:]} " + (
        f"{97 - int(body) % 97:02d}"
    )


def _person_number(name: str, draws: Draws) -> str:
    """A number by which a state knows a person, with its check digit."""
    birth = f"{50 + draws.below(50)}0{1 + draws.below(9)}1{draws.below(10)}"
    dni, pesel = draws.of(string.digits, 8), birth + draws.of(string.digits, 4)
    made: dict[str, Callable[[], str]] = {
        "ssn": lambda: f"5{draws.of('123456789', 2)}-4{draws.below(10)}-{1000 + draws.below(9000)}",
        "steuerid": lambda: _german_tax(draws),
        "aadhaar": lambda: _verhoeff(draws),
        "cpf": lambda: _cpf(draws),
        "dni": lambda: dni + "TRWAGMYFPDXBNJZSQVHLCKE"[int(dni) % 23],
        "pesel": lambda: pesel + str(-_weighed(pesel, [1, 3, 7, 9] * 3) % 10),
        "bsn": lambda: _dutch(draws),
        "pnr": lambda: (
            (whole := _with_check_digit(birth + draws.of(string.digits, 3)))[:6] + "-" + whole[6:]
        ),
        "cf": lambda: _italian(draws),
        "nir": lambda: _french(draws),
    }
    return made[name]()


def _seed_phrase(draws: Draws, argument: str) -> str:
    words = sorted(SEED_WORDS)
    size, _, numbered = argument.partition(":")
    chosen = [words[draws.below(len(words))] for _ in range(int(size))]
    if numbered:
        return "\n".join(f"{place}. {word}" for place, word in enumerate(chosen, start=1))
    return " ".join(chosen)


_PERSON_NUMBERS = ("ssn", "steuerid", "aadhaar", "cpf", "dni", "pesel", "bsn", "pnr", "cf", "nir")


def _filled(name: str, argument: str, draws: Draws) -> str | None:
    """One template -> its text; None for a name that is no template of ours."""
    if name in _PERSON_NUMBERS:
        return _person_number(name, draws)
    if name in _ALPHABETS and argument.isdigit():
        return draws.of(_ALPHABETS[name], int(argument))
    made: dict[str, Callable[[], str]] = {
        "d5": lambda: "-" * 5,
        "pw": lambda: _password(draws, int(argument), "!@#%^*+?~"),
        "pwurl": lambda: _password(draws, int(argument), "!*+~"),
        "pem": lambda: "\n".join(draws.of(_ALPHABETS["b64"], 64) for _ in range(int(argument))),
        "jwt": lambda: _jwt(draws, int(argument)),
        "uuid": lambda: "-".join(draws.of(_ALPHABETS["hex"], n) for n in (8, 4, 4, 4, 12)),
        "basic": lambda: base64.b64encode(
            b"kim:" + draws.of(_ALPHABETS["b62"], int(argument)).encode()
        ).decode(),
        "card": lambda: _card(draws, argument, valid=True),
        "nocard": lambda: _card(draws, argument, valid=False),
        "iban": lambda: _iban(draws, argument, valid=True),
        "seed": lambda: _seed_phrase(draws, argument),
        "wif": lambda: "5" + draws.of("HJK", 1) + draws.of(_ALPHABETS["b58"], 49),
        "zw": lambda: "\u200b",
        "shy": lambda: "\u00ad",
        "badiban": lambda: _iban(draws, argument, valid=False),
    }
    return made[name]() if name in made else None


def expand(template: str, draws: Draws) -> str:
    """A template with every `${...}` of ours filled in; others (`${HOME}`) stay."""

    def fill(match: re.Match[str]) -> str:
        text = _filled(match[1], match[2] or "", draws)
        return match[0] if text is None else text

    return _TEMPLATE.sub(fill, template)


@dataclass(frozen=True, slots=True)
class Row:
    """One labelled text. `secret` is None in a look-alike; `forms` are its spellings in it."""

    number: int
    text: str
    kind: str
    place: str
    secret: str | None
    forms: tuple[str, ...]

    def kept(self, redacted: str) -> str | None:
        """The part of the secret that is still there, if any: a form of it, or half of one."""
        for form in self.forms:
            middle = len(form) // 2
            halves = (form[:middle], form[middle:]) if middle >= 8 else ()
            for part in (form, *halves):
                if part in redacted:
                    return part
        return None


def labelled() -> list[Row]:
    """The whole set, filled in."""
    rows = []
    for number, line in enumerate(LABELLED.read_text(encoding="utf-8").splitlines(), start=1):
        raw = json.loads(line)
        draws = Draws(f"row {number}")
        secret = None if raw["secret"] is None else expand(raw["secret"], draws)
        forms: set[str] = set()

        def place(match: re.Match[str], secret: str = secret or "", forms: set[str] = forms) -> str:
            form = _ESCAPES[match[1] or ""](secret)
            forms.add(form)
            return form

        # The rest is filled in around the secret, so that a secret is never read as a template.
        pieces = re.split(r"(\$\{secret(?::\w+)?\})", raw["text"])
        text = "".join(
            _SECRET.sub(place, piece) if index % 2 else expand(piece, draws)
            for index, piece in enumerate(pieces)
        )
        forms_sorted = tuple(sorted(forms))
        rows.append(Row(number, text, raw["kind"], raw["place"], secret, forms_sorted))
    return rows


def by_kind(secrets: Path = KINDS) -> list[Row]:
    """The set of many kinds: data/redaction_kinds.txt and data/redaction_lookalikes.txt.

    Of another file than the first the secrets alone. `kind: form` is followed by indented texts;
    `§` in a text is the form, `⟦...⟧` another one.
    """
    rows: list[Row] = []
    kind = form = ""
    for line in secrets.read_text(encoding="utf-8").splitlines():
        if not line.startswith("  "):
            kind, _, form = line.partition(":")
            continue
        draws, written = Draws(f"{kind} {line}"), line.strip().replace("\\n", "\n")
        pieces = re.split("⟦(.*?)⟧", written.replace("§", f"⟦{form.strip()}⟧"), flags=re.DOTALL)
        values = [expand(piece.replace("\\n", "\n"), draws) for piece in pieces[1::2]]
        around = [expand(piece, draws) for piece in pieces[::2]]
        text = around[0] + "".join(a + b for a, b in zip(values, around[1:], strict=True))
        forms = tuple(part for value in values for part in value.split("\n") if "--" not in part)
        rows.append(Row(len(rows) + 1, text, kind, "", values[0], forms))
    if secrets is not KINDS:
        return rows
    for line in LOOKALIKES.read_text(encoding="utf-8").splitlines():
        text = expand(line.replace("\\n", "\n"), Draws(line))
        rows.append(Row(len(rows) + 1, text, "", "", None, ()))
    return rows


def halves(rows: Iterable[Row]) -> tuple[list[Row], list[Row]]:
    """The rows that rules were made with, and those kept back: by kind, so that no kind is in both.

    Look-alikes are divided by their text.
    """
    sides: tuple[list[Row], list[Row]] = ([], [])
    for row in rows:
        sides[Draws(f"half {row.kind or row.text}").below(2)].append(row)
    return sides


@dataclass(frozen=True, slots=True)
class Outcome:
    """Which rows went wrong: secrets that stayed, look-alikes that were taken for one."""

    missed: tuple[Row, ...]
    mistaken: tuple[Row, ...]
    recall: float
    false_positives: float


def measure(redactor: Redactor, rows: list[Row]) -> Outcome:
    """Run the redactor over the set; recall and false positives are shares, 0..1."""
    secrets = [row for row in rows if row.secret is not None]
    others = [row for row in rows if row.secret is None]
    missed = tuple(row for row in secrets if row.kept(redactor.redact(row.text).text))
    mistaken = tuple(row for row in others if not redactor.clean(row.text))
    wrongly = len(mistaken) / max(1, len(others))
    return Outcome(missed, mistaken, 1 - len(missed) / max(1, len(secrets)), wrongly)


def shipped() -> Redactor:
    """The redactor of config/redaction.toml."""
    with (ROOT / "config" / "redaction.toml").open("rb") as file:
        return compile_redactor(tomllib.load(file))


_SUBJECTS = (
    "the parser|our daemon|this test|the index|a migration|the tokenizer|the keyboard|my colleague"
    "|the second worker|the importer|an older release|the reader|the queue|nobody|the build|a user"
)
_VERBS = "reads|drops|keeps|renames|fails on|ignores|rewrites|compares|waits for|copies"
_OBJECTS = (
    "every turn|two files|a git hash|the old schema|the header|one long line|the last batch"
    "|the window|both versions|the folder|its own output|an empty page|the report|the daily limit"
    "|the password field|12 tokens|the cache key|the release notes|three rows|the whole table"
)
_CODE = (
    "    def load(self, path: Path) -> dict[str, int]:\n        return self._read(path)\n",
    "$ git log --oneline | head -5\n{h} fix the reader\n",
    "const items = rows.filter((row) => row.id !== last).map(toItem);\n",
    '  File "/srv/app/engine/reader.py", line 214, in read\n    raise ValueError(name)\n',
    "| run | seconds | rows |\n|-----|---------|------|\n| 1 | 0.42 | 20311 |\n",
)


def conversation(size: int, seed: str = "talk") -> str:
    """About `size` characters of talk with code, and nothing to redact.

    Key words (token, key, pass) are as frequent as in real transcripts: 3,000 in a million.
    """
    draws = Draws(seed)
    subjects, verbs, objects = (row.split("|") for row in (_SUBJECTS, _VERBS, _OBJECTS))
    pieces: list[str] = []
    length = 0
    while length < size:
        words = [row[draws.below(len(row))] for row in (subjects, verbs, objects)]
        piece = f"{' '.join(words).capitalize()}, so we look at it again on day {draws.below(31)}. "
        if draws.below(6) == 0:
            piece += "\n" + _CODE[draws.below(len(_CODE))].replace(
                "{h}", draws.of(_ALPHABETS["hex"], 7)
            )
        pieces.append(piece)
        length += len(piece)
    return "".join(pieces)


def seconds(action: Callable[[], object], repeats: int = 5) -> float:
    """The best of some runs, CPU time: other work on the machine does not count."""
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        action()
        best = min(best, time.process_time() - start)
    return best


def main() -> None:
    redactor, rows = shipped(), labelled()
    outcome = measure(redactor, rows)
    for title, wrong in (("recall", outcome.missed), ("false positives", outcome.mistaken)):
        sort = [row for row in rows if (row.secret is not None) == (title == "recall")]
        bad = Counter(row.kind for row in wrong)
        print(f"{title}: {len(wrong)} wrong of {len(sort)}")
        for kind, count in sorted(Counter(row.kind for row in sort).items()):
            print(f"  {kind:20} {count - bad[kind]:4} of {count:4} right")
    print(f"recall {outcome.recall:.4f}, false positives {outcome.false_positives:.4f}")

    many = measure(redactor, rows := [*by_kind(), *by_kind(LATER), *by_kind(BLIND)])
    print(f"many kinds ({len(rows)}): recall {many.recall:.4f}, false {many.false_positives:.4f}")

    text = conversation(2_000_000)
    turns = [text[at : at + 100] for at in range(0, 1_000_000, 100)]
    ours = seconds(lambda: redactor.clean(text))
    peer = seconds(lambda: re.search("zyxwv", text.casefold()))
    short = seconds(lambda: [redactor.clean(turn) for turn in turns])
    print(f"{len(text) / ours / 1e6:.0f} MB/s on text without secrets, {ours / peer:.0f} times")
    print(f"the time of casefold and one search ({len(text) / peer / 1e6:.0f} MB/s);")
    print(f"{short / len(turns) * 1e6:.1f} microseconds a turn of 100 characters")


if __name__ == "__main__":
    main()
