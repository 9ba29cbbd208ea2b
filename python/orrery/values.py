# SPDX-License-Identifier: Apache-2.0
"""Numbers with a unit, and the objects and lists of an answer."""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Sequence, Union, overload


class Time(float):
    """Seconds. `Time.ns` and the others are the same time in another unit."""

    __slots__ = ()

    @property
    def s(self) -> float:
        """Seconds."""
        return float(self)

    @property
    def ms(self) -> float:
        """Milliseconds."""
        return float(self) * 1e3

    @property
    def us(self) -> float:
        """Microseconds."""
        return float(self) * 1e6

    @property
    def ns(self) -> float:
        """Nanoseconds."""
        return float(self) * 1e9

    def __str__(self) -> str:
        for size, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")):
            if abs(self) >= size:
                return f"{float(self) / size:.4g} {unit}"
        return f"{float(self) * 1e9:.4g} ns"

    def __repr__(self) -> str:
        return f"<Time {self}>"


class Bytes(int):
    """Bytes. `Bytes.gb` is the same in 10^9 bytes, `Bytes.gib` in 2^30."""

    __slots__ = ()

    @property
    def gb(self) -> float:
        """10^9 bytes."""
        return int(self) / 1e9

    @property
    def gib(self) -> float:
        """2^30 bytes."""
        return int(self) / 2.0**30

    def __str__(self) -> str:
        for size, unit in ((10**12, "TB"), (10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
            if abs(int(self)) >= size:
                return f"{int(self) / size:.4g} {unit}"
        return f"{int(self)} B"

    def __repr__(self) -> str:
        return f"<Bytes {self}>"


class Interval(NamedTuple):
    """The 80 % prediction interval of a time."""

    low: Time
    high: Time


def wrap(value: Any) -> Any:
    """A value of an answer's JSON as this package shows it."""
    if isinstance(value, dict):
        return Record(value)
    if isinstance(value, list):
        return Rows(value) if value and isinstance(value[0], dict) else value
    return value


class Record(Mapping[str, Any]):
    """An object of an answer.

    Its members are items and attributes: `record["step_ns"]` is the number in the JSON;
    `record.step` is the same as a `Time`, since the name ends in `_ns`; `record.peak` is `Bytes`
    of `peak_bytes`. Inner objects and lists are records and rows.
    """

    def __init__(self, values: Dict[str, Any]) -> None:
        self._values = values

    def __getitem__(self, key: str) -> Any:
        return wrap(self._values[key])

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        values = self._values
        if name in values:
            return wrap(values[name])
        for end, kind in _UNITS.items():
            number = values.get(name + end)
            if isinstance(number, (int, float)):
                return kind(number)
        raise AttributeError(f"there is no {name!r} here; there are {', '.join(sorted(values))}")

    def __dir__(self) -> List[str]:
        names = [*super().__dir__(), *self._values]
        for end in _UNITS:
            names += [key[: -len(end)] for key in self._values if key.endswith(end)]
        return sorted(names)

    def to_dict(self) -> Dict[str, Any]:
        """The object as the JSON has it. Do not change it."""
        return self._values

    def __repr__(self) -> str:
        return f"<Record {', '.join(self._values)}>"


def _time(nanoseconds: float) -> Time:
    return Time(nanoseconds * 1e-9)


#: What the end of a member's name says of its number.
_UNITS: Dict[str, Callable[[float], Any]] = {"_ns": _time, "_s": Time, "_bytes": Bytes}


class Rows(Sequence[Record]):
    """A list of objects with the same members."""

    def __init__(self, rows: List[Dict[str, Any]]) -> None:
        self._rows = rows

    @overload
    def __getitem__(self, at: int) -> Record: ...

    @overload
    def __getitem__(self, at: slice) -> "Rows": ...

    def __getitem__(self, at: Union[int, slice]) -> Union[Record, "Rows"]:
        return Rows(self._rows[at]) if isinstance(at, slice) else Record(self._rows[at])

    def __len__(self) -> int:
        return len(self._rows)

    def column(self, name: str) -> List[Any]:
        """The values of one member, None where a row has none."""
        return [row.get(name) for row in self._rows]

    def to_pandas(self) -> Any:
        """A pandas DataFrame. Raises ImportError without pandas."""
        import pandas  # type: ignore[import]

        return pandas.DataFrame(self._rows)

    def __repr__(self) -> str:
        return f"<Rows {len(self)} x {', '.join(self._rows[0] if self._rows else ())}>"

    def _repr_html_(self) -> str:
        from ._html import table

        return table(self._rows)
