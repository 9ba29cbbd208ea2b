// SPDX-License-Identifier: Apache-2.0
//
// Many ranks as one strip of stacked columns, with the whole of them below it to find one's way.
// Drag over ranks to look closer; arrows, + and - do the same from the keyboard; Enter or a click opens a
// rank's timeline.
import type { RunData } from '../../data';
import { el, pageLink, styled } from '../../dom';
import { count, time } from '../../format';
import type { Context } from '../../page';
import { mean, paintAxis, paintColumns, paintMarks, paintRanks, stack, type Area, type Stack } from './paint';
import { figure, type Shown } from './rows';

const height = 290;
const overviewHeight = 34;
const margins = { left: 62, right: 6, top: 14, bottom: 22 };
const fewest = 8; // ranks on the strip at the closest
const closest = 64; // around a rank that was looked for

export class Strip {
  private readonly canvas = el('canvas', { tabindex: 0, role: 'img' });
  private readonly overview = el('canvas', { class: 'overview', role: 'img', 'aria-label': 'All ranks, with the part shown above' });
  private readonly brush = el('div', { class: 'brush', hidden: true });
  private readonly readout = el('p', { class: 'readout figures', 'aria-live': 'polite' });
  private readonly run: RunData;
  private data!: Stack;
  private shown!: Shown;
  private from = 0;
  private to: number;
  private cursor = -1;
  private width = 0;
  private pending = 0;
  private dragFrom: number | null = null;
  private readonly end: (() => void)[] = [];

  constructor(private readonly host: HTMLElement, private readonly context: Context) {
    this.run = context.run;
    this.to = this.run.ranks;
    const button = (text: string, label: string, does: () => void): HTMLElement =>
      el('button', { type: 'button', 'aria-label': label, onclick: does }, text);
    host.append(el('div', { class: 'strip' }, this.canvas, this.overview, this.brush),
      el('div', { class: 'row' },
        el('span', { class: 'together' },
          button('−', 'Show more ranks', () => this.zoom(2)), button('+', 'Zoom in', () => this.zoom(0.5)),
          button('All', 'Show all ranks', () => this.look(0, this.run.ranks))),
        el('span', { class: 'muted' }, 'Drag over ranks to zoom in, click one for its timeline.')),
      this.readout);
    this.listen();
  }

  show(shown: Shown): void {
    this.shown = shown;
    this.data = stack(this.run, shown);
    this.canvas.setAttribute('aria-label', `Stacked columns of ${count(this.run.ranks)} ranks; arrow keys select a rank, the text below shows its figures`);
    this.tell(this.cursor);
    this.resize();
    if (shown.found !== null) this.find(shown.order.indexOf(shown.found));
    if (this.context.theme.still) this.paint();
    else this.draw();
  }

  // Shows the figures of the rank at a position, with its neighbors.
  private find(position: number): void {
    if (position < 0) return; // of the other run
    this.cursor = position;
    this.tell(position);
    if (this.to - this.from > closest || position < this.from || position >= this.to) {
      this.look(position + 0.5 - closest / 2, position + 0.5 + closest / 2);
    }
  }

  dispose(): void {
    cancelAnimationFrame(this.pending);
    for (const end of this.end) end();
  }

  private listen(): void {
    const sizes = new ResizeObserver(() => this.resize());
    sizes.observe(this.host);
    this.end.push(() => sizes.disconnect(), this.context.theme.onChange(() => this.draw()));
    const { canvas, overview } = this;
    canvas.addEventListener('pointermove', (event) => this.move(event));
    canvas.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      this.dragFrom = event.offsetX;
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointerup', (event) => this.release(event));
    canvas.addEventListener('pointercancel', () => this.stopDragging());
    canvas.addEventListener('keydown', (event) => this.key(event));
    const jump = (event: PointerEvent): void => {
      const half = (this.to - this.from) / 2;
      const at = (event.offsetX - margins.left) / (this.width - margins.left - margins.right) * this.run.ranks;
      this.look(at - half, at + half);
    };
    overview.addEventListener('pointerdown', (event) => {
      overview.setPointerCapture(event.pointerId);
      jump(event);
    });
    overview.addEventListener('pointermove', (event) => {
      if (event.buttons & 1) jump(event);
    });
  }

  private resize(): void {
    const width = this.host.clientWidth;
    if (width === this.width || width === 0) return;
    this.width = width;
    const size = (canvas: HTMLCanvasElement, tall: number): void => {
      canvas.width = Math.round(width * devicePixelRatio);
      canvas.height = Math.round(tall * devicePixelRatio);
      styled(canvas, { height: `${tall}px` });
    };
    size(this.canvas, height);
    size(this.overview, overviewHeight);
    this.paint();
  }

  private area(): Area {
    const { left, right, top, bottom } = margins;
    return { left, top, width: Math.max(1, this.width - left - right), height: height - top - bottom, from: this.from, to: this.to };
  }

  private draw(): void {
    cancelAnimationFrame(this.pending);
    this.pending = requestAnimationFrame(() => this.paint());
  }

  private paint(): void {
    if (this.width === 0 || !this.data) return;
    const { colors } = this.context.theme;
    const { run, shown } = this;
    const { end } = shown;
    const area = this.area();
    const main = ready(this.canvas, this.width, height);
    paintAxis(main, area, colors, end, shown.shares);
    paintColumns(main, area, this.data, end, colors);
    paintMarks(main, area, this.data, end, colors);
    paintRanks(main, area, shown.order, shown.sort !== 'rank', colors);
    if (this.cursor >= 0) this.paintCursor(main, area);
    const whole: Area = { ...area, top: 4, height: overviewHeight - 8, from: 0, to: run.ranks };
    const small = ready(this.overview, this.width, overviewHeight);
    paintColumns(small, whole, this.data, end, colors);
    const scale = whole.width / run.ranks;
    const [left, right] = [whole.left + this.from * scale, whole.left + this.to * scale];
    small.fillStyle = colors.card;
    small.globalAlpha = 0.72;
    small.fillRect(whole.left, 0, left - whole.left, overviewHeight);
    small.fillRect(right, 0, whole.left + whole.width - right, overviewHeight);
    small.globalAlpha = 1;
    small.strokeStyle = colors.accent;
    small.lineWidth = 2;
    small.strokeRect(left + 1, 1, Math.max(2, right - left - 2), overviewHeight - 2);
  }

  private paintCursor(context: CanvasRenderingContext2D, area: Area): void {
    const perRank = area.width / (area.to - area.from);
    const width = Math.max(2, perRank);
    context.strokeStyle = this.context.theme.colors.text;
    context.lineWidth = 2;
    context.strokeRect(area.left + (this.cursor - area.from) * perRank, area.top - 1, width, area.height + 2);
  }

  // Shows the positions from … to, at least `fewest` of them.
  private look(from: number, to: number): void {
    const { ranks } = this.run;
    const span = Math.min(ranks, Math.max(fewest, to - from));
    const start = Math.min(Math.max(0, (from + to - span) / 2), ranks - span);
    this.from = start;
    this.to = start + span;
    this.draw();
  }

  private zoom(factor: number): void {
    const at = this.cursor >= this.from && this.cursor < this.to ? this.cursor + 0.5 : (this.from + this.to) / 2;
    this.look(at - (at - this.from) * factor, at + (this.to - at) * factor);
  }

  private position(x: number): number {
    const area = this.area();
    const at = Math.floor(area.from + ((x - area.left) / area.width) * (area.to - area.from));
    return Math.min(this.run.ranks - 1, Math.max(0, at));
  }

  private move(event: PointerEvent): void {
    const from = this.dragFrom;
    if (from !== null && Math.abs(event.offsetX - from) > 3) {
      const [left, right] = [Math.min(from, event.offsetX), Math.max(from, event.offsetX)];
      styled(this.brush, { left: `${left}px`, width: `${right - left}px`, height: `${height - margins.bottom}px` });
      this.brush.hidden = false;
    }
    this.choose(this.position(event.offsetX));
  }

  private release(event: PointerEvent): void {
    const from = this.dragFrom;
    const dragged = !this.brush.hidden;
    this.stopDragging();
    if (from === null) return;
    const [a, b] = [this.position(Math.min(from, event.offsetX)), this.position(Math.max(from, event.offsetX))];
    if (dragged) return this.look(a, b + 1);
    const perRank = this.area().width / (this.to - this.from);
    if (perRank < 1) return this.look(a - 16, a + 17);
    if (event.pointerType === 'mouse') this.open(a);
  }

  private stopDragging(): void {
    this.dragFrom = null;
    this.brush.hidden = true;
  }

  private open(position: number): void {
    this.context.go('timeline', { rank: this.shown.order[position] });
  }

  private choose(position: number): void {
    if (position === this.cursor) return;
    this.cursor = position;
    this.tell(position);
    this.draw();
  }

  private key(event: KeyboardEvent): void {
    const { ranks } = this.run;
    const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, PageUp: -16, PageDown: 16, Home: -ranks, End: ranks };
    const step = steps[event.key];
    if (step !== undefined) {
      const at = Math.min(ranks - 1, Math.max(0, this.cursor < 0 && step === 1 ? Math.ceil(this.from) : this.cursor + step));
      this.choose(at);
      const half = (this.to - this.from) / 2;
      if (at < this.from || at >= this.to) this.look(at + 0.5 - half, at + 0.5 + half);
    } else if (event.key === 'Enter' && this.cursor >= 0) this.open(this.cursor);
    else if (event.key === '+' || event.key === '=') this.zoom(0.5);
    else if (event.key === '-') this.zoom(2);
    else return;
    event.preventDefault();
  }

  // The figures of the rank at the cursor, or the mean of those that share its pixel.
  private tell(position: number): void {
    if (position < 0) {
      this.readout.replaceChildren(el('span', { class: 'muted' }, 'Move the pointer to a rank for its figures.'));
      return;
    }
    const { data, shown, run } = this;
    const rank = shown.order[position];
    const text = (sums: Float64Array): string => figure(mean(sums, position, position + 1), run.step, shown.shares);
    this.readout.replaceChildren(
      el('b', {}, `rank ${count(rank)}`), shown.odd.has(rank) ? el('span', { class: 'odd-mark' }, '▲ far from the median') : '',
      ...data.parts.map((part, i) => el('span', {}, el('i', { class: `swatch ${part.fill}` }), `${part.title} ${text(data.sums[i])}`)),
      el('span', {}, `waited for peers ${time(run.rank.waited[rank])}`),
      pageLink('timeline', { rank }, 'Timeline'));
  }
}

function ready(canvas: HTMLCanvasElement, width: number, tall: number): CanvasRenderingContext2D {
  const context = canvas.getContext('2d')!;
  context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
  context.clearRect(0, 0, width, tall);
  return context;
}
