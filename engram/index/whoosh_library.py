"""What engram uses of Whoosh, imported without the network modules that Whoosh drags in.

Whoosh imports `urllib.request` for a name that it never uses, and the package `cached_property`,
which imports asyncio, for what `functools` has: 60 modules of a cold search. While Whoosh is
imported here, two stand-ins take their places in `sys.modules`.

Guarantees that no other module ever sees a stand-in: one is put only where nobody has imported the
real module and no other thread runs that could, and both are gone once Whoosh is imported.
"""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType


def _stand_ins() -> dict[str, ModuleType]:
    """By name, the modules that hold just what Whoosh takes from them."""
    request, cached = ModuleType("urllib.request"), ModuleType("cached_property")
    request.__dict__["urlretrieve"] = None
    cached.__dict__["cached_property"] = functools.cached_property
    return {module.__name__: module for module in (request, cached)}


@contextmanager
def _standing_in() -> Iterator[None]:
    """Put the stand-ins where it is safe, and take them away again."""
    alone = threading.active_count() == 1
    put = {name: it for name, it in _stand_ins().items() if alone and name not in sys.modules}
    sys.modules.update(put)
    try:
        yield
    finally:
        for name in put:
            del sys.modules[name]


with _standing_in():
    from whoosh import columns, fields, index, versionstring
    from whoosh.codec.whoosh3 import W3Codec, W3Segment, W3TermsReader
    from whoosh.filedb.compound import CompoundStorage
    from whoosh.filedb.filestore import FileStorage, OverlayStorage, RamStorage
    from whoosh.filedb.filetables import HashWriter, OrderedHashReader, OrderedHashWriter
    from whoosh.filedb.structfile import BufferFile, StructFile
    from whoosh.reading import SegmentReader
    from whoosh.system import pack_ushort
    from whoosh.util.numlists import GrowableArray
    from whoosh.writing import SegmentWriter

__all__ = [
    "BufferFile", "CompoundStorage", "FileStorage", "GrowableArray", "HashWriter",
    "OrderedHashReader", "OrderedHashWriter", "OverlayStorage", "RamStorage", "SegmentReader",
    "SegmentWriter", "StructFile", "W3Codec", "W3Segment", "W3TermsReader", "columns", "fields",
    "index", "pack_ushort", "versionstring",
]  # fmt: skip
