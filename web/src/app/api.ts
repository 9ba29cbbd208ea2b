// SPDX-License-Identifier: Apache-2.0
//
// Requests to the server of this page. The token comes in the fragment of the first address.
import type { Answer, Progress } from './answers';
import type { Question } from './question';
import { EventReader } from './events';

export interface Job {
  command: string;
  state: string;
  progress: Progress | null;
  status: number | null;
}

const place = 'orrery-token';

// Takes the token out of the address; "#token=abc&/plan?tp=4" leaves "#/plan?tp=4".
export function takeToken(hash: string): { token: string | null; rest: string } {
  const found = /^#token=([^&]*)&?(.*)$/.exec(hash);
  return found ? { token: decodeURIComponent(found[1]), rest: found[2] === '' ? '' : `#${found[2]}` } : { token: null, rest: hash };
}

// What the server says where it gives no document.
export class RefusedError extends Error {
  constructor(readonly status: number, message: string) {
    super(message);
  }
}

const refusals: Record<number, string> = {
  401: 'The server does not accept this page’s token. Open the address that `orrery ui` printed.',
  403: 'The server refuses this page. Open the address that `orrery ui` printed.',
  429: 'Too many requests. Wait a moment.',
  503: 'The server’s queue is full. Try again when other jobs have ended.',
};

export class Api {
  private readonly token: string;

  constructor() {
    const { token, rest } = takeToken(location.hash);
    if (token !== null) {
      sessionStorage.setItem(place, token);
      history.replaceState(null, '', rest || location.pathname);
    }
    this.token = token ?? sessionStorage.getItem(place) ?? '';
  }

  private async send(method: string, path: string, body?: BodyInit, more: Record<string, string> = {}, signal?: AbortSignal): Promise<Response> {
    let response: Response;
    try {
      response = await fetch(path, { method, body, signal, headers: { Authorization: `Bearer ${this.token}`, ...more } });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new RefusedError(0, 'The server does not answer. Is `orrery ui` still running?');
    }
    if (refusals[response.status]) throw new RefusedError(response.status, refusals[response.status]);
    return response;
  }

  // The document of a command: its result or its error.
  async ask<Result>(command: string, question: Question, signal?: AbortSignal): Promise<Answer<Result>> {
    const response = await this.send('POST', `/v1/${command}`, JSON.stringify(question), { 'Content-Type': 'application/json' }, signal);
    return documentOf<Result>(response);
  }

  // Starts a job, reports its progress, and returns its document. Ending `signal` cancels the job.
  async work<Result>(command: string, question: Question, progress: (job: Job) => void, signal: AbortSignal): Promise<Answer<Result>> {
    const started = await this.send('POST', `/v1/${command}`, JSON.stringify(question), { 'Content-Type': 'application/json', Prefer: 'respond-async' }, signal);
    if (started.status !== 202) return documentOf<Result>(started);
    const { job } = (await started.json()) as { job: string };
    const cancel = (): void => void this.send('DELETE', `/v1/jobs/${job}`).catch(() => undefined);
    signal.addEventListener('abort', cancel);
    try {
      const events = await this.send('GET', `/v1/jobs/${job}/events`, undefined, {}, signal);
      const reader = new EventReader();
      const stream = events.body!.pipeThrough(new TextDecoderStream()).getReader();
      for (let part = await stream.read(); !part.done; part = await stream.read()) {
        for (const event of reader.take(part.value)) if (event.name === 'progress') progress(JSON.parse(event.data) as Job);
      }
      return await documentOf<Result>(await this.send('GET', `/v1/jobs/${job}/answer`, undefined, {}, signal));
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  async files(): Promise<{ name: string; bytes: number }[]> {
    const response = await this.send('GET', '/v1/files');
    return ((await response.json()) as { files: { name: string; bytes: number }[] }).files;
  }

  // Stores a file in the folder; 'other': there is one of that name with other content.
  async put(name: string, content: Blob | string): Promise<'stored' | 'other'> {
    const response = await this.send('PUT', `/v1/files/${encodeURIComponent(name)}`, content);
    if (response.status === 409) return 'other';
    if (!response.ok) throw new RefusedError(response.status, `${name} was not stored: ${await reason(response)}`);
    return 'stored';
  }

  async file(name: string): Promise<Blob> {
    const response = await this.send('GET', `/v1/files/${encodeURIComponent(name)}`);
    if (!response.ok) throw new RefusedError(response.status, `${name} cannot be read: ${await reason(response)}`);
    return response.blob();
  }

  async version(): Promise<{ version: string; folder: string; api: number | string }> {
    const response = await this.send('GET', '/v1/version');
    if (!response.ok) throw new RefusedError(response.status, refusals[response.status] ?? await reason(response));
    return (await response.json()) as { version: string; folder: string; api: number };
  }
}

async function reason(response: Response): Promise<string> {
  const text = await response.text();
  try {
    const { error } = JSON.parse(text) as Answer<unknown>;
    if (error) return `${error.what}${error.hint && ` (${error.hint})`}`;
  } catch {
    // no document
  }
  return `status ${response.status}`;
}

async function documentOf<Result>(response: Response): Promise<Answer<Result>> {
  const text = await response.text();
  try {
    return JSON.parse(text) as Answer<Result>;
  } catch {
    throw new RefusedError(response.status, `The server answers with status ${response.status} and no document.`);
  }
}
