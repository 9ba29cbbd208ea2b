// SPDX-License-Identifier: Apache-2.0
//
// Size against achieved bus bandwidth, with the bound of the links drawn in.
import { axis, chart, tooltip, type EChartsCoreOption } from '../../charts';
import type { RunData } from '../../data';
import type { Context } from '../../page';
import type { Colors } from '../../theme';
import { decadeTicks, niceStep } from '../../ticks';
import { all, groupTitle, keep, type Kind } from './choice';

export interface SpeedChart {
  show(shown: readonly number[], linear: boolean): void; // linear: bandwidth from zero instead of in powers of ten
  readonly flat: number; // that cannot be drawn: they took no time
  dispose(): void;
}

type Point = [size: number, busbw: number, collective: number]; // the size as a power of two

function pointsOf(run: RunData, shown: readonly number[], type: string): Point[] {
  const c = run.collectives;
  return shown.filter((i) => c.type[i] === type && c.busbw[i] > 0 && c.bytes[i] > 0).map((i) => [Math.log2(c.bytes[i]), c.busbw[i], i]);
}

// The fastest that the links allow, one line per type and group size, by size of message.
function boundsOf(run: RunData, points: readonly Point[]): [number, number][][] {
  const lines = new Map<number, Map<number, number>>();
  for (const [size, busbw, i] of points) {
    const share = run.collectives.ofBound[i];
    if (share === null || share <= 0) continue;
    const members = run.groups[run.collectives.group[i]]?.size ?? 0;
    const line = lines.get(members) ?? new Map<number, number>();
    lines.set(members, line.set(size, Math.max(line.get(size) ?? 0, busbw / share)));
  }
  return [...lines.values()].map((line) => [...line].sort((a, b) => a[0] - b[0]));
}

// Types are shifted slightly, so that equal speeds do not overlap.
function scatter(kind: Kind, points: Point[], colors: Colors, offset: number): Record<string, unknown> {
  return {
    type: 'scatter', name: kind.type, data: points, symbol: kind.symbol, symbolSize: points.length > 500 ? 7 : 10, symbolOffset: [offset, 0],
    itemStyle: { color: colors[kind.role], opacity: points.length > 200 ? 0.6 : 0.85, borderColor: colors.card, borderWidth: 1 },
    emphasis: { itemStyle: { borderColor: colors.text, borderWidth: 2, opacity: 1 } },
    z: 3,
  };
}

function bound(kind: Kind, line: [number, number][], colors: Colors): Record<string, unknown> {
  return {
    type: 'line', data: line, silent: true, symbol: 'rect', symbolSize: [16, 3], showAllSymbol: true, z: 2,
    lineStyle: { color: colors[kind.role], width: 1.5, type: 'dashed' }, itemStyle: { color: colors[kind.role] },
  };
}

export interface Limits {
  min: number;
  max: number;
}

function limits(values: number[]): Limits {
  let [min, max] = [Infinity, 0];
  for (const value of values) [min, max] = [Math.min(min, value), Math.max(max, value)];
  return min === Infinity ? { min: 1, max: 10 } : { min, max };
}

// What is drawn of some collectives of a run.
function drawnOf(run: RunData, shown: readonly number[], types: readonly Kind[]): { byKind: { kind: Kind; points: Point[] }[]; lines: { kind: Kind; line: [number, number][] }[] } {
  const byKind = types.map((kind) => ({ kind, points: pointsOf(run, shown, kind.type) }));
  return { byKind, lines: byKind.flatMap(({ kind, points }) => boundsOf(run, points).map((line) => ({ kind, line }))) };
}

// The smallest and largest sizes and speeds that are drawn of all runs, with the bounds of their links.
export function extents(every: readonly { run: RunData; shown: readonly number[] }[], types: readonly Kind[]): { sizes: Limits; speeds: Limits } {
  const drawn = every.map(({ run, shown }) => drawnOf(run, shown, types));
  const points = drawn.flatMap(({ byKind }) => byKind.flatMap((one) => one.points));
  const bounds = drawn.flatMap(({ lines }) => lines.flatMap(({ line }) => line.map(([, speed]) => speed)));
  return { sizes: limits(points.map(([size]) => 2 ** size)), speeds: limits([...points.map(([, busbw]) => busbw), ...bounds]) };
}

// Whole powers of two around the sizes.
function sizeAxis(colors: Colors, context: Context, { min, max }: Limits, labels: number): Record<string, unknown> {
  const low = Math.floor(Math.log2(min) - 0.3);
  const each = Math.max(1, Math.ceil((Math.log2(max) + 0.3 - low) / labels));
  const high = low + each * Math.ceil((Math.log2(max) + 0.3 - low) / each);
  return {
    ...axis(colors), type: 'value', min: low, max: high, interval: each, name: 'size of the collective', nameLocation: 'middle', nameGap: 30,
    axisLabel: { color: colors.muted, hideOverlap: true, formatter: (value: number) => context.format.bytes(Math.round(2 ** value)) },
    splitLine: { show: false },
  };
}

function speedAxis(colors: Colors, context: Context, { min, max }: Limits, linear: boolean): Record<string, unknown> {
  const label = { color: colors.muted, hideOverlap: true, formatter: (value: number) => context.format.rate(value) };
  if (linear) {
    const each = niceStep(max / 5);
    return { ...axis(colors), type: 'value', min: 0, max: each * Math.ceil(max / each), interval: each, axisLabel: label };
  }
  const ticks = decadeTicks(min / 1.3, max * 1.3);
  const shown = ticks.length > 9 ? ticks.filter((tick) => Number.isInteger(Math.round(Math.log10(tick) * 1e6) / 1e6)) : ticks;
  return {
    ...axis(colors), type: 'log', logBase: 10, min: ticks[0], max: ticks[ticks.length - 1],
    axisLabel: { ...label, customValues: shown }, axisTick: { customValues: shown, lineStyle: { color: colors.muted } }, splitLine: { lineStyle: { color: colors.line } },
  };
}

function tip(context: Context, colors: Colors): Record<string, unknown> {
  const { run, format } = context;
  const c = run.collectives;
  return tooltip(colors, (params: { data: Point }) => {
    const i = params.data[2];
    const share = c.ofBound[i];
    const waited = c.lastStart[i] - c.firstStart[i];
    return {
      title: format.nameOf(run.names[c.name[i]]),
      lines: [
        ['what', `${c.type[i]} of ${format.bytes(c.bytes[i])}`],
        ['group', groupTitle(run, c.group[i])],
        ['busbw', `${format.rate(c.busbw[i])}${share === null ? '' : `, ${format.percent(share)} of the bound`}`],
        ['algbw', format.rate(c.algbw[i])],
        ['time', c.end[i] === null ? 'never ended' : format.time(c.end[i]! - c.lastStart[i])],
        ['last arrival', waited > 0 ? `rank ${c.lastRank[i]}, ${format.time(waited)} after the first` : 'all at the same time'],
      ],
    };
  });
}

export function speedChart(host: HTMLElement, context: Context, types: readonly Kind[]): SpeedChart {
  const { run } = context;
  // Runs side by side have the axes of all of their collectives, whatever is shown of each; a run alone those of what is shown.
  const { runs } = context.data;
  const together = runs.length > 1 ? extents(runs.map((one) => ({ run: one, shown: keep(one, all) })), types) : null;
  let shown: readonly number[] = [];
  let linear = false;
  const option = (colors: Colors): EChartsCoreOption => {
    const labels = Math.max(3, Math.min(12, Math.floor(host.clientWidth / 80)));
    const { byKind, lines } = drawnOf(run, shown, types);
    const { sizes, speeds } = together ?? extents([{ run, shown }], types);
    return {
      grid: { left: 8, right: 18, top: 14, bottom: 34, containLabel: true },
      xAxis: sizeAxis(colors, context, sizes, labels),
      yAxis: speedAxis(colors, context, speeds, linear),
      tooltip: tip(context, colors),
      series: [...lines.map(({ kind, line }) => bound(kind, line, colors)),
        ...byKind.filter(({ points }) => points.length > 0).map(({ kind, points }, i, kept) =>
          scatter(kind, points, colors, (i - (kept.length - 1) / 2) * 5))],
    };
  };
  const label = `Scatter of ${run.collectives.type.length} collectives: size against achieved bus bandwidth, with the bound of the links; the table below has the same figures.`;
  const picture = chart(host, context, { label, height: 380, option });
  return {
    show(next, fromZero) {
      [shown, linear] = [next, fromZero];
      picture.redraw();
    },
    get flat() {
      return shown.filter((i) => !(run.collectives.busbw[i] > 0 && run.collectives.bytes[i] > 0)).length;
    },
    dispose: () => picture.dispose(),
  };
}
