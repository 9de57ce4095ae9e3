"""Documents of a vault -> whether who asks may be given them whole.

A memory is judged by its own file; one that is over is not given. A page (entity, box, summary,
profile) is given where all that it tells may be: the memories that it links to, and the project
that its header names, with whose words a box begins. What cannot be judged is kept back. Where the
recipient may be given everything but what belongs to a session, pages need no look: no session's
memory stands on one. Nothing is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from engram.model.ids import is_memory_id
from engram.model.memory import SPACES
from engram.recall.borders import is_memory_open_to, is_turn_open_to
from engram.recall.injection import is_told
from engram.store.files.document import parse
from engram.store.files.memory_file import read_memory

if TYPE_CHECKING:
    from engram.model.instant import Day
    from engram.model.memory import Audience
    from engram.recall.borders import Recipient
    from engram.store.catalog.catalog import Catalog
    from engram.store.files.link_names import LinkNames

_LINK = re.compile(r"\[\[([^\[\]|#]+)")
_FACTS = "facts/"
#: a client shows what the redactor leaves, whoever may be given it
_SHOWN: Audience = "person"


def open_documents(
    catalog: Catalog, names: LinkNames, recipient: Recipient, today: Day
) -> Callable[[str, bytes], bool]:
    """Tells of a path in the vault, and the bytes of that file, whether they may be given."""
    limited = bool(recipient.projects) or not set(SPACES) <= {*recipient.spaces}

    def is_open(path: str, data: bytes) -> bool:
        if path.startswith(_FACTS):
            memory = read_memory(path, data).memory
            return not limited if memory is None else is_told(memory, _SHOWN, recipient, today)
        return not limited or is_open_page(names.with_ids(path, data))

    def is_open_page(data: bytes) -> bool:
        project = parse(data).header.get("project")
        if isinstance(project, str) and not is_turn_open_to(recipient, _SHOWN, project):
            return False
        for name in {*_LINK.findall(data.decode("utf-8", "replace"))}:
            memory = catalog.memory(name)
            if memory is None:
                if is_memory_id(name):
                    return False
            elif not is_memory_open_to(recipient, _SHOWN, memory):
                return False
        return True

    return is_open
