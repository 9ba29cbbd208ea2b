# SPDX-License-Identifier: Apache-2.0
"""Collective algorithms as generators of sends."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Set, Tuple, Union
from xml.sax.saxutils import quoteattr

from .answer import Answer, Values, call

#: Collectives by their names in plan files.
_NAMES = {"all_reduce": "allreduce", "all_gather": "allgather", "reduce_scatter": "reducescatter",
          "all_to_all": "alltoall", "broadcast": "broadcast", "reduce": "reduce"}
#: Buffers by their letters in plan files.
_LETTERS = {"input": "i", "output": "o", "scratch": "s"}
#: A step: thread block and number within it.
_Step = Tuple[int, int]


@dataclass(frozen=True)
class Send:
    """One message of a collective: `count` chunks from rank `source` to rank `target`.

    `adds`: the receiver adds them to its own; otherwise it stores them. `chunk` is the first chunk
    at the sender, `target_chunk` at the receiver (by default the same). `channel`: messages of two
    ranks are in order within a channel and concurrent on several. `buffers`: "input", "output" or
    "scratch" of sender and receiver; by default the only buffer, or from input to output. A send
    from a rank to itself copies.
    """

    source: int
    target: int
    chunk: int
    adds: bool = False
    target_chunk: Optional[int] = None
    count: int = 1
    channel: int = 0
    buffers: Optional[Tuple[str, str]] = None


class _Block(NamedTuple):
    peer: int
    channel: int
    sends: bool
    steps: "List[Dict[str, Any]]"


class _Rank:
    """The thread blocks of a rank, and who accessed its chunks last."""

    def __init__(self) -> None:
        self.blocks: List[_Block] = []
        self.numbers: Dict[Tuple[int, int, bool], int] = {}
        self.writers: Dict[Tuple[str, int], _Step] = {}
        self.readers: Dict[Tuple[str, int], List[_Step]] = {}

    def add(self, connection: Tuple[int, int, bool], step: Dict[str, Any], reads: Iterable[Tuple[str, int]],
            writes: Iterable[Tuple[str, int]]) -> None:
        """Adds a step to its block. It waits for the writers of its chunks and, if it writes, for earlier readers."""
        number = self.numbers.setdefault(connection, len(self.blocks))
        if number == len(self.blocks):
            self.blocks.append(_Block(*connection, []))
        here = (number, len(self.blocks[number].steps))
        after: Set[_Step] = set()
        for place in reads:
            after.update([self.writers[place]] if place in self.writers else [])
            self.readers.setdefault(place, []).append(here)
        for place in writes:
            after.update([self.writers[place]] if place in self.writers else [])
            after.update(self.readers.get(place, []))
            self.writers[place], self.readers[place] = here, []
        last = {block: max(step for other, step in after if other == block) for block, _ in after if block != number}
        self.blocks[number].steps.append({**step, "after": sorted(last.items())})


class Plan:
    """A collective algorithm, from sends in an order in which they could run.

        def ring(ranks):
            for adds in (True, False):
                for turn in range(ranks - 1):
                    for rank in range(ranks):
                        chunk = (rank - turn - (1 if adds else 0)) % ranks
                        yield o.Send(rank, (rank + 1) % ranks, chunk, adds=adds)

        plan = o.Plan("all_reduce", ring(8), ranks=8, chunks=8)
        plan.check("h100-sxm:8", size="1GB").text

    A send waits for what wrote its chunks; sends of different ranks or channels run concurrently.
    `chunks` is the number of chunks of the complete buffer, of every rank: its input, or its output
    in an all_gather, both in an all_to_all. `scratch`: further chunks for intermediate results.
    Raises ValueError for a send beyond the ranks or chunks.
    """

    def __init__(self, collective: str, sends: Iterable[Send], *, ranks: int, chunks: int, name: str = "sends",
                 scratch: int = 0, root: int = 0) -> None:
        if collective not in _NAMES:
            raise ValueError(f"{collective!r} is no collective with plans; there are {', '.join(_NAMES)}")
        self.collective, self.name, self.ranks, self.chunks, self.root = collective, name, ranks, chunks, root
        gathers, exchanges = collective == "all_gather", collective == "all_to_all"
        self._sizes = {"input": 0 if gathers else chunks, "output": chunks if gathers or exchanges else 0,
                       "scratch": scratch}
        self._default = ("output", "output") if gathers else ("input", "output" if exchanges else "input")
        self._ranks = [_Rank() for _ in range(ranks)]
        self._channels = 1
        for send in sends:
            self._add(send)

    def _places(self, send: Send, rank: int, buffer: str, first: int) -> List[Tuple[str, int]]:
        if not 0 <= rank < self.ranks:
            raise ValueError(f"{send}: there is no rank {rank}; there are {self.ranks}")
        if send.count < 1 or not 0 <= first <= self._sizes.get(buffer, 0) - send.count:
            raise ValueError(f"{send}: chunk {first} is beyond the {buffer}, which has "
                             f"{self._sizes.get(buffer, 0)} chunks")
        return [(buffer, chunk) for chunk in range(first, first + send.count)]

    def _add(self, send: Send) -> None:
        read, written = send.buffers or self._default
        to = send.chunk if send.target_chunk is None else send.target_chunk
        source = self._places(send, send.source, read, send.chunk)
        target = self._places(send, send.target, written, to)
        step = {"srcbuf": _LETTERS[read], "srcoff": send.chunk, "dstbuf": _LETTERS[written], "dstoff": to,
                "cnt": send.count}
        if send.source == send.target:
            if send.adds:
                raise ValueError(f"{send}: a rank cannot add to itself")
            self._ranks[send.source].add((-1, 0, True), {"type": "cpy", **step}, source, target)
            return
        self._channels = max(self._channels, send.channel + 1)
        self._ranks[send.source].add((send.target, send.channel, True), {"type": "s", **step}, source, [])
        kind = "rrc" if send.adds else "r"
        here = {**step, "srcbuf": step["dstbuf"], "srcoff": to} if send.adds else step
        self._ranks[send.target].add((send.source, send.channel, False), {"type": kind, **here},
                                     target if send.adds else [], target)

    @property
    def xml(self) -> str:
        """The plan in the format of MSCCL and RCCL."""
        exchanges = self.collective == "all_to_all"
        root = f' root="{self.root}"' if self.root else ""
        lines = [f'<algo name={quoteattr(self.name)} proto="Simple" nchannels="{self._channels}" '
                 f'nchunksperloop="{self.chunks}" ngpus="{self.ranks}" coll="{_NAMES[self.collective]}" '
                 f'inplace="{int(not exchanges)}" outofplace="{int(exchanges)}"{root}>']
        for number, rank in enumerate(self._ranks):
            lines.append(f'  <gpu id="{number}" i_chunks="{self._sizes["input"]}" o_chunks="{self._sizes["output"]}" '
                         f's_chunks="{self._sizes["scratch"]}">')
            lines += _block_lines(rank)
            lines.append("  </gpu>")
        return "\n".join([*lines, "</algo>"]) + "\n"

    def save(self, path: "Union[str, os.PathLike[str]]") -> None:
        """Writes the plan. Cluster files name it: `collectives: {all_reduce: {custom: ring.xml}}`."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.xml)

    def check(self, cluster: object = None, **options: Values) -> Answer:
        """Follows every chunk and simulates the plan: `orrery collective check`.

        `size`: bytes of the complete buffer ("1GB"). `answer.ok` is False if a chunk does not arrive
        where the collective needs it; `answer.text` says at which step.
        """
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "plan.xml")
            self.save(path)
            question: Dict[str, Values] = {"file": [path], **options}
            if cluster is not None:
                question["cluster"] = os.fspath(cluster) if isinstance(cluster, os.PathLike) else str(cluster)
            return call("collective check", question)

    def __repr__(self) -> str:
        return f"<Plan {self.name}: {self.collective} among {self.ranks}, {self.chunks} chunks>"


def _block_lines(rank: _Rank) -> List[str]:
    """The blocks of a rank. A step that waits for several others gets steps before it that only wait."""
    numbers: Dict[_Step, int] = {}
    for block, made in enumerate(rank.blocks):
        at = 0
        for step, content in enumerate(made.steps):
            at += max(len(content["after"]) - 1, 0)
            numbers[block, step] = at
            at += 1
    awaited = {on for made in rank.blocks for content in made.steps for on in content["after"]}
    lines: List[str] = []
    for block, made in enumerate(rank.blocks):
        to, peer = (made.peer, -1) if made.sends else (-1, made.peer)
        lines.append(f'    <tb id="{block}" send="{to}" recv="{peer}" chan="{made.channel}">')
        for step, content in enumerate(made.steps):
            last = content["after"][-1:]
            waits = content["after"][:-1]
            for at, on in enumerate(waits):
                lines.append(_line(numbers[block, step] - len(waits) + at, _NOP, [on], numbers, False))
            lines.append(_line(numbers[block, step], content, last, numbers, (block, step) in awaited))
        lines.append("    </tb>")
    return lines


_NOP = {"type": "nop", "srcbuf": "i", "srcoff": -1, "dstbuf": "i", "dstoff": -1, "cnt": 0}


def _line(number: int, step: Dict[str, Any], after: List[_Step], numbers: Dict[_Step, int], awaited: bool) -> str:
    block, on = (after[0][0], numbers[after[0]]) if after else (-1, -1)
    words = " ".join(f'{key}="{step[key]}"' for key in ("type", "srcbuf", "srcoff", "dstbuf", "dstoff", "cnt"))
    return f'      <step s="{number}" {words} depid="{block}" deps="{on}" hasdep="{int(awaited)}"/>'
