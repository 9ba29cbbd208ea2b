// SPDX-License-Identifier: Apache-2.0
//
// A small system as a picture: ranks, switches, and links in the colour of their use.

import type { RunData } from '../../data';
import { svg } from '../../dom';
import { drawPlaces, isPort, placesOf, useOf, type Point } from './figures';
import { heat } from './heat';

const radius = 300;
export const mostRanks = 64;
export const mostLinks = 1500;

export interface Drawn {
  link: number;
  path: string;
}

export function canDraw(run: RunData): boolean {
  const product = run.dims.reduce((ranks, { size }) => ranks * size, 1);
  return run.ranks <= mostRanks && product === run.ranks && run.ranks > 1 && pathsOf(run).length <= mostLinks;
}

// The middle of the group of ranks that differ from `rank` in dimension `dim` only.
function hubOf(run: RunData, places: Point[], rank: number, dim: number): Point {
  const members = groupOf(run, rank, dim);
  const x = members.reduce((sum, one) => sum + places[one].x, 0) / members.length;
  const y = members.reduce((sum, one) => sum + places[one].y, 0) / members.length;
  return { x, y, radius: 5 };
}

function groupOf(run: RunData, rank: number, dim: number): number[] {
  const stride = run.dims.slice(0, dim).reduce((product, { size }) => product * size, 1);
  const first = rank - placesOf(rank, run.dims)[dim] * stride;
  return Array.from({ length: run.dims[dim].size }, (_, i) => first + i * stride);
}

// From a to b, a little to the right of the straight line, so that both directions can be seen.
function bent(a: Point, b: Point, part = 1, bend = 0.06): string {
  const end = { x: a.x + (b.x - a.x) * part, y: a.y + (b.y - a.y) * part };
  const length = Math.hypot(end.x - a.x, end.y - a.y);
  const side = Math.min(length * bend, 12);
  const nx = length > 0 ? -(end.y - a.y) / length : 0;
  const ny = length > 0 ? (end.x - a.x) / length : 0;
  const shift = bend > 0 ? Math.min(2.2, length * 0.05) : 0;
  const at = (p: { x: number; y: number }): string => `${(p.x + nx * shift).toFixed(1)} ${(p.y + ny * shift).toFixed(1)}`;
  const middle = { x: (a.x + end.x) / 2 + nx * side, y: (a.y + end.y) / 2 + ny * side };
  return `M${at(a)}Q${middle.x.toFixed(1)} ${middle.y.toFixed(1)} ${at(end)}`;
}

// Where each link runs. A port has no other end: it is drawn as the near halves of what leaves it.
export function pathsOf(run: RunData): Drawn[] {
  const places = drawPlaces(run.ranks, run.dims, radius);
  const { links, dims } = run;
  const drawn: Drawn[] = [];
  links.dim.forEach((dim, link) => {
    const from = links.from[link];
    const to = links.to[link];
    const start = places[from];
    if (!start || !dims[dim]) return;
    if (to !== null) {
      if (places[to]) drawn.push({ link, path: bent(start, places[to]) });
    } else if (!isPort(run, link)) {
      const hub = hubOf(run, places, from, dim);
      drawn.push({ link, path: links.down[link] ? bent(hub, start) : bent(start, hub) });
    } else {
      const group = groupOf(run, from, dim);
      const at = group.indexOf(from);
      const peers = dims[dim].block === 'ring'
        ? [...new Set([group[(at + 1) % group.length], group[(at + group.length - 1) % group.length]])]
        : group;
      const path = peers.filter((peer) => peer !== from).map((peer) => bent(start, places[peer], 0.5, 0)).join('');
      drawn.push({ link, path });
    }
  });
  return drawn;
}

export interface Picture {
  element: SVGSVGElement;
  paint(isDark: boolean): void;
}

// `point`: told which link the pointer is over (-1: none) and where, in CSS pixels of the picture.
export function makePicture(run: RunData, end: number, point: (link: number, x: number, y: number) => void): Picture {
  const places = drawPlaces(run.ranks, run.dims, radius);
  const strokes = pathsOf(run)
    .sort((a, b) => useOf(run, a.link) - useOf(run, b.link)) // the busiest on top
    .map(({ link, path }) => {
      const part = useOf(run, link) / end;
      const seen = svg('path', { d: path, fill: 'none', 'stroke-width': (1.4 + 3.2 * Math.min(1, part)).toFixed(2), 'stroke-linecap': 'round' });
      const touch = svg('path', { d: path, fill: 'none', stroke: 'transparent', 'stroke-width': 9, 'data-link': link });
      return { seen, touch, part };
    });
  const element = svg('svg', { class: 'tp-picture', viewBox: viewBoxOf(places), role: 'img', 'aria-label': 'Ranks and the links between them, in the colour of their use; the table of links says the same in figures.' },
    svg('g', {}, strokes.map(({ seen }) => seen)),
    svg('g', {}, strokes.map(({ touch }) => touch)),
    svg('g', { class: 'tp-nodes' }, hubs(run, places), places.map((place, rank) => node(place, rank))));
  element.addEventListener('pointermove', (event) => {
    const link = (event.target as Element).getAttribute('data-link');
    const box = element.getBoundingClientRect();
    point(link === null ? -1 : Number(link), event.clientX - box.left, event.clientY - box.top);
  });
  element.addEventListener('pointerleave', () => point(-1, 0, 0));
  return {
    element,
    paint: (isDark) => strokes.forEach(({ seen, part }) => seen.setAttribute('stroke', heat(part, isDark))),
  };
}

// Just what the ranks take, with room for their circles and bent links.
function viewBoxOf(places: Point[]): string {
  const xs = places.map(({ x }) => x);
  const ys = places.map(({ y }) => y);
  const room = 26;
  const left = Math.min(...xs) - room;
  const top = Math.min(...ys) - room;
  const width = Math.max(...xs) + room - left;
  const height = Math.max(Math.max(...ys) + room - top, width / 3);
  return [left, top, width, height].map((value) => value.toFixed(0)).join(' ');
}

function node(place: Point, rank: number): SVGElement {
  const size = Math.min(16, Math.max(6, place.radius * 0.7));
  return svg('g', { class: 'tp-node' },
    svg('circle', { cx: place.x.toFixed(1), cy: place.y.toFixed(1), r: size.toFixed(1) }),
    svg('text', { x: place.x.toFixed(1), y: place.y.toFixed(1), 'font-size': Math.min(13, size * 1.15).toFixed(1) }, String(rank)));
}

// A square for every switch. Under the analytical model there are ports only, and no switch to draw.
function hubs(run: RunData, places: Point[]): SVGElement[] {
  const found: SVGElement[] = [];
  const seen = new Set<string>();
  run.links.dim.forEach((dim, link) => {
    if (run.links.to[link] !== null || isPort(run, link) || run.dims[dim]?.block !== 'switch') return;
    const first = groupOf(run, run.links.from[link], dim)[0];
    const key = `${dim} ${first}`;
    if (seen.has(key)) return;
    seen.add(key);
    const { x, y } = hubOf(run, places, first, dim);
    found.push(svg('rect', { x: (x - 7).toFixed(1), y: (y - 7).toFixed(1), width: 14, height: 14, rx: 3, class: 'tp-hub' }));
  });
  return found;
}
