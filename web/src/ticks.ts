// SPDX-License-Identifier: Apache-2.0
//
// Ends of axes, and round numbers on them.
import type { RunData } from './data';

// Where axes of time end: runs side by side share one.
export function longestStep(runs: readonly RunData[]): number {
  return runs.reduce((longest, { step }) => Math.max(longest, step), 0);
}

// 1, 2 or 5 times a power of ten, at least `least`.
export function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1e-12)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least * 0.999) ?? least;
}

// 1, 2 and 5 times the powers of ten from the last below `min` to the first above `max`.
export function decadeTicks(min: number, max: number): number[] {
  const ticks: number[] = [];
  for (let power = 10 ** Math.floor(Math.log10(min)); power <= max * 10; power *= 10) ticks.push(power, 2 * power, 5 * power);
  const first = ticks.filter((tick) => tick <= min * 1.001).length - 1;
  const last = ticks.findIndex((tick) => tick >= max * 0.999);
  return ticks.slice(Math.max(0, first), last + 1);
}
