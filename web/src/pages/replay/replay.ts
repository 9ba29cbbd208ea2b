// SPDX-License-Identifier: Apache-2.0
//
// A recording compared with its replay: operators, time by kind of work, memory, substitutions, communication.
import { el, styled } from '../../dom';
import * as format from '../../format';
import type { Page } from '../../page';
import type { ReplayData } from '../../replay_data';
import { memoryPicture } from './memory_picture';
import { apart, pairsOf, type Measure, type Pair } from './shares';
import { commsTable, kindsTable, operatorsTable, ranTable, rulesTable } from './tables';
import './replay.css';

const card = (label: string, ...children: Parameters<typeof el>[2][]): HTMLElement => el('section', { class: 'card', 'aria-label': label }, el('h2', {}, label), children);

function summary({ facts, findings }: ReplayData): HTMLElement {
  return card('Replay',
    el('dl', { class: 'pairs' }, facts.map(([label, text]) => [el('dt', {}, label), el('dd', { class: 'name' }, text)])),
    findings.length > 0 && el('ul', { class: 'rp-notes muted' }, findings.map(({ sentence, count }) => el('li', {}, `${sentence} (${format.counted(count, 'case')})`))));
}

// Two bars for each kind of work, one above the other; the longest takes all the width.
function bars(pairs: readonly Pair[], spoken: string, both: boolean): HTMLElement {
  const most = Math.max(...pairs.map((pair) => Math.max(pair.recorded, pair.replayed)));
  const bar = (share: number, side: string): HTMLElement => el('div', { class: 'rp-line' },
    el('div', { class: 'rp-track' }, styled(el('i', { class: `rp-bar ${side}` }), { width: `${(100 * share) / most}%` })),
    el('span', { class: 'number' }, format.percent(share)));
  return el('div', { class: 'rp-bars', role: 'img', 'aria-label': spoken }, pairs.map((pair) => [
    el('span', { class: 'rp-kind' }, pair.name),
    el('div', {}, both && bar(pair.recorded, 'recorded'), bar(pair.replayed, 'replayed')),
  ]));
}

const legend = (both: boolean): HTMLElement => el('ul', { class: 'legend' },
  both && el('li', {}, el('i', { class: 'swatch idle', 'aria-hidden': true }), 'recorded'),
  el('li', {}, el('i', { class: 'swatch compute', 'aria-hidden': true }), 'replayed'));

function shares(data: ReplayData, measure: Measure, label: string, about: string): HTMLElement {
  const pairs = pairsOf(data.kinds, measure);
  const both = pairs.some((pair) => pair.recorded > 0);
  if (pairs.length === 0) return card(label, el('p', { class: 'muted' }, 'Nothing was measured.'));
  const words = both
    ? `Both differ in the kind of ${format.percent(apart(pairs))} of ${about}.`
    : `The recording contains no operator times; a device trace of the step does. This is ${about} of the replay.`;
  return card(label, el('p', {}, words), legend(both), bars(pairs, `${label}. ${words}`, both));
}

export const replay: Page = {
  id: 'replay',
  title: 'Recording and replay',
  whole: true,
  shows: (data) => data.replay !== undefined,
  render(host, context) {
    const data = context.data.replay!;
    const memory = card('Memory of a step');
    host.append(
      summary(data),
      el('div', { class: 'grid rp-two' },
        shares(data, 'ns', 'Time by kind of work', data.onDevice ? 'the time (recorded: on the device)' : 'the time'),
        shares(data, 'count', 'Operators by kind of work', 'the operators')),
      memory,
      card('Kinds of work', kindsTable(data)),
      card('Operators', operatorsTable(data)),
      card('What ran', ranTable(data.ran)));
    if (data.rules.length > 0) host.append(card('Substitutions', rulesTable(data)));
    if (data.comms.length > 0) host.append(card('Communication', commsTable(data)));
    const picture = memoryPicture(memory, context, data);
    return () => picture?.dispose();
  },
};
