// SPDX-License-Identifier: Apache-2.0
//
// What follows the pointer and the selection, on a canvas of its own above the rows.

import { el, styled } from '../../dom';
import * as format from '../../format';
import { laneKinds, spanKinds } from '../../data';
import { has, spanName, titleIn } from './model';
import { font } from './painter';
import type { Palette } from './palette';
import { plotWidth, ruler, timeAt, xOf, yOf, type Frame, type Pick, type State } from './state';

export class Overlay {
  private readonly context: CanvasRenderingContext2D;
  readonly tip = el('div', { class: 'tl-tip', hidden: true });

  constructor(private readonly canvas: HTMLCanvasElement) {
    this.context = canvas.getContext('2d')!;
  }

  draw(state: State, palette: Palette, ratio: number): void {
    const { canvas, context } = this;
    const width = Math.round(state.width * ratio);
    const height = Math.round(state.height * ratio);
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, state.width, state.height);
    context.save();
    context.beginPath();
    context.rect(state.gutter, ruler, plotWidth(state), state.height - ruler);
    context.clip();
    if (state.hovered) this.outline(state, state.hovered, palette.text, 1);
    if (state.picked) {
      this.guides(state, palette);
      this.outline(state, state.picked, palette.accent, 2.5);
    }
    context.restore();
    drawCrosshair(context, state, state.pointer, palette);
    this.showTip(state);
  }

  // A box around a span in its lane and in its unit's own row.
  private outline(state: State, pick: Pick, color: string, width: number): void {
    const { context } = this;
    const { rows } = state;
    const line = state.model.lines[rows.units[pick.unit].line];
    const { spans } = line;
    const start = spans.start[pick.span];
    const left = xOf(state, start);
    const right = Math.max(xOf(state, start + spans.length[pick.span]), left + 2);
    context.lineWidth = width;
    context.strokeStyle = color;
    for (let r = rows.ofUnit[pick.unit]; r < rows.rows.length && rows.rows[r].unit === pick.unit; r++) {
      const row = rows.rows[r];
      const y = yOf(state, row);
      if (row.lane < 0 && rows.open.has(pick.unit)) continue;
      if (row.lane >= 0 && !has(line.lanes[row.lane].track, start, pick.span)) continue;
      context.strokeRect(left - 0.5, y + 1, right - left + 1, row.height - 2);
    }
  }

  // Lines down from both ends of the selected span, to compare rows by.
  private guides(state: State, palette: Palette): void {
    const { spans } = state.model.lines[state.rows.units[state.picked!.unit].line];
    const start = spans.start[state.picked!.span];
    this.context.fillStyle = palette.accent;
    this.context.globalAlpha = 0.45;
    for (const time of [start, start + spans.length[state.picked!.span]]) {
      this.context.fillRect(Math.round(xOf(state, time)), ruler, 1, state.height);
    }
    this.context.globalAlpha = 1;
  }

  private showTip(state: State): void {
    const { hovered, pointer } = state;
    this.tip.hidden = !pointer || !(hovered || state.named >= 0);
    if (!pointer || this.tip.hidden) return;
    placeTip(this.tip, state, pointer);
    if (!hovered) {
      const { title, lines } = nameOfRow(state, state.named);
      this.tip.replaceChildren(el('strong', { class: 'name' }, title), ...lines.map((line) => el('div', { class: 'name' }, line)));
      return;
    }
    const unit = state.rows.units[hovered.unit];
    const { spans } = state.model.lines[unit.line];
    const i = hovered.span;
    const wait = spans.wait[i] > 0 ? `, of which waiting ${format.time(spans.wait[i])}` : '';
    this.tip.replaceChildren(
      el('strong', { class: 'name' }, spanName(state.model.names, spans, i)),
      el('div', {}, `${format.time(spans.length[i])}${wait}`),
      el('div', { class: 'muted' }, `${spanKinds[spans.kind[i]]} · ${unit.title} · from ${format.time(spans.start[i])}`),
    );
  }
}

// The complete name of a row, however little of it there is room for: of a rank, of ranks, of a lane.
export function nameOfRow(state: State, index: number): { title: string; lines: string[] } {
  const row = state.rows.rows[index];
  const unit = state.rows.units[row.unit];
  const same = unit.ranks > 1 ? [`${format.counted(unit.ranks, 'rank')} with identical timelines: ${unit.hint}`] : [];
  if (row.lane < 0) return { title: unit.title, lines: same };
  const lane = state.model.lines[unit.line].lanes[row.lane];
  return { title: titleIn(unit, lane), lines: [`${laneKinds[lane.kind]} lane of ${unit.title}`, ...same] };
}

// Next to the pointer, on the side with space.
export function placeTip(tip: HTMLElement, frame: Frame, pointer: { x: number; y: number }): void {
  const right = pointer.x > frame.width / 2;
  const below = pointer.y < frame.height - 90;
  styled(tip, {
    left: right ? 'auto' : `${pointer.x + 14}px`,
    right: right ? `${frame.width - pointer.x + 14}px` : 'auto',
    top: below ? `${pointer.y + 16}px` : 'auto',
    bottom: below ? 'auto' : `${frame.height - pointer.y + 12}px`,
  });
}

export interface CrosshairInks {
  card: string;
  muted: string;
  text: string;
}

// A line through the rows at the pointer, and its time on the ruler.
export function drawCrosshair(context: CanvasRenderingContext2D, frame: Frame, pointer: { x: number } | null, inks: CrosshairInks): void {
  if (!pointer || pointer.x < frame.gutter) return;
  context.fillStyle = inks.muted;
  context.globalAlpha = 0.6;
  context.fillRect(Math.round(pointer.x), ruler, 1, frame.height);
  context.globalAlpha = 1;
  const text = format.time(Math.round(timeAt(frame, pointer.x)));
  context.font = `600 11px ${font}`;
  context.textBaseline = 'middle';
  const width = context.measureText(text).width + 10;
  const left = Math.min(Math.max(pointer.x - width / 2, frame.gutter), frame.width - width);
  context.fillStyle = inks.text;
  context.fillRect(left, 5, width, ruler - 10);
  context.fillStyle = inks.card;
  context.fillText(text, left + 5, ruler / 2);
}
