// SPDX-License-Identifier: Apache-2.0
//
// Where a rank's time went: the five parts that sum to the step, how they look, and the bar that shows them.
import type { RankColumns, RunData } from '../../data';
import { el, styled, type Child } from '../../dom';
import { percent, time } from '../../format';
import './ranks.css';

export type PartId = 'exposedCompute' | 'overlapped' | 'exposedComm' | 'exposedMemory' | 'idle';

export interface Part {
  id: PartId;
  title: string;
  fill: 'compute' | 'overlapped' | 'communication' | 'memory' | 'idle'; // a class in theme.css
  note: string;
}

export const parts: readonly Part[] = [
  { id: 'exposedCompute', title: 'exposed compute', fill: 'compute', note: 'only computing' },
  { id: 'overlapped', title: 'overlapped', fill: 'overlapped', note: 'computing while communicating or accessing memory' },
  { id: 'exposedComm', title: 'exposed communication', fill: 'communication', note: 'communicating without computing' },
  { id: 'exposedMemory', title: 'exposed memory', fill: 'memory', note: 'only accessing remote memory' },
  { id: 'idle', title: 'idle', fill: 'idle', note: 'no activity: waiting for a message, or finished before the last rank' },
];

export const partById = new Map(parts.map((part) => [part.id, part]));

// The mean over ranks, in the order of `parts`.
export function meanParts(rank: RankColumns): number[] {
  return parts.map(({ id }) => {
    const column = rank[id];
    return column.length === 0 ? 0 : column.reduce((sum, value) => sum + value, 0) / column.length;
  });
}

export function swatch(part: Part): HTMLElement {
  return el('i', { class: `swatch ${part.fill}`, 'aria-hidden': true });
}

// One bar of the parts in `order`; its whole width is `whole`.
export function partBar(values: Record<PartId, number>, order: readonly Part[], whole: number, label: string): HTMLElement {
  const pieces = order.filter(({ id }) => values[id] > 0).map((part) => styled(
    el('span', { class: `fill ${part.fill}`, title: `${part.title}: ${time(values[part.id])}` }),
    { width: `${(100 * values[part.id]) / whole}%` },
  ));
  return el('div', { class: 'part-bar', role: 'img', 'aria-label': label }, pieces);
}

export function inWords(values: Record<PartId, number>, whole: number): string {
  return parts
    .filter(({ id }) => values[id] > 0)
    .map(({ id, title }) => `${title} ${time(values[id])} (${percent(whole ? values[id] / whole : 0)})`)
    .join(', ');
}

// The mean over ranks as one big bar, whose whole width is `end`, with its figures below.
export function meanFigure(run: RunData, end: number): HTMLElement {
  const mean = meanParts(run.rank);
  const values = Object.fromEntries(parts.map(({ id }, i) => [id, mean[i]])) as Record<PartId, number>;
  const figures: Child[] = parts.map((part, i) =>
    el('div', { class: mean[i] > 0 ? 'part-figure' : 'part-figure none' },
      el('dt', {}, swatch(part), part.title),
      el('dd', {}, el('strong', { class: 'figures' }, percent(run.step ? mean[i] / run.step : 0)), ' ',
        el('span', { class: 'figures' }, time(mean[i])), el('small', {}, part.note))));
  return el('div', { class: 'mean' },
    partBar(values, parts, end || 1, `Mean over ranks: ${inWords(values, run.step)}`),
    el('dl', { class: 'part-figures' }, figures));
}
