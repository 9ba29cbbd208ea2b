// SPDX-License-Identifier: Apache-2.0
//
// A small system as a picture: ranks, switches, and links in the color of their use.

import type { RunData } from '../../data';
import { svg } from '../../dom';
import { hasPorts, isPort, useOf } from './figures';
import { heat } from './heat';
import { apart, groupOf, layOut, nearHalf, size, type Curve, type Layout, type Rect, type Spot } from './layout';

export const mostRanks = 64;
export const mostLinks = 1500;

export interface Drawn {
  link: number;
  path: string;
}

export function canDraw(run: RunData): boolean {
  const product = run.dims.reduce((ranks, dim) => ranks * dim.size, 1);
  return run.ranks <= mostRanks && product === run.ranks && run.ranks > 1 && run.links.dim.length <= mostLinks;
}

const text = ({ x, y }: Spot): string => `${x.toFixed(1)} ${y.toFixed(1)}`;

function pathOf([from, first, second, to]: Curve): string {
  return `M${text(from)}C${text(first)} ${text(second)} ${text(to)}`;
}

function backwards([from, first, second, to]: Curve): Curve {
  return [to, second, first, from];
}

// Where each link runs. A port has no other end: it is drawn as the near halves of what leaves it.
export function pathsOf(run: RunData, layout: Layout): Drawn[] {
  const { links, dims } = run;
  const drawn: Drawn[] = [];
  links.dim.forEach((dim, link) => {
    const from = links.from[link];
    const to = links.to[link];
    if (from === null || !layout.places[from] || !dims[dim]) return;
    if (to !== null) {
      if (layout.places[to]) drawn.push({ link, path: pathOf(layout.between(from, to, dim)) });
    } else if (!isPort(run, link)) {
      const up = layout.toBar(from, dim);
      drawn.push({ link, path: pathOf(links.down[link] ? shifted(backwards(up), up) : up) });
    } else {
      const group = groupOf(from, dims, dim);
      const at = group.indexOf(from);
      const peers = dims[dim].block === 'ring'
        ? [...new Set([group[(at + 1) % group.length], group[(at + group.length - 1) % group.length]])]
        : group;
      const halves = peers.filter((peer) => peer !== from).map((peer) => pathOf(nearHalf(layout.between(from, peer, dim))));
      drawn.push({ link, path: halves.join('') });
    }
  });
  return drawn;
}

// The way back runs on the other side of the rank's middle.
function shifted(back: Curve, there: Curve): Curve {
  const [[a], [, , , end]] = [there, there];
  const length = Math.hypot(end.x - a.x, end.y - a.y) || 1;
  const [nx, ny] = [(end.y - a.y) / length, -(end.x - a.x) / length];
  const move = ({ x, y }: Spot): Spot => ({ x: x + 2 * apart * nx, y: y + 2 * apart * ny });
  return [move(back[0]), move(back[1]), move(back[2]), move(back[3])];
}

export interface Picture {
  element: SVGSVGElement;
  paint(isDark: boolean): void;
}

// `point`: called with the link below the pointer (-1: none) and its position, in CSS pixels of the picture.
// `pick`: called with the link that is clicked.
export function makePicture(run: RunData, end: number, point: (link: number, x: number, y: number) => void, value: (link: number) => number = (link) => useOf(run, link), pick?: (link: number) => void): Picture {
  const layout = layOut(run.ranks, run.dims, !hasPorts(run));
  const strokes = pathsOf(run, layout)
    .sort((a, b) => value(a.link) - value(b.link)) // the busiest on top
    .map(({ link, path }) => {
      const part = value(link) / end;
      const seen = svg('path', { d: path, fill: 'none', 'stroke-width': (1.4 + 2.8 * Math.min(1, part)).toFixed(2), 'stroke-linecap': 'round' });
      const touch = svg('path', { d: path, fill: 'none', stroke: 'transparent', 'stroke-width': 9, 'data-link': link });
      return { seen, touch, part };
    });
  const { x, y, width, height } = layout.view;
  const viewBox = [x, y, width, height].map((value) => value.toFixed(0)).join(' ');
  const element = svg('svg', { class: 'tp-picture', viewBox, role: 'img', 'aria-label': 'Ranks and the links between them, in the color of their use; the table of links has the same figures.' },
    svg('g', {}, layout.groups.map((group) => box(group, 'tp-group', 10))),
    svg('g', {}, strokes.map(({ seen }) => seen)),
    svg('g', {}, strokes.map(({ touch }) => touch)),
    svg('g', { class: 'tp-nodes' }, hubs(run, layout), layout.places.map(node)));
  element.addEventListener('pointermove', (event) => {
    const link = (event.target as Element).getAttribute('data-link');
    const box = element.getBoundingClientRect();
    point(link === null ? -1 : Number(link), event.clientX - box.left, event.clientY - box.top);
  });
  element.addEventListener('pointerleave', () => point(-1, 0, 0));
  if (pick) {
    element.addEventListener('click', (event) => {
      const link = (event.target as Element).getAttribute('data-link');
      if (link !== null) pick(Number(link));
    });
  }
  return {
    element,
    paint: (isDark) => strokes.forEach(({ seen, part }) => seen.setAttribute('stroke', heat(part, isDark))),
  };
}

function box({ x, y, width, height }: Rect, name: string, round: number): SVGElement {
  return svg('rect', { x: x.toFixed(1), y: y.toFixed(1), width: width.toFixed(1), height: height.toFixed(1), rx: round, class: name });
}

function node({ x, y }: Spot, rank: number): SVGElement {
  return svg('g', { class: 'tp-node' },
    svg('circle', { cx: x.toFixed(1), cy: y.toFixed(1), r: size }),
    svg('text', { x: x.toFixed(1), y: y.toFixed(1), 'font-size': 15 }, String(rank)));
}

// A bar or a square for every switch. Under the analytical model other dimensions have ports, and nothing to draw.
function hubs(run: RunData, layout: Layout): SVGElement[] {
  const found: SVGElement[] = [];
  const seen = new Set<string>();
  run.links.dim.forEach((dim, link) => {
    if (run.links.to[link] !== null || isPort(run, link) || run.dims[dim]?.block !== 'switch') return;
    const from = run.links.from[link];
    if (from === null) return;
    const first = groupOf(from, run.dims, dim)[0];
    const key = `${dim} ${first}`;
    if (seen.has(key)) return;
    seen.add(key);
    found.push(box(layout.bar(first, dim), 'tp-hub', 4));
  });
  return found;
}
