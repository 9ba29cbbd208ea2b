# SPDX-License-Identifier: Apache-2.0
"""Functions that change predicted times, for trying ideas about kernels and networks."""

from __future__ import annotations

import json
from typing import Any, Callable, Dict, List, NamedTuple, Optional, TypedDict, Union

from .values import Time

#: A kernel of a step. "formats" are those of both inputs and of the output; "launches", "flops" and
#: "bytes" count all launches; "sizes" has names as in docs/kernel-times.md ("m", "n", "k");
#: "model" predicted the time ("table", "learned", "roofline"; "none": no model did).
KernelInfo = TypedDict("KernelInfo", {
    "kernel": str,
    "operation": str,
    "pass": str,
    "formats": List[str],
    "sizes": Dict[str, int],
    "traits": List[str],
    "launches": int,
    "flops": float,
    "bytes": float,
    "device": str,
    "model": str,
})

#: A message ("kind": "message") between two end points, without contention.
MessageInfo = TypedDict("MessageInfo", {"kind": str, "from": int, "to": int, "bytes": int})


class CollectiveInfo(TypedDict):
    """A collective that a library runs as a whole; `kind`: "all_reduce" …, `bytes`: of the complete buffer."""

    kind: str
    bytes: int
    ranks: int
    hosts: int


#: Returns the seconds of a kernel: of all its launches, and the gaps between them. Arguments: the
#: kernel, and Orrery's time or None. None changes nothing.
KernelTime = Callable[[KernelInfo, Optional[Time]], Optional[float]]
#: Returns the seconds of a message or a collective. None changes nothing.
NetworkTime = Callable[[Union[MessageInfo, CollectiveInfo], Time], Optional[float]]

_MAX_SECONDS = 4e6
_UNCHANGED = float("nan")


class Models(NamedTuple):
    """Both functions of a call; None: not given."""

    kernel_time: Optional[KernelTime] = None
    network_time: Optional[NetworkTime] = None

    def __bool__(self) -> bool:
        return self.kernel_time is not None or self.network_time is not None

    def native(self) -> "Dict[str, Optional[Native]]":
        """The functions as the library calls them: with JSON and seconds."""
        return {"kernel_time": _native("kernel_time", self.kernel_time),
                "network_time": _native("network_time", self.network_time)}


#: As _library.call takes it.
Native = Callable[[str, Optional[float]], float]


def _native(name: str, function: Optional[Callable[[Any, Any], Optional[float]]]) -> Optional[Native]:
    if function is None:
        return None
    given = function

    def seconds(about: str, predicted: Optional[float]) -> float:
        answer = given(json.loads(about), None if predicted is None else Time(predicted))
        if answer is None:
            return _UNCHANGED if predicted is None else predicted
        if predicted is not None and answer == predicted:
            return predicted
        if not isinstance(answer, (int, float)):
            raise TypeError(f"{name} returned {answer!r} of {about}: return seconds, or None to change nothing")
        if not 0 < answer < _MAX_SECONDS:
            raise ValueError(f"{name} returned {answer!r} of {about}: return seconds, above 0 and below 4e6")
        return float(answer)

    return seconds
