// SPDX-License-Identifier: Apache-2.0
//
// Two runs side by side: what changed, for better or worse, and which operations made it so.
import { pathCauses, type ComparisonData, type NodeChangeData, type RunData } from '../data';
import { el, pageLink, styled, type Child } from '../dom';
import { runTitles, unbroken } from '../format';
import type { Context, Page } from '../page';
import { table } from '../table';
import { inWords, meanParts, partBar, parts, swatch, type PartId } from './ranks/parts';
import './compare.css';

type Metric = ComparisonData['metrics'][number];

// 1: better, -1: worse, 0: as good.
function direction(change: number | null, moreIsBetter: boolean | null): number {
  if (change === null || moreIsBetter === null || Math.abs(change) < 0.0005) return 0;
  return change > 0 === moreIsBetter ? 1 : -1;
}

// A change as text that does not need its color.
function changeText(context: Context, change: number | null, moreIsBetter: boolean | null): Child {
  if (change === null) return el('span', { class: 'muted' }, '–');
  if (moreIsBetter === null && Math.abs(change) >= 0.0005) return context.format.change(change);
  const good = direction(change, moreIsBetter);
  if (good === 0) return el('span', { class: 'muted' }, 'same');
  return el('span', { class: good > 0 ? 'good' : 'bad' }, `${context.format.change(change)} ${good > 0 ? 'better' : 'worse'}`);
}

// The change as a bar from the middle: to the right is more. Half the width is ± 50 %, or more where one changed more.
function changeBar({ change, moreIsBetter }: Metric, most: number): HTMLElement {
  const bar = el('span', { class: 'change-bar', 'aria-hidden': true });
  if (change === null || change === 0) return bar;
  const size = (50 * Math.min(Math.abs(change), most)) / most;
  const fill = el('i', { class: moreIsBetter === null ? 'neutral' : direction(change, moreIsBetter) > 0 ? 'better' : 'worse' });
  bar.append(styled(fill, { width: `${size}%`, left: `${change > 0 ? 50 : 50 - size}%` }));
  return bar;
}

function headline(context: Context): HTMLElement {
  const [a, b] = context.data.runs;
  const { time, percent } = context.format;
  const change = a.step > 0 ? b.step / a.step - 1 : 0;
  const same = Math.abs(change) < 0.0005;
  const words = same ? 'B and A have the same step time' : `B is ${time(Math.abs(b.step - a.step))} ${change > 0 ? 'slower' : 'faster'} than A`;
  return el('div', { class: 'verdict' },
    el('p', { class: `big ${same ? '' : change > 0 ? 'bad' : 'good'}` }, words,
      !same && el('span', {}, ` (${percent(Math.abs(change))} ${change > 0 ? 'more' : 'less'})`)),
    sides(context), stepBars(context));
}

// Baseline, change and difference side by side.
function sides(context: Context): HTMLElement {
  const { runs, comparison } = context.data;
  const { time, percent, counted } = context.format;
  const [a, b] = runs;
  const [titleA, titleB] = runTitles(runs);
  const difference = b.step - a.step;
  const side = (name: string, step: string, ...more: Child[]): HTMLElement =>
    el('div', { class: 'side' }, el('h3', {}, name), el('p', { class: 'side-step figures' }, step), more);
  const run = ({ band, ranks }: RunData, title: string): Child => [
    el('p', {}, el('span', { class: 'name' }, title), `, ${unbroken(counted(ranks, 'rank'))}`),
    band && el('p', { class: 'muted' }, `80 % prediction interval: ${unbroken(time(band.least))} to ${unbroken(time(band.most))}`)];
  const share = a.step > 0 ? `${percent(Math.abs(difference) / a.step)} ${difference > 0 ? 'longer' : 'shorter'} than the baseline` : '';
  return el('div', { class: 'sides' },
    side('Baseline (A)', time(a.step), run(a, titleA)),
    side('Change (B)', time(b.step), run(b, titleB), changesOf(comparison!)),
    side('Difference (B − A)', signedTime(context, difference), el('p', {}, difference === 0 ? 'The step time is the same.' : share), bandLine(context)));
}

const signedTime = (context: Context, value: number): string =>
  (value === 0 ? 'none' : `${value < 0 ? '−' : '+'}${context.format.time(Math.abs(value))}`);

const shortFact = 90; // characters; longer ones are only in the table of inputs
const mostFacts = 6;

// What B has other than A: inputs and options, as far as they are short.
function changesOf({ facts: all }: ComparisonData): Child {
  const facts = all.filter(([key]) => !key.endsWith('hash'));
  const short = facts.filter(([, a, b]) => a.length <= shortFact && b.length <= shortFact && !`${a}${b}`.includes('\n')).slice(0, mostFacts);
  if (facts.length === 0) return el('p', { class: 'muted' }, 'Same inputs and options as the baseline.');
  const rest = facts.length - short.length;
  const value = (text: string): Child => (text === '' ? el('span', { class: 'muted' }, 'not stated') : el('span', { class: 'mono' }, text));
  return [short.length > 0 && el('dl', { class: 'pairs side-facts' }, short.map(([key, a, b]) => [
    el('dt', {}, key.replaceAll('_', ' ')), el('dd', { class: 'name' }, a !== '' && [value(a), ' → '], value(b))])),
  rest > 0 && el('p', { class: 'muted' }, `${short.length > 0 ? 'and ' : ''}${rest} ${rest === 1 ? 'entry' : 'entries'} in “Manifest” below`)];
}

// Whether the models can tell the two apart, knowing how far off they are.
function bandLine(context: Context): HTMLElement | null {
  const { band, noInterval } = context.data.comparison ?? {};
  if (noInterval) return el('p', { class: 'muted' }, `No prediction interval of the difference: ${noInterval}.`);
  if (!band) return null;
  const { time, signed } = { time: context.format.time, signed: (value: number) => (value < 0 ? '−' : '+') + context.format.time(Math.abs(value)) };
  const words = band.within ? 'it includes zero: either step may be shorter' : 'it excludes zero: the models identify the shorter step';
  const rest = band.unknown > 0 ? `; ${time(band.unknown)} of what differs has no known error and counts as ${context.data.unknownError}` : '';
  return el('p', { class: 'muted' }, `80 % prediction interval of the difference, from the measured errors of the models: ${unbroken(signed(band.least))} to ${unbroken(signed(band.most))}; ${words}${rest}.`);
}

// Both steps on one scale, each split by where its time went on average.
function stepBars(context: Context): HTMLElement {
  const { runs } = context.data;
  const longest = Math.max(1, ...runs.map(({ step }) => step));
  const lines = runs.map((run, i) => {
    const mean = meanParts(run.rank);
    const values = Object.fromEntries(parts.map(({ id }, at) => [id, mean[at]])) as Record<PartId, number>;
    return [el('b', {}, 'AB'[i]), partBar(values, parts, longest, `${'AB'[i]}, mean over ranks: ${inWords(values, run.step)}`),
      el('span', { class: 'figures' }, context.format.time(run.step))];
  });
  const used = parts.filter(({ id }) => runs.some((run) => run.rank[id].some((value) => value > 0)));
  return el('div', {}, el('div', { class: 'two-bars' }, lines),
    el('ul', { class: 'legend' }, used.map((part) => el('li', {}, swatch(part), part.title))));
}

function partTable(context: Context): HTMLElement {
  const [a, b] = context.data.runs;
  const [meanA, meanB] = [meanParts(a.rank), meanParts(b.rank)];
  return differences(context, 'Step time by part, mean over ranks', parts.map((part, i) => ({
    title: [swatch(part), part.title], a: meanA[i], b: meanB[i], good: part.id === 'overlapped' || part.id === 'exposedCompute' ? 0 : -1,
  })));
}

function pathTable(context: Context): HTMLElement {
  const [a, b] = context.data.runs;
  const words: Record<(typeof pathCauses)[number], string> = {
    work: 'work', bandwidth: 'bandwidth', latency: 'latency', queue: 'queueing for a busy resource', peer: 'waiting for a peer', idle: 'no recorded cause',
  };
  return differences(context, 'Critical path by cause', pathCauses.map((cause, i) => ({
    title: words[cause], a: a.pathByCause[i] ?? 0, b: b.pathByCause[i] ?? 0, good: -1,
  })));
}

// `good`: whether more of it is better (1), worse (-1) or neither.
function differences(context: Context, caption: string, lines: { title: Child; a: number; b: number; good: number }[]): HTMLElement {
  const { time } = context.format;
  const signed = (value: number): string => (value > 0 ? `+${time(value)}` : value < 0 ? `−${time(-value)}` : 'same');
  return table({
    caption,
    rows: lines.filter(({ a, b }) => a > 0 || b > 0),
    columns: [
      { title: '', cell: ({ title }) => title },
      { title: 'A', number: true, cell: ({ a }) => time(a), key: ({ a }) => a },
      { title: 'B', number: true, cell: ({ b }) => time(b), key: ({ b }) => b },
      { title: 'B − A', number: true, key: ({ a, b }) => b - a,
        cell: ({ a, b, good }) => el('span', { class: a === b ? 'muted' : (b - a) * good > 0 ? 'good' : (b - a) * good < 0 ? 'bad' : '' }, signed(b - a)) },
    ],
  });
}

function metricTable(context: Context, comparison: ComparisonData): HTMLElement {
  const meanings = new Map(context.run.metrics.map(({ name, meaning }) => [name, meaning]));
  const most = Math.max(0.5, ...comparison.metrics.map(({ change }) => Math.min(2, Math.abs(change ?? 0))));
  return table({
    caption: 'All metrics of both runs',
    first: 40,
    rows: comparison.metrics,
    columns: [
      { title: 'metric', cell: ({ name, title }) => el('span', { title: meanings.get(name) }, title), key: ({ title }) => title },
      { title: 'A', number: true, cell: ({ a }) => el('span', { class: 'long' }, a) },
      { title: 'B', number: true, cell: ({ b }) => el('span', { class: 'long' }, b) },
      { title: 'change', number: true, cell: (metric) => changeText(context, metric.change, metric.moreIsBetter), key: ({ change }) => change ?? 0 },
      { title: 'less · more', cell: (metric) => changeBar(metric, most) },
    ],
  });
}

function nodeTable(context: Context, caption: string, rows: readonly NodeChangeData[], empty: string): HTMLElement {
  const { time, nameOf } = context.format;
  return table({
    caption,
    rows,
    empty,
    columns: [
      { title: 'operation', cell: ({ name, kind, node }) => [el('span', { class: 'name' }, nameOf(name)), el('small', { class: 'muted block' }, node === '' ? kind : `${kind}, node ${node}`)], key: ({ name }) => name },
      { title: 'where', cell: ({ rank, ranks }) => (rank === null ? 'all ranks' : [pageLink('timeline', { rank }, `rank ${rank}`), ranks > 1 ? ` and ${ranks - 1} more` : '']), key: ({ rank }) => rank ?? -1 },
      { title: 'A', number: true, cell: ({ a }) => time(a), key: ({ a }) => a },
      { title: 'B', number: true, cell: ({ b }) => time(b), key: ({ b }) => b },
      { title: 'change', number: true, key: ({ a, b, ranks }) => (b - a) * Math.max(1, ranks),
        cell: ({ a, b, ranks }) => el('span', { class: b > a ? 'bad' : 'good' }, `${b > a ? '+' : '−'}${time(Math.abs(b - a))}${ranks > 1 ? ` × ${ranks} ranks` : ''}`) },
      { title: 'why', cell: ({ why }) => el('span', { class: 'why' }, why) },
    ],
  });
}

// Of a value of many lines, those that the other one lacks.
function ownLines(text: string, other: string): string {
  if (!text.includes('\n') || other === '') return text;
  const there = new Set(other.split('\n'));
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !there.has(line));
  return lines.length > 0 ? lines.join('\n') : '(the same lines in another order)';
}

function factTable(comparison: ComparisonData): HTMLElement {
  const value = (text: string, other: string): Child => (text === '' ? el('span', { class: 'muted' }, 'not stated') : el('span', { class: 'mono fact' }, ownLines(text, other)));
  return table({
    caption: 'Inputs and options of the two runs: only differences',
    rows: comparison.facts,
    empty: 'Both runs have the same inputs and options.',
    columns: [
      { title: 'fact', cell: ([key]) => key },
      { title: 'A', cell: ([, a, b]) => value(a, b) },
      { title: 'B', cell: ([, a, b]) => value(b, a) },
    ],
  });
}

function matching({ format }: Context, { matched, onlyA, onlyB }: ComparisonData): string {
  const only = onlyA + onlyB === 0 ? 'none is in only one run' : `${format.count(onlyA)} only in A, ${format.count(onlyB)} only in B`;
  return `${format.counted(matched, 'operation')} matched between the runs; ${only}.`;
}

export const compare: Page = {
  id: 'compare',
  title: 'Comparison',
  whole: true,
  shows: (data) => data.comparison !== null && data.runs.length === 2,
  render(host, context) {
    const comparison = context.data.comparison!;
    const card = (title: string, ...children: Child[]): HTMLElement => el('section', { class: 'card', 'aria-label': title }, el('h2', {}, title), children);
    host.append(
      card('Verdict', headline(context)),
      el('div', { class: 'compare-pair' }, card('Breakdown', partTable(context)), card('Critical path', pathTable(context))),
      card('Slower operations', el('p', { class: 'muted' }, matching(context, comparison)), nodeTable(context, 'Operations that are slower in B, largest change first', comparison.slower, 'No operation is slower.')),
      card('Faster operations', nodeTable(context, 'Operations that are faster in B, largest change first', comparison.faster, 'No operation is faster.')),
      card('Metrics', metricTable(context, comparison)),
      card('Manifest', factTable(comparison)));
  },
};
