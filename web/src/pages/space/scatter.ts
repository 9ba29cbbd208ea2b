// SPDX-License-Identifier: Apache-2.0
//
// Points over two dimensions: what pointers and keys do, and what is said of the point under the pointer.
import { el } from '../../dom';
import type { Context } from '../../page';
import { Canvas, placeBeside } from './canvas';
import { planOf, pointWords, stepWords, type Dimension } from './model';
import { nearest, paintPlot, paintTop, type Plot } from './scatter_paint';
import type { State } from './state';

export interface Scatter {
  element: HTMLElement;
  plot: Plot;
  lay(x: Dimension, y: Dimension): void;
  placeOf(point: number): { x: number; y: number };
  dispose(): void;
}

function describe(state: State, point: number): HTMLElement {
  const { model } = state;
  const lines: [string, string][] = [['step', stepWords(model, point)]];
  for (const dim of model.objectives) if (dim.name !== 'step') lines.push([dim.title, dim.text(dim.values[point])]);
  if (model.front[point]) lines.push(['front', 'on the Pareto front']);
  return el('div', {}, el('strong', { class: 'name' }, pointWords(model, point)),
    el('dl', {}, lines.map(([label, text]) => [el('dt', {}, label), el('dd', {}, text)])),
    el('div', { class: 'muted name' }, planOf(model, point)));
}

// Along x by left and right, Home and End, along y by up and down.
function step(state: State, plot: Plot, key: string): number {
  const dim = key === 'ArrowUp' || key === 'ArrowDown' ? plot.y : plot.x;
  const other = dim === plot.x ? plot.y : plot.x;
  const order = state.shown.filter((i) => Number.isFinite(plot.x.values[i]) && Number.isFinite(plot.y.values[i]))
    .sort((a, b) => dim.values[a] - dim.values[b] || other.values[a] - other.values[b] || a - b);
  if (order.length === 0) return -1;
  if (key === 'Home') return order[0];
  if (key === 'End') return order[order.length - 1];
  const at = order.indexOf(state.chosen);
  if (at < 0) return order[0];
  return order[Math.min(order.length - 1, Math.max(0, at + (key === 'ArrowRight' || key === 'ArrowUp' ? 1 : -1)))];
}

export function makeScatter(context: Context, state: State, plot: Plot, label: string, height: () => number): Scatter {
  const canvas = new Canvas(context, height, [(brush) => paintPlot(brush, state, plot), (brush) => paintTop(brush, state, plot)]);
  const tip = el('div', { class: 'floating sp-tip', hidden: true, 'aria-hidden': true });
  const stage = el('div', { class: 'sp-stage', tabindex: 0, role: 'application', 'aria-roledescription': 'picture', 'aria-label': `${label}. Arrow keys go from point to point.` }, canvas.element, tip);
  const under = (event: MouseEvent): [number, number] => {
    const box = canvas.element.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  stage.addEventListener('pointermove', (event) => {
    const [x, y] = under(event);
    const point = nearest(state, plot, x, y);
    state.hover(point);
    tip.hidden = point < 0;
    if (point < 0) return;
    tip.replaceChildren(describe(state, point));
    placeBeside(tip, stage, x, y);
  });
  stage.addEventListener('pointerleave', () => {
    tip.hidden = true;
    state.hover(-1);
  });
  stage.addEventListener('click', (event) => state.choose(nearest(state, plot, ...under(event), 20)));
  stage.addEventListener('keydown', (event) => {
    if (!/^(Arrow|Home|End)/.test(event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    state.choose(step(state, plot, event.key));
  });
  state.onChange((change) => canvas.redraw(change === 'shown' ? undefined : 1));
  return {
    element: stage,
    plot,
    lay(x, y) {
      [plot.x, plot.y] = [x, y];
      canvas.redraw();
    },
    placeOf: (point) => ({ x: plot.scales!.x.at(plot.x.values[point]), y: plot.scales!.y.at(plot.y.values[point]) }),
    dispose: () => canvas.dispose(),
  };
}
