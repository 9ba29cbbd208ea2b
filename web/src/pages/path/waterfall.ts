// SPDX-License-Identifier: Apache-2.0
//
// The critical path from 0 to the step (the longest of runs side by side), a row for every rank it visits, colored by cause.

import { el, styled } from '../../dom';
import * as format from '../../format';
import type { Context } from '../../page';
import { inkOn } from '../../theme';
import { longestStep } from '../../ticks';
import { segmentAt } from '../timeline/path';
import { pan, ticks, whole, zoom, type View } from '../timeline/view';
import { colorOf, layPathRows, paler, titles, type PathRows } from './causes';

const axis = 24; // CSS pixels
const mostRows = 256;
const font = "11px 'Liberation Sans', system-ui, sans-serif";

export class Waterfall {
  readonly element: HTMLElement;
  private readonly canvas = el('canvas', { class: 'cp-canvas', role: 'img' });
  private readonly tip = el('div', { class: 'tl-tip', hidden: true });
  private readonly rows: PathRows;
  private readonly rowHeight: number;
  private readonly end: number; // of the axis
  private view: View;
  private width = 0;
  private hovered = -1;
  private stripes = new Map<string, CanvasPattern>();
  private readonly sizes = new ResizeObserver(() => this.draw());
  private readonly unsubscribe: () => void;
  private pointer: { x: number; y: number; moved: boolean } | null = null;

  constructor(private readonly context: Context, private readonly pick: (segment: number) => void) {
    const { run } = context;
    this.rows = layPathRows(run, mostRows);
    this.rowHeight = Math.min(24, Math.max(2, Math.floor(420 / Math.max(1, this.rows.count))));
    this.end = longestStep(context.data.runs);
    this.view = whole(this.end);
    const height = axis + this.rows.count * this.rowHeight + 6;
    styled(this.canvas, { height: `${height}px` });
    this.canvas.setAttribute('aria-label', `The critical path over ${format.counted(this.rows.ranks.length, 'rank')}, colored by cause; the tables below have the same content.`);
    this.element = el('div', { class: 'cp-waterfall' }, this.canvas, this.tip);
    this.listen();
    this.sizes.observe(this.canvas);
    this.unsubscribe = context.theme.onChange(() => {
      this.stripes.clear();
      this.draw();
    });
  }

  destroy(): void {
    this.sizes.disconnect();
    this.unsubscribe();
  }

  show(view: View): void {
    this.view = view;
    this.draw();
  }

  by(factor: number): void {
    const { from, to } = this.view;
    this.show(zoom(this.view, (from + to) / 2, factor, this.end));
  }

  fit(): void {
    this.show(whole(this.end));
  }

  private get gutter(): number {
    return this.width < 500 ? 58 : 76;
  }

  private x(time: number): number {
    return this.gutter + ((time - this.view.from) / (this.view.to - this.view.from)) * (this.width - this.gutter);
  }

  private time(x: number): number {
    return this.view.from + ((x - this.gutter) / (this.width - this.gutter)) * (this.view.to - this.view.from);
  }

  private y(segment: number): number {
    return axis + this.rows.of.get(this.context.run.path.rank[segment])! * this.rowHeight;
  }

  private draw(): void {
    const ratio = Math.min(devicePixelRatio || 1, 2);
    const { canvas } = this;
    this.width = canvas.clientWidth;
    if (this.width === 0) return;
    canvas.width = Math.round(this.width * ratio);
    canvas.height = Math.round(canvas.clientHeight * ratio);
    const context = canvas.getContext('2d')!;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = font;
    context.textBaseline = 'middle';
    this.drawAxis(context, canvas.clientHeight);
    context.save();
    context.beginPath();
    context.rect(this.gutter, axis, this.width - this.gutter, canvas.clientHeight);
    context.clip();
    this.drawPath(context);
    context.restore();
    this.drawRanks(context);
  }

  private drawAxis(context: CanvasRenderingContext2D, height: number): void {
    const { colors } = this.context.theme;
    for (const tick of ticks(this.view, (this.width - this.gutter) / 100)) {
      const x = Math.round(this.x(tick.at));
      if (x < this.gutter) continue;
      context.fillStyle = colors.line;
      context.fillRect(x, axis - 6, 1, height);
      context.fillStyle = colors.muted;
      if (x + 4 + context.measureText(tick.text).width < this.width) context.fillText(tick.text, x + 4, axis / 2);
    }
  }

  private drawPath(context: CanvasRenderingContext2D): void {
    const { path } = this.context.run;
    const { colors } = this.context.theme;
    const first = segmentAt(path.end, this.view.from);
    const bar = Math.max(1, this.rowHeight - (this.rowHeight > 8 ? 4 : this.rowHeight > 3 ? 1 : 0));
    let before = NaN;
    let turns = 0;
    const turn = new Path2D();
    const labels: [segment: number, left: number, right: number][] = [];
    for (let i = first; i < path.start.length && path.start[i] < this.view.to; i++) {
      const left = Math.max(this.x(path.start[i]), this.gutter - 1);
      const right = Math.min(this.x(path.end[i]), this.width + 1);
      const y = this.y(i);
      const wide = Math.max(right - left - (right - left > 4 ? 1 : 0), 0.6);
      context.fillStyle = this.fill(context, path.cause[i], path.kind[i]);
      context.fillRect(left, y + 2, wide, bar);
      if (!Number.isNaN(before) && before !== y) {
        turns++;
        turn.moveTo(Math.round(left) - 0.5, Math.min(before, y) + 2 + bar);
        turn.lineTo(Math.round(left) - 0.5, Math.max(before, y) + 2);
      }
      before = y;
      if (bar >= 14 && right - left > 44) labels.push([i, left, right]);
    }
    context.strokeStyle = colors.muted;
    context.globalAlpha = Math.min(1, Math.max(0.15, (this.width - this.gutter) / Math.max(1, turns) / 12));
    context.stroke(turn);
    context.globalAlpha = 1;
    for (const [i, left, right] of labels) this.drawName(context, i, left, right, bar);
    this.outline(context, bar);
  }

  private drawName(context: CanvasRenderingContext2D, i: number, left: number, right: number, bar: number): void {
    const { path, names } = this.context.run;
    const { colors } = this.context.theme;
    const name = format.nameOf(names[path.name[i]]).slice(0, 120);
    const width = context.measureText(name).width;
    const room = right - left - 10;
    const letters = width <= room ? name.length : Math.floor((name.length * (room - 8)) / width);
    if (letters < 3) return;
    const text = letters < name.length ? `${name.slice(0, letters)}…` : name;
    if (paler[path.cause[i]]) {
      context.fillStyle = colors.card;
      context.fillRect(left + 3, this.y(i) + 3, context.measureText(text).width + 4, bar - 2);
    }
    context.fillStyle = paler[path.cause[i]] ? colors.text : inkOn(colorOf(path.cause[i], path.kind[i], colors));
    context.fillText(text, left + 5, this.y(i) + 2 + bar / 2 + 0.5);
  }

  private outline(context: CanvasRenderingContext2D, bar: number): void {
    if (this.hovered < 0) return;
    const { path } = this.context.run;
    const left = this.x(path.start[this.hovered]);
    context.strokeStyle = this.context.theme.colors.text;
    context.lineWidth = 1.5;
    context.strokeRect(left - 0.5, this.y(this.hovered) + 1, Math.max(2, this.x(path.end[this.hovered]) - left), bar + 2);
    context.lineWidth = 1;
  }

  private drawRanks(context: CanvasRenderingContext2D): void {
    const { colors } = this.context.theme;
    const { ranks, of } = this.rows;
    context.fillStyle = colors.muted;
    let free = 0;
    for (const rank of ranks) {
      const top = axis + of.get(rank)! * this.rowHeight;
      if (top < free) continue;
      const y = top + Math.max(this.rowHeight / 2, 5);
      context.fillText(`rank ${rank}`, 2, y);
      free = top + 14;
    }
    context.fillStyle = colors.line;
    context.fillRect(this.gutter - 1, axis - 6, 1, this.canvas.clientHeight);
  }

  private fill(context: CanvasRenderingContext2D, cause: number, kind: number): string | CanvasPattern {
    const { colors } = this.context.theme;
    const color = colorOf(cause, kind, colors);
    if (!paler[cause]) return color;
    let pattern = this.stripes.get(color);
    if (!pattern) {
      const tile = document.createElement('canvas');
      tile.width = tile.height = 6;
      const pen = tile.getContext('2d')!;
      pen.fillStyle = colors.card;
      pen.fillRect(0, 0, 6, 6);
      pen.globalAlpha = 0.3;
      pen.fillStyle = color;
      pen.fillRect(0, 0, 6, 6);
      pen.globalAlpha = 1;
      for (let i = 0; i < 6; i++) for (let j = 0; j < 2; j++) pen.fillRect(i, (12 - i + j) % 6, 1, 1);
      pattern = context.createPattern(tile, 'repeat')!;
      this.stripes.set(color, pattern);
    }
    return pattern;
  }

  private segmentUnder(x: number, y: number): number {
    const { path } = this.context.run;
    if (x < this.gutter) return -1;
    const slip = (3 * (this.view.to - this.view.from)) / (this.width - this.gutter);
    const row = Math.floor((y - axis) / this.rowHeight);
    let best = -1;
    for (let i = segmentAt(path.end, this.time(x) - slip); i < path.start.length && path.start[i] <= this.time(x) + slip; i++) {
      if (this.rows.of.get(path.rank[i]) !== row) continue;
      if (best < 0 || path.end[i] - path.start[i] > path.end[best] - path.start[best]) best = i;
    }
    return best;
  }

  private listen(): void {
    const { canvas } = this;
    canvas.addEventListener('pointerdown', (event) => {
      if (event.pointerType === 'mouse') canvas.setPointerCapture(event.pointerId);
      this.pointer = { x: event.offsetX, y: event.offsetY, moved: false };
    });
    canvas.addEventListener('pointermove', (event) => {
      const pointer = this.pointer;
      if (!pointer) return this.hover(event.offsetX, event.offsetY);
      pointer.moved ||= Math.abs(event.offsetX - pointer.x) > 4;
      if (!pointer.moved) return undefined;
      this.hover(-1, -1);
      this.show(pan(this.view, this.time(pointer.x) - this.time(event.offsetX), this.end));
      pointer.x = event.offsetX;
      return undefined;
    });
    canvas.addEventListener('pointerup', (event) => {
      const segment = this.pointer && !this.pointer.moved ? this.segmentUnder(event.offsetX, event.offsetY) : -1;
      this.pointer = null;
      if (segment >= 0) this.pick(segment);
    });
    canvas.addEventListener('pointercancel', () => { this.pointer = null; });
    canvas.addEventListener('pointerleave', () => this.hover(-1, -1));
    canvas.addEventListener('wheel', (event) => {
      if (event.offsetX < this.gutter || !(event.ctrlKey || event.altKey)) return;
      event.preventDefault();
      this.show(zoom(this.view, this.time(event.offsetX), Math.exp(event.deltaY * 0.003), this.end));
    }, { passive: false });
  }

  private hover(x: number, y: number): void {
    const { path, names } = this.context.run;
    const segment = x < 0 ? -1 : this.segmentUnder(x, y);
    if (segment !== this.hovered) {
      this.hovered = segment;
      this.draw();
    }
    this.canvas.classList.toggle('pointing', segment >= 0);
    this.tip.hidden = segment < 0;
    if (segment < 0) return;
    this.tip.replaceChildren(
      el('strong', { class: 'name' }, format.nameOf(names[path.name[segment]])),
      el('div', {}, `${titles[path.cause[segment]]}: ${format.time(path.end[segment] - path.start[segment])}`),
      el('div', { class: 'muted' }, `rank ${path.rank[segment]} · from ${format.time(path.start[segment])} · click: timeline`));
    const right = x > this.width / 2;
    styled(this.tip, {
      left: right ? 'auto' : `${x + 14}px`, right: right ? `${this.width - x + 14}px` : 'auto', top: `${y + 16}px`,
    });
  }
}
