// SPDX-License-Identifier: Apache-2.0
//
// Draws points over two dimensions: axes, points, the front of the two.
import type { Colors } from '../../theme';
import { font, type Brush } from './canvas';
import { frontOf } from './filter';
import { drawDiamond, drawPoint, drawRing, isCrowded } from './marks';
import { several, type Dimension } from './model';
import { scaleOf, type Scale } from './scale';
import type { State } from './state';

export interface Plot {
  x: Dimension;
  y: Dimension;
  diagonal: boolean; // both are the same quantity: a line where they are equal
  scales: { x: Scale; y: Scale } | null; // of what was drawn last
}

const left = 74;
const right = 16;
const top = 26;
const bottom = 40;

function layScales(plot: Plot, width: number, height: number): { x: Scale; y: Scale } {
  const { x, y } = plot;
  const both: [number, number] | undefined = plot.diagonal ? [Math.min(x.low, y.low), Math.max(x.high, y.high)] : undefined;
  return { x: scaleOf(x, left, width - right, 90, both), y: scaleOf(y, height - bottom, top, 38, both) };
}

function drawAxes({ context, width, height, colors }: Brush, plot: Plot, { x, y }: { x: Scale; y: Scale }): void {
  context.font = `12px ${font}`;
  context.lineWidth = 1;
  context.strokeStyle = colors.line;
  context.fillStyle = colors.muted;
  context.textBaseline = 'middle';
  context.textAlign = 'right';
  for (const { value, text } of y.ticks) {
    const at = Math.round(y.at(value)) + 0.5;
    line(context, left, at, width - right, at);
    context.fillText(shorten(context, text, left - 10), left - 8, at);
  }
  context.textAlign = 'center';
  context.textBaseline = 'top';
  for (const { value, text } of x.ticks) {
    const at = Math.round(x.at(value)) + 0.5;
    line(context, at, top, at, height - bottom);
    const clear = Math.min(Math.max(at, left + 10), width - right - context.measureText(text).width / 2 + 8);
    context.fillText(shorten(context, text, 96), clear, height - bottom + 6);
  }
  context.strokeStyle = colors.muted;
  line(context, left, height - bottom + 0.5, width - right, height - bottom + 0.5);
  line(context, left + 0.5, top, left + 0.5, height - bottom);
  context.fillStyle = colors.text;
  context.textBaseline = 'bottom';
  context.fillText(shorten(context, `${plot.x.label}${better(plot.x)}`, width - left - right), (left + width - right) / 2, height - 3);
  context.textAlign = 'left';
  context.textBaseline = 'top';
  context.fillText(shorten(context, `${plot.y.label}${better(plot.y)}`, width - 16), 8, 4);
}

const better = (dim: Dimension): string => (dim.kind === 'figure' || dim.kind === 'share' ? (dim.more ? ' (more is better)' : ' (less is better)') : '');

function line(context: CanvasRenderingContext2D, x: number, y: number, toX: number, toY: number): void {
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(toX, toY);
  context.stroke();
}

export function shorten(context: CanvasRenderingContext2D, text: string, room: number): string {
  if (context.measureText(text).width <= room) return text;
  let cut = text;
  while (cut.length > 1 && context.measureText(`${cut}…`).width > room) cut = cut.slice(0, -1);
  return `${cut}…`;
}

const drawable = (plot: Plot, i: number): boolean => Number.isFinite(plot.x.values[i]) && Number.isFinite(plot.y.values[i]);

function drawPoints(context: CanvasRenderingContext2D, state: State, plot: Plot, scales: { x: Scale; y: Scale }, colors: Colors): void {
  const { model, mask } = state;
  const small = isCrowded(model.count);
  const draw = (i: number): void => drawPoint(context, scales.x.at(plot.x.values[i]), scales.y.at(plot.y.values[i]), model.data.simulated[i] > 0, small && model.data.simulated[i] === 0);
  context.lineWidth = 1.5;
  context.fillStyle = context.strokeStyle = colors.idle;
  context.globalAlpha = 0.25;
  if (state.shown.length < model.count) for (let i = 0; i < model.count; i++) if (!mask[i] && drawable(plot, i)) draw(i);
  context.fillStyle = context.strokeStyle = colors.compute;
  context.globalAlpha = small ? 0.6 : 0.85;
  for (let i = 0; i < model.count; i++) if (mask[i] && !model.front[i] && drawable(plot, i)) draw(i);
  context.globalAlpha = 1;
}

// Steps from point to point: what lies on the worse side of them is beaten by one in both.
function drawFront(context: CanvasRenderingContext2D, state: State, plot: Plot, scales: { x: Scale; y: Scale }, colors: Colors): void {
  if (plot.x.kind === 'axis' || plot.y.kind === 'axis' || plot.diagonal || !several(plot.x) || !several(plot.y)) return;
  const front = frontOf(plot.x, plot.y, state.mask);
  context.strokeStyle = colors.critical;
  context.lineWidth = 1.5;
  context.setLineDash([5, 4]);
  context.beginPath();
  front.forEach((point, i) => {
    const [x, y] = [scales.x.at(plot.x.values[point]), scales.y.at(plot.y.values[point])];
    if (i === 0) context.moveTo(x, y);
    else {
      context.lineTo(x, scales.y.at(plot.y.values[front[i - 1]]));
      context.lineTo(x, y);
    }
  });
  context.stroke();
  context.setLineDash([]);
}

export function paintPlot(brush: Brush, state: State, plot: Plot): void {
  const { context, width, height, colors } = brush;
  context.clearRect(0, 0, width, height);
  const scales = (plot.scales = layScales(plot, width, height));
  drawAxes(brush, plot, scales);
  context.save();
  context.beginPath();
  context.rect(left, top - 8, width - left - right + 8, height - top - bottom + 16);
  context.clip();
  if (plot.diagonal) {
    const ends = [Math.min(plot.x.low, plot.y.low), Math.max(plot.x.high, plot.y.high)];
    context.strokeStyle = colors.muted;
    context.setLineDash([5, 4]);
    line(context, scales.x.at(ends[0]), scales.y.at(ends[0]), scales.x.at(ends[1]), scales.y.at(ends[1]));
    context.setLineDash([]);
  }
  drawPoints(context, state, plot, scales, colors);
  drawFront(context, state, plot, scales, colors);
  for (const i of state.model.data.front) {
    if (state.mask[i] && drawable(plot, i)) drawDiamond(context, scales.x.at(plot.x.values[i]), scales.y.at(plot.y.values[i]), colors, state.model.data.simulated[i] > 0);
  }
  context.restore();
}

export function paintTop({ context, width, height, colors }: Brush, state: State, plot: Plot): void {
  context.clearRect(0, 0, width, height);
  const { scales } = plot;
  if (!scales) return;
  const ring = (point: number, color: string, size: number): void => {
    if (point >= 0 && drawable(plot, point)) drawRing(context, scales.x.at(plot.x.values[point]), scales.y.at(plot.y.values[point]), color, size);
  };
  ring(state.chosen, colors.text, 9);
  ring(state.hovered, colors.accent, 7);
}

// The point nearest to a pixel, if any is near; those that are filtered out are not there.
export function nearest(state: State, plot: Plot, x: number, y: number, within = 14): number {
  if (!plot.scales) return -1;
  let [found, least] = [-1, within * within];
  for (const i of state.shown) {
    if (!drawable(plot, i)) continue;
    const distance = (plot.scales.x.at(plot.x.values[i]) - x) ** 2 + (plot.scales.y.at(plot.y.values[i]) - y) ** 2;
    if (distance < least) [found, least] = [i, distance];
  }
  return found;
}
