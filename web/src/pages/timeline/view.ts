// SPDX-License-Identifier: Apache-2.0
//
// Which stretch of time is on screen. Pure: no canvas, no events.

export interface View {
  from: number; // picoseconds at the left edge
  to: number; // and at the right edge
}

// Nothing in a run is shorter than a picosecond; a screen of this many is as near as it is useful.
export const nearest = 200;

// How far past either end of the step one may look, as a part of what is on screen.
const margin = 0.1;

export function whole(step: number): View {
  const room = Math.max(step, nearest) * 0.01;
  return { from: -room, to: Math.max(step, nearest) + room };
}

// `view` made to fit: not nearer than `nearest`, not farther than the whole step, not off its ends.
export function confine(view: View, step: number): View {
  const all = whole(step);
  const most = all.to - all.from;
  const width = Math.min(Math.max(view.to - view.from, nearest), most);
  if (width === most) return all;
  const middle = (view.from + view.to) / 2;
  const slip = width * margin;
  const low = Math.max(all.from, -slip);
  const high = Math.min(all.to, Math.max(step, nearest) + slip);
  const from = Math.min(Math.max(middle - width / 2, low), high - width);
  return { from, to: from + width };
}

// Zooms so that the time at `anchor` stays where it is. `factor` < 1 looks nearer.
export function zoom(view: View, anchor: number, factor: number, step: number): View {
  const all = whole(step);
  const width = view.to - view.from;
  const wanted = Math.min(Math.max(width * factor, nearest), all.to - all.from);
  const left = width > 0 ? (anchor - view.from) / width : 0.5;
  const from = anchor - left * wanted;
  return confine({ from, to: from + wanted }, step);
}

export function pan(view: View, by: number, step: number): View {
  return confine({ from: view.from + by, to: view.to + by }, step);
}

// The view that shows start … end with some room around it.
export function around(start: number, end: number, step: number): View {
  const room = Math.max((end - start) * 0.35, nearest / 2);
  return confine({ from: start - room, to: end + room }, step);
}

// From `a` to `b`, `part` of the way; the width changes evenly in octaves, as zooming feels.
export function between(a: View, b: View, part: number): View {
  if (part >= 1) return b;
  const wide = a.to - a.from;
  const width = wide * Math.pow((b.to - b.from) / wide, part);
  const shift = wide === b.to - b.from ? part : (width - wide) / (b.to - b.from - wide);
  const from = a.from + (b.from - a.from) * shift;
  return { from, to: from + width };
}

export interface Tick {
  at: number;
  text: string;
}

const units: [number, string][] = [
  [1e12, 's'],
  [1e9, 'ms'],
  [1e6, 'us'],
  [1e3, 'ns'],
  [1, 'ps'],
];

// The step between ticks: 1, 2 or 5 times a power of ten.
export function tickStep(width: number, most: number): number {
  const least = width / Math.max(most, 1);
  const power = Math.pow(10, Math.floor(Math.log10(Math.max(least, 1))));
  for (const times of [1, 2, 5]) if (times * power >= least) return times * power;
  return 10 * power;
}

// Ticks for a ruler; every text has the same unit and the same digits, as the step between needs.
export function ticks(view: View, most: number): Tick[] {
  const by = tickStep(view.to - view.from, most);
  const [size, unit] = unitFor(Math.max(Math.abs(view.from), Math.abs(view.to)), by);
  const digits = Math.max(0, Math.ceil(Math.log10(size) - Math.log10(by) - 1e-9));
  const result: Tick[] = [];
  for (let n = Math.ceil(view.from / by); n * by <= view.to; n++) {
    const text = n === 0 ? '0' : `${(n * by / size).toFixed(digits)} ${unit}`;
    result.push({ at: n * by, text });
  }
  return result;
}

// The unit of the farthest tick, or a smaller one where that would need over four digits behind the point.
function unitFor(farthest: number, by: number): [number, string] {
  const fits = units.filter(([size]) => size <= farthest && size / by <= 10_000);
  return fits[0] ?? units.find(([size]) => size <= by) ?? units[units.length - 1];
}
