// SPDX-License-Identifier: Apache-2.0
//
// What the page of a replay works out: shares, distances, what ran in other numbers.
import type { ReplayData, ReplayRow, ReplaySide } from '../../replay_data';

export interface Pair {
  name: string;
  recorded: number; // a share, 0 … 1
  replayed: number;
}

export type Measure = 'count' | 'ns';

// The shares of kinds of work, the largest first; nothing where one side has none.
export function pairsOf(rows: readonly ReplayRow[], measure: Measure): Pair[] {
  const sum = (side: 'recorded' | 'replayed'): number => rows.reduce((all, row) => all + row[side][measure], 0);
  const [recorded, replayed] = [sum('recorded'), sum('replayed')];
  if (recorded <= 0 && replayed <= 0) return [];
  const part = (value: number, all: number): number => (all > 0 ? value / all : 0);
  return rows
    .map((row) => ({ name: row.name, recorded: part(row.recorded[measure], recorded), replayed: part(row.replayed[measure], replayed) }))
    .filter((pair) => pair.recorded > 0 || pair.replayed > 0)
    .sort((a, b) => Math.max(b.recorded, b.replayed) - Math.max(a.recorded, a.replayed) || (a.name < b.name ? -1 : 1));
}

// The part that would have to be something else for both to be the same.
export function apart(pairs: readonly Pair[]): number {
  return pairs.reduce((sum, pair) => sum + Math.abs(pair.recorded - pair.replayed), 0) / 2;
}

// How many times as long the replay of these took as the recorded ones, each in the mean; null where that is not known.
export function longer(recorded: ReplaySide, replayed: ReplaySide): number | null {
  if (recorded.ns <= 0 || replayed.ns <= 0 || recorded.count === 0 || replayed.count === 0) return null;
  return replayed.ns / replayed.count / (recorded.ns / recorded.count);
}

export type RanData = ReplayData['ran'][number];

// Those that ran in other numbers first, the largest difference first; then the most frequent.
export function byDifference(ran: readonly RanData[]): RanData[] {
  const off = (one: RanData): number => Math.abs(one.recorded - one.replayed);
  return [...ran].sort((a, b) => off(b) - off(a) || b.recorded - a.recorded || (a.name < b.name ? -1 : 1));
}

export type Point = [at: number, bytes: number];

// A curve for the picture; more points than can be seen are thinned: of each stretch the least and the most stay.
export function curve(bytes: readonly number[], most = 2000): Point[] {
  const each = Math.max(1, Math.ceil((2 * bytes.length) / most));
  const points: Point[] = [];
  for (let from = 0; from < bytes.length; from += each) {
    let [low, high] = [from, from];
    for (let i = from + 1; i < Math.min(bytes.length, from + each); ++i) {
      if (bytes[i] < bytes[low]) low = i;
      if (bytes[i] > bytes[high]) high = i;
    }
    for (const i of [...new Set([low, high])].sort((a, b) => a - b)) points.push([i + 1, bytes[i]]);
  }
  return points;
}
