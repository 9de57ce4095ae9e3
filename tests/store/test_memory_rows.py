"""Rows of memories: however they were put, they are those of a catalog that was filled once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.language.tokens import memory_terms
from engram.model.memory import Memory
from engram.store.catalog.catalog import Catalog, FileRow
from engram.store.catalog.readonly import ReadOnlyCatalog
from tests.effort import examples

_WORDS = ("tea", "cake", "redis", "6379", "Anna", "größe", "東京")
_memory = st.builds(
    lambda name, words, status, sources, space: Memory(
        name, "fact", " ".join(words), f"facts/{name}.md", status=status, space=space,
        tags=tuple(words[:1]), sources=tuple(sources), supersedes=tuple({"m1"} - {name}),
    ),
    st.sampled_from([f"m{number}" for number in range(6)]),
    st.lists(st.sampled_from(_WORDS), min_size=1, max_size=4),
    st.sampled_from(["active", "needs-review", "superseded"]),
    st.lists(st.sampled_from(["s1#^a", "s2#^b"]), max_size=2, unique=True),
    st.sampled_from(["user", "session"]),
)  # fmt: skip
_steps = st.lists(st.one_of(st.lists(_memory, max_size=5), st.sampled_from(["m0", "m1"])))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("catalogs")


def _made(path: Path) -> Catalog:
    catalog = Catalog.make(path, "vault")
    with catalog.transaction():
        catalog.clear()
        catalog.set_judged("now")
    return catalog


def _told(catalog: Catalog) -> Iterator[object]:
    """All that the rows tell, whatever places the memories have."""
    names: dict[int, str] = dict(catalog.db.rows("select place, id from memories"))
    yield sorted(row[1:] for row in catalog.db.rows("select * from memories"))
    for table in ("tags", "sources", "pointers", "called", "unboxed", "unnumbered"):
        yield table, sorted(catalog.db.rows(f"select * from {table}"))
    mentions = catalog.db.rows("select entity, place from mentions")
    yield sorted((entity, names[place]) for entity, place in mentions)
    terms = [row[0] for row in catalog.db.rows("select distinct term from words order by term")]
    for term in terms:
        yield term, sorted(names[place] for place in catalog.words.held([term]))
    yield catalog.topics.totals()


@given(_steps)
@examples(25, shared_fixture=True)  # cleared each time
def test_batches_leave_the_rows_of_one_filling(
    folder: Path, steps: Sequence[list[Memory] | str]
) -> None:
    catalog, once = _made(folder / "batches.sqlite"), _made(folder / "once.sqlite")
    now: dict[str, Memory] = {}
    for step in steps:
        with catalog.transaction():
            if isinstance(step, str):
                catalog.drop_file(f"facts/{step}.md")
                now.pop(step, None)
            else:
                catalog.put_files(FileRow(one.path, 1, 2, 3, "sha", one.id) for one in step)
                catalog.put_memories((one, "person") for one in step)
                now |= {one.id: one for one in step}
    with once.transaction():
        once.put_memories((one, "person") for one in now.values())
    assert list(_told(catalog)) == list(_told(once))
    held = {one.id: memory_terms(one) for one in now.values() if one.live}
    terms = {term for some in held.values() for term in some}
    assert catalog.words.counts({*terms, "nobody"}) == {
        term: sum(term in some for some in held.values()) for term in terms
    }
    catalog.close()
    once.close()


def test_words_of_thousands_of_memories_are_found_in_several_blocks(folder: Path) -> None:
    catalog = _made(folder / "many.sqlite")
    many = [
        Memory(f"m{number:04}", "fact", f"tea {number}", f"facts/m{number:04}.md")
        for number in range(5_000)
    ]
    with catalog.transaction():
        catalog.put_memories((one, "everyone") for one in many)
    assert catalog.words.counts(["tea", "7", "4999"]) == {"tea": 5_000, "7": 1, "4999": 1}
    assert catalog.words.holding(["7", "4999"]) == ["m0007", "m4999"]
    with catalog.transaction():
        catalog.put_memory(Memory("m4999", "fact", "cake", "facts/m4999.md"), "everyone")
    assert catalog.words.counts(["tea", "4999"]) == {"tea": 4_999}
    catalog.close()
    with ReadOnlyCatalog(folder / "many.sqlite", "vault", "now", float("inf")) as reader:
        assert len(reader.holders([], True, "tea", 10_000)) == 4_999
        assert len(reader.holders([], True, "tea", 4_500)) == 4_500
        cake = reader.holders([], True, "cake", 9)
        assert [one.id for one, _ in reader.memories(cake)] == ["m4999"]
        assert reader.sizes(cake) == {cake[0]: 1}


def test_many_files_and_the_owners_of_many_ids_are_asked_for_at_once(folder: Path) -> None:
    catalog = _made(folder / "owners.sqlite")
    with catalog.transaction():
        catalog.put_memories([(Memory("a", "fact", "Tea.", "facts/a.md"), "person")])
        catalog.put_file(FileRow("facts/a.md", 1, 2, 3, "sha", "a"))
    assert set(catalog.files(["facts/a.md", "facts/b.md"])) == {"facts/a.md"}
    assert catalog.homes(Memory, ["a", "b"]) == {"a": "facts/a.md"}
    catalog.close()
