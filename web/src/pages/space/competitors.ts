// SPDX-License-Identifier: Apache-2.0
//
// What would have to be true for other points to be as good as the best.
import { el } from '../../dom';
import * as format from '../../format';
import { planOf } from './model';
import type { State } from './state';

export function makeCompetitors(state: State): HTMLElement {
  const { model } = state;
  const { rivals } = model.data;
  const first = model.objectives[0];
  if (rivals.length === 0) return el('p', { class: 'muted' }, 'No point with another value of an axis is allowed.');
  const rows = rivals.map(({ point, with: other, behind, needs }) => el('tr', {},
    el('td', { class: 'number' }, format.change(behind)),
    el('th', { scope: 'row', class: 'name' }, el('button', { type: 'button', class: 'quiet', 'aria-label': `Choose the best with ${other}`, onclick: () => state.choose(point) }, other)),
    el('td', { class: 'name' }, el('span', { class: 'sp-plan' }, planOf(model, point))),
    el('td', {}, needs.length === 0 ? el('span', { class: 'muted' }, 'nothing of this alone') : needs.join('; '))));
  return el('div', {},
    el('p', {}, `Of each axis the best point with another value than the best of all has, and what would make its ${first.title} as good, each by itself and all else alike: a part of the step that takes less, a price, or circumstances that both have.`),
    el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'What would have to be true' },
      el('table', { class: 'sp-rivals' }, el('thead', {}, el('tr', {}, ['Behind', 'The best with', 'Plan', 'Would need one of'].map((title) => el('th', { scope: 'col' }, title)))), el('tbody', {}, rows))));
}
