// SPDX-License-Identifier: Apache-2.0
//
// A search for the best plans of the job, watched; each plan that it finds can become the plan.
import { el, styled, type Child } from '../../dom';
import * as format from '../../format';
import { table } from '../../table';
import type { SearchPlan, SearchResult } from '../answers';
import { time, verdictText } from '../figures';
import { fields } from '../fields';
import type { App, AppPage } from '../page';
import { commandLine, type Properties, type Question } from '../question';
import { SearchJob, searched, searchQuestion } from '../search_job';
import { withPlan } from '../specification';
import { problemText } from './editor';
import { basisBadge, findingsCard } from './results';

const job = new SearchJob();
let fixed: ReadonlySet<string> = new Set();
let top = 10;
let properties: Promise<Properties> | null = null;

function propertiesOf(app: App): Promise<Properties> {
  properties ??= app.state.api.ask('schema', { format: 'question', command: 'search' }).then((answer) => {
    const found = answer as unknown as { properties?: Properties; result?: { properties: Properties } };
    return found.properties ?? found.result!.properties;
  });
  return properties;
}

function stepOf(plan: SearchPlan): number {
  return plan.simulated_ns ?? plan.estimate_ns;
}

function results(app: App, plan: Question, result: SearchResult): HTMLElement {
  const most = Math.max(...result.best.map(stepOf), 0);
  const bar = (value: number, end: number, text: string): Child => el('div', { class: 'app-cell' }, el('span', { class: 'figures' }, text),
    el('span', { class: 'app-cell-bar', 'aria-hidden': true }, styled(el('i', {}), { width: `${end > 0 ? Math.min(100, (100 * value) / end) : 0}%` })));
  const use = (row: SearchPlan): void => {
    app.state.replace(withPlan(plan, row.specification));
    app.go('plan');
  };
  const illegal = Object.entries(result.illegal_by_rule).map(([rule, count]) => `${format.count(count)} by ${rule}`).join(', ');
  return el('section', { class: 'card', 'aria-label': 'Plans found' },
    el('h2', {}, 'Plans found ', basisBadge('predicted')),
    el('p', { class: 'muted' }, `${format.counted(result.plans, 'plan')}, ${format.count(result.fitting)} fit into memory. Devices: ${format.count(result.devices)}, ${format.bytes(result.capacity_bytes)} each (configured).`,
      illegal && ` Not legal: ${illegal}.`),
    table<SearchPlan>({
      caption: 'The best plans; the bars of a column share one scale from 0', rows: result.best, empty: 'No plan fits into memory.',
      columns: [
        { title: 'plan', key: (row) => row.plan, cell: (row) => el('div', { class: 'app-action' }, el('span', { class: 'name' }, row.plan),
          el('button', { type: 'button', 'aria-label': `Use ${row.plan}`, onclick: () => use(row) }, 'Use')) },
        { title: 'step', cell: (row) => bar(stepOf(row), most, `${time(stepOf(row))}${row.simulated_ns === null ? ' (estimate)' : ''}`), key: stepOf },
        { title: 'MFU', number: true, cell: (row) => (row.mfu === null ? '–' : format.percent(row.mfu)), key: (row) => row.mfu ?? 0 },
        { title: 'memory', cell: (row) => bar(row.memory_bytes, result.capacity_bytes, `${format.bytes(row.memory_bytes)}, ${verdictText(row.verdict)}`), key: (row) => row.memory_bytes },
        { title: 'exposed communication', number: true, cell: (row) => time(row.exposed_comm_ns), key: (row) => row.exposed_comm_ns },
      ],
    }));
}

function status(app: App): Child[] {
  const { progress, answer } = job;
  if (job.state === 'running') {
    const words = progress ? `${progress.phase}: ${format.count(progress.done)}${progress.of === null ? '' : ` of ${format.count(progress.of)}`} ${progress.unit}` : 'The search begins.';
    return [el('div', { class: 'card' }, el('label', { class: 'row' }, el('span', {}, words),
      el('progress', progress && progress.of !== null ? { max: Math.max(progress.of, 1), value: progress.done } : {})))];
  }
  if (job.state === 'cancelled') return [el('p', { class: 'card' }, 'The search was cancelled.')];
  if (job.state === 'failed') return [el('p', { class: 'card bad', role: 'alert' }, job.error)];
  if (job.state !== 'done' || !answer) return [];
  if (answer.error) return [el('div', { class: 'card', role: 'alert' }, el('strong', {}, answer.error.where), problemText(app, answer.error))];
  return [results(app, job.plan, answer.result!), findingsCard(answer.findings)];
}

export const search: AppPage = {
  id: 'search',
  title: 'Search',
  render(host, app) {
    const { question } = app.state;
    const set = searched.filter((key) => key in question);
    const label = (key: string): string => fields.find((field) => field.key === key)?.label ?? key;
    const body = el('div');
    const command = el('pre', { class: 'mono app-wrap' });
    const asked = async (): Promise<Question> => searchQuestion(app.state.question, fixed, await propertiesOf(app), top);
    const tell = (): void => void asked().then((one) => { command.textContent = commandLine('search', one); }).catch(() => undefined);
    const keep = (key: string, on: boolean): void => {
      fixed = new Set(on ? [...fixed, key] : [...fixed].filter((one) => one !== key));
      tell();
    };
    const go = el('button', { type: 'button', onclick: () => {
      if (job.state === 'running') job.cancel();
      else void asked().then((one) => job.start(app.state.api, app.state.question, one)).catch((error: unknown) => app.say(String(error)));
    } });
    const number = el('input', { type: 'number', min: 1, max: 100, value: top, id: 'search-top', onchange: () => {
      top = Math.min(100, Math.max(1, Math.round(Number(number.value)) || 10));
      number.value = String(top);
      tell();
    } });
    host.append(el('section', { class: 'card', 'aria-label': 'What to search' },
      el('p', {}, 'Searches the degrees of parallelism, the micro-batch, sharding and recomputation of the job of the current plan.'),
      set.length > 0 && el('fieldset', { class: 'app-fixed' }, el('legend', {}, 'Keep as in the plan'), set.map((key) => el('label', {},
        el('input', { type: 'checkbox', checked: fixed.has(key), onchange: (event) => keep(key, (event.target as HTMLInputElement).checked) }),
        ` ${label(key)}: ${String(question[key])}`))),
      el('p', { class: 'row' }, el('label', { for: 'search-top' }, 'Plans to show'), number, go), command), body);
    const draw = (): void => {
      go.textContent = job.state === 'running' ? 'Cancel' : 'Search';
      body.replaceChildren(...status(app).filter((child): child is HTMLElement => child instanceof HTMLElement));
    };
    const stop = job.onChange(() => {
      draw();
      if (job.state === 'done') app.say('The search has ended.');
    });
    tell();
    draw();
    return stop;
  },
};
