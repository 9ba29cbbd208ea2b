// SPDX-License-Identifier: Apache-2.0
//
// What is known of a send, in words.

import * as format from '../../format';
import { arrives, pieceName, waitedFor, type Model } from './model';
import type { GridState } from './state';

export interface Description {
  title: string;
  lines: [label: string, text: string][];
}

export function describe(model: Model, send: number): Description {
  const { sends, pieces, data } = model;
  const piece = sends.piece[send];
  const way = sends.way[send];
  const lines: [string, string][] = [
    ['from', data.nodes[data.ways.from[way]]],
    ['to', data.nodes[data.ways.to[way]]],
    ['bytes', `${format.bytes(pieces.bytes[piece])} at ${format.bytes(pieces.offset[piece])}${sends.reduces[send] ? ', reduced on arrival' : ''}`],
    ['starts', format.time(sends.start[send])],
    ['arrives', format.time(arrives(model, send))],
    ['waited for', waitedFor(model, send)],
  ];
  if (data.groups.length > 1) lines.unshift(['group', data.groups[pieces.group[piece]][1]]);
  return { title: pieceName(model, piece), lines };
}

// A row by its name: a link, or a group (~place), with its complete name.
export function describeRow({ model, groups }: GridState, row: number): Description {
  const { links } = model.data;
  if (row >= 0) {
    return { title: links.name[row], lines: [
      ['capacity', format.rate(links.capacity[row])], ['carries', `${format.bytes(links.bytes[row])} in ${format.counted(model.bars[row].send.length, 'send')}`],
      ['busy', `${format.percent(model.busy[row])} of the time`], ...(links.binds[row] ? [['bound', 'sets the lower bound'] as [string, string]] : [])] };
  }
  const { title, links: own } = groups[~row];
  const busy = own.map((link) => model.busy[link]);
  const mean = busy.reduce((sum, share) => sum + share, 0) / own.length;
  const named = own.slice(0, 6).map((link) => links.name[link]).join(', ');
  return { title: `${title}: ${format.counted(own.length, 'link')}`, lines: [
    ['links', own.length > 6 ? `${named} and ${own.length - 6} more` : named],
    ['busy', `${format.percent(mean)} on average, ${format.percent(Math.max(...busy))} at most`],
    ['', 'a click opens or closes it']] };
}
