// SPDX-License-Identifier: Apache-2.0
//
// What the page knows: the question with its history, pinned variants, names of the catalog, answers.
import type { Answer, MemoryResult, RunResult } from './answers';
import type { Api } from './api';
import { History } from './history';
import { keyOf, only, withValue, type Properties, type Question, type Value } from './question';

// What can be undone.
export interface Asked {
  question: Question;
  pins: readonly Question[];
}

export interface Answers {
  run: Answer<RunResult>;
  memory: Answer<MemoryResult> | null; // null for traces, which have no plan
}

export interface CatalogEntry {
  name: string;
  title: string;
  [key: string]: unknown;
}

const mostAnswers = 200;

// Long lists that no page shows are not stored.
function withoutRows<Result>(answer: Answer<Result>, rows: string[]): Answer<Result> {
  for (const row of rows) if (answer.result) delete (answer.result as Record<string, unknown>)[row];
  return answer;
}

function withoutRoleRows(answer: Answer<MemoryResult>): Answer<MemoryResult> {
  for (const role of answer.result?.roles ?? []) for (const row of ['at_peak', 'task_bytes']) delete (role as unknown as Record<string, unknown>)[row];
  return answer;
}

export class State {
  history: History<Asked>;
  private readonly listeners = new Set<() => void>();
  private readonly answers = new Map<string, Answers>();
  private readonly lists = new Map<string, Promise<CatalogEntry[]>>();

  constructor(readonly api: Api, readonly run: Properties, readonly memory: Properties, question: Question) {
    this.history = new History<Asked>({ question, pins: [] });
  }

  get question(): Question {
    return this.history.state.question;
  }

  get pins(): readonly Question[] {
    return this.history.state.pins;
  }

  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private changed(): void {
    for (const listener of [...this.listeners]) listener();
  }

  // What to begin with: there is nothing to undo.
  begin(asked: Partial<Asked>): void {
    this.history = new History({ ...this.history.state, ...asked });
    this.changed();
  }

  set(key: string, value: Value | null): void {
    this.replace(withValue(this.question, key, value), key);
  }

  replace(question: Question, what = ''): void {
    if (keyOf(question) === keyOf(this.question)) return;
    this.history.set({ question, pins: this.pins }, what, performance.now());
    this.changed();
  }

  undo(): void {
    if (this.history.undo()) this.changed();
  }

  redo(): void {
    if (this.history.redo()) this.changed();
  }

  pin(question: Question): void {
    if (!this.pins.some((one) => keyOf(one) === keyOf(question))) this.setPins([...this.pins, question]);
  }

  unpin(question: Question): void {
    this.setPins(this.pins.filter((one) => keyOf(one) !== keyOf(question)));
  }

  setPins(pins: readonly Question[]): void {
    if (JSON.stringify(pins.map(keyOf)) === JSON.stringify(this.pins.map(keyOf))) return;
    this.history.set({ question: this.question, pins }, '', performance.now());
    this.changed();
  }

  // The answers to a question; results are stored, errors are not.
  async answer(question: Question, signal?: AbortSignal): Promise<Answers> {
    const key = keyOf(question);
    const known = this.answers.get(key);
    if (known) return known;
    const traces = question.traces !== undefined || question.prefix !== undefined;
    const [run, memory] = await Promise.all([
      this.api.ask<RunResult>('run', question, signal),
      traces ? null : this.api.ask<MemoryResult>('memory', only(question, this.memory), signal),
    ]);
    const found = { run: withoutRows(run, ['per_rank', 'collectives', 'library_collectives', 'error_classes']), memory: memory && withoutRoleRows(memory) };
    if (run.result && (!memory || memory.result)) this.answers.set(key, found);
    if (this.answers.size > mostAnswers) this.answers.delete(this.answers.keys().next().value!);
    return found;
  }

  // After a file changed: answers that depend on it are asked again.
  forget(): void {
    this.answers.clear();
    this.changed();
  }

  // Names of the catalog: models, clusters, devices, links.
  list(name: string): Promise<CatalogEntry[]> {
    let entries = this.lists.get(name);
    if (!entries) {
      entries = this.api.ask<{ entries: CatalogEntry[] }>('list', { list: name }).then(({ result }) => result?.entries ?? []);
      entries.catch(() => this.lists.delete(name));
      this.lists.set(name, entries);
    }
    return entries;
  }
}
