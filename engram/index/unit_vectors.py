"""Arithmetic of unit vectors in a file: rows of 32-bit floats, and how near each lies to another.

The only module that imports numpy, an optional library: imported by `vector_store` when there is
something to compute. Rows are little-endian and of length 1, so that a product is a cosine. A file
is mapped, not read; 100,000 rows of 384 numbers are 154 MB and one product of 10 ms.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

_ROW = np.dtype("<f4")
#: row numbers in one portion of `nearest`, the first time
_PORTION = 64


def rows_of(vectors: Sequence[Sequence[float]]) -> list[bytes]:
    """Each vector as a row: of length 1. They are of one length, and none has only zeros."""
    return [row.astype(_ROW).tobytes() for row in _units(vectors)]


def average_of(vectors: Sequence[Sequence[float]]) -> list[float]:
    """The direction between several vectors, each of which counts the same."""
    mean: list[float] = _units(vectors).mean(axis=0).tolist()
    return mean


def _units(vectors: Sequence[Sequence[float]]) -> NDArray[np.float64]:
    given = np.asarray(vectors, dtype=np.float64)
    found: NDArray[np.float64] = given / np.linalg.norm(given, axis=1, keepdims=True)
    return found


class Cosines:
    """How near each row of a file lies to one vector: -1..1, by row number."""

    def __init__(self, path: Path, rows: int, vector: Sequence[float]) -> None:
        """`rows` is how many of the file count. Raises OSError and ValueError for a shorter one."""
        asked = np.asarray(vector, dtype=np.float32)
        length = float(np.linalg.norm(asked)) or 1.0
        matrix = np.memmap(path, dtype=_ROW, mode="r", shape=(rows, len(vector)))
        self._values = np.nan_to_num(matrix @ (asked / length), nan=-1.0)

    def __getitem__(self, row: int) -> float:
        """The cosine of one row."""
        return float(self._values[row])

    @property
    def spread(self) -> tuple[float, float, float]:
        """The lowest, the mean and the highest of all."""
        values = self._values
        return float(values.min()), float(values.mean()), float(values.max())

    def nearest(self) -> Iterator[list[int]]:
        """All row numbers, nearest first, in portions that double; equal ones by number."""
        values, done, size = self._values, 0, _PORTION
        while done < len(values):
            reach = min(done + size, len(values))
            if reach < len(values):
                # the nearest so far, and all that are as near as the last of them
                edge = -np.partition(-values, reach - 1)[reach - 1]
                rows = np.flatnonzero(values >= edge)
                reach = len(rows)
            else:
                rows = np.arange(len(values))
            ordered = rows[np.argsort(-values[rows], kind="stable")]
            yield [int(row) for row in ordered[done:]]
            done, size = reach, size * 2
