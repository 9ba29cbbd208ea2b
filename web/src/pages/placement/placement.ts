// SPDX-License-Identifier: Apache-2.0
//
// Which rank holds which embedding table, as the manifest has it (src/orrery/study/questions/outcome/outcome_run.cc).
import type { RunData } from '../../data';

export interface Table {
  number: number; // its place in the specification
  bytes: number;
  reads: number; // bytes read for a sample
}

export interface RankTables {
  rank: number;
  tables: Table[];
  bytes: number;
  reads: number;
  computes: number; // what the rank computed in this run, all that it did
}

const figures = 4; // [rank, rows, pooling, bytes]

function entries(text: string): number[][] | null {
  try {
    const read: unknown = JSON.parse(text);
    const fine = Array.isArray(read) && read.every((one) => Array.isArray(one) && one.length === figures && one.every((value) => Number.isFinite(value) && value >= 0));
    return fine ? (read as number[][]) : null;
  } catch {
    return null;
  }
}

// By rank; none of a run whose tables do not lie on single ranks.
export function placementOf(run: RunData): RankTables[] {
  const text = run.manifest.find(([key]) => key === 'embedding_tables')?.[1];
  const listed = text === undefined ? null : entries(text);
  if (!listed || listed.some(([rank]) => rank >= run.ranks || !Number.isInteger(rank))) return [];
  const ranks = Array.from({ length: run.ranks }, (_, rank): RankTables => (
    { rank, tables: [], bytes: 0, reads: 0, computes: run.rank.exposedCompute[rank] + run.rank.overlapped[rank] }));
  listed.forEach(([rank, rows, pooling, bytes], number) => {
    const reads = rows > 0 ? (pooling * bytes) / rows : 0;
    ranks[rank].tables.push({ number, bytes, reads });
    ranks[rank].bytes += bytes;
    ranks[rank].reads += reads;
  });
  return ranks;
}
