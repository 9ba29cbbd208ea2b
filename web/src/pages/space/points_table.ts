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

// Of what tells points apart; what is the same for all stands above.
function columnsOf(state: State): Column<number>[] {
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
    ...model.dims.filter((dim) => dim.kind === 'axis' && telling(dim)).map(column), ...model.dims.filter((dim) => dim.kind === 'figure' && telling(dim)).map(column),
    { title: 'source', note: 'source of the step time', cell: (point) => (model.data.simulated[point] > 0 ? 'simulation' : 'estimate'), key: (point) => (model.data.simulated[point] > 0 ? 0 : 1) },
    ...predicted.map(column),
    { title: 'plan', cell: (point) => el('span', { class: 'sp-plan' }, planOf(model, point)), key: (point) => planOf(model, point) }];
}

function sameForAll(model: Model): string {
  const same = model.dims.filter((dim) => (dim.kind === 'axis' || dim.kind === 'figure') && dim.low === dim.high && model.count > 1);
  return same.length === 0 ? '' : `Equal for all: ${same.map((dim) => `${dim.title} ${dim.text(dim.low)}`).join(', ')}.`;
}

export function makeTable(state: State): HTMLElement {
  const { model } = state;
  const host = el('div');
  const button = el('button', { type: 'button', onclick: () => save('points.csv', 'text/csv', csvOf(model, state.shown)) }, 'Save as CSV');
  const fill = (): void => {
    host.replaceChildren(table<number>({
      caption: `${format.counted(state.shown.length, 'point')}: the front first, then by ${model.objectives[0].title}`, rows: state.shown, columns: columnsOf(state), first: 20, step: 200, pick: (point) => state.choose(point), empty: 'No matching points.',
    }));
  };
  state.onChange((change) => change === 'shown' && fill());
  fill();
  return el('div', {}, el('div', { class: 'controls row' }, button, el('span', { class: 'muted' }, `The filtered points, in base units. ${sameForAll(model)}`)), host);
}
