// SPDX-License-Identifier: Apache-2.0
//
// How many points are shown, what keeps the others out, and fields that filter by keyboard.
import { el } from '../../dom';
import * as format from '../../format';
import { rangeWords } from './filter';
import { several, type Dimension } from './model';
import type { State } from './state';

// From a label to a label.
function labelFields(dim: Dimension, state: State): HTMLElement[] {
  const [low, high] = state.filters.get(dim) ?? [dim.low, dim.high];
  const select = (name: string, now: number, range: (value: number) => [number, number]): HTMLElement => {
    const field = el('select', { 'aria-label': `${dim.title} ${name}` }, dim.labels!.map((label, i) => el('option', { value: i, selected: i === Math.round(now) }, label)));
    field.addEventListener('change', () => state.filter(dim, range(Number(field.value))));
    return field;
  };
  const now = (): [number, number] => state.filters.get(dim) ?? [dim.low, dim.high];
  return [select('from', Math.max(low, 0), (value) => [value, Math.max(value, now()[1])]), select('to', high, (value) => [Math.min(value, now()[0]), value])];
}

// From a number to a number; an empty field: as far as there are any.
function numberFields(dim: Dimension, state: State): HTMLElement[] {
  const { unit, factor } = dim.unit;
  const range = state.filters.get(dim);
  const typed = (bound: number, end: number): string => (range && bound !== end ? String(Number((bound / factor).toPrecision(6))) : '');
  const field = (name: string, value: string, end: number): HTMLInputElement =>
    el('input', { type: 'number', step: 'any', value, placeholder: String(Number((end / factor).toPrecision(4))), 'aria-label': `${dim.title} ${name}${unit && `, ${unit}`}` });
  const [from, to] = [field('from', typed(range?.[0] ?? dim.low, dim.low), dim.low), field('to', typed(range?.[1] ?? dim.high, dim.high), dim.high)];
  const bound = (input: HTMLInputElement, end: number): number => (input.value.trim() === '' || !Number.isFinite(input.valueAsNumber) ? end : input.valueAsNumber * factor);
  const change = (): void => state.filter(dim, [bound(from, dim.low), bound(to, dim.high)]);
  from.addEventListener('change', change);
  to.addEventListener('change', change);
  return [from, to];
}

function field(dim: Dimension, state: State): HTMLElement {
  const { unit } = dim.unit;
  return el('div', { class: 'sp-field', role: 'group', 'aria-label': dim.title }, el('span', { class: 'name', title: dim.about }, dim.title, unit && ` (${unit})`),
    dim.labels ? labelFields(dim, state) : numberFields(dim, state));
}

export function makeFilters(state: State): HTMLElement {
  const { model } = state;
  const chips = el('span', { class: 'row' });
  const shown = el('strong', { 'aria-live': 'polite' });
  const search = el('input', { type: 'search', placeholder: 'tp 8, zero3, full …', 'aria-label': 'Only plans whose labels contain', autocomplete: 'off', spellcheck: 'false' });
  search.addEventListener('input', () => state.search(search.value));
  const fields = el('div', { class: 'sp-fields' });
  const dims = model.dims.filter(several);
  const details = el('details', {}, el('summary', {}, 'Filters'), fields);
  const fill = (): void => fields.replaceChildren(...dims.map((dim) => field(dim, state)));
  details.addEventListener('toggle', () => details.open && fill());
  const update = (): void => {
    shown.textContent = state.shown.length === model.count ? format.counted(model.count, 'point') : `${format.count(state.shown.length)} of ${format.counted(model.count, 'point')}`;
    chips.replaceChildren(...[...state.filters].map(([dim, range]) =>
      el('button', { type: 'button', class: 'sp-chip', 'aria-label': `Remove the filter ${rangeWords(dim, range)}`, onclick: () => state.filter(dim, null) }, `${rangeWords(dim, range)} ✕`)),
    ...(state.filters.size > 0 || state.text !== '' ? [el('button', { type: 'button', class: 'quiet', onclick: () => state.clear() }, 'Show all')] : []));
    if (search.value !== state.text) search.value = state.text;
    if (details.open && !fields.contains(document.activeElement)) fill();
  };
  state.onChange((change) => change === 'shown' && update());
  update();
  return el('section', { class: 'card sp-filters', 'aria-label': 'Filters' }, el('div', { class: 'controls row' }, shown, search, chips), details);
}
