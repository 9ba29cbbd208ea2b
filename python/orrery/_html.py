# SPDX-License-Identifier: Apache-2.0
"""HTML for notebooks: tables, and small pictures as SVG."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

if TYPE_CHECKING:
    import numpy

    from .answer import Answer
    from .searches import Search

_MOST_ROWS = 20
_WIDTH = 640  # pixels of a picture
_COLORS = {"compute": "#4c78a8", "exposed comm": "#e45756", "exposed memory": "#f58518", "idle": "#bab0ac"}
_LANES = {"compute": "#4c78a8", "communicator": "#e45756", "send": "#b279a2", "receive": "#ff9da6"}
_OTHER = "#72b7b2"
#: Members of a run's JSON that the summary shows: label, member.
_SHARES = (("compute", "compute_ns"), ("exposed comm", "exposed_comm_ns"), ("exposed memory", "exposed_memory_ns"),
           ("idle", "idle_ns"))


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """The first rows as a table."""
    if not rows:
        return "<p>no rows</p>"
    names: List[str] = [name for name, value in rows[0].items() if not isinstance(value, (dict, list))]
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(_text(row.get(name)))}</td>" for name in names) + "</tr>"
        for row in rows[:_MOST_ROWS]
    )
    more = f"<p>{len(rows) - _MOST_ROWS} more rows</p>" if len(rows) > _MOST_ROWS else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def answer(of: "Answer") -> str:
    """An answer: the figures and pictures that its command has, and its text."""
    values = of.to_dict()
    parts = []
    shares = values.get("breakdown")
    if isinstance(shares, dict) and "compute_ns" in shares:
        parts.append(_summary(of))
        parts.append(_bar((name, float(shares.get(key) or 0)) for name, key in _SHARES))
        if "span" in of.tables:
            parts.append(_timeline(of))
    points = _plans(values.get("best"))
    if len(points) > 1:
        parts.append(_front(points))
    return "".join(parts) + (_details(of.text) if parts else _preformatted(of.text))


def _summary(of: "Answer") -> str:
    """Step, interval, utilization and memory as one line."""
    figures = [f"<b>{escape(str(of.step))}</b> per step"]
    if of.interval is not None:
        figures.append(f"80 % prediction interval {escape(str(of.interval.low))} to {escape(str(of.interval.high))}")
    if of.mfu is not None:
        figures.append(f"MFU {100 * of.mfu:.1f} %")
    memory = of.to_dict().get("memory")
    if isinstance(memory, dict) and isinstance(memory.get("peak_bytes"), int):
        figures.append(f"peak memory {memory['peak_bytes'] / 1e9:.1f} GB")
    return f"<div>{' · '.join(figures)}</div>"


def _bar(parts: Iterable[Tuple[str, float]]) -> str:
    """Parts of a whole as a bar with a legend."""
    shown = [(name, value) for name, value in parts if value > 0]
    total = sum(value for _, value in shown) or 1.0
    boxes, legend, at = "", "", 0.0
    for name, value in shown:
        width = _WIDTH * value / total
        color = _COLORS.get(name, _OTHER)
        boxes += (f'<rect x="{at:.1f}" width="{width:.1f}" height="18" fill="{color}"><title>{escape(name)}</title>'
                  "</rect>")
        legend += f'<span style="color:{color}">&#9632;</span> {escape(name)} {100 * value / total:.1f} % '
        at += width
    return f'<svg width="{_WIDTH}" height="18" role="img">{boxes}</svg><div>{legend}</div>'


def _timeline(of: "Answer") -> str:
    """The lanes of the slowest rank: how busy each is, per pixel."""
    import numpy

    ranks, lanes, spans = of.table("rank"), of.table("lane"), of.table("span")
    slowest = int(numpy.argmax(ranks["finish_ps"]))
    groups = _groups(of, int(ranks["id"][slowest]))
    rows = [(int(number), str(kind), groups.get(group, "") if kind == "communicator" else "")
            for number, timeline, kind, group in zip(lanes["id"], lanes["timeline"], lanes["kind"], lanes["rank_group"])
            if timeline == ranks["timeline"][slowest]]
    end = float(ranks["finish_ps"].max()) or 1.0
    left, height = 110, 16
    body = ""
    for at, (number, kind, group) in enumerate(rows[:_MOST_ROWS]):
        in_lane = spans["lane"] == number
        busy = _busy(spans["start_ps"][in_lane], spans["duration_ps"][in_lane], end, _WIDTH - left)
        body += f'<text x="0" y="{at * height + 11}" font-size="11" fill="currentColor">{escape(group or kind)}</text>'
        color = _LANES.get(kind, _OTHER)
        for first, count, level in _runs(busy):
            body += (f'<rect x="{left + first}" y="{at * height}" width="{count}" height="{height - 3}" fill="{color}" '
                     f'fill-opacity="{level / 4:g}"/>')
    shown = min(len(rows), _MOST_ROWS)
    title = f"rank {ranks['id'][slowest]} from 0 to {of.step}"
    more = f", {len(rows) - shown} more lanes" if len(rows) > shown else ""
    return (f'<svg width="{_WIDTH}" height="{shown * height}" role="img">{body}</svg>'
            f"<div>{escape(title)}, red: communication, by group{more}</div>")


def _groups(of: "Answer", rank: int) -> Dict[float, str]:
    """The names of a rank's process groups, by their number in its lanes."""
    mine, all_groups = of.table("rank_group"), of.table("process_group")
    names = dict(zip(all_groups["id"].tolist(), all_groups["name"].tolist()))
    return {float(number): str(names.get(group, "")).split(" (")[0][:16] for owner, number, group
            in zip(mine["rank"].tolist(), mine["number"].tolist(), mine["process_group"].tolist()) if owner == rank}


def _busy(starts: "numpy.ndarray[Any, Any]", durations: "numpy.ndarray[Any, Any]", end: float,
          pixels: int) -> "numpy.ndarray[Any, Any]":
    """The share of each pixel's time in which spans run."""
    import numpy

    edges = numpy.linspace(0, end, pixels + 1)
    order = numpy.argsort(starts, kind="stable")
    begins = starts[order].astype(float)
    ends = numpy.maximum.accumulate(begins + durations[order]) if len(begins) else begins
    begins = numpy.maximum(begins, numpy.concatenate([[0.0], ends[:-1]])) if len(begins) else begins
    knots = numpy.column_stack([begins, ends]).ravel()
    done = numpy.cumsum(numpy.column_stack([numpy.zeros(len(begins)), ends - begins]).ravel())
    covered = numpy.interp(edges, knots, done, left=0.0) if len(knots) else numpy.zeros(pixels + 1)
    busy: "numpy.ndarray[Any, Any]" = numpy.diff(covered) * pixels / end
    return busy


def _runs(busy: "numpy.ndarray[Any, Any]") -> List[Tuple[int, int, int]]:
    """Neighboring pixels with the same of four levels: first pixel, count, level. Idle ones are left out."""
    runs: List[Tuple[int, int, int]] = []
    for at, share in enumerate(busy):
        level = min(4, int(share * 4 + 0.999)) if share > 1e-3 else 0
        if level and runs and runs[-1][2] == level and sum(runs[-1][:2]) == at:
            runs[-1] = (runs[-1][0], runs[-1][1] + 1, level)
        elif level:
            runs.append((at, 1, level))
    return runs


def _plans(rows: Any) -> List[Tuple[float, float, str]]:
    """Seconds, gigabytes and the plan of each row of a search."""
    if not isinstance(rows, list):
        return []
    points = []
    for row in rows:
        time: Optional[float] = row.get("step_ns") or row.get("estimate_ns") if isinstance(row, dict) else None
        if time and isinstance(row.get("memory_bytes"), (int, float)):
            points.append((time / 1e9, row["memory_bytes"] / 1e9, str(row.get("plan", ""))))
    return points


def front(points: Sequence[Tuple[float, float, str]]) -> List[Tuple[float, float, str]]:
    """The points that no other one beats in both figures, by the first."""
    best: List[Tuple[float, float, str]] = []
    for point in sorted(points):
        if not best or point[1] < best[-1][1]:
            best.append(point)
    return best


def _front(points: Sequence[Tuple[float, float, str]]) -> str:
    """Step time and memory of plans, with the Pareto front."""
    height, left, below = 220, 60, 36
    most_time, most_memory = max(point[0] for point in points), max(point[1] for point in points)
    least_time = min(point[0] for point in points)
    span = (most_time - least_time) or 1.0

    def place(point: Tuple[float, float, str]) -> Tuple[float, float]:
        return (left + 10 + (point[0] - least_time) / span * (_WIDTH - left - 30),
                10 + (1 - point[1] / most_memory) * (height - below - 20))

    best = front(points)
    dots = ""
    for point in points:
        x, y = place(point)
        color = _COLORS["exposed comm"] if point in best else _COLORS["compute"]
        dots += (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{color}"><title>{escape(point[2])}: {point[0]:.4g} s, '
                 f"{point[1]:.4g} GB</title></circle>")
    line = " ".join("{:.1f},{:.1f}".format(*place(point)) for point in best)
    bottom = height - below
    labels = ((left, height - 20, "start", f"{least_time:.4g} s"), (_WIDTH - 10, height - 20, "end", f"{most_time:.4g} s"),
              ((left + _WIDTH) // 2, height - 4, "middle", "step time"), (left - 6, 16, "end", f"{most_memory:.3g} GB"),
              (left - 6, bottom, "end", "0 GB"))
    texts = "".join(f'<text x="{x}" y="{y}" font-size="11" text-anchor="{anchor}" fill="currentColor">{text}</text>'
                    for x, y, anchor, text in labels)
    return (f'<svg width="{_WIDTH}" height="{height}" role="img"><path d="M{left} 8V{bottom}H{_WIDTH - 8}" fill="none" '
            f'stroke="currentColor"/><polyline points="{line}" fill="none" stroke="{_COLORS["exposed comm"]}"/>'
            f"{dots}{texts}</svg><div>{len(points)} plans by step time and memory; red: Pareto front</div>")


def space_front(search: "Search") -> str:
    """Rows of a search by step time and memory or cost; the Pareto front in another color."""
    from .searches import step_ns

    found = search.rows
    points: List[Tuple[float, float, bool, str]] = []
    best = search.pareto
    figures = [{**row.to_dict(), **(row.to_dict().get("figure_values") or {})} for row in found]
    side = next((name for name in ("step_cost", "memory_bytes") if any(values.get(name) for values in figures)), "")
    for row, values in zip(found, figures):
        plan = row.get("best_plan") or row
        down, across = step_ns(plan.to_dict()), values.get(side) or 0
        if down and across:
            label = str(row.get("plan") or row.get("cluster") or plan.get("plan") or "")
            points.append((float(across), down, any(row.to_dict() is one.to_dict() for one in best), label))
    if not points:
        return ""
    axes_values = ([point[0] for point in points], [point[1] for point in points])
    least, most = [min(values) for values in axes_values], [max(values) for values in axes_values]
    spread = [high - low or high for low, high in zip(least, most)]
    dots = ""
    for across, down, on_front, label in sorted(points, key=lambda point: point[2]):
        x, y = 60 + 520 * (across - least[0]) / spread[0], 190 - 170 * (down - least[1]) / spread[1]
        color = _COLORS["exposed comm"] if on_front else _COLORS["idle"]
        dots += (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{color}"><title>{escape(label)}: {down * 1e-6:.4g} ms, '
                 f'{across:.4g}</title></circle>')
    axes = (f'<text x="0" y="12" font-size="11">step, {least[1] * 1e-6:.4g} to {most[1] * 1e-6:.4g} ms</text>'
            f'<text x="60" y="215" font-size="11">{escape(side)}, {least[0]:.4g} to {most[0]:.4g}</text>')
    return f'<svg width="600" height="220" role="img"><title>Pareto front</title>{dots}{axes}</svg>'


def _details(text: str) -> str:
    return f"<details><summary>text</summary>{_preformatted(text)}</details>"


def _preformatted(text: str) -> str:
    return f"<pre>{escape(text)}</pre>"


def _text(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)
