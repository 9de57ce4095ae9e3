"""What the catalog keeps beside its boxes says what a look at all of them would say."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from engram.model.box import Box
from engram.model.memory import Memory
from engram.store.catalog.catalog import Catalog
from engram.store.catalog.trace_rows import trace_list
from tests.kit import box, view_of

_NAMES = ("a", "b", "c", "d")
_BOXES = ("box-1", "box-2", "box-3")
_put_box = st.builds(
    lambda name, names, trace: box(name, *names, trace=trace),
    st.sampled_from(_BOXES), st.lists(st.sampled_from(_NAMES), unique=True),
    st.sampled_from(("", "t", 'u"1')),
)  # fmt: skip
_put_memory = st.builds(
    lambda name, source, reason: Memory(
        name, "fact", name, f"facts/{name}.md", "retired" if reason else "active",
        status_reason=reason, created="2026-03-06T10:00:00Z", sources=source,
    ),
    st.sampled_from(_NAMES), st.sampled_from(((), ("talk#^m1",))),
    st.sampled_from(("", "forgotten")),
)  # fmt: skip


@given(st.lists(st.one_of(_put_box, st.sampled_from(_BOXES), _put_memory), max_size=12))
def test_traces_and_memories_without_a_box_follow_every_change(steps: list[object]) -> None:
    with TemporaryDirectory() as folder:
        catalog = Catalog.make(Path(folder) / "catalog.sqlite", "v")
        with catalog.transaction():
            catalog.clear()
        for step in steps:
            with catalog.transaction():
                if isinstance(step, Memory):
                    catalog.put_memory(step)
                elif isinstance(step, str):
                    catalog.pages.drop(Box, step)
                else:
                    catalog.pages.put(step)
            view = view_of(catalog)
            boxes = view.boxes()
            assert catalog.pages.traces.listed() == trace_list(boxes)
            held = {name for one in boxes for name in one.memories}
            loose = {
                one.id
                for one in catalog.memories()
                if one.sources and one.status != "retired" and one.id not in held
            }
            assert {one.id for one in view.unboxed()} == loose
        catalog.close()
