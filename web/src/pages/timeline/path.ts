// SPDX-License-Identifier: Apache-2.0
//
// The critical path over the rows: where each of its segments lies, and the line through them.

import type { RunData } from '../../data';
import type { Model, PathPlace } from './model';
import type { Palette } from './palette';
import { belowBars, plotWidth, ruler, xOf, type State } from './state';
import { stretchAt } from './tracks';

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
  const { rows } = state;
  const unit = unitOf(state, segment);
  if (unit < 0) return NaN;
  const head = rows.ofUnit[unit];
  const lane = rows.open.has(unit) ? state.places[segment].lane : -1;
  const row = rows.rows[head + 1 + lane] ?? rows.rows[head];
  return ruler + row.top - state.scroll + row.height - belowBars(row) / 2;
}

// Draws what is on screen of it: along the rows, and from row to row where it changes rank or lane.
// Where it changes so often that the latter would hide everything, they fade.
export function drawPath(context: CanvasRenderingContext2D, state: State, palette: Palette): void {
  const { path } = state.run;
  const first = segmentAt(path.end, state.view.from);
  const last = segmentAt(path.end, state.view.to);
  const along = new Path2D();
  const across = [new Path2D(), new Path2D()]; // within a unit, and from one to another
  let height = NaN; // where the pen is
  let reached = -Infinity;
  const turns = [0, 0];
  let unit = -1;
  for (let i = first; i <= last && i < path.start.length; i++) {
    const y = Math.round(heightOf(state, i));
    if (Number.isNaN(y)) continue;
    const left = xOf(state, Math.max(path.start[i], state.view.from));
    const right = xOf(state, Math.min(path.end[i], state.view.to));
    if (y === height && right - reached < 0.5) continue;
    if (y !== height && !Number.isNaN(height)) {
      const far = unitOf(state, i) === unit ? 0 : 1;
      across[far].moveTo(left, height);
      across[far].lineTo(left, y);
      turns[far]++;
    }
    unit = unitOf(state, i);
    along.moveTo(y === height ? reached : left, y);
    along.lineTo(right, y);
    height = y;
    reached = right;
  }
  for (const width of [4, 0]) {
    // First a rim in the ground's color, then the line itself.
    context.strokeStyle = width > 0 ? palette.card : palette.critical;
    context.lineCap = 'square';
    across.forEach((trace, far) => {
      const room = plotWidth(state) / Math.max(turns[far], 1); // pixels from turn to turn
      const clear = Math.min(1, Math.max(0.1, room / 16));
      if (width > 0 && clear <= 0.6) return;
      context.lineWidth = width || (clear > 0.6 ? 2 : 1);
      context.globalAlpha = clear;
      context.stroke(trace);
    });
    context.globalAlpha = 1;
    context.lineWidth = width || 2;
    context.stroke(along);
  }
}

const unitOf = (state: State, segment: number): number => state.rows.ofRank[state.run.path.rank[segment]] ?? -1;
