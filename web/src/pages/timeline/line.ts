// SPDX-License-Identifier: Apache-2.0
//
// A track as one line of pixels. The work is proportional to the pixels: a stretch three pixels wide
// or wider is drawn as it is, everything else column by column from the running sums. Pure.

import { emptyHolding, firstEnding, hold, type Track } from './tracks';
import type { View } from './view';

// Colors as canvas pixels (little-endian RGBA).
export interface Inks {
  ground: number;
  dim: number; // what the filters hold back
  shades: Uint32Array[]; // by span kind: three of the same hue
  waits: Uint32Array; // by span kind: the second color of the hatching
}

export interface Label {
  from: number; // device pixels
  to: number;
  span: number;
  lit: boolean;
}

export interface LinePixels {
  ink: Uint32Array;
  second: Uint32Array; // where it differs, the two are hatched
  hatched: boolean;
  labels: Label[];
}

const wide = 3; // pixels from which on a stretch is drawn by itself
const holding = emptyHolding();

export function paintLine(
  track: Track,
  names: Uint32Array,
  shades: Uint8Array, // by name: which of the three of its kind
  view: View,
  width: number,
  inks: Inks,
  labelFrom: number,
): LinePixels {
  const ink = new Uint32Array(width).fill(inks.ground);
  const line: LinePixels = { ink, second: ink, hatched: false, labels: [] };
  const scale = (view.to - view.from) / width;
  const n = track.start.length;
  let low = 0;
  for (let x = 0; x < width; ) {
    const time = view.from + x * scale;
    low = firstEnding(track, time, low);
    if (low >= n) break;
    const left = (track.start[low] - view.from) / scale;
    const right = (track.end[low] - view.from) / scale;
    if (left >= x + 1) {
      x = Math.floor(left);
    } else if (right - left >= wide && Math.round(left) <= x) {
      const until = Math.max(Math.round(right), x + 1);
      paintStretch(line, track, low, names, shades, x, Math.min(until, width), left, right, inks);
      const visible = Math.min(until, width) - Math.max(left, 0);
      if (visible >= labelFrom) {
        const lit = isLit(track, low);
        line.labels.push({ from: Math.max(left, 0), to: Math.min(until, width), span: track.span[low], lit });
      }
      x = until;
      low++; // what is left of it is less than half a pixel
    } else {
      hold(track, time, time + scale, low, holding);
      if (holding.total > 0) ink[x] = line.second[x] = columnInk(track, scale, inks);
      x++;
    }
  }
  return line;
}

function isLit(track: Track, i: number): boolean {
  return !track.lit || track.lit[i + 1] > track.lit[i];
}

function paintStretch(
  line: LinePixels,
  track: Track,
  i: number,
  names: Uint32Array,
  shades: Uint8Array, // by name: which of the three of its kind
  from: number,
  to: number,
  left: number,
  right: number,
  inks: Inks,
): void {
  const kind = track.kind[i];
  const lit = isLit(track, i);
  const shade = lit ? inks.shades[kind][shades[names[track.span[i]]]] : inks.dim;
  line.ink.fill(shade, from, to);
  const length = track.end[i] - track.start[i];
  const waited = Math.min(to, Math.round(left + ((right - left) * track.wait[i]) / length));
  if (line.hatched) line.second.fill(shade, from, to);
  if (track.wait[i] > 0 && waited > from) {
    if (!line.hatched) {
      line.second = line.ink.slice();
      line.hatched = true;
    }
    line.second.fill(lit ? inks.waits[kind] : inks.ground, from, waited);
  }
  if (right <= to + 0.5 && to - from >= 2) {
    const edge = blend(shade, inks.ground, 0.75);
    line.ink[to - 1] = line.second[to - 1] = edge;
  }
}

// The color of one column from what it holds; never so faint that a lone span disappears.
function columnInk(track: Track, scale: number, inks: Inks): number {
  let red = 0;
  let green = 0;
  let blue = 0;
  for (const kind of track.kinds) {
    const part = holding.kind[kind] / holding.total;
    const shade = inks.shades[kind][1];
    red += part * (shade & 255);
    green += part * ((shade >>> 8) & 255);
    blue += part * ((shade >>> 16) & 255);
  }
  const full = pack(red, green, blue);
  const lit = holding.lit > 0 ? Math.max(0.6, holding.lit / holding.total) : 0;
  const color = lit < 1 ? blend(inks.dim, full, lit) : full;
  const cover = (holding.total - 0.5 * holding.wait) / scale;
  return blend(inks.ground, color, Math.min(1, Math.max(cover, 0.3)));
}

export function pack(red: number, green: number, blue: number): number {
  return (0xff000000 | (Math.round(blue) << 16) | (Math.round(green) << 8) | Math.round(red)) >>> 0;
}

// `part` of b over a.
export function blend(a: number, b: number, part: number): number {
  const rest = 1 - part;
  return pack(
    (a & 255) * rest + (b & 255) * part,
    ((a >>> 8) & 255) * rest + ((b >>> 8) & 255) * part,
    ((a >>> 16) & 255) * rest + ((b >>> 16) & 255) * part,
  );
}

// Copies a line into rows top … bottom - 1 of an image; hatching runs diagonally, `grain` pixels wide.
export function stamp(
  line: LinePixels,
  image: Uint32Array,
  width: number,
  left: number,
  top: number,
  bottom: number,
  grain: number,
): void {
  if (!line.hatched) {
    for (let y = top; y < bottom; y++) image.set(line.ink, y * width + left);
    return;
  }
  const { ink, second } = line;
  const period = 3 * grain;
  const phases: Uint32Array[] = [];
  for (let y = top; y < bottom; y++) {
    const phase = y % period;
    let pixels = phases[phase];
    if (!pixels) {
      pixels = ink.slice();
      for (let x = 0; x < ink.length; x++) {
        if (ink[x] !== second[x] && (x + phase) % period >= grain) pixels[x] = second[x];
      }
      phases[phase] = pixels;
    }
    image.set(pixels, y * width + left);
  }
}
