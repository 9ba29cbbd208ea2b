// SPDX-License-Identifier: Apache-2.0
//
// What each axis does: its share of the variance, and what other values would do to the best point.
import { el, styled } from '../../dom';
import * as format from '../../format';
import { scrollRegion } from '../../scroll';
import { pointWords, type Model } from './model';
import type { EffectValue } from '../../space_data';

const states: Record<string, string> = { fits: 'not allowed', illegal: 'breaks a rule', too_large: 'does not fit', may_not_fit: 'may not fit', needs_simulation: 'not estimated', failed: 'failed' };

export function valueWords({ label, allowed, change, state }: EffectValue): string {
  return `${label}: ${allowed ? format.change(change) : (states[state] ?? state)}`;
}

// From the least to the most change, on a scale that all axes share.
export function extentOf(model: Model): [number, number] {
  const changes = model.data.effects.flatMap(({ values }) => values.filter(({ allowed }) => allowed).map(({ change }) => change));
  return [Math.min(0, ...changes), Math.max(0, ...changes)];
}

function strip(values: readonly EffectValue[], [low, high]: [number, number], words: string): HTMLElement {
  const at = (change: number): string => `${high > low ? ((change - low) / (high - low)) * 100 : 0}%`;
  const allowed = values.filter((value) => value.allowed);
  const changes = allowed.map(({ change }) => change);
  const bar = styled(el('i', { class: 'sp-bar fill communication' }), { left: at(Math.min(0, ...changes)), right: `calc(100% - ${at(Math.max(0, ...changes))})` });
  const marks = allowed.filter(({ own }) => !own).map((value) => styled(el('i', { class: 'sp-mark', title: valueWords(value) }), { left: at(value.change) }));
  return el('div', { class: 'sp-strip', role: 'img', 'aria-label': words }, bar, marks, styled(el('i', { class: 'sp-zero' }), { left: at(0) }));
}

export function makeEffects(model: Model): HTMLElement {
  const { data } = model;
  const first = model.objectives[0];
  if (data.effects.length === 0) return el('p', { class: 'muted' }, 'No axis has several values.');
  const extent = extentOf(model);
  const rows = data.effects.map(({ axis, explains, values }) => {
    const { name } = data.axes[axis];
    const own = values.find((value) => value.own);
    const others = values.filter((value) => !value.own).map(valueWords).join(', ');
    const share = styled(el('i', { class: 'fill compute' }), { width: `${Math.min(100, explains * 100)}%` });
    return el('tr', {}, el('th', { scope: 'row', class: 'name' }, name),
      el('td', { class: 'sp-explains' }, el('div', { class: 'sp-share' }, share), el('span', { class: 'number' }, format.percent(explains))),
      el('td', { class: 'name' }, own?.label ?? ''),
      el('td', {}, strip(values, extent, `${name}: ${others || 'no other value was evaluated'}`), el('div', { class: 'muted name' }, others)));
  });
  return el('div', {},
    el('p', {}, `“Explains” is the share of the variance of ${first.title} over all allowed points that lies between the means by axis value (with all combinations: the first-order Sobol index). `,
      `The last column shows the effect of other values on the best point (${pointWords(model, data.best)}: ${first.text(first.values[data.best])}), all else equal: ${format.change(extent[0])} to ${format.change(extent[1])}, right is worse. Filters have no effect here.`),
    scrollRegion('Effects of axes', el('table', { class: 'sp-effects' }, el('thead', {}, el('tr', {}, ['Axis', 'Explains', 'Best', 'Others, all else equal'].map((title) => el('th', { scope: 'col' }, title)))), el('tbody', {}, rows))).frame);
}
