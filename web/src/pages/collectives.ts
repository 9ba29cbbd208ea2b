// SPDX-License-Identifier: Apache-2.0
//
// How fast collectives were, against how fast their links would let them be.
import type { CollectiveClassData } from '../data';
import { el } from '../dom';
import type { Context, Page } from '../page';
import { table, type Column } from '../table';
import { all, groupTitle, keep, kinds, symbolOf, type Filter, type Kind } from './speeds/choice';
import { speedChart, type SpeedChart } from './speeds/speed_chart';
import './speeds/speeds.css';

const beaten = 1.0005; // of the bound: more is not rounding

function option(value: string, text: string): HTMLElement {
  return el('option', { value }, text);
}

// What both columns of a comparison follow: all but the group, which only one run may have.
interface Choice {
  type: string;
  name: string;
  linear: boolean; // bandwidth from zero
}

// Which collectives to show, and how; `changed` is called with every change.
function filters(context: Context, types: readonly Kind[], changed: (filter: Filter, linear: boolean) => void): HTMLElement {
  const { run } = context;
  let choice: Choice = { type: all.type, name: all.name, linear: false };
  let chosenGroup = all.group;
  const show = (): void => changed({ type: choice.type, name: choice.name, group: chosenGroup }, choice.linear);
  const tell = (more: Partial<Choice>): void => {
    context.shared.dispatchEvent(new CustomEvent('choice', { detail: { ...choice, ...more } }));
  };
  const type = el('select', {}, option('', 'every type'), types.map((kind) => option(kind.type, kind.type)));
  type.addEventListener('change', () => tell({ type: type.value }));
  const used = [...new Set(run.collectives.group)].sort((a, b) => a - b);
  const group = el('select', {}, option('', 'every group'), used.slice(0, 500).map((at) => option(String(at), groupTitle(run, at))));
  group.addEventListener('change', () => {
    chosenGroup = group.value === '' ? null : Number(group.value);
    show();
  });
  const name = el('input', { type: 'search', placeholder: 'part of a name', autocomplete: 'off', spellcheck: 'false' });
  name.addEventListener('input', () => tell({ name: name.value }));
  const linear = el('input', { type: 'checkbox' });
  linear.addEventListener('change', () => tell({ linear: linear.checked }));
  context.shared.addEventListener('choice', (event) => {
    choice = (event as CustomEvent<Choice>).detail;
    type.value = choice.type;
    if (name.value !== choice.name) name.value = choice.name;
    linear.checked = choice.linear;
    show();
  });
  return el('div', { class: 'controls' }, el('label', {}, 'Type', type),
    used.length > 1 && el('label', {}, 'Group', group), el('label', {}, 'Name', name), el('label', {}, linear, 'bandwidth from zero'));
}

function legend(types: readonly Kind[]): HTMLElement {
  return el('ul', { class: 'legend' },
    types.map((kind) => el('li', {}, symbolOf(kind), kind.type)),
    el('li', {}, el('span', { class: 'bound-key', 'aria-hidden': true }), 'limit of the links'));
}

function ofBound(context: Context, value: number | null): Node | string {
  if (value === null) return '–';
  const text = context.format.percent(value);
  return value > beaten ? el('span', { class: 'warn', title: 'faster than the limit of its links: see above' }, `${text} ▲`) : text;
}

// Who says what it takes: "measured, ring, simple, −11.0 % to +6.8 %".
function predictedBy(context: Context, i: number): string {
  const { run, format } = context;
  const at = run.collectives.predicted[i];
  if (at === null) return 'network';
  const { source, algorithm, time, least, most } = run.predicted[at];
  const share = (part: number): string => `${part < 0 ? '−' : '+'}${format.percent(time > 0 ? Math.abs(part) / time : 0)}`;
  return [source, algorithm, least === null || most === null ? 'error unknown' : `${share(least)} to ${share(most)}`].filter((word) => word !== '').join(', ');
}

// One line per collective: what the picture shows, as text.
function eachTable(context: Context, shown: readonly number[]): HTMLElement {
  const { run, format } = context;
  const c = run.collectives;
  const took = (i: number): number => (c.end[i] === null ? NaN : c.end[i]! - c.lastStart[i]);
  const columns: Column<number>[] = [
    { title: 'name', cell: (i) => el('span', { class: 'name' }, format.nameOf(run.names[c.name[i]])), key: (i) => run.names[c.name[i]] },
    { title: 'type', cell: (i) => c.type[i], key: (i) => c.type[i] },
    { title: 'group', cell: (i) => el('span', { class: 'name' }, groupTitle(run, c.group[i])), key: (i) => c.group[i] },
    { title: 'size', number: true, cell: (i) => format.bytes(c.bytes[i]), key: (i) => c.bytes[i] },
    { title: 'sent in total', number: true, cell: (i) => format.bytes(c.sent[i]), key: (i) => c.sent[i] },
    { title: 'start', note: 'arrival of the first rank', number: true, cell: (i) => format.time(c.firstStart[i]), key: (i) => c.firstStart[i] },
    { title: 'waited', note: 'from the first arrival to the last', number: true, cell: (i) => format.time(c.lastStart[i] - c.firstStart[i]), key: (i) => c.lastStart[i] - c.firstStart[i] },
    { title: 'last', note: 'the rank that arrived last', number: true, cell: (i) => `rank ${c.lastRank[i]}`, key: (i) => c.lastRank[i] },
    { title: 'time', note: 'from the last arrival until all ranks finish', number: true, cell: (i) => (c.end[i] === null ? 'never ended' : format.time(took(i))), key: took },
    { title: 'busbw', number: true, cell: (i) => format.rate(c.busbw[i]), key: (i) => c.busbw[i] },
    { title: 'of bound', number: true, cell: (i) => ofBound(context, c.ofBound[i]), key: (i) => c.ofBound[i] ?? -1 },
    { title: 'source', note: 'source of its time, and 80 % interval of measured times', cell: (i) => predictedBy(context, i), key: (i) => c.predicted[i] ?? -1 },
  ];
  return table({ caption: `${format.counted(shown.length, 'collective')}, by start`, columns, rows: shown, empty: 'No matching collectives.' });
}

const meanWait = ({ waited, members, count }: CollectiveClassData): number => waited / Math.max(1, members * count);

function classTable(context: Context, type: string): HTMLElement {
  const { run, format } = context;
  const rows = run.collectiveClasses.filter((one) => type === '' || one.type === type);
  return table({
    caption: 'Collectives of equal type, members and size',
    rows,
    empty: 'No matching collectives.',
    columns: [
      { title: 'type', cell: (row) => row.type, key: (row) => row.type },
      { title: 'members', number: true, cell: (row) => format.count(row.members), key: (row) => row.members },
      { title: 'size', number: true, cell: (row) => format.bytes(row.bytes), key: (row) => row.bytes },
      { title: 'sent in total', number: true, cell: (row) => format.bytes(row.sent), key: (row) => row.sent },
      { title: 'count', number: true, cell: (row) => format.count(row.count), key: (row) => row.count },
      { title: 'time, in total', note: 'sum over the collectives of the times from the last arrival until all ranks finish', number: true, cell: (row) => format.time(row.time), key: (row) => row.time },
      { title: 'waited, mean', note: 'for the last arrival: mean over the collectives and their members', number: true, cell: (row) => format.time(Math.round(meanWait(row))), key: meanWait },
      { title: 'algbw', note: 'size over time', number: true, cell: (row) => format.rate(row.algbw), key: (row) => row.algbw },
      { title: 'busbw', note: 'load of each link: algbw times the factor of the type, as nccl-tests defines it', number: true, cell: (row) => format.rate(row.busbw), key: (row) => row.busbw },
      { title: 'of bound', note: '100 % is the limit of the links', number: true, cell: (row) => ofBound(context, row.ofBound), key: (row) => row.ofBound ?? -1 },
    ],
  });
}

// Why a collective can be faster than its links allow.
function beatenText(context: Context): HTMLElement | null {
  const { run, format } = context;
  const many = run.collectives.ofBound.filter((value) => value !== null && value > beaten).length;
  if (many === 0) return null;
  const model = run.manifest.find(([key]) => key === 'network_model')?.[1] ?? '';
  const why = model === 'analytical'
    ? 'The analytical network model has no contention: every message gets the full bandwidth of its link, even if messages share the link.'
    : 'The network model allows more than the capacity of its links.';
  return el('p', { class: 'note' }, el('strong', {}, `${format.counted(many, 'collective')} ${many === 1 ? 'beats' : 'beat'} the bound of the links. `), why,
    ' Such speeds are upper limits.');
}

function leftOut(context: Context, flat: number): string {
  const { run, format } = context;
  const words = [];
  if (run.collectivesLeftOut > 0) {
    words.push(`The ${format.count(run.collectives.type.length)} longest are shown; ${format.count(run.collectivesLeftOut)} shorter ones are omitted (the classes below include all).`);
  }
  if (flat > 0) words.push(`${format.counted(flat, 'collective')} had no duration or never ended and cannot be plotted.`);
  return words.join(' ');
}

function speedCard(host: HTMLElement, context: Context, types: readonly Kind[], filtered: (filter: Filter) => void): SpeedChart {
  const figures = el('div');
  const details = el('details', {}, el('summary', {}, 'As a table'), figures);
  const frame = el('div');
  const words = el('p', { class: 'muted' });
  let shown: number[] = [];
  const fill = (): void => {
    if (details.open) figures.replaceChildren(eachTable(context, shown));
  };
  details.addEventListener('toggle', fill);
  const controls = filters(context, types, (filter, linear) => {
    shown = keep(context.run, filter);
    picture.show(shown, linear);
    words.textContent = leftOut(context, picture.flat);
    fill();
    filtered(filter);
  });
  host.append(el('section', { class: 'card', 'aria-label': 'Size and bandwidth' },
    el('h2', {}, 'Size and achieved bus bandwidth'), controls, legend(types), frame, words, details));
  const picture = speedChart(frame, context, types);
  shown = keep(context.run, all);
  picture.show(shown, false);
  words.textContent = leftOut(context, picture.flat);
  return picture;
}

export const collectives: Page = {
  id: 'collectives',
  has: (run) => run.collectives.type.length > 0 || run.collectiveClasses.length > 0,
  title: 'Collectives',
  render(host, context) {
    const { run } = context;
    if (run.collectives.type.length === 0) {
      host.append(el('p', { class: 'card' }, 'This run has no collectives: its ranks do not communicate, or only send and receive.'));
      return undefined;
    }
    const classes = el('div', {}, classTable(context, ''));
    host.append(beatenText(context) ?? '');
    const speeds = speedCard(host, context, kinds(context.data.runs), (filter) => classes.replaceChildren(classTable(context, filter.type)));
    host.append(el('section', { class: 'card', 'aria-label': 'Classes' }, el('h2', {}, 'By type, members and size'), classes));
    return () => speeds.dispose();
  },
};
