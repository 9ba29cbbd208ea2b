// SPDX-License-Identifier: Apache-2.0
//
// What is known of the selected span.

import { spanKinds } from '../../data';
import { append, clear, el, styled, type Child } from '../../dom';
import * as format from '../../format';
import { critical, laneTaken, merged, slackKnown, unfinished, type Spans } from '../../spans';
import { roleOfKind } from '../../theme';
import { step } from './keys';
import { laneOf, spanName, titleIn } from './model';
import type { Stage } from './stage';

export function fillDetails(host: HTMLElement, stage: Stage): void {
  const { state } = stage;
  const pick = state.picked;
  host.hidden = !pick;
  if (!pick) return;
  const unit = state.rows.units[pick.unit];
  const line = state.model.lines[unit.line];
  const { spans } = line;
  const i = pick.span;
  const lane = line.lanes[laneOf(line, i)];
  const kind = spans.kind[i];
  const flags = spans.flags[i];
  const facts: [string, Child][] = [
    ['Rank', unit.ranks > 1 ? `${unit.hint} (identical)` : String(unit.rank)],
    ['Lane', lane ? titleIn(unit, lane) : '–'],
    flags & merged ? ['Merged', `${spans.node[i]} spans`] : ['Node', String(spans.node[i])],
    ['Starts', format.time(spans.start[i])],
    ['Ends', flags & unfinished ? 'never' : format.time(spans.start[i] + spans.length[i])],
    ['Slack', flags & slackKnown ? slackText(spans.slack[i]) : 'unknown'],
  ];
  const by = spans.releasedBy[i];
  if (by >= 0) {
    const name = spanName(state.model.names, spans, by);
    const go = (): void => {
      const other = { unit: pick.unit, span: by };
      stage.pick(other);
      stage.reveal(other);
    };
    facts.splice(4, 0, [flags & laneTaken ? 'Lane used by' : 'Started after',
      el('button', { type: 'button', class: 'quiet tl-before name', onclick: go }, name)]);
  }
  if (spans.bytes[i] > 0) facts.splice(3, 0, ['Bytes', format.bytes(spans.bytes[i])]);
  clear(host);
  append(host, [
    el('div', { class: 'tl-details-head' },
      el('h2', { class: 'name' }, spanName(state.model.names, spans, i)),
      el('button', { type: 'button', class: 'quiet', 'aria-label': 'Close', onclick: () => stage.pick(null) }, '✕')),
    el('p', { class: 'tl-badges' },
      el('span', { class: 'badge' }, el('i', { class: `swatch ${roleOfKind(kind)}` }), spanKinds[kind]),
      !!(flags & critical) && el('span', { class: 'badge tl-critical' }, 'on the critical path'),
      !!(flags & merged) && el('span', { class: 'badge' }, 'merged'),
      !!(flags & unfinished) && el('span', { class: 'badge bad' }, 'never ended')),
    parts(spans, i),
    el('dl', { class: 'pairs' }, facts.map(([key, value]) => [el('dt', {}, key), el('dd', { class: 'number name' }, value)])),
    !!(flags & merged) && el('p', { class: 'muted' }, 'This page has fewer spans than the run; this one is merged from several short spans.'),
    el('div', { class: 'row tl-buttons' },
      el('button', { type: 'button', onclick: () => stage.reveal(pick, true) }, 'Zoom to it'),
      el('button', { type: 'button', 'aria-label': 'Previous span', onclick: () => step(stage, -1) }, '‹'),
      el('button', { type: 'button', 'aria-label': 'Next span', onclick: () => step(stage, 1) }, '›')),
  ]);
}

function slackText(slack: number): string {
  return slack === 0 ? 'none: any delay extends the step' : `${format.time(slack)} of delay would not extend the step`;
}

// Its length as a bar: waiting, queueing, latency, and the rest.
function parts(spans: Spans, i: number): HTMLElement {
  const [length, wait, queue, latency] = [spans.length[i], spans.wait[i], spans.queue[i], spans.latency[i]];
  const role = roleOfKind(spans.kind[i]);
  const doing = role === 'communication' ? 'crossing links' : role === 'memory' ? 'moving bytes' : 'working';
  const all: [string, string, number][] = [
    ['tl-wait', 'waiting for peers', wait],
    ['tl-queue', 'queueing', queue],
    ['tl-latency', 'hops, endpoints', latency],
    ['fill', doing, Math.max(0, length - wait - queue - latency)],
  ];
  const shown = all.filter(([, , time], at) => time > 0 || at === 3);
  const share = (time: number): string => format.percent(length > 0 ? time / length : 0);
  return el('div', { class: 'tl-parts' },
    el('div', { class: 'tl-length number' }, format.time(length)),
    el('div', { class: 'tl-bar-parts', role: 'img', 'aria-label': shown.map(([, title, time]) => `${share(time)} ${title}`).join(', ') },
      shown.map(([name, , time]) => time > 0 && styled(el('i', { class: `${name} ${role}` }), { flex: `${time} 0 0` }))),
    el('dl', { class: 'pairs' }, shown.map(([name, title, time]) => [
      el('dt', {}, el('i', { class: `swatch ${name === 'fill' ? '' : name} ${role}` }), title),
      el('dd', { class: 'number' }, `${format.time(time)} · ${share(time)}`)])));
}

// One line for those who cannot see it.
export function describe(stage: Stage): string {
  const { state } = stage;
  if (!state.picked) return 'nothing selected';
  const unit = state.rows.units[state.picked.unit];
  const { spans } = state.model.lines[unit.line];
  const i = state.picked.span;
  const name = spanName(state.model.names, spans, i);
  return `${name}, ${spanKinds[spans.kind[i]]}, ${unit.title}, from ${format.time(spans.start[i])}, ${format.time(spans.length[i])} long`;
}
