// SPDX-License-Identifier: Apache-2.0
//
// Draws parallel coordinates: lines below, uprights with labels and brushes above them.
import { font, type Brush } from './canvas';
import type { Dimension } from './model';
import type { Scale } from './scale';
import { shorten } from './scatter_paint';
import type { State } from './state';

export interface Uprights {
  dims: Dimension[];
  scales: Scale[];
  brush: { dim: number; from: number; to: number } | null; // being dragged, pixels
}

export const top = 12;
export const bottom = 14;
export const mostLines = 2000;

export const uprightAt = (dim: number, count: number, width: number): number => ((dim + 0.5) / count) * width;

// Lines through one label are spread, the better ones above.
function heightOf(state: State, uprights: Uprights, d: number, point: number): number {
  const dim = uprights.dims[d];
  const value = dim.values[point];
  if (!Number.isFinite(value)) return NaN;
  const y = uprights.scales[d].at(value);
  if (!dim.labels) return y;
  const room = Math.min(18, Math.abs(uprights.scales[d].at(1) - uprights.scales[d].at(0)) * 0.6);
  return y + (state.model.rank[point] - 0.5) * room;
}

function drawLine({ context, width }: Brush, state: State, uprights: Uprights, point: number): void {
  context.beginPath();
  let pen = false;
  for (let d = 0; d < uprights.dims.length; d++) {
    const y = heightOf(state, uprights, d, point);
    const x = uprightAt(d, uprights.dims.length, width);
    if (Number.isNaN(y)) pen = false;
    else if (pen) context.lineTo(x, y);
    else context.moveTo(x, y);
    pen = !Number.isNaN(y);
  }
  context.stroke();
}

// Evenly from the best to the worst.
function some(points: readonly number[]): readonly number[] {
  if (points.length <= mostLines) return points;
  return Array.from({ length: mostLines }, (_, i) => points[Math.floor((i * points.length) / mostLines)]);
}

export function paintLines(brush: Brush, state: State, uprights: Uprights): void {
  const { context, width, height, colors } = brush;
  const { model } = state;
  context.clearRect(0, 0, width, height);
  context.lineWidth = 1;
  const drawn = some(state.shown.filter((point) => !model.front[point]));
  context.strokeStyle = colors.compute;
  const crowd = Math.min(1, 60 / Math.max(1, drawn.length));
  for (const point of [...drawn].reverse()) {
    context.globalAlpha = Math.max(0.06, (1 - 0.85 * model.rank[point]) * (0.12 + 0.6 * crowd));
    drawLine(brush, state, uprights, point);
  }
  context.strokeStyle = colors.critical;
  context.lineWidth = 1.5;
  context.globalAlpha = 0.85;
  for (const point of some(model.data.front.filter((one) => state.mask[one]))) drawLine(brush, state, uprights, point);
  context.globalAlpha = 1;
}

function drawUpright(brush: Brush, state: State, uprights: Uprights, d: number): void {
  const { context, width, height, colors } = brush;
  const dim = uprights.dims[d];
  const x = Math.round(uprightAt(d, uprights.dims.length, width)) + 0.5;
  context.strokeStyle = colors.muted;
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(x, top);
  context.lineTo(x, height - bottom);
  context.stroke();
  context.font = `12px ${font}`;
  context.textBaseline = 'middle';
  context.textAlign = 'left';
  for (const { value, text } of uprights.scales[d].ticks) {
    const y = uprights.scales[d].at(value);
    context.fillStyle = colors.muted;
    context.fillRect(x - 3, y - 0.5, 6, 1);
    const word = shorten(context, text, width / uprights.dims.length - 16);
    // A rim, so that lines do not cross out what it says.
    context.strokeStyle = colors.card;
    context.lineWidth = 3;
    context.lineJoin = 'round';
    context.strokeText(word, x + 6, y);
    context.fillStyle = colors.text;
    context.fillText(word, x + 6, y);
  }
  const range = state.filters.get(dim);
  if (range) drawBrush(brush, x, uprights.scales[d], dim, range);
}

function drawBrush({ context, colors }: Brush, x: number, scale: Scale, dim: Dimension, [low, high]: readonly [number, number]): void {
  const half = dim.labels ? 0.5 : 0;
  const [from, to] = [scale.at(Math.max(low, dim.low) - half), scale.at(Math.min(high, dim.high) + half)];
  box(context, x, Math.min(from, to), Math.abs(to - from), colors.accent);
}

function box(context: CanvasRenderingContext2D, x: number, y: number, size: number, color: string): void {
  context.globalAlpha = 0.22;
  context.fillStyle = color;
  context.fillRect(x - 8, y, 16, Math.max(2, size));
  context.globalAlpha = 1;
  context.strokeStyle = color;
  context.lineWidth = 1.5;
  context.strokeRect(x - 8, y, 16, Math.max(2, size));
}

export function paintCoordinates(brush: Brush, state: State, uprights: Uprights): void {
  const { context, width, height, colors } = brush;
  context.clearRect(0, 0, width, height);
  for (let d = 0; d < uprights.dims.length; d++) drawUpright(brush, state, uprights, d);
  for (const [point, color] of [[state.hovered, colors.accent], [state.chosen, colors.text]] as const) {
    if (point < 0) continue;
    context.strokeStyle = color;
    context.lineWidth = 2.5;
    drawLine(brush, state, uprights, point);
  }
  if (uprights.brush) {
    const { dim, from, to } = uprights.brush;
    box(context, Math.round(uprightAt(dim, uprights.dims.length, width)) + 0.5, Math.min(from, to), Math.abs(to - from), colors.accent);
  }
}
