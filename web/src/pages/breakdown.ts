// SPDX-License-Identifier: Apache-2.0
//
// Where every rank's time went, which rank is unlike the others, and who waited for whom.
import { el, pageLink } from '../dom';
import type { Context, Page } from '../page';
import { table } from '../table';
import { longestStep } from '../ticks';
import { meanFigure, parts, swatch } from './ranks/parts';
import { oddRanks, orderOf, sortKey, sortKeys, type Odd, type SortKey } from './ranks/order';
import { rankField, rankIn } from './ranks/find';
import { drawRows, figure, type Shown } from './ranks/rows';
import { Strip } from './ranks/strip';

const mostRows = 32; // more ranks than these stand on a strip
const mostSentences = 5;

interface Choice {
  sort: SortKey;
  shares: boolean;
  found: number | null; // a rank
}

function oddText(odd: readonly Odd[], ranks: number): HTMLElement {
  if (ranks < 3) return el('div');
  if (odd.length === 0) {
    return el('p', { class: 'muted' }, 'No outliers: all ranks are close to the median in compute, memory, waiting, communication and idle time.');
  }
  const rest = odd.length - mostSentences;
  return el('div', {},
    el('ul', { class: 'odd-list' }, odd.slice(0, mostSentences).map(({ rank, sentence }) =>
      el('li', {}, pageLink('timeline', { rank }, `rank ${rank}`), sentence.replace(/^rank \d+/, ''), '.'))),
    rest > 0 && el('p', { class: 'muted' }, `${rest} more ${rest === 1 ? 'rank is' : 'ranks are'} far from the median; also marked ▲.`));
}

function legend(): HTMLElement {
  return el('ul', { class: 'legend' },
    parts.map((part) => el('li', { title: part.note }, swatch(part), part.title)),
    el('li', {}, el('span', { class: 'waited-key', 'aria-hidden': true }), 'waited for peers'),
    el('li', {}, el('span', { class: 'odd-mark', 'aria-hidden': true }, '▲ '), 'far from the median'));
}

// Sort and unit; both columns of a comparison follow.
function controls(context: Context, choice: Choice, changed: (choice: Choice) => void): HTMLElement {
  const sort = el('select', { 'aria-label': 'Sort ranks by' },
    sortKeys.map(({ key, title }) => el('option', { value: key, selected: key === choice.sort }, key === 'rank' ? 'rank number' : `${title}, descending`)));
  const unit = (shares: boolean, text: string): HTMLButtonElement =>
    el('button', { type: 'button', 'aria-pressed': String(choice.shares === shares), onclick: () => tell({ ...now, shares }) }, text);
  const [times, percents] = [unit(false, 'Time'), unit(true, 'Percent')];
  const ranks = rankField(context.run.ranks, (found) => tell({ ...now, found }));
  ranks.show(choice.found);
  let now = choice;
  const tell = (next: Choice): void => {
    context.shared.dispatchEvent(new CustomEvent('choice', { detail: next }));
  };
  sort.addEventListener('change', () => tell({ ...now, sort: sortKey(sort.value) }));
  context.shared.addEventListener('choice', (event) => {
    now = (event as CustomEvent<Choice>).detail;
    sort.value = now.sort;
    ranks.show(now.found);
    times.setAttribute('aria-pressed', String(!now.shares));
    percents.setAttribute('aria-pressed', String(now.shares));
    context.note({ ...(now.sort !== 'rank' && { sort: now.sort }), ...(now.shares && { unit: 'percent' }), ...(now.found !== null && { rank: now.found }) });
    changed(now);
  });
  return el('div', { class: 'controls' },
    el('label', {}, 'Sort by', sort), el('span', { class: 'together', role: 'group', 'aria-label': 'Unit' }, times, percents), ranks.element);
}

function rankTable(context: Context, shown: Shown): HTMLElement {
  const { run } = context;
  const text = (value: number): string => figure(value, run.step, shown.shares);
  return table<number>({
    caption: `Time of each of ${context.format.counted(run.ranks, 'rank')} by part`,
    rows: Array.from(shown.order),
    step: 500,
    columns: [
      { title: 'rank', cell: (rank) => pageLink('timeline', { rank }, String(rank)), key: (rank) => rank, number: true },
      ...parts.map(({ id, title, note }) => ({
        title, note, number: true, cell: (rank: number) => text(run.rank[id][rank]), key: (rank: number) => run.rank[id][rank],
      })),
      { title: 'waited', note: 'for peers, in collectives and receives', number: true, cell: (rank) => text(run.rank.waited[rank]), key: (rank) => run.rank.waited[rank] },
      { title: 'sent', number: true, cell: (rank) => context.format.bytes(run.rank.sentBytes[rank]), key: (rank) => run.rank.sentBytes[rank] },
    ],
  });
}

function stragglerTable(context: Context): HTMLElement {
  const { time, count } = context.format;
  return table({
    caption: 'Ranks that others waited for, and ranks that waited',
    rows: context.run.stragglers,
    empty: 'No rank waited for another.',
    first: 10,
    columns: [
      { title: 'rank', cell: ({ rank }) => pageLink('timeline', { rank }, `rank\u00a0${rank}`), key: ({ rank }) => rank },
      { title: 'others waited for it, in total', note: 'sum over the waiting ranks', number: true, cell: ({ caused }) => time(caused), key: ({ caused }) => caused },
      { title: 'it waited', number: true, cell: ({ waited }) => time(waited), key: ({ waited }) => waited },
      { title: 'came last', note: 'collectives where it arrived last while others waited', number: true, cell: ({ timesLast }) => `${count(timesLast)} ×`, key: ({ timesLast }) => timesLast },
    ],
  });
}

// Redraws by choice; the table is made when it is first looked at. `begin` draws, once the card is in the document.
function rankCard(context: Context, odd: readonly Odd[]): { card: HTMLElement; begin: () => void; end: () => void } {
  const { run } = context;
  const marked = new Set(odd.map(({ rank }) => rank));
  const picture = el('div');
  const figures = el('div');
  const details = el('details', {}, el('summary', {}, 'As a table'), figures);
  const strip = run.ranks > mostRows ? new Strip(picture, context) : null;
  let shown: Shown;
  const fill = (): void => {
    if (details.open) figures.replaceChildren(rankTable(context, shown));
  };
  const show = (choice: Choice): void => {
    const end = choice.shares ? run.step : longestStep(context.data.runs);
    shown = { order: orderOf(run.rank, choice.sort), sort: choice.sort, shares: choice.shares, end, odd: marked, found: choice.found };
    if (strip) strip.show(shown);
    else drawRows(picture, run, shown);
    fill();
  };
  details.addEventListener('toggle', fill);
  const first = { sort: sortKey(context.args.sort), shares: context.args.unit === 'percent', found: rankIn(context.args.rank ?? '', run.ranks) };
  const card = el('section', { class: 'card', 'aria-label': 'Every rank' },
    el('h2', {}, 'Every rank'), controls(context, first, show), legend(), picture, details);
  return { card, begin: () => show(first), end: () => strip?.dispose() };
}

export const breakdown: Page = {
  id: 'breakdown',
  title: 'Breakdown by rank',
  has: (run) => run.ranks > 0 && run.step > 0,
  render(host, context) {
    const { run } = context;
    if (run.ranks === 0) {
      host.append(el('p', { class: 'card' }, 'This run has no ranks.'));
      return undefined;
    }
    const odd = oddRanks(run);
    const ranks = rankCard(context, odd);
    host.append(
      el('section', { class: 'card', 'aria-label': 'Mean over ranks' },
        el('h2', {}, `Step time by part, mean over ${context.format.counted(run.ranks, 'rank')}`), meanFigure(run, longestStep(context.data.runs))),
      run.ranks < 3 ? '' : el('section', { class: 'card', 'aria-label': 'Outliers' }, el('h2', {}, 'Outliers'), oddText(odd, run.ranks)),
      ranks.card,
      el('section', { class: 'card', 'aria-label': 'Who waited for whom' }, el('h2', {}, 'Stragglers'), stragglerTable(context)));
    ranks.begin();
    return ranks.end;
  },
};
