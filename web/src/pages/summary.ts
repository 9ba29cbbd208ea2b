// SPDX-License-Identifier: Apache-2.0
//
// The first page: how long the step takes, where its time goes, what holds it up, and where to look next.
import type { RunData } from '../data';
import { el, hasPage, pageLink, styled, type Child } from '../dom';
import type { Context, Page } from '../page';
import { table } from '../table';
import { roleOfCause } from '../theme';
import { longestStep } from '../ticks';
import { byCause, paler, titles } from './path/causes';
import { meanFigure } from './ranks/parts';
import './path/path.css';
import './summary.css';

// Where to look next: only pages that this report has.
function next(pages: [page: string, title: string][]): Child {
  const links = pages.filter(([page]) => hasPage(page)).map(([page, title]) => pageLink(page, {}, title));
  return links.length > 0 && el('p', { class: 'sum-next' }, links.flatMap((link, i) => (i > 0 ? [' · ', link] : [link])));
}

function head({ data, run, format }: Context): HTMLElement {
  const unfinished = run.rank.finish.filter((finish) => finish === null).length;
  return el('div', { class: 'card sum-head' },
    el('p', { class: 'sum-step' }, el('span', { class: 'muted' }, run.stalled ? 'Stalled after' : 'Step time'),
      el('strong', {}, format.time(run.step)), el('span', { class: 'muted' }, `on ${format.counted(run.ranks, 'rank')}`)),
    run.band && el('p', { class: 'muted' }, `80 % prediction interval: ${format.unbroken(format.time(run.band.least))} to ${format.unbroken(format.time(run.band.most))}, `,
      pageLink('critical-path', {}, 'from measured errors'), `; widest term: ${run.band.widest}`),
    run.stalled && el('p', { class: 'bad', role: 'note' },
      `This run deadlocked: ${format.counted(unfinished, 'rank')} never finished. The figures cover the executed part.`),
    el('h2', {}, 'Step time by part, mean over ranks'),
    meanFigure(run, longestStep(data.runs)),
    next([['breakdown', 'Rank by rank'], ['timeline', 'Timeline']]));
}

// Which line leads where.
const leads: Record<string, string> = {
  Communication: 'collectives', 'Peak memory': 'memory', 'Critical path': 'critical-path', Interval: 'critical-path',
  'Slowest ranks': 'breakdown', 'Waited for': 'breakdown', Findings: 'findings', Models: 'manifest',
};

function lines({ run }: Context): HTMLElement {
  const label = (text: string): Child => (leads[text] ? pageLink(leads[text], {}, text) : text);
  return el('div', { class: 'card' }, el('h2', {}, 'Summary'),
    el('dl', { class: 'sum-lines' }, run.summary.map(([name, text]) => [el('dt', {}, label(name)), el('dd', { class: 'name' }, text)])));
}

function path({ run, format }: Context): Child {
  const shares = byCause(run);
  if (shares.length === 0) return null;
  const spoken = shares.map(({ cause, share }) => `${titles[cause]} ${format.percent(share)}`).join(', ');
  const look = (cause: number): string => `cp-fill ${roleOfCause(cause, 1)}${paler[cause] ? ' paler' : ''}`;
  return el('div', { class: 'card' }, el('h2', {}, 'What determines the step time'),
    el('p', { class: 'muted' }, 'The critical path by cause: shortening any other operation does not shorten the step.'),
    el('div', { class: 'cp-bar', role: 'img', 'aria-label': `Critical path: ${spoken}` },
      shares.map(({ cause, share, time }) => styled(
        el('span', { class: look(cause), title: `${titles[cause]}: ${format.time(time)}` }, share > 0.12 && el('b', {}, format.percent(share))),
        { flex: `${share} 0 0` }))),
    el('dl', { class: 'sum-lines' }, shares.map(({ cause, share, time }) => [
      el('dt', {}, el('i', { class: `swatch ${look(cause)}` }), titles[cause]), el('dd', { class: 'figures' }, `${format.time(time)} (${format.percent(share)})`)])),
    next([['critical-path', 'The complete path']]));
}

function machine({ run, format }: Context): HTMLElement {
  const { device, dims } = run;
  const played = device.name === '' && dims.length === 0; // a recording played again: on what it was made on
  const facts: [string, string][] = [['device', played ? 'as recorded' : format.nameOf(device.name)]];
  if (device.peakFlops > 0) facts.push(['peak', `${format.flops(device.peakFlops)}${device.peakPrecision ? ` (${format.nameOf(device.peakPrecision)})` : ''}`]);
  if (device.memoryCapacity > 0) facts.push(['memory', format.bytes(device.memoryCapacity)]);
  return el('div', { class: 'card' }, el('h2', {}, 'Machine'),
    el('dl', { class: 'sum-lines' }, facts.map(([name, text]) => [el('dt', {}, name), el('dd', { class: 'name' }, text)])),
    dims.length > 0 && table({
      caption: 'The network, innermost dimension first',
      columns: [
        { title: 'Shape', cell: (dim) => dim.block.replaceAll('_', ' ') },
        { title: 'Size', cell: (dim) => format.count(dim.size), number: true },
        { title: 'Bandwidth', cell: (dim) => format.rate(dim.bandwidth), number: true },
        { title: 'Latency', cell: (dim) => format.time(dim.latencyNs * 1000), number: true },
      ],
      rows: dims,
    }),
    next([['topology', 'Links and their load']]));
}

// "4.351 ms" never breaks between number and unit.
function unbroken(text: string): string {
  return text.replace(/(\d) (?=[a-zA-Z%])/g, '$1\u00a0');
}

function figures({ run }: Context): HTMLElement {
  return el('div', { class: 'card' }, el('h2', {}, 'All figures'), table({
    caption: 'All figures of this run and their meanings',
    columns: [
      { title: 'Figure', cell: (metric) => [metric.title, el('small', { class: 'sum-meaning muted' }, metric.meaning)] },
      { title: 'Value', cell: (metric) => el('strong', { class: 'figures' }, unbroken(metric.text)) },
    ],
    rows: run.metrics,
    first: 50,
  }));
}

function honesty(run: RunData, { format }: Context): Child {
  const words: string[] = [];
  if (run.spansShown === 'critical') words.push('The run file contains only critical spans; timelines show only these.');
  if (run.spansShown === 'none') words.push('The run file contains no spans, so there are no timelines.');
  if (run.spansLeftOut > 0) {
    words.push(`Timelines are thinned out: ${format.counted(run.spansLeftOut, 'short span')} are merged into faint blocks. Figures include all spans.`);
  }
  return words.length > 0 && el('p', { class: 'muted' }, words.join(' '));
}

export const summary: Page = {
  id: 'summary',
  title: 'Summary',
  has: () => true,
  render(host, context) {
    host.append(head(context),
      el('div', { class: 'sum-two' }, lines(context), el('div', {}, path(context), machine(context))),
      figures(context));
    const note = honesty(context.run, context);
    if (note) host.append(note as Node);
  },
};
