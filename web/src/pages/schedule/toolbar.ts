// SPDX-License-Identifier: Apache-2.0
//
// What stands above the picture: search, order, colors, zoom, and what the colors mean.

import { clear, el, styled } from '../../dom';
import * as format from '../../format';
import type { Context } from '../../page';
import { whole, zoom } from '../timeline/view';
import type { Grid } from './grid';
import { hue, keys, keysOf, legendOf, type Key } from './colors';
import { orders, pieceName, type Order } from './model';
import { dense, roomy } from './state';

export interface Toolbar {
  element: HTMLElement;
  update(): void; // after a change
}

interface TableActions {
  toggleTable(): void;
  tableShown(): boolean;
}

export function makeToolbar(grid: Grid, context: Context, actions: TableActions): Toolbar {
  const { state } = grid;
  const search = el('input', { type: 'search', placeholder: 'npu3, leaf, npu0 -> …', 'aria-label': 'Only links whose names contain' });
  search.addEventListener('input', () => grid.set({ text: search.value }));
  const found = el('span', { class: 'tl-found' });
  const order = choice('Order of the links', Object.entries(orders), (value) => grid.set({ order: value as Order }));
  const key = choice('Color by', keysOf(state.model).map((one) => [one, keys[one]]), (value) => grid.set({ key: value as Key }));
  const button = (text: string, name: string, does: () => void): HTMLButtonElement =>
    el('button', { type: 'button', 'aria-label': name, title: name, onclick: does }, text);
  const by = (factor: number) => (): void => {
    const { from, to } = state.view;
    grid.show(zoom(state.view, (from + to) / 2, factor, grid.extent));
  };
  const groups = el('button', { type: 'button', onclick: () => grid.openAll(state.open.size < state.groups.length) });
  const low = el('button', { type: 'button', onclick: () => grid.set({ row: state.row === roomy ? dense : roomy }) }, 'Dense rows');
  const asTable = el('button', { type: 'button', onclick: actions.toggleTable }, 'As a table');
  const chips = el('div', { class: 'tl-chips' });
  const draw = (): void => fillLegend(chips, grid, context);
  context.theme.onChange(draw);
  return {
    element: el('div', { class: 'tl-tools controls' },
      el('div', { class: 'tl-search' }, search, found), order.element, key.element,
      el('div', { class: 'tl-group', role: 'group', 'aria-label': 'Zoom' },
        button('−', 'Zoom out', by(1 / 0.6)), button('+', 'Zoom in', by(0.6)), button('All', 'The complete schedule', () => grid.show(whole(grid.extent)))),
      el('div', { class: 'tl-group', role: 'group', 'aria-label': 'Look' }, groups, low, asTable), chips),
    update() {
      if (search.value !== state.text) search.value = state.text;
      order.select.value = state.order;
      key.select.value = state.key;
      low.setAttribute('aria-pressed', String(state.row === dense));
      asTable.setAttribute('aria-pressed', String(actions.tableShown()));
      groups.hidden = state.groups.length === 0;
      groups.textContent = state.open.size < state.groups.length ? 'Open all groups' : 'Close all groups';
      found.textContent = `${format.count(state.links.length)} of ${format.counted(state.model.data.links.name.length, 'link')}`;
      draw();
    },
  };
}

const mostShown = 12; // colors of the legend; the others are folded away

// What else there is in the picture, in words.
function marks({ state }: Grid): HTMLElement[] {
  const { model, groups } = state;
  const { bound, cut, links } = model.data;
  return [
    ...(bound > 0 ? [el('span', { class: 'sch-note' }, el('i', { class: 'tl-stroke' }), `lower bound of the time${cut && `, set by: ${cut}`}`)] : []),
    ...(links.binds.some((binds) => binds) ? [el('span', {}, el('i', { class: 'sch-binds' }), 'link that sets the bound')] : []),
    el('span', {}, el('b', { class: 'muted' }, '%'), ' share of the time that a link is busy'),
    ...(groups.length > 0 ? [el('span', {}, el('i', { class: 'swatch idle' }), 'group of links: share of their capacity in use')] : []),
  ];
}

function choice(title: string, values: [string, string][], chosen: (value: string) => void): { element: HTMLElement; select: HTMLSelectElement } {
  const select = el('select', {}, values.map(([value, text]) => el('option', { value }, text)));
  select.addEventListener('change', () => chosen(select.value));
  return { element: el('label', { class: 'sch-choice' }, title, select), select };
}

// What the colors mean, what the marks mean, and which piece is chosen.
function fillLegend(host: HTMLElement, grid: Grid, context: Context): void {
  const { state } = grid;
  const { model, picked } = state;
  const listed = legendOf(model, state.key);
  const swatch = (i: number): HTMLElement => styled(el('i', { class: 'swatch' }), { background: hue(i, context.theme.dark) });
  const entry = ([i, words]: [number, string]): HTMLElement => el('li', { class: 'name' }, swatch(i), words);
  const open = host.querySelector('details')?.open ?? false;
  clear(host);
  host.append(el('div', { class: 'sch-legend', role: 'group', 'aria-label': 'Legend' },
    el('strong', {}, `Color: ${keys[state.key]}`),
    listed.length === 0
      ? el('span', { class: 'sch-note muted' }, `one of ${format.count(model.pieces.bytes.length)}, colors repeat; move the pointer to a bar for its ${state.key}`)
      : el('ul', { class: 'legend' }, listed.slice(0, mostShown).map(entry)),
    listed.length > mostShown && el('details', { open }, el('summary', {}, `${format.count(listed.length - mostShown)} more`), el('ul', { class: 'legend' }, listed.slice(mostShown).map(entry)))),
  el('div', { class: 'sch-legend' }, marks(grid)));
  if (picked) {
    host.append(el('button', { type: 'button', class: 'tl-chip', 'aria-pressed': state.only, onclick: () => grid.set({ only: !state.only }) }, 'only its links'), el('button', { type: 'button', class: 'tl-chip', 'aria-pressed': true, onclick: () => grid.pick(null) },
      `${pieceName(model, model.sends.piece[picked.send])} ✕`));
  }
}
