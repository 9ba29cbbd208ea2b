// SPDX-License-Identifier: Apache-2.0
//
// All that decides what the timeline shows, and where things are on its canvas.

import type { RunData } from '../../data';
import type { Filter, Hit, Model, PathPlace } from './model';
import type { Row, Rows } from './rows';
import { stretchAt, type Track } from './tracks';
import type { View } from './view';

export interface Pick {
  unit: number;
  span: number;
}

// Time across a canvas.
export interface Frame {
  view: View;
  width: number; // CSS pixels of the canvas
  height: number;
  gutter: number; // of which the names of the rows take
}

export interface State extends Frame {
  run: RunData;
  model: Model;
  rows: Rows;
  together: boolean; // ranks that did the same share a row
  found: number | null; // the rank that was looked for; it has a row of its own
  scroll: number; // CSS pixels of rows above the screen
  filter: Filter;
  hits: Hit[];
  hit: number; // the one last gone to; -1
  picked: Pick | null;
  hovered: Pick | null;
  named: number; // the row whose name the pointer is on, in Rows.rows; -1
  pointer: { x: number; y: number } | null;
  showPath: boolean;
  places: PathPlace[]; // of the critical path's segments
}

export const ruler = 28; // CSS pixels above the rows

export const plotWidth = (state: Frame): number => Math.max(1, state.width - state.gutter);

export function xOf(state: Frame, time: number): number {
  const { from, to } = state.view;
  return state.gutter + ((time - from) / (to - from)) * plotWidth(state);
}

export function timeAt(state: Frame, x: number): number {
  const { from, to } = state.view;
  return from + ((x - state.gutter) / plotWidth(state)) * (to - from);
}

export const yOf = (state: State, row: Row): number => ruler + row.top - state.scroll;

// CSS pixels at the foot of a row, below its bars, for the critical path: its line crosses no bar and no name.
export const belowBars = (row: Row): number => (row.height >= 16 ? 4 : 3);

// The tracks a row shows, with their places: a unit's own row has two, computing above communication.
export function tracksOf(state: State, row: Row): { track: Track; top: number; bottom: number }[] {
  const line = state.model.lines[state.rows.units[row.unit].line];
  const pad = row.height >= 16 ? 2 : 1;
  const bottom = row.height - belowBars(row);
  if (row.lane >= 0) return [{ track: line.lanes[row.lane].track, top: pad, bottom }];
  if (line.talk.start.length === 0) return [{ track: line.work, top: pad, bottom }];
  if (line.work.start.length === 0) return [{ track: line.talk, top: pad, bottom }];
  const middle = Math.round(pad + (bottom - pad) * 0.55);
  return [
    { track: line.work, top: pad, bottom: middle },
    { track: line.talk, top: middle, bottom },
  ];
}

// The span under a place on the canvas.
export function spanAt(state: State, row: Row, x: number, y: number): number {
  const slip = (2 * (state.view.to - state.view.from)) / plotWidth(state);
  const inside = y - yOf(state, row);
  const tracks = tracksOf(state, row);
  const chosen = tracks.find(({ bottom }) => inside < bottom) ?? tracks[tracks.length - 1];
  const i = stretchAt(chosen.track, timeAt(state, x), slip);
  return i < 0 ? -1 : chosen.track.span[i];
}
