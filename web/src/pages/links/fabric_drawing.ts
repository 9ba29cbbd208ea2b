// SPDX-License-Identifier: Apache-2.0
//
// A fabric as boxes and lines: which nodes a box stands for, which links a line, and where they are. Pure.

import type { RunData } from '../../data';
import { circuitsOf, endsOfNames, nodesOf } from './fabric';
import { boxHeight, label, Places, type Box } from './fabric_boxes';
import { bowOf, pairsOf, pathOf, type Ends, type Line, type Pair } from './fabric_lines';
import { faultsOf } from './faults';

const mostLines = 6000;

export interface Frame {
  label: string;
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Drawing {
  boxes: Box[];
  rows: { label: string; boxes: number[]; y: number }[]; // of boxes
  frames: Frame[];
  lines: Line[]; // nothing else is drawn between boxes
  circuits: number; // switches that are drawn as a line
  linesLeftOut: number; // those with fewest bytes
  width: number;
  height: number;
}

// null: there is nothing that can be drawn.
export function drawingOf(run: RunData): Drawing | null {
  const nodes = nodesOf(run);
  const ends = run.links.name.map(endsOfNames(nodes));
  const faults = faultsOf(run);
  const circuits = circuitsOf(nodes, [...ends, ...faults.map(({ from, to }): Ends => [from, to])]);
  const places = new Places(run, nodes, circuits);
  if (!places.make()) return null;
  const pairs = pairsOf(ends, faults, circuits, places);
  const bytes = (pair: Pair): number => pair.links.reduce((sum, link) => sum + run.links.bytes[link], 0);
  const first = (pair: Pair): number => (pair.faults.length > 0 ? 1 : 0);
  const kept = pairs.length > mostLines ? [...pairs].sort((a, b) => first(b) - first(a) || bytes(b) - bytes(a)).slice(0, mostLines) : pairs;
  const bows = kept.map((pair) => bowOf(places, pair));
  kept.forEach((pair, i) => {
    const row = places.rows[places.rowOf[pair.a]];
    row.bow = Math.max(row.bow, bows[i]);
  });
  const height = heights(places, kept);
  for (const [box, row] of places.rowOf.entries()) places.boxes[box].y = places.rows[row].y;
  for (const row of places.rows) label(row.boxes.map((box) => places.boxes[box]));
  return {
    boxes: places.boxes,
    rows: places.rows.map(({ label, boxes, y }) => ({ label, boxes, y })),
    frames: places.frames.map(({ label, left, width, first, last }) => {
      const top = places.rows[first].y - boxHeight / 2 - 8;
      return { label, x: left, y: top, width, height: places.rows[last].y + places.rows[last].bow + boxHeight / 2 + 22 - top };
    }),
    lines: kept.map((pair, i) => ({ ...pair, path: pathOf(places, pair, bows[i]) })),
    circuits: circuits.size,
    linesLeftOut: pairs.length - kept.length,
    width: places.width,
    height,
  };
}

// Gives rows their heights, from above; how high all is.
function heights(places: Places, pairs: readonly Pair[]): number {
  const crossing = places.rows.map(() => 0); // lines through the gap above a row
  for (const { a, b } of pairs) {
    const [first, last] = [places.rowOf[a], places.rowOf[b]].sort((x, y) => x - y);
    for (let row = first + 1; row <= last; row++) crossing[row]++;
  }
  const inHosts = 28 + Math.min(70, 0.05 * Math.max(0, ...places.frames.map(({ width }) => width)));
  let y = 8;
  places.rows.forEach((row, i) => {
    const above = places.rows[i - 1];
    if (above && row.grid && above.grid) y += 34;
    else if (above?.down && row.down) y += inHosts;
    else if (above) y += Math.min(150, 62 + 0.12 * crossing[i]);
    if (!row.down) y += row.bow;
    row.y = y + boxHeight / 2;
    y += boxHeight;
    if (row.down) y += row.bow;
  });
  return y + (places.frames.length > 0 ? 30 : 10);
}
