// SPDX-License-Identifier: Apache-2.0
//
// What is known of a send, in words.

import * as format from '../../format';
import { arrives, pieceName, waitedFor, type Model } from './model';

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
