// SPDX-License-Identifier: Apache-2.0
//
// One dimension of a big system: a cell for every rank, in the color of its busiest link.

import type { RunData } from '../../data';
import { el, styled } from '../../dom';
import * as format from '../../format';
import { gridWidth, useByRank } from './figures';
import { heat } from './heat';

export interface Grid {
  element: HTMLElement;
  paint(isDark: boolean, empty: string): void;
}

interface Cells {
  columns: number;
  rows: number;
  group: number; // columns after which there is a gap
  size: number; // CSS pixels
  gap: number;
}

function layCells(run: RunData, width: number): Cells {
  const columns = gridWidth(run.ranks, run.dims);
  const rows = Math.ceil(run.ranks / columns);
  const first = run.dims[0]?.size ?? columns;
  const group = first < columns ? first : columns;
  const gap = group > 1 && columns > group ? 3 : 0;
  const room = width - gap * (columns / group);
  return { columns, rows, group, gap, size: Math.max(3, Math.min(22, Math.floor(room / columns))) };
}

const leftOf = (cells: Cells, column: number): number => column * cells.size + Math.floor(column / cells.group) * cells.gap;

// `point`: called with the rank below the pointer (-1: none) and its position.
export function makeGrid(run: RunData, dim: number, end: number, point: (rank: number, x: number, y: number) => void): Grid {
  const use = useByRank(run, dim);
  const known = use.link.filter((link) => link >= 0).length;
  const canvas = el('canvas', { class: 'tp-grid', role: 'img',
    'aria-label': `Dimension ${dim}: use of ${format.counted(known, 'rank')}, one cell per rank; the table of links has the same figures.` });
  const element = el('div', { class: 'tp-grid-host' }, canvas);
  let cells = layCells(run, 300);
  const paint = (isDark: boolean, empty: string): void => {
    if (element.clientWidth === 0) return;
    cells = layCells(run, element.clientWidth);
    const ratio = Math.min(devicePixelRatio || 1, 2);
    const width = leftOf(cells, cells.columns - 1) + cells.size;
    const height = cells.rows * cells.size;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    styled(canvas, { width: `${width}px`, height: `${height}px` });
    const context = canvas.getContext('2d')!;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const inner = cells.size - (cells.size > 6 ? 1.5 : cells.size > 4 ? 1 : 0.5);
    for (let rank = 0; rank < run.ranks; rank++) {
      const x = leftOf(cells, rank % cells.columns);
      const y = Math.floor(rank / cells.columns) * cells.size;
      context.fillStyle = use.use[rank] < 0 ? empty : heat(use.use[rank] / end, isDark);
      if (use.use[rank] < 0) context.fillRect(x + inner / 3, y + inner / 3, inner / 3, inner / 3);
      else context.fillRect(x, y, inner, inner);
    }
  };
  canvas.addEventListener('pointermove', (event) => {
    const row = Math.floor(event.offsetY / cells.size);
    let column = -1;
    for (let i = 0; i < cells.columns; i++) if (event.offsetX >= leftOf(cells, i)) column = i;
    const rank = row * cells.columns + column;
    point(column >= 0 && rank < run.ranks ? rank : -1, event.offsetX, event.offsetY);
  });
  canvas.addEventListener('pointerleave', () => point(-1, 0, 0));
  return { element, paint };
}
