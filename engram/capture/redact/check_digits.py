"""Check digits: a number's signs -> whether its own checksum says that it is one of its kind.

Payment cards (issuer and Luhn), bank accounts (IBAN, as long as its country's are), and the numbers
by which states know a person: by the birth date in it where the form is like no other number's, by
check digits where it could be one. Pure; nothing raises.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

#: Issuer prefixes (first, last) of payment cards and the numbers of digits that they issue.
_ISSUERS: tuple[tuple[str, str, frozenset[int]], ...] = (
    ("4", "4", frozenset({13, 16, 19})),
    ("51", "55", frozenset({16})),
    ("2221", "2720", frozenset({16})),
    ("2200", "2204", frozenset({16})),
    ("34", "34", frozenset({15})),
    ("37", "37", frozenset({15})),
    ("300", "305", frozenset({14})),
    ("36", "36", frozenset({14})),
    ("38", "39", frozenset({14})),
    ("3528", "3589", frozenset({16, 17, 18, 19})),
    ("6011", "6011", frozenset({16, 19})),
    ("644", "659", frozenset({16, 19})),
    ("62", "62", frozenset({16, 17, 18, 19})),
    ("50", "50", frozenset({16, 19})),
    ("56", "58", frozenset({16, 19})),
    ("6304", "6304", frozenset({16, 19})),
    ("6759", "6763", frozenset({16, 19})),
)

#: Length of an IBAN by country (SWIFT IBAN registry).
_IBAN_LENGTHS: Mapping[str, int] = {
    country: length
    for length, countries in {
        15: "NO", 16: "BE BI", 18: "DK FI FO GL NL SD", 19: "MK SI", 20: "AT BA EE KZ LT LU MN XK",
        21: "CH HR LI LV", 22: "BG BH CR DE GB GE IE ME RS VA", 23: "AE GI IL IQ OM SO TL",
        24: "AD CZ ES MD PK RO SA SE SK TN VG", 25: "LY PT ST", 26: "IS TR",
        27: "BY FR GR IT MC MR SM",
        28: "AL AZ CY DO GT HU LB NI PL SV", 29: "BR EG PS QA UA", 30: "JO KW MU YE", 31: "MT SC",
        32: "LC", 33: "RU",
    }.items()
    for country in countries.split()
}  # fmt: skip

#: The rows of Verhoeff's permutation.
_VERHOEFF = ("0123456789", "1576283094", "5803796142", "8916043527", "9453126870", "4286573901",
             "2793806415", "7046913258")  # fmt: skip
#: What the letters of an Italian number count at an odd place; a digit counts as the letter does.
_ITALIAN_ODD = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22,
                25, 24, 23)  # fmt: skip
#: What the first letter of a number of Taiwan counts, A to Z.
_TAIWAN = (10, 11, 12, 13, 14, 15, 16, 17, 34, 18, 19, 20, 21, 22, 35, 23, 24, 25, 26, 27, 28, 29,
           32, 30, 31, 33)  # fmt: skip


def luhn(digits: str) -> bool:
    """Whether a string of ASCII digits passes the Luhn checksum."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        number = int(digit) * (1 + place % 2)
        total += number - 9 if number > 9 else number
    return total % 10 == 0


def is_card(digits: str) -> bool:
    """Whether digits are a payment card's: an issuer's prefix and length, and the Luhn checksum."""
    issued = any(
        first <= digits[: len(first)] <= last and len(digits) in sizes
        for first, last, sizes in _ISSUERS
    )
    return issued and len(set(digits)) > 1 and luhn(digits)


def iban_length(country: str) -> int | None:
    """How long an account number of a country is; None for a country without."""
    return _IBAN_LENGTHS.get(country)


def is_iban(plain: str) -> bool:
    """Whether letters and digits, 1 modulo 97, are an account number."""
    return int("".join(str(int(sign, 36)) for sign in plain[4:] + plain[:4])) % 97 == 1


def is_person_number(state: str, plain: str) -> bool:
    """Whether letters and digits are a number by which a state knows a person."""
    return _PERSONS[state](plain.upper())


def _sum(digits: Iterable[str], weights: Iterable[int]) -> int:
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=False))


def _is_date(month: str, day: str) -> bool:
    return "01" <= month <= "12" and "01" <= day <= "31"


def _brazilian(n: str) -> bool:
    return len(set(n)) > 1 and all(
        -_sum(n[:size], range(size + 1, 1, -1)) % 11 % 10 == int(n[size]) for size in (9, 10)
    )


def _italian(n: str) -> bool:
    values = [int(sign) if sign.isdigit() else ord(sign) - 65 for sign in n]
    total = sum(v if at % 2 else _ITALIAN_ODD[v] for at, v in enumerate(values[:15]))
    return total % 26 == values[15]


def _chinese(n: str) -> bool:
    return _is_date(n[10:12], n[12:14])


def _mexican(n: str) -> bool:
    return _is_date(n[6:8], n[8:10])


def _belgian(n: str) -> bool:
    return _is_date(n[2:4], n[4:6])


def _chilean(n: str) -> bool:
    return "0123456789K"[-_sum(reversed(n[:-1]), (2, 3, 4, 5, 6, 7) * 2) % 11] == n[-1]


def _birth_first(n: str) -> bool:
    month = 2 if n.isdigit() else len(n) - 7
    return _is_date(n[month : month + 2], n[month + 2 : month + 4])


def _argentine(n: str) -> bool:
    return n[:2] in ("20", "23", "24", "27", "30", "33", "34") and (
        _sum(n, (5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1)) % 11 == 0
    )


def _finnish(n: str) -> bool:
    signs = "0123456789ABCDEFHJKLMNPRSTUVWXY"
    return _is_date(n[2:4], n[:2]) and signs[int(n[:6] + n[-4:-1]) % 31] == n[-1]


def _swedish(n: str) -> bool:
    return _is_date(n[-8:-6], n[-6:-4]) and luhn(n[-10:])


def _korean(n: str) -> bool:
    return _is_date(n[2:4], n[4:6]) and n[6] in "12345678"


def _czech(n: str) -> bool:
    month = int(n[2:4]) % 50 % 20
    return 1 <= month <= 12 and "01" <= n[4:6] <= "31" and int(n) % 11 == 0


def _spanish(n: str) -> bool:
    number = n[:-1].translate(str.maketrans("XYZ", "012"))
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(number) % 23] == n[-1]


def _singaporean(n: str) -> bool:
    total = _sum(n[1:8], (2, 7, 6, 5, 4, 3, 2)) + {"T": 4, "G": 4, "M": 3}.get(n[0], 0)
    letters = {"S": "JZIHGFEDCBA", "T": "JZIHGFEDCBA", "M": "XWUTRQPNJLK"}
    return letters.get(n[0], "XWUTRQPNMLK")[total % 11] == n[8]


def _taiwanese(n: str) -> bool:
    first = _TAIWAN[ord(n[0]) - 65]
    return (first // 10 + first % 10 * 9 + _sum(n[1:], (8, 7, 6, 5, 4, 3, 2, 1, 1))) % 10 == 0


def _german(n: str) -> bool:
    product = 10
    for digit in n[:10]:
        product = ((int(digit) + product) % 10 or 10) * 2 % 11
    return n[0] != "0" and (11 - product) % 10 == int(n[10])


def _indian(n: str) -> bool:
    total = 0
    for place, digit in enumerate(reversed(n)):
        b = int(_VERHOEFF[place % 8][int(digit)])
        turned = (total + (b if total < 5 else -b)) % 5
        total = turned + 5 * ((total >= 5) != (b >= 5))
    return total == 0


_PERSONS: Mapping[str, Callable[[str], bool]] = {
    "my": _birth_first, "rfc": _birth_first, "br": _brazilian, "it": _italian, "cn": _chinese,
    "mx": _mexican, "be": _belgian,
    "cl": _chilean, "ar": _argentine, "fi": _finnish, "se": _swedish,
    "kr": _korean, "cz": _czech, "es": _spanish, "sg": _singaporean,
    "tw": _taiwanese, "de": _german, "in": _indian,
}  # fmt: skip
