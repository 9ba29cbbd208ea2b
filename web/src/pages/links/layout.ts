// SPDX-License-Identifier: Apache-2.0
//
// Where a small system stands in its picture. One dimension: an ellipse, or a row under its switch. More: a grid, each
// dimension along one axis, the innermost without a gap. Neighbors are joined by straight lines, others by arcs
// next to the row or column; a switch is a bar there. So no line goes through a rank that it does not join. Pure.

import { placesOf, type Dimension } from './figures';

export interface Spot {
  x: number;
  y: number;
}

export interface Rect extends Spot {
  width: number;
  height: number;
}

export type Curve = readonly [Spot, Spot, Spot, Spot]; // cubic

export interface Layout {
  readonly places: Spot[];
  readonly groups: Rect[]; // what the innermost dimension joins, when there are more
  between(a: number, b: number, dim: number): Curve; // a little to the right of the line
  bar(rank: number, dim: number): Rect; // the switch of a rank
  toBar(rank: number, dim: number): Curve;
  readonly view: Rect;
}

export const size = 15; // of a rank, half
export const apart = 3; // of the two directions from the middle between them
const narrowest = 440; // a picture, so that a few ranks are not drawn huge
const widestGap = 64;

// The ranks that differ from `rank` in one dimension only.
export function groupOf(rank: number, dims: readonly Dimension[], dim: number): number[] {
  const stride = dims.slice(0, dim).reduce((product, one) => product * one.size, 1);
  const first = rank - (Math.floor(rank / stride) % dims[dim].size) * stride;
  return Array.from({ length: dims[dim].size }, (_, i) => first + i * stride);
}

function straight(a: Spot, b: Spot, shift: number): Curve {
  const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
  const [nx, ny] = [(-(b.y - a.y) / length) * shift, ((b.x - a.x) / length) * shift];
  const at = (part: number): Spot => ({ x: a.x + (b.x - a.x) * part + nx, y: a.y + (b.y - a.y) * part + ny });
  return [at(0), at(1 / 3), at(2 / 3), at(1)];
}

// The first half of a curve.
export function nearHalf([a, b, c, d]: Curve): Curve {
  const middle = (p: Spot, q: Spot): Spot => ({ x: (p.x + q.x) / 2, y: (p.y + q.y) / 2 });
  const [ab, bc, cd] = [middle(a, b), middle(b, c), middle(c, d)];
  const [abc, bcd] = [middle(ab, bc), middle(bc, cd)];
  return [a, ab, abc, middle(abc, bcd)];
}

export function around(spots: readonly Spot[], room: number): Rect {
  const xs = spots.map(({ x }) => x);
  const ys = spots.map(({ y }) => y);
  const [x, y] = [Math.min(...xs) - room, Math.min(...ys) - room];
  return { x, y, width: Math.max(...xs) + room - x, height: Math.max(...ys) + room - y };
}

// At least so wide; what there is stays in the middle.
export function widened(view: Rect): Rect {
  const more = Math.max(0, narrowest - view.width);
  return { ...view, x: view.x - more / 2, width: view.width + more };
}

// `twoWays`: there is a line for each direction.
export function layOut(ranks: number, dims: readonly Dimension[], twoWays: boolean): Layout {
  const shift = twoWays ? apart : 0;
  const real = dims.map((_, dim) => dim).filter((dim) => dims[dim].size > 1);
  const one = real.length === 1 ? dims[real[0]] : null;
  if (one?.block === 'switch' && ranks <= 10) return row(ranks, shift);
  return one ? ellipse(ranks, one.block === 'switch', shift) : new Grid(ranks, dims, shift);
}

function row(ranks: number, shift: number): Layout {
  const pitch = Math.max(48, Math.min(widestGap + 2 * size, narrowest / ranks));
  const places = Array.from({ length: ranks }, (_, rank) => ({ x: rank * pitch, y: 70 }));
  const bar = { x: -size, y: -6, width: (ranks - 1) * pitch + 2 * size, height: 12 };
  return {
    places, groups: [], bar: () => bar,
    between: (a, b) => straight(places[a], places[b], shift),
    toBar: (rank) => straight(places[rank], { x: places[rank].x, y: 6 }, shift),
    view: widened(around([...places, { x: 0, y: -size + 6 }], size + 6)),
  };
}

function ellipse(ranks: number, hub: boolean, shift: number): Layout {
  const high = Math.max(70, (ranks * 46) / (2 * Math.PI * 1.35));
  const wide = high * (ranks > 3 ? 1.7 : 1.2);
  const places = Array.from({ length: ranks }, (_, rank) => {
    const turn = (2 * Math.PI * (rank + 0.5)) / ranks - Math.PI / 2;
    return { x: wide * Math.cos(turn), y: high * Math.sin(turn) };
  });
  const bar = { x: -14, y: -14, width: 28, height: 28 };
  return {
    places, groups: [], bar: () => bar,
    between: (a, b) => straight(places[a], places[b], shift),
    toBar: (rank) => straight(places[rank], { x: 0, y: 0 }, shift),
    view: widened(around(hub ? [...places, { x: 0, y: 0 }] : places, size + 6)),
  };
}

type Axis = 'x' | 'y';

interface Along {
  axis: Axis;
  stride: number; // how many places along the axis its neighbors are apart
  nested: boolean; // not the first along its axis
}

// Which axis every dimension takes: about twice as wide as high, the first along the rows.
export function axesOf(dims: readonly Dimension[]): Axis[] {
  const real = dims.filter(({ size: members }) => members > 1);
  const score = (code: number): number => {
    let [wide, high, bad] = [1, 1, 0];
    real.forEach((dim, i) => {
      const down = (code >> i) & 1;
      const taken = down ? high : wide;
      if (taken > 1) bad += dim.block === 'switch' ? 0.5 : 0.2;
      if (down) high *= dim.size;
      else wide *= dim.size;
    });
    return Math.abs(Math.log(wide / high / 2)) + bad + (code & 1) * 0.1;
  };
  let best = 0;
  for (let code = 1; code < 1 << real.length; ++code) if (score(code) < score(best) - 1e-9) best = code;
  return dims.map((dim) => ((best >> Math.max(0, real.indexOf(dim))) & 1 ? 'y' : 'x'));
}

class Grid implements Layout {
  readonly places: Spot[];
  readonly groups: Rect[];
  readonly view: Rect;
  private readonly along: Along[];
  private readonly count = { x: 1, y: 1 };
  private readonly index: { x: number[]; y: number[] };

  constructor(ranks: number, private readonly dims: readonly Dimension[], private readonly shift: number) {
    const axes = axesOf(dims);
    this.along = dims.map(({ size: members }, dim) => {
      const axis = axes[dim];
      const stride = this.count[axis];
      this.count[axis] *= members;
      return { axis, stride, nested: stride > 1 };
    });
    const places = Array.from({ length: ranks }, (_, rank) => placesOf(rank, [...dims]));
    const indexOf = (axis: Axis): number[] => places.map((at) =>
      this.along.reduce((sum, one, dim) => sum + (one.axis === axis ? at[dim] * one.stride : 0), 0));
    this.index = { x: indexOf('x'), y: indexOf('y') };
    const [xs, ys] = [this.positions('x'), this.positions('y')];
    this.places = places.map((_, rank) => ({ x: xs[this.index.x[rank]], y: ys[this.index.y[rank]] }));
    const inner = dims.findIndex((dim) => dim.size > 1);
    const firsts = places.map((_, rank) => rank).filter((rank) => places[rank][inner] === 0);
    this.groups = firsts.map((rank) => around(groupOf(rank, dims, inner).map((one) => this.places[one]), size + 7));
    this.view = widened(this.extent(firsts));
  }

  // Whether a switch is between its two members instead of next to them.
  private amid(dim: number): boolean {
    return this.dims[dim].size === 2 && this.along[dim].stride === 1;
  }

  // Above or left (-1), below or right (1): the first dimension of an axis on one side, others on the other; of two
  // rows or columns each has its own outside.
  private side(dim: number, index: number): number {
    const { axis, nested } = this.along[dim];
    const across = axis === 'x' ? 'y' : 'x';
    const usual = this.count[across] === 2 ? 2 * index - 1 : axis === 'x' ? -1 : 1;
    return nested ? -usual : usual;
  }

  private peak(dim: number, span: number, lane: number): number {
    const { stride } = this.along[dim];
    const more = this.dims[dim].block === 'fully_connected' ? 7 * (span / stride - 2) : 0;
    return size + 11 + span / 2 + Math.max(0, more) + 5 * lane;
  }

  // Distance beyond its ranks of links next to their row or column.
  private room(dim: number): number {
    const { size: members, block } = this.dims[dim];
    const { stride } = this.along[dim];
    if (members < 2) return 0;
    if (block === 'switch') return this.amid(dim) ? 0 : 26 + 12 * (stride - 1);
    if (members === 2 && stride === 1) return 0;
    return this.peak(dim, stride * (members - 1), stride - 1) + 12 - size;
  }

  // Where the rows or columns stand.
  private positions(axis: Axis): number[] {
    const neighbor = (index: number, side: number): number => this.along.reduce((most, one, dim) =>
      (one.axis !== axis && this.side(dim, index) === side ? Math.max(most, this.room(dim)) : most), 0);
    const switched = this.along.some((one, dim) => one.axis === axis && this.dims[dim].block === 'switch' && this.amid(dim));
    const count = this.count[axis];
    const gaps = Array.from({ length: count - 1 }, (_, i) => {
      const outer = this.along.some((one) => one.axis === axis && one.nested && (i + 1) % one.stride === 0) ? 24 : 0;
      return outer + Math.max(switched ? 54 : 28, neighbor(i, 1) + neighbor(i + 1, -1) + 8);
    });
    const spare = axis === 'x' ? narrowest - gaps.reduce((sum, gap) => sum + gap, 2 * size * count) : 0;
    const at = [0];
    for (const gap of gaps) at.push(at[at.length - 1] + 2 * size + Math.max(gap, Math.min(widestGap, gap + spare / gaps.length)));
    return at;
  }

  private spotBeside(rank: number, dim: number, offset: number): Spot {
    const { x, y } = this.places[rank];
    return this.along[dim].axis === 'x' ? { x, y: y + offset } : { x: x + offset, y };
  }

  private across(rank: number, dim: number): number {
    return this.index[this.along[dim].axis === 'x' ? 'y' : 'x'][rank];
  }

  between(a: number, b: number, dim: number): Curve {
    const { axis, stride } = this.along[dim];
    const [from, to] = [this.index[axis][a], this.index[axis][b]];
    const span = Math.abs(from - to);
    if (span === 1) return straight(this.places[a], this.places[b], this.shift);
    const lane = Math.min(from, to) % stride;
    const high = (this.peak(dim, span, lane) + (from < to ? 2 * this.shift : 0)) / 0.75;
    const offset = high * this.side(dim, this.across(a, dim));
    return [this.places[a], this.spotBeside(a, dim, offset), this.spotBeside(b, dim, offset), this.places[b]];
  }

  private offsetOfBar(rank: number, dim: number): number {
    const { axis, stride } = this.along[dim];
    return this.side(dim, this.across(rank, dim)) * (size + 18 + 12 * (this.index[axis][rank] % stride));
  }

  bar(rank: number, dim: number): Rect {
    const members = groupOf(rank, this.dims, dim).map((one) => this.places[one]);
    if (this.amid(dim)) return around([middleOf(members)], 8);
    const thick = 3.5;
    const offset = this.offsetOfBar(rank, dim);
    const box = around(members, 0);
    const over = size + (this.meetsNeighbors(dim) ? 14 : 0);
    if (this.along[dim].axis === 'x') return { x: box.x - size, y: box.y + offset - thick, width: box.width + size + over, height: 2 * thick };
    return { x: box.x + offset - thick, y: box.y - size, width: 2 * thick, height: box.height + size + over };
  }

  toBar(rank: number, dim: number): Curve {
    if (this.amid(dim)) return straight(this.places[rank], middleOf(groupOf(rank, this.dims, dim).map((one) => this.places[one])), this.shift);
    const { x, y } = this.spotBeside(rank, dim, this.offsetOfBar(rank, dim));
    const slant = this.meetsNeighbors(dim) ? size + 9 : 0;
    return straight(this.places[rank], this.along[dim].axis === 'x' ? { x: x + slant, y } : { x, y: y + slant }, this.shift);
  }

  // Whether the way to the bar would lie on that to the next row or column.
  private meetsNeighbors(dim: number): boolean {
    const { axis, nested } = this.along[dim];
    const across = axis === 'x' ? 'y' : 'x';
    const joined = this.along.some((one, i) => one.axis === across && one.stride === 1 && this.dims[i].size > 1 &&
      (this.dims[i].block !== 'switch' || this.amid(i)));
    return joined && (nested || this.count[across] > 2);
  }

  // Everything that is drawn.
  private extent(firsts: readonly number[]): Rect {
    const boxes = [around(this.places, size), ...firsts.length > 0 ? this.groups : []];
    this.dims.forEach(({ size: members, block }, dim) => {
      if (members < 2) return;
      for (let rank = 0; rank < this.places.length; ++rank) {
        if (block === 'switch') boxes.push(this.bar(rank, dim));
        else groupOf(rank, this.dims, dim).forEach((peer) => {
          if (peer === rank || (block === 'ring' && !this.nextInRing(rank, peer, dim))) return;
          const [, , , end] = nearHalf(this.between(rank, peer, dim));
          boxes.push(around([end], 3));
        });
      }
    });
    return around(boxes.flatMap(({ x, y, width, height }) => [{ x, y }, { x: x + width, y: y + height }]), 5);
  }

  private nextInRing(a: number, b: number, dim: number): boolean {
    const { axis, stride } = this.along[dim];
    const steps = Math.abs(this.index[axis][a] - this.index[axis][b]) / stride;
    return steps === 1 || steps === this.dims[dim].size - 1;
  }
}

function middleOf(spots: readonly Spot[]): Spot {
  const sum = (pick: (spot: Spot) => number): number => spots.reduce((total, spot) => total + pick(spot), 0) / spots.length;
  return { x: sum(({ x }) => x), y: sum(({ y }) => y) };
}
