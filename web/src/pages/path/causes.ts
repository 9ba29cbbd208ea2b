// SPDX-License-Identifier: Apache-2.0
//
// What the causes on the critical path mean, and the path's time by cause and by operation. Pure.

import { pathCauses, type RunData } from '../../data';
import type { Colors } from '../../theme';
import { roleOfCause } from '../../theme';

export const titles = ['Work', 'Bandwidth', 'Latency', 'Queue', 'Waiting for a peer', 'Unexplained'] as const;

export const sentences = [
  'A rank computes or accesses its memory. A faster device or less work on that rank shortens it.',
  'Bytes cross links. More bandwidth, fewer bytes, or overlap with work shortens it.',
  'Latency of hops and endpoints, independent of the size. Fewer and larger messages, or nearer ranks, shorten it.',
  'Waiting for a busy resource: a lane, a link, a queue of a dimension, a shared memory.',
  'A peer is late, and its delaying span is not recorded.',
  'No recorded cause.',
] as const;

// Second of a pair that shares a color: drawn paler and striped.
export const paler = [false, false, true, false, true, false];

export function colorOf(cause: number, kind: number, colors: Colors): string {
  return colors[roleOfCause(cause, kind)];
}

export interface CauseShare {
  cause: number;
  time: number;
  share: number;
}

// Causes that take any time, in their own order.
export function byCause(run: RunData): CauseShare[] {
  const all = run.pathByCause.reduce((sum, time) => sum + time, 0);
  return pathCauses
    .map((_, cause) => ({ cause, time: run.pathByCause[cause] ?? 0, share: all > 0 ? (run.pathByCause[cause] ?? 0) / all : 0 }))
    .filter(({ time }) => time > 0);
}

export interface Operation {
  title: string; // numbers in it as #, where several names differ in those only
  cause: number;
  kind: number;
  time: number;
  count: number;
  ranks: number;
  longest: number; // in the path's columns
}

// The path's time by name and cause, most first. Names that differ in numbers only count as one: layers,
// micro-batches and the like.
export function byOperation(run: RunData): Operation[] {
  const { path } = run;
  const found = new Map<string, Operation & { seen: Set<number>; names: Set<number> }>();
  path.start.forEach((start, i) => {
    const key = `${path.cause[i]} ${path.kind[i]} ${withoutNumbers(run.names[path.name[i]])}`;
    let one = found.get(key);
    if (!one) {
      one = { title: '', cause: path.cause[i], kind: path.kind[i], time: 0, count: 0, ranks: 0, longest: i, seen: new Set(), names: new Set() };
      found.set(key, one);
    }
    const length = path.end[i] - start;
    one.time += length;
    one.count++;
    one.seen.add(path.rank[i]);
    one.names.add(path.name[i]);
    if (length > path.end[one.longest] - path.start[one.longest]) one.longest = i;
  });
  const titleOf = (names: Set<number>): string => {
    const first = run.names[[...names][0]];
    return names.size > 1 ? withoutNumbers(first) : first;
  };
  return [...found.values()].map((one) => ({ ...one, title: titleOf(one.names), ranks: one.seen.size })).sort((a, b) => b.time - a.time || a.longest - b.longest);
}

const withoutNumbers = (name: string): string => name.replace(/\d+/g, '#');

// Segments by length, longest first (ties: the earlier).
export function longest(run: RunData, most: number): number[] {
  const { start, end } = run.path;
  return start.map((_, i) => i).sort((a, b) => end[b] - start[b] - (end[a] - start[a]) || a - b).slice(0, most);
}

// The rows of the waterfall: the ranks the path visits, by number; many share a row.
export interface PathRows {
  ranks: number[]; // visited, ascending
  count: number; // of rows
  of: Map<number, number>; // rank → row
}

export function layPathRows(run: RunData, most: number): PathRows {
  const ranks = [...new Set(run.path.rank)].sort((a, b) => a - b);
  const count = Math.min(ranks.length, most);
  const of = new Map(ranks.map((rank, i) => [rank, Math.floor((i * count) / ranks.length)]));
  return { ranks, count, of };
}
