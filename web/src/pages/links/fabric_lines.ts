// SPDX-License-Identifier: Apache-2.0
//
// The lines between the boxes of a fabric, and how they bend around what stands between. Pure.

import type { FaultData } from '../../data';
import { boxHeight, type Places } from './fabric_boxes';

export interface Line {
  a: number; // boxes
  b: number;
  links: number[]; // that carried something, of both directions
  faults: number[]; // in FabricData.faults, of both directions
  count: number; // of the direction that has more; where none carried anything, of those that were down or slow
  path: string;
}

export type Pair = Omit<Line, 'path'>;
export type Ends = [from: number, to: number];

// All links and faults between two boxes as one line. Those of a circuit belong to the line between its two ends.
export function pairsOf(links: readonly (Ends | null)[], faults: readonly FaultData[], circuits: ReadonlyMap<number, Ends>, places: Places): Pair[] {
  const pairs = new Map<string, Pair & { counts: [carried: [number, number], broken: [number, number]] }>();
  const add = (both: Ends, what: 'links' | 'faults', number: number, many: number): void => {
    let [from, to] = both;
    const [into, out] = [circuits.get(to), circuits.get(from)];
    if (into) to = into[0] === from ? into[1] : into[0];
    else if (out) from = out[0] === to ? out[1] : out[0];
    const [a, b] = [places.boxOf[from], places.boxOf[to]];
    if (a < 0 || b < 0) return;
    if (a === b) {
      places.boxes[a][what === 'links' ? 'inner' : 'innerFaults'].push(number);
      return;
    }
    const key = a < b ? `${a} ${b}` : `${b} ${a}`;
    const pair = pairs.get(key)
      ?? pairs.set(key, { a: Math.min(a, b), b: Math.max(a, b), links: [], faults: [], count: 0, counts: [[0, 0], [0, 0]] }).get(key)!;
    pair[what].push(number);
    if (!out) pair.counts[what === 'links' ? 0 : 1][a < b ? 0 : 1] += many; // of a circuit its first half counts
  };
  links.forEach((both, link) => both && add(both, 'links', link, 1));
  faults.forEach(({ from, to, links: many }, fault) => add([from, to], 'faults', fault, many));
  return [...pairs.values()].map(({ counts, ...pair }) => ({ ...pair, count: Math.max(...counts[pair.links.length > 0 ? 0 : 1], 1) }));
}

// How high a bow over boxes of one row is; 0: nothing is between them.
export function bowOf(places: Places, { a, b }: Pair): number {
  const row = places.rows[places.rowOf[a]];
  if (places.rowOf[a] !== places.rowOf[b]) return 0;
  const apart = Math.abs(row.boxes.indexOf(a) - row.boxes.indexOf(b));
  if (apart === 1) return 0;
  return row.grid ? Math.min(24, 12 + 1.5 * apart) : Math.min(70, 14 + 0.07 * Math.abs(places.boxes[a].x - places.boxes[b].x));
}

export function pathOf(places: Places, pair: Pair, bow: number): string {
  const [a, b] = [places.boxes[pair.a], places.boxes[pair.b]];
  const point = (x: number, y: number): string => `${x.toFixed(1)} ${y.toFixed(1)}`;
  const row = places.rows[places.rowOf[pair.a]];
  if (bow > 0) {
    const y = a.y + (row.down ? 1 : -1) * (boxHeight / 2 + 2 * bow);
    return `M${point(a.x, a.y)}Q${point((a.x + b.x) / 2, y)} ${point(b.x, b.y)}`;
  }
  const [first, last] = [places.rowOf[pair.a], places.rowOf[pair.b]].sort((x, y) => x - y);
  const covered = (): boolean => places.rows.slice(first + 1, last).some(({ boxes }) =>
    boxes.some((box) => Math.abs(places.boxes[box].x - a.x) < places.boxes[box].width / 2));
  if (Math.abs(a.x - b.x) < 1 && covered()) { // past what stands between
    return `M${point(a.x, a.y)}Q${point(a.x + a.width + 6 + 3 * (last - first), (a.y + b.y) / 2)} ${point(b.x, b.y)}`;
  }
  return `M${point(a.x, a.y)}L${point(b.x, b.y)}`;
}
