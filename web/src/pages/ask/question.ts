// SPDX-License-Identifier: Apache-2.0
//
// A question about a changed plan of a run: the job and the cluster that its manifest has, and options of `orrery run`.
import type { RunData } from '../../data';

export interface PlanField {
  key: string; // of the question
  path: [section: string, key: string]; // in the job file of the manifest
  label: string;
}

export const planFields: PlanField[] = [
  { key: 'tp', path: ['parallel', 'tp'], label: 'Tensor parallel (tp)' },
  { key: 'pp', path: ['parallel', 'pp'], label: 'Pipeline stages (pp)' },
  { key: 'cp', path: ['parallel', 'cp'], label: 'Context parallel (cp)' },
  { key: 'ep', path: ['parallel', 'ep'], label: 'Expert parallel (ep)' },
  { key: 'micro_batch', path: ['batch', 'micro'], label: 'Micro-batch' },
  { key: 'global_batch', path: ['batch', 'global'], label: 'Global batch' },
];

export type Plan = Record<string, number>;

export const jobFile = 'job.yaml';
export const clusterFile = 'cluster.yaml';

// The files of a run's manifest; null where it was not generated from a job.
export function filesOf(run: Pick<RunData, 'manifest'>): Record<string, string> | null {
  const entries = new Map(run.manifest);
  const job = entries.get('workload_config');
  const cluster = entries.get('cluster_config');
  return job && cluster && /^parallel:$/m.test(job) ? { [jobFile]: job, [clusterFile]: cluster } : null;
}

// A number in the job file, as Orrery writes it: one key a line, below its section.
function numberAt(job: string, [section, key]: [string, string]): number {
  const lines = job.split('\n');
  for (let i = lines.indexOf(`${section}:`) + 1; i > 0 && lines[i]?.startsWith(' '); ++i) {
    const found = /^ {2}(\w+): (\d+)$/.exec(lines[i]);
    if (found?.[1] === key) return Number(found[2]);
  }
  return 1;
}

export function planOf(job: string): Plan {
  return Object.fromEntries(planFields.map(({ key, path }) => [key, numberAt(job, path)]));
}

// Replicas that use all ranks; null where the plan does not divide them.
export function replicas(plan: Plan, ranks: number): number | null {
  const each = plan.tp * plan.pp * plan.cp;
  return each > 0 && ranks % each === 0 ? ranks / each : null;
}

// The options of `orrery run` that differ from the run's own job.
export function questionOf(plan: Plan, own: Plan, dp: number, ownDp: number): Record<string, unknown> {
  const question: Record<string, unknown> = { spec: [jobFile], cluster: clusterFile };
  for (const { key } of planFields) if (plan[key] !== own[key]) question[key] = plan[key];
  if (dp !== ownDp) question.dp = dp;
  return question;
}
