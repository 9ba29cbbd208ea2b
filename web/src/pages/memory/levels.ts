// SPDX-License-Identifier: Apache-2.0
//
// What crosses remote memories and the links to them, level by level, over time.
import { axis, chart, tooltip, type Chart, type EChartsCoreOption } from '../../charts';
import type { MemoryLevelData } from '../../data';
import { el } from '../../dom';
import type { Context } from '../../page';
import { table } from '../../table';
import { niceStep } from '../../ticks';
import type { Colors } from '../../theme';
import type { Points } from './curve';

// Bytes per second as steps, from bins of so many picoseconds.
export function ratesOf(bins: readonly number[], bin: number, until: number): Points {
  const points: [number, number][] = bins.map((bytes, i) => [i * bin, (bytes * 1e12) / bin]);
  points.push([Math.max(bins.length * bin, until), 0]);
  return points;
}

function optionOf(context: Context, level: MemoryLevelData, bin: number, colors: Colors): EChartsCoreOption {
  const { run, format } = context;
  const times = format.timeAxis(run.step);
  const line = (name: string, bins: readonly number[], color: string, type: string): Record<string, unknown> =>
    ({ type: 'line', step: 'end', name, data: ratesOf(bins, bin, run.step), showSymbol: false, lineStyle: { color: color, width: 2, type }, itemStyle: { color: color } });
  const most = Math.max(1, ...[...level.loads, ...level.stores].map((bytes) => (bytes * 1e12) / bin));
  const each = niceStep((most * 1.1) / 5);
  return {
    grid: { left: 8, right: 24, top: 32, bottom: 28, containLabel: true },
    legend: { top: 0, textStyle: { color: colors.text } },
    xAxis: { ...axis(colors), type: 'value', min: 0, max: run.step, axisLabel: { color: colors.muted, hideOverlap: true, formatter: times.label }, splitLine: { show: false }, interval: niceStep(run.step / times.factor / 8) * times.factor, name: 'time', nameLocation: 'middle', nameGap: 26 },
    yAxis: { ...axis(colors), type: 'value', min: 0, interval: each, max: Math.ceil((most * 1.1) / each) * each, axisLabel: { color: colors.muted, formatter: (value: number) => format.rate(value) } },
    tooltip: tooltip(colors, (params: { seriesName: string; value: [number, number] }[]) => ({
      title: `from ${format.time(Math.round(params[0]?.value[0] ?? 0))}`,
      lines: params.map(({ seriesName, value }) => [seriesName, format.rate(value[1])]),
    }), { trigger: 'axis', axisPointer: { lineStyle: { color: colors.muted } } }),
    series: [line('loaded', level.loads, colors.memory, 'solid'), line('stored', level.stores, colors.critical, 'dashed')],
  };
}

function levelsTable({ format }: Context, levels: readonly MemoryLevelData[]): HTMLElement {
  return table({
    caption: 'Levels from the memory to the devices',
    rows: levels,
    columns: [
      { title: 'level', cell: ({ name }) => el('span', { class: 'name' }, name), key: ({ name }) => name },
      { title: 'loaded', number: true, cell: ({ loaded }) => format.bytes(loaded), key: ({ loaded }) => loaded },
      { title: 'stored', number: true, cell: ({ stored }) => format.bytes(stored), key: ({ stored }) => stored },
      { title: 'capacity', number: true, cell: ({ capacity, bothWays }) => `${format.rate(capacity)}${bothWays ? ' in total' : ' per direction'}`, key: ({ capacity }) => capacity },
      { title: 'in use', number: true, cell: ({ inUse }) => format.percent(inUse), key: ({ inUse }) => inUse },
      { title: 'maximum', number: true, cell: ({ busiest }) => format.percent(busiest), key: ({ busiest }) => busiest },
    ],
  });
}

// A card with all levels and the curve of one; nothing where there is no remote memory.
export function showLevels(host: HTMLElement, context: Context): Chart | undefined {
  const { bin, levels } = context.run.remoteMemory;
  if (levels.length === 0) return undefined;
  let shown = levels.reduce((best, level, i) => (level.inUse > levels[best].inUse ? i : best), 0);
  const select = el('select', {}, levels.map(({ name }, i) => el('option', { value: String(i) }, name)));
  select.value = String(shown);
  const frame = el('div');
  host.append(el('section', { class: 'card', 'aria-label': 'Remote memory' }, el('h2', {}, 'Remote memory'), levelsTable(context, levels),
    el('div', { class: 'controls' }, el('label', {}, 'Show', select)), frame));
  const label = `What remote memory loads and stores over time, in bins of ${context.format.time(bin)}.`;
  const drawn = chart(frame, context, { label, height: 260, option: (colors) => optionOf(context, levels[shown], bin, colors) });
  select.addEventListener('change', () => {
    shown = Number(select.value);
    drawn.redraw();
  });
  return drawn;
}
