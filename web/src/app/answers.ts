// SPDX-License-Identifier: Apache-2.0
//
// Documents of the commands, as --json prints them (docs/reference/run.md): the parts that this page shows.
import type { Problem } from './fields';

export interface Finding {
  code: string;
  severity: string;
  count: number;
  sentence: string;
  places: string[];
}

export interface Answer<Result> {
  orrery: number;
  command: string;
  question?: Record<string, unknown>;
  result?: Result;
  error?: Problem;
  findings: Finding[];
}

export interface RunResult {
  step_ns: number;
  network_model: string;
  recorded_ns: number | null;
  platform: { name: string; devices: number; device: string; dimensions: { block: string; size: number; bandwidth_bytes_per_s: number; latency_ns: number }[] };
  workload: { name: string; ranks: number; distinct_ranks: number };
  breakdown: { compute_ns: number; exposed_comm_ns: number; exposed_memory_ns: number; idle_ns: number; comm_ns: number };
  throughput: { samples_per_s: number; tokens: number | null; tokens_per_s: number | null; device_tokens_per_s: number | null; mfu: number | null; hfu: number | null; peak_precision: string | null } | null;
  memory: { total_bytes: number; capacity_bytes: number; fits: boolean; verdict: string; role: string } | null;
  prediction_interval: { low_ns: number; high_ns: number; unknown_ns: number; widest_term: string | null } | null;
  time_by_basis: { basis: string; time_ns: number }[] | null;
  step_costs: {
    device_hour_price: number | null; step_cost: number | null; cost_per_1e6_items: number | null; step_energy_j: number | null;
    energy_per_1e6_items_j: number | null; power_w: number | null; power_source: string | null;
  } | null;
  critical_path: { compute_ns: number; comm_ns: number; memory_ns: number; wait_ns: number } | null;
  stall: unknown;
}

export interface Role {
  role: string;
  ranks: number;
  total_bytes: number;
  memory_interval: { total_interval: { low_bytes: number; high_bytes: number } } | null;
  [part: `${string}_bytes`]: number;
}

export interface MemoryResult {
  worst_role: string;
  total_bytes: number;
  roles: Role[];
  capacity_bytes: number | null;
  fits: boolean | null;
  verdict: string | null;
  memory_options: { change: string; total_bytes: number; flop_ratio: number }[];
}

export interface SearchPlan {
  plan: string;
  mfu: number | null;
  memory_bytes: number;
  verdict: string;
  compute_ns: number;
  exposed_comm_ns: number;
  idle_ns: number;
  estimate_ns: number;
  simulated_ns: number | null;
  specification: string;
}

export interface SearchResult {
  cluster: string;
  devices: number;
  capacity_bytes: number;
  plans: number;
  fitting: number;
  best: SearchPlan[];
  illegal_by_rule: Record<string, number>;
}

export interface Progress {
  phase: string;
  unit: string;
  done: number;
  of: number | null;
}
