# SPDX-License-Identifier: Apache-2.0
"""HTML for notebooks."""

from __future__ import annotations

from html import escape
from typing import Any, Iterable, List, Mapping, Sequence, Tuple

_MOST_ROWS = 20
_COLORS = {"compute": "#4c78a8", "exposed comm": "#e45756", "exposed memory": "#f58518", "idle": "#bab0ac"}


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


def preformatted(text: str) -> str:
    """Text as a command prints it."""
    return f"<pre>{escape(text)}</pre>"


def _text(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)
