// SPDX-License-Identifier: Apache-2.0
//
// Links down, time across, a bar for each send: the canvases, and what pointers and keys do to them.

import { el, styled } from '../../dom';
import type { Context } from '../../page';
import { listenToGestures, type Spot } from '../timeline/gestures';
import { placeTip } from '../timeline/overlay';
import { plotWidth, ruler, timeAt, xOf } from '../timeline/state';
import { around, confine, whole, type View } from '../timeline/view';
import { draw, drawTop } from './draw';
import { hue, keysOf } from './colours';
import { barAt, linksIn, linksOf, type Model } from './model';
import { roomy, type GridState, type Picked } from './state';
import { describe } from './send_text';

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
  private readonly longest: number; // letters of a name
  private waiting = 0;

  constructor(private readonly context: Context, model: Model) {
    this.longest = model.data.links.name.reduce((most, name) => Math.max(most, name.length), 0);
    const order = 'binds';
    this.state = {
      model, view: whole(model.data.time), width: 0, height: 0, gutter: 200, scroll: 0, row: roomy,
      rows: linksIn(model, order, ''), order, text: '', only: false, key: keysOf(model)[0], colours: [],
      picked: null, hovered: null, pointer: null,
    };
    this.scroller = el('div', { class: 'tl-scroll', tabindex: 0, role: 'application', 'aria-roledescription': 'timeline' }, this.sticky, this.spacer);
    this.element = el('div', { class: 'tl-stage' }, this.scroller);
    this.scroller.addEventListener('scroll', () => {
      this.state.scroll = this.scroller.scrollTop;
      this.changed();
    });
    this.listen();
    this.sizes.observe(this.scroller);
    this.unsubscribe = context.theme.onChange(() => {
      this.state.colours = [];
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
      click: (at) => this.pick(this.under(at)),
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
    state.gutter = Math.round(Math.min(Math.max(150, this.longest * 6.5 + 64), Math.max(110, state.width * 0.3)));
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
    const { colours, dark } = this.context.theme;
    if (state.colours.length === 0) {
      const { nodes, groups } = state.model.data;
      const count = Math.max(nodes.length, groups.length, state.model.pieces.bytes.length, 2);
      state.colours = Array.from({ length: Math.min(count, 360) }, (_, i) => hue(i, dark));
    }
    const ratio = Math.min(devicePixelRatio || 1, 2);
    draw(this.plot, state, colours, ratio);
    drawTop(this.canvas, state, colours, ratio);
  }

  show(view: View): void {
    this.state.view = confine(view, this.extent);
    this.changed();
  }

  set(change: Partial<Pick<GridState, 'order' | 'text' | 'key' | 'row' | 'only'>>): void {
    const { state } = this;
    Object.assign(state, change);
    state.hovered = null;
    this.layRows();
    this.changed();
  }

  private layRows(): void {
    const { state } = this;
    state.rows = linksIn(state.model, state.order, state.text);
    if (state.only && state.picked) {
      const own = linksOf(state.model, state.model.sends.piece[state.picked.send]);
      state.rows = state.rows.filter((link) => own.has(link));
    }
    this.fit();
  }

  pick(picked: Picked | null): void {
    this.state.picked = picked;
    if (!picked) this.state.only = false;
    this.layRows();
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
    const y = ruler + state.rows.indexOf(link) * state.row - state.scroll;
    if (y < ruler || y + state.row > state.height) this.scroller.scrollTop = y + state.scroll - state.height / 2;
  }

  private hover(at: Spot | null): void {
    const { state } = this;
    state.pointer = at;
    state.hovered = at && this.under(at);
    this.canvas.classList.toggle('pointing', state.hovered !== null);
    const { colours } = this.context.theme;
    drawTop(this.canvas, state, colours, Math.min(devicePixelRatio || 1, 2));
    this.tip.hidden = !state.hovered;
    if (!at || !state.hovered) return;
    const { title, lines } = describe(state.model, state.hovered.send);
    this.tip.replaceChildren(el('strong', { class: 'name' }, title),
      el('dl', { class: 'pairs' }, lines.map(([label, text]) => [el('dt', {}, label), el('dd', { class: 'name' }, text)])));
    placeTip(this.tip, state, at);
  }

  private under({ x, y }: Spot): Picked | null {
    const { state } = this;
    const inside = y - ruler + state.scroll;
    const link = state.rows[Math.floor(inside / state.row)];
    if (y < ruler || x < state.gutter || link === undefined) return null;
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
