// SPDX-License-Identifier: Apache-2.0
//
// The whole step in a strip: how many ranks compute (upwards) and communicate (downwards, waiting
// paler) at each moment, with the part that is on screen as a window to drag.

import type { Model } from './model';
import type { Palette } from './palette';
import { emptyHolding, hold, type Track } from './tracks';
import { whole, type View } from './view';

export interface Activity {
  columns: number;
  work: Float64Array; // share of ranks, by column
  talk: Float64Array;
  wait: Float64Array; // of talk
}

// Shares of all ranks' time, column by column of the whole step.
export function measureActivity(model: Model, columns: number): Activity {
  const work = new Float64Array(columns);
  const talk = new Float64Array(columns);
  const wait = new Float64Array(columns);
  const all = whole(model.extent);
  const scale = (all.to - all.from) / columns;
  const ranks = model.lines.reduce((sum, line) => sum + line.ranks.length, 0) || 1;
  const holding = emptyHolding();
  const add = (track: Track, into: Float64Array, waits: Float64Array | null, weight: number): void => {
    let low = 0;
    for (let x = 0; x < columns && low < track.start.length; x++) {
      const from = all.from + x * scale;
      hold(track, from, from + scale, low, holding);
      low = holding.first;
      into[x] += holding.total * weight;
      if (waits) waits[x] += holding.wait * weight;
    }
  };
  for (const line of model.lines) {
    const weight = line.ranks.length / ranks / scale;
    if (weight === 0) continue;
    add(line.work, work, null, weight);
    add(line.talk, talk, wait, weight);
  }
  return { columns, work, talk, wait };
}

export class Minimap {
  private activity: Activity | null = null;
  private picture: HTMLCanvasElement | null = null;
  private drawnFor: unknown = null;

  constructor(readonly canvas: HTMLCanvasElement, private readonly model: Model) {}

  draw(view: View, palette: Palette, gutter: number, ratio: number): void {
    const box = this.canvas.getBoundingClientRect();
    const width = Math.max(1, Math.round(box.width * ratio));
    const height = Math.max(1, Math.round(box.height * ratio));
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
      this.drawnFor = null;
    }
    if (this.drawnFor !== palette || !this.picture) {
      this.picture = this.paint(width, height, palette, gutter * ratio);
      this.drawnFor = palette;
    }
    const context = this.canvas.getContext('2d')!;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, width, height);
    context.drawImage(this.picture, 0, 0);
    const [left, right] = this.windowOf(view, width, gutter * ratio);
    context.fillStyle = palette.page;
    context.globalAlpha = 0.68;
    context.fillRect(gutter * ratio, 0, left - gutter * ratio, height);
    context.fillRect(right, 0, width - right, height);
    context.globalAlpha = 1;
    context.strokeStyle = palette.accent;
    context.lineWidth = 1.5 * ratio;
    context.strokeRect(left, ratio, Math.max(right - left, 2 * ratio), height - 2 * ratio);
  }

  // Canvas pixels of the window's sides.
  windowOf(view: View, width: number, gutter: number): [number, number] {
    const all = whole(this.model.extent);
    const x = (time: number): number =>
      gutter + (Math.min(Math.max(time, all.from), all.to) - all.from) / (all.to - all.from) * (width - gutter);
    return [x(view.from), x(view.to)];
  }

  private paint(width: number, height: number, palette: Palette, gutter: number): HTMLCanvasElement {
    const picture = document.createElement('canvas');
    picture.width = width;
    picture.height = height;
    const context = picture.getContext('2d')!;
    context.fillStyle = palette.card;
    context.fillRect(0, 0, width, height);
    const columns = Math.round((width - gutter) / (this.model.lines.length > 200 ? 2 : 1));
    if (columns <= 0) return picture;
    if (this.activity?.columns !== columns) this.activity = measureActivity(this.model, columns);
    const { work, talk, wait } = this.activity;
    const wide = (width - gutter) / columns;
    const middle = Math.round(height / 2);
    for (let i = 0; i < columns; i++) {
      const x = gutter + i * wide;
      const up = work[i] * (middle - 2);
      const down = talk[i] * (middle - 2);
      const waiting = wait[i] * (middle - 2);
      context.fillStyle = palette.work;
      context.fillRect(x, middle - up, wide + 0.5, up);
      context.fillStyle = palette.talk;
      context.fillRect(x, middle, wide + 0.5, down - waiting);
      context.globalAlpha = 0.4;
      context.fillRect(x, middle + down - waiting, wide + 0.5, waiting);
      context.globalAlpha = 1;
    }
    context.fillStyle = palette.line;
    context.fillRect(gutter, middle, width - gutter, 1);
    return picture;
  }
}
