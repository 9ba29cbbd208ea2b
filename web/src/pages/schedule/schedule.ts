// SPDX-License-Identifier: Apache-2.0
//
// A collective that was made for a fabric: how long it takes, what keeps it from taking less, and which link carries which
// piece when. The address may say where to look: #/schedule?from=…&to=… (picoseconds) &send=…&order=…&color=…&q=…

import { el } from '../../dom';
import * as format from '../../format';
import type { Context, Page } from '../../page';
import { pan, whole, zoom } from '../timeline/view';
import { Grid } from './grid';
import { keys, type Key } from './colors';
import { layModel, orders, type Model, type Order } from './model';
import { fillSeen, fillWay, linksTable } from './tables';
import { makeToolbar } from './toolbar';
import '../summary.css';
import '../timeline/timeline.css';
import './schedule.css';

export const schedule: Page = {
  id: 'schedule',
  title: 'Schedule',
  whole: true,
  shows: (data) => data.schedule !== undefined,
  render(host, context) {
    const model = layModel(context.data.schedule!);
    host.append(facts(context), ...notes(model));
    if (model.sends.count === 0) {
      host.append(el('p', { class: 'card' }, model.data.sendsLeftOut > 0 ? 'Every link has too many sends to be displayed.' : 'The schedule contains no sends.'));
      return undefined;
    }
    return build(host, context, model);
  },
};

function facts(context: Context): HTMLElement {
  const { data } = context;
  const { time, bound, facts: lines } = data.schedule!;
  const gap = bound > 0 ? time / bound - 1 : 0;
  return el('div', { class: 'card sum-head' },
    el('p', { class: 'sum-step' }, el('span', { class: 'muted' }, 'Time'), el('strong', {}, format.time(time)),
      el('span', { class: 'muted' }, time === 0 ? '' : gap < 0.00005 ? 'equal to the lower bound'
        : `${format.percent(gap)} above the lower bound of ${format.time(bound)}`)),
    el('dl', { class: 'sum-lines' }, lines.filter(([label]) => label !== 'time').map(([label, text]) => [el('dt', {}, label), el('dd', { class: 'name' }, text)])));
}

// Notes, and the number of omitted links and sends.
function notes({ data }: Model): HTMLElement[] {
  const said = [...data.notes, ...data.findings.map(({ sentence, count }) => `${sentence.replace(/\.$/, '')} (${format.counted(count, 'case')}).`)];
  if (data.linksLeftOut > 0) {
    said.push(`${format.counted(data.linksLeftOut, 'link')} omitted from this page, with ${format.counted(data.sendsLeftOut, 'send')} that ` +
      `cross${data.sendsLeftOut === 1 ? 'es' : ''} no other link: binding links have priority, then the busiest. The figures include all of them.`);
  }
  return said.map((text) => el('p', { class: 'muted tl-notes' }, text));
}

function build(host: HTMLElement, context: Context, model: Model): () => void {
  const grid = new Grid(context, model);
  const way = el('section', { class: 'card', 'aria-label': 'Selected piece', hidden: true });
  const seen = el('div', { class: 'tl-spans card', hidden: true });
  const spoken = el('div', { class: 'hidden-visually', 'aria-live': 'polite' });
  const refill = later(() => { if (!seen.hidden) fillSeen(seen, grid); }, 200);
  const remember = later(() => context.note(addressOf(grid)), 300);
  const toggleTable = (): void => {
    seen.hidden = !seen.hidden;
    if (!seen.hidden) fillSeen(seen, grid);
    toolbar.update();
  };
  const toolbar = makeToolbar(grid, context, { toggleTable, tableShown: () => !seen.hidden });
  let chosen = -1;
  grid.onChange(() => {
    const send = grid.state.picked?.send ?? -1;
    if (send !== chosen) {
      chosen = send;
      spoken.textContent = fillWay(way, grid);
    }
    refill();
    remember();
    toolbar.update();
    label(grid);
  });
  host.append(el('div', { class: 'tl' }, toolbar.element, grid.element,
    el('p', { class: 'muted sch-hint controls' }, 'Wheel: zoom. Drag, or Shift and wheel: move. Click: choose a piece, or open a group of links (e: all). Double click: zoom to a send.'), seen, way, spoken), linksTable(grid));
  goWhereAsked(grid, context.args);
  toolbar.update();
  label(grid);
  const key = (event: KeyboardEvent): void => {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || target.closest('input, select, textarea, dialog, nav')) return;
    if (press(grid, event, grid.element.contains(target), toggleTable)) event.preventDefault();
  };
  document.addEventListener('keydown', key);
  (window as { __orrerySchedule?: unknown }).__orrerySchedule = grid; // for the browser tests
  return () => {
    document.removeEventListener('keydown', key);
    grid.destroy();
    delete (window as { __orrerySchedule?: unknown }).__orrerySchedule;
  };
}

function label(grid: Grid): void {
  const { state } = grid;
  const { from, to } = state.view;
  grid.scroller.setAttribute('aria-label', `Sends over ${format.counted(state.links.length, 'link')}, ${format.time(Math.max(0, Math.round(from)))} to ` +
    `${format.time(Math.min(grid.extent, Math.round(to)))}; the bound is ${format.time(state.model.data.bound)}. ` +
    'Arrows move, + and − zoom, comma and full stop go from send to send; the tables below have the same content.');
}

// Calls `what` once things have been quiet for a while.
function later(what: () => void, wait: number): () => void {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(what, wait);
  };
}

function addressOf({ state }: Grid): Record<string, string | number> {
  const args: Record<string, string | number> = { from: Math.round(state.view.from), to: Math.round(state.view.to), order: state.order, color: state.key };
  if (state.picked) args.send = state.picked.send;
  if (state.text) args.q = state.text;
  return args;
}

function goWhereAsked(grid: Grid, args: Readonly<Record<string, string>>): void {
  const { state } = grid;
  const { sends, data } = state.model;
  if (args.order in orders) grid.set({ order: args.order as Order });
  if (args.color in keys) grid.set({ key: args.color as Key });
  if (args.q) grid.set({ text: args.q });
  const [from, to, send] = [args.from, args.to, args.send].map((text) => (text ? Number(text) : NaN));
  if (to > from) grid.show({ from, to });
  if (Number.isInteger(send) && send >= 0 && send < sends.count) grid.pick({ send, link: data.ways.links[sends.way[send]][0][0] });
}

// Answers whether the key meant something here. `inside`: the picture has the focus.
function press(grid: Grid, event: KeyboardEvent, inside: boolean, toggleTable: () => void): boolean {
  const { state, extent } = grid;
  const { view } = state;
  const width = view.to - view.from;
  const nearer = (factor: number): void => grid.show(zoom(view, (view.from + view.to) / 2, factor, extent));
  const along = (part: number): void => grid.show(pan(view, part * width * (event.shiftKey ? 4 : 1), extent));
  switch (event.key) {
    case 'w': case '+': case '=': nearer(0.6); return true;
    case 's': case '-': case '_': nearer(1 / 0.6); return true;
    case 'a': case 'A': along(-0.2); return true;
    case 'd': case 'D': along(0.2); return true;
    case 'f': grid.show(whole(extent)); return true;
    case 'v': toggleTable(); return true;
    case 'e': grid.openAll(state.open.size < state.groups.length); return state.groups.length > 0;
    case ',': step(grid, -1); return true;
    case '.': step(grid, 1); return true;
    case 'z':
      if (state.picked) grid.reveal(state.picked, true);
      return state.picked !== null;
    case 'Escape':
      if (!state.picked) return false;
      grid.pick(null);
      return true;
    default: break;
  }
  if (!inside) return false;
  switch (event.key) {
    case 'ArrowLeft': along(-0.2); return true;
    case 'ArrowRight': along(0.2); return true;
    default: return false; // the rows scroll by themselves
  }
}

// The send before or after the chosen one on its link; with none chosen, the first in view.
function step(grid: Grid, by: number): void {
  const { state } = grid;
  const top = state.rows[Math.floor(state.scroll / state.row)];
  const link = state.picked && state.links.includes(state.picked.link) ? state.picked.link : top < 0 ? state.groups[~top].links[0] : top;
  if (link === undefined) return;
  const bars = state.model.bars[link];
  const at = state.picked && state.picked.link === link ? bars.send.indexOf(state.picked.send) + by : bars.end.findIndex((end) => end > state.view.from);
  if (at < 0 || at >= bars.send.length) return;
  const picked = { send: bars.send[at], link };
  grid.pick(picked);
  grid.reveal(picked);
}

