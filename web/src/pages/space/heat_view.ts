// SPDX-License-Identifier: Apache-2.0
//
// The heat map as a table whose cells are colored: it can be read, printed and gone through by keyboard.
import { el, styled } from '../../dom';
import * as format from '../../format';
import type { Context } from '../../page';
import { scrollRegion } from '../../scroll';
import { inkOn } from '../../theme';
import { choice } from './controls';
import { goodness, heatOf, mixed } from './heat';
import { dimNamed, several, type Dimension } from './model';
import type { State } from './state';

export function makeHeat(context: Context, state: State): { element: HTMLElement; dispose(): void } {
  const { model } = state;
  const axes = model.dims.filter((dim) => dim.kind === 'axis' && several(dim));
  const figures = model.dims.filter((dim) => dim.kind === 'figure' || dim.kind === 'share');
  if (axes.length === 0) return { element: el('p', { class: 'muted' }, 'All points have the same values of all axes.'), dispose: () => undefined };
  const strongest = model.data.effects.map(({ axis }) => model.dims[axis]).filter((dim) => axes.includes(dim));
  const order = [...strongest, ...axes.filter((dim) => !strongest.includes(dim))];
  let [x, y, figure, mean]: [Dimension, Dimension | null, Dimension, boolean] = [order[0], order[1] ?? null, model.objectives[0], false];
  const host = el('div');
  const fill = (): void => host.replaceChildren(tableOf(context, state, x, y === x ? null : y, figure, mean));
  const named = (dims: Dimension[]): [string, string][] => dims.map((dim) => [dim.name, dim.label]);
  const controls = el('div', { class: 'controls row' },
    choice('Figure', named(figures), figure.name, (value) => { figure = dimNamed(model, value)!; fill(); }),
    choice('Across', named(axes), x.name, (value) => { x = dimNamed(model, value)!; fill(); }),
    axes.length > 1 && choice('Down', named(axes), y?.name ?? '', (value) => { y = dimNamed(model, value)!; fill(); }),
    choice('Over the other axes', [['best', 'the best'], ['mean', 'the mean']], 'best', (value) => { mean = value === 'mean'; fill(); }));
  state.onChange((change) => {
    if (change === 'shown') fill();
    if (change === 'chosen') mark(host, state);
  });
  const unsubscribe = context.theme.onChange(fill);
  fill();
  return { element: el('div', {}, controls, host), dispose: unsubscribe };
}

function mark(host: HTMLElement, state: State): void {
  for (const button of host.querySelectorAll<HTMLElement>('button[data-point]')) button.setAttribute('aria-pressed', String(Number(button.dataset.point) === state.chosen));
}

function tableOf(context: Context, state: State, x: Dimension, y: Dimension | null, figure: Dimension, mean: boolean): HTMLElement {
  const heat = heatOf(x, y, figure, mean, state.mask);
  const { colors } = context.theme;
  const cell = (row: number, column: number): HTMLElement => {
    const one = heat.cells[row][column];
    if (!one) return el('td', { class: 'sp-none' }, el('span', { class: 'hidden-visually' }, 'no point'));
    const fill = mixed(colors.card, colors.compute, 0.08 + 0.92 * goodness(heat, figure.more, one.value));
    const words = `${x.title} ${heat.across.words[column]}${y ? `, ${y.title} ${heat.down.words[row]}` : ''}: ${figure.title} ${figure.text(one.value)}, ${mean ? 'mean' : 'best'} of ${format.counted(one.count, 'point')}`;
    const button = el('button', { type: 'button', title: words, 'aria-label': `${words}. Select the best of them`, 'data-point': one.point, 'aria-pressed': one.point === state.chosen, onclick: () => state.choose(one.point) }, figure.text(one.value));
    return el('td', {}, styled(button, { background: fill, color: inkOn(fill) }));
  };
  const caption = `${mean ? 'Mean' : 'Best'} ${figure.title} by ${x.title}${y ? ` and ${y.title}` : ''}, over all other axes within the filters; darker is better. A click selects the best point of a cell.`;
  return scrollRegion('Heat map', el('table', { class: 'sp-heat' }, el('caption', {}, caption),
      el('thead', {}, el('tr', {}, el('th', { scope: 'col', class: 'name' }, y ? `${y.title} ↓  ${x.title} →` : x.title), heat.across.words.map((word) => el('th', { scope: 'col', class: 'name' }, word)))),
      el('tbody', {}, heat.cells.map((row, i) => el('tr', {}, el('th', { scope: 'row', class: 'name' }, heat.down.words[i]), row.map((_, j) => cell(i, j))))))).frame;
}
