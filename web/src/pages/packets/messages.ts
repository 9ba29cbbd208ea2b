// SPDX-License-Identifier: Apache-2.0
//
// How long messages lasted: the distribution by size.

import { axis, chart, tooltip, type Chart } from '../../charts';
import type { MessageSizeData, PacketsData } from '../../data';
import { el } from '../../dom';
import * as format from '../../format';
import type { Context } from '../../page';
import { table } from '../../table';
import type { Colors } from '../../theme';

export function sizeText({ least, most }: Pick<MessageSizeData, 'least' | 'most'>): string {
  return least === most ? format.bytes(least) : `${format.bytes(least)} to ${format.bytes(most)}`;
}

const slowdownText = (value: number): string => `${value.toFixed(value < 10 ? 2 : 1)} ×`;

const colorOf = (colors: Colors, i: number): string =>
  [colors.compute, colors.communication, colors.cpu, colors.memory, colors.wait, colors.critical][i % 6];

// The value at a percentile that the data has.
export function atPercent(percents: readonly number[], values: readonly number[], percent: number): number | null {
  const place = percents.indexOf(percent);
  return place < 0 || values.length === 0 ? null : values[place];
}

function sizesTable(packets: PacketsData): HTMLElement {
  const of = (values: readonly number[], percent: number): number => atPercent(packets.percents, values, percent) ?? NaN;
  const time = (percent: number, title: string) => ({
    title, number: true, cell: ({ times }: MessageSizeData) => format.time(of(times, percent)), key: ({ times }: MessageSizeData) => of(times, percent),
  });
  const slow = (percent: number, title: string) => ({
    title, number: true, note: 'Time over the time without contention',
    cell: ({ slowdowns }: MessageSizeData) => (slowdowns.length === 0 ? '–' : slowdownText(of(slowdowns, percent))),
    key: ({ slowdowns }: MessageSizeData) => of(slowdowns, percent),
  });
  return table<MessageSizeData>({
    caption: 'Completion times by message size',
    rows: packets.sizes,
    columns: [
      { title: 'Size', cell: (one) => el('span', { class: 'cp-nowrap' }, sizeText(one)), key: ({ least }) => least },
      { title: 'Messages', number: true, cell: ({ count }) => format.count(count), key: ({ count }) => count },
      time(50, 'Median'), time(99, '99th percentile'), time(100, 'Longest'),
      slow(50, 'Median slowdown'), slow(99, '99th percentile'), slow(100, 'Highest'),
      { title: 'Packets sent again', number: true, cell: ({ retransmitted }) => format.count(retransmitted), key: ({ retransmitted }) => retransmitted },
    ],
  });
}

// A card with the distribution of completion times, or of slowdowns; nothing without messages.
export function messagesCard(host: HTMLElement, context: Context, packets: PacketsData): Chart | undefined {
  if (packets.sizes.length === 0) return undefined;
  const known = packets.sizes.some(({ slowdowns }) => slowdowns.length > 0);
  let slow = known;
  const select = el('select', {}, el('option', { value: 'slow' }, 'relative to the time without contention'), el('option', { value: 'time' }, 'as times'));
  const frame = el('div');
  const sampled = packets.messageStep > 1 ? `, of which every ${format.count(packets.messageStep)}th is shown` : '';
  const lost = packets.unfinished > 0 ? ` ${format.counted(packets.unfinished, 'message')} did not arrive.` : '';
  host.append(el('section', { class: 'card' }, el('h2', {}, 'Completion times of messages'),
    el('p', { class: 'muted' }, `From the time at which a message is passed to the network until its last packet arrives. ${format.counted(packets.messages, 'message')}${sampled}.${lost}`),
    known && el('div', { class: 'controls' }, el('label', {}, 'Show ', select)), frame, sizesTable(packets)));
  const drawn = chart(frame, context, {
    label: `Share of messages by completion time, one curve for each of ${format.counted(packets.sizes.length, 'size')}; the table has the same figures.`,
    height: 280,
    option: (colors) => {
      const values = (one: MessageSizeData): number[] => (slow ? one.slowdowns : one.times);
      const text = (value: number): string => (slow ? slowdownText(value) : format.time(value));
      const all = packets.sizes.flatMap(values).filter((value) => value > 0);
      const [least, most] = [Math.min(...all), Math.max(...all)];
      return {
        grid: { left: 8, right: 24, top: 36, bottom: 28, containLabel: true },
        legend: { top: 0, left: 0, textStyle: { color: colors.text } },
        tooltip: tooltip(colors, ({ seriesName, value }: { seriesName: string; value: [number, number] }) => ({
          title: seriesName, lines: [[text(value[0]), `at most, ${value[1]} % of messages`]],
        })),
        xAxis: { ...axis(colors), type: most > 8 * least ? 'log' : 'value', scale: true, splitLine: { show: false }, axisLabel: { color: colors.muted, hideOverlap: true, formatter: (value: number) => text(value) }, name: slow ? 'slowdown' : 'completion time', nameLocation: 'middle', nameGap: 26 },
        yAxis: { ...axis(colors), type: 'value', min: 0, max: 100, axisLabel: { color: colors.muted, formatter: (value: number) => `${value} %` } },
        series: packets.sizes.map((one, i) => ({
          name: sizeText(one), type: 'line', symbolSize: 5, showSymbol: one.count < 3, color: colorOf(colors, i), lineStyle: { width: 2 },
          data: values(one).map((value, p) => [value, packets.percents[p]]).filter(([value]) => value > 0),
        })),
      };
    },
  });
  select.addEventListener('change', () => {
    slow = select.value === 'slow';
    drawn.redraw();
  });
  return drawn;
}
