// SPDX-License-Identifier: Apache-2.0
//
// The data that stands in the page: ReportData as JSON or, where that is large, JSON around its packed form.
import type { RankColumns, RankData, ReportData, RunData } from './data';
import { Columns } from './spans';

interface PackedData {
  version: 2;
  deflate: string; // ReportData as JSON, compressed (raw deflate), base64
}

// Raw deflate in base64.
export async function unpacked(packed: string): Promise<Response> {
  if (typeof DecompressionStream === 'undefined') {
    throw new Error('this browser is too old to unpack the data; use a browser of 2023 or later');
  }
  const binary = atob(packed);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = binary.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return new Response(stream);
}

// Numbers of which each is written as its difference from the one before.
function undiffer(column: Int32Array): Int32Array {
  let value = 0;
  for (let i = 0; i < column.length; ++i) {
    const written = column[i];
    value += written % 2 ? -(written + 1) / 2 : written / 2;
    column[i] = value;
  }
  return column;
}

// One element per rank, from one per class. The groups of ranks are decoded when a page first asks for them.
export function expandRanks(data: RankData, ranks: number): RankColumns {
  const classOf = undiffer(new Columns(data.classOf).fill(new Int32Array(ranks)));
  const all = <Value>(column: readonly Value[]): Value[] => {
    const out = new Array<Value>(ranks); // filled by a loop: Array.from costs ten times as much
    for (let rank = 0; rank < ranks; ++rank) out[rank] = column[classOf[rank]];
    return out;
  };
  let groups: number[][] | undefined;
  return {
    timeline: all(data.timeline), finish: all(data.finish), exposedCompute: all(data.exposedCompute), overlapped: all(data.overlapped),
    exposedComm: all(data.exposedComm), exposedMemory: all(data.exposedMemory), idle: all(data.idle), sentBytes: all(data.sentBytes),
    waited: all(data.waited),
    get groups() {
      return (groups ??= groupsOf(data, classOf));
    },
  };
}

function groupsOf(data: RankData, classOf: Int32Array): number[][] {
  const reader = new Columns(data.groups);
  const most = data.groupCount.reduce((a, b) => Math.max(a, b), 0);
  const columns = Array.from({ length: most }, () => undiffer(reader.fill(new Int32Array(classOf.length))));
  const out: number[][] = [];
  for (let rank = 0; rank < classOf.length; ++rank) {
    const mine: number[] = [];
    for (let number = 0; number < data.groupCount[classOf[rank]]; ++number) mine.push(columns[number][rank]);
    out.push(mine);
  }
  return out;
}

export async function loadData(text: string): Promise<ReportData> {
  if (text.trim() === '') throw new Error('this page contains no run, schedule, space, replay or views; `orrery report --html` writes a page with data');
  let data = JSON.parse(text) as ReportData | PackedData;
  if ('deflate' in data) data = JSON.parse(await (await unpacked(data.deflate)).text()) as ReportData;
  if (data.version !== 2) throw new Error(`this page reads data of version 2, not ${String(data.version)}`);
  for (const run of data.runs as (Omit<RunData, 'rank'> & { rank: RankColumns | RankData })[]) {
    run.rank = expandRanks(run.rank as RankData, run.ranks);
  }
  return data;
}
