// SPDX-License-Identifier: Apache-2.0
//
// The spans in view as a table: the text alternative of the picture.

import { spanKinds } from '../../data';
import { el } from '../../dom';
import * as format from '../../format';
import { critical } from '../../spans';
import { table } from '../../table';
import { spanName } from './model';
import { rowAt } from './rows';
import type { Stage } from './stage';
import { ruler, type Pick } from './state';
import { firstEnding, firstStarting, type Track } from './tracks';

const most = 500;

interface Seen extends Pick {
  start: number;
}

// The spans on screen, by rows and then by start; `all` is how many there are.
export function spansInView(stage: Stage): { seen: Seen[]; all: number } {
  const { state } = stage;
  const { from, to } = state.view;
  const seen: Seen[] = [];
  let all = 0;
  const add = (unit: number, track: Track): void => {
    const last = firstStarting(track, to);
    for (let i = firstEnding(track, from); i < last; i++) {
      if (track.lit && track.lit[i + 1] === track.lit[i]) continue;
      all++;
      if (seen.length < most) seen.push({ unit, span: track.span[i], start: track.start[i] });
    }
  };
  const first = Math.max(0, rowAt(state.rows, state.scroll));
  const last = rowAt(state.rows, state.scroll + state.height - ruler);
  for (let r = first; r <= last; r++) {
    const row = state.rows.rows[r];
    const line = state.model.lines[state.rows.units[row.unit].line];
    if (row.lane >= 0) add(row.unit, line.lanes[row.lane].track);
    else if (!state.rows.open.has(row.unit)) [line.work, line.talk].forEach((track) => add(row.unit, track));
  }
  return { seen, all };
}

export function fillTable(host: HTMLElement, stage: Stage): void {
  const { state } = stage;
  const { seen, all } = spansInView(stage);
  const { from, to } = state.view;
  const stretch = `${format.time(Math.max(0, Math.round(from)))} to ${format.time(Math.min(state.model.step, Math.round(to)))}`;
  const left = all > seen.length ? `; the first ${format.count(seen.length)} are listed` : '';
  const spansOf = (row: Seen) => state.model.lines[state.rows.units[row.unit].line].spans;
  const show = (row: Seen): void => {
    stage.pick({ unit: row.unit, span: row.span });
    stage.reveal(row);
  };
  host.replaceChildren(table<Seen>({
    caption: `Spans on screen, ${stretch}: ${format.count(all)}${left}`,
    rows: seen,
    empty: 'No spans on screen.',
    pick: show,
    columns: [
      { title: 'Name', cell: (row) => el('button', { type: 'button', class: 'quiet name tl-cell', onclick: (event) => { event.stopPropagation(); show(row); } },
        spanName(state.model.names, spansOf(row), row.span)), key: (row) => spanName(state.model.names, spansOf(row), row.span) },
      { title: 'Kind', cell: (row) => spanKinds[spansOf(row).kind[row.span]], key: (row) => spanKinds[spansOf(row).kind[row.span]] },
      { title: 'Rank', cell: (row) => state.rows.units[row.unit].title.replace(/^rank /, ''), key: (row) => state.rows.units[row.unit].rank },
      { title: 'Start', number: true, cell: (row) => format.time(spansOf(row).start[row.span]), key: (row) => spansOf(row).start[row.span] },
      { title: 'Length', number: true, cell: (row) => format.time(spansOf(row).length[row.span]), key: (row) => spansOf(row).length[row.span] },
      { title: 'Waiting', number: true, cell: (row) => format.time(spansOf(row).wait[row.span]), key: (row) => spansOf(row).wait[row.span] },
      { title: 'Critical', cell: (row) => (spansOf(row).flags[row.span] & critical ? 'yes' : ''), key: (row) => spansOf(row).flags[row.span] & critical },
    ],
  }));
}
