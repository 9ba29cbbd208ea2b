// SPDX-License-Identifier: Apache-2.0
//
// The critical path over the rows: where each of its segments lies, and the line through them.

import type { RunData } from '../../data';
import type { Model } from './model';
import type { Palette } from './palette';
import { ruler, xOf, type State } from './state';
import { stretchAt } from './tracks';

export interface PathPlace {
  lane: number; // in Line.lanes; -1: no lane has it
  span: number; // -1: not among the spans of this page
}

// Finds each segment's span by rank, time and name.
export function placePath(run: RunData, model: Model): PathPlace[] {
  const { path } = run;
  return path.start.map((start, i) => {
    const line = model.lines[run.rank.timeline[path.rank[i]]];
    const middle = (start + path.end[i]) / 2;
    let near: PathPlace = { lane: -1, span: -1 };
    for (let lane = 0; line && lane < line.lanes.length; lane++) {
      const { track } = line.lanes[lane];
      const at = stretchAt(track, middle);
      if (at < 0 || track.kind[at] !== path.kind[i]) continue;
      const span = track.span[at];
      if (line.spans.name[span] === path.name[i]) return { lane, span };
      if (near.lane < 0) near = { lane, span: -1 };
    }
    return near;
  });
}

// The first segment that ends after `time`.
export function segmentAt(ends: number[], time: number): number {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ends[middle] <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

function heightOf(state: State, segment: number): number {
  const { rows, run } = state;
  const unit = rows.ofRank[run.path.rank[segment]];
  if (unit === undefined || unit < 0) return NaN;
  const head = rows.ofUnit[unit];
  const lane = rows.open.has(unit) ? state.places[segment].lane : -1;
  const row = rows.rows[head + 1 + lane] ?? rows.rows[head];
  return ruler + row.top - state.scroll + row.height / 2;
}

// Draws what is on screen of it: along the rows, and from row to row where it changes rank or lane.
export function drawPath(context: CanvasRenderingContext2D, state: State, palette: Palette): void {
  const { path } = state.run;
  const first = segmentAt(path.end, state.view.from);
  const trace = new Path2D();
  let last = NaN; // the height the pen is at
  let reached = -Infinity; // how far right it is
  for (let i = first; i < path.start.length && path.start[i] < state.view.to; i++) {
    const y = Math.round(heightOf(state, i)) + 0.5;
    if (Number.isNaN(y)) continue;
    const left = xOf(state, Math.max(path.start[i], state.view.from));
    const right = xOf(state, Math.min(path.end[i], state.view.to));
    if (y === last && right - reached < 0.5) continue;
    if (Number.isNaN(last)) trace.moveTo(left, y);
    else trace.lineTo(left, y);
    trace.lineTo(right, y);
    last = y;
    reached = right;
  }
  context.lineJoin = 'round';
  context.lineCap = 'round';
  context.strokeStyle = palette.card;
  context.lineWidth = 4.5;
  context.stroke(trace);
  context.strokeStyle = palette.critical;
  context.lineWidth = 2;
  context.stroke(trace);
}
