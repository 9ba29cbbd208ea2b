// SPDX-License-Identifier: Apache-2.0
//
// The figures of a replay as tables.
import { el } from '../../dom';
import * as format from '../../format';
import type { ReplayData, ReplayRow } from '../../replay_data';
import { table, type Column } from '../../table';
import { byDifference, longer, type RanData } from './shares';

type RuleData = ReplayData['rules'][number];

const none = '–';
const time = (ns: number): string => (ns > 0 ? format.time(ns * 1000) : none);
const rate = (value: number, words: (value: number) => string): string => (value > 0 ? words(value) : none);

function change(row: ReplayRow): string {
  const times = longer(row.recorded, row.replayed);
  return times === null ? none : `${times.toFixed(times < 9.995 ? 2 : times < 99.95 ? 1 : 0)} ×`;
}

function sides(timed: boolean, device: boolean): Column<ReplayRow>[] {
  const where = device ? 'on the device' : 'on the host';
  const recorded: Column<ReplayRow>[] = timed ? [
    { title: 'recorded time', note: `as recorded ${where}`, number: true, cell: (row) => time(row.recorded.ns), key: (row) => row.recorded.ns },
  ] : [];
  const compared: Column<ReplayRow>[] = timed ? [
    { title: 'here / recorded', note: 'mean replayed time / mean recorded time of one operator', number: true, cell: change, key: (row) => longer(row.recorded, row.replayed) ?? NaN },
  ] : [];
  return [
    { title: 'recorded', note: 'operators', number: true, cell: (row) => format.count(row.recorded.count), key: (row) => row.recorded.count },
    { title: 'replayed', note: 'operators with the recorded behavior', number: true, cell: (row) => format.count(row.replayed.count), key: (row) => row.replayed.count },
    ...recorded,
    { title: 'replay time', note: 'per iteration, median of each operator', number: true, cell: (row) => time(row.replayed.ns), key: (row) => row.replayed.ns },
    ...compared,
  ];
}

function rates(recorded: boolean): Column<ReplayRow>[] {
  const of = (side: 'recorded' | 'replayed', words: string): Column<ReplayRow>[] => [
    { title: `FLOP rate, ${words}`, note: 'of operators with known FLOPs', number: true, cell: (row) => rate(row[side].flops, format.flops), key: (row) => row[side].flops },
    { title: `byte rate, ${words}`, note: 'lower bound from the sizes of tensors', number: true, cell: (row) => rate(row[side].bytes, format.rate), key: (row) => row[side].bytes },
  ];
  return [...(recorded ? of('recorded', 'recorded') : []), ...of('replayed', 'here')];
}

function kernels(device: boolean): Column<ReplayRow>[] {
  return device ? [{ title: 'kernels', note: 'recorded on the device', number: true, cell: (row) => format.count(row.kernels), key: (row) => row.kernels }] : [];
}

export function kindsTable({ kinds, timed, onDevice }: ReplayData): HTMLElement {
  return table<ReplayRow>({
    caption: 'FLOPs and bytes are computed from the sizes of tensors, equal for both.', rows: kinds, sort: { column: timed ? 4 : 3, down: true },
    columns: [
      { title: 'kind', cell: (row) => row.name, key: (row) => row.name },
      ...sides(timed, onDevice), ...kernels(onDevice), ...rates(timed),
    ],
  });
}

export function operatorsTable({ operators, timed, onDevice, rules }: ReplayData): HTMLElement {
  const standsIn: Column<ReplayRow>[] = rules.length > 0 ? [{ title: 'by rule', cell: (row) => row.rule || none, key: (row) => row.rule }] : [];
  return table<ReplayRow>({
    caption: 'Operators that were replayed, by name and overload', rows: operators, sort: { column: timed ? 5 : 4, down: true },
    columns: [
      { title: 'operator', cell: (row) => el('span', { class: 'name' }, row.name), key: (row) => row.name },
      { title: 'kind', cell: (row) => el('span', { class: 'rp-whole' }, row.kind), key: (row) => row.kind },
      ...sides(timed, onDevice), ...kernels(onDevice), ...rates(false), ...standsIn,
    ],
  });
}

export function ranTable(ran: readonly RanData[]): HTMLElement {
  const off = (one: RanData): number => one.replayed - one.recorded;
  return table<RanData>({
    caption: 'Operators that ran, including nested ones; different counts first', rows: byDifference(ran), first: 12,
    columns: [
      { title: 'operator', cell: (one) => el('span', { class: 'name' }, one.name), key: (one) => one.name },
      { title: 'recorded', number: true, cell: (one) => format.count(one.recorded), key: (one) => one.recorded },
      { title: 'replayed', number: true, cell: (one) => format.count(one.replayed), key: (one) => one.replayed },
      { title: 'difference', number: true, cell: (one) => (off(one) === 0 ? none : `${off(one) > 0 ? '+' : ''}${format.count(off(one))}`), key: (one) => Math.abs(off(one)) },
    ],
  });
}

export function rulesTable({ rules, timed }: ReplayData): HTMLElement {
  return table<RuleData>({
    caption: 'Substitutes for recorded operators', rows: rules,
    columns: [
      { title: 'rule', cell: (one) => one.name, key: (one) => one.name },
      { title: 'substitute', cell: (one) => one.says },
      { title: 'operators', number: true, cell: (one) => format.count(one.count), key: (one) => one.count },
      ...(timed ? [{ title: 'recorded time', number: true, cell: (one: RuleData) => time(one.ns), key: (one: RuleData) => one.ns }] : []),
    ],
  });
}

export function commsTable({ comms }: ReplayData): HTMLElement {
  return table({
    caption: 'Communication of this rank', rows: comms,
    columns: [
      { title: 'kind', cell: (one) => one.kind.replaceAll('_', '-'), key: (one) => one.kind },
      { title: 'recorded', number: true, cell: (one) => format.count(one.recorded), key: (one) => one.recorded },
      { title: 'bytes', number: true, cell: (one) => format.bytes(one.bytes), key: (one) => one.bytes },
      { title: 'recorded time', number: true, cell: (one) => time(one.recordedNs), key: (one) => one.recordedNs },
      { title: 'replayed', number: true, cell: (one) => (one.replayed > 0 ? format.count(one.replayed) : 'omitted'), key: (one) => one.replayed },
      { title: 'replay time', number: true, cell: (one) => time(one.replayedNs), key: (one) => one.replayedNs },
    ],
  });
}
