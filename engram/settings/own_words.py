"""Own words of the program: those of the files that it ships, and of the shapes that it writes.

Where one of them stands in a vault it tells nothing of what a person said: a purge does not look
for it outside of topics and titles.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from engram.language.distinct_words import words_in
from engram.settings.shipped import shipped_path, vault_template

#: names of fields, headings and codes that stand in files of a vault and in no shipped file
_FIELDS = """
ack aliases batch before changes confidence consolidates crc created dead decisions details
entities events extracted facts format hash header importance journal kind message moment offset
outcome pad path pending purged readmit related relations relationship replaced requeue role
schema seal sealed seen segment seq session signal sources speaker started status superseded
supersedes supersession synthesis timeline title tools trace traces transaction transcript
transcripts turns undoes undone valid withdraw
"""


@cache
def own_words() -> frozenset[str]:
    """The words, as `language.distinct_words` compares them."""
    folders = (shipped_path("engram").parent, vault_template())
    files = [file for folder in folders for file in Path(folder).rglob("*") if file.is_file()]
    texts = [file.read_text(encoding="utf-8") for file in sorted(files)]
    return frozenset(words_in("\n".join((_FIELDS, *texts))))
