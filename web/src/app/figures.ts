// SPDX-License-Identifier: Apache-2.0
//
// The figures of a plan, from the answers to it: their text, and whether they are predicted, measured or configured.
import * as format from '../format';
import type { MemoryResult, Role, RunResult } from './answers';
import type { Answers } from './state';

export type Basis = 'predicted' | 'measured' | 'configured';

export interface Figure {
  id: string;
  label: string;
  value: number; // to compare with that of other plans
  text: string;
  basis: Basis;
  note: string; // interval, limits, source
  better: 'low' | 'high';
  range?: [low: number, high: number]; // of the 80 % prediction interval
}

export const psPerNs = 1000;
const joulesPerKwh = 3.6e6;
export const time = (ns: number): string => format.time(ns * psPerNs);

// Four significant digits, for prices and energies.
export function plain(value: number): string {
  if (value === 0) return '0';
  const size = Math.abs(value);
  return size >= 1000 ? format.count(Math.round(value)) : String(Number(value.toPrecision(4)));
}

function ofStep(run: RunResult): Figure[] {
  const interval = run.prediction_interval;
  const step: Figure = {
    id: 'step', label: 'Step time', value: run.step_ns, text: time(run.step_ns), basis: 'predicted', better: 'low',
    note: interval ? `80 % prediction interval: ${time(interval.low_ns)} to ${time(interval.high_ns)}` : 'no prediction interval',
    ...(interval && { range: [interval.low_ns, interval.high_ns] as [number, number] }),
  };
  if (run.recorded_ns === null) return [step];
  return [step, { id: 'recorded', label: 'Recorded step', value: run.recorded_ns, text: time(run.recorded_ns), basis: 'measured', better: 'low', note: 'of the traces' }];
}

function ofThroughput(run: RunResult): Figure[] {
  const { throughput } = run;
  if (!throughput) return [];
  const out: Figure[] = [];
  if (throughput.mfu !== null) {
    out.push({ id: 'mfu', label: 'MFU', value: throughput.mfu, text: format.percent(throughput.mfu), basis: 'predicted', better: 'high',
      note: throughput.peak_precision ? `of the dense ${throughput.peak_precision} peak` : '' });
  }
  if (throughput.tokens_per_s !== null) {
    out.push({ id: 'tokens', label: 'Tokens per second', value: throughput.tokens_per_s, text: plain(throughput.tokens_per_s), basis: 'predicted', better: 'high',
      note: throughput.device_tokens_per_s === null ? '' : `${plain(throughput.device_tokens_per_s)} per device` });
  } else {
    out.push({ id: 'samples', label: 'Samples per second', value: throughput.samples_per_s, text: plain(throughput.samples_per_s), basis: 'predicted', better: 'high', note: '' });
  }
  return out;
}

const verdicts: Record<string, string> = { fits: 'fits', may_not_fit: 'may not fit', does_not_fit: 'does not fit' };

export function verdictText(verdict: string): string {
  return verdicts[verdict] ?? verdict.replaceAll('_', ' ');
}

function ofMemory(memory: MemoryResult): Figure[] {
  const { capacity_bytes: capacity, worst_role: role, verdict } = memory;
  const range = memory.roles.find((one) => one.role === role)?.memory_interval?.total_interval;
  const limit = capacity === null ? 'no capacity is known' : `${format.bytes(capacity)} configured${verdict ? `: ${verdictText(verdict)}` : ''}`;
  return [{ id: 'memory', label: `Memory, ${role}`, value: memory.total_bytes, text: format.bytes(memory.total_bytes), basis: 'predicted', better: 'low', note: limit,
    ...(range && { range: [range.low_bytes, range.high_bytes] as [number, number] }) }];
}

function ofCosts(run: RunResult): Figure[] {
  const costs = run.step_costs;
  if (!costs) return [];
  const items = run.throughput?.tokens === null || !run.throughput ? 'samples' : 'tokens';
  const out: Figure[] = [];
  if (costs.step_cost !== null) {
    out.push({ id: 'cost', label: `Cost of 10⁶ ${items}`, value: costs.cost_per_1e6_items ?? costs.step_cost, text: plain(costs.cost_per_1e6_items ?? costs.step_cost), basis: 'predicted', better: 'low',
      note: `${plain(costs.step_cost)} per step, at ${plain(costs.device_hour_price ?? 0)} per device hour (configured)` });
  }
  if (costs.step_energy_j !== null) {
    out.push({ id: 'energy', label: 'Energy of a step', value: costs.step_energy_j, text: `${plain(costs.step_energy_j / joulesPerKwh)} kWh`, basis: 'predicted', better: 'low',
      note: costs.power_w === null ? '' : `mean power ${plain(costs.power_w)} W of all devices` });
  }
  return out;
}

export function figuresOf(answers: Answers): Figure[] {
  const run = answers.run.result;
  const memory = answers.memory?.result;
  return [...(run ? ofStep(run) : []), ...(memory ? ofMemory(memory) : []), ...(run ? [...ofThroughput(run), ...ofCosts(run)] : [])];
}

export interface Share {
  title: string;
  fill: 'compute' | 'communication' | 'memory' | 'idle' | 'overlapped' | 'cpu' | 'wait';
  value: number;
}

// The parts of the step, means over ranks (docs/reference/metrics.md); they sum to the step.
export function stepParts(run: RunResult): Share[] {
  const { breakdown } = run;
  return [
    { title: 'computing', fill: 'compute', value: breakdown.compute_ns },
    { title: 'exposed communication', fill: 'communication', value: breakdown.exposed_comm_ns },
    { title: 'exposed memory', fill: 'memory', value: breakdown.exposed_memory_ns },
    { title: 'idle', fill: 'idle', value: breakdown.idle_ns },
  ];
}

const memoryGroups: { title: string; fill: Share['fill']; parts: string[] }[] = [
  { title: 'weights', fill: 'compute', parts: ['weights'] },
  { title: 'gradients', fill: 'cpu', parts: ['gradients'] },
  { title: 'optimizer', fill: 'memory', parts: ['optimizer'] },
  { title: 'activations', fill: 'communication', parts: ['activations'] },
  { title: 'buffers', fill: 'wait', parts: ['working', 'communication', 'workspace'] },
  { title: 'allocator, context, communicators', fill: 'idle', parts: ['fragmentation', 'context', 'communicators'] },
];

// The parts of a stage's memory at its peak; they sum to its total.
export function memoryParts(role: Role): Share[] {
  return memoryGroups.map(({ title, fill, parts }) => ({
    title, fill, value: parts.reduce((sum, part) => sum + (role[`${part}_bytes`] ?? 0), 0),
  }));
}
