// SPDX-License-Identifier: Apache-2.0
//
// The points that are shown, as a table, and as a file.
import { el } from '../../dom';
import * as format from '../../format';
import { table, type Column } from '../../table';
import { save } from './controls';
import { csvOf } from './filter';
import { planOf, several, type Dimension, type Model } from './model';
import type { State } from './state';

const isUsual = (model: Model, dim: Dimension): boolean => model.objectives.includes(dim) || ['step', 'rate', 'mfu', 'memory'].includes(dim.name);

// Of what tells points apart; what is the same for all stands above.
// `all`: also figures that are no objective and seldom asked for.
function columnsOf(state: State, all: boolean): Column<number>[] {
  const { model } = state;
  const column = (dim: Dimension): Column<number> => ({
    title: dim.title, note: dim.about, number: dim.ordered, cell: (point) => dim.text(dim.values[point]),
    key: (point) => (Number.isFinite(dim.values[point]) ? dim.values[point] : -Infinity),
  });
  const choose: Column<number> = {
    title: 'front', cell: (point) => el('button', { type: 'button', class: 'quiet sp-pick', 'aria-label': `Select ${planOf(model, point)}`, onclick: () => state.choose(point) }, model.front[point] ? '◆ select' : 'select'),
    note: '◆: on the Pareto front', key: (point) => 1 - model.front[point],
  };
  const telling = (dim: Dimension): boolean => several(dim) && dim.kind !== 'predicted';
  const predicted = model.dims.filter((dim) => dim.name === 'off' && Number.isFinite(dim.low));
  return [choose,
    ...model.dims.filter((dim) => dim.kind === 'axis' && telling(dim)).map(column), ...model.dims.filter((dim) => dim.kind === 'figure' && telling(dim) && (all || isUsual(model, dim))).map(column),
    ...(model.data.mayNotFit.length > 0 ? [{ title: 'verdict', note: 'whether its memory fits', cell: (point: number) => (model.mayNotFit[point] ? 'may not fit' : 'fits'), key: (point: number) => model.mayNotFit[point] }] : []),
    { title: 'source', note: 'source of the step time', cell: (point) => (model.data.simulated[point] > 0 ? 'simulation' : 'estimate'), key: (point) => (model.data.simulated[point] > 0 ? 0 : 1) },
    ...predicted.map(column),
    { title: 'plan', cell: (point) => el('span', { class: 'sp-plan' }, planOf(model, point)), key: (point) => planOf(model, point) }];
}

// The front of the objectives, the best first: what the search found.
export function makeFrontTable(state: State): HTMLElement {
  const { model } = state;
  const host = el('div', { class: 'sp-front' });
  const all = columnsOf(state, false);
  const figures = model.dims.filter((dim) => dim.kind === 'figure' && ['mfu', 'memory'].includes(dim.name) && several(dim) && !model.objectives.includes(dim));
  const of = (dims: Dimension[]): Column<number>[] => dims.map((dim) => ({
    title: dim.label, note: dim.about, number: dim.ordered, cell: (point: number) => dim.text(dim.values[point]), key: (point: number) => (Number.isFinite(dim.values[point]) ? dim.values[point] : -Infinity),
  }));
  const axes = model.dims.filter((dim) => dim.kind === 'axis' && several(dim));
  const fill = (): void => {
    const rows = state.shown.filter((point) => model.front[point]);
    host.replaceChildren(table<number>({
      caption: `The Pareto front: ${format.counted(rows.length, 'point')}, the best ${model.objectives[0].title} first`, rows,
      columns: [all[0], ...of(model.objectives), ...of(figures), ...of(axes)], first: 8, pick: (point) => state.choose(point), empty: 'No point of the front matches the filters.',
    }));
  };
  state.onChange((change) => change === 'shown' && fill());
  fill();
  return host;
}

function sameForAll(model: Model): string {
  const same = model.dims.filter((dim) => (dim.kind === 'axis' || dim.kind === 'figure') && dim.low === dim.high && model.count > 1);
  return same.length === 0 ? '' : `Equal for all: ${same.map((dim) => `${dim.title} ${dim.text(dim.low)}`).join(', ')}.`;
}

export function makeTable(state: State): HTMLElement {
  const { model } = state;
  const host = el('div', { class: 'sp-points' });
  let all = false;
  const more = el('button', { type: 'button', 'aria-pressed': false }, 'All figures');
  more.addEventListener('click', () => {
    all = !all;
    more.setAttribute('aria-pressed', String(all));
    fill();
  });
  const rest = model.dims.some((dim) => dim.kind === 'figure' && several(dim) && !isUsual(model, dim));
  const button = el('button', { type: 'button', onclick: () => save('points.csv', 'text/csv', csvOf(model, state.shown)) }, 'Save as CSV');
  const fill = (): void => {
    host.replaceChildren(table<number>({
      caption: `${format.counted(state.shown.length, 'point')}: the front first, then by ${model.objectives[0].title}`, rows: state.shown, columns: columnsOf(state, all), first: 20, step: 200, pick: (point) => state.choose(point), empty: 'No matching points.',
    }));
  };
  state.onChange((change) => change === 'shown' && fill());
  fill();
  return el('div', {}, el('div', { class: 'controls row' }, button, rest && more, el('span', { class: 'muted' }, `The filtered points, in base units. ${sameForAll(model)}`)), host);
}
