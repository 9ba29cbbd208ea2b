// SPDX-License-Identifier: Apache-2.0
//
// What all views of a space share: which points are shown, which is chosen, which is under the pointer.
import { maskOf, shownPoints, type Range } from './filter';
import type { Dimension, Model } from './model';

export type Change = 'shown' | 'chosen' | 'hovered';

export class State {
  readonly filters = new Map<Dimension, Range>();
  mask: Uint8Array;
  shown: number[] = []; // the best first
  text = ''; // that plans must have
  chosen = -1;
  hovered = -1;
  private readonly listeners: ((change: Change) => void)[] = [];

  constructor(readonly model: Model) {
    this.mask = maskOf(model, this.filters, '');
    this.shown = shownPoints(model, this.mask);
    if (model.count > 0) this.chosen = model.data.best;
  }

  onChange(listener: (change: Change) => void): void {
    this.listeners.push(listener);
  }

  private tell(change: Change): void {
    for (const listener of this.listeners) listener(change);
  }

  // null: all values are fine.
  filter(dim: Dimension, range: Range | null): void {
    if (range && (range[0] > dim.low || range[1] < dim.high)) this.filters.set(dim, range);
    else this.filters.delete(dim);
    this.filtered();
  }

  search(text: string): void {
    this.text = text;
    this.filtered();
  }

  clear(): void {
    this.filters.clear();
    this.text = '';
    this.filtered();
  }

  private filtered(): void {
    this.mask = maskOf(this.model, this.filters, this.text);
    this.shown = shownPoints(this.model, this.mask);
    this.tell('shown');
  }

  choose(point: number): void {
    if (point === this.chosen || point < 0) return;
    this.chosen = point;
    this.tell('chosen');
  }

  hover(point: number): void {
    if (point === this.hovered) return;
    this.hovered = point;
    this.tell('hovered');
  }
}
