// SPDX-License-Identifier: Apache-2.0
//
// Pointer and wheel: hover, click, drag, pinch, wheel.

import { rowAt } from './rows';
import type { Stage } from './stage';
import { plotWidth, ruler, spanAt, timeAt, type Pick } from './state';
import { around, pan, whole, zoom, type View } from './view';

const stillness = 5; // CSS pixels a press may move and be a click

interface Press {
  x: number;
  y: number;
  atX: number; // where it began
  atY: number;
  moved: boolean;
}

export function listenToPointer(stage: Stage): void {
  const presses = new Map<number, Press>();
  const { top, map } = stage;

  top.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    const { x, y } = place(top, event);
    presses.set(event.pointerId, { x, y, atX: x, atY: y, moved: false });
    if (event.pointerType === 'mouse') top.setPointerCapture(event.pointerId);
  });
  top.addEventListener('pointermove', (event) => {
    const press = presses.get(event.pointerId);
    const now = place(top, event);
    if (!press) hover(stage, now);
    else if (presses.size === 2) pinch(stage, presses, event.pointerId, now);
    else drag(stage, press, now, event.pointerType === 'mouse');
  });
  top.addEventListener('pointerup', (event) => {
    const press = presses.get(event.pointerId);
    presses.delete(event.pointerId);
    top.classList.remove('dragged');
    if (press && !press.moved) click(stage, press);
  });
  const forget = (event: PointerEvent): void => {
    presses.delete(event.pointerId);
    top.classList.remove('dragged');
  };
  top.addEventListener('pointercancel', forget);
  top.addEventListener('pointerleave', () => hover(stage, null));
  top.addEventListener('dblclick', (event) => {
    const pick = under(stage, place(top, event));
    if (pick) stage.reveal(pick, true);
  });
  top.addEventListener('wheel', (event) => wheel(stage, event), { passive: false });
  listenToMap(stage, map);
}

function place(element: HTMLElement, event: MouseEvent): { x: number; y: number } {
  const box = element.getBoundingClientRect();
  return { x: event.clientX - box.left, y: event.clientY - box.top };
}

function rowUnder(stage: Stage, y: number): number {
  const { rows, scroll } = stage.state;
  if (y < ruler) return -1;
  const i = rowAt(rows, y - ruler + scroll);
  const row = rows.rows[i];
  return row && y - ruler + scroll < row.top + row.height ? i : -1;
}

function under(stage: Stage, at: { x: number; y: number }): Pick | null {
  const { state } = stage;
  const i = rowUnder(stage, at.y);
  if (i < 0 || at.x < state.gutter) return null;
  const row = state.rows.rows[i];
  const span = spanAt(state, row, at.x, at.y);
  return span < 0 ? null : { unit: row.unit, span };
}

function hover(stage: Stage, at: { x: number; y: number } | null): void {
  const { state } = stage;
  state.pointer = at;
  state.hovered = at && under(stage, at);
  state.named = at && at.x < state.gutter ? onHead(stage, at.y) : -1;
  stage.top.classList.toggle('pointing', state.hovered !== null || state.named >= 0);
  stage.redraw('top');
}

// The unit whose own row is at a height, or -1.
function onHead(stage: Stage, y: number): number {
  const row = stage.state.rows.rows[rowUnder(stage, y)];
  return row && row.lane < 0 ? row.unit : -1;
}

function click(stage: Stage, at: { x: number; y: number }): void {
  const unit = onHead(stage, at.y);
  if (at.x < stage.state.gutter) {
    if (unit >= 0) stage.toggle(unit);
    return;
  }
  stage.pick(under(stage, at));
}

function drag(stage: Stage, press: Press, now: { x: number; y: number }, rows: boolean): void {
  const { state } = stage;
  press.moved ||= Math.hypot(now.x - press.atX, now.y - press.atY) > stillness;
  if (!press.moved) return;
  stage.top.classList.add('dragged');
  const width = state.view.to - state.view.from;
  stage.show(pan(state.view, ((press.x - now.x) / plotWidth(state)) * width, state.model.extent));
  if (rows) stage.scrollTo(state.scroll + press.y - now.y);
  state.pointer = null;
  state.hovered = null;
  press.x = now.x;
  press.y = now.y;
}

// Two fingers: the times under them stay under them.
function pinch(stage: Stage, presses: Map<number, Press>, moving: number, now: { x: number; y: number }): void {
  const { state } = stage;
  const press = presses.get(moving)!;
  const other = [...presses].find(([id]) => id !== moving)![1];
  press.moved = other.moved = true;
  const before = Math.max(20, Math.abs(press.x - other.x));
  const after = Math.max(20, Math.abs(now.x - other.x));
  const middle = timeAt(state, (press.x + other.x) / 2);
  const scaled = zoom(state.view, middle, before / after, state.model.extent);
  const shift = (press.x + other.x - now.x - other.x) / 2 / plotWidth(state);
  stage.show(pan(scaled, shift * (scaled.to - scaled.from), state.model.extent));
  press.x = now.x;
  press.y = now.y;
}

// Wheel: zooms about the pointer; sideways or with Shift it pans; over the names it scrolls the rows.
function wheel(stage: Stage, event: WheelEvent): void {
  const { state } = stage;
  const { x } = place(stage.top, event);
  if (x < state.gutter) return;
  event.preventDefault();
  const lines = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
  const across = (event.shiftKey ? event.deltaY + event.deltaX : event.deltaX) * lines;
  const along = event.shiftKey ? 0 : event.deltaY * lines;
  let view: View = state.view;
  if (Math.abs(along) >= Math.abs(across)) {
    const strength = event.ctrlKey ? 0.01 : 0.002;
    const factor = Math.exp(Math.max(-300, Math.min(300, along)) * strength);
    view = zoom(view, timeAt(state, x), factor, state.model.extent);
  } else {
    view = pan(view, (across / plotWidth(state)) * (view.to - view.from), state.model.extent);
  }
  stage.show(view);
}

// The strip above: a press goes there, a drag takes the window along.
function listenToMap(stage: Stage, map: HTMLCanvasElement): void {
  const { state } = stage;
  const goTo = (event: PointerEvent): void => {
    const { x } = place(map, event);
    const all = whole(state.model.extent);
    const part = (x - state.gutter) / Math.max(1, map.clientWidth - state.gutter);
    const time = all.from + part * (all.to - all.from);
    const width = state.view.to - state.view.from;
    if (width >= (all.to - all.from) * 0.98) {
      stage.show(around(time - width * 0.06, time + width * 0.06, state.model.extent), true);
    } else {
      stage.show({ from: time - width / 2, to: time + width / 2 });
    }
  };
  map.addEventListener('pointerdown', (event) => {
    map.setPointerCapture(event.pointerId);
    goTo(event);
  });
  map.addEventListener('pointermove', (event) => {
    if (event.buttons & 1) goTo(event);
  });
}
