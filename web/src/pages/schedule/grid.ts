// SPDX-License-Identifier: Apache-2.0
//
// Links down, time across, a bar for each send: the canvases, and what pointers and keys do to them.

import { el, styled } from '../../dom';
import type { Context } from '../../page';
import { listenToGestures, type Spot } from '../timeline/gestures';
import { placeTip } from '../timeline/overlay';
import { plotWidth, ruler, timeAt, xOf } from '../timeline/state';
import { around, confine, whole, type View } from '../timeline/view';
import { draw, drawTop, gutterOf } from './draw';
import { hue, keysOf } from './colors';
import { firstOpen, groupsOf, rowsOf } from './groups';
import { barAt, linksIn, linksOf, type Model } from './model';
import { roomy, type GridState, type Picked } from './state';
import { describe, describeRow } from './send_text';

export class Grid {
  readonly state: GridState;
  readonly element: HTMLElement;
  readonly canvas = el('canvas', { class: 'tl-top', 'aria-hidden': true });
  readonly scroller: HTMLElement;
  private readonly plot = el('canvas', { class: 'tl-plot', 'aria-hidden': true });
  private readonly tip = el('div', { class: 'tl-tip', hidden: true });
  private readonly spacer = el('div');
  private readonly sticky = el('div', { class: 'tl-sticky' }, this.plot, this.canvas, this.tip);
  private readonly sizes = new ResizeObserver(() => this.resize());
  private readonly unsubscribe: () => void;
  private readonly listeners: (() => void)[] = [];
  private names = 0; // CSS pixels that the names of all rows need
  private waiting = 0;

  constructor(private readonly context: Context, model: Model) {
    const order = 'binds';
    this.state = {
      model, view: whole(model.data.time), width: 0, height: 0, gutter: 200, scroll: 0, row: roomy,
      links: [], groups: [], open: new Set(), rows: [], order, text: '', only: false, key: keysOf(model)[0], colors: [],
      picked: null, hovered: null, named: null, pointer: null,
    };
    this.layRows(true);
    this.scroller = el('div', { class: 'tl-scroll', tabindex: 0, role: 'application', 'aria-roledescription': 'timeline' }, this.sticky, this.spacer);
    this.element = el('div', { class: 'tl-stage' }, this.scroller);
    this.scroller.addEventListener('scroll', () => {
      this.state.scroll = this.scroller.scrollTop;
      this.changed();
    });
    this.listen();
    this.sizes.observe(this.scroller);
    this.unsubscribe = context.theme.onChange(() => {
      this.state.colors = [];
      this.redraw();
    });
  }

  private listen(): void {
    const { state } = this;
    listenToGestures({
      canvas: this.canvas,
      extent: this.extent,
      get gutter() { return state.gutter; },
      get width() { return state.width; },
      get view() { return state.view; },
      get scroll() { return state.scroll; },
      show: (view) => this.show(view),
      scrollTo: (y) => { this.scroller.scrollTop = y; },
      hover: (at) => this.hover(at),
      click: (at) => this.click(at),
      nearer: (at) => {
        const found = this.under(at);
        if (found) this.reveal(found, true);
      },
    });
  }

  get extent(): number {
    return Math.max(this.state.model.data.time, this.state.model.data.bound);
  }

  // Called after every change that people see.
  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  private changed(): void {
    this.redraw();
    for (const listener of this.listeners) listener();
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
    state.gutter = Math.round(Math.min(Math.max(120, this.names), Math.max(124, state.width * 0.36)));
    this.fit();
    this.redraw();
  }

  private fit(): void {
    const { state } = this;
    const room = Math.max(0, state.rows.length * state.row + ruler + 4 - state.height);
    styled(this.sticky, { height: `${state.height}px` });
    styled(this.spacer, { height: `${room}px` });
    state.scroll = Math.min(state.scroll, room);
  }

  private redraw(): void {
    this.waiting ||= requestAnimationFrame(() => this.frame());
  }

  private frame(): void {
    this.waiting = 0;
    const { state } = this;
    if (state.width === 0) return;
    const { colors, dark } = this.context.theme;
    if (state.colors.length === 0) {
      const { nodes, groups } = state.model.data;
      const count = Math.max(nodes.length, groups.length, state.model.pieces.bytes.length, 2);
      state.colors = Array.from({ length: Math.min(count, 360) }, (_, i) => hue(i, dark));
    }
    const ratio = Math.min(devicePixelRatio || 1, 2);
    draw(this.plot, state, colors, ratio);
    drawTop(this.canvas, state, colors, ratio);
  }

  show(view: View): void {
    this.state.view = confine(view, this.extent);
    this.changed();
  }

  set(change: Partial<Pick<GridState, 'order' | 'text' | 'key' | 'row' | 'only'>>): void {
    const { state } = this;
    Object.assign(state, change);
    state.hovered = null;
    this.layRows('order' in change || 'text' in change || 'only' in change);
    this.changed();
  }

  // `anew`: other links, or another order: groups are as they are at first.
  private layRows(anew = false): void {
    const { state } = this;
    state.links = linksIn(state.model, state.order, state.text);
    if (state.only && state.picked) {
      const own = linksOf(state.model, state.model.sends.piece[state.picked.send]);
      state.links = state.links.filter((link) => own.has(link));
    }
    state.groups = groupsOf(state.model, state.order, state.links);
    if (anew) {
      state.open = firstOpen(state.groups);
      this.names = gutterOf(state);
      if (state.width > 0) this.resize();
    }
    state.rows = rowsOf(state.groups, state.open, state.links);
    this.fit();
  }

  // Opens or closes a group.
  toggle(group: number): void {
    const { state } = this;
    const { key } = state.groups[group];
    if (!state.open.delete(key)) state.open.add(key);
    this.layRows();
    this.changed();
  }

  openAll(open: boolean): void {
    const { state } = this;
    state.open = new Set(open ? state.groups.map(({ key }) => key) : []);
    this.layRows();
    this.changed();
  }

  pick(picked: Picked | null): void {
    const narrowed = this.state.only;
    this.state.picked = picked;
    if (!picked) this.state.only = false;
    this.layRows(narrowed);
    this.changed();
  }

  // Brings a send into sight; `near` zooms to it.
  reveal({ send, link }: Picked, near = false): void {
    const { state } = this;
    const { sends, data } = state.model;
    const start = sends.start[send] + (data.ways.links[sends.way[send]].find(([one]) => one === link)?.[1] ?? 0);
    const end = start + sends.lasts[send];
    const { from, to } = state.view;
    if (near) this.show(around(start, end, this.extent));
    else if (start < from || end > to) this.show({ from: from + (start + end - from - to) / 2, to: to + (start + end - from - to) / 2 });
    const group = state.groups.findIndex(({ links }) => links.includes(link));
    if (group >= 0 && !state.open.has(state.groups[group].key)) this.toggle(group);
    const y = ruler + state.rows.indexOf(link) * state.row - state.scroll;
    if (y < ruler || y + state.row > state.height) this.scroller.scrollTop = y + state.scroll - state.height / 2;
  }

  private hover(at: Spot | null): void {
    const { state } = this;
    state.pointer = at;
    state.hovered = at && this.under(at);
    const row = at && at.x < state.gutter ? this.rowAt(at) : undefined;
    state.named = row ?? null;
    this.canvas.classList.toggle('pointing', state.hovered !== null || (row !== undefined && row !== null && row < 0));
    const { colors } = this.context.theme;
    drawTop(this.canvas, state, colors, Math.min(devicePixelRatio || 1, 2));
    this.tip.hidden = !state.hovered && state.named === null;
    if (!at || this.tip.hidden) return;
    const { title, lines } = state.hovered ? describe(state.model, state.hovered.send) : describeRow(state, state.named!);
    this.tip.replaceChildren(el('strong', { class: 'name' }, title),
      el('dl', { class: 'pairs' }, lines.map(([label, text]) => [el('dt', {}, label), el('dd', { class: 'name' }, text)])));
    placeTip(this.tip, state, at);
  }

  // A link, or ~place of a group; undefined outside the rows.
  private rowAt({ y }: Spot): number | undefined {
    const { state } = this;
    return y < ruler ? undefined : state.rows[Math.floor((y - ruler + state.scroll) / state.row)];
  }

  private click(at: Spot): void {
    const row = this.rowAt(at);
    if (row !== undefined && row < 0) this.toggle(~row);
    else if (at.x >= this.state.gutter) this.pick(this.under(at));
  }

  private under(at: Spot): Picked | null {
    const { state } = this;
    const { x, y } = at;
    const inside = y - ruler + state.scroll;
    const link = this.rowAt(at);
    if (x < state.gutter || link === undefined || link < 0) return null;
    const bars = state.model.bars[link];
    const slip = (2 * (state.view.to - state.view.from)) / plotWidth(state);
    const height = 1 - (inside % state.row) / state.row;
    const bar = barAt(bars, timeAt(state, x), height, slip);
    return bar < 0 ? null : { send: bars.send[bar], link };
  }

  // Places on the canvas, for tests.
  placeOf(link: number, bar: number): Spot {
    const { state } = this;
    const bars = state.model.bars[link];
    const middle = (bars.start[bar] + bars.end[bar]) / 2;
    const height = 1 - bars.top[bar] - bars.share[bar] / 2;
    return { x: xOf(state, middle), y: ruler + (state.rows.indexOf(link) + height) * state.row - state.scroll };
  }
}
