// SPDX-License-Identifier: Apache-2.0
//
// In which order ranks are shown, and which of them are unlike the others.
import type { RankColumns, RunData } from '../../data';
import { time } from '../../format';
import { parts, type Part, type PartId } from './parts';

export type SortKey = 'rank' | 'waited' | PartId;

export const sortKeys: readonly { key: SortKey; title: string }[] = [
  { key: 'rank', title: 'rank' },
  ...parts.map(({ id, title }) => ({ key: id, title })),
  { key: 'waited', title: 'waiting for peers' },
];

export function sortKey(text: string | undefined): SortKey {
  return sortKeys.find(({ key }) => key === text)?.key ?? 'rank';
}

// Rank numbers: most first, ties by rank.
export function orderOf(rank: RankColumns, key: SortKey): Uint32Array {
  const order = Uint32Array.from(rank.timeline, (_, i) => i);
  if (key === 'rank') return order;
  const column = rank[key];
  return order.sort((a, b) => column[b] - column[a] || a - b);
}

// The part that ranks are sorted by stands first, on the base line, where lengths compare.
export function stackOf(key: SortKey): readonly Part[] {
  const first = parts.filter(({ id }) => id === key);
  return [...first, ...parts.filter(({ id }) => id !== key)];
}

export interface Odd {
  rank: number;
  difference: number; // to the median
  sentence: string;
}

interface Quantity {
  values: readonly number[];
  more: string; // "computes {} longer than the median"
  less: string;
}

function quantities(rank: RankColumns): Quantity[] {
  const computing = rank.exposedCompute.map((value, i) => value + rank.overlapped[i]);
  return [
    { values: computing, more: 'computes {} longer than', less: 'computes {} less than' },
    { values: rank.exposedMemory, more: 'has {} more exposed memory access than', less: 'has {} less exposed memory access than' },
    { values: rank.waited, more: 'waits for peers {} longer than', less: 'waits for peers {} less than' },
    { values: rank.exposedComm, more: 'has {} more exposed communication than', less: 'has {} less exposed communication than' },
    { values: rank.idle, more: 'is idle {} longer than', less: 'is idle {} less than' },
  ];
}

export function median(values: ArrayLike<number>): number {
  const sorted = Float64Array.from(values).sort();
  const half = sorted.length >> 1;
  if (sorted.length === 0) return 0;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

// How many (robust) standard deviations each value lies from the median. The spread is the median absolute
// deviation, or, where more than half of the values are equal, the mean absolute deviation (Iglewicz and
// Hoaglin, How to Detect and Handle Outliers, 1993).
export function robustScores(values: readonly number[]): { middle: number; scores: number[] } {
  const middle = median(values);
  const away = values.map((value) => Math.abs(value - middle));
  const mad = median(away);
  const mean = away.reduce((sum, value) => sum + value, 0) / Math.max(1, away.length);
  const spread = mad > 0 ? mad / 0.6745 : mean * 1.2533;
  return { middle, scores: values.map((value) => (spread > 0 ? (value - middle) / spread : 0)) };
}

const farScore = 3.5;
const farShare = 0.01; // of the step: less is not worth a word

// Ranks far from the median, the farthest first, one sentence each: about the quantity in which they differ
// most, and of several that differ alike the one that comes first above, for the others follow from it.
export function oddRanks(run: RunData): Odd[] {
  if (run.ranks < 3) return [];
  const found = new Map<number, Odd>();
  for (const { values, more, less } of quantities(run.rank)) {
    const { middle, scores } = robustScores(values);
    scores.forEach((score, rank) => {
      const difference = values[rank] - middle;
      const size = Math.abs(difference);
      if (Math.abs(score) <= farScore || size < farShare * run.step) return;
      if (size <= 1.2 * Math.abs(found.get(rank)?.difference ?? 0)) return;
      const sentence = (difference > 0 ? more : less).replace('{}', time(size));
      found.set(rank, { rank, difference, sentence: `rank ${rank} ${sentence} the median (${time(values[rank])} against ${time(middle)})` });
    });
  }
  return [...found.values()].sort((a, b) => Math.abs(b.difference) - Math.abs(a.difference) || a.rank - b.rank);
}
