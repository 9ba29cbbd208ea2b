// SPDX-License-Identifier: Apache-2.0
//
// Where each unit and lane stands from top to bottom. Pure.

import type { Model, Unit } from './model';

export interface Row {
  unit: number; // in Rows.units
  lane: number; // in Line.lanes; -1: the unit's own row
  top: number; // CSS pixels from the top of all rows
  height: number;
}

export interface Rows {
  units: Unit[];
  open: Set<number>; // units that show their lanes
  rows: Row[];
  height: number;
  ofUnit: Int32Array; // the row of a unit
  ofRank: Int32Array; // the unit of a rank; -1: none
}

export interface Heights {
  shut: number; // a unit that shows no lanes
  head: number; // the head of one that does
  lane: number;
  gap: number; // after the last lane of a unit
}

export const roomy: Heights = { shut: 22, head: 22, lane: 20, gap: 8 };
export const dense: Heights = { shut: 12, head: 22, lane: 20, gap: 8 };

export function layRows(model: Model, units: Unit[], open: Set<number>, heights: Heights): Rows {
  const rows: Row[] = [];
  const ofUnit = new Int32Array(units.length);
  const ofRank = new Int32Array(countRanks(model)).fill(-1);
  let top = 0;
  const add = (unit: number, lane: number, height: number): void => {
    rows.push({ unit, lane, top, height });
    top += height;
  };
  units.forEach((unit, i) => {
    ofUnit[i] = rows.length;
    for (const rank of unit.ranks > 1 ? model.lines[unit.line].ranks : [unit.rank]) ofRank[rank] = i;
    if (!open.has(i)) {
      add(i, -1, heights.shut);
      return;
    }
    add(i, -1, heights.head);
    model.lines[unit.line].lanes.forEach((_, lane) => add(i, lane, heights.lane));
    top += heights.gap;
  });
  return { units, open, rows, height: top, ofUnit, ofRank };
}

function countRanks(model: Model): number {
  return model.lines.reduce((most, line) => Math.max(most, (line.ranks.at(-1) ?? -1) + 1), 0);
}

// The last row that starts at or above `y`; -1 above all.
export function rowAt(rows: Rows, y: number): number {
  let low = 0;
  let high = rows.rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (rows.rows[middle].top <= y) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

// Which units to open at first: all of a small system, the first of a bigger one.
export function firstOpen(model: Model, units: Unit[]): Set<number> {
  const open = new Set<number>();
  let rows = 0;
  units.forEach((unit, i) => {
    rows += (model.lines[unit.line]?.lanes.length ?? 0) + 1;
    if (i === 0 || rows <= 24) open.add(i);
  });
  return open;
}
