// SPDX-License-Identifier: Apache-2.0
//
// A recommender's embedding tables: which rank holds which, how much that is, and how long these ranks computed.
import { el, pageLink, styled } from '../dom';
import type { Context, Page } from '../page';
import { table } from '../table';
import { placementOf, type RankTables } from './placement/placement';
import './placement/placement.css';

const mostBars = 64; // ranks that are drawn; the table has all of them

// A bar of pieces, one per table; the longest rank's takes all the width.
function bars(context: Context, ranks: readonly RankTables[], title: string, what: 'bytes' | 'reads'): HTMLElement {
  const { format } = context;
  const most = Math.max(1, ...ranks.map((one) => one[what]));
  const mean = ranks.reduce((sum, one) => sum + one[what], 0) / ranks.length;
  const longest = ranks.reduce((a, b) => (b[what] > a[what] ? b : a));
  const spoken = `${title}: most on rank ${longest.rank}, ${format.bytes(Math.round(longest[what]))}; ${format.bytes(Math.round(mean))} on average.`;
  const rows = ranks.slice(0, mostBars).map((one) => [
    el('span', {}, `rank ${one.rank}`),
    el('div', { class: `placed-bar ${what}` }, one.tables.map((piece) => styled(
      el('span', { title: `table ${piece.number}: ${format.bytes(Math.round(piece[what]))}` }), { width: `${(100 * piece[what]) / most}%` }))),
  ]);
  return el('section', { class: 'card', 'aria-label': title }, el('h2', {}, title), el('p', { class: 'muted' }, spoken),
    el('div', { class: 'placed-rows', role: 'img', 'aria-label': spoken }, rows),
    ranks.length > mostBars && el('p', { class: 'muted' }, `The first ${mostBars} ranks of ${format.count(ranks.length)}.`));
}

function ranksTable({ format }: Context, ranks: readonly RankTables[]): HTMLElement {
  return table<RankTables>({
    caption: 'Tables of each rank, and its compute time in this run',
    rows: ranks,
    columns: [
      { title: 'rank', number: true, cell: ({ rank }) => pageLink('timeline', { rank }, String(rank)), key: ({ rank }) => rank },
      { title: 'tables', number: true, cell: ({ tables }) => format.count(tables.length), key: ({ tables }) => tables.length },
      { title: 'which', cell: ({ tables }) => tables.slice(0, 12).map(({ number }) => number).join(', ') + (tables.length > 12 ? ' …' : '') },
      { title: 'memory', number: true, cell: ({ bytes }) => format.bytes(bytes), key: ({ bytes }) => bytes },
      { title: 'read per sample', number: true, cell: ({ reads }) => format.bytes(Math.round(reads)), key: ({ reads }) => reads },
      { title: 'computed', note: 'lookups, MLPs and all other kernels', number: true, cell: ({ computes }) => format.time(computes), key: ({ computes }) => computes },
    ],
  });
}

export const tables: Page = {
  id: 'tables',
  title: 'Tables',
  has: (run) => placementOf(run).length > 0,
  render(host, context) {
    const ranks = placementOf(context.run);
    if (ranks.length === 0) {
      host.append(el('div', { class: 'card' }, el('p', {}, 'This run has no embedding tables on single ranks.')));
      return;
    }
    host.append(
      bars(context, ranks, 'Rows read per sample', 'reads'),
      bars(context, ranks, 'Memory of tables', 'bytes'),
      el('section', { class: 'card', 'aria-label': 'Rank by rank' }, el('h2', {}, 'Rank by rank'), ranksTable(context, ranks)));
  },
};
