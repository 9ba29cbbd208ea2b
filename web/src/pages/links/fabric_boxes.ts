// SPDX-License-Identifier: Apache-2.0
//
// Where the nodes of a fabric are drawn: rows of switches by tier, hosts below them, devices alone in a grid. Pure.

import type { RunData } from '../../data';
import { rankList } from '../../format';
import { labelsOf, titleOf, type FabricNode } from './fabric';

export interface Box {
  title: string; // for its tooltip
  labels: readonly string[]; // from the longest; those of a row show the same
  label: string; // what fits
  kind: string;
  nodes: number[];
  inner: number[]; // links between its own nodes
  innerFaults: number[]; // … and faults
  x: number; // its middle
  y: number;
  width: number;
}

// A row of boxes; `bow`: how far lines along it bend out.
export interface PlacedRow {
  label: string;
  boxes: number[];
  y: number;
  down: boolean; // they bend downwards
  grid: boolean;
  bow: number;
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

export class Places {
  readonly boxes: Box[] = [];
  readonly rows: PlacedRow[] = [];
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
    this.boxes.push({ ...more, label: '', nodes, inner: [], innerFaults: [], x, y: 0, width });
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

  // Devices that are in no host: rows of the first dimension, planes of the first two side by side.
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
