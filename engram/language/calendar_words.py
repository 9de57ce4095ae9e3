"""Weekdays, months, seasons and small numbers as English writes them, each named once."""

from __future__ import annotations

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
#: the month that each begins with, as meteorology counts them in the north
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
NUMBERS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
}  # fmt: skip
#: what each German expression of time has one of; looked for as they stand, which is thirty times
#: as fast as `re`
GERMAN_HINTS = (
    "estern", "eute", "orgen", "ächst", "ommende", "etzte", "ergangen", "iese", "Ende ", "Tag",
    "Woche", "Monat", "Jahr", "bis ", "Bis ", "spätestens ", "eit ", "Januar", "Februar", "März",
    "Mai", "Juni", "Juli", "Oktober", "Dezember", "April", "August", "September", "November",
)  # fmt: skip
