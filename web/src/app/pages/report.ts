// SPDX-License-Identifier: Apache-2.0
//
// The report of the plan's run, in a frame that can run its script and nothing else; and as one file to share.
import { el } from '../../dom';
import { saveFile } from '../../save';
import { reportName } from '../names';
import type { App, AppPage } from '../page';
import type { RunResult } from '../answers';
import { keyOf } from '../question';
import { problemText } from './editor';

interface Report {
  name: string;
  content: Blob;
  shows: boolean;
}

// A frame from a blob inherits this page's policy, which allows the script of the report that was built with it.
function allowed(report: string): boolean {
  const script = /script-src ('sha256-[^']+')/.exec(report)?.[1];
  const policy = document.querySelector('meta[http-equiv="Content-Security-Policy"]')?.getAttribute('content');
  return script !== undefined && (policy?.includes(script) ?? true);
}

async function reportOf(app: App, signal: AbortSignal): Promise<Report | HTMLElement> {
  const { question } = app.state;
  const name = await reportName(question);
  const answer = await app.state.api.ask<RunResult>('run', { ...question, output: name, force: true }, signal);
  if (answer.error) return el('div', { class: 'card', role: 'alert' }, el('strong', {}, answer.error.where), problemText(app, answer.error));
  const text = await (await app.state.api.file(name)).text();
  return { name, content: new Blob([text], { type: 'text/html' }), shows: allowed(text) };
}

// Writes and shows the report of the current question; ends at the call of what comes back.
function show(host: HTMLElement, app: App): () => void {
  const control = new AbortController();
  const status = el('p', { role: 'status', class: 'muted' }, 'The report is being written.');
  const body = el('div', {}, status);
  host.append(body);
  let address = '';
  reportOf(app, control.signal).then((found) => {
    if (control.signal.aborted) return;
    if (found instanceof HTMLElement) {
      body.replaceChildren(found);
      return;
    }
    const save = el('p', { class: 'row' },
      el('button', { type: 'button', onclick: () => saveFile(found.name, found.content) }, 'Save as one file'),
      el('span', { class: 'muted' }, `${found.name}, also in the folder. It needs no server and loads nothing.`));
    if (!found.shows) {
      body.replaceChildren(save, el('p', { class: 'card warn' }, 'The program’s report is of another version than this page, which therefore cannot show it. Save it, and open the file.'));
      return;
    }
    address = URL.createObjectURL(found.content);
    body.replaceChildren(
      save,
      el('iframe', { class: 'app-report', title: 'Report of the run', sandbox: 'allow-scripts', src: address }));
  }).catch((error: unknown) => {
    if (!control.signal.aborted) body.replaceChildren(el('p', { class: 'card bad', role: 'alert' }, error instanceof Error ? error.message : String(error)));
  });
  return () => {
    control.abort();
    if (address) URL.revokeObjectURL(address);
  };
}

export const report: AppPage = {
  id: 'report',
  title: 'Report',
  render(host, app) {
    let leave = show(host, app);
    let shown = keyOf(app.state.question);
    const stop = app.state.onChange(() => {
      if (keyOf(app.state.question) === shown) return;
      shown = keyOf(app.state.question);
      leave();
      host.replaceChildren();
      leave = show(host, app);
    });
    return () => {
      stop();
      leave();
    };
  },
};
