// SPDX-License-Identifier: Apache-2.0
//
// What pointers and the wheel do to anything with time across and rows down: hover, click, drag, pinch, zoom.

import { pan, zoom, type View } from './view';

const stillness = 5; // CSS pixels a press may move and be a click

export interface Spot {
  x: number; // CSS pixels from the left of the canvas
  y: number;
}

export interface Surface {
  readonly canvas: HTMLElement;
  readonly extent: number; // picoseconds: how long all of it is
  readonly gutter: number; // CSS pixels on the left that the names of the rows take
  readonly width: number; // of all of it
  readonly view: View;
  readonly scroll: number; // CSS pixels of rows above the screen
  show(view: View): void;
  scrollTo(y: number): void;
  hover(at: Spot | null): void;
  click(at: Spot): void;
  nearer?(at: Spot): void; // a double click
}

interface Press extends Spot {
  atX: number; // where it began
  atY: number;
  moved: boolean;
}

const across = (surface: Surface): number => Math.max(1, surface.width - surface.gutter);

function timeAt(surface: Surface, x: number): number {
  const { from, to } = surface.view;
  return from + ((x - surface.gutter) / across(surface)) * (to - from);
}

export function listenToGestures(surface: Surface): void {
  const presses = new Map<number, Press>();
  const { canvas } = surface;

  canvas.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    const { x, y } = place(canvas, event);
    presses.set(event.pointerId, { x, y, atX: x, atY: y, moved: false });
    if (event.pointerType === 'mouse') canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', (event) => {
    const press = presses.get(event.pointerId);
    const now = place(canvas, event);
    if (!press) surface.hover(now);
    else if (presses.size === 2) pinch(surface, presses, event.pointerId, now);
    else drag(surface, press, now, event.pointerType === 'mouse');
  });
  canvas.addEventListener('pointerup', (event) => {
    const press = presses.get(event.pointerId);
    presses.delete(event.pointerId);
    canvas.classList.remove('dragged');
    if (press && !press.moved) surface.click(press);
  });
  canvas.addEventListener('pointercancel', (event) => {
    presses.delete(event.pointerId);
    canvas.classList.remove('dragged');
  });
  canvas.addEventListener('pointerleave', () => surface.hover(null));
  canvas.addEventListener('dblclick', (event) => surface.nearer?.(place(canvas, event)));
  canvas.addEventListener('wheel', (event) => wheel(surface, event), { passive: false });
}

export function place(element: HTMLElement, event: MouseEvent): Spot {
  const box = element.getBoundingClientRect();
  return { x: event.clientX - box.left, y: event.clientY - box.top };
}

function drag(surface: Surface, press: Press, now: Spot, rows: boolean): void {
  press.moved ||= Math.hypot(now.x - press.atX, now.y - press.atY) > stillness;
  if (!press.moved) return;
  surface.canvas.classList.add('dragged');
  const { from, to } = surface.view;
  surface.hover(null);
  surface.show(pan(surface.view, ((press.x - now.x) / across(surface)) * (to - from), surface.extent));
  if (rows) surface.scrollTo(surface.scroll + press.y - now.y);
  press.x = now.x;
  press.y = now.y;
}

// Two fingers: the times under them stay under them.
function pinch(surface: Surface, presses: Map<number, Press>, moving: number, now: Spot): void {
  const press = presses.get(moving)!;
  const other = [...presses].find(([id]) => id !== moving)![1];
  press.moved = other.moved = true;
  const before = Math.max(20, Math.abs(press.x - other.x));
  const after = Math.max(20, Math.abs(now.x - other.x));
  const middle = timeAt(surface, (press.x + other.x) / 2);
  const scaled = zoom(surface.view, middle, before / after, surface.extent);
  const shift = (press.x + other.x - now.x - other.x) / 2 / across(surface);
  surface.show(pan(scaled, shift * (scaled.to - scaled.from), surface.extent));
  press.x = now.x;
  press.y = now.y;
}

// Wheel: zooms about the pointer; sideways or with Shift it pans; over the names it scrolls the rows.
function wheel(surface: Surface, event: WheelEvent): void {
  const { x } = place(surface.canvas, event);
  if (x < surface.gutter) return;
  event.preventDefault();
  const lines = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
  const sideways = (event.shiftKey ? event.deltaY + event.deltaX : event.deltaX) * lines;
  const along = event.shiftKey ? 0 : event.deltaY * lines;
  let { view } = surface;
  if (Math.abs(along) >= Math.abs(sideways)) {
    const strength = event.ctrlKey ? 0.01 : 0.002;
    const factor = Math.exp(Math.max(-300, Math.min(300, along)) * strength);
    view = zoom(view, timeAt(surface, x), factor, surface.extent);
  } else {
    view = pan(view, (sideways / across(surface)) * (view.to - view.from), surface.extent);
  }
  surface.show(view);
}
