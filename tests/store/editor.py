"""What a person's editor does to notes: the ways in which files change without the program."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from engram.store.files.document import parse
from engram.store.files.foreign_header import Value


@dataclass(frozen=True)
class Style:
    """How an editor writes a note down."""

    quoted: bool = False
    inline: bool = False
    backwards: bool = False
    crlf: bool = False
    final_newline: bool = True

    def rewrite(self, path: Path) -> None:
        """Save a note as it is, in this style; one whose header cannot be read stays."""
        document = parse(path.read_bytes())
        if document.header_lines is None or document.problem:
            return
        keys = list(document.header)
        lines = ["---"]
        for key in keys[::-1] if self.backwards else keys:
            lines += self._lines(key, document.header[key])
        body = document.body.replace("\r\n", "\n").rstrip("\n")
        text = "\n".join([*lines, "---", body]) + "\n" * self.final_newline
        path.write_bytes((text.replace("\n", "\r\n") if self.crlf else text).encode("utf-8"))

    def _lines(self, key: str, value: Value) -> list[str]:
        if isinstance(value, str):
            return [f"{key}: {self._scalar(value)}"]
        if self.inline:
            return [f"{key}: [{', '.join(map(_quoted, value))}]"]
        return [f"{key}:", *(f"- {_quoted(item)}" for item in value)]

    def _scalar(self, value: str) -> str:
        return _quoted(value) if self.quoted or not value.isalnum() else value


def _quoted(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)
