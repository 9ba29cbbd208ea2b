// SPDX-License-Identifier: Apache-2.0
//
// Views of a recording: tables of operators, kernels, launches, collectives and memory, one below the other.
import type { Chart } from '../../charts';
import { el } from '../../dom';
import * as format from '../../format';
import type { Context, Page } from '../../page';
import { table, type Column } from '../../table';
import type { Cell, ViewColumn, ViewData, ViewTable, ViewsData } from '../../views_data';
import { memoryCurve } from './memory_curve';
import './views.css';

const none = '–';
const textOf = (cell: Cell): string => (cell === null ? none : typeof cell === 'string' ? cell : cell[0]);
const isNumber = (cell: Cell): boolean => Array.isArray(cell);

function keyOf(cell: Cell, numbers: boolean): number | string {
  if (!numbers) return textOf(cell);
  return Array.isArray(cell) ? cell[1] : Number.NaN;
}

function column(one: ViewColumn, place: number, rows: readonly Cell[][]): Column<Cell[]> {
  const first = rows.find((row) => row[place] !== null);
  const numbers = first !== undefined && isNumber(first[place]);
  return {
    title: one.title, note: one.about, number: numbers,
    cell: (row) => textOf(row[place]),
    key: (row) => keyOf(row[place], numbers),
  };
}

function tableOf(data: ViewTable): HTMLElement | null {
  const columns = data.columns.flatMap((one, place) => (one.title === '' ? [] : [column(one, place, data.rows)]));
  if (columns.length === 0) return null;
  if (data.rows.length === 0) return data.ifEmpty === '' ? null : el('p', { class: 'muted' }, data.ifEmpty);
  return table<Cell[]>({ caption: data.title, columns, rows: data.rows });
}

function section(view: ViewData, context: Context, charts: Chart[]): HTMLElement {
  const host = el('section', { class: 'card', 'aria-label': view.title, id: `view-${view.name}`, tabindex: -1 }, el('h2', {}, view.title));
  if (view.facts.length > 0) {
    host.append(el('dl', { class: 'pairs' }, view.facts.map(([label, text]) => [el('dt', {}, label), el('dd', { class: 'name' }, text)])));
  }
  for (const one of view.tables) {
    const made = tableOf(one);
    if (made !== null) host.append(made);
    if (view.name !== 'memory' || one.key !== 'curve') continue;
    const picture = memoryCurve(host, context, one);
    if (picture !== null) charts.push(picture);
  }
  return host;
}

function contents(views: readonly ViewData[]): HTMLElement {
  const jump = (name: string): void => {
    const target = document.getElementById(`view-${name}`);
    target?.scrollIntoView();
    target?.focus();
  };
  return el('nav', { class: 'vw-contents', 'aria-label': 'Views' },
    views.map(({ name }) => el('button', { type: 'button', class: 'quiet', onclick: () => jump(name) }, name)));
}

function recording({ facts, findings }: ViewsData): HTMLElement {
  return el('section', { class: 'card', 'aria-label': 'Recording' }, el('h2', {}, 'Recording'),
    el('dl', { class: 'pairs' }, facts.map(([label, text]) => [el('dt', {}, label), el('dd', { class: 'name' }, text)])),
    findings.length > 0 && el('ul', { class: 'vw-notes muted' }, findings.map(({ sentence, count }) => el('li', {}, `${sentence} (${format.counted(count, 'case')})`))));
}

export const views: Page = {
  id: 'views',
  title: 'Views of the recording',
  whole: true,
  shows: (data) => data.views !== undefined,
  render(host, context) {
    const data = context.data.views!;
    const charts: Chart[] = [];
    host.append(recording(data), contents(data.views), ...data.views.map((view) => section(view, context, charts)));
    return () => charts.forEach((one) => one.dispose());
  },
};
