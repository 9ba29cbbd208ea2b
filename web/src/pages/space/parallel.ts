// SPDX-License-Identifier: Apache-2.0
//
// Parallel coordinates: an upright for each dimension, a line for each point; dragging along an upright keeps what
// goes through there.
import { el, styled } from '../../dom';
import type { Context } from '../../page';
import { scrollRegion } from '../../scroll';
import { Canvas } from './canvas';
import { several, type Dimension, type Model } from './model';
import { bottom, mostLines, paintCoordinates, paintLines, top, uprightAt, type Uprights } from './parallel_paint';
import { scaleOf } from './scale';
import type { State } from './state';

export interface Parallel {
  element: HTMLElement;
  readonly dims: readonly Dimension[];
  placeOf(dim: number, value: number): { x: number; y: number };
  dispose(): void;
}

const height = 340;
const least = 78; // CSS pixels between two uprights

// Axes, then objectives, then what else is often asked for; of these all that tell points apart.
export function uprightsOf(model: Model, all: boolean): Dimension[] {
  const usual = ['step', 'mfu', 'memory'];
  return model.dims.filter((dim) => several(dim) && (dim.kind === 'axis' || (dim.kind === 'figure' && (all || model.objectives.includes(dim) || usual.includes(dim.name)))));
}

export function makeParallel(context: Context, state: State): Parallel {
  const { model } = state;
  if (uprightsOf(model, true).length === 0) return { element: el('p', { class: 'muted' }, 'All points are equal in all axes and figures.'), dims: [], placeOf: () => ({ x: 0, y: 0 }), dispose: () => undefined };
  const uprights: Uprights = { dims: uprightsOf(model, false), scales: [], brush: null };
  const canvas = new Canvas(context, () => height, [(brush) => {
    uprights.scales = uprights.dims.map((dim) => scaleOf(dim, height - bottom, top, 26));
    paintLines(brush, state, uprights);
  }, (brush) => paintCoordinates(brush, state, uprights)]);
  const heads = el('div', { class: 'sp-heads' });
  const stage = el('div', { class: 'sp-stage sp-brushed', role: 'img' }, heads, canvas.element);
  const inner = el('div', {}, stage);
  const lay = (): void => {
    styled(inner, { 'min-width': `${uprights.dims.length * least}px` });
    heads.replaceChildren(...uprights.dims.map((dim, i) => styled(el('span', { class: 'name', title: dim.about }, dim.title, dim.kind === 'axis' ? '' : dim.more ? ' ▲' : ' ▼'),
      { left: `${((i + 0.5) / uprights.dims.length) * 100}%`, width: `${96 / uprights.dims.length}%` })));
    stage.setAttribute('aria-label', `Parallel coordinates of ${uprights.dims.map((dim) => dim.title).join(', ')}. The fields under “Filters” do the same with the keyboard.`);
    canvas.redraw();
  };
  brushing(canvas, state, uprights);
  state.onChange((change) => canvas.redraw(change === 'shown' ? undefined : 1));
  const more = el('button', { type: 'button', 'aria-pressed': false }, 'All figures');
  more.addEventListener('click', () => {
    const all = more.getAttribute('aria-pressed') !== 'true';
    more.setAttribute('aria-pressed', String(all));
    uprights.dims = uprightsOf(model, all);
    lay();
  });
  lay();
  const note = model.count > mostLines ? ` ${mostLines.toLocaleString('en')} lines at most are shown, sampled evenly by ${model.objectives[0].title}; filters apply to all points.` : '';
  return {
    element: el('div', {},
      el('div', { class: 'controls row' }, uprightsOf(model, true).length > uprights.dims.length && more,
        el('span', { class: 'muted' }, `Drag along an axis to filter by a range, click the axis to remove the filter. Darker lines are better in ${model.objectives[0].title}.${note}`)),
      scrollRegion('Parallel coordinates', inner).frame),
    get dims() {
      return uprights.dims;
    },
    placeOf: (dim, value) => ({ x: uprightAt(dim, uprights.dims.length, canvas.width), y: uprights.scales[dim].at(value) }),
    dispose: () => canvas.dispose(),
  };
}

function brushing(canvas: Canvas, state: State, uprights: Uprights): void {
  const { element } = canvas;
  let begin = 0;
  const place = (event: PointerEvent): [number, number] => {
    const box = element.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  element.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    const [x, y] = place(event);
    const { dims } = uprights;
    const dim = Math.min(dims.length - 1, Math.max(0, Math.floor((x / canvas.width) * dims.length)));
    if (dims.length === 0 || Math.abs(uprightAt(dim, dims.length, canvas.width) - x) > 24) return;
    element.setPointerCapture(event.pointerId);
    begin = y;
    uprights.brush = { dim, from: y, to: y };
    event.preventDefault();
  });
  element.addEventListener('pointermove', (event) => {
    if (!uprights.brush) return;
    uprights.brush.to = place(event)[1];
    canvas.redraw(1);
  });
  const end = (): void => {
    const { brush } = uprights;
    uprights.brush = null;
    if (!brush) return;
    const dim = uprights.dims[brush.dim];
    if (Math.abs(brush.to - begin) < 4) state.filter(dim, null);
    else {
      const [a, b] = [uprights.scales[brush.dim].back(brush.from), uprights.scales[brush.dim].back(brush.to)];
      const [low, high] = [Math.min(a, b), Math.max(a, b)];
      // A label is in where its middle is.
      state.filter(dim, dim.labels ? [Math.ceil(low), Math.floor(high)] : [low, high]);
    }
    canvas.redraw(1);
  };
  element.addEventListener('pointerup', end);
  element.addEventListener('pointercancel', () => {
    uprights.brush = null;
    canvas.redraw(1);
  });
}
