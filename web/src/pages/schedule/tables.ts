// SPDX-License-Identifier: Apache-2.0
//
// The picture in words: links, the sends on screen, and all that one piece does.

import { el } from '../../dom';
import * as format from '../../format';
import { table, type Column } from '../../table';
import { ruler } from '../timeline/state';
import type { Grid } from './grid';
import { arrives, firstBar, pieceName, sendsOf, waitedFor, type Model } from './model';
import { describe } from './send_text';

const most = 500;

export function linksTable(grid: Grid): HTMLElement {
  const { model } = grid.state;
  const { links } = model.data;
  return el('section', { class: 'card sch-links', 'aria-label': 'Links' }, el('h2', {}, 'Links'), table<number>({
    caption: 'Load of each link, and whether it sets the bound',
    rows: grid.state.links,
    columns: [
      { title: 'Link', cell: (link) => el('span', { class: 'name' }, links.name[link]), key: (link) => links.name[link] },
      { title: 'Capacity', number: true, cell: (link) => format.rate(links.capacity[link]), key: (link) => links.capacity[link] },
      { title: 'Carries', number: true, cell: (link) => format.bytes(links.bytes[link]), key: (link) => links.bytes[link] },
      { title: 'Sends', number: true, cell: (link) => format.count(model.bars[link].send.length), key: (link) => model.bars[link].send.length },
      { title: 'Busy', number: true, note: 'of the time', cell: (link) => format.percent(model.busy[link]), key: (link) => model.busy[link] },
      { title: 'Binds', cell: (link) => (links.binds[link] ? 'yes' : ''), key: (link) => Number(links.binds[link]) },
    ],
  }));
}

function columnsOf(grid: Grid, linkOf: (send: number) => number): Column<number>[] {
  const { model } = grid.state;
  const { sends, data } = model;
  const show = (send: number): void => {
    const picked = { send, link: linkOf(send) };
    grid.pick(picked);
    grid.reveal(picked);
  };
  const ends = (column: number[], send: number): string => data.nodes[column[sends.way[send]]];
  return [
    { title: 'Piece', cell: (send) => el('button', { type: 'button', class: 'quiet name tl-cell', onclick: () => show(send) }, pieceName(model, sends.piece[send])), key: (send) => sends.piece[send] },
    { title: 'From', cell: (send) => el('span', { class: 'name' }, ends(data.ways.from, send)), key: (send) => ends(data.ways.from, send) },
    { title: 'To', cell: (send) => el('span', { class: 'name' }, ends(data.ways.to, send)), key: (send) => ends(data.ways.to, send) },
    { title: 'Bytes', number: true, cell: (send) => format.bytes(model.pieces.bytes[sends.piece[send]]), key: (send) => model.pieces.bytes[sends.piece[send]] },
    { title: 'Starts', number: true, cell: (send) => format.time(sends.start[send]), key: (send) => sends.start[send] },
    { title: 'Arrives', number: true, cell: (send) => format.time(arrives(model, send)), key: (send) => arrives(model, send) },
    { title: 'Waited for', cell: (send) => waitedFor(model, send) },
  ];
}

// The sends on screen, by rows and then by start; `all` is how many there are.
function sendsInView(grid: Grid): { seen: number[]; links: Map<number, number>; all: number } {
  const { state } = grid;
  const seen: number[] = [];
  const links = new Map<number, number>();
  let all = 0;
  const first = Math.max(0, Math.floor(state.scroll / state.row));
  const last = Math.min(state.rows.length, Math.ceil((state.scroll + state.height - ruler) / state.row));
  for (const link of state.rows.slice(first, last).flatMap((row) => (row < 0 ? state.groups[~row].links : [row]))) {
    const bars = state.model.bars[link];
    for (let i = firstBar(bars, state.view.from); i < bars.start.length && bars.start[i] < state.view.to; i++) {
      if (bars.end[i] <= state.view.from || links.has(bars.send[i])) continue;
      all++;
      if (seen.length === most) continue;
      seen.push(bars.send[i]);
      links.set(bars.send[i], link);
    }
  }
  return { seen, links, all };
}

export function fillSeen(host: HTMLElement, grid: Grid): void {
  const { seen, links, all } = sendsInView(grid);
  const { from, to } = grid.state.view;
  const left = all > seen.length ? `; the first ${format.count(seen.length)} are listed` : '';
  host.replaceChildren(table<number>({
    caption: `Sends on screen, ${format.time(Math.max(0, Math.round(from)))} to ${format.time(Math.min(grid.extent, Math.round(to)))}: ${format.count(all)}${left}`,
    rows: seen,
    empty: 'No sends on screen.',
    columns: columnsOf(grid, (send) => links.get(send)!),
  }));
}

const firstLink = (model: Model, send: number): number => model.data.ways.links[model.sends.way[send]][0][0];

// The chosen send, and the whole way of its piece. Says the send in a line.
export function fillWay(host: HTMLElement, grid: Grid): string {
  const { model, picked } = grid.state;
  host.hidden = !picked;
  if (!picked) return 'nothing selected';
  const { title, lines } = describe(model, picked.send);
  const sends = sendsOf(model, model.sends.piece[picked.send]);
  host.replaceChildren(
    el('h2', { class: 'name' }, title),
    el('dl', { class: 'pairs sch-chosen' }, lines.map(([label, text]) => [el('dt', {}, label), el('dd', { class: 'name' }, text)])),
    table<number>({
      caption: `All sends of this piece: ${format.counted(sends.length, 'send')}${model.data.linksLeftOut > 0 ? ' over the links of this page' : ''}`,
      rows: sends,
      columns: columnsOf(grid, (send) => firstLink(model, send)),
    }));
  return `${title}, ${lines.map(([label, text]) => `${label} ${text}`).join(', ')}`;
}
