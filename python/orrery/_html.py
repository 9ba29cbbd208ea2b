# SPDX-License-Identifier: Apache-2.0
"""HTML for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Mapping, Sequence, Tuple

if TYPE_CHECKING:
    from .job import Run
    from .searches import Search

_MOST_ROWS = 20
_COLORS = {"compute": "#4c78a8", "exposed comm": "#e45756", "exposed memory": "#f58518", "idle": "#bab0ac"}

_KINDS = {"compute": "#4c78a8", "collective": "#e45756", "send": "#e45756", "recv": "#e45756", "memory": "#f58518"}
_OTHER = "#bab0ac"


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


def bar(parts: Iterable[Tuple[str, float]]) -> str:
    """Parts of a whole as a bar of 600 pixels with a legend."""
    shown = [(name, value) for name, value in parts if value > 0]
    total = sum(value for _, value in shown) or 1.0
    boxes, legend, at = "", "", 0.0
    for name, value in shown:
        width = 600 * value / total
        color = _COLORS.get(name, "#72b7b2")
        boxes += f'<rect x="{at:.1f}" width="{width:.1f}" height="22" fill="{color}"><title>{escape(name)}</title></rect>'
        legend += f'<span style="color:{color}">&#9632;</span> {escape(name)} {100 * value / total:.1f} % '
        at += width
    return f'<svg width="600" height="22" role="img">{boxes}</svg><div>{legend}</div>'


def timeline(run: "Run") -> str:
    """The lanes of rank 0 over the step. Nodes closer than a pixel are one box."""
    nodes = run.nodes(rank=0)
    starts, ends = nodes["start_ps"].tolist(), nodes["end_ps"].tolist()
    rows: Dict[str, List[Tuple[float, float, str]]] = {}
    pixel = max(ends, default=0) / 600 or 1.0
    for start, end, lane, kind in sorted(zip(starts, ends, nodes["lane"].tolist(), nodes["kind"].tolist())):
        boxes = rows.setdefault(lane, [])
        if boxes and start - boxes[-1][1] < pixel and kind == boxes[-1][2]:
            boxes[-1] = (boxes[-1][0], max(boxes[-1][1], end), kind)
        elif end > start:
            boxes.append((start, end, kind))
    picture, at = "", 0
    for lane, boxes in rows.items():
        if not boxes:
            continue
        for start, end, kind in boxes:
            width = max((end - start) / pixel, 0.5)
            picture += (f'<rect x="{120 + start / pixel:.1f}" y="{at}" width="{width:.1f}" height="14" '
                        f'fill="{_KINDS.get(kind, _OTHER)}"><title>{escape(kind)}, {(end - start) * 1e-9:.4g} ms</title></rect>')
        picture += f'<text x="0" y="{at + 11}" font-size="11">{escape(lane[:20])}</text>'
        at += 18
    return f'<svg width="720" height="{at}" role="img"><title>Rank 0: {pixel * 600 * 1e-9:.4g} ms</title>{picture}</svg>'


def front(search: "Search") -> str:
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


def preformatted(text: str) -> str:
    """Text as a command prints it."""
    return f"<pre>{escape(text)}</pre>"


def _text(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)
