// SPDX-License-Identifier: Apache-2.0
//
// One figure over two axes: of each pair of values the best point, or the mean of all. Pure.
import type { Dimension } from './model';

export const most = 24; // of an axis's values; beyond, neighbors share a place

export interface Bins {
  words: string[];
  of(place: number): number;
}

export interface Heat {
  across: Bins;
  down: Bins;
  cells: (HeatCell | null)[][]; // [down][across]; null: nothing is shown there
  low: number;
  high: number;
}

export interface HeatCell {
  value: number;
  point: number; // the best there
  count: number;
}

// Stretches of an axis's labels, at most `most`.
export function binsOf(dim: Dimension | null): Bins {
  if (!dim) return { words: ['all'], of: () => 0 };
  const labels = dim.labels!;
  const each = Math.ceil(labels.length / most);
  const words = [];
  for (let i = 0; i < labels.length; i += each) {
    const last = Math.min(labels.length, i + each) - 1;
    words.push(last > i ? `${labels[i]} … ${labels[last]}` : labels[i]);
  }
  return { words, of: (place) => Math.floor(place / each) };
}

export function heatOf(x: Dimension, y: Dimension | null, figure: Dimension, mean: boolean, mask: Uint8Array): Heat {
  const [across, down] = [binsOf(x), binsOf(y)];
  const cells: (HeatCell | null)[][] = down.words.map(() => across.words.map(() => null));
  const best = down.words.map(() => across.words.map(() => NaN));
  for (let i = 0; i < mask.length; i++) {
    const value = figure.values[i];
    if (!mask[i] || !Number.isFinite(value)) continue;
    const [row, column] = [y ? down.of(y.values[i]) : 0, across.of(x.values[i])];
    const cell = (cells[row][column] ??= { value: mean ? 0 : value, point: i, count: 0 });
    cell.count++;
    if (mean) cell.value += value;
    if (Number.isNaN(best[row][column]) || (figure.more ? value > best[row][column] : value < best[row][column])) {
      best[row][column] = value;
      cell.point = i;
      if (!mean) cell.value = value;
    }
  }
  let [low, high] = [NaN, NaN];
  for (const cell of cells.flat()) {
    if (!cell) continue;
    if (mean) cell.value /= cell.count;
    if (!(cell.value >= low)) low = cell.value;
    if (!(cell.value <= high)) high = cell.value;
  }
  return { across, down, cells, low, high };
}

// 0: the worst there is, 1: the best.
export function goodness(heat: Heat, more: boolean, value: number): number {
  if (!(heat.high > heat.low)) return 1;
  const share = (value - heat.low) / (heat.high - heat.low);
  return more ? share : 1 - share;
}

// "#rrggbb" on the way from one to the other.
export function mixed(from: string, to: string, share: number): string {
  const channel = (at: number): string => {
    const [a, b] = [parseInt(from.slice(at, at + 2), 16), parseInt(to.slice(at, at + 2), 16)];
    return Math.round(a + (b - a) * share).toString(16).padStart(2, '0');
  };
  return `#${channel(1)}${channel(3)}${channel(5)}`;
}
