// SPDX-License-Identifier: Apache-2.0
//
// A few ranks, one line each.
import type { RunData } from '../../data';
import { el, pageLink, styled } from '../../dom';
import { percent, time } from '../../format';
import { inWords, parts, partBar, type PartId } from './parts';
import { stackOf, type SortKey } from './order';

export interface Shown {
  order: Uint32Array;
  sort: SortKey;
  shares: boolean; // percent instead of times
  end: number; // of the axis: the step in percent, else the longest step of all runs
  odd: ReadonlySet<number>;
  found: number | null; // the rank that was looked for
}

export function partsOf(run: RunData, rank: number): Record<PartId, number> {
  return Object.fromEntries(parts.map(({ id }) => [id, run.rank[id][rank]])) as Record<PartId, number>;
}

export function figure(value: number, whole: number, shares: boolean): string {
  return shares ? percent(whole ? value / whole : 0) : time(value);
}

function row(run: RunData, rank: number, shown: Shown): HTMLElement {
  const values = partsOf(run, rank);
  const odd = shown.odd.has(rank);
  const label = `rank ${rank}: ${inWords(values, run.step)}; waited for peers ${time(run.rank.waited[rank])}`;
  const bar = partBar(values, stackOf(shown.sort), shown.end || 1, label);
  const waited = run.rank.waited[rank];
  if (waited > 0) {
    bar.append(styled(el('i', { class: 'waited', title: `waited for peers: ${time(waited)}` }), { width: `${(100 * waited) / (shown.end || 1)}%` }));
  }
  const value = shown.sort === 'rank' ? values.exposedCompute + values.overlapped : run.rank[shown.sort][rank];
  return el('li', { class: [odd && 'odd', shown.found === rank && 'found'].filter(Boolean).join(' '), 'data-rank': rank },
    pageLink('timeline', { rank }, `rank ${rank}`, odd && el('span', { class: 'odd-mark', title: 'far from the median' }, ' ▲')),
    bar,
    el('span', { class: 'figures' }, figure(value, run.step, shown.shares)));
}

export function drawRows(host: HTMLElement, run: RunData, shown: Shown): void {
  const what = shown.sort === 'rank' ? 'computing' : shown.sort === 'waited' ? 'waited' : parts.find(({ id }) => id === shown.sort)!.title;
  host.replaceChildren(el('ol', { class: 'rank-rows' },
    el('li', { class: 'head muted', 'aria-hidden': true }, el('span', {}, ''), axisOf(run, shown), el('span', {}, what)),
    Array.from(shown.order, (rank) => row(run, rank, shown))));
  if (shown.found !== null) host.querySelector('.found')?.scrollIntoView({ block: 'nearest' });
}

function axisOf(run: RunData, { shares, end }: Shown): HTMLElement {
  const marks = [0, 0.5, 1];
  return el('span', { class: 'axis figures' }, marks.map((at) => el('span', {}, figure(at * end, run.step, shares))));
}
