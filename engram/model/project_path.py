"""Path within a project, as a record names its files: relative, or a glob; never out of it."""

from __future__ import annotations

import re

from engram.model.ids import is_reserved

_PART = re.compile(r"[/\\]")
_DRIVE = re.compile(r"[A-Za-z]:")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
#: characters of the longest path, as file systems have it
_MOST = 1024


def is_project_path(text: str) -> bool:
    """Whether a text is a relative path or glob that leads to nothing outside of its project.

    Refused: empty and longer ones, control characters, absolute ones of any system, `~`, links of
    the web, parts `..`, and names that one system keeps for devices.
    """
    if not text.strip() or len(text) > _MOST or _CONTROL.search(text) or "://" in text:
        return False
    if _DRIVE.match(text) or text[:1] in ("/", "\\", "~"):
        return False
    return not any(part.strip() == ".." or is_reserved(part) for part in _PART.split(text))
