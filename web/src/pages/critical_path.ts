// SPDX-License-Identifier: Apache-2.0
//
// What the length of the step hangs on: every moment of it, on which rank and why.

import { spanKinds, type ErrorClassData } from '../data';
import { el, pageLink, styled, type Child } from '../dom';
import * as format from '../format';
import type { Context, Page } from '../page';
import { table } from '../table';
import { roleOfCause } from '../theme';
import { byCause, byOperation, longest, paler, sentences, titles, type CauseShare, type Operation } from './path/causes';
import { Waterfall } from './path/waterfall';
import './path/path.css';

const mostListed = 200;

export const criticalPath: Page = {
  id: 'critical-path',
  title: 'Critical path',
  has: (run) => run.path.start.length > 0,
  render(host, context) {
    const { run } = context;
    if (run.path.start.length === 0) {
      host.append(el('p', { class: 'card' }, run.stalled
        ? 'The run stalled before any node ended, so there is no critical path.'
        : 'This run was recorded without a critical path.'));
      return undefined;
    }
    const waterfall = new Waterfall(context, (segment) => context.go('timeline', placeOf(context, segment)));
    host.append(intro(context), causes(context), picture(waterfall), operations(context), stretches(context), ...errors(context));
    return () => waterfall.destroy();
  },
};

// Where in the timeline a segment is.
function placeOf(context: Context, segment: number): Record<string, number> {
  const { path, step } = context.run;
  const length = path.end[segment] - path.start[segment];
  const room = Math.max(length, step / 1000);
  return { from: Math.round(path.start[segment] - room), to: Math.round(path.end[segment] + room), rank: path.rank[segment], at: path.start[segment] };
}

function intro(context: Context): HTMLElement {
  const { run } = context;
  const ranks = new Set(run.path.rank).size;
  const merged = run.pathSegments > run.path.start.length
    ? ` The ${format.count(run.pathSegments)} segments are shown as ${format.count(run.path.start.length)}: short neighbors are merged.` : '';
  return el('p', {},
    `${format.counted(run.pathSegments, 'segment')} on ${format.counted(ranks, 'rank')} cover the step without gaps from 0 to ` +
    `${format.time(run.path.end[run.path.end.length - 1])}. A shorter segment makes the step shorter, until another path is the longest.${merged}`);
}

// A square in a cause's color; the second of a pair is striped.
function swatch(cause: number, kind = 1): HTMLElement {
  return el('i', { class: `swatch cp-fill ${roleOfCause(cause, kind)}${paler[cause] ? ' paler' : ''}` });
}

function causes(context: Context): HTMLElement {
  const shares = byCause(context.run);
  const spoken = shares.map(({ cause, share }) => `${titles[cause]} ${format.percent(share)}`).join(', ');
  return el('section', { class: 'card' }, el('h2', {}, 'Causes of the step time'),
    el('div', { class: 'cp-bar', role: 'img', 'aria-label': spoken }, shares.map(part)),
    el('ul', { class: 'cp-causes' }, shares.map(({ cause, time, share }) => el('li', {},
      el('div', { class: 'cp-figures' }, el('span', {}, swatch(cause), el('strong', {}, titles[cause])),
        el('span', { class: 'number' }, `${format.percent(share)} · ${format.time(time)}`)),
      el('div', { class: 'muted' }, sentences[cause])))));
}

function part({ cause, time, share }: CauseShare): HTMLElement {
  const text = share > 0.08 ? `${Math.round(share * 100)} %` : '';
  return styled(el('span', { class: `cp-fill ${roleOfCause(cause, 1)}${paler[cause] ? ' paler' : ''}`, title: `${titles[cause]}: ${format.time(time)}` },
    text && el('b', {}, text)), { flex: `${time} 0 0` });
}

function picture(waterfall: Waterfall): HTMLElement {
  const button = (text: string, label: string, press: () => void): HTMLElement =>
    el('button', { type: 'button', 'aria-label': label, title: label, onclick: press }, text);
  return el('section', { class: 'card' },
    el('div', { class: 'cp-head' }, el('h2', {}, 'The path from rank to rank'),
      el('div', { class: 'tl-group cp-zoom', role: 'group', 'aria-label': 'Zoom' },
        button('+', 'Zoom in', () => waterfall.by(0.5)), button('−', 'Zoom out', () => waterfall.by(2)),
        button('Fit', 'The complete step', () => waterfall.fit()))),
    waterfall.element,
    el('p', { class: 'muted cp-hint' }, 'Drag to pan, Ctrl + wheel to zoom, click a segment to see it in the timeline.'));
}

function named(context: Context, name: string, segment: number): Child {
  return pageLink('timeline', placeOf(context, segment), el('span', { class: 'name cp-name' }, format.nameOf(name)));
}

function caused(cause: number, kind: number): Child {
  return el('span', { class: 'cp-nowrap' }, swatch(cause, kind), cause === 0 ? `Work (${spanKinds[kind]})` : titles[cause]);
}

function operations(context: Context): HTMLElement {
  const { run } = context;
  const rows = byOperation(run);
  return el('section', { class: 'card' }, el('h2', {}, 'By operation'), table<Operation>({
    caption: 'Time on the critical path by name and cause; # is any number; a name links to its longest segment',
    rows,
    first: 12,
    sort: { column: 2, down: true },
    columns: [
      { title: 'Name', cell: (row) => named(context, row.title, row.longest), key: (row) => row.title },
      { title: 'Cause', cell: (row) => caused(row.cause, row.kind), key: (row) => titles[row.cause] },
      { title: 'Time', number: true, cell: (row) => format.time(row.time), key: (row) => row.time },
      { title: 'Share', number: true, cell: (row) => shareBar(row.time / run.step), key: (row) => row.time },
      { title: 'Count', number: true, cell: (row) => format.count(row.count), key: (row) => row.count, note: 'Number of segments' },
      { title: 'Ranks', number: true, cell: (row) => format.count(row.ranks), key: (row) => row.ranks },
    ],
  }));
}

// A share of the step, with a bar to compare by eye.
function shareBar(share: number): Child {
  return el('span', { class: 'cp-share' }, styled(el('i', { 'aria-hidden': true }), { width: `${Math.min(100, share * 100)}%` }), el('b', {}, format.percent(share)));
}

function stretches(context: Context): HTMLElement {
  const { path, step, names } = context.run;
  const rows = longest(context.run, mostListed);
  const length = (i: number): number => path.end[i] - path.start[i];
  return el('section', { class: 'card' }, el('h2', {}, 'Longest segments'), table<number>({
    caption: `The ${format.counted(rows.length, 'longest segment')}; a name links to the timeline`,
    rows,
    first: 12,
    sort: { column: 4, down: true },
    pick: (i) => context.go('timeline', placeOf(context, i)),
    columns: [
      { title: 'Name', cell: (i) => named(context, names[path.name[i]], i), key: (i) => names[path.name[i]] },
      { title: 'Rank', number: true, cell: (i) => String(path.rank[i]), key: (i) => path.rank[i] },
      { title: 'Cause', cell: (i) => caused(path.cause[i], path.kind[i]), key: (i) => titles[path.cause[i]] },
      { title: 'Start', number: true, cell: (i) => format.time(path.start[i]), key: (i) => path.start[i] },
      { title: 'Length', number: true, cell: (i) => format.time(length(i)), key: length },
      { title: 'Share', number: true, cell: (i) => shareBar(length(i) / step), key: length },
    ],
  }));
}

// Sources of the path's times, and their errors.
function errors(context: Context): HTMLElement[] {
  const { run } = context;
  const { band } = run;
  const all = run.provenance.reduce((sum, { time }) => sum + time, 0);
  const parts = [...run.provenance].sort((a, b) => b.time - a.time).map(({ name, time }) => `${name} ${format.percent(time / all)}`);
  const standing = parts.length > 0 ? [el('p', {}, `Sources of the path's times: ${parts.join(', ')}.`)] : [];
  if (run.noInterval) standing.unshift(el('p', {}, `No prediction interval: ${run.noInterval}.`));
  if (!band) return standing.length > 0 ? [el('section', { class: 'card' }, el('h2', {}, 'Sources'), ...standing)] : [];
  const share = (part: number, whole: number): string => `${part < 0 ? '−' : '+'}${format.percent(whole > 0 ? Math.abs(part) / whole : 0)}`;
  const off = ({ time, least, most }: ErrorClassData): string =>
    least === null || most === null ? 'unknown' : least === 0 && most === 0 ? 'none' : `${share(least, time || run.step)} to ${share(most, time || run.step)}`;
  const unknown = band.unknown ? ` ${band.unknown} has no known error and counts as ${context.data.unknownError}.` : '';
  return [el('section', { class: 'card' }, el('h2', {}, 'Prediction interval'),
    el('p', {}, `80 % prediction interval, from measured errors: ${format.time(band.least)} to ${format.time(band.most)}. Widest term: ${band.widest}. ` +
      `Errors within a row of the table are fully correlated, errors of different rows are independent. Rows without time are errors of the complete step.${unknown}`),
    ...standing,
    table<ErrorClassData>({
      caption: 'The critical path by source of its times',
      rows: run.errorClasses,
      first: 12,
      sort: { column: 1, down: true },
      columns: [
        { title: 'Source', cell: (row) => row.name, key: (row) => row.name },
        { title: 'Time', number: true, cell: (row) => format.time(row.time), key: (row) => row.time },
        { title: 'Share', number: true, cell: (row) => shareBar(row.time / run.step), key: (row) => row.time },
        { title: '80 % interval', number: true, cell: off, key: (row) => (row.most ?? 0) - (row.least ?? 0) },
      ],
    }))];
}
