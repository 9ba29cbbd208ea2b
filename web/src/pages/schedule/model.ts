// SPDX-License-Identifier: Apache-2.0
//
// A schedule as columns: sends, pieces, and which bars each link has. Pure.

import type { ScheduleData } from '../../data';
import * as format from '../../format';
import { Columns } from '../../spans';

// Element i belongs to send i; by start. Times are picoseconds.
export interface Sends {
  count: number;
  start: Float64Array;
  lasts: Float64Array; // how long it keeps each of its links
  piece: Uint32Array;
  way: Uint32Array;
  reduces: Uint8Array;
  ready: Float64Array; // when its sender had the piece
  before: Int32Array; // the send that brought it; -1: none that is here
}

// Nodes by place; -1: all, or none.
export interface Pieces {
  group: Uint32Array;
  from: Int32Array;
  to: Int32Array;
  owner: Int32Array;
  offset: Float64Array;
  bytes: Float64Array;
}

// What a link carries, by start. A send takes a share of it: stretches that overlap lie on each other.
export interface Bars {
  start: Float64Array;
  end: Float64Array;
  reach: Float64Array; // the latest end up to here
  send: Uint32Array;
  top: Float32Array; // from 0, the link's foot, to 1
  share: Float32Array; // of the link
}

export interface Model {
  data: ScheduleData;
  sends: Sends;
  pieces: Pieces;
  bars: Bars[]; // by link
  busy: number[]; // by link: the share of the time
}

export function layModel(data: ScheduleData): Model {
  const sends = decodeSends(data);
  const { links } = data;
  const byLink = links.name.map((): { at: number[]; send: number[] } => ({ at: [], send: [] }));
  for (let i = 0; i < sends.count; i++) {
    for (const [link, after] of data.ways.links[sends.way[i]]) {
      byLink[link].at.push(sends.start[i] + after);
      byLink[link].send.push(i);
    }
  }
  const rate = (send: number): number => data.ways.rate[sends.way[send]];
  return {
    data,
    sends,
    pieces: decodePieces(data),
    bars: byLink.map(({ at, send }, link) => layBars(at, send, (one) => sends.lasts[one], (one) => rate(one) / links.capacity[link])),
    busy: links.bytes.map((bytes, link) => (data.time > 0 ? ((bytes / links.capacity[link]) * 1e12) / data.time : 0)),
  };
}

function decodeSends(data: ScheduleData): Sends {
  const count = data.sendCount;
  const columns = new Columns(data.sends);
  const start = columns.fill(new Float64Array(count));
  for (let i = 1; i < count; ++i) start[i] += start[i - 1];
  return {
    count,
    start,
    lasts: columns.fill(new Float64Array(count)),
    piece: columns.fill(new Uint32Array(count)),
    way: columns.fill(new Uint32Array(count)),
    reduces: columns.fill(new Uint8Array(count)),
    ready: columns.fill(new Float64Array(count)).map((had, i) => start[i] - had),
    before: columns.fill(new Int32Array(count)).map((far, i) => (far === 0 ? -1 : i - far)),
  };
}

function decodePieces(data: ScheduleData): Pieces {
  const count = data.pieceCount;
  const columns = new Columns(data.pieces);
  const nodes = (): Int32Array => columns.fill(new Int32Array(count)).map((place) => place - 1);
  return {
    group: columns.fill(new Uint32Array(count)),
    from: nodes(),
    to: nodes(),
    owner: nodes(),
    offset: columns.fill(new Float64Array(count)),
    bytes: columns.fill(new Float64Array(count)),
  };
}

// Each bar lies on those that last while it begins, as low as it fits.
export function layBars(at: number[], send: number[], lasts: (send: number) => number, shareOf: (send: number) => number): Bars {
  const count = send.length;
  const order = Array.from({ length: count }, (_, i) => i).sort((a, b) => at[a] - at[b] || a - b);
  const start = Float64Array.from(order, (i) => at[i]);
  const end = Float64Array.from(order, (i) => at[i] + lasts(send[i]));
  const reach = new Float64Array(count);
  const top = new Float32Array(count);
  const share = Float32Array.from(order, (i) => Math.min(1, Math.max(0, shareOf(send[i]))));
  let open: number[] = []; // bars that last, from the lowest up
  for (let i = 0; i < count; i++) {
    reach[i] = Math.max(end[i], i > 0 ? reach[i - 1] : 0);
    open = open.filter((other) => end[other] > start[i]);
    let foot = 0;
    let place = 0;
    while (place < open.length && top[open[place]] < foot + share[i] - 1e-6) {
      foot = Math.max(foot, top[open[place]] + share[open[place]]);
      place++;
    }
    top[i] = Math.max(0, Math.min(foot, 1 - share[i]));
    open.splice(place, 0, i);
  }
  return { start, end, reach, send: Uint32Array.from(order, (i) => send[i]), top, share };
}

// The first bar that lasts beyond `time`, or ends after one that does.
export function firstBar(bars: Bars, time: number): number {
  let low = 0;
  let high = bars.reach.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (bars.reach[middle] <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

// The bar at `time` and `height` (0 to 1), or the nearest within `slip`; -1: none.
export function barAt(bars: Bars, time: number, height: number, slip: number): number {
  let best = -1;
  let least = Infinity;
  for (let i = firstBar(bars, time - slip); i < bars.start.length && bars.start[i] <= time + slip; i++) {
    const far = Math.max(bars.start[i] - time, time - bars.end[i], 0);
    if (far > slip) continue;
    const off = Math.max(bars.top[i] - height, height - bars.top[i] - bars.share[i], 0);
    const distance = far / Math.max(slip, 1) + off * 10;
    if (distance < least) [best, least] = [i, distance];
  }
  return best;
}

export const orders = {
  binds: 'binding links first',
  busy: 'busiest first',
  from: 'by sender',
  to: 'by receiver',
} as const;
export type Order = keyof typeof orders;

// Links in order; of those that `text` is in, or of one node where it is its name.
export function linksIn(model: Model, order: Order, text: string): number[] {
  const { links, nodes } = model.data;
  const wanted = text.trim().toLowerCase();
  const node = nodes.findIndex((name) => name.toLowerCase() === wanted);
  const chosen = links.name.map((_, i) => i).filter((i) => {
    if (wanted === '') return true;
    return node >= 0 ? links.from[i] === node || links.to[i] === node : links.name[i].toLowerCase().includes(wanted);
  });
  const busiest = (a: number, b: number): number => model.busy[b] - model.busy[a];
  const by: Record<Order, (a: number, b: number) => number> = {
    binds: (a, b) => Number(links.binds[b]) - Number(links.binds[a]) || busiest(a, b),
    busy: busiest,
    from: (a, b) => byName(nodes[links.from[a]], nodes[links.from[b]]) || byName(nodes[links.to[a]], nodes[links.to[b]]),
    to: (a, b) => byName(nodes[links.to[a]], nodes[links.to[b]]) || byName(nodes[links.from[a]], nodes[links.from[b]]),
  };
  return chosen.sort((a, b) => by[order](a, b) || a - b);
}

// "npu2" before "npu10".
const { compare: byName } = new Intl.Collator('en', { numeric: true });

export const sendsOf = (model: Model, piece: number): number[] =>
  Array.from({ length: model.sends.count }, (_, i) => i).filter((i) => model.sends.piece[i] === piece);

// The links that a piece crosses.
export const linksOf = (model: Model, piece: number): Set<number> =>
  new Set(sendsOf(model, piece).flatMap((send) => model.data.ways.links[model.sends.way[send]].map(([link]) => link)));

// "npu3’s piece 12", "piece 12 from npu3 to npu5"
export function pieceName(model: Model, piece: number): string {
  const { from, to, owner } = model.pieces;
  const { nodes } = model.data;
  if (from[piece] >= 0 && to[piece] >= 0) return `${nodes[from[piece]]} → ${nodes[to[piece]]}, piece ${piece}`;
  return owner[piece] >= 0 ? `${nodes[owner[piece]]}’s piece ${piece}` : `piece ${piece}`;
}

export function arrives(model: Model, send: number): number {
  return model.sends.start[send] + model.sends.lasts[send] + model.data.ways.latency[model.sends.way[send]];
}

// Why a send did not begin earlier, as far as it is to be seen.
export function waitedFor(model: Model, send: number): string {
  const { sends, data } = model;
  const start = sends.start[send];
  const { nodes } = data;
  const sender = nodes[data.ways.from[sends.way[send]]];
  const before = sends.before[send];
  const came = before >= 0 ? ` from ${nodes[data.ways.from[sends.way[before]]]}` : ', over omitted links';
  if (sends.ready[send] > 0 && start - sends.ready[send] <= 1) return `the arrival of the piece${came}`;
  const busy = lastOn(model, send);
  if (busy && start - busy.until <= 1) return `${data.links.name[busy.link]}, busy with ${pieceName(model, sends.piece[busy.send])}`;
  if (start === 0) return 'nothing: it starts at time 0';
  const had = sends.ready[send] > 0 ? `${sender} had it at ${format.time(sends.ready[send])}${came}` : `${sender} has it from the start`;
  const free = busy ? `; ${data.links.name[busy.link]} was free at ${format.time(busy.until)}` : '';
  return `no visible cause: ${had}${free}`;
}

// Of the bars before a send on its links: the one after which it could have begun at last, and when that was.
function lastOn(model: Model, send: number): { link: number; send: number; until: number } | null {
  const { sends, data } = model;
  let last: { link: number; send: number; until: number } | null = null;
  for (const [link, after] of data.ways.links[sends.way[send]]) {
    const bars = model.bars[link];
    const begins = sends.start[send] + after;
    for (let i = firstBar(bars, begins - 1e18); i < bars.start.length && bars.start[i] <= begins; i++) {
      const until = bars.end[i] - after;
      if (bars.send[i] !== send && bars.end[i] <= begins + 1 && (!last || until > last.until)) last = { link, send: bars.send[i], until };
    }
  }
  return last;
}
