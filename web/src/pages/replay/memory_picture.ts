// SPDX-License-Identifier: Apache-2.0
//
// What memory a recorded step and its replay take, operator by operator.
import { axis, chart, tooltip, type Chart, type EChartsCoreOption } from '../../charts';
import { el } from '../../dom';
import * as format from '../../format';
import type { Context } from '../../page';
import type { ReplayData } from '../../replay_data';
import type { Colors } from '../../theme';
import { niceStep } from '../../ticks';
import { curve } from './shares';

const peakOf = (bytes: readonly number[]): number => bytes.reduce((most, one) => Math.max(most, one), 0);

function line(name: string, bytes: readonly number[], color: string, more: Record<string, unknown>): Record<string, unknown> {
  return { type: 'line', step: 'middle', name, data: curve(bytes), showSymbol: false, symbol: 'circle', itemStyle: { color: color }, ...more };
}

function optionOf({ memory, operators }: ReplayData, colors: Colors): EChartsCoreOption {
  const count = Math.max(memory.recorded.length, memory.replayed.length, operators.length);
  const peak = Math.max(peakOf(memory.recorded), peakOf(memory.replayed), 1);
  const each = niceStep(peak / 4);
  return {
    grid: { left: 8, right: 24, top: 16, bottom: 28, containLabel: true },
    xAxis: { ...axis(colors), type: 'value', min: 1, max: Math.max(count, 2), minInterval: 1, splitLine: { show: false }, axisLabel: { color: colors.muted, hideOverlap: true, formatter: (at: number) => format.count(at) }, name: 'operator', nameLocation: 'middle', nameGap: 26 },
    yAxis: { ...axis(colors), type: 'value', min: 0, interval: each, max: Math.ceil(peak / each) * each, axisLabel: { color: colors.muted, formatter: (bytes: number) => format.bytes(Math.round(bytes)) } },
    tooltip: tooltip(colors, (params: { seriesName: string; value: [number, number] }[]) => ({
      title: `operator ${format.count(params[0]?.value[0] ?? 0)}`,
      lines: params.map(({ seriesName, value }): [string, string] => [seriesName, format.bytes(value[1])]),
    }), { trigger: 'axis', axisPointer: { lineStyle: { color: colors.muted } } }),
    series: [
      line('replayed', memory.replayed, colors.memory, { lineStyle: { color: colors.memory, width: 2 }, areaStyle: { color: colors.memory, opacity: 0.22 } }),
      line('recorded', memory.recorded, colors.text, { lineStyle: { color: colors.text, width: 1.5, type: 'dashed' } }),
    ],
  };
}

// Draws into `host`; nothing where one of both is not known.
export function memoryPicture(host: HTMLElement, context: Context, data: ReplayData): Chart | null {
  const { recorded, replayed } = data.memory;
  if (recorded.length === 0 || replayed.length === 0) {
    host.append(el('p', { class: 'muted' }, 'The memory of the steps is not known.'));
    return null;
  }
  const label = `The recorded step needs up to ${format.bytes(peakOf(recorded))} in addition to the memory before it, the replay up to ${format.bytes(peakOf(replayed))}.`;
  host.append(
    el('p', {}, label,
      data.memory.profiled ? ' Both from allocations.'
        : ' Recorded: from the lifetimes of tensors; an execution trace does not contain the workspace of operators. Replayed: from allocations.'),
    el('ul', { class: 'legend' },
      el('li', {}, el('i', { class: 'swatch memory', 'aria-hidden': true }), 'replayed'),
      el('li', {}, el('i', { class: 'dash', 'aria-hidden': true }), 'recorded')));
  return chart(host, context, { label, height: 300, option: (colors) => optionOf(data, colors) });
}
