// SPDX-License-Identifier: Apache-2.0
//
// Views of a recording, as data of the page: the contract with src/orrery/report/html/views_page.h.

// What people read; of a number also the number, in the unit that the column's key ends in; null: not known.
export type Cell = null | string | [text: string, number: number];

export interface ViewColumn {
  title: string; // '': not shown as text
  key: string;
  about: string;
}

export interface ViewTable {
  key: string;
  title: string;
  columns: ViewColumn[];
  rows: Cell[][]; // one cell per column
  ifEmpty: string;
}

export interface ViewData {
  name: string;
  title: string;
  facts: [string, string][]; // label, text
  tables: ViewTable[];
}

export interface ViewsData {
  title: string;
  facts: [string, string][];
  views: ViewData[];
  findings: { name: string; severity: string; count: number; sentence: string; places: string[] }[];
}
