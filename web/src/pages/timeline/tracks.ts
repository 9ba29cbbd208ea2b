// SPDX-License-Identifier: Apache-2.0
//
// A track: stretches of time that do not overlap, in order, with running sums. The sums are the
// level of detail: what any stretch of time holds, by kind, is the difference of two of them, so a
// pixel costs the same whether one span lies under it or a million do.

import { spanKinds } from '../../data';
import type { Spans } from '../../spans';

export interface Track {
  start: Float64Array;
  end: Float64Array;
  wait: Float64Array; // how long each begins with waiting
  span: Uint32Array; // what each is, in the timeline's spans
  kind: Uint8Array;
  kinds: number[]; // those that occur
  sums: Float64Array[]; // by place in `kinds`: time before stretch i; one longer than the track
  waits: Float64Array; // the same for waiting
  lit: Float64Array | null; // the same for what the filters let through; null: everything
}

// What a stretch of time holds. `kind` is by span kind; waiting is also counted under its kind.
export interface Holding {
  kind: Float64Array;
  wait: number;
  lit: number;
  total: number;
  first: number; // stretches first … last - 1 touch it
  last: number;
}

export function emptyHolding(): Holding {
  return { kind: new Float64Array(spanKinds.length), wait: 0, lit: 0, total: 0, first: 0, last: 0 };
}

// The first stretch that ends after `time`, from `low` on. Gallops: near answers are found fast.
export function firstEnding(track: Track, time: number, low = 0): number {
  const end = track.end;
  let reach = 1;
  let high = low;
  while (high < end.length && end[high] <= time) {
    low = high + 1;
    high += reach;
    reach *= 2;
  }
  high = Math.min(high, end.length);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (end[middle] <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

// The first stretch that starts at `time` or later, from `low` on.
export function firstStarting(track: Track, time: number, low = 0): number {
  const start = track.start;
  let reach = 1;
  let high = low;
  while (high < start.length && start[high] < time) {
    low = high + 1;
    high += reach;
    reach *= 2;
  }
  high = Math.min(high, start.length);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (start[middle] < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

// What lies in from … to. `low`: no stretch before this one matters (the answer's `first` of an
// earlier `from` does).
export function hold(track: Track, from: number, to: number, low: number, into: Holding): void {
  const first = firstEnding(track, from, low);
  const last = firstStarting(track, to, first);
  into.first = first;
  into.last = last;
  into.wait = into.lit = into.total = 0;
  for (const kind of track.kinds) into.kind[kind] = 0;
  if (last <= first) return;
  const lit = track.lit;
  track.kinds.forEach((kind, i) => {
    const sums = track.sums[i];
    into.kind[kind] = sums[last] - sums[first];
    into.total += into.kind[kind];
  });
  into.wait = track.waits[last] - track.waits[first];
  into.lit = lit ? lit[last] - lit[first] : into.total;
  cut(track, first, from - track.start[first], true, into);
  cut(track, last - 1, track.end[last - 1] - to, false, into);
}

// Takes away `by` of stretch i, at its head or at its tail.
function cut(track: Track, i: number, by: number, head: boolean, into: Holding): void {
  if (by <= 0) return;
  const length = track.end[i] - track.start[i];
  const wait = track.wait[i];
  into.kind[track.kind[i]] -= by;
  into.total -= by;
  into.wait -= head ? Math.min(wait, by) : Math.max(0, wait - (length - by));
  const lit = track.lit;
  if (!lit || lit[i + 1] > lit[i]) into.lit -= by;
}

// The stretch at `time`, or -1; `slip` looks that far to either side as well, nearest first.
export function stretchAt(track: Track, time: number, slip = 0): number {
  const i = firstEnding(track, time);
  const n = track.start.length;
  if (i < n && track.start[i] <= time) return i;
  const after = i < n ? track.start[i] - time : Infinity;
  const before = i > 0 ? time - track.end[i - 1] : Infinity;
  if (Math.min(after, before) > slip) return -1;
  return after < before ? i : i - 1;
}

// Counts what the filters let through; `passes` null lets everything.
export function light(track: Track, passes: Uint8Array | null): void {
  if (!passes) {
    track.lit = null;
    return;
  }
  const n = track.start.length;
  const lit = new Float64Array(n + 1);
  for (let i = 0; i < n; i++) {
    const length = track.end[i] - track.start[i];
    lit[i + 1] = lit[i] + (passes[track.span[i]] ? length : 0);
  }
  track.lit = lit;
}

// Puts stretches that overlap one after another: the earlier keeps its place, of a later one the
// rest is kept. `which`: spans in order of start.
export function layTrack(spans: Spans, which: ArrayLike<number>): Track {
  const start: number[] = [];
  const end: number[] = [];
  const wait: number[] = [];
  const span: number[] = [];
  let reached = -Infinity;
  for (let i = 0; i < which.length; i++) {
    const s = which[i];
    const from = Math.max(spans.start[s], reached);
    const to = spans.start[s] + spans.length[s];
    if (to <= from) continue;
    start.push(from);
    end.push(to);
    wait.push(Math.min(Math.max(spans.start[s] + spans.wait[s] - from, 0), to - from));
    span.push(s);
    reached = to;
  }
  return sum(start, end, wait, span, spans);
}

function sum(start: number[], end: number[], wait: number[], span: number[], spans: Spans): Track {
  const n = start.length;
  const kind = Uint8Array.from(span, (s) => spans.kind[s]);
  const kinds = [...new Set(kind)].sort((a, b) => a - b);
  const sums = kinds.map(() => new Float64Array(n + 1));
  const waits = new Float64Array(n + 1);
  const place = new Uint8Array(256);
  kinds.forEach((k, i) => (place[k] = i));
  for (let i = 0; i < n; i++) {
    for (const column of sums) column[i + 1] = column[i];
    sums[place[kind[i]]][i + 1] += end[i] - start[i];
    waits[i + 1] = waits[i] + wait[i];
  }
  return {
    start: Float64Array.from(start),
    end: Float64Array.from(end),
    wait: Float64Array.from(wait),
    span: Uint32Array.from(span),
    kind,
    kinds,
    sums,
    waits,
    lit: null,
  };
}
