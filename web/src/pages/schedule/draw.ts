// SPDX-License-Identifier: Apache-2.0
//
// Draws the links' rows: bars, names, the bound; and above them what follows the pointer.

import * as format from '../../format';
import { inkOn, type Colors } from '../../theme';
import { drawCrosshair } from '../timeline/overlay';
import { clip, drawGrid, drawRuler, font, triangle } from '../timeline/painter';
import { plotWidth, ruler, xOf } from '../timeline/state';
import { hueOf } from './colors';
import { useOf } from './groups';
import { firstBar } from './model';
import type { GridState, Picked } from './state';

const labelFrom = 24; // CSS pixels from which on a bar says whose it is

function prepared(canvas: HTMLCanvasElement, state: GridState, ratio: number): CanvasRenderingContext2D {
  const [width, height] = [Math.round(state.width * ratio), Math.round(state.height * ratio)];
  if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
  const context = canvas.getContext('2d')!;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, state.width, state.height);
  return context;
}

function inRows(context: CanvasRenderingContext2D, state: GridState, what: () => void): void {
  context.save();
  context.beginPath();
  context.rect(state.gutter, ruler, plotWidth(state), state.height - ruler);
  context.clip();
  what();
  context.restore();
}

function visible(state: GridState): [number, number] {
  const first = Math.max(0, Math.floor(state.scroll / state.row));
  return [first, Math.min(state.rows.length, Math.ceil((state.scroll + state.height - ruler) / state.row))];
}

const yOf = (state: GridState, row: number): number => ruler + row * state.row - state.scroll;

export function draw(canvas: HTMLCanvasElement, state: GridState, colors: Colors, ratio: number): void {
  const context = prepared(canvas, state, ratio);
  context.fillStyle = colors.card;
  context.fillRect(0, 0, state.width, state.height);
  inRows(context, state, () => {
    drawGrid(context, state, state.model.data.time, colors);
    const [first, last] = visible(state);
    for (let row = first; row < last; row++) {
      if (state.rows[row] < 0) drawGroup(context, state, row, colors);
      else drawBars(context, state, row, colors);
    }
    drawBound(context, state, colors);
  });
  drawNames(context, state, colors);
  drawRuler(context, state, colors, boundName(context, state) ?? undefined);
  drawBoundName(context, state, colors);
}

// A group as one bar: as high as the share of its links in use; with a piece chosen, its part in the piece's color.
function drawGroup(context: CanvasRenderingContext2D, state: GridState, row: number, colors: Colors): void {
  const { model, picked, view } = state;
  const group = state.groups[~state.rows[row]];
  const columns = Math.ceil(plotWidth(state));
  const height = state.row - (state.row >= 12 ? 4 : 1);
  const foot = yOf(state, row) + state.row - 1;
  const paint = (use: Float64Array, color: string): void => {
    context.fillStyle = color;
    for (let column = 0; column < columns; column++) {
      const tall = Math.max(1, Math.min(1, use[column]) * height);
      if (use[column] > 1e-4) context.fillRect(state.gutter + column, foot - tall, 1, tall);
    }
  };
  context.globalAlpha = picked ? 0.3 : 1;
  paint(useOf(model, group, view.from, view.to, columns), colors.idle);
  context.globalAlpha = 1;
  if (!picked) return;
  const piece = model.sends.piece[picked.send];
  paint(useOf(model, group, view.from, view.to, columns, piece), state.colors[hueOf(model, state.key, picked.send) % state.colors.length]);
}

// Where a piece is chosen, its bars stand out from the others.
function drawBars(context: CanvasRenderingContext2D, state: GridState, row: number, colors: Colors): void {
  const { model, picked, view } = state;
  const bars = model.bars[state.rows[row]];
  const piece = picked ? model.sends.piece[picked.send] : -1;
  const gap = state.row >= 12 ? 2 : 1;
  const height = state.row - gap;
  const foot = yOf(state, row) + state.row;
  const passes = picked ? [false, true] : [true];
  for (const lit of passes) {
    context.globalAlpha = lit ? 1 : 0.16;
    let [reached, at] = [-Infinity, -1];
    for (let i = firstBar(bars, view.from); i < bars.start.length && bars.start[i] < view.to; i++) {
      const send = bars.send[i];
      if (picked && lit !== (model.sends.piece[send] === piece)) continue;
      const left = Math.max(xOf(state, bars.start[i]), state.gutter - 2);
      const right = Math.min(xOf(state, bars.end[i]), state.width + 2);
      // What falls on the same half pixel as the bar before it is not to be seen.
      if (right < reached + 0.5 && bars.top[i] === at) continue;
      [reached, at] = [right, bars.top[i]];
      const color = state.colors[hueOf(model, state.key, send) % state.colors.length];
      const tall = Math.max(1, bars.share[i] * height);
      const top = foot - bars.top[i] * height - tall;
      context.fillStyle = color;
      context.fillRect(left, top, Math.max(0.6, right - left - (right - left > 3 ? 1 : 0)), tall);
      if (lit && tall >= 11 && right - left >= labelFrom) drawLabel(context, state, send, left, right, top + tall / 2, inkOn(color));
    }
  }
  context.globalAlpha = 1;
  if (state.row >= 12) {
    context.fillStyle = colors.line;
    context.fillRect(state.gutter, Math.round(foot), state.width, 0.5);
  }
}

// Whose it is, and which; only which, where there is no room for both.
function drawLabel(context: CanvasRenderingContext2D, state: GridState, send: number, left: number, right: number, middle: number, ink: string): void {
  const { model } = state;
  const piece = model.sends.piece[send];
  const owner = model.pieces.owner[piece];
  context.font = `11px ${font}`;
  context.textBaseline = 'middle';
  const whole = owner >= 0 ? `${model.data.nodes[owner]} · ${piece}` : String(piece);
  const text = [whole, String(piece)].find((one) => context.measureText(one).width <= right - left - 8);
  if (text === undefined) return;
  context.fillStyle = ink;
  context.fillText(text, left + 4, middle + 0.5);
}

function drawBound(context: CanvasRenderingContext2D, state: GridState, colors: Colors): void {
  const { bound } = state.model.data;
  if (bound <= 0) return;
  const x = Math.round(xOf(state, bound)) - 0.5;
  context.strokeStyle = colors.critical;
  context.setLineDash([5, 3]);
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(x, ruler);
  context.lineTo(x, state.height);
  context.stroke();
  context.setLineDash([]);
  context.lineWidth = 1;
}

// Where the name of the bound is on the ruler: from, to; null: out of view.
function boundName(context: CanvasRenderingContext2D, state: GridState): [number, number] | null {
  const x = xOf(state, state.model.data.bound);
  if (state.model.data.bound <= 0 || x < state.gutter || x > state.width) return null;
  context.font = `600 11px ${font}`;
  const width = context.measureText('bound').width + 8;
  const left = Math.max(state.gutter, x - width);
  return [left, left + width];
}

function drawBoundName(context: CanvasRenderingContext2D, state: GridState, colors: Colors): void {
  const place = boundName(context, state);
  if (!place) return;
  const [left] = place;
  context.fillStyle = colors.critical;
  context.fillText('bound', left + 4, ruler / 2);
}

const inset = { link: 12, group: 24, inGroup: 30 } as const; // CSS pixels before a name

export const nameOfLink = (name: string): string => name.replace(' -> ', ' → ');

// How wide names and shares have to be for no name to be cut.
export function gutterOf({ groups, links, model }: GridState): number {
  const context = document.createElement('canvas').getContext('2d')!;
  context.font = `600 12px ${font}`;
  const widest = (names: string[]): number => names.reduce((most, name) => Math.max(most, context.measureText(name).width), 0);
  const names = widest([...new Set(links.map((link) => nameOfLink(model.data.links.name[link])))]);
  const titles = widest(groups.map(({ title }) => title));
  return Math.max(names + (groups.length > 0 ? inset.inGroup : inset.link), titles + inset.group) + 64;
}

interface RowName {
  name: string;
  busy: number; // the share of the time; of a group the mean
  binds: boolean; // of a group: one of its links does
}

function nameOf({ model, groups }: GridState, row: number): RowName {
  const { links } = model.data;
  if (row >= 0) return { name: nameOfLink(links.name[row]), busy: model.busy[row], binds: links.binds[row] };
  const { title, links: own } = groups[~row];
  return { name: title, busy: own.reduce((sum, link) => sum + model.busy[link], 0) / own.length, binds: own.some((link) => links.binds[link]) };
}

// Links that set the bound have a bar in its color before their names; groups have a triangle.
function drawNames(context: CanvasRenderingContext2D, state: GridState, colors: Colors): void {
  context.fillStyle = colors.card;
  context.fillRect(0, ruler, state.gutter, state.height - ruler);
  context.textBaseline = 'middle';
  const [first, last] = visible(state);
  let free = -Infinity;
  for (let row = first; row < last; row++) {
    const group = state.rows[row] < 0 ? state.groups[~state.rows[row]] : null;
    const { name, busy: share, binds } = nameOf(state, state.rows[row]);
    const y = yOf(state, row);
    if (binds) {
      context.fillStyle = colors.critical;
      context.fillRect(3, y + 1, 4, state.row - (state.row < 12 ? 1 : 2));
    }
    if (y < free) continue; // no room for every name
    free = y + 14;
    const busy = format.percent(share);
    context.font = `11px ${font}`;
    context.fillStyle = colors.muted;
    const room = state.gutter > 160 ? context.measureText(busy).width + 8 : 0;
    const middle = y + Math.max(state.row / 2, 6) + 0.5;
    if (room > 0) context.fillText(busy, state.gutter - room, middle);
    context.font = `${binds || group ? '600 ' : ''}12px ${font}`;
    context.fillStyle = colors.text;
    const narrow = state.gutter <= 160;
    const left = group ? inset.group : state.groups.length > 0 && !narrow ? inset.inGroup : inset.link;
    context.fillText(clip(context, name, state.gutter - room - left - 4), left, middle);
    if (group) triangle(context, 15, middle - 0.5, 4, state.open.has(group.key));
  }
  context.fillStyle = colors.line;
  context.fillRect(state.gutter - 1, 0, 1, state.height);
}

export function drawTop(canvas: HTMLCanvasElement, state: GridState, colors: Colors, ratio: number): void {
  if (state.width === 0) return;
  const context = prepared(canvas, state, ratio);
  inRows(context, state, () => {
    if (state.hovered) outline(context, state, state.hovered, colors.text, 1);
    if (state.picked) outline(context, state, state.picked, colors.accent, 2);
  });
  drawCrosshair(context, state, state.pointer, colors);
}

// Around a send, on all links that it crosses.
function outline(context: CanvasRenderingContext2D, state: GridState, { send }: Picked, color: string, width: number): void {
  const { sends, data } = state.model;
  context.strokeStyle = color;
  context.lineWidth = width;
  for (const [link, after] of data.ways.links[sends.way[send]]) {
    const row = state.rows.indexOf(link);
    if (row < 0) continue;
    const bars = state.model.bars[link];
    const start = sends.start[send] + after;
    let bar = firstBar(bars, start);
    while (bar < bars.start.length && bars.send[bar] !== send) bar++;
    const height = state.row - (state.row >= 12 ? 2 : 1);
    const left = xOf(state, start);
    const tall = Math.max(2, bars.share[bar] * height);
    const top = yOf(state, row) + state.row - bars.top[bar] * height - tall;
    context.strokeRect(left - 0.5, top - 0.5, Math.max(2, xOf(state, start + sends.lasts[send]) - left), tall + 1);
  }
}
