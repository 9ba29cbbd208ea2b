// SPDX-License-Identifier: Apache-2.0
//
// Memory over time: of one timeline, or between the emptiest and the fullest rank.
import type { RunData, TimelineData } from '../../data';

export type MemoryData = NonNullable<TimelineData['memory']>;

// The ranks of every timeline that names tensors, the fullest first.
export interface Holder {
  timeline: number;
  memory: MemoryData;
  ranks: number[];
}

export function holders(run: RunData): Holder[] {
  const ranks = run.timelines.map((): number[] => []);
  run.rank.timeline.forEach((timeline, rank) => ranks[timeline]?.push(rank));
  return run.timelines
    .map(({ memory }, timeline) => ({ timeline, memory, ranks: ranks[timeline] }))
    .filter((holder): holder is Holder => holder.memory !== null && holder.memory.at.length > 0 && holder.ranks.length > 0)
    .sort((a, b) => b.memory.peak - a.memory.peak || a.ranks[0] - b.ranks[0]);
}

// Of an account: one holder per role, with the ranks of all its timelines, in the order of their lowest ranks.
export function rolesOf(all: readonly Holder[]): Holder[] {
  const roles = new Map<string, Holder>();
  for (const holder of all) {
    const { role } = holder.memory;
    if (role === undefined) continue;
    const known = roles.get(role);
    if (known) known.ranks.push(...holder.ranks);
    else roles.set(role, { ...holder, ranks: [...holder.ranks] });
  }
  return [...roles.values()].sort((a, b) => Math.min(...a.ranks) - Math.min(...b.ranks));
}

export type Points = [at: number, bytes: number][];

// The steps of a curve until the end of the step. More of them than can be seen are thinned: of each stretch
// the least and the most stay.
export function stepsOf(memory: MemoryData, step: number, most = 4000): Points {
  const { at, bytes } = memory;
  const points: Points = at[0] > 0 ? [[0, 0]] : [];
  const each = Math.ceil((at.length * 2) / most);
  for (let from = 0; from < at.length; from += each) {
    const to = Math.min(at.length, from + each);
    if (each <= 2) {
      for (let i = from; i < to; ++i) points.push([at[i], bytes[i]]);
      continue;
    }
    let [low, high] = [from, from];
    for (let i = from + 1; i < to; ++i) {
      if (bytes[i] < bytes[low]) low = i;
      if (bytes[i] > bytes[high]) high = i;
    }
    for (const i of [...new Set([low, high])].sort((a, b) => a - b)) points.push([at[i], bytes[i]]);
  }
  points.push([Math.max(step, at[at.length - 1]), bytes[bytes.length - 1]]);
  return points;
}

export interface Envelope {
  most: Points;
  least: Points;
  fullest: number[]; // the holder with most, by point of `most`
}

// The most and the least that any rank holds in each of `bins` stretches of the step.
export function envelope(all: readonly Holder[], step: number, bins = 400): Envelope {
  const width = Math.max(1, step) / bins;
  const most = new Float64Array(bins).fill(-1);
  const least = new Float64Array(bins).fill(Infinity);
  const fullest = new Array<number>(bins).fill(0);
  all.forEach(({ memory }, holder) => {
    let held = 0;
    let next = 0;
    for (let bin = 0; bin < bins; ++bin) {
      let [high, low] = [held, held];
      for (; next < memory.at.length && (memory.at[next] < (bin + 1) * width || bin === bins - 1); ++next) {
        held = memory.bytes[next];
        if (memory.at[next] <= bin * width) [high, low] = [held, held];
        [high, low] = [Math.max(high, held), Math.min(low, held)];
      }
      if (high > most[bin]) [most[bin], fullest[bin]] = [high, holder];
      least[bin] = Math.min(least[bin], low);
    }
  });
  const points = (values: Float64Array): Points => [
    ...Array.from(values, (value, i): [number, number] => [i * width, value]), [step, values[bins - 1]],
  ];
  return { most: points(most), least: points(least), fullest: [...fullest, fullest[bins - 1]] };
}
