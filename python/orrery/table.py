# SPDX-License-Identifier: Apache-2.0
"""Tables of a run in columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Tuple

from . import _library

if TYPE_CHECKING:
    import numpy


#: Times that have no meaningful sum.
_POINTS_IN_TIME = ("start_ps", "end_ps")


class Sums(Dict[Any, float]):
    """The sums of a number for each value of a column, largest first: `Table.by`."""

    def __init__(self, pairs: Iterable[Tuple[Any, float]], column: str, value: str) -> None:
        super().__init__(pairs)
        self.names = (column, value)  #: of the two columns

    def to_pandas(self) -> Any:
        """A pandas DataFrame of two columns. Raises ImportError without pandas."""
        import pandas  # type: ignore[import]

        return pandas.DataFrame(list(self.items()), columns=list(self.names))

    def __reduce__(self) -> Any:
        return Sums, (list(self.items()), *self.names)

    def _repr_html_(self) -> str:
        from ._html import table

        return table([dict(zip(self.names, pair)) for pair in self.items()])


class Table:
    """A table of a run, as the run file has it (docs/reference/run-file.md).

    Numbers are NumPy views of the library's memory, without a copy; texts are arrays of str. The
    table is also an Arrow stream (`__arrow_c_stream__`), which pyarrow, polars and others take.
    """

    def __init__(self, table: _library.Table) -> None:
        self._table = table

    def __len__(self) -> int:
        return len(self._table)

    @property
    def columns(self) -> List[str]:
        """The names of the columns."""
        return self._table.columns

    def __getitem__(self, name: str) -> "numpy.ndarray[Any, Any]":
        """One column. Raises KeyError."""
        return self._table.column(name)

    def to_numpy(self) -> "Dict[str, numpy.ndarray[Any, Any]]":
        """All columns by their names."""
        return {name: self._table.column(name) for name in self.columns}

    def to_pandas(self) -> Any:
        """A pandas DataFrame over the same memory. Raises ImportError without pandas."""
        import pandas

        return pandas.DataFrame(self.to_numpy(), copy=False)

    def by(self, column: str, value: str = "") -> "Sums":
        """The sums of a number for each value of a column, largest first.

        `value`: the number's column; by default the duration, or the first time whose name ends in
        `_ps` or `_ns`. Raises KeyError.
        """
        import numpy

        if not value:
            times = [name for name in self.columns if name.endswith(("_ps", "_ns")) and name not in _POINTS_IN_TIME]
            value = "duration_ps" if "duration_ps" in times else times[0] if times else ""
        if not value:
            raise KeyError("there is no column of durations; give value=")
        keys, places = numpy.unique(self[column].astype(str), return_inverse=True)
        sums = numpy.bincount(places, weights=numpy.nan_to_num(self[value].astype(float)))
        pairs: List[Tuple[Any, float]] = sorted(zip(keys.tolist(), sums.tolist()), key=lambda pair: -pair[1])
        return Sums(pairs, column, value)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Arrow's PyCapsule protocol; a requested schema is ignored."""
        return self._table.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return f"<Table {len(self)} x {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        from ._html import table

        count = min(len(self), 20)
        columns = {name: self[name][:count].tolist() for name in self.columns}
        rows = [{name: values[i] for name, values in columns.items()} for i in range(count)]
        return table(rows) + f"<p>{len(self)} rows</p>"
