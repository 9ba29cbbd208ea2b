// SPDX-License-Identifier: Apache-2.0
//
// One search at a time; it continues while other pages are shown.
import type { Answer, Progress, SearchResult } from './answers';
import type { Api } from './api';
import type { Properties, Question, Value } from './question';

// Options of a plan that a search finds itself, unless they are fixed.
export const searched = ['tp', 'pp', 'dp', 'cp', 'ep', 'sp', 'micro_batch', 'sharding', 'schedule', 'chunks', 'recompute'];

// The question of a search: the job and the cluster of `plan`, and those of `searched` that are in `fixed`.
export function searchQuestion(plan: Question, fixed: ReadonlySet<string>, properties: Properties, top: number): Question {
  const out: Record<string, Value> = { top };
  for (const [key, value] of Object.entries(plan)) {
    if (!(key in properties) || key === 'price' || key === 'top' || (searched.includes(key) && !fixed.has(key))) continue;
    out[key] = properties[key].type === 'array' && !Array.isArray(value) ? [String(value)] : value;
  }
  return out;
}

export class SearchJob {
  state: 'idle' | 'running' | 'done' | 'cancelled' | 'failed' = 'idle';
  plan: Question = {}; // the plan that the search began with
  progress: Progress | null = null;
  answer: Answer<SearchResult> | null = null;
  error = '';
  private control: AbortController | null = null;
  private readonly listeners = new Set<() => void>();

  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private tell(state: SearchJob['state']): void {
    this.state = state;
    for (const listener of [...this.listeners]) listener();
  }

  async start(api: Api, plan: Question, question: Question): Promise<void> {
    this.cancel();
    const control = new AbortController();
    this.control = control;
    this.plan = plan;
    this.progress = null;
    this.answer = null;
    this.tell('running');
    try {
      const answer = await api.work<SearchResult>('search', question, (job) => {
        this.progress = job.progress;
        if (this.control === control) this.tell('running');
      }, control.signal);
      if (this.control !== control) return;
      this.answer = answer;
      this.tell('done');
    } catch (error) {
      if (this.control !== control) return;
      this.error = error instanceof Error ? error.message : String(error);
      this.tell('failed');
    }
  }

  cancel(): void {
    if (this.state !== 'running') return;
    const { control } = this;
    this.control = null;
    control?.abort();
    this.tell('cancelled');
  }
}
