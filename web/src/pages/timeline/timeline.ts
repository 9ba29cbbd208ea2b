// SPDX-License-Identifier: Apache-2.0
//
// The timeline: what every rank did when. The address may say where to look:
// #/timeline?from=…&to=… (picoseconds) &rank=…&node=…&q=…; `at` instead of `node` is where a stretch
// of the critical path begins.

import type { RunData } from '../../data';
import { el } from '../../dom';
import * as format from '../../format';
import type { Context, Page } from '../../page';
import { describe, fillDetails } from './details';
import { listenToPointer } from './input';
import { keysDialog, pressKey, type KeyActions } from './keys';
import { fillTable } from './spans_table';
import { Stage } from './stage';
import { makeToolbar } from './toolbar';
import type { View } from './view';
import './timeline.css';

export const timeline: Page = {
  id: 'timeline',
  title: 'Timeline',
  has: (run) => run.timelines.some((line) => line.count > 0),
  render(host, context) {
    const end = context.run.timelines.some((line) => line.count > 0) ? build(host, context) : undefined;
    const notes = notesOn(context.run) || (end ? '' : 'The run has no spans.');
    if (notes) host.append(el('p', { class: 'muted tl-notes' }, notes));
    return end;
  },
};

// What is not to be seen here, in words.
function notesOn(run: RunData): string {
  if (run.spansShown === 'none') return 'This run was recorded without spans (`--spans none`), so there is no timeline.';
  const parts: string[] = [];
  if (run.spansShown === 'critical') parts.push('The run was recorded with critical spans only.');
  if (run.spansLeftOut > 0) {
    parts.push(`${format.counted(run.spansLeftOut, 'short span')} merged with neighbors on this page. The run file contains all of them.`);
  }
  return parts.join(' ');
}

function build(host: HTMLElement, context: Context): () => void {
  const stage = new Stage(context);
  listenToPointer(stage);
  const details = el('aside', { class: 'tl-details card', 'aria-label': 'Selected span', hidden: true });
  const spans = el('div', { class: 'tl-spans card', hidden: true });
  const spoken = el('div', { class: 'hidden-visually', 'aria-live': 'polite' });
  const help = keysDialog();
  const refill = later(() => fillTable(spans, stage), 200);
  const actions: KeyActions = {
    search: () => toolbar.search.focus(),
    togglePath: () => {
      stage.state.showPath = !stage.state.showPath;
      stage.redraw();
      toolbar.update();
    },
    toggleTable: () => {
      spans.hidden = !spans.hidden;
      element.querySelector('.tl-table-button')?.setAttribute('aria-pressed', String(!spans.hidden));
      if (!spans.hidden) fillTable(spans, stage);
    },
    help: () => help.showModal(),
  };
  const toolbar = makeToolbar(stage, actions);
  const element = el('div', { class: 'tl' }, toolbar.element,
    el('div', { class: 'tl-main' }, stage.element, details), spans, spoken, help);
  host.append(element);
  const remember = later(() => context.note(addressOf(stage, context.args)), 300);
  stage.listen((change) => {
    if (change === 'pick') {
      fillDetails(details, stage);
      spoken.textContent = describe(stage);
    }
    if (change === 'filter' || change === 'rows' || change === 'colors') toolbar.update();
    if (!spans.hidden) refill();
    if (context.index === 0) remember();
    label(stage);
  });
  stage.scroller.addEventListener('scroll', () => { if (!spans.hidden) refill(); });
  toolbar.update();
  label(stage);
  const end = listenTogether(element, stage, context, actions);
  goWhereAsked(stage, context.args, toolbar.search);
  expose(stage);
  return () => {
    end();
    stage.destroy();
    delete (window as { __orreryTimeline?: unknown }).__orreryTimeline;
  };
}

function label(stage: Stage): void {
  const { state } = stage;
  const { from, to } = state.view;
  stage.scroller.setAttribute('aria-label',
    `Timeline of ${format.counted(state.run.ranks, 'rank')}, ${format.time(Math.max(0, Math.round(from)))} to ` +
    `${format.time(Math.min(state.model.step, Math.round(to)))}. Selected: ${describe(stage)}. Press ? for keys.`);
}

// Calls `what` once things have been quiet for a while.
function later(what: () => void, wait: number): () => void {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(what, wait);
  };
}

// Keys, and, with two runs side by side, the same stretch of time in both.
function listenTogether(element: HTMLElement, stage: Stage, context: Context, actions: KeyActions): () => void {
  const { shared, index } = context;
  let active = index === 0; // the one that keys are meant for
  let notified = false;
  const tell = (name: string, detail: unknown): boolean => shared.dispatchEvent(new CustomEvent(name, { detail }));
  const take = (): boolean => tell('active', index);
  element.addEventListener('pointerenter', take);
  element.addEventListener('focusin', take);
  shared.addEventListener('active', (event) => { active = (event as CustomEvent<number>).detail === index; });
  shared.addEventListener('view', (event) => {
    const { by, view } = (event as CustomEvent<{ by: number; view: View }>).detail;
    if (by === index) return;
    notified = true;
    stage.show(view);
    notified = false;
  });
  stage.listen((change) => {
    if (change === 'view' && !notified) tell('view', { by: index, view: stage.target() });
  });
  const key = (event: KeyboardEvent): void => {
    const target = event.target as HTMLElement;
    if (!active || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (target.closest('input, select, textarea, dialog, nav')) return;
    const inside = stage.element.contains(target);
    if (pressKey(stage, actions, event, inside)) event.preventDefault();
  };
  document.addEventListener('keydown', key);
  return () => document.removeEventListener('keydown', key);
}

// `asked`: the address the page was opened with; its rank stays until something is selected.
function addressOf(stage: Stage, asked: Readonly<Record<string, string>>): Record<string, string | number> {
  const { state } = stage;
  const { from, to } = stage.target();
  const args: Record<string, string | number> = { from: Math.round(from), to: Math.round(to) };
  if (state.picked) {
    const unit = state.rows.units[state.picked.unit];
    args.rank = unit.rank;
    args.node = String(state.model.lines[unit.line].spans.node[state.picked.span]);
  } else if (state.found !== null) args.rank = state.found;
  else if (asked.rank) args.rank = asked.rank;
  if (state.filter.text) args.q = state.filter.text;
  return args;
}

function goWhereAsked(stage: Stage, args: Readonly<Record<string, string>>, search: HTMLInputElement): void {
  const { state } = stage;
  const [from, to, rank] = [args.from, args.to, args.rank].map((text) => (text ? Number(text) : NaN));
  if (to > from) stage.show({ from, to });
  if (Number.isInteger(rank) && rank >= 0 && rank < state.run.ranks) stage.find(rank);
  const unit = state.rows.ofRank[rank] ?? -1;
  const line = state.model.lines[state.rows.units[unit]?.line];
  if (line) {
    const stretch = args.at ? state.run.path.start.indexOf(Number(args.at)) : -1;
    const span = args.node ? line.spans.node.findIndex((node) => String(node) === args.node)
      : (state.places[stretch]?.span ?? -1);
    requestAnimationFrame(() => {
      stage.revealRow(state.rows.ofUnit[unit]);
      if (span >= 0) stage.pick({ unit, span });
    });
  }
  if (args.q) {
    search.value = args.q;
    stage.refilter({ text: args.q });
  }
}

// For the browser tests: how long frames take, and where spans are.
function expose(stage: Stage): void {
  (window as { __orreryTimeline?: unknown }).__orreryTimeline = {
    frames: stage.frames,
    state: stage.state,
    show: (from: number, to: number) => stage.show({ from, to }),
    placeOf: (unit: number, span: number) => stage.placeOf({ unit, span }),
  };
}
