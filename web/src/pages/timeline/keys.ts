// SPDX-License-Identifier: Apache-2.0
//
// The timeline by keyboard, and the list of its keys.

import { el } from '../../dom';
import { laneOf } from './model';
import type { Stage } from './stage';
import { pan, whole, zoom } from './view';

const list: [string, string][] = [
  ['w, + / s, −', 'zoom in, out'],
  ['a, ← / d, →', 'earlier, later (with Shift: a screen)'],
  ['↑ / ↓, Page Up / Down', 'scroll the rows'],
  ['f or 0', 'the complete step'],
  ['z or Enter', 'zoom to the selected span'],
  [', / .', 'select the previous, next span of the lane'],
  ['/', 'search by name'],
  ['n / N', 'next, previous match'],
  ['e / E', 'open the selected row (all rows)'],
  ['c', 'critical path'],
  ['v', 'spans in view as a table'],
  ['Esc', 'clear the selection'],
  ['wheel', 'zoom about the pointer'],
  ['Shift + wheel, drag', 'pan'],
  ['wheel over the names', 'scroll the rows'],
  ['double click', 'zoom to a span'],
];

export interface KeyActions {
  search(): void;
  togglePath(): void;
  toggleTable(): void;
  help(): void;
}

export function keysDialog(): HTMLDialogElement {
  return el(
    'dialog',
    { 'aria-label': 'Keys of the timeline', class: 'tl-help' },
    el('h2', {}, 'Keys of the timeline'),
    el('dl', { class: 'pairs' }, list.map(([key, does]) => [el('dt', {}, el('kbd', {}, key)), el('dd', {}, does)])),
    el('p', { class: 'muted' }, 'On all pages: 1 … 9 go to a page, [ and ] to the previous and next page, t switches light and dark.'),
    el('form', { method: 'dialog' }, el('button', {}, 'Close')),
  );
}

// Answers whether the key meant something here. `inside`: the timeline has the focus.
export function pressKey(stage: Stage, actions: KeyActions, event: KeyboardEvent, inside: boolean): boolean {
  const key = event.key;
  if (move(stage, key, event.shiftKey, inside)) return true;
  switch (key) {
    case 'n': stage.goToHit(1); return true;
    case 'N': stage.goToHit(-1); return true;
    case 'e': openPicked(stage); return true;
    case 'E': stage.openAll(stage.state.rows.open.size < stage.state.rows.units.length); return true;
    case 'c': actions.togglePath(); return true;
    case 'v': actions.toggleTable(); return true;
    case '/': actions.search(); return true;
    case '?': actions.help(); return true;
    case ',': step(stage, -1); return true;
    case '.': step(stage, 1); return true;
    case 'z': return nearPicked(stage);
    case 'Enter': return inside && nearPicked(stage);
    case 'Escape':
      if (!stage.state.picked) return false;
      stage.pick(null);
      return true;
    default: return false;
  }
}

function move(stage: Stage, key: string, far: boolean, inside: boolean): boolean {
  const { state } = stage;
  const { extent } = state.model;
  const view = stage.target();
  const width = view.to - view.from;
  const nearer = (factor: number): void => stage.show(zoom(view, focus(stage), factor, extent), true);
  const along = (part: number): void => stage.show(pan(view, part * width * (far ? 4 : 1), extent), true);
  switch (key) {
    case 'w': case '+': case '=': nearer(0.6); return true;
    case 's': case '-': case '_': nearer(1 / 0.6); return true;
    case 'a': case 'A': along(-0.2); return true;
    case 'd': case 'D': along(0.2); return true;
    case 'f': stage.show(whole(extent), true); return true;
    default: break;
  }
  if (!inside) return false;
  const page = state.height * 0.8;
  switch (key) {
    case '0': stage.show(whole(extent), true); return true;
    case 'ArrowLeft': along(-0.2); return true;
    case 'ArrowRight': along(0.2); return true;
    case 'ArrowUp': stage.scrollTo(state.scroll - 44); return true;
    case 'ArrowDown': stage.scrollTo(state.scroll + 44); return true;
    case 'PageUp': stage.scrollTo(state.scroll - page); return true;
    case 'PageDown': stage.scrollTo(state.scroll + page); return true;
    case 'Home': stage.scrollTo(0); return true;
    case 'End': stage.scrollTo(state.rows.height); return true;
    default: return false;
  }
}

// What zooming by key keeps in place: the pointer's time, else the selection if on screen, else the middle.
function focus(stage: Stage): number {
  const { state } = stage;
  const { from, to } = stage.target();
  if (state.pointer && state.pointer.x > state.gutter) {
    return from + ((state.pointer.x - state.gutter) / (state.width - state.gutter)) * (to - from);
  }
  if (state.picked) {
    const { spans } = state.model.lines[state.rows.units[state.picked.unit].line];
    const middle = spans.start[state.picked.span] + spans.length[state.picked.span] / 2;
    if (middle > from && middle < to) return middle;
  }
  return (from + to) / 2;
}

function nearPicked(stage: Stage): boolean {
  if (!stage.state.picked) return false;
  stage.reveal(stage.state.picked, true);
  return true;
}

function openPicked(stage: Stage): void {
  stage.toggle(stage.state.picked?.unit ?? 0);
}

// The span before or after the selected one in its lane; with nothing selected, the first in view.
export function step(stage: Stage, by: number): void {
  const { state } = stage;
  const unit = state.picked?.unit ?? 0;
  if (!state.rows.units[unit]) return;
  const line = state.model.lines[state.rows.units[unit].line];
  const at = state.picked ? laneOf(line, state.picked.span) : 0;
  const track = line.lanes[Math.max(at, 0)]?.track;
  if (!track) return;
  const i = state.picked
    ? track.span.indexOf(state.picked.span) + by
    : track.end.findIndex((end) => end > state.view.from);
  if (i < 0 || i >= track.span.length) return;
  const pick = { unit, span: track.span[i] };
  stage.pick(pick);
  stage.reveal(pick);
}
