// SPDX-License-Identifier: Apache-2.0
//
// Which collectives are shown, and how their types look: a color and a shape each.
import type { RunData } from '../../data';
import { counted, groupName, plainGroup } from '../../format';
import { svg } from '../../dom';
import type { Role } from '../../theme';

export interface Kind {
  type: string;
  role: Role;
  symbol: 'circle' | 'rect' | 'triangle' | 'diamond';
}

const roles: Role[] = ['compute', 'communication', 'memory', 'cpu', 'critical', 'wait', 'idle'];
const symbols: Kind['symbol'][] = ['circle', 'rect', 'triangle', 'diamond'];
const known = ['all_reduce', 'all_gather', 'reduce_scatter', 'all_to_all', 'broadcast', 'reduce', 'barrier'];

// The types that occur in the runs; each looks the same in all of them, and the known ones in every report.
export function kinds(runs: readonly RunData[]): Kind[] {
  const found = [...new Set(runs.flatMap((run) => run.collectives.type))];
  const place = (type: string): number => (known.includes(type) ? known.indexOf(type) : known.length);
  found.sort((a, b) => place(a) - place(b) || (a < b ? -1 : 1));
  return found.map((type, i) => {
    const at = known.includes(type) ? known.indexOf(type) : known.length + i;
    return { type, role: roles[at % roles.length], symbol: symbols[at % symbols.length] };
  });
}

export function symbolOf(kind: Kind): SVGElement {
  const shapes = {
    circle: () => svg('circle', { cx: 6, cy: 6, r: 4.5 }),
    rect: () => svg('rect', { x: 2, y: 2, width: 8, height: 8 }),
    triangle: () => svg('path', { d: 'M6 1.5 11 10.5H1Z' }),
    diamond: () => svg('path', { d: 'M6 .5 11.5 6 6 11.5 .5 6Z' }),
  };
  return svg('svg', { viewBox: '0 0 12 12', class: `symbol ${kind.role}`, 'aria-hidden': true }, shapes[kind.symbol]());
}

export interface Filter {
  type: string; // "": every one
  group: number | null;
  name: string;
}

export const all: Filter = { type: '', group: null, name: '' };

export function keep(run: RunData, filter: Filter): number[] {
  const c = run.collectives;
  const part = filter.name.toLowerCase();
  const named = part === '' ? null : run.names.map((name) => name.toLowerCase().includes(part));
  const kept: number[] = [];
  for (let i = 0; i < c.type.length; ++i) {
    if (filter.type !== '' && c.type[i] !== filter.type) continue;
    if (filter.group !== null && c.group[i] !== filter.group) continue;
    if (named && !named[c.name[i]]) continue;
    kept.push(i);
  }
  return kept;
}

export function groupTitle(run: RunData, at: number): string {
  const group = run.groups[at];
  if (!group) return `group ${at}`;
  if (group.name === '') return `all ${counted(group.size, 'rank')}`;
  const ranks = group.ranks.length > 24 ? `${group.ranks.slice(0, 22)}…` : group.ranks;
  const who = group.size === run.ranks ? 'all ranks' : `${group.size === 1 ? 'rank' : 'ranks'} ${ranks}`;
  return `${groupName(plainGroup(group.name))} (${who})`;
}
