// SPDX-License-Identifier: Apache-2.0
//
// A fabric as boxes and lines: which nodes a box stands for, which links a line, and where they are. Pure.

import type { RunData } from '../../data';
import { rankList } from '../../format';
import { circuitsOf, endsOfNames, labelsOf, nodesOf, titleOf, type FabricNode } from './fabric';

export interface Box {
  title: string; // for its tooltip
  labels: readonly string[]; // from the longest; those of a row show the same
  label: string; // what fits
  kind: string;
  nodes: number[];
  inner: number[]; // links between its own nodes
  x: number; // its middle
  y: number;
  width: number;
}

export interface Row {
  label: string;
  boxes: number[];
}

export interface Frame {
  label: string;
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Line {
  a: number; // boxes
  b: number;
  links: number[]; // of both directions
  count: number; // of the direction that has more
  path: string;
}

export interface Drawing {
  boxes: Box[];
  rows: (Row & { y: number })[];
  frames: Frame[];
  lines: Line[]; // nothing else is drawn between boxes
  circuits: number; // switches that are drawn as a line
  linesLeftOut: number; // those with fewest bytes
  width: number;
  height: number;
}

export const boxHeight = 20;
const leastBox = 24;
const usual = 1040; // how wide the page is
const widest = 1750; // what still can be read, scrolled
const gutter = 74; // rows' names
const widestPitch = 240; // between switches, or hosts
const mostInRow = 48;
const mostInHost = 72;
const mostInGrid = 1024;
const mostLines = 6000;
const gap = 3.5;
const frameGap = 13;

// The rows of switches, from above.
const tiers = ['core', 'spine', 'leaf', 'switch', 'optical'];
// The rows of what is in a host, the nearest to the network first.
const inHost: Record<string, number> = { nic: 0, port: 0, pcie_switch: 1, device: 3, nvswitch: 4 };
const inHostLabels = ['NICs', 'PCIe', 'others', 'devices', 'scale-up'];

// Text of 11 px.
const widthOfText = (text: string): number => 6.2 * text.length;

// Gives the boxes of a row their labels: the longest for which all have room; who has none even for the shortest goes
// without.
export function label(boxes: readonly Pick<Box, 'labels' | 'label' | 'width' | 'kind'>[]): void {
  const fits = (text: string, width: number): boolean => widthOfText(text) <= width - 4;
  const level = boxes.filter(({ kind }) => kind !== 'more').reduce((most, { labels, width }) =>
    Math.max(most, [...labels.slice(0, -1), ''].findIndex((text) => fits(text, width))), 0);
  for (const box of boxes) box.label = box.labels.slice(box.kind === 'more' ? 0 : level).find((text) => fits(text, box.width)) ?? '';
}

type About = Pick<Box, 'title' | 'labels' | 'kind'>;

class Maker {
  readonly boxes: Box[] = [];
  readonly rows: (Row & { y: number; down: boolean; grid: boolean; bow: number })[] = [];
  readonly rowOf: number[] = []; // by box
  readonly boxOf: number[]; // by node; -1: not drawn
  readonly frames: { label: string; left: number; width: number; first: number; last: number }[] = [];
  width = usual;

  constructor(private readonly run: RunData, private readonly nodes: readonly FabricNode[], private readonly circuits: ReadonlyMap<number, unknown>) {
    this.boxOf = new Array<number>(nodes.length).fill(-1);
  }

  private addRow(label: string, down = false, grid = false): number {
    this.rows.push({ label, boxes: [], y: 0, down, grid, bow: 0 });
    return this.rows.length - 1;
  }

  private addBox(row: number, nodes: number[], x: number, width: number, more: About): void {
    const box = this.boxes.length;
    this.boxes.push({ ...more, label: '', nodes, inner: [], x, y: 0, width });
    this.rows[row].boxes.push(box);
    this.rowOf.push(row);
    for (const node of nodes) this.boxOf[node] = box;
  }

  // One row of nodes or of hosts, in the middle of `width` from `left` on; what is too much is one box.
  private place(row: number, things: number[][], most: number, left: number, width: number, box: number, about: (thing: number[], i: number) => About, spread = box + gap): void {
    const shown = things.length > most ? most - 1 : things.length;
    const count = Math.min(things.length, most);
    const pitch = Math.min(spread, Math.max(box + gap, width / count));
    const middle = (i: number): number => left + width / 2 + (i - (count - 1) / 2) * pitch;
    for (let i = 0; i < shown; i++) this.addBox(row, things[i], middle(i), box, about(things[i], i));
    if (shown === things.length) return;
    const rest = things.length - shown;
    this.addBox(row, things.slice(shown).flat(), middle(shown), box, { title: `${rest} more`, labels: [`+ ${rest}`, `+${rest}`, '…'], kind: 'more' });
  }

  private about = (thing: number[]): About => {
    const node = this.nodes[thing[0]];
    return { title: titleOf(node), labels: labelsOf(node), kind: node.kind === 'device' && node.rank === null ? 'spare' : node.kind };
  };

  // Answers whether there is something to draw.
  make(): boolean {
    const hosts = new Map<number, number[][]>(); // nodes by row
    const outside = new Map<string, number[]>();
    const alone: number[] = [];
    this.nodes.forEach(({ kind, host }, node) => {
      if (this.circuits.has(node)) return;
      if (host !== null) {
        const rows = hosts.get(host) ?? hosts.set(host, inHostLabels.map(() => [])).get(host)!;
        rows[inHost[kind] ?? 2].push(node);
      } else if (kind === 'device') alone.push(node);
      else {
        const tier = tiers.includes(kind) ? kind : 'other';
        (outside.get(tier) ?? outside.set(tier, []).get(tier)!).push(node);
      }
    });
    if (alone.length > mostInGrid) return false;
    const all = [...hosts].sort(([a], [b]) => a - b);
    const open = this.roomFor(all.map(([, rows]) => rows));
    const longest = Math.max(0, ...[...outside.values()].map((nodes) => nodes.length), open > 0 ? 0 : all.length);
    this.width = Math.max(usual, open, this.gridWidth(alone.length), gutter + Math.min(longest, mostInRow) * (leastBox + gap));
    for (const tier of [...tiers, 'other']) {
      const nodes = outside.get(tier);
      if (!nodes) continue;
      const count = Math.min(nodes.length, mostInRow);
      const box = Math.min(74, (this.width - gutter) / count - gap);
      const row = this.addRow({ core: 'cores', spine: 'spines', leaf: 'leaves', switch: 'switches', optical: 'optical' }[tier] ?? 'others');
      this.place(row, nodes.map((node) => [node]), mostInRow, gutter, this.width - gutter, box, this.about, widestPitch);
    }
    if (alone.length > 0) this.grid(alone);
    if (all.length > 0) {
      if (open > 0) this.open(all, open);
      else this.closed(all);
    }
    return this.boxes.length > 0;
  }

  // The narrowest box that holds a rank's number.
  private narrowest(): number {
    return Math.max(17, widthOfText(String(Math.max(0, this.run.ranks - 1))) + 4.5);
  }

  // How wide open hosts are at least; 0: they do not fit.
  private roomFor(hosts: number[][][]): number {
    const boxes = hosts.reduce((sum, rows) => sum + Math.min(mostInHost, Math.max(...rows.map((row) => row.length))), 0);
    const need = gutter + boxes * (this.narrowest() + gap) + hosts.length * frameGap;
    return hosts.length === 0 || need > widest ? 0 : need;
  }

  private open(hosts: [number, number[][]][], need: number): void {
    const used = inHostLabels.map((_, i) => i).filter((i) => hosts.some(([, rows]) => rows[i].length > 0));
    const numbers = new Map(used.map((i) => [i, this.addRow(inHostLabels[i], true)]));
    const room = this.width - gutter - hosts.length * frameGap;
    const box = Math.min(52, (this.narrowest() + gap) * (room / (need - gutter - hosts.length * frameGap)) - gap);
    const widths = hosts.map(([, rows]) => Math.min(mostInHost, Math.max(...rows.map((row) => row.length))) * (box + gap) - gap);
    const named = hosts.every(([host], i) => widthOfText(`host ${host}`) <= widths[i] + frameGap - 4);
    let left = gutter + (this.width - gutter - widths.reduce((sum, width) => sum + width + frameGap, -frameGap)) / 2;
    hosts.forEach(([host, rows], i) => {
      for (const [place, row] of numbers) {
        this.place(row, rows[place].map((node) => [node]), mostInHost, left, widths[i], rows[place].length === 1 ? Math.min(widths[i], 62) : box, this.about);
      }
      const label = named ? `host ${host}` : String(host);
      const [first, last] = [Math.min(...numbers.values()), Math.max(...numbers.values())];
      this.frames.push({ label, left: left - frameGap / 2 + 2, width: widths[i] + frameGap - 4, first, last });
      left += widths[i] + frameGap;
    });
  }

  private closed(hosts: [number, number[][]][]): void {
    const row = this.addRow('hosts', true);
    const box = Math.min(74, (this.width - gutter) / Math.min(hosts.length, mostInRow) - gap);
    this.place(row, hosts.map(([, rows]) => rows.flat()), mostInRow, gutter, this.width - gutter, box, (thing, i) => {
      const ranks = thing.map((node) => this.nodes[node].rank).filter((rank) => rank !== null).sort((a, b) => a - b);
      const who = ranks.length === 0 ? 'no rank' : rankList(ranks, 6);
      return { title: `host ${hosts[i][0]}: ${who}`, labels: [`host ${hosts[i][0]}`, String(hosts[i][0])], kind: 'host' };
    }, widestPitch);
  }

  // Devices that are in no host: rows of the first dimension, planes of the first two beside each other.
  private shape(count: number): { columns: number; rows: number; planes: number } {
    const sizes = this.run.dims.map(({ size }) => size).filter((size) => size > 1);
    const product = sizes.reduce((all, size) => all * size, 1);
    if (product !== count || sizes.length === 0) {
      const columns = count <= mostInRow ? count : Math.ceil(Math.sqrt(count));
      return { columns, rows: Math.ceil(count / columns), planes: 1 };
    }
    if (sizes[0] > mostInRow) return { columns: mostInRow, rows: Math.ceil(count / mostInRow), planes: 1 };
    const planes = sizes[2] && sizes[0] * sizes[2] <= mostInRow ? sizes[2] : 1;
    return { columns: sizes[0], rows: Math.ceil(count / (sizes[0] * planes)), planes };
  }

  private gridWidth(count: number): number {
    if (count === 0) return 0;
    const { columns, planes } = this.shape(count);
    return gutter + columns * planes * (this.narrowest() + 10) + (planes - 1) * 16 + 12;
  }

  private grid(nodes: number[]): void {
    const { columns, rows, planes } = this.shape(nodes.length);
    const between = planes > 1 ? 16 : 0;
    const pitch = Math.min(96, (this.width - gutter - 12 - (planes - 1) * between) / (columns * planes));
    const box = Math.min(58, pitch - 10);
    const width = pitch * columns * planes + between * (planes - 1);
    const left = gutter + (this.width - gutter - 12 - width) / 2;
    const lines = Array.from({ length: rows }, (_, i) => this.addRow(i === 0 ? 'devices' : '', false, true));
    const perPlane = planes > 1 ? this.run.dims.filter(({ size }) => size > 1)[1].size : rows;
    nodes.forEach((node, i) => {
      const plane = planes > 1 ? Math.floor(i / (columns * perPlane)) % planes : 0;
      const block = planes > 1 ? Math.floor(i / (columns * perPlane * planes)) : 0;
      const row = planes > 1 ? block * perPlane + Math.floor(i / columns) % perPlane : Math.floor(i / columns);
      const x = left + (plane * columns + i % columns) * pitch + plane * between + pitch / 2;
      this.addBox(lines[row], [node], x, box, this.about([node]));
    });
  }
}

type Pair = Omit<Line, 'path'>;

// All links between two boxes as one line. Those of a circuit belong to the line between its two ends.
function pairsOf(ends: readonly ([number, number] | null)[], circuits: ReadonlyMap<number, [number, number]>, maker: Maker): Pair[] {
  const pairs = new Map<string, Pair & { back: number }>();
  ends.forEach((both, link) => {
    if (!both) return;
    let [from, to] = both;
    const [into, out] = [circuits.get(to), circuits.get(from)];
    if (into) to = into[0] === from ? into[1] : into[0];
    else if (out) from = out[0] === to ? out[1] : out[0];
    const [a, b] = [maker.boxOf[from], maker.boxOf[to]];
    if (a < 0 || b < 0) return;
    if (a === b) {
      maker.boxes[a].inner.push(link);
      return;
    }
    const key = a < b ? `${a} ${b}` : `${b} ${a}`;
    const pair = pairs.get(key) ?? pairs.set(key, { a: Math.min(a, b), b: Math.max(a, b), links: [], count: 0, back: 0 }).get(key)!;
    pair.links.push(link);
    if (out) return; // its other half counts
    if (a < b) pair.count++;
    else pair.back++;
  });
  return [...pairs.values()].map(({ a, b, links, count, back }) => ({ a, b, links, count: Math.max(count, back) }));
}

// How high a bow over boxes of one row is; 0: nothing is between them.
function bowOf(maker: Maker, { a, b }: Pair): number {
  const row = maker.rows[maker.rowOf[a]];
  if (maker.rowOf[a] !== maker.rowOf[b]) return 0;
  const apart = Math.abs(row.boxes.indexOf(a) - row.boxes.indexOf(b));
  if (apart === 1) return 0;
  return row.grid ? Math.min(24, 12 + 1.5 * apart) : Math.min(70, 14 + 0.07 * Math.abs(maker.boxes[a].x - maker.boxes[b].x));
}

function pathOf(maker: Maker, pair: Pair, bow: number): string {
  const [a, b] = [maker.boxes[pair.a], maker.boxes[pair.b]];
  const point = (x: number, y: number): string => `${x.toFixed(1)} ${y.toFixed(1)}`;
  const row = maker.rows[maker.rowOf[pair.a]];
  if (bow > 0) {
    const y = a.y + (row.down ? 1 : -1) * (boxHeight / 2 + 2 * bow);
    return `M${point(a.x, a.y)}Q${point((a.x + b.x) / 2, y)} ${point(b.x, b.y)}`;
  }
  const [first, last] = [maker.rowOf[pair.a], maker.rowOf[pair.b]].sort((x, y) => x - y);
  const covered = (): boolean => maker.rows.slice(first + 1, last).some(({ boxes }) =>
    boxes.some((box) => Math.abs(maker.boxes[box].x - a.x) < maker.boxes[box].width / 2));
  if (Math.abs(a.x - b.x) < 1 && covered()) { // past what stands between
    return `M${point(a.x, a.y)}Q${point(a.x + a.width + 6 + 3 * (last - first), (a.y + b.y) / 2)} ${point(b.x, b.y)}`;
  }
  return `M${point(a.x, a.y)}L${point(b.x, b.y)}`;
}

// null: there is nothing that can be drawn.
export function drawingOf(run: RunData): Drawing | null {
  const nodes = nodesOf(run);
  const ends = run.links.name.map(endsOfNames(nodes));
  const circuits = circuitsOf(nodes, ends);
  const maker = new Maker(run, nodes, circuits);
  if (!maker.make()) return null;
  const pairs = pairsOf(ends, circuits, maker);
  const bytes = (pair: Pair): number => pair.links.reduce((sum, link) => sum + run.links.bytes[link], 0);
  const kept = pairs.length > mostLines ? [...pairs].sort((a, b) => bytes(b) - bytes(a)).slice(0, mostLines) : pairs;
  const bows = kept.map((pair) => bowOf(maker, pair));
  kept.forEach((pair, i) => {
    const row = maker.rows[maker.rowOf[pair.a]];
    row.bow = Math.max(row.bow, bows[i]);
  });
  const height = heights(maker, kept);
  for (const [box, row] of maker.rowOf.entries()) maker.boxes[box].y = maker.rows[row].y;
  for (const row of maker.rows) label(row.boxes.map((box) => maker.boxes[box]));
  return {
    boxes: maker.boxes,
    rows: maker.rows.map(({ label, boxes, y }) => ({ label, boxes, y })),
    frames: maker.frames.map(({ label, left, width, first, last }) => {
      const top = maker.rows[first].y - boxHeight / 2 - 8;
      return { label, x: left, y: top, width, height: maker.rows[last].y + maker.rows[last].bow + boxHeight / 2 + 22 - top };
    }),
    lines: kept.map((pair, i) => ({ ...pair, path: pathOf(maker, pair, bows[i]) })),
    circuits: circuits.size,
    linesLeftOut: pairs.length - kept.length,
    width: maker.width,
    height,
  };
}

// Gives rows their heights, from above; how high all is.
function heights(maker: Maker, pairs: readonly Pair[]): number {
  const crossing = maker.rows.map(() => 0); // lines through the gap above a row
  for (const { a, b } of pairs) {
    const [first, last] = [maker.rowOf[a], maker.rowOf[b]].sort((x, y) => x - y);
    for (let row = first + 1; row <= last; row++) crossing[row]++;
  }
  const inHosts = 28 + Math.min(70, 0.05 * Math.max(0, ...maker.frames.map(({ width }) => width)));
  let y = 8;
  maker.rows.forEach((row, i) => {
    const above = maker.rows[i - 1];
    if (above && row.grid && above.grid) y += 34;
    else if (above?.down && row.down) y += inHosts;
    else if (above) y += Math.min(150, 62 + 0.12 * crossing[i]);
    if (!row.down) y += row.bow;
    row.y = y + boxHeight / 2;
    y += boxHeight;
    if (row.down) y += row.bow;
  });
  return y + (maker.frames.length > 0 ? 30 : 10);
}
