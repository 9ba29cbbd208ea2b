// SPDX-License-Identifier: Apache-2.0
//
// Pointer and wheel: gestures on the rows, and the strip above.

import { listenToGestures, place, type Spot } from './gestures';
import { rowAt } from './rows';
import type { Stage } from './stage';
import { ruler, spanAt, type Pick } from './state';
import { around, whole } from './view';

export function listenToPointer(stage: Stage): void {
  const { state } = stage;
  listenToGestures({
    canvas: stage.top,
    extent: state.model.extent,
    get gutter() { return state.gutter; },
    get width() { return state.width; },
    get view() { return state.view; },
    get scroll() { return state.scroll; },
    show: (view) => stage.show(view),
    scrollTo: (y) => stage.scrollTo(y),
    hover: (at) => hover(stage, at),
    click: (at) => click(stage, at),
    nearer: (at) => {
      const pick = under(stage, at);
      if (pick) stage.reveal(pick, true);
    },
  });
  listenToMap(stage, stage.map);
}

function rowUnder(stage: Stage, y: number): number {
  const { rows, scroll } = stage.state;
  if (y < ruler) return -1;
  const i = rowAt(rows, y - ruler + scroll);
  const row = rows.rows[i];
  return row && y - ruler + scroll < row.top + row.height ? i : -1;
}

function under(stage: Stage, at: Spot): Pick | null {
  const { state } = stage;
  const i = rowUnder(stage, at.y);
  if (i < 0 || at.x < state.gutter) return null;
  const row = state.rows.rows[i];
  const span = spanAt(state, row, at.x, at.y);
  return span < 0 ? null : { unit: row.unit, span };
}

function hover(stage: Stage, at: Spot | null): void {
  const { state } = stage;
  state.pointer = at;
  state.hovered = at && under(stage, at);
  state.named = at && at.x < state.gutter ? rowUnder(stage, at.y) : -1;
  stage.top.classList.toggle('pointing', state.hovered !== null || (state.named >= 0 && state.rows.rows[state.named].lane < 0));
  stage.redraw('top');
}

// The unit whose own row is at a height, or -1.
function onHead(stage: Stage, y: number): number {
  const row = stage.state.rows.rows[rowUnder(stage, y)];
  return row && row.lane < 0 ? row.unit : -1;
}

function click(stage: Stage, at: Spot): void {
  const unit = onHead(stage, at.y);
  if (at.x < stage.state.gutter) {
    if (unit >= 0) stage.toggle(unit);
    else hover(stage, at); // a finger shows the complete name
    return;
  }
  stage.pick(under(stage, at));
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
