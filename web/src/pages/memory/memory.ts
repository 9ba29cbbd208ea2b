// SPDX-License-Identifier: Apache-2.0
//
// How much memory ranks hold over time, what of, and whether it fits.
import { axis, chart, tooltip, type EChartsCoreOption } from '../../charts';
import type { RunData } from '../../data';
import { el, pageLink, styled } from '../../dom';
import type { Context, Page } from '../../page';
import { table } from '../../table';
import { niceStep } from '../../ticks';
import type { Colors } from '../../theme';
import { envelope, holders, rolesOf, stepsOf, type Envelope, type Holder, type Points } from './curve';
import './memory.css';
import { showLevels } from './levels';

const mostChoices = 400;
const offPicture = 5; // a capacity this many times the peak is stated, not plotted

interface Picture {
  holder: Holder | null; // null: between ranks
  band: Envelope | null;
  all: readonly Holder[];
}

function deviceName({ run }: Context): string {
  return run.device.name === '' ? 'a device' : `one device (${run.device.name})`;
}

// Whether what was accounted fits, in the words of the summary and of `orrery memory`, which count what is outside of
// tensors, too.
function accountVerdict({ run, format }: Context, fullest: Holder): HTMLElement {
  const { peak, peakAt, role } = fullest.memory;
  const total = run.summary.find(([label]) => label === 'Peak memory')?.[1];
  const rank = fullest.ranks[0];
  const others = fullest.ranks.length > 1 && ` (the same on ${format.counted(fullest.ranks.length - 1, 'other rank')})`;
  return el('div', {},
    total !== undefined && el('p', { class: /not fit/i.test(total) ? 'bad' : '' }, 'A device needs ', el('strong', {}, total), '.'),
    el('p', {}, 'Tensors: ', pageLink('timeline', { rank }, `rank ${rank}`), ` (${format.nameOf(role ?? '')}) has the highest peak, ${format.bytes(peak)} at ${format.time(peakAt)}`, others,
      '. The curve shows tensors; driver, libraries and fragmentation are in the sum above.'));
}

// One sentence: how full the fullest is, and whether that fits.
function verdict(context: Context, fullest: Holder): HTMLElement {
  if (fullest.memory.role !== undefined) return accountVerdict(context, fullest);
  const { run, format } = context;
  const capacity = run.device.memoryCapacity;
  const { peak, peakAt } = fullest.memory;
  const who = pageLink('timeline', { rank: fullest.ranks[0] }, `rank ${fullest.ranks[0]}`);
  const start = [who, ` has the highest peak: ${format.bytes(peak)} in tensors at ${format.time(peakAt)}`,
    fullest.ranks.length > 1 && ` (the same on ${format.counted(fullest.ranks.length - 1, 'other rank')})`];
  if (capacity <= 0) return el('p', {}, start, '. The cluster file does not state the memory of a device.');
  const share = format.percent(peak / capacity);
  if (peak > capacity) {
    return el('p', { class: 'bad' }, start, el('strong', {}, `: ${format.bytes(peak - capacity)} more than the ${format.bytes(capacity)} of ${deviceName(context)}. It does not fit.`));
  }
  return el('p', {}, start, `, ${share} of the ${format.bytes(capacity)} of ${deviceName(context)}.`);
}

// The capacity of a device, where it is not too far above the peak to be plotted.
function plottedCapacity({ device }: RunData, peak: number): number | null {
  return device.memoryCapacity > 0 && device.memoryCapacity <= offPicture * peak ? device.memoryCapacity : null;
}

// Runs side by side share one scale: that of the fullest ranks of all.
function sharedTop(context: Context, peak: number): number {
  const { runs } = context.data;
  const tops = runs.map((run) => {
    const own = runs.length > 1 ? holders(run)[0]?.memory.peak ?? 0 : peak;
    return Math.max(own, plottedCapacity(run, own) ?? 0);
  });
  return Math.max(1, ...tops) * 1.12;
}

function line(points: Points, color: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { type: 'line', step: 'end', data: points, showSymbol: false, symbol: 'circle', lineStyle: { color: color, width: 2 }, itemStyle: { color: color }, ...more };
}

function capacityLine(context: Context, colors: Colors, capacity: number, peakAt: number): Record<string, unknown> {
  const position = peakAt < context.run.step / 2 ? 'insideEndTop' : 'insideStartTop'; // next to the peak's label
  return {
    silent: true, symbol: 'none', data: [{ yAxis: capacity }], lineStyle: { color: colors.bad, width: 1.5, type: 'dashed' },
    label: { color: colors.bad, position, textBorderColor: colors.card, textBorderWidth: 3, formatter: `capacity ${context.format.bytes(capacity)}` },
  };
}

// A point of its own, with a label that stays inside the picture.
function peakMark(context: Context, colors: Colors, { memory }: Holder): Record<string, unknown> {
  const { run, format } = context;
  const align = memory.peakAt > run.step * 0.85 ? 'right' : memory.peakAt < run.step * 0.15 ? 'left' : 'center';
  return {
    type: 'scatter', silent: true, symbol: 'circle', symbolSize: 11, data: [[memory.peakAt, memory.peak]], z: 5,
    itemStyle: { color: colors.critical, borderColor: colors.card, borderWidth: 2 },
    label: { show: true, position: 'top', align, distance: 7, color: colors.text, fontWeight: 600, formatter: `peak ${format.bytes(memory.peak)}`, textBorderColor: colors.card, textBorderWidth: 3 },
  };
}

const constantKinds = ['weights', 'gradients', 'optimizer', 'workspace'];

// Of an account: bytes that are there during the complete step; 0: not known.
function constantOf({ memory }: Holder): number {
  return (memory.kinds ?? []).reduce((sum, [kind, size]) => sum + (constantKinds.includes(kind) ? size : 0), 0);
}

function seriesOf(context: Context, picture: Picture, colors: Colors): Record<string, unknown>[] {
  const { holder, band, all } = picture;
  const capacity = plottedCapacity(context.run, (holder ?? all[0]).memory.peak);
  const more = capacity === null ? {} : { markLine: capacityLine(context, colors, capacity, (holder ?? all[0]).memory.peakAt) };
  const filled = { areaStyle: { color: colors.memory, opacity: 0.22 }, name: 'held', ...more };
  if (holder) {
    const constant = constantOf(holder);
    const floor = { areaStyle: { color: colors.memory, opacity: 0.3 }, lineStyle: { color: colors.memory, width: 1, type: 'dashed' }, name: 'all the time', silent: true };
    return [line(stepsOf(holder.memory, context.run.step), colors.memory, filled),
      ...(constant > 0 ? [line([[0, constant], [context.run.step, constant]], colors.memory, floor)] : []), peakMark(context, colors, holder)];
  }
  return [line(band!.most, colors.memory, { ...filled, name: 'fullest' }),
    line(band!.least, colors.memory, { name: 'emptiest', lineStyle: { color: colors.memory, width: 1.5, type: 'dashed' } }),
    peakMark(context, colors, all[0])];
}

function tip(context: Context, picture: Picture, colors: Colors): Record<string, unknown> {
  const { format } = context;
  return tooltip(colors, (params: { seriesName: string; dataIndex: number; value: [number, number] }[]) => {
    const shown = params.filter(({ seriesName }) => ['held', 'fullest', 'emptiest', 'all the time'].includes(seriesName));
    const lines: [string, string][] = shown.map(({ seriesName, value }) => [seriesName, format.bytes(Math.round(value[1]))]);
    const first = shown.find(({ seriesName }) => seriesName === 'fullest');
    if (first && picture.band) lines.push(['which', format.rankList(picture.all[picture.band.fullest[first.dataIndex]].ranks)]);
    return { title: `at ${format.time(Math.round(shown[0]?.value[0] ?? 0))}`, lines };
  }, { trigger: 'axis', axisPointer: { lineStyle: { color: colors.muted } } });
}

function optionOf(context: Context, picture: Picture, colors: Colors): EChartsCoreOption {
  const { data, format } = context;
  const longest = Math.max(...data.runs.map(({ step }) => step));
  const times = format.timeAxis(longest);
  const peak = (picture.holder ?? picture.all[0]).memory.peak;
  const top = sharedTop(context, peak);
  const unit = format.bytes(peak).endsWith('iB') ? [2 ** 40, 2 ** 30, 2 ** 20, 2 ** 10].find((size) => peak >= size) ?? 1 : 1;
  const each = niceStep((top / unit) / 5) * unit;
  return {
    grid: { left: 8, right: 24, top: 16, bottom: 28, containLabel: true },
    xAxis: { ...axis(colors), type: 'value', min: 0, max: longest, axisLabel: { color: colors.muted, hideOverlap: true, formatter: times.label }, splitLine: { show: false }, interval: niceStep(longest / times.factor / 8) * times.factor, name: 'time', nameLocation: 'middle', nameGap: 26 },
    yAxis: { ...axis(colors), type: 'value', min: 0, interval: each, max: Math.ceil(top / each) * each, axisLabel: { color: colors.muted, formatter: (value: number) => format.bytes(Math.round(value)) } },
    tooltip: tip(context, picture, colors),
    series: seriesOf(context, picture, colors),
  };
}

function heldTable(context: Context, { memory, ranks }: Holder): HTMLElement {
  const { format } = context;
  const listed = memory.held.reduce((sum, [, size]) => sum + size, 0);
  const rest = memory.peak - listed;
  const rows: [string, number, boolean, string][] = memory.held.map(([name, size, kind]) => [name, size, true, kind ?? '']);
  if (rest > 0) rows.push(['all others', rest, false, '']);
  const accounted = memory.role !== undefined;
  const bar = (size: number): HTMLElement =>
    el('span', { class: 'held-bar', 'aria-hidden': true }, styled(el('i'), { width: `${memory.peak ? (100 * size) / memory.peak : 0}%` }));
  return table({
    caption: `Memory of ${format.rankList(ranks)} at the peak, ${format.bytes(memory.peak)} at ${format.time(memory.peakAt)}`,
    rows,
    columns: [
      { title: accounted ? 'part' : 'tensor', cell: ([name, , named]) => el('span', { class: named ? 'name' : 'muted' }, named ? format.nameOf(name) : name), key: ([name]) => name },
      ...(accounted ? [{ title: 'kind', cell: ([, , , kind]: [string, number, boolean, string]) => kind, key: ([, , , kind]: [string, number, boolean, string]) => kind }] : []),
      { title: 'size', number: true, cell: ([, size]) => format.bytes(size), key: ([, size]) => size },
      { title: 'of the peak', number: true, cell: ([, size]) => [bar(size), el('span', { class: 'held-share' }, format.percent(memory.peak ? size / memory.peak : 0))], key: ([, size]) => size },
    ],
  });
}

// Of an account: what ranks of each kind hold at their peaks, in the columns of `orrery memory`.
function rolesTable({ format }: Context, all: readonly Holder[]): HTMLElement {
  const columns: [string, string[]][] = [['weights', ['weights']], ['gradients', ['gradients']], ['optimizer', ['optimizer']],
    ['activations', ['activations', 'working']], ['buffers', ['communication', 'workspace', 'fragmentation']]];
  const rows = rolesOf(all);
  const held = ({ memory }: Holder, kinds: string[]): number =>
    (memory.kinds ?? []).reduce((sum, [kind, size]) => sum + (kinds.includes(kind) ? size : 0), 0);
  return table({
    caption: 'Memory of ranks at their own peaks',
    rows,
    columns: [
      { title: 'role', cell: ({ memory }) => format.nameOf(memory.role ?? ''), key: ({ memory }) => memory.role ?? '' },
      { title: 'ranks', number: true, cell: ({ ranks }) => String(ranks.length), key: ({ ranks }) => ranks.length },
      ...columns.map(([title, kinds]) => ({ title, number: true, cell: (one: Holder) => format.bytes(held(one, kinds)), key: (one: Holder) => held(one, kinds) })),
      { title: 'peak', number: true, cell: ({ memory }) => format.bytes(memory.peak), key: ({ memory }) => memory.peak },
    ],
  });
}

function choiceOf(all: readonly Holder[], context: Context): HTMLSelectElement {
  const { format } = context;
  const select = el('select', {},
    all.length > 1 && el('option', { value: '' }, 'range over all ranks'),
    all.slice(0, mostChoices).map((holder, i) =>
      el('option', { value: String(i) }, `${format.rankList(holder.ranks)}${holder.memory.role === undefined ? '' : ` (${format.nameOf(holder.memory.role)})`}: peak ${format.bytes(holder.memory.peak)}`)));
  return select;
}

function nothing(): HTMLElement {
  return el('div', { class: 'card' },
    el('h2', {}, 'This trace contains no tensors'),
    el('p', {}, 'The memory of its ranks is therefore unknown. A trace that lists the inputs and outputs of its nodes with their sizes (Chakra’s ',
      el('code', {}, 'inputs'), ' and ', el('code', {}, 'outputs'), ') has a memory curve here, its peak and the tensors at the peak; so does a run of a model and a plan (',
      el('code', {}, 'orrery run --model'), ').'));
}

export const memory: Page = {
  id: 'memory',
  title: 'Memory',
  has: (run) => holders(run).length > 0 || run.remoteMemory.levels.length > 0,
  render(host, context) {
    const { run } = context;
    const all = holders(run);
    if (all.length === 0) {
      host.append(nothing());
      const levels = showLevels(host, context);
      return () => levels?.dispose();
    }
    const accounted = all[0].memory.role !== undefined;
    const wanted = all.findIndex(({ ranks }) => ranks.includes(Number(context.args.rank ?? NaN)));
    const picture: Picture = { holder: all[Math.max(0, wanted)], band: null, all };
    const select = choiceOf(all, context);
    select.value = String(Math.max(0, wanted));
    const [frame, held, words] = [el('div'), el('div'), el('p', { class: 'muted' })];
    host.append(el('section', { class: 'card', 'aria-label': 'Memory over time' }, el('h2', {}, accounted ? 'Memory over time' : 'Tensors over time'),
      verdict(context, all[0]), accounted && el('p', { class: 'muted' }, 'Computed from the model and the plan, as in ', el('code', {}, 'orrery memory'), ', at the times of this run: layer by layer, as forward passes store activations and backward passes release them.'), el('div', { class: 'controls' }, el('label', {}, 'Show', select)), frame, words),
    el('section', { class: 'card', 'aria-label': 'At the peak' }, el('h2', {}, 'At the peak'), held));
    if (accounted) host.append(el('section', { class: 'card', 'aria-label': 'Kinds of ranks' }, el('h2', {}, 'Kinds of ranks'), rolesTable(context, all)));
    const levels = showLevels(host, context);
    const label = `Curve of memory over time; the fullest rank has its peak of ${context.format.bytes(all[0].memory.peak)} at ${context.format.time(all[0].memory.peakAt)}.`;
    const drawn = chart(frame, context, { label, height: 320, option: (colors) => optionOf(context, picture, colors) });
    const show = (): void => {
      held.replaceChildren(heldTable(context, picture.holder ?? all[0]));
      const capacity = plottedCapacity(run, (picture.holder ?? all[0]).memory.peak);
      const device = run.device.memoryCapacity;
      const constant = picture.holder ? constantOf(picture.holder) : 0;
      const floor = constant > 0 ? `Below the dashed line: weights, gradients, optimizer state and workspace, ${context.format.bytes(constant)} all the time. Above it: activations, buffers and other temporary tensors. ` : '';
      const band = picture.holder ? floor : 'The upper line is the fullest rank at each time, the dashed one the emptiest. ';
      words.textContent = band + (device > 0 && capacity === null ? `The capacity, ${context.format.bytes(device)}, is far above the plotted range.` : '');
      words.hidden = words.textContent === '';
    };
    select.addEventListener('change', () => {
      picture.holder = select.value === '' ? null : all[Number(select.value)];
      picture.band ??= picture.holder ? null : envelope(all, run.step);
      context.note(picture.holder ? { rank: picture.holder.ranks[0] } : {});
      show();
      drawn.redraw();
    });
    show();
    return () => {
      drawn.dispose();
      levels?.dispose();
    };
  },
};
