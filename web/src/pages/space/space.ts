// SPDX-License-Identifier: Apache-2.0
//
// A space that was searched: its points by any two figures, along all axes, as a map and as a table; all views filter
// and choose together.
import { el } from '../../dom';
import * as format from '../../format';
import type { Context, Page } from '../../page';
import { choice } from './controls';
import { showPointDetails } from './point_details';
import { makeEffects } from './effects';
import { makeFilters } from './filters';
import { makeHeat } from './heat_view';
import { isCrowded } from './marks';
import { dimNamed, layModel, several, within, type Dimension, type Model } from './model';
import { makeParallel } from './parallel';
import { makeFrontTable, makeTable } from './points_table';
import { makeSections } from './sections';
import { makeCompetitors } from './competitors';
import { makeScatter, type Scatter } from './scatter';
import { State } from './state';
import { offText } from './figure_text';
import './space.css';

declare global {
  interface Window {
    __orrerySpace?: object; // for tests
  }
}

const card = (label: string, ...children: Parameters<typeof el>[2][]): HTMLElement => el('section', { class: 'card', 'aria-label': label }, el('h2', {}, label), children);

function summary({ data }: Model): HTMLElement {
  return el('section', { class: 'card', 'aria-label': 'The search' },
    el('h2', {}, 'The search'),
    el('dl', { class: 'pairs' }, data.facts.map(([label, text]) => [el('dt', {}, label), el('dd', { class: 'name' }, text)])),
    data.lost.length > 0 && el('details', { open: data.count === 0 }, el('summary', {}, `Why ${format.counted(data.lost.reduce((sum, [count]) => sum + count, 0), 'point')} ${data.count === 0 ? 'are not allowed' : 'are excluded'}`),
      el('table', { class: 'sp-lost' }, el('thead', {}, el('tr', {}, el('th', { scope: 'col', class: 'number' }, 'points'), el('th', { scope: 'col' }, 'not allowed because'))),
        el('tbody', {}, data.lost.map(([count, why]) => el('tr', {}, el('td', { class: 'number' }, format.count(count)), el('td', { class: 'name' }, why)))))));
}

// The first two objectives; of a single one the best axis, or what else there is.
function firstPair(model: Model, args: Readonly<Record<string, string>>): [Dimension, Dimension] {
  const [first, second] = model.objectives;
  const axis = model.data.effects.map((effect) => model.dims[effect.axis]).find(several);
  const other = second ?? axis ?? dimNamed(model, 'memory') ?? first;
  const [x, y] = second ? [first, second] : [other, first];
  return [dimNamed(model, args.x) ?? x, dimNamed(model, args.y) ?? y];
}

function legend(model: Model): HTMLElement {
  const objectives = model.objectives.map((dim) => dim.title).join(', ');
  return el('ul', { class: 'legend' },
    el('li', {}, el('i', { class: 'sp-key front', 'aria-hidden': true }), `on the Pareto front (${objectives})`),
    el('li', {}, el('i', { class: 'sp-key simulated', 'aria-hidden': true }), 'simulated'),
    el('li', {}, el('i', { class: `sp-key ${isCrowded(model.count) ? 'crowded' : 'estimated'}`, 'aria-hidden': true }), 'estimated'),
    el('li', {}, el('i', { class: 'sp-key line', 'aria-hidden': true }), 'front of the two plotted figures'));
}

function explorer(context: Context, state: State): { element: HTMLElement; scatter: Scatter } {
  const { model } = state;
  const [x, y] = firstPair(model, context.args);
  const scatter = makeScatter(context, state, { x, y, diagonal: false, scales: null }, 'Points by two figures', () => Math.max(320, Math.min(480, innerHeight * 0.55)));
  const known = model.dims.filter((dim) => Number.isFinite(dim.low));
  const named = known.map((dim): [string, string] => [dim.name, dim.label]);
  const lay = (nowX: Dimension, nowY: Dimension): void => {
    scatter.lay(nowX, nowY);
    note(context, state, scatter);
  };
  const element = card('Points and their front', model.data.about !== '' && el('p', { class: 'name' }, model.data.about), el('div', { class: 'controls row' },
    choice('Across', named, x.name, (name) => lay(dimNamed(model, name)!, scatter.plot.y)),
    choice('Up', named, y.name, (name) => lay(scatter.plot.x, dimNamed(model, name)!))), legend(model), scatter.element, makeFrontTable(state));
  return { element, scatter };
}

function note(context: Context, state: State, scatter: Scatter): void {
  context.note({ x: scatter.plot.x.name, y: scatter.plot.y.name, point: state.chosen });
}

// Estimate against simulation, for points with both.
function comparison(context: Context, state: State): { element: HTMLElement; scatter: Scatter | null } {
  const { model } = state;
  const both = Array.from(model.off).filter(Number.isFinite);
  const label = 'Estimates and simulations';
  if (both.length === 0) {
    return { element: card(label, el('p', {}, 'No point has both an estimate and a simulation; --method auto estimates all points and simulates the best.')), scatter: null };
  }
  const sizes = both.map(Math.abs).sort((a, b) => a - b);
  const worst = both.reduce((far, off) => (Math.abs(off) > Math.abs(far) ? off : far), 0);
  const [estimated, simulated] = [dimNamed(model, 'estimated')!, dimNamed(model, 'simulated')!];
  const scatter = makeScatter(context, state, { x: within(estimated, simulated), y: within(simulated, estimated), diagonal: true, scales: null }, 'Estimated and simulated steps', () => 360);
  return {
    element: card(label, el('p', {}, `${format.counted(both.length, 'point')} ${both.length === 1 ? 'was' : 'were'} estimated and simulated. The median error of the estimates is ${offText(sizes[Math.floor(sizes.length / 2)]).replace('+', '')}, the largest ${offText(worst)}. On the dashed line both are equal; above it the estimate is too low.`), scatter.element),
    scatter,
  };
}

export const space: Page = {
  id: 'points',
  title: 'Points',
  whole: true,
  shows: (data) => data.space !== undefined,
  render(host, context) {
    const model = layModel(context.data.space!);
    if (model.count === 0) {
      host.append(el('div', { class: 'card' }, el('strong', {}, 'No point is allowed. '), 'The table lists the reasons.'), summary(model));
      return undefined;
    }
    const state = new State(model);
    const wanted = Number(context.args.point ?? NaN);
    if (Number.isInteger(wanted) && wanted >= 0 && wanted < model.count) state.choose(wanted);
    const { element, scatter } = explorer(context, state);
    const parallel = makeParallel(context, state);
    const heat = makeHeat(context, state);
    const compared = comparison(context, state);
    const chosen = el('section', { class: 'card sp-chosen', 'aria-label': 'Selected point' });
    const live = el('div', { class: 'hidden-visually', 'aria-live': 'polite' });
    state.onChange((change) => {
      if (change !== 'chosen') return;
      showPointDetails(chosen, live, state);
      note(context, state, scatter);
    });
    showPointDetails(chosen, live, state);
    const cards: [string, HTMLElement][] = [
      ['Front', element], ['Selected point', chosen], ['All axes', card('All axes and figures', parallel.element)], ['Map', card('Map', heat.element)],
      ['Effects', card('Effects of axes', makeEffects(model))], ['Break-even', card('Break-even', makeCompetitors(state))], ['Estimates', compared.element],
      ['Table', card('Table', makeTable(state))], ['The search', summary(model)]];
    host.append(makeSections(cards), makeFilters(state), live, ...cards.map(([, one]) => one));
    window.__orrerySpace = { state, model, scatter, parallel, compared: compared.scatter };
    return () => {
      delete window.__orrerySpace;
      for (const view of [scatter, parallel, heat, compared.scatter]) view?.dispose();
    };
  },
};
