// SPDX-License-Identifier: Apache-2.0
//
// Draws the rows: spans as pixels of one image, then text, names of rows and the ruler above it.

import { time as timeText } from '../../format';
import { paintLine, stamp, type Label, type LinePixels } from './line';
import { spanName, titleIn } from './model';
import { toHex, type Palette } from './palette';
import { drawPath } from './path';
import { rowAt, type Row } from './rows';
import { plotWidth, ruler, tracksOf, xOf, yOf, type Frame, type State } from './state';
import type { Track } from './tracks';
import { ticks } from './view';

export const font = "'Liberation Sans', system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";
const labelFrom = 30; // CSS pixels from which on a span has its name in it

interface Placed {
  label: Label;
  row: Row;
  top: number; // CSS pixels
  height: number;
}

export class Painter {
  private readonly context: CanvasRenderingContext2D;
  private image: ImageData | null = null;
  private readonly widths = new Map<string, number>(); // of names, in CSS pixels

  constructor(private readonly canvas: HTMLCanvasElement) {
    this.context = canvas.getContext('2d', { alpha: false })!;
  }

  draw(state: State, palette: Palette, ratio: number): void {
    const { canvas, context } = this;
    const width = Math.round(state.width * ratio);
    const height = Math.round(state.height * ratio);
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
    }
    const labels = this.drawSpans(state, palette, ratio, width, height);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.save();
    context.beginPath();
    context.rect(state.gutter, ruler, plotWidth(state), state.height - ruler);
    context.clip();
    drawGrid(context, state, state.model.step, palette);
    if (state.showPath) drawPath(context, state, palette);
    this.drawLabels(state, palette, labels, ratio);
    context.restore();
    this.drawGutter(state, palette);
    drawRuler(context, state, palette);
  }

  private visible(state: State): [number, number] {
    const first = Math.max(0, rowAt(state.rows, state.scroll));
    const last = rowAt(state.rows, state.scroll + state.height - ruler);
    return [first, last];
  }

  private drawSpans(state: State, palette: Palette, ratio: number, width: number, height: number): Placed[] {
    const left = Math.round(state.gutter * ratio);
    const top = Math.round(ruler * ratio);
    const wide = width - left;
    const high = height - top;
    const placed: Placed[] = [];
    if (wide <= 0 || high <= 0) return placed;
    if (!this.image || this.image.width !== wide || this.image.height !== high) {
      this.image = this.context.createImageData(wide, high);
    }
    const pixels = new Uint32Array(this.image.data.buffer);
    pixels.fill(palette.ground);
    const done = new Map<Track, LinePixels>(); // rows that share a timeline share its pixels
    const [first, last] = this.visible(state);
    for (let i = first; i <= last; i++) {
      const row = state.rows.rows[i];
      const { spans } = state.model.lines[state.rows.units[row.unit].line];
      for (const part of tracksOf(state, row)) {
        let line = done.get(part.track);
        if (!line) {
          line = paintLine(part.track, spans.name, state.model.shades, state.view, wide, palette, labelFrom * ratio);
          done.set(part.track, line);
        }
        const y = row.top - state.scroll;
        const from = Math.max(0, Math.round((y + part.top) * ratio));
        const to = Math.min(high, Math.round((y + part.bottom) * ratio));
        stamp(line, pixels, wide, 0, from, to, Math.max(1, Math.round(2 * ratio)));
        const place = { row, top: ruler + y + part.top, height: part.bottom - part.top };
        if (place.height >= 11) for (const label of line.labels) placed.push({ label, ...place });
      }
    }
    this.context.putImageData(this.image, left, top);
    return placed;
  }

  private drawLabels(state: State, palette: Palette, labels: Placed[], ratio: number): void {
    const { context } = this;
    context.font = `11px ${font}`;
    context.textBaseline = 'middle';
    for (const { label, row, top, height } of labels) {
      const { spans } = state.model.lines[state.rows.units[row.unit].line];
      let from = state.gutter + label.from / ratio;
      let to = state.gutter + label.to / ratio;
      let ink = label.lit ? palette.inkOnKind[spans.kind[label.span]] : palette.muted;
      const waited = xOf(state, spans.start[label.span] + spans.wait[label.span]);
      const plate = spans.wait[label.span] > 0 && waited - from > to - waited;
      if (plate) {
        to = Math.min(to, waited);
        ink = palette.text;
      } else if (spans.wait[label.span] > 0) from = Math.max(from, waited);
      const text = this.fit(spanName(state.model.names, spans, label.span), to - from - 8);
      if (text === '') continue;
      // On a ground of its own: neither the path nor a line of the grid crosses it out.
      const shade = label.lit ? palette.shades[spans.kind[label.span]][state.model.shades[spans.name[label.span]]] : palette.dim;
      context.fillStyle = plate ? palette.card : toHex(shade);
      if (plate) context.fillRect(from + 2, top + 1, context.measureText(text).width + 4, height - 2);
      else context.fillRect(from + 3, top, Math.min(context.measureText(text).width + 2, to - from - 5), height);
      context.fillStyle = ink;
      context.fillText(text, from + 4, top + height / 2 + 0.5);
    }
  }

  // As much of a name as fits; "" when that is too little to be of use.
  private fit(text: string, room: number): string {
    let width = this.widths.get(text);
    if (width === undefined) {
      width = this.context.measureText(text).width;
      this.widths.set(text, width);
    }
    if (width <= room) return text;
    const letters = Math.floor((text.length * (room - 8)) / width);
    return letters >= 3 ? `${text.slice(0, letters)}…` : '';
  }

  private drawGutter(state: State, palette: Palette): void {
    const { context } = this;
    context.fillStyle = palette.card;
    context.fillRect(0, ruler, state.gutter, state.height - ruler);
    context.save();
    context.beginPath();
    context.rect(0, ruler, state.width, state.height - ruler);
    context.clip();
    const [first, last] = this.visible(state);
    for (let i = first; i <= last; i++) this.drawRowName(state, palette, state.rows.rows[i]);
    context.restore();
    context.fillStyle = palette.line;
    context.fillRect(state.gutter - 1, 0, 1, state.height);
  }

  private drawRowName(state: State, palette: Palette, row: Row): void {
    const { context } = this;
    const y = yOf(state, row);
    const unit = state.rows.units[row.unit];
    const head = row.lane < 0;
    const small = row.height < 16;
    if (head && row.unit > 0 && !small) {
      context.fillStyle = palette.line;
      context.fillRect(0, Math.round(y), state.width, 1);
    }
    const title = head ? unit.title : titleIn(unit, state.model.lines[unit.line].lanes[row.lane]);
    context.font = `${head && !small ? '600 ' : ''}${small ? 10 : 12}px ${font}`;
    context.textBaseline = 'middle';
    context.fillStyle = head ? palette.text : palette.muted;
    const left = head ? 20 : 30;
    const middle = Math.round(y + row.height / 2) + 0.5;
    context.fillText(clip(context, title, state.gutter - left - 6), left, middle);
    if (!head) return;
    context.fillStyle = palette.muted;
    triangle(context, 10, middle - 0.5, small ? 3 : 4, state.rows.open.has(row.unit));
  }
}

export interface RulerInks {
  card: string;
  muted: string;
  line: string;
}

// The times above the rows, and on the left how long a stretch is on screen. No time is written over `taken`: from, to.
export function drawRuler(context: CanvasRenderingContext2D, frame: Frame, inks: RulerInks, taken: readonly [number, number] = [Infinity, Infinity]): void {
  const { view, width, gutter } = frame;
  context.fillStyle = inks.card;
  context.fillRect(0, 0, width, ruler);
  context.font = `11px ${font}`;
  context.textBaseline = 'middle';
  context.fillStyle = inks.muted;
  context.fillText(clip(context, `${timeText(view.to - view.from)} across`, gutter - 14), 8, ruler / 2);
  context.save();
  context.beginPath();
  context.rect(gutter, 0, plotWidth(frame), ruler);
  context.clip();
  for (const tick of ticks(view, plotWidth(frame) / 110)) {
    const x = Math.round(xOf(frame, tick.at));
    context.fillStyle = inks.line;
    context.fillRect(x, ruler - 8, 1, 8);
    context.fillStyle = inks.muted;
    const end = x + 4 + context.measureText(tick.text).width;
    if (end < width && (end < taken[0] || x + 4 > taken[1])) context.fillText(tick.text, x + 4, ruler / 2);
  }
  context.restore();
  context.fillStyle = inks.line;
  context.fillRect(0, ruler - 1, width, 1);
}

// Lines at the ruler's times, and darker ones at the ends, through the rows.
export function drawGrid(context: CanvasRenderingContext2D, frame: Frame, step: number, inks: RulerInks): void {
  context.globalAlpha = 0.35;
  context.fillStyle = inks.line;
  for (const tick of ticks(frame.view, plotWidth(frame) / 110)) {
    context.fillRect(Math.round(xOf(frame, tick.at)), ruler, 1, frame.height);
  }
  for (const end of [0, step]) {
    context.globalAlpha = 0.6;
    context.fillStyle = inks.muted;
    context.fillRect(Math.round(xOf(frame, end)) - (end === 0 ? 1 : 0), ruler, 1, frame.height);
  }
  context.globalAlpha = 1;
}

// As much of a text as there is room for.
export function clip(context: CanvasRenderingContext2D, text: string, room: number): string {
  const shown = text.slice(0, 200);
  const width = context.measureText(shown).width;
  if (width <= room) return shown;
  return `${shown.slice(0, Math.max(1, Math.floor((shown.length * (room - 10)) / width)))}…`;
}

// Points down where something is open, else to the right.
export function triangle(context: CanvasRenderingContext2D, x: number, y: number, size: number, open: boolean): void {
  context.beginPath();
  if (open) {
    context.moveTo(x - size, y - size / 2);
    context.lineTo(x + size, y - size / 2);
    context.lineTo(x, y + size / 2 + 1);
  } else {
    context.moveTo(x - size / 2, y - size);
    context.lineTo(x + size / 2 + 1, y);
    context.lineTo(x - size / 2, y + size);
  }
  context.fill();
}
