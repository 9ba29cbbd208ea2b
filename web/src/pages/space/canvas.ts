// SPDX-License-Identifier: Apache-2.0
//
// A canvas as wide as its host, drawn again whenever its size or the theme changes, at most once in a frame.
import { el, styled } from '../../dom';
import type { Context } from '../../page';
import type { Colors } from '../../theme';

export const font = 'system-ui, sans-serif';

export interface Brush {
  context: CanvasRenderingContext2D;
  width: number; // CSS pixels
  height: number;
  colors: Colors;
}

export class Canvas {
  readonly element: HTMLElement;
  readonly layers: HTMLCanvasElement[];
  width = 0;
  private readonly waiting = new Set<number>();
  private frame = 0;
  private readonly sizes = new ResizeObserver(() => this.redraw());
  private readonly unsubscribe: () => void;

  // A layer on the next; each is drawn by itself.
  constructor(private readonly context: Context, private readonly height: () => number, private readonly paint: ((brush: Brush) => void)[]) {
    this.layers = paint.map(() => el('canvas', { 'aria-hidden': true }));
    this.element = el('div', { class: 'sp-canvas' }, this.layers);
    this.sizes.observe(this.element);
    this.unsubscribe = context.theme.onChange(() => this.redraw());
  }

  redraw(layer?: number): void {
    for (let i = 0; i < this.paint.length; i++) if (layer === undefined || layer === i) this.waiting.add(i);
    if (this.context.theme.still && this.element.isConnected) this.draw(); // paper does not wait
    else this.frame ||= requestAnimationFrame(() => this.draw());
  }

  private draw(): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    const [width, height] = [this.element.clientWidth, this.height()];
    if (width === 0) return;
    if (width !== this.width) this.paint.forEach((_, i) => this.waiting.add(i));
    this.width = width;
    styled(this.element, { height: `${height}px` });
    const ratio = Math.min(3, Math.max(1, devicePixelRatio));
    for (const i of [...this.waiting].sort()) {
      const canvas = this.layers[i];
      [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
      const context = canvas.getContext('2d')!;
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      this.paint[i]({ context, width, height, colors: this.context.theme.colors });
    }
    this.waiting.clear();
  }

  dispose(): void {
    cancelAnimationFrame(this.frame);
    this.sizes.disconnect();
    this.unsubscribe();
  }
}

// A tooltip next to a point of `host`, inside it.
export function placeBeside(tip: HTMLElement, host: HTMLElement, x: number, y: number): void {
  tip.hidden = false;
  const [width, height] = [tip.offsetWidth, tip.offsetHeight];
  const left = x + 14 + width <= host.clientWidth ? x + 14 : Math.max(0, x - 14 - width);
  const top = y + 14 + height <= host.clientHeight ? y + 14 : Math.max(0, y - 14 - height);
  styled(tip, { left: `${left}px`, top: `${top}px` });
}
