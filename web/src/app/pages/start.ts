// SPDX-License-Identifier: Apache-2.0
//
// The first page: files are dropped, or a model and a cluster picked.
import { el, type Child } from '../../dom';
import * as format from '../../format';
import type { Answer } from '../answers';
import { legalName, nextName } from '../names';
import type { App, AppPage } from '../page';
import { fromCommandLine, withValue, type Question } from '../question';

interface DoctorResult {
  ok: boolean;
  lines: { name: string; ok: boolean; text: string }[];
}

// The current question with what a file is for: a cluster replaces the cluster, a job or traces replace the job.
export function merged(current: Question, asked: Question, file: string): Question {
  if (asked.cluster === file) return withValue(current, 'cluster', file);
  const out: Question = current.cluster === undefined ? {} : { cluster: current.cluster };
  return { ...out, ...asked };
}

// The question about a file that one of the commands of `orrery doctor` asks.
export function questionOf(line: string, file: string, app: App): Question | null {
  const asked = fromCommandLine(line, app.state.run);
  if (!asked) return null;
  if (/^orrery run PREFIX\b/.test(line)) return { ...asked, prefix: file.replace(/\.\d+\.et$/, '') };
  return Object.values(asked).some((value) => [value].flat().includes(file)) ? asked : null;
}

function identified(app: App, file: string, answer: Answer<DoctorResult>): Child[] {
  if (answer.error) return [el('p', { class: 'bad' }, `${answer.error.what} ${answer.error.hint}`)];
  const { lines } = answer.result!;
  const facts = lines.filter(({ name }) => name !== 'command' && name !== 'file');
  const use = lines.filter(({ name }) => name === 'command').map(({ text }) => questionOf(text, file, app)).find((question) => question !== null);
  return [
    el('dl', { class: 'pairs' }, facts.map(({ name, text, ok }) => [el('dt', {}, name), el('dd', { class: ok ? 'name' : 'name bad' }, text)])),
    use && el('button', { type: 'button', onclick: () => {
      app.state.replace(merged(app.state.question, use, file));
      app.go('plan');
    } }, use.cluster === file ? 'Use as the cluster' : use.traces || use.prefix ? 'Simulate these traces' : 'Use as the job'),
  ];
}

class Files {
  readonly element = el('ul', { class: 'app-files' });

  constructor(private readonly app: App) {}

  async list(): Promise<void> {
    const files = await this.app.state.api.files();
    this.element.replaceChildren(...files.map(({ name, bytes }) => this.entry(name, bytes)));
    if (files.length === 0) this.element.append(el('li', { class: 'muted' }, 'The folder has no files.'));
  }

  private entry(name: string, bytes: number): HTMLElement {
    const about = el('div', { class: 'app-about', 'aria-live': 'polite' });
    const ask = (): void => void this.identify(name, about);
    return el('li', { 'data-file': name }, el('span', { class: 'row' }, el('span', { class: 'name' }, name), el('span', { class: 'muted figures' }, format.bytes(bytes)),
      el('button', { type: 'button', class: 'quiet', 'aria-label': `What is ${name}?`, onclick: ask }, 'What is it?')), about);
  }

  private async identify(name: string, about: HTMLElement): Promise<void> {
    try {
      const answer = await this.app.state.api.ask<DoctorResult>('doctor', { file: name });
      about.replaceChildren(...identified(this.app, name, answer).filter((child): child is HTMLElement => child instanceof HTMLElement));
    } catch (error) {
      about.replaceChildren(el('p', { class: 'bad' }, error instanceof Error ? error.message : String(error)));
    }
  }

  // Stores dropped files, under another name where the folder has another file of that name; then says what they are.
  async add(dropped: readonly File[]): Promise<void> {
    const names: string[] = [];
    for (const file of dropped) {
      let name = legalName(file.name);
      for (let number = 2; (await this.app.state.api.put(name, file)) === 'other'; ++number) name = nextName(legalName(file.name), number);
      names.push(name);
    }
    this.app.state.forget();
    await this.list();
    this.app.say(`Stored: ${names.join(', ')}`);
    for (const name of names) {
      const entry = [...this.element.children].find((one) => (one as HTMLElement).dataset.file === name);
      if (entry) await this.identify(name, entry.querySelector('.app-about')!);
    }
  }
}

function dropZone(app: App, files: Files): HTMLElement {
  const fail = (error: unknown): void => app.say(error instanceof Error ? error.message : String(error));
  const input = el('input', { type: 'file', multiple: true, id: 'drop-input', onchange: () => {
    files.add([...(input.files ?? [])]).catch(fail);
    input.value = '';
  } });
  const zone = el('div', { class: 'app-drop', ondragover: (event) => { event.preventDefault(); zone.classList.add('over'); },
    ondragleave: () => zone.classList.remove('over'), ondrop: (event) => {
      event.preventDefault();
      zone.classList.remove('over');
      files.add([...((event as DragEvent).dataTransfer?.files ?? [])]).catch(fail);
    } },
  el('label', { for: 'drop-input' }, 'Drop traces, a cluster, a config.json or a launch script here, or choose files'), input);
  return zone;
}

function picker(app: App): HTMLElement {
  const offer = (id: string, list: string): HTMLDataListElement => {
    const names = el('datalist', { id });
    void app.state.list(list).then((entries) => names.append(...entries.map(({ name, title }) => el('option', { value: name, label: title })))).catch(() => undefined);
    return names;
  };
  const model = el('input', { type: 'text', id: 'pick-model', list: 'pick-models', value: String(app.state.question.model ?? ''), autocomplete: 'off' });
  const cluster = el('input', { type: 'text', id: 'pick-cluster', list: 'pick-clusters', value: String(app.state.question.cluster ?? ''), autocomplete: 'off' });
  const open = (event: Event): void => {
    event.preventDefault();
    app.state.replace({ model: model.value.trim(), cluster: cluster.value.trim() });
    app.go('plan');
  };
  return el('form', { class: 'card', 'aria-label': 'Pick a model and a cluster', onsubmit: open }, el('h2', {}, 'Pick a model and a cluster'),
    el('p', { class: 'app-pick' }, el('label', { for: 'pick-model' }, 'Model'), model, el('label', { for: 'pick-cluster' }, 'Cluster: a device and a number, or a file'), cluster),
    offer('pick-models', 'models'), offer('pick-clusters', 'clusters'), el('button', {}, 'Plan'));
}

export const start: AppPage = {
  id: 'start',
  title: 'Start',
  render(host, app) {
    const files = new Files(app);
    host.append(el('p', {}, 'Predict the step time, memory and cost of a training job on a cluster. Every figure here is the same as on the command line.'),
      el('div', { class: 'grid' }, picker(app),
        el('section', { class: 'card', 'aria-label': 'Files' }, el('h2', {}, 'Files'), dropZone(app, files), el('h3', {}, 'Files of the folder'), files.element)));
    files.list().catch((error: unknown) => files.element.replaceChildren(el('li', { class: 'bad' }, error instanceof Error ? error.message : String(error))));
  },
};
