// SPDX-License-Identifier: Apache-2.0
//
// One port over time: its queue, what happened to its packets, and how long it was paused.

import { axis, chart, tooltip, type Chart } from '../../charts';
import type { PortColumn } from '../../data';
import { el } from '../../dom';
import * as format from '../../format';
import type { Context } from '../../page';
import { longestStep } from '../../ticks';
import type { Colors } from '../../theme';
import { endsOf } from '../links/figures';
import { causes, scaleOf, seriesOf, type Ports } from './figures';

interface Series {
  title: string;
  columns: readonly PortColumn[];
  color(colors: Colors): string;
  dashed?: boolean;
}

interface Panel {
  title: string;
  series: readonly Series[];
  text(value: number): string;
  part?: boolean; // of the bin
}

const panels: readonly Panel[] = [
  {
    title: 'Queue', text: (value) => format.bytes(Math.round(value)),
    series: [
      { title: 'longest', columns: ['peak_queue_bytes'], color: ({ communication }) => communication },
      { title: 'mean', columns: ['mean_queue_bytes'], color: ({ compute }) => compute, dashed: true },
    ],
  },
  {
    title: 'Packets', text: (value) => format.count(Math.round(value)),
    series: [
      { title: 'marked', columns: ['marked'], color: ({ compute }) => compute },
      { title: 'dropped', columns: causes.map(({ column }) => column), color: ({ bad }) => bad },
      { title: 'trimmed', columns: ['trimmed'], color: ({ memory }) => memory },
      { title: 'sent again', columns: ['retransmitted'], color: ({ cpu }) => cpu, dashed: true },
      { title: 'CNPs', columns: ['cnps'], color: ({ wait }) => wait, dashed: true },
    ],
  },
  {
    title: 'Paused', text: format.percent, part: true,
    series: [{ title: 'share of the time', columns: ['paused_ps'], color: ({ wait }) => wait }],
  },
];

// Points of a line that holds each bin's value until the next.
const stepped = (values: readonly number[], bin: number): [number, number][] => [...values, 0].map((value, i) => [i * bin, value]);

function panelChart(host: HTMLElement, context: Context, ports: Ports, port: number, panel: Panel): Chart | null {
  const { bin } = ports.packets;
  const shown = panel.series
    .map((one) => ({ ...one, values: seriesOf(ports, port, one.columns).map((value) => (panel.part ? value / bin : value)) }))
    .filter(({ values }) => values.some((value) => value > 0));
  if (shown.length === 0) return null;
  const end = longestStep(context.data.runs);
  const scale = format.timeAxis(end);
  const most = panel.part ? 1 : scaleOf(Math.max(...shown.flatMap(({ values }) => values)));
  host.append(el('h3', {}, panel.title));
  return chart<number>(host, context, {
    label: `${panel.title} of the port over time, from 0 to ${panel.text(most)}: ${shown.map(({ title }) => title).join(', ')}`,
    height: panel.part ? 140 : 200,
    option: (colors) => ({
      grid: { left: 8, right: 16, top: 32, bottom: 8, containLabel: true },
      legend: { top: 0, left: 0, textStyle: { color: colors.text } },
      tooltip: tooltip(colors, (params: { dataIndex: number }[]) => ({
        title: `${format.time(params[0].dataIndex * bin)} to ${format.time((params[0].dataIndex + 1) * bin)}`,
        lines: shown.map(({ title, values }) => [title, panel.text(values[params[0].dataIndex] ?? 0)]),
      }), { trigger: 'axis' }),
      xAxis: { ...axis(colors), type: 'value', min: 0, max: end, splitLine: { show: false }, axisLabel: { color: colors.muted, formatter: scale.label, hideOverlap: true } },
      yAxis: { ...axis(colors), type: 'value', min: 0, max: most, axisLabel: { color: colors.muted, formatter: (value: number) => panel.text(value) } },
      series: shown.map(({ title, values, color, dashed }) => ({
        name: title, type: 'line', step: 'end', showSymbol: false, data: stepped(values, bin), color: color(colors),
        lineStyle: { width: dashed ? 1.4 : 2, type: dashed ? 'dashed' : 'solid' }, areaStyle: dashed ? undefined : { opacity: 0.12 },
      })),
    }),
    table: {
      caption: `${panel.title} of the port over time`,
      rows: shown[0].values.map((_, i) => i).filter((i) => shown.some(({ values }) => values[i] > 0)),
      columns: [
        { title: 'From', number: true, cell: (i) => format.time(i * bin), key: (i) => i },
        ...shown.map(({ title, values }) => ({ title, number: true, cell: (i: number) => panel.text(values[i]), key: (i: number) => values[i] })),
      ],
    },
  });
}

export interface PortCard {
  show(port: number): void;
  dispose(): void;
}

// A card with the series of one port.
export function portCard(host: HTMLElement, context: Context, ports: Ports): PortCard {
  const { run } = context;
  const title = el('h2', { tabindex: -1 });
  const body = el('div');
  let charts: Chart[] = [];
  const clear = (): void => {
    charts.forEach((one) => one.dispose());
    charts = [];
    body.replaceChildren();
  };
  host.append(el('section', { class: 'card', 'aria-live': 'polite' }, title,
    el('p', { class: 'muted' }, `Time windows of ${format.time(ports.packets.bin)}. A port sends over one link in one direction.`), body));
  return {
    show(port) {
      clear();
      title.textContent = `Port ${endsOf(run, ports.packets.ports.link[port])}`;
      for (const panel of panels) {
        const one = panelChart(body, context, ports, port, panel);
        if (one) charts.push(one);
      }
    },
    dispose: clear,
  };
}
