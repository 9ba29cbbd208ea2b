// SPDX-License-Identifier: Apache-2.0
//
// The controls above the timeline: search, kinds, what to show, zoom.

import { spanKinds } from '../../data';
import { el, styled } from '../../dom';
import * as format from '../../format';
import type { KeyActions } from './keys';
import { rankField } from '../ranks/find';
import { toHex } from './palette';
import type { Stage } from './stage';
import { whole, zoom } from './view';

export interface Toolbar {
  element: HTMLElement;
  search: HTMLInputElement;
  update(): void;
}

// A button that is in or out.
function toggle(text: string, title: string, press: () => void): HTMLButtonElement {
  return el('button', { type: 'button', title, 'aria-pressed': 'false', onclick: press }, text);
}

export function makeToolbar(stage: Stage, actions: KeyActions): Toolbar {
  const { state } = stage;
  const found = el('span', { class: 'tl-found number', role: 'status' });
  const search = searchField(stage);
  const path = toggle('Critical path', 'Draw the critical path over the rows (c)', () => actions.togglePath());
  const only = toggle('Only critical', 'Fade spans outside the critical path', () =>
    stage.refilter({ criticalOnly: !state.filter.criticalOnly }));
  const alike = toggle('Group identical', 'One row for all ranks with identical timelines', () => stage.setTogether(!state.together));
  const open = el('button', { type: 'button', title: 'Show or hide the lanes of every row (E)', onclick: () =>
    stage.openAll(state.rows.open.size < state.rows.units.length) }, 'Open all');
  const grid = toggle('Table', 'The spans on screen as a table (v)', () => actions.toggleTable());
  grid.classList.add('tl-table-button');
  const shares = state.model.lines.some((line) => line.ranks.length > 1);
  const hasPath = state.run.path.start.length > 0;
  const kinds = kindChips(stage);
  const ranks = rankField(state.run.ranks, (rank) => stage.find(rank));
  const element = el('div', { class: 'tl-tools' },
    el('div', { class: 'tl-search' }, search,
      el('button', { type: 'button', 'aria-label': 'Previous match', title: 'Previous match (N)', onclick: () => stage.goToHit(-1) }, '‹'),
      el('button', { type: 'button', 'aria-label': 'Next match', title: 'Next match (n)', onclick: () => stage.goToHit(1) }, '›'), found),
    el('div', { class: 'tl-group', role: 'group', 'aria-label': 'Show' }, hasPath && path, hasPath && only, shares && alike, open, grid),
    ranks.element,
    zoomButtons(stage, actions),
    kinds.element);
  const update = (): void => {
    path.setAttribute('aria-pressed', String(state.showPath));
    only.setAttribute('aria-pressed', String(state.filter.criticalOnly));
    alike.setAttribute('aria-pressed', String(state.together));
    open.textContent = state.rows.open.size < state.rows.units.length ? 'Open all' : 'Close all';
    kinds.update();
    ranks.show(state.found);
    const n = state.hits.length;
    const searching = state.filter.text.trim() !== '';
    found.textContent = !searching ? '' : n === 0 ? 'none' : state.hit < 0 ? format.count(n) : `${format.count(state.hit + 1)} of ${format.count(n)}`;
  };
  return { element, search, update };
}

function searchField(stage: Stage): HTMLInputElement {
  let timer = 0;
  const search = el('input', { type: 'search', placeholder: 'Search by name', 'aria-label': 'Search spans by name', autocomplete: 'off', spellcheck: 'false' });
  search.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => stage.refilter({ text: search.value }), 120);
  });
  search.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') {
      event.preventDefault();
      clearTimeout(timer);
      if (stage.state.filter.text !== search.value) stage.refilter({ text: search.value });
      stage.goToHit(event.shiftKey ? -1 : 1);
    } else if (event.key === 'Escape') {
      search.value = '';
      stage.refilter({ text: '' });
      stage.scroller.focus();
    }
  });
  return search;
}

function zoomButtons(stage: Stage, actions: KeyActions): HTMLElement {
  const by = (factor: number): void => {
    const view = stage.target();
    stage.show(zoom(view, (view.from + view.to) / 2, factor, stage.state.model.extent), true);
  };
  return el('div', { class: 'tl-group', role: 'group', 'aria-label': 'Zoom' },
    el('button', { type: 'button', 'aria-label': 'Zoom in', title: 'Zoom in (w, +)', onclick: () => by(0.5) }, '+'),
    el('button', { type: 'button', 'aria-label': 'Zoom out', title: 'Zoom out (s, −)', onclick: () => by(2) }, '−'),
    el('button', { type: 'button', title: 'The complete step (f, 0)', onclick: () => stage.show(whole(stage.state.model.extent), true) }, 'Fit'),
    el('button', { type: 'button', 'aria-label': 'Keys of the timeline', title: 'Keys (?)', onclick: () => actions.help() }, '?'));
}

// The legend, which filters as well: kinds that occur, each in or out.
function kindChips(stage: Stage): { element: HTMLElement; update(): void } {
  const { state } = stage;
  const present = new Set<number>();
  for (const line of state.model.lines) for (const lane of line.lanes) lane.track.kinds.forEach((kind) => present.add(kind));
  const chips = spanKinds.map((name, kind) => {
    if (!present.has(kind)) return null;
    const press = (): void => {
      const kinds = [...state.filter.kinds];
      kinds[kind] = !kinds[kind];
      stage.refilter({ kinds });
    };
    return el('button', { type: 'button', class: 'tl-chip', 'aria-pressed': 'true', title: `Show or fade ${name}`, onclick: press },
      el('i', { class: 'swatch' }), name);
  });
  const waits = state.model.lines.some(({ talk }) => talk.waits[talk.waits.length - 1] > 0);
  const element = el('div', { class: 'tl-chips', role: 'group', 'aria-label': 'Kinds of spans' }, chips,
    waits && el('span', { class: 'tl-note' }, el('i', { class: 'swatch tl-wait communication' }), 'waiting for peers'),
    state.run.path.start.length > 0 && el('button', { type: 'button', class: 'tl-chip', title: 'Scroll to it', onclick: () => stage.goToPath() },
      el('i', { class: 'tl-stroke' }), 'critical path ↕'));
  return {
    element,
    update: () => chips.forEach((chip, kind) => {
      if (!chip) return;
      chip.setAttribute('aria-pressed', String(state.filter.kinds[kind]));
      styled(chip.firstElementChild as HTMLElement, { background: toHex(stage.palette.shades[kind][1]) });
    }),
  };
}
