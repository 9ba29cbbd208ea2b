// SPDX-License-Identifier: Apache-2.0
//
// What would have to be true for other points to be as good as the best.
import { el } from '../../dom';
import * as format from '../../format';
import { scrollRegion } from '../../scroll';
import { planOf } from './model';
import type { State } from './state';

export function makeCompetitors(state: State): HTMLElement {
  const { model } = state;
  const { rivals } = model.data;
  const first = model.objectives[0];
  if (rivals.length === 0) return el('p', { class: 'muted' }, 'No allowed point has another value of an axis.');
  const rows = rivals.map(({ point, with: other, behind, needs }) => el('tr', {},
    el('td', { class: 'number' }, format.change(behind)),
    el('th', { scope: 'row', class: 'name' }, el('button', { type: 'button', class: 'quiet', 'aria-label': `Select the best with ${other}`, onclick: () => state.choose(point) }, other)),
    el('td', { class: 'name' }, el('span', { class: 'sp-plan' }, planOf(model, point))),
    el('td', {}, needs.length === 0 ? el('span', { class: 'muted' }, 'no single change suffices') : needs.join('; '))));
  return el('div', {},
    el('p', {}, `For each axis: the best point with another value than the overall best, and the single changes with which its ${first.title} matches the best, all else equal. A change is a shorter part of the step, a price, or an axis value of both points.`),
    scrollRegion('Break-even', el('table', { class: 'sp-rivals' }, el('thead', {}, el('tr', {}, ['Behind', 'Best with', 'Plan', 'Would need one of'].map((title) => el('th', { scope: 'col' }, title)))), el('tbody', {}, rows))).frame);
}
