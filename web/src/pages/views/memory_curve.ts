// SPDX-License-Identifier: Apache-2.0
//
// Allocated and reserved memory over time, one picture for all memories of all ranks.
import { axis, chart, tooltip, type Chart, type EChartsCoreOption } from '../../charts';
import { el } from '../../dom';
import * as format from '../../format';
import type { Context } from '../../page';
import type { Colors } from '../../theme';
import { niceStep } from '../../ticks';
import type { Cell, ViewTable } from '../../views_data';

interface Curve {
  name: string;
  allocated: [number, number][]; // time in ns, bytes
  reserved: [number, number][];
}

const numberOf = (cell: Cell): number => (Array.isArray(cell) ? cell[1] : Number.NaN);
const textOf = (cell: Cell): string => (cell === null ? '' : typeof cell === 'string' ? cell : cell[0]);

// One curve per rank and memory, in the order of the rows.
export function curvesOf(data: ViewTable): Curve[] {
  const place = (key: string): number => data.columns.findIndex((one) => one.key === key);
  const [rank, pool, at, allocated, reserved] = ['rank', 'pool', 'at_ns', 'allocated_bytes', 'reserved_bytes'].map(place);
  const ranks = new Set(data.rows.map((row) => textOf(row[rank])));
  const made = new Map<string, Curve>();
  for (const row of data.rows) {
    const name = ranks.size > 1 ? `rank ${textOf(row[rank])}, ${textOf(row[pool])}` : textOf(row[pool]);
    const curve = made.get(name) ?? { name, allocated: [], reserved: [] };
    made.set(name, curve);
    curve.allocated.push([numberOf(row[at]), numberOf(row[allocated])]);
    if (Array.isArray(row[reserved])) curve.reserved.push([numberOf(row[at]), numberOf(row[reserved])]);
  }
  return [...made.values()];
}

const peakOf = (points: readonly [number, number][]): number => points.reduce((most, [, bytes]) => Math.max(most, bytes), 0);

function optionOf(curves: readonly Curve[], colors: Colors): EChartsCoreOption {
  const peak = Math.max(...curves.flatMap(({ allocated, reserved }) => [peakOf(allocated), peakOf(reserved)]), 1);
  const each = niceStep(peak / 4);
  const line = (name: string, data: [number, number][], dashed: boolean): Record<string, unknown> => ({
    type: 'line', step: 'end', name, data, showSymbol: false, symbol: 'circle',
    itemStyle: { color: dashed ? colors.text : colors.memory },
    lineStyle: { color: dashed ? colors.text : colors.memory, width: dashed ? 1.5 : 2, ...(dashed ? { type: 'dashed' } : {}) },
  });
  return {
    grid: { left: 8, right: 24, top: 16, bottom: 28, containLabel: true },
    xAxis: { ...axis(colors), type: 'value', min: 'dataMin', max: 'dataMax', splitLine: { show: false }, axisLabel: { color: colors.muted, hideOverlap: true, formatter: (ns: number) => format.time(ns * 1000) } },
    yAxis: { ...axis(colors), type: 'value', min: 0, interval: each, max: Math.ceil(peak / each) * each, axisLabel: { color: colors.muted, formatter: (bytes: number) => format.bytes(Math.round(bytes)) } },
    tooltip: tooltip(colors, (params: { seriesName: string; value: [number, number] }[]) => ({
      title: format.time((params[0]?.value[0] ?? 0) * 1000),
      lines: params.map(({ seriesName, value }): [string, string] => [seriesName, format.bytes(value[1])]),
    }), { trigger: 'axis', axisPointer: { lineStyle: { color: colors.muted } } }),
    series: curves.flatMap(({ name, allocated, reserved }) => [
      line(`${name}, allocated`, allocated, false),
      ...(reserved.length > 0 ? [line(`${name}, reserved`, reserved, true)] : []),
    ]),
  };
}

// Draws into `host`; nothing without changes of memory.
export function memoryCurve(host: HTMLElement, context: Context, data: ViewTable): Chart | null {
  const curves = curvesOf(data);
  if (curves.length === 0) return null;
  const label = `Memory over time: ${curves.map(({ name, allocated }) => `${name} up to ${format.bytes(peakOf(allocated))}`).join('; ')}.`;
  host.append(
    el('p', {}, label),
    el('ul', { class: 'legend' },
      el('li', {}, el('i', { class: 'swatch memory', 'aria-hidden': true }), 'allocated'),
      el('li', {}, el('i', { class: 'dash', 'aria-hidden': true }), 'reserved')));
  return chart(host, context, { label, height: 260, option: (colors) => optionOf(curves, colors) });
}
