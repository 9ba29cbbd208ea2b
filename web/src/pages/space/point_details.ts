// SPDX-License-Identifier: Apache-2.0
//
// The chosen point: its step, its figures, and what to paste to run it.
import { el, styled } from '../../dom';
import * as format from '../../format';
import { copyButton } from './controls';
import { planOf, pointWords, stepWords, type Model } from './model';
import type { State } from './state';
import { linesOf, textOf } from './text_edits';

// Where its step goes, as a bar and as text.
function breakdown(model: Model, point: number): HTMLElement {
  const shares = model.shares.get(point);
  if (!shares) return el('p', { class: 'muted' }, 'This point is estimated; only simulations give the parts of its step (--method simulate, or --simulated N for more of them).');
  const step = model.data.simulated[point];
  const { parts } = model.data.shares;
  const words = parts.map(({ title }, i) => `${title} ${format.percent(shares[i])}`).join(', ');
  return el('div', {},
    el('div', { class: 'sp-parts', role: 'img', 'aria-label': words }, parts.map(({ title, color }, i) => styled(el('i', { class: `fill ${color}`, title }), { width: `${shares[i] * 100}%` }))),
    el('ul', { class: 'legend' }, parts.map(({ title, color }, i) => el('li', {}, el('i', { class: `swatch ${color}` }), `${title} ${format.percent(shares[i])} (${format.time(Math.round(shares[i] * step))})`))),
    el('p', { class: 'muted' }, 'Mean over all devices.'));
}

function figures(model: Model, point: number): HTMLElement {
  const lines: [string, string][] = [['step', stepWords(model, point)]];
  for (const dim of model.dims) if (dim.kind === 'figure' && dim.name !== 'step') lines.push([dim.title, `${dim.text(dim.values[point])}${dim.name === 'memory' && model.mayNotFit[point] ? ' (may not fit)' : ''}`]);
  lines.push(['front', model.front[point] ? 'on the Pareto front' : 'dominated: another point is at least as good in all objectives, and better in one']);
  lines.push(['plan', planOf(model, point)]);
  return el('dl', { class: 'pairs' }, lines.map(([label, text]) => [el('dt', {}, label), el('dd', { class: 'name' }, text)]));
}

function pasted(title: string, text: string, open: boolean): HTMLElement {
  const code = el('pre', { class: 'mono sp-code', tabindex: 0, 'aria-label': title }, text);
  return el('details', { open }, el('summary', {}, title), el('div', { class: 'sp-paste' }, copyButton(title, code), code));
}

function configuration({ data }: Model, point: number): HTMLElement {
  const without = linesOf(data.without, point);
  const cluster = textOf(data.cluster, point);
  return el('div', {},
    el('h3', {}, 'Run this point'),
    pasted('The command', textOf(data.command, point), true),
    pasted('job.yaml', textOf(data.job, point), false),
    cluster !== '' && pasted('cluster.yaml', cluster, false),
    pasted('Megatron-LM’s arguments', textOf(data.megatron, point), false),
    el('p', { class: 'muted' }, 'For pretrain_gpt.py. The launcher sets the number of processes, and so the data-parallel size; you add data and learning rate.',
      without.length > 0 && ' Properties of this point without an argument in Megatron-LM:'),
    without.length > 0 && el('ul', { class: 'sp-without' }, without.map((line) => el('li', { class: 'name' }, line))));
}

export function showPointDetails(host: HTMLElement, live: HTMLElement, state: State): void {
  const { model, chosen } = state;
  if (chosen < 0) return;
  const open = [...host.querySelectorAll('details')].map((one) => [one.querySelector('summary')!.textContent, one.open] as const);
  live.textContent = `${pointWords(model, chosen)}: ${stepWords(model, chosen)}`;
  host.replaceChildren(el('h2', { class: 'name' }, pointWords(model, chosen)),
    el('div', { class: 'sp-two' }, el('div', {}, breakdown(model, chosen), figures(model, chosen)), configuration(model, chosen)));
  // What was opened stays open.
  for (const one of host.querySelectorAll('details')) {
    const before = open.find(([title]) => title === one.querySelector('summary')!.textContent);
    if (before) one.open = before[1];
  }
}
