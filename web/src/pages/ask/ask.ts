// SPDX-License-Identifier: Apache-2.0
//
// "What if tp 8?": the simulator in the page answers, without a server. Only pages that contain it have this page.
import { commandLine, type Question } from '../../app/question';
import { figuresOf } from '../../app/figures';
import type { Answer, MemoryResult, RunResult } from '../../app/answers';
import { el, type Child } from '../../dom';
import type { Context, Page } from '../../page';
import { filesOf, jobFile, planFields, planOf, questionOf, replicas, type Plan } from './question';
import { hasSimulator, Simulator } from './simulator';
import './ask.css';

// One for all columns and visits, so that it starts once.
const simulator = new Simulator();

interface Answers {
  run: Answer<RunResult>;
  memory: Answer<MemoryResult>;
  ms: number;
}

function problem(answer: Answer<unknown>): Child {
  return answer.error && el('p', { class: 'bad', role: 'alert' }, answer.error.what, answer.error.hint && ` (${answer.error.hint})`);
}

function answerTable(own: Answers, changed: Answers): HTMLElement {
  const before = new Map(figuresOf(own).map((figure) => [figure.id, figure.text]));
  return el('table', { class: 'facts ask-figures' }, el('caption', { class: 'hidden-visually' }, 'This run and the changed plan'),
    el('thead', {}, el('tr', {}, ['Figure', 'This plan', 'Changed plan'].map((title) => el('th', { scope: 'col' }, title)))),
    el('tbody', {}, figuresOf(changed).map(({ id, label, text, note }) => el('tr', { 'data-figure': id },
      el('th', { scope: 'row' }, label, note !== '' && el('small', { class: 'muted' }, note)),
      el('td', {}, before.get(id) ?? '–'), el('td', {}, text)))));
}

function render(host: HTMLElement, { run, format }: Context): () => void {
  const files = filesOf(run)!;
  const own = planOf(files[jobFile]);
  const ownDp = replicas(own, run.ranks) ?? 1;
  const inputs = new Map<string, HTMLInputElement>();
  const plan = (): Plan => Object.fromEntries(planFields.map(({ key }) => [key, Number(inputs.get(key)!.value)]));
  const dp = el('output', {});
  const result = el('div', { class: 'card ask-answer', 'aria-live': 'polite' },
    el('p', { class: 'muted' }, 'Change the plan, then predict. The simulator is in this file and starts at the first question; nothing is loaded or sent.'));
  const button = el('button', { type: 'submit' }, 'Predict');
  const question = (): Question | null => {
    const changed = plan();
    const all = replicas(changed, run.ranks);
    return all === null ? null : (questionOf(changed, own, all, ownDp) as Question);
  };
  const showReplicas = (): void => {
    const all = replicas(plan(), run.ranks);
    dp.textContent = all === null ? `tp × pp × cp must divide ${format.counted(run.ranks, 'rank')}` : String(all);
    button.disabled = all === null;
  };
  const answersTo = async (asked: Record<string, unknown>): Promise<Answers> => {
    const begin = performance.now();
    const ran = await simulator.ask<RunResult>('run', asked, files);
    const memory = await simulator.ask<MemoryResult>('memory', asked, files);
    return { run: ran, memory, ms: performance.now() - begin };
  };
  let ownAnswers: Promise<Answers> | null = null;
  const predict = async (): Promise<void> => {
    const asked = question();
    if (!asked) return;
    button.disabled = true;
    result.replaceChildren(el('p', { class: 'muted' }, ownAnswers ? 'Predicting…' : 'Starting the simulator…'));
    try {
      const before = await (ownAnswers ??= answersTo(questionOf(own, own, ownDp, ownDp)));
      const after = await answersTo(asked);
      result.replaceChildren(
        ...[problem(after.run), after.run.result && answerTable(before, after)].filter((child) => child instanceof Node),
        el('p', { class: 'muted' }, 'On the command line: ', el('code', {}, commandLine('run', asked)),
          `, with both files of this run's manifest. Answered in ${Math.round(after.ms)} ms.`));
    } catch (error) {
      ownAnswers = null;
      result.replaceChildren(el('p', { class: 'bad', role: 'alert' }, error instanceof Error ? error.message : String(error)));
    } finally {
      showReplicas();
    }
  };
  const field = (key: string, label: string): HTMLElement => {
    const input = el('input', { type: 'number', min: 1, step: 1, name: key, value: own[key], oninput: showReplicas });
    inputs.set(key, input);
    return el('label', {}, label, input);
  };
  const form = el('form', { class: 'card ask-form' }, planFields.map(({ key, label }) => field(key, label)),
    el('p', {}, 'Data parallel (dp), so that all ranks work: ', dp), button);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void predict();
  });
  showReplicas();
  host.append(form, result);
  return () => simulator.end();
}

export const ask: Page = {
  id: 'ask',
  title: 'Ask',
  has: (run) => hasSimulator() && filesOf(run) !== null,
  render,
};
