"""Disguised spellings: a text -> the text as a reader sees it, and the way back to its places.

`pa\u200bssword`, full-width `ｐａｓｓ` and a Latin word with Cyrillic letters in it read like
`password`, and so they are what the redactor's rules look at. Signs that show nothing are left out,
full-width and mathematical letters and curly quotation marks become ASCII, and in a word of two
scripts the letters that look Latin do. Words of one script stay as they are. Nothing here changes
what is written: `Seen.span` says where a stretch stands in the text itself.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right

#: soft hyphen, joiners, direction marks, variation selectors, tag letters: they show nothing
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    "\U000e0000-\U000e01ef]+"
)
_AS_ASCII = {
    code: folded
    for code in (*range(0xFF01, 0xFF5F), 0x3000, *range(0x1D400, 0x1D800))
    if len(folded := unicodedata.normalize("NFKC", chr(code))) == 1 and folded.isascii()
}
#: The same in UTF-8 without its ASCII bytes, which are taken out first because that is fast: most
#: texts hold a dash or a curly quotation mark, and nothing of this.
_ASCII_BYTES = bytes(range(128))
_UNSEEN_BYTES = re.compile(
    rb"\xc2\xad|\xcd\x8f|\xe1\xa0|\xe2\x80[\x8b-\x8f\xaa-\xae]|\xe2\x81[\xa0-\xaf]|\xef\xb8|\xef\xbb"
    rb"|\xf3"
)
_QUOTE_BYTES = re.compile(rb"\xe2\x80[\x98-\x9f]")
_QUOTES = tuple(zip("“”„‟‘’‚‛", '"' * 4 + "'" * 4, strict=True))
_WIDE_BYTES = re.compile(rb"\xe3\x80\x80|\xef[\xbc\xbd]|\xf0\x9d")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_SURROGATE_BYTES = re.compile(rb"\xed[\xa0-\xbf]")
_SCRIPT_BYTES = re.compile(rb"[\xcd-\xd4]")
_OTHER_LETTERS = re.compile("[\u0370-\u052f]+")
_LOOK_LATIN = str.maketrans(
    "аеорсухіјѕһԁԛԝвкмнтАВЕКМНОРСТУХІЈЅοαενικρτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "aeopcyxijshdqwbkmhtABEKMHOPCTYXIJSoaevikptuxABEZHIKMNOPTYX",
)


class Seen:
    """A text as it is read. `text` is what is read; `span` leads back."""

    def __init__(self, raw: str) -> None:
        #: where in `text` something was left out, and how much until there
        self._places: list[int] = []
        self._left_out: list[int] = []
        self.text = raw
        if raw.isascii():
            return
        beyond_ascii = raw.encode("utf-8", "surrogatepass").translate(None, _ASCII_BYTES)
        if _UNSEEN_BYTES.search(beyond_ascii):
            self.text = self._without_unseen(raw)
        if _QUOTE_BYTES.search(beyond_ascii):
            for curly, straight in _QUOTES:
                self.text = self.text.replace(curly, straight)
        if _WIDE_BYTES.search(beyond_ascii):
            self.text = self.text.translate(_AS_ASCII)
        if _SURROGATE_BYTES.search(beyond_ascii):
            self.text = _LONE_SURROGATE.sub("?", self.text)
        if _SCRIPT_BYTES.search(beyond_ascii):
            self.text = _OTHER_LETTERS.sub(_beside_latin, self.text)

    def _without_unseen(self, raw: str) -> str:
        pieces: list[str] = []
        done = left_out = 0
        for unseen in _UNSEEN.finditer(raw):
            pieces.append(raw[done : unseen.start()])
            self._places.append(unseen.start() - left_out)
            left_out += unseen.end() - unseen.start()
            self._left_out.append(left_out)
            done = unseen.end()
        return "".join([*pieces, raw[done:]])

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where a stretch of `text`, not an empty one, stands in the text itself."""
        return self._place(start), self._place(end - 1) + 1

    def _place(self, at: int) -> int:
        before = bisect_right(self._places, at)
        return at + (self._left_out[before - 1] if before else 0)


def _beside_latin(letters: re.Match[str]) -> str:
    """Greek or Cyrillic letters as the Latin ones that they look like, if they stand beside one."""
    text, (start, end) = letters.string, letters.span()
    beside = text[start - 1 : start] + text[end : end + 1]
    if any(sign.isascii() and sign.isalpha() for sign in beside):
        return letters[0].translate(_LOOK_LATIN)
    return letters[0]
