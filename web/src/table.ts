// SPDX-License-Identifier: Apache-2.0
//
// Tables that can be sorted, by mouse and keyboard, and that show a part of long lists first.
import { el, type Child } from './dom';
import { scrollRegion } from './scroll';

export interface Column<Row> {
  title: string;
  cell(row: Row): Child; // what stands in the cell
  key?(row: Row): number | string; // what to sort by; without it the column cannot be sorted
  number?: boolean; // to the right, in figures of equal width
  note?: string; // what the column means
}

export interface TableOptions<Row> {
  caption: string;
  columns: Column<Row>[];
  rows: readonly Row[];
  sort?: { column: number; down: boolean }; // to begin with; without it the rows stand as given
  first?: number; // how many rows to show before "show all"; 20 without it
  step?: number; // how many more a click shows, where all would be too many
  empty?: string; // what to say when there is no row
  pick?(row: Row): void; // called when a row is clicked; offer the same by keyboard in a cell
}

function compare(a: number | string, b: number | string): number {
  if (typeof a === 'number' && typeof b === 'number') {
    return a === b ? 0 : Number.isNaN(a) || a < b ? -1 : 1;
  }
  return String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0;
}

export function table<Row>(options: TableOptions<Row>): HTMLElement {
  const { columns } = options;
  let order = options.sort;
  let shown = options.first ?? 20;
  const head = el('tr');
  const body = el('tbody');
  const more = el('button', { type: 'button', class: 'quiet', onclick: showAll }, '');
  const host = el('div', { class: 'table-host' },
    scrollRegion(options.caption, el('table', {}, el('caption', {}, options.caption), el('thead', {}, head), body)).frame,
    more);

  function sorted(): Row[] {
    const rows = [...options.rows];
    const key = order && columns[order.column].key;
    if (!order || !key) return rows;
    const keys = new Map(rows.map((row) => [row, key(row)]));
    const sign = order.down ? -1 : 1;
    return rows.sort((a, b) => sign * compare(keys.get(a)!, keys.get(b)!));
  }

  function fill(): void {
    const rows = sorted();
    body.replaceChildren(...rows.slice(0, shown).map(line));
    if (rows.length === 0) {
      body.append(el('tr', {}, el('td', { colspan: columns.length, class: 'muted' }, options.empty ?? 'Nothing here.')));
    }
    more.hidden = rows.length <= shown;
    const left = rows.length - shown;
    const all = rows.length.toLocaleString('en');
    more.textContent = options.step && left > options.step ? `Show ${options.step} more of ${all} rows` : `Show all ${all} rows`;
    [...head.children].forEach((cell, i) => {
      if (columns[i].key) cell.setAttribute('aria-sort', order?.column !== i ? 'none' : order.down ? 'descending' : 'ascending');
    });
  }

  function line(row: Row): HTMLElement {
    const pick = options.pick;
    return el('tr', { class: pick && 'pickable', onclick: pick && (() => pick(row)) },
      columns.map((column) => el('td', { class: column.number && 'number' }, column.cell(row))));
  }

  function showAll(): void {
    shown = options.step ? shown + options.step : Infinity;
    fill();
  }

  head.append(...columns.map((column, i) => {
    const by = (): void => {
      order = { column: i, down: order?.column === i ? !order.down : !!column.number };
      fill();
    };
    return el('th', { scope: 'col', class: column.number && 'number', title: column.note },
      column.key ? el('button', { type: 'button', onclick: by }, column.title) : column.title);
  }));
  fill();
  return host;
}
