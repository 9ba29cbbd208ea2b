// SPDX-License-Identifier: Apache-2.0
//
// The network: its dimensions, how busy their links were, where and when.

import { axis, chart, tooltip } from '../charts';
import type { RunData } from '../data';
import { el, pageLink } from '../dom';
import * as format from '../format';
import type { Context, Page } from '../page';
import { table } from '../table';
import type { Colors } from '../theme';
import { fabricCard, fabricPictureCard, hasFabric } from './links/fabric_page';
import { blockName, className, endsOf, hasPorts, mostOf, ofFabric, overTimeEnds, partsOf, peakOf, placesOf, scaleEnd, useByRank, useOf, useOfPart, useOverTime, wholeDimensions } from './links/figures';
import { makeGrid } from './links/grid';
import { legend } from './links/heat';
import { canDraw, makePicture } from './links/picture';
import { makeTooltip } from './links/tooltip';
import './links/links.css';

export const topology: Page = {
  id: 'topology',
  title: 'Topology',
  has: (run) => hasFabric(run) || hasLinkUse(run),
  render(host, context) {
    const { run } = context;
    if (hasFabric(run)) host.append(fabricCard(run));
    if (!ofFabric(run) && (!hasFabric(run) || run.links.dim.length > 0)) host.append(dimensions(run));
    if (!hasLinkUse(run)) {
      host.append(el('p', { class: 'card' }, 'No link carried traffic in this run, or link use was not recorded.'));
      return undefined;
    }
    const ends: (() => void)[] = [];
    host.append(el('p', { class: 'muted' }, notes(run)));
    host.append(ofFabric(run) ? fabricPictureCard(context, ends) : heatCard(context, ends));
    const over = el('section', { class: 'card' }, el('h2', {}, 'Use over time'));
    host.append(over);
    ends.push(overTime(over, context));
    host.append(busiest(run));
    return () => ends.forEach((end) => end());
  },
};

const hasLinkUse = (run: RunData): boolean => run.links.dim.length > 0 && run.links.bin > 0;

function notes(run: RunData): string {
  const ports = 'The analytical model has no individual links: here a “link” is the port of a rank into a dimension, and carries all data that the rank sends there. ';
  const undrawn = 'The analytical model uses dimensions instead of the fabric, so the fabric is not shown; --network flow simulates its links. ';
  const unseen = hasPorts(run) && hasFabric(run) ? undrawn : '';
  const kind = unseen + (hasPorts(run) ? ports : 'Each link carries bytes in one direction. ');
  const left = run.links.leftOut > 0
    ? `${format.counted(run.links.leftOut, 'link')} with less traffic omitted from this page. ` : '';
  return `${kind}Use is bytes carried over capacity × step. ${left}`;
}

function dimensions(run: RunData): HTMLElement {
  const parts = partsOf(run);
  return el('div', { class: 'grid' }, run.dims.map((dim, i) => {
    const use = useOfPart(run, parts[i].links);
    const facts: [string, string][] = [
      ['Bandwidth', format.rate(dim.bandwidth)],
      ['Latency', `${dim.latencyNs} ns`],
      ['Carried, all links', format.bytes(use.bytes)],
      ['Mean use', format.percent(use.mean)],
      ['Busiest', use.busiest < 0 ? '–' : `${format.percent(useOf(run, use.busiest))} (${endsOf(run, use.busiest)})`],
    ];
    return el('section', { class: 'card' },
      el('h2', {}, `Dimension ${i}: ${blockName(dim.block)} of ${dim.size}`),
      el('dl', { class: 'pairs' }, facts.map(([key, value]) => [el('dt', {}, key), el('dd', { class: 'number' }, value)])));
  }));
}

// The picture of a small system, or a grid per dimension, with one legend and one tooltip.
function heatCard(context: Context, ends: (() => void)[]): HTMLElement {
  const { run, theme } = context;
  const end = scaleEnd(mostOf(context.data.runs, useOf));
  const key = el('div', {});
  const places = el('div', { class: 'tp-places' });
  const paints: ((isDark: boolean, empty: string) => void)[] = [];
  const card = el('section', { class: 'card' }, el('h2', {}, 'Link use'), key, places);
  if (wholeDimensions(run)) {
    card.append(el('p', {}, `${format.counted(run.ranks, 'rank')} have too many links to list separately: use is shown as totals by dimension.`));
    return card;
  }
  if (canDraw(run)) {
    const tooltip = makeTooltip();
    const picture = makePicture(run, end, (link, x, y) => tooltip.show(link < 0 ? null : linkText(run, link), x, y));
    paints.push(picture.paint);
    places.append(tooltip.around(picture.element, 'tp-picture-host'));
    places.classList.add('both');
  }
  places.append(el('div', { class: 'tp-grids' }, run.dims.map((_, dim) => grid(run, dim, end, paints))));
  const paint = (): void => {
    key.replaceChildren(legend(end, theme.dark));
    paints.forEach((one) => one(theme.dark, theme.colors.muted));
  };
  const sizes = new ResizeObserver(paint);
  sizes.observe(card);
  ends.push(theme.onChange(paint), () => sizes.disconnect());
  paint();
  return card;
}

function grid(run: RunData, dim: number, end: number, paints: ((isDark: boolean, empty: string) => void)[]): HTMLElement {
  const tooltip = makeTooltip();
  const by = useByRank(run, dim);
  const made = makeGrid(run, dim, end, (rank, x, y) => {
    if (rank < 0) return tooltip.show(null, x, y);
    const link = by.link[rank];
    const title = `rank ${rank}, at ${placesOf(rank, run.dims).join(' · ')}`;
    const lines = link < 0 ? ['none of the shown links'] : [
      `busiest link: ${format.percent(by.use[rank])} of ${format.rate(run.links.capacity[link])}`,
      `sends ${format.bytes(by.sent[rank])}${by.received[rank] > 0 ? `, receives ${format.bytes(by.received[rank])}` : ''}`,
    ];
    return tooltip.show([title, ...lines], x, y);
  });
  paints.push(made.paint);
  const { block, size } = run.dims[dim];
  return el('figure', {}, el('figcaption', {}, `Dimension ${dim} (${blockName(block)} of ${size}): one cell per rank`),
    tooltip.around(made.element, ''));
}

function linkText(run: RunData, link: number): string[] {
  return [
    endsOf(run, link),
    `${format.percent(useOf(run, link))} of ${format.rate(run.links.capacity[link])}`,
    `carries ${format.bytes(run.links.bytes[link])}`,
    `at most ${format.percent(peakOf(run, link))} in ${format.time(run.links.bin)}`,
  ];
}

// Colors for up to six dimensions or classes, then again.
const partColor = (colors: Colors, part: number): string =>
  [colors.compute, colors.communication, colors.cpu, colors.memory, colors.wait, colors.critical][part % 6];

function overTime(host: HTMLElement, context: Context): () => void {
  const { run } = context;
  const parts = partsOf(run);
  const what = ofFabric(run) ? 'class' : 'dimension';
  const uses = parts.map(({ links }) => useOverTime(run, links));
  const bins = uses[0]?.mean.map((_, bin) => bin) ?? [];
  const { bin } = run.links;
  const ends = overTimeEnds(context.data.runs);
  const scale = format.timeAxis(ends.time);
  const titles = parts.map(({ title }) => title);
  host.append(el('p', { class: 'muted' }, `Solid: all links of a ${what}. Dashed: its busiest link. Time windows of ${format.time(bin)}.`));
  const drawn = chart<number>(host, context, {
    label: `Use of the links of each ${what} over time, from 0 to ${format.percent(ends.use)} over ${format.time(ends.time)}`,
    height: 260,
    option: (colors) => ({
      grid: { left: 56, right: 16, top: 36, bottom: 32 },
      legend: { top: 0, left: 0, data: titles, textStyle: { color: colors.text } },
      tooltip: tooltip(colors, (params: { dataIndex: number }[]) => ({
        title: `${format.time(params[0].dataIndex * bin)} to ${format.time((params[0].dataIndex + 1) * bin)}`,
        lines: uses.map((use, part) => [titles[part],
          `${format.percent(use.mean[params[0].dataIndex])}, busiest ${format.percent(use.most[params[0].dataIndex])}`]),
      }), { trigger: 'axis' }),
      xAxis: { ...axis(colors), type: 'value', min: 0, max: ends.time, splitLine: { show: false }, axisLabel: { color: colors.muted, formatter: scale.label, hideOverlap: true } },
      yAxis: { ...axis(colors), type: 'value', min: 0, max: ends.use, axisLabel: { color: colors.muted, formatter: (value: number) => `${Math.round(value * 1000) / 10} %` } },
      series: uses.flatMap((use, part) => [
        { name: titles[part], type: 'line', step: 'end', showSymbol: false, data: stepped(use.mean, bin), lineStyle: { width: 2 }, color: partColor(colors, part), areaStyle: { opacity: 0.12 } },
        { name: titles[part], type: 'line', step: 'end', showSymbol: false, data: stepped(use.most, bin), lineStyle: { width: 1.2, type: 'dashed' }, color: partColor(colors, part) },
      ]),
    }),
    table: {
      caption: `Use of each ${what} over time`,
      rows: bins,
      columns: [
        { title: 'From', number: true, cell: (i) => format.time(i * bin), key: (i) => i },
        ...uses.flatMap((use, part) => [
          { title: parts[part].short, number: true, cell: (i: number) => format.percent(use.mean[i]), key: (i: number) => use.mean[i] },
          { title: 'Busiest link', number: true, cell: (i: number) => format.percent(use.most[i]), key: (i: number) => use.most[i] },
        ]),
      ],
    },
  });
  return () => drawn.dispose();
}

// Points of a line that holds each bin's value until the next.
function stepped(values: number[], bin: number): [number, number][] {
  return [...values, 0].map((value, i) => [i * bin, value]);
}

function whereFrom(run: RunData, link: number): Node | string {
  const rank = run.links.from[link];
  return rank === null ? endsOf(run, link) : pageLink('timeline', { rank }, endsOf(run, link));
}

function busiest(run: RunData): HTMLElement {
  const fabric = ofFabric(run);
  const rows = run.links.dim.map((_, link) => link)
    .sort((a, b) => useOf(run, b) - useOf(run, a) || a - b).slice(0, 500);
  return el('section', { class: 'card' }, el('h2', {}, 'Busiest links'), table<number>({
    caption: `The ${format.counted(rows.length, 'link')} used most`,
    rows,
    first: 12,
    sort: { column: 4, down: true },
    columns: [
      fabric
        ? { title: 'Link', cell: (link) => el('span', { class: 'name' }, whereFrom(run, link)), key: (link) => endsOf(run, link) }
        : { title: hasPorts(run) ? 'Port' : 'Link', cell: (link) => el('span', { class: 'cp-nowrap' }, whereFrom(run, link)), key: (link) => run.links.from[link] ?? -1 },
      fabric
        ? { title: 'Class', cell: (link) => el('span', { class: 'cp-nowrap' }, className(run.links.kind[link])), key: (link) => className(run.links.kind[link]) }
        : { title: 'Dimension', number: true, cell: (link) => String(run.links.dim[link]), key: (link) => run.links.dim[link] },
      { title: 'Capacity', number: true, cell: (link) => format.rate(run.links.capacity[link]), key: (link) => run.links.capacity[link] },
      { title: 'Carried', number: true, cell: (link) => format.bytes(run.links.bytes[link]), key: (link) => run.links.bytes[link] },
      { title: 'Use', number: true, cell: (link) => format.percent(useOf(run, link)), key: (link) => useOf(run, link), note: 'Bytes carried over capacity × step' },
      { title: 'Highest', number: true, cell: (link) => format.percent(peakOf(run, link)), key: (link) => peakOf(run, link), note: `In the busiest window of ${format.time(run.links.bin)}` },
    ],
  }));
}
