// SPDX-License-Identifier: Apache-2.0
//
// Paints stacked columns of very many ranks: one column a rank where there is room, else one a pixel, which
// is the mean of the ranks that share it.
import type { RunData } from '../../data';
import type { Colors } from '../../theme';
import type { Part } from './parts';
import type { Shown } from './rows';
import { stackOf } from './order';
import { niceStep } from '../../ticks';
import { timeAxis } from '../../format';

// Sums over the first n ranks in the order shown, so that the mean of any stretch is one subtraction.
export interface Stack {
  parts: readonly Part[];
  sums: Float64Array[]; // by part
  waited: Float64Array;
  odd: Uint32Array; // how many of the first n are odd
  count: number;
}

export interface Area {
  left: number;
  top: number;
  width: number;
  height: number;
  from: number; // the first position shown; may be a fraction
  to: number;
}

function sumsOf(order: Uint32Array, value: (rank: number) => number, into: Float64Array | Uint32Array): void {
  for (let i = 0; i < order.length; ++i) into[i + 1] = into[i] + value(order[i]);
}

export function stack(run: RunData, shown: Shown): Stack {
  const { order } = shown;
  const size = order.length + 1;
  const column = (values: readonly number[]): Float64Array => {
    const sums = new Float64Array(size);
    sumsOf(order, (rank) => values[rank], sums);
    return sums;
  };
  const chosen = stackOf(shown.sort);
  const odd = new Uint32Array(size);
  sumsOf(order, (rank) => (shown.odd.has(rank) ? 1 : 0), odd);
  return { parts: chosen, sums: chosen.map(({ id }) => column(run.rank[id])), waited: column(run.rank.waited), odd, count: order.length };
}

export function mean(sums: Float64Array, from: number, to: number): number {
  return to > from ? (sums[to] - sums[from]) / (to - from) : 0;
}

function stripes(context: CanvasRenderingContext2D, colors: Colors): CanvasPattern | string {
  const tile = document.createElement('canvas');
  tile.width = tile.height = 8;
  const paint = tile.getContext('2d')!;
  paint.fillStyle = colors.compute;
  paint.fillRect(0, 0, 8, 8);
  paint.strokeStyle = colors.communication;
  paint.lineWidth = 3;
  paint.beginPath();
  for (const at of [-4, 4, 12]) {
    paint.moveTo(at - 6, 10);
    paint.lineTo(at + 6, -2);
  }
  paint.stroke();
  return context.createPattern(tile, 'repeat') ?? colors.compute;
}

function fillsOf(context: CanvasRenderingContext2D, colors: Colors, chosen: readonly Part[]): (CanvasPattern | string)[] {
  return chosen.map(({ fill }) => (fill === 'overlapped' ? stripes(context, colors) : colors[fill]));
}

// The stretches of positions that share a column (of `each` pixels, where ranks are narrower), and where the
// columns stand.
export function* columns(area: Area, count: number, each = 1): Generator<{ x: number; width: number; from: number; to: number }> {
  const perRank = area.width / (area.to - area.from);
  if (perRank >= 2) {
    const gap = perRank >= 4 ? 1 : 0;
    const left = (i: number): number => Math.round(area.left + (i - area.from) * perRank);
    for (let i = Math.max(0, Math.floor(area.from)); i < Math.min(count, Math.ceil(area.to)); ++i) {
      yield { x: left(i), width: left(i + 1) - left(i) - gap, from: i, to: i + 1 };
    }
    return;
  }
  for (let x = 0; x < area.width; x += each) {
    const from = Math.floor(area.from + x / perRank);
    const to = Math.min(count, Math.max(from + 1, Math.floor(area.from + (x + each) / perRank)));
    if (from < count) yield { x: area.left + x, width: each, from, to };
  }
}

export function paintColumns(context: CanvasRenderingContext2D, area: Area, data: Stack, end: number, colors: Colors): void {
  const fills = fillsOf(context, colors, data.parts);
  const scale = area.height / (end || 1);
  context.save();
  context.beginPath();
  context.rect(area.left, 0, area.width, area.top + area.height);
  context.clip();
  data.parts.forEach((_, part) => {
    context.fillStyle = fills[part];
    for (const { x, width, from, to } of columns(area, data.count)) {
      let below = 0;
      for (let i = 0; i < part; ++i) below += mean(data.sums[i], from, to);
      const value = mean(data.sums[part], from, to);
      if (value > 0) context.fillRect(x, area.top + area.height - (below + value) * scale, width, value * scale);
    }
  });
  context.restore();
}

// The line of waiting for peers, and the marks of odd ranks above the columns.
export function paintMarks(context: CanvasRenderingContext2D, area: Area, data: Stack, end: number, colors: Colors): void {
  const scale = area.height / (end || 1);
  const bottom = area.top + area.height;
  const line = new Path2D();
  const marks = new Path2D();
  let begun = false;
  let lastMark = -Infinity;
  for (const { x, width, from, to } of columns(area, data.count, 6)) {
    const y = bottom - mean(data.waited, from, to) * scale;
    if (begun) line.lineTo(x, y);
    else line.moveTo(x, y);
    line.lineTo(x + width, y);
    begun = true;
  }
  for (const { x, width, from, to } of columns(area, data.count)) {
    const middle = x + width / 2;
    if (data.odd[to] > data.odd[from] && middle - lastMark >= 5) {
      marks.moveTo(middle, area.top - 2);
      marks.lineTo(middle - 4, area.top - 9);
      marks.lineTo(middle + 4, area.top - 9);
      marks.closePath();
      lastMark = middle;
    }
  }
  context.save();
  context.beginPath();
  context.rect(area.left, 0, area.width, bottom);
  context.clip();
  context.lineJoin = 'round';
  context.strokeStyle = colors.card;
  context.lineWidth = 3.5;
  context.stroke(line);
  context.strokeStyle = colors.text;
  context.lineWidth = 1.5;
  context.stroke(line);
  context.fillStyle = colors.critical;
  context.fill(marks);
  context.restore();
}

// Round times up to the end of the axis, or quarters of it.
function marks(end: number, shares: boolean): number[] {
  const { factor } = timeAxis(end);
  const each = shares ? end / 4 : niceStep(end / factor / 8) * factor;
  return Array.from({ length: Math.floor(end / each + 1e-9) + 1 }, (_, i) => i * each);
}

export function paintAxis(context: CanvasRenderingContext2D, area: Area, colors: Colors, end: number, shares: boolean): void {
  context.font = '12px system-ui, sans-serif';
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  const { label } = timeAxis(end);
  for (const value of end > 0 ? marks(end, shares) : []) {
    const y = Math.round(area.top + area.height * (1 - value / end)) + 0.5;
    context.fillStyle = colors.line;
    context.fillRect(area.left - 4, y - 0.5, area.width + 4, 1);
    context.fillStyle = colors.muted;
    context.fillText(shares ? `${Math.round((100 * value) / end)} %` : label(value), area.left - 8, y);
  }
}

// Rank numbers below the columns, as many as there is room for.
export function paintRanks(context: CanvasRenderingContext2D, area: Area, order: Uint32Array, sorted: boolean, colors: Colors): void {
  const perRank = area.width / (area.to - area.from);
  let each = 1;
  for (const factor of [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096]) {
    each = factor;
    if (perRank * factor >= 44) break;
  }
  context.font = '12px system-ui, sans-serif';
  context.textAlign = 'center';
  context.textBaseline = 'top';
  context.fillStyle = colors.muted;
  if (sorted && each > 1) {
    context.fillText('ranks, descending', area.left + area.width / 2, area.top + area.height + 5);
    return;
  }
  for (let i = Math.ceil(area.from / each) * each; i < Math.min(order.length, area.to); i += each) {
    const x = area.left + (i + 0.5 - area.from) * perRank;
    if (x > area.left + 6 && x < area.left + area.width - 6) context.fillText(String(order[i]), x, area.top + area.height + 5);
  }
}
