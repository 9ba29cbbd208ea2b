// SPDX-License-Identifier: Apache-2.0
//
// A space's points as columns, one for everything that they can be laid out by. Pure.
import * as format from '../../format';
import type { SpaceData } from '../../space_data';
import { axisLabel, figureText, offText, shortTitle, unitOf } from './figure_text';

export interface Dimension {
  name: string; // in addresses
  title: string;
  label: string; // of an axis of a picture: with the unit
  about: string;
  kind: 'axis' | 'figure' | 'share' | 'predicted';
  labels: readonly string[] | null; // of an axis: its values are their places
  ordered: boolean; // numbers that ascend
  more: boolean; // is better
  values: Float64Array; // by point; NaN: not known
  low: number; // of those that are known; NaN: none is
  high: number;
  unit: { unit: string; factor: number }; // in which a value is typed
  text(value: number): string;
}

export interface Model {
  data: SpaceData;
  count: number;
  dims: Dimension[]; // axes first, then figures, then what simulations tell
  objectives: Dimension[];
  front: Uint8Array; // 1: on it
  mayNotFit: Uint8Array; // 1: its memory may exceed that of a device
  off: Float64Array; // how far the estimate is off the simulation, as a share; NaN: not both are there
  shares: Map<number, number[]>; // by point, by part
  rank: Float64Array; // by the first objective, from 0, the best, to 1
}

function boundsOf(values: Float64Array): [number, number] {
  let [low, high] = [NaN, NaN];
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    if (!(value >= low)) low = value;
    if (!(value <= high)) high = value;
  }
  return [low, high];
}

function dimension(part: Omit<Dimension, 'low' | 'high' | 'label'>, label?: (largest: string) => string): Dimension {
  const [low, high] = boundsOf(part.values);
  const largest = Number.isFinite(high) ? part.text(high) : '';
  return { ...part, low, high, label: label?.(largest) ?? part.title };
}

function axisDims(data: SpaceData): Dimension[] {
  return data.axes.map(({ name, ordered, labels, at }) => dimension({
    name, title: name, about: 'an axis of the space', kind: 'axis', labels, ordered, more: false,
    values: Float64Array.from(at), unit: { unit: '', factor: 1 }, text: (value) => labels[Math.round(value)] ?? '',
  }));
}

function figureDims(data: SpaceData): Dimension[] {
  return data.figures.map(({ name, title, long, about, more, values }) => dimension({
    name, title: shortTitle(name, title, data.tokens), about, kind: 'figure', labels: null, ordered: true, more,
    values: Float64Array.from(values, (value) => value ?? NaN), unit: unitOf(name, data.currency), text: (value) => figureText(name, value, data.currency),
  }, (largest) => axisLabel(name, name === 'devices' ? title : long ?? title, largest, data.tokens)));
}

const percent = { unit: '%', factor: 0.01 };

function shareDims(data: SpaceData): Dimension[] {
  const { point, parts } = data.shares;
  if (point.length === 0) return [];
  return parts.map((part) => {
    const values = new Float64Array(data.count).fill(NaN);
    point.forEach((at, i) => { values[at] = part.values[i]; });
    return dimension({
      name: part.name, title: part.title, about: part.about, kind: 'share', labels: null, ordered: true, more: part.more,
      values, unit: percent, text: (value) => (Number.isFinite(value) ? `${(value * 100).toFixed(1)} %` : '–'),
    }, () => `${part.title} (% of the step)`);
  });
}

// What both methods predict, and how far they are apart.
function toldDims(data: SpaceData, off: Float64Array): Dimension[] {
  const step = (name: string, title: string, predicted: number[]): Dimension => dimension({
    name, title, about: `the step, ${title}`, kind: 'predicted', labels: null, ordered: true, more: false,
    values: Float64Array.from(predicted, (ps) => (ps > 0 ? ps * 1e-12 : NaN)), unit: { unit: 's', factor: 1 }, text: (value) => (Number.isFinite(value) ? format.time(value * 1e12) : '–'),
  }, (largest) => axisLabel(name, `step time, ${title}`, largest, data.tokens));
  return [
    step('estimated', 'estimated', data.estimated), step('simulated', 'simulated', data.simulated),
    dimension({ name: 'off', title: 'estimate error', about: '(estimate - simulation) / simulation', kind: 'predicted', labels: null, ordered: true, more: false, values: off, unit: percent, text: offText }, () => 'estimate error (%)'),
  ];
}

function ranked({ values, more }: Dimension): Float64Array {
  const order = Array.from(values, (_, i) => i);
  const key = (i: number): number => (Number.isFinite(values[i]) ? (more ? -values[i] : values[i]) : Infinity);
  order.sort((a, b) => (key(a) === key(b) ? a - b : key(a) - key(b)));
  const rank = new Float64Array(values.length);
  order.forEach((point, i) => { rank[point] = values.length > 1 ? i / (values.length - 1) : 0; });
  return rank;
}

export function layModel(data: SpaceData): Model {
  const off = Float64Array.from(data.estimated, (ps, i) => (ps > 0 && data.simulated[i] > 0 ? ps / data.simulated[i] - 1 : NaN));
  const figures = figureDims(data);
  const objectives = data.objectives.map((at) => figures[at]);
  const front = new Uint8Array(data.count);
  for (const point of data.front) front[point] = 1;
  const mayNotFit = new Uint8Array(data.count);
  for (const point of data.mayNotFit) mayNotFit[point] = 1;
  const { point, parts } = data.shares;
  return {
    data, count: data.count, dims: [...axisDims(data), ...figures, ...shareDims(data), ...toldDims(data, off)],
    objectives, front, mayNotFit, off, shares: new Map(point.map((at, i) => [at, parts.map(({ values }) => values[i])])), rank: ranked(objectives[0]),
  };
}

// The same, of those points only that have a value of `other`, too.
export function within(dim: Dimension, other: Dimension): Dimension {
  return dimension({ ...dim, values: dim.values.map((value, i) => (Number.isFinite(other.values[i]) ? value : NaN)) }, () => dim.label);
}

// Whether it tells any points apart.
export const several = (dim: Dimension): boolean => dim.high > dim.low;

export const dimNamed = (model: Model, name: string | undefined): Dimension | undefined => model.dims.find((dim) => dim.name === name);

// "tp 8, pp 4", of axes with several values where there are any.
export function pointWords(model: Model, point: number): string {
  const axes = model.dims.filter((dim) => dim.kind === 'axis');
  const telling = axes.filter((dim) => dim.labels!.length > 1);
  return (telling.length > 0 ? telling : axes).map((dim) => `${dim.title} ${dim.text(dim.values[point])}`).join(', ');
}

export const planOf = ({ data }: Model, point: number): string => data.plans[data.plan[point]] ?? '';

// What is known of its step: "3.194 s, simulated; the estimate is +0.25 % off".
export function stepWords({ data, off }: Model, point: number): string {
  const [estimated, simulated] = [data.estimated[point], data.simulated[point]];
  if (simulated === 0) return `${format.time(estimated)}, estimated`;
  return `${format.time(simulated)}, simulated${Number.isFinite(off[point]) ? `; estimate error ${offText(off[point])}` : ''}`;
}
