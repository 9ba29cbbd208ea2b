// SPDX-License-Identifier: Apache-2.0
//
// What was odd on the way, worst first: how often, where, and what it means for the result.
import type { RunData } from '../data';
import { el } from '../dom';
import type { Context, Page } from '../page';
import './findings.css';

type Finding = RunData['findings'][number];

interface Grade {
  title: string;
  look: string;
  note: string;
}

const grades = new Map<string, Grade>([
  ['error', { title: 'error', look: 'bad', note: 'the result cannot be relied on' }],
  ['data_loss', { title: 'data loss', look: 'bad', note: 'a part of the input is missing in the result' }],
  ['repaired', { title: 'repaired', look: 'warn', note: 'the input was wrong and was corrected' }],
  ['warning', { title: 'warning', look: 'warn', note: 'a setting is ignored' }],
  ['info', { title: 'information', look: 'muted', note: 'for information' }],
]);

const order = [...grades.keys()];

function gradeOf({ severity }: Finding): Grade {
  const name = severity.replace('-', '_');
  return grades.get(name) ?? { title: severity, look: 'muted', note: '' };
}

function worstFirst(a: Finding, b: Finding): number {
  const place = ({ severity }: Finding): number => order.indexOf(severity.replace('-', '_'));
  return place(a) - place(b) || b.count - a.count;
}

function card(finding: Finding, { format }: Context): HTMLElement {
  const grade = gradeOf(finding);
  const more = finding.count - finding.places.length;
  return el('li', { class: 'card' },
    el('h2', { class: 'row' }, el('span', { class: `badge ${grade.look}`, title: grade.note }, grade.title),
      finding.name.replaceAll('_', ' '), el('span', { class: 'muted figures find-count' }, format.counted(finding.count, 'case'))),
    el('p', {}, `${finding.sentence.charAt(0).toUpperCase()}${finding.sentence.slice(1).replace(/\.$/, '')}.`),
    finding.places.length > 0 && el('ul', { class: 'mono find-places' },
      finding.places.map((place) => el('li', { class: 'name' }, place)),
      more > 0 && el('li', { class: 'muted' }, `and ${format.count(more)} more`)));
}

export const findings: Page = {
  id: 'findings',
  title: 'Findings',
  has: (run) => run.findings.length > 0,
  render(host, context) {
    const list = [...context.run.findings].sort(worstFirst);
    if (list.length === 0) {
      host.append(el('div', { class: 'card' }, el('p', { class: 'good' }, 'No problems were found in the inputs or during the simulation.')));
      return;
    }
    host.append(
      el('p', { class: 'muted' }, 'Problems that did not stop the run: description, number of cases, and places of the first ones.'),
      el('ul', { class: 'find-list' }, list.map((finding) => card(finding, context))));
  },
};
