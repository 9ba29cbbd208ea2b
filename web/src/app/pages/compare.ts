// SPDX-License-Identifier: Apache-2.0
//
// Pinned variants of a plan next to each other: figures as bars with one scale per column, and the parts of their steps.
import { el, styled, type Child } from '../../dom';
import * as format from '../../format';
import { table, type Column } from '../../table';
import { figuresOf, stepParts, time, type Figure } from '../figures';
import { Latest } from '../latest';
import type { App, AppPage } from '../page';
import type { Question } from '../question';
import type { Answers } from '../state';
import { differences, variantNames } from '../variants';
import { basisBadge, legend, shareBar } from './results';

interface Variant {
  question: Question;
  name: string;
  answers: Answers;
  figures: Map<string, Figure>;
}

function barCell(figure: Figure | undefined, first: Figure | undefined, most: number): Child {
  if (!figure) return el('span', { class: 'muted' }, '–');
  const change = first && first !== figure && first.value !== 0 ? figure.value / first.value - 1 : null;
  const better = change === null || Math.abs(change) < 0.0005 ? '' : (change < 0) === (figure.better === 'low') ? 'good' : 'bad';
  return el('div', { class: 'app-cell' }, el('span', { class: 'figures' }, figure.text, ' ', change !== null && el('span', { class: better }, format.change(change))),
    el('span', { class: 'app-cell-bar', 'aria-hidden': true }, styled(el('i', {}), { width: `${most > 0 ? (100 * figure.value) / most : 0}%` })));
}

function columnsOf(variants: Variant[]): Column<Variant>[] {
  const ids = [...new Set(variants.flatMap(({ figures }) => [...figures.keys()]))];
  return ids.map((id) => {
    const all = variants.map(({ figures }) => figures.get(id)).filter((figure) => figure !== undefined);
    const most = Math.max(...all.map((figure) => figure.range?.[1] ?? figure.value));
    const title = id === 'memory' ? 'Memory of the fullest stage' : all[0].label;
    return {
      title, note: all[0].basis, cell: ({ figures }) => barCell(figures.get(id), variants[0].figures.get(id), most),
      key: ({ figures }) => figures.get(id)?.value ?? Infinity,
    };
  });
}

function figuresTable(app: App, variants: Variant[]): HTMLElement {
  const open = (question: Question): void => {
    app.state.replace(question);
    app.go('plan');
  };
  return el('section', { class: 'card', 'aria-label': 'Figures' }, el('h2', {}, 'Figures ', basisBadge('predicted')),
    table<Variant>({
      caption: 'Changes are relative to the first variant; the bars of a column share one scale from 0.',
      rows: variants,
      columns: [
        { title: 'variant', key: ({ name }) => name, cell: ({ question, name }) => el('div', { class: 'app-action' }, el('span', { class: 'name' }, name), el('span', {},
          el('button', { type: 'button', 'aria-label': `Open ${name} as the plan`, onclick: () => open(question) }, 'Open'), ' ',
          el('button', { type: 'button', 'aria-label': `Remove ${name}`, onclick: () => app.state.unpin(question) }, 'Remove'))) },
        ...columnsOf(variants),
      ],
    }));
}

function steps(variants: Variant[]): HTMLElement {
  const runs = variants.filter(({ answers }) => answers.run.result);
  const end = Math.max(...runs.map(({ answers }) => answers.run.result!.step_ns));
  return el('section', { class: 'card', 'aria-label': 'Steps' }, el('h2', {}, 'Steps by part, on one scale ', basisBadge('predicted')),
    el('ul', { class: 'app-stages' }, runs.map(({ name, answers }) => {
      const run = answers.run.result!;
      return el('li', {}, el('span', { class: 'app-stage name' }, name), el('div', { class: 'app-stage-bar' }, shareBar(stepParts(run), end, name, time)),
        el('span', { class: 'figures' }, time(run.step_ns)));
    })),
    runs.length > 0 && legend(stepParts(runs[0].answers.run.result!), () => null));
}

function problems(variants: Variant[]): Child {
  const wrong = variants.filter(({ answers }) => answers.run.error);
  return wrong.length > 0 && el('div', { class: 'card bad', role: 'alert' }, wrong.map(({ name, answers }) =>
    el('p', {}, el('strong', {}, `${name}: `), `${answers.run.error!.where}: ${answers.run.error!.what}`)));
}

export const compare: AppPage = {
  id: 'compare',
  title: 'Compare',
  render(host, app) {
    const latest = new Latest();
    const body = el('div', { 'aria-live': 'polite' });
    host.append(el('p', { class: 'row' },
      el('button', { type: 'button', onclick: () => app.state.pin(app.state.question) }, 'Pin the current plan'),
      el('span', { class: 'muted' }, 'Press p on any page to pin the current plan.')), body);
    const draw = (): void => {
      const { pins } = app.state;
      if (pins.length === 0) {
        latest.stop();
        body.replaceChildren(el('p', { class: 'card' }, 'No plan is pinned. Pin plans to compare their figures here.'));
        return;
      }
      latest.start(0, async (signal) => {
        const names = variantNames(pins);
        const answers = await Promise.all(pins.map((pin) => app.state.answer(pin, signal)));
        if (signal.aborted) return;
        const variants = pins.map((question, i) => ({
          question, name: names[i], answers: answers[i], figures: new Map(figuresOf(answers[i]).map((figure) => [figure.id, figure])),
        }));
        const common = differences(pins).common;
        body.replaceChildren(el('p', { class: 'muted name' }, common && `All: ${common}`), ...[problems(variants)].filter((one) => one instanceof HTMLElement), figuresTable(app, variants), steps(variants));
      }, (error) => body.replaceChildren(el('p', { class: 'card bad', role: 'alert' }, String(error))));
    };
    const stop = app.state.onChange(draw);
    draw();
    return () => {
      stop();
      latest.stop();
    };
  },
};
