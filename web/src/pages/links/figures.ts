// SPDX-License-Identifier: Apache-2.0
//
// Figures of the links: how much of what they could carry they carried. Pure.

import type { RunData } from '../../data';
import { longestStep } from '../../ticks';

export type Dimension = RunData['dims'][number];

// Which part of what a link could carry in the whole step it did carry.
export function useOf(run: RunData, link: number): number {
  const most = run.links.capacity[link] * (run.step / 1e12);
  return most > 0 ? run.links.bytes[link] / most : 0;
}

// The busiest bin of a link, as a part of what it could carry in one.
export function peakOf(run: RunData, link: number): number {
  const { links } = run;
  const curve = links.curves[links.use[link]] ?? [];
  const most = links.capacity[link] * (links.bin / 1e12);
  return most > 0 ? curve.reduce((high, bytes) => Math.max(high, bytes), 0) / most : 0;
}

// … and of one bin.
export function useInBin(run: RunData, link: number, bin: number): number {
  const { links } = run;
  const most = links.capacity[link] * (links.bin / 1e12);
  return most > 0 ? (links.curves[links.use[link]]?.[bin] ?? 0) / most : 0;
}

export function binsOf(run: RunData): number {
  return run.links.curves.reduce((most, curve) => Math.max(most, curve.length), 0);
}

// Whether the links are those of a fabric, and not of dimensions.
export function ofFabric(run: RunData): boolean {
  return run.links.name.some((name) => name !== '');
}

// Under the analytical model all that a rank sends into a dimension goes through one port.
export function isPort(run: RunData, link: number): boolean {
  return run.links.name[link] === '' && run.links.to[link] === null && run.dims[run.links.dim[link]]?.block !== 'switch';
}

// Whether link use is known only as totals by dimension.
export function wholeDimensions(run: RunData): boolean {
  return run.links.from.some((rank, link) => rank === null && run.links.name[link] === '');
}

export function hasPorts(run: RunData): boolean {
  const analytical = run.manifest.some(([key, value]) => key === 'network_model' && /analytical/.test(value));
  return analytical || run.links.dim.some((_, link) => isPort(run, link));
}

// "rank 3 → rank 4", "leaf0 → spine1"
export function endsOf(run: RunData, link: number): string {
  const { from, to, down, name } = run.links;
  if (name[link] !== '') return name[link].replaceAll(' -> ', ' → ');
  if (from[link] === null) return `all of dimension ${run.links.dim[link]}`;
  if (down[link]) return `switch → rank ${from[link]}`;
  if (to[link] !== null) return `rank ${from[link]} → rank ${to[link]}`;
  return run.dims[run.links.dim[link]]?.block === 'switch' && !hasPorts(run)
    ? `rank ${from[link]} → switch` : `rank ${from[link]} → dimension ${run.links.dim[link]}`;
}

const blocks: Record<string, string> = { ring: 'ring', fully_connected: 'fully connected', switch: 'switch' };
export const blockName = (block: string): string => blocks[block] ?? block;

// Of links, in the order in which they are shown.
const classes: Record<string, string> = { 'scale-up': 'Scale-up', pcie: 'PCIe', network: 'Network', host: 'Host', inside: 'Inside', memory: 'Memory', other: 'Other' };
export const className = (kind: string): string => classes[kind] ?? kind;

// Links that belong together: those of a dimension, or those of a class.
export interface Part {
  title: string; // "dimension 0 (ring)", "PCIe"
  short: string; // "Dimension 0", "PCIe"
  links: number[];
}

export function partsOf(run: RunData): Part[] {
  const { dim, kind } = run.links;
  if (!ofFabric(run)) {
    const parts = run.dims.map(({ block }, i): Part => ({ title: `dimension ${i} (${blockName(block)})`, short: `Dimension ${i}`, links: [] }));
    dim.forEach((one, link) => parts[one]?.links.push(link));
    return parts;
  }
  const known = Object.keys(classes);
  const order = (name: string): number => (known.includes(name) ? known.indexOf(name) : known.length);
  const found = new Map<string, number[]>();
  kind.forEach((one, link) => (found.get(one) ?? found.set(one, []).get(one)!).push(link));
  return [...found].sort(([a], [b]) => order(a) - order(b))
    .map(([one, links]) => ({ title: className(one), short: className(one), links }));
}

export interface PartUse {
  links: number;
  bytes: number;
  mean: number; // over its links, by capacity
  busiest: number; // link; -1: none
}

export function useOfPart(run: RunData, links: readonly number[]): PartUse {
  const use: PartUse = { links: links.length, bytes: 0, mean: 0, busiest: -1 };
  let capacity = 0;
  for (const link of links) {
    use.bytes += run.links.bytes[link];
    capacity += run.links.capacity[link];
    if (use.busiest < 0 || useOf(run, link) > useOf(run, use.busiest)) use.busiest = link;
  }
  if (capacity > 0) use.mean = use.bytes / (capacity * (run.step / 1e12));
  return use;
}

export interface UseOverTime {
  mean: number[]; // by bin
  most: number[]; // of the busiest link of each bin
}

export function useOverTime(run: RunData, part: readonly number[]): UseOverTime {
  const { links } = run;
  const bins = binsOf(run);
  const bytes = new Array<number>(bins).fill(0);
  const most = new Array<number>(bins).fill(0);
  let capacity = 0;
  const done = new Map<string, number>(); // links that are alike count together
  for (const link of part) {
    capacity += links.capacity[link];
    const key = `${links.use[link]} ${links.capacity[link]}`;
    done.set(key, (done.get(key) ?? 0) + 1);
  }
  const seconds = links.bin / 1e12;
  for (const [key, times] of done) {
    const [use, speed] = key.split(' ').map(Number);
    (links.curves[use] ?? []).forEach((carried, bin) => {
      bytes[bin] += carried * times;
      most[bin] = Math.max(most[bin], carried / (speed * seconds));
    });
  }
  return { mean: bytes.map((carried) => (capacity > 0 ? carried / (capacity * seconds) : 0)), most };
}

export interface RankUse {
  use: Float64Array; // of the rank's busiest link in the dimension; -1: none is known
  link: Int32Array; // which
  sent: Float64Array;
  received: Float64Array; // over links that come down from a switch
}

export function useByRank(run: RunData, dim: number): RankUse {
  const { links } = run;
  const result: RankUse = {
    use: new Float64Array(run.ranks).fill(-1),
    link: new Int32Array(run.ranks).fill(-1),
    sent: new Float64Array(run.ranks),
    received: new Float64Array(run.ranks),
  };
  links.dim.forEach((one, link) => {
    if (one !== dim) return;
    const rank = links.from[link];
    if (rank === null) return;
    const use = useOf(run, link);
    if (use > result.use[rank]) {
      result.use[rank] = use;
      result.link[rank] = link;
    }
    if (links.down[link]) result.received[rank] += links.bytes[link];
    else result.sent[rank] += links.bytes[link];
  });
  return result;
}

// A rank's place in each dimension; the first dimension runs fastest.
export function placesOf(rank: number, dims: Dimension[]): number[] {
  let rest = rank;
  return dims.map(({ size }) => {
    const place = rest % size;
    rest = Math.floor(rest / size);
    return place;
  });
}

// How many ranks one row of a heat grid holds: whole groups of the first dimensions, so that it is
// about four times as wide as high.
export function gridWidth(ranks: number, dims: Dimension[]): number {
  const most = Math.min(64, Math.max(dims[0]?.size ?? 1, 2 * Math.ceil(Math.sqrt(ranks))));
  let width = 1;
  for (const { size } of dims) {
    if (width * size > most) break;
    width *= size;
  }
  if (width === 1) return Math.min(ranks, most);
  return Math.min(ranks, width * Math.floor(most / width));
}

// The largest value of a figure over the links of all runs: both sides of a comparison share one scale.
export function mostOf(runs: readonly RunData[], figure: (run: RunData, link: number) => number): number {
  return runs.reduce((most, run) => run.links.capacity.reduce((high, _, link) => Math.max(high, figure(run, link)), most), 0);
}

// The axes of use over time for all runs: from 0 to the longest step, and to a round share of capacity.
export function overTimeEnds(runs: readonly RunData[]): { time: number; use: number } {
  const use = runs.reduce((most, run) => Math.max(most, ...partsOf(run).flatMap(({ links }) => {
    const { mean, most: busiest } = useOverTime(run, links);
    return [...mean, ...busiest];
  })), 0);
  return { time: longestStep(runs), use: scaleEnd(use) };
}

// The end of a scale that holds `most`: a round number.
export function scaleEnd(most: number): number {
  if (most <= 0) return 0.01;
  const power = Math.pow(10, Math.floor(Math.log10(most)));
  for (const times of [1, 1.5, 2, 3, 4, 5, 6, 8, 10]) if (times * power >= most * 0.9999) return Number((times * power).toPrecision(3));
  return 10 * power;
}
