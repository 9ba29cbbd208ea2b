// SPDX-License-Identifier: Apache-2.0
//
// Many links in few rows: groups that open and close. Pure.

import * as format from '../../format';
import { firstBar, type Model, type Order } from './model';

export const mostRows = 40; // that are shown at first

export interface LinkGroup {
  key: string; // the same for the same links in the same order
  title: string; // "from npu0 … npu1"
  links: number[];
}

function natural(model: Model, order: Order, links: readonly number[]): LinkGroup[] {
  const { nodes, links: all } = model.data;
  const titleOf = (link: number): string => {
    if (order === 'from') return `from ${nodes[all.from[link]]}`;
    if (order === 'to') return `to ${nodes[all.to[link]]}`;
    return order === 'busy' ? 'links' : all.binds[link] ? 'binding links' : 'other links';
  };
  const groups: LinkGroup[] = [];
  for (const link of links) {
    const title = titleOf(link);
    const last = groups[groups.length - 1];
    if (last?.title === title) last.links.push(link);
    else groups.push({ key: '', title, links: [link] });
  }
  return groups;
}

// Neighbors together, so that at most `most` groups remain.
function merged(groups: readonly LinkGroup[], most: number): LinkGroup[] {
  const each = Math.ceil(groups.length / most);
  const made: LinkGroup[] = [];
  for (let i = 0; i < groups.length; i += each) {
    const some = groups.slice(i, i + each);
    const last = some[some.length - 1].title.replace(/^(from|to) /, '');
    made.push({ key: '', title: some.length > 1 ? `${some[0].title} … ${last}` : some[0].title, links: some.flatMap(({ links }) => links) });
  }
  return made;
}

// Groups of at most `size` links.
function split({ title, links }: LinkGroup, size: number): LinkGroup[] {
  if (links.length <= size) return [{ key: '', title, links }];
  const made: LinkGroup[] = [];
  for (let i = 0; i < links.length; i += size) {
    const some = links.slice(i, i + size);
    made.push({ key: '', title: `${format.count(i + 1)}–${format.count(i + some.length)} of ${format.count(links.length)} ${title}`, links: some });
  }
  return made;
}

// The groups of `links`, in their order; none where there is a row for each.
export function groupsOf(model: Model, order: Order, links: readonly number[]): LinkGroup[] {
  if (links.length <= mostRows) return [];
  const most = mostRows / 2;
  const found = natural(model, order, links);
  const groups = found.length > most ? merged(found, most) : found.flatMap((group) => split(group, Math.ceil(links.length / most)));
  return groups.map((group) => ({ ...group, key: `${order} ${group.title}` }));
}

// The groups that are open at first: from the top down, as long as there are rows for their links.
export function firstOpen(groups: readonly LinkGroup[]): Set<string> {
  const open = new Set<string>();
  let rows = groups.length;
  for (const { key, links } of groups) {
    rows += links.length;
    if (rows > mostRows) break;
    open.add(key);
  }
  return open;
}

// Links, and groups as ~place.
export function rowsOf(groups: readonly LinkGroup[], open: ReadonlySet<string>, links: readonly number[]): number[] {
  if (groups.length === 0) return [...links];
  return groups.flatMap((group, i) => (open.has(group.key) ? [~i, ...group.links] : [~i]));
}

// The share of a group's capacity that is in use, by column of from … to; of all sends, or of one piece.
export function useOf(model: Model, { links }: LinkGroup, from: number, to: number, columns: number, piece = -1): Float64Array {
  const use = new Float64Array(columns);
  const step = new Float64Array(columns + 1); // added from a column on
  const each = (to - from) / columns;
  for (const link of links) {
    const bars = model.bars[link];
    for (let i = firstBar(bars, from); i < bars.start.length && bars.start[i] < to; i++) {
      if (piece >= 0 && model.sends.piece[bars.send[i]] !== piece) continue;
      const [left, right] = [Math.max(0, (bars.start[i] - from) / each), Math.min(columns, (bars.end[i] - from) / each)];
      if (right <= left) continue;
      const share = bars.share[i] / links.length;
      const [first, last] = [Math.floor(left), Math.min(columns - 1, Math.floor(right))];
      if (first === last) use[first] += share * (right - left);
      else {
        use[first] += share * (first + 1 - left);
        use[last] += share * (right - last);
        step[first + 1] += share;
        step[last] -= share;
      }
    }
  }
  let level = 0;
  for (let column = 0; column < columns; column++) {
    level += step[column];
    use[column] += level;
  }
  return use;
}
