// SPDX-License-Identifier: Apache-2.0
//
// Which points are shown. Pure.
import { planOf, type Dimension, type Model } from './model';

export type Range = [low: number, high: number]; // both belong to it
export type Filters = ReadonlyMap<Dimension, Range>;

// 1: shown. What is not known lies in no range.
export function maskOf(model: Model, filters: Filters, text: string): Uint8Array {
  const mask = new Uint8Array(model.count).fill(1);
  for (const [dim, [low, high]] of filters) {
    for (let i = 0; i < model.count; i++) if (!(dim.values[i] >= low && dim.values[i] <= high)) mask[i] = 0;
  }
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return mask;
  const fits = model.data.plans.map((plan) => plan.toLowerCase().includes(wanted));
  for (let i = 0; i < model.count; i++) if (!fits[model.data.plan[i]]) mask[i] = 0;
  return mask;
}

// "tp 2 to 8", "sharding zero1", "memory up to 40 GB"
export function rangeWords(dim: Dimension, [low, high]: Range): string {
  if (dim.labels) {
    const [first, last] = [Math.max(0, Math.ceil(low)), Math.min(dim.labels.length - 1, Math.floor(high))];
    if (first > last) return `${dim.title}: none`;
    return first === last ? `${dim.title} ${dim.labels[first]}` : `${dim.title} ${dim.labels[first]} to ${dim.labels[last]}`;
  }
  if (low <= dim.low) return `${dim.title} up to ${dim.text(high)}`;
  return high >= dim.high ? `${dim.title} from ${dim.text(low)}` : `${dim.title} ${dim.text(low)} to ${dim.text(high)}`;
}

// Points that no other beats in both, among those that are shown, the first by x; one of those that are equal in both.
export function frontOf(x: Dimension, y: Dimension, mask: Uint8Array): number[] {
  const [signX, signY] = [x.more ? -1 : 1, y.more ? -1 : 1];
  const order: number[] = [];
  for (let i = 0; i < mask.length; i++) if (mask[i] && Number.isFinite(x.values[i]) && Number.isFinite(y.values[i])) order.push(i);
  order.sort((a, b) => signX * (x.values[a] - x.values[b]) || signY * (y.values[a] - y.values[b]) || a - b);
  const front: number[] = [];
  let least = Infinity;
  for (const i of order) {
    const score = signY * y.values[i];
    if (score >= least) continue;
    least = score;
    front.push(i);
  }
  return front;
}

// Shown points: those on the front first, then by the first objective.
export function shownPoints(model: Model, mask: Uint8Array): number[] {
  const points: number[] = [];
  for (let i = 0; i < mask.length; i++) if (mask[i]) points.push(i);
  return points.sort((a, b) => model.front[b] - model.front[a] || model.rank[a] - model.rank[b]);
}

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

// RFC 4180, in base units.
export function csvOf(model: Model, points: readonly number[]): string {
  const dims = model.dims.filter((dim) => dim.name !== 'off');
  const head = [...dims.map((dim) => (dim.kind === 'predicted' ? `step_${dim.name}` : dim.name)), 'front', 'may_not_fit', 'plan'];
  const cell = (dim: Dimension, point: number): string =>
    (dim.labels ? dim.text(dim.values[point]) : Number.isFinite(dim.values[point]) ? String(dim.values[point]) : '');
  const lines = points.map((point) => [...dims.map((dim) => cell(dim, point)), String(model.front[point]), String(model.mayNotFit[point]), planOf(model, point)]);
  return [head, ...lines].map((line) => `${line.map(quoted).join(',')}\r\n`).join('');
}
