// SPDX-License-Identifier: Apache-2.0
//
// The plan of a specification, as options of a question (docs/reference/workload.md).
import { withValue, type Question } from './question';

interface Specification {
  parallel: { tp: number; sp: boolean; cp: number; pp: number; dp: number; ep: number; sharding: string };
  schedule: { kind: string; chunks: number };
  batch: { global: number; micro: number; seq: number };
  recompute: { kind: string };
}

// The question with the plan of a found specification: everything that a search varies.
export function withPlan(question: Question, text: string): Question {
  const { parallel, schedule, batch, recompute } = JSON.parse(text) as Specification;
  let out = question;
  for (const key of ['tp', 'pp', 'cp', 'dp', 'ep'] as const) out = withValue(out, key, String(parallel[key]));
  out = withValue(out, 'sp', parallel.sp);
  out = withValue(out, 'sharding', parallel.sharding);
  out = withValue(out, 'schedule', parallel.pp > 1 ? schedule.kind : null);
  out = withValue(out, 'chunks', schedule.chunks > 1 ? String(schedule.chunks) : null);
  out = withValue(out, 'micro_batch', String(batch.micro));
  out = withValue(out, 'global_batch', String(batch.global));
  out = withValue(out, 'seq', String(batch.seq));
  return withValue(out, 'recompute', recompute.kind);
}
