// SPDX-License-Identifier: Apache-2.0
//
// The canvases and what they show; everything that changes the view goes through here.

import { el, styled } from '../../dom';
import type { Context } from '../../page';
import { longestStep } from '../../ticks';
import { Minimap } from './minimap';
import { applyFilter, laneOf, layModel, unitPerLine, unitPerRank, withUnitOf, type Filter, type Model, type Unit } from './model';
import { Overlay } from './overlay';
import { Painter } from './painter';
import { makePalette, type Palette } from './palette';
import { placePath, segmentAt } from './path';
import { dense, firstOpen, layRows, roomy } from './rows';
import { ruler, xOf, yOf, type Pick, type State } from './state';
import { around, between, confine, whole, type View } from './view';
import { spanKinds } from '../../data';

export type Change = 'view' | 'pick' | 'rows' | 'filter' | 'colors';

const glide = 160; // milliseconds that a jump takes

export class Stage {
  readonly state: State;
  readonly element: HTMLElement;
  readonly plot = el('canvas', { class: 'tl-plot', 'aria-hidden': true });
  readonly top = el('canvas', { class: 'tl-top', 'aria-hidden': true });
  readonly map = el('canvas', { class: 'tl-map', 'aria-hidden': true });
  readonly scroller: HTMLElement;
  readonly frames: number[] = []; // how long the last drawings took, in milliseconds
  palette: Palette;
  private readonly spacer = el('div');
  private readonly sticky: HTMLElement;
  private readonly painter = new Painter(this.plot);
  private readonly overlay = new Overlay(this.top);
  private readonly minimap: Minimap;
  private readonly listeners: ((change: Change) => void)[] = [];
  private readonly sizes = new ResizeObserver(() => this.resize());
  private waiting = 0;
  private stale = { rows: true, top: true };
  private flight: { from: View; to: View; since: number } | null = null;
  private readonly unsubscribe: () => void;

  constructor(private readonly context: Context) {
    this.state = firstState(context);
    this.palette = makePalette(context.theme);
    this.minimap = new Minimap(this.map, this.state.model);
    this.sticky = el('div', { class: 'tl-sticky' }, this.plot, this.top, this.overlay.tip);
    this.scroller = el('div', { class: 'tl-scroll', tabindex: 0, role: 'application', 'aria-roledescription': 'timeline' }, this.sticky, this.spacer);
    this.element = el('div', { class: 'tl-stage' }, this.map, this.scroller);
    this.scroller.addEventListener('scroll', () => {
      this.state.scroll = this.scroller.scrollTop;
      this.redraw();
    });
    this.sizes.observe(this.scroller);
    this.unsubscribe = context.theme.onChange(() => {
      this.palette = makePalette(context.theme);
      this.redraw();
      this.tell('colors');
    });
    this.layRows();
  }

  listen(listener: (change: Change) => void): void {
    this.listeners.push(listener);
  }

  tell(change: Change): void {
    for (const listener of this.listeners) listener(change);
  }

  destroy(): void {
    this.sizes.disconnect();
    this.unsubscribe();
    cancelAnimationFrame(this.waiting);
  }

  private resize(): void {
    const { state } = this;
    state.width = this.scroller.clientWidth;
    state.height = this.scroller.clientHeight;
    state.gutter = state.width < 500 ? 92 : state.width < 800 ? 130 : 176;
    this.fitRows();
    this.redraw();
  }

  private fitRows(): void {
    const { state } = this;
    const room = Math.max(0, state.rows.height + ruler - state.height);
    styled(this.sticky, { height: `${state.height}px` });
    styled(this.spacer, { height: `${room}px` });
    state.scroll = Math.min(state.scroll, room);
  }

  redraw(part: 'all' | 'top' = 'all'): void {
    if (part === 'all') this.stale.rows = true;
    this.stale.top = true;
    this.waiting ||= requestAnimationFrame((now) => this.frame(now));
  }

  private frame(now: number): void {
    this.waiting = 0;
    const before = performance.now();
    if (this.flight) this.fly(now);
    const ratio = Math.min(devicePixelRatio || 1, 2);
    if (this.state.width === 0) return;
    if (this.stale.rows) {
      this.painter.draw(this.state, this.palette, ratio);
      this.minimap.draw(this.state.view, this.palette, this.state.gutter, ratio);
    }
    if (this.stale.top) this.overlay.draw(this.state, this.palette, ratio);
    this.stale = { rows: false, top: false };
    this.frames.push(performance.now() - before);
    if (this.frames.length > 1000) this.frames.shift();
    if (this.flight) this.redraw();
  }

  private fly(now: number): void {
    const { from, to, since } = this.flight!;
    const part = Math.min(1, Math.max(0, (now - since) / glide));
    this.state.view = between(from, to, 1 - (1 - part) ** 3);
    if (part >= 1) this.flight = null;
  }

  // Shows a stretch of time, at once or gliding there.
  show(view: View, gliding = false): void {
    const { state } = this;
    const to = confine(view, state.model.extent);
    if (gliding && !this.context.theme.still) {
      this.flight = { from: state.view, to, since: performance.now() };
    } else {
      this.flight = null;
      state.view = to;
    }
    this.redraw();
    this.tell('view');
  }

  // Where the view is, or is gliding to.
  target(): View {
    return this.flight?.to ?? this.state.view;
  }

  scrollTo(y: number): void {
    this.scroller.scrollTop = y;
  }

  private layRows(): void {
    const { state } = this;
    const { units, open } = state.rows;
    state.rows = layRows(state.model, units, open, units.length > 40 ? dense : roomy);
    this.fitRows();
    this.redraw();
    this.tell('rows');
  }

  toggle(unit: number): void {
    const { open } = this.state.rows;
    if (!open.delete(unit)) open.add(unit);
    this.layRows();
  }

  openAll(open: boolean): void {
    const { rows } = this.state;
    rows.open = new Set(open ? rows.units.keys() : []);
    this.layRows();
  }

  setTogether(together: boolean): void {
    const { state } = this;
    const picked = state.picked && { rank: state.rows.units[state.picked.unit].rank, span: state.picked.span };
    state.together = together;
    const units = unitsOf(state);
    state.rows = { ...state.rows, units, open: firstOpen(state.model, units) };
    state.hovered = state.picked = null;
    this.layRows();
    if (picked) this.pick({ unit: state.rows.ofRank[picked.rank], span: picked.span });
  }

  // Opens the row of a rank, its own where it shares one with others, and scrolls to it. Null: no rank is looked for any more.
  find(rank: number | null): void {
    const { state } = this;
    if (rank !== state.found) {
      state.found = rank;
      const units = unitsOf(state);
      state.rows = { ...state.rows, units, open: firstOpen(state.model, units) };
      state.hovered = null;
      this.pick(null);
    }
    const own = state.rows.units.findIndex((unit) => unit.ranks === 1 && unit.rank === rank);
    if (own < 0) return this.layRows();
    state.rows.open.add(own);
    this.layRows();
    this.revealRow(state.rows.ofUnit[own]);
  }

  refilter(change: Partial<Filter>): void {
    const { state } = this;
    Object.assign(state.filter, change);
    state.hits = applyFilter(state.model, state.filter);
    state.hit = -1;
    this.redraw();
    this.tell('filter');
  }

  pick(pick: Pick | null): void {
    this.state.picked = pick;
    this.redraw('top');
    this.tell('pick');
  }

  // Brings a span into sight: scrolls to its row and, where it is off screen or too small, zooms.
  reveal(pick: Pick, near = false): void {
    const { state } = this;
    const line = state.model.lines[state.rows.units[pick.unit].line];
    const start = line.spans.start[pick.span];
    const end = start + line.spans.length[pick.span];
    const { from, to } = this.target();
    const wide = (end - start) / (to - from);
    if (near || wide > 1 || wide * state.width < 6) this.show(around(start, end, state.model.extent), true);
    else if (start < from || end > to) {
      const shift = (start + end) / 2 - (from + to) / 2;
      this.show({ from: from + shift, to: to + shift }, true);
    }
    const head = state.rows.ofUnit[pick.unit];
    const lane = state.rows.open.has(pick.unit) ? laneOf(line, pick.span) : -1;
    this.revealRow(head + 1 + lane);
  }

  revealRow(index: number): void {
    const { state } = this;
    const row = state.rows.rows[index];
    const y = yOf(state, row);
    if (y < ruler + 4 || y + row.height > state.height - 4) {
      this.scrollTo(row.top - Math.max(0, (state.height - ruler) / 2 - row.height));
    }
  }

  // Scrolls to the row that the critical path is on in the middle of the screen.
  goToPath(): void {
    const { state } = this;
    const { path } = state.run;
    const { from, to } = this.target();
    const segment = Math.min(segmentAt(path.end, (from + to) / 2), path.end.length - 1);
    const unit = state.rows.ofRank[path.rank[segment]];
    if (unit >= 0) this.revealRow(state.rows.ofUnit[unit]);
  }

  // Goes to the next (or previous) of what was searched for.
  goToHit(by: number): void {
    const { state } = this;
    const n = state.hits.length;
    if (n === 0) return;
    state.hit = state.hit < 0 ? (by > 0 ? 0 : n - 1) : (state.hit + by + n) % n;
    const { line, span } = state.hits[state.hit];
    const rank = state.model.lines[line].ranks[0];
    const pick = { unit: state.rows.ofRank[rank], span };
    this.pick(pick);
    this.reveal(pick);
    this.tell('filter');
  }

  // Places on the canvas, for tests.
  placeOf(pick: Pick): { x: number; y: number } {
    const { state } = this;
    const line = state.model.lines[state.rows.units[pick.unit].line];
    const middle = line.spans.start[pick.span] + line.spans.length[pick.span] / 2;
    const lane = state.rows.open.has(pick.unit) ? laneOf(line, pick.span) : -1;
    const row = state.rows.rows[state.rows.ofUnit[pick.unit] + 1 + lane];
    return { x: xOf(state, middle), y: yOf(state, row) + row.height / 2 };
  }
}

function unitsOf({ model, together, found }: { model: Model; together: boolean; found: number | null }): Unit[] {
  return withUnitOf(model, together ? unitPerLine(model) : unitPerRank(model), found);
}

function firstState(context: Context): State {
  const { run } = context;
  const extent = longestStep(context.data.runs);
  const model = layModel(run, extent, (timeline) => context.spans(timeline));
  const together = run.ranks > 16 && model.lines.length < run.ranks;
  const units = unitsOf({ model, together, found: null });
  const open = firstOpen(model, units);
  return {
    run,
    model,
    rows: layRows(model, units, open, roomy),
    together,
    found: null,
    view: whole(extent),
    scroll: 0,
    width: 0,
    height: 0,
    gutter: 176,
    filter: { kinds: spanKinds.map(() => true), criticalOnly: false, text: '' },
    hits: [],
    hit: -1,
    picked: null,
    hovered: null,
    named: -1,
    pointer: null,
    showPath: run.path.start.length > 0,
    places: placePath(run, model),
  };
}
