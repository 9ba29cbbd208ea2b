// SPDX-License-Identifier: Apache-2.0
//
// The plan and its figures, which follow every change.
import { el } from '../../dom';
import type { Problem } from '../fields';
import { figuresOf } from '../figures';
import { Latest } from '../latest';
import type { App, AppPage } from '../page';
import { commandLine, keyOf, type Question } from '../question';
import type { Answers } from '../state';
import { editor, problemText, type Editor } from './editor';
import { details, headline } from './results';

const debounce = 25; // ms

class PlanPage {
  private readonly editor: Editor;
  private readonly latest = new Latest();
  private readonly head = el('section', { class: 'app-headline', 'aria-label': 'Figures', tabindex: 0 });
  private readonly error = el('div', { class: 'app-error' });
  private readonly results = el('div', { class: 'app-results' });
  private readonly spoken = el('p', { class: 'hidden-visually', 'aria-live': 'polite' });
  private readonly command = el('div');
  private asked = '';

  constructor(host: HTMLElement, private readonly app: App) {
    this.editor = editor(app);
    host.append(this.head, this.error, el('div', { class: 'app-columns' }, this.editor.element, el('div', {}, this.results, this.command)), this.spoken);
  }

  ask(): void {
    const { question } = this.app.state;
    this.editor.show();
    this.command.replaceChildren(commandCard(this.app, question));
    if (keyOf(question) === this.asked) return;
    this.asked = keyOf(question);
    this.head.setAttribute('aria-busy', 'true');
    this.latest.start(debounce, async (signal) => {
      const answers = await this.app.state.answer(question, signal);
      if (!signal.aborted) this.show(question, answers);
    }, (error) => {
      this.asked = '';
      this.failed({ code: '', name: '', where: '', what: error instanceof Error ? error.message : String(error), hint: '' });
    });
  }

  private show(question: Question, answers: Answers): void {
    const problem = answers.run.error ?? answers.memory?.error ?? null;
    if (problem) {
      this.failed(problem);
      return;
    }
    this.head.removeAttribute('aria-busy');
    this.editor.problem(null);
    this.error.replaceChildren();
    this.editor.devices(answers.run.result!.platform.devices);
    this.head.classList.remove('stale');
    this.results.classList.remove('stale');
    const figures = figuresOf(answers);
    this.head.replaceChildren(headline(figures, answers));
    this.results.replaceChildren(...details(this.app, question, answers));
    this.spoken.textContent = figures.slice(0, 3).map(({ label, text, note }) => `${label} ${text}, ${note}`).join('. ');
  }

  // The figures of the last legal plan stay, marked as such.
  private failed(problem: Problem): void {
    this.head.removeAttribute('aria-busy');
    const placed = this.editor.problem(problem);
    const stale = this.head.childElementCount > 0;
    this.error.replaceChildren(el('div', { class: 'card bad', role: 'alert' },
      placed ? el('p', {}, el('strong', {}, 'This plan is not possible: '), problem.where, ': ', problem.what) : [el('strong', {}, problem.where), problemText(this.app, problem)],
      stale && el('p', { class: 'muted' }, 'The figures below are those of the last possible plan.')));
    this.head.classList.toggle('stale', stale);
    this.results.classList.toggle('stale', stale);
  }

  stop(): void {
    this.latest.stop();
  }
}

function commandCard(app: App, question: Question): HTMLElement {
  const line = commandLine('run', question);
  return el('section', { class: 'card', 'aria-label': 'Command' }, el('h2', {}, 'The same on the command line'),
    el('pre', { class: 'mono app-wrap' }, line),
    el('div', { class: 'row' },
      el('button', { type: 'button', onclick: () => { app.state.pin(question); app.say(`Pinned: ${app.state.pins.length} to compare`); } }, 'Pin to compare'),
      el('button', { type: 'button', onclick: () => {
        navigator.clipboard.writeText(line).then(() => app.say('The command is copied.'), () => app.say('The browser does not allow copying.'));
      } }, 'Copy the command')));
}

export const plan: AppPage = {
  id: 'plan',
  title: 'Plan',
  render(host, app) {
    const page = new PlanPage(host, app);
    const stop = app.state.onChange(() => page.ask());
    page.ask();
    return () => {
      stop();
      page.stop();
    };
  },
};
