// SPDX-License-Identifier: Apache-2.0
//
// What the run was made from: enough to make it again, and which model made which numbers.
import { el, type Child } from '../dom';
import type { Context, Page } from '../page';
import { scrollRegion } from '../scroll';
import './manifest.css';

// Short ones stand in the table; long ones, and whole documents, are folded away.
const longText = 160;

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function value(key: string, text: string): Child {
  if (text === '') return el('span', { class: 'muted' }, '(empty)');
  if (text.length <= longText) return el('span', { class: 'name mono' }, text);
  return el('details', {}, el('summary', {}, `show ${key.replaceAll('_', ' ')}`),
    el('pre', { class: 'mono', tabindex: 0 }, pretty(text)));
}

function copyButton({ run }: Context): HTMLElement {
  const button = el('button', { type: 'button' }, 'Copy as JSON');
  const status = el('span', { role: 'status', class: 'muted' });
  button.addEventListener('click', () => {
    const text = JSON.stringify(Object.fromEntries(run.manifest), null, 2);
    const copied = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error('no clipboard'));
    copied.then(() => (status.textContent = 'Copied.'), () => (status.textContent = 'This browser does not allow copying here.'));
  });
  return el('p', { class: 'row' }, button, status);
}

// Keys of which the other run, where two stand side by side, says something else or nothing.
export function differing(context: Pick<Context, 'data' | 'index'>): Set<string> {
  const { runs } = context.data;
  if (runs.length !== 2) return new Set();
  const other = new Map(runs[1 - context.index].manifest);
  return new Set(runs[context.index].manifest.filter(([key, text]) => other.get(key) !== text).map(([key]) => key));
}

function row(key: string, text: string, differs: boolean): HTMLElement {
  return el('tr', { class: differs && 'differs' }, el('th', { scope: 'row' }, key.replaceAll('_', ' ')),
    el('td', {}, value(key, text), differs && el('small', { class: 'differs-note' }, 'differs')));
}

export const manifest: Page = {
  id: 'manifest',
  title: 'Manifest',
  has: (run) => run.manifest.length > 0,
  render(host, context) {
    const others = differing(context);
    host.append(el('p', { class: 'muted' }, 'The inputs and options of this run. Equal entries give an identical run, to the picosecond.'),
      el('div', { class: 'card' }, scrollRegion('Manifest', el('table', { class: 'facts' },
        el('caption', { class: 'hidden-visually' }, 'Manifest'),
        el('tbody', {}, context.run.manifest.map(([key, text]) => row(key, text, others.has(key)))))).frame),
      copyButton(context));
  },
};
