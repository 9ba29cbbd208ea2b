// SPDX-License-Identifier: Apache-2.0
//
// What the page is given: the contract with src/orrery/report/html. All times are whole picoseconds
// (exact up to 2.5 hours in a double), sizes bytes, rates bytes per second, unless a name says otherwise.

import type { ReplayData } from './replay_data';
import type { SpaceData } from './space_data';
import type { ViewsData } from './views_data';

export interface ReportData {
  version: 2;
  runs: RunData[]; // one, or two side by side (the first is the base); none where there is a schedule, a space, a replay or views
  comparison: ComparisonData | null; // present with two runs
  unknownError: string; // the error of parts without a known one
  schedule?: ScheduleData; // of a collective that was made for a fabric
  space?: SpaceData; // that was searched
  replay?: ReplayData; // of a recording
  views?: ViewsData; // of a recording
}

// A collective's schedule. Nodes, groups, links, ways, pieces and sends are named by their places.
export interface ScheduleData {
  title: string; // "all-gather of 1 GiB among 64 ranks of wafer-64"
  facts: [string, string][]; // label, text
  notes: string[];
  time: number;
  bound: number; // no schedule takes less
  cut: string; // which links say so, in words; '': nothing has to pass
  nodes: string[];
  groups: [type: string, ranks: string][]; // "all-gather", "ranks 0-7"
  links: {
    name: string[];
    from: number[];
    to: number[];
    capacity: number[];
    bytes: number[];
    binds: boolean[]; // one of those that the bound is of
  };
  // From a device to another, over links that the page has, with how long after its start a send comes to each.
  ways: { from: number[]; to: number[]; rate: number[]; latency: number[]; links: [link: number, after: number][][] };
  pieceCount: number;
  // Columns as TimelineData.spans has them: group, from, to, owner (who starts with it, keeps it, or has the sum first;
  // a node's place and one, 0: all, or none), offset, bytes.
  pieces: string;
  sendCount: number;
  // Columns: start (from the previous send's start), how long it keeps each link, piece, way, 1 where it is added to what
  // is there, how long its sender had had the piece, which send brought it (so many places before; 0: none that is here).
  sends: string;
  linksLeftOut: number; // whole links, with the sends that cross no others
  sendsLeftOut: number;
  findings: RunData['findings'];
}

export interface RunData {
  title: string; // "llama on two-nodes.yaml"
  manifest: [string, string][];
  step: number;
  stalled: boolean;
  ranks: number;
  spansShown: 'all' | 'critical' | 'none'; // what the run file holds
  spansLeftOut: number; // thinned out for this page
  names: string[]; // 0 is ""
  metrics: MetricData[];
  summary: [string, string][]; // the dozen lines: label, text
  dims: { block: string; size: number; bandwidth: number; latencyNs: number }[];
  device: { name: string; peakFlops: number; peakPrecision?: string; memoryCapacity: number }; // 0, '' = unknown
  rank: RankColumns;
  timelines: TimelineData[];
  groups: GroupData[];
  collectives: CollectiveColumns; // at most the 4,000 longest, by start
  collectiveClasses: CollectiveClassData[];
  collectivesLeftOut: number;
  links: LinkData;
  fabric: FabricData;
  packets: PacketsData | null; // null: the network simulates no packets
  remoteMemory: RemoteMemoryData;
  path: PathColumns; // at most 4,000 segments, neighbors merged beyond that
  pathSegments: number; // how many there are
  pathByCause: number[]; // by cause
  provenance: { name: string; time: number }[]; // the path by provenance of its times
  errorClasses: ErrorClassData[]; // the path by source of its times, longest first
  // 80 % of true steps; unknown: the part without a known error; widest: the class that widens it most
  band: { least: number; most: number; unknown: string; widest: string } | null;
  noInterval: string; // why there is no band; may be empty
  predicted: { source: string; algorithm: string; time: number; least: number | null; most: number | null }[]; // by a library
  stragglers: { rank: number; caused: number; waited: number; timesLast: number }[]; // at most 50
  findings: { name: string; severity: string; count: number; sentence: string; places: string[] }[];
}

// Errors of one class move together: 80 % of true times are from time + least to time + most (null: not known).
export interface ErrorClassData {
  name: string;
  time: number;
  least: number | null;
  most: number | null;
}

export interface MetricData {
  name: string;
  title: string;
  unit: string;
  value: number;
  text: string;
  meaning: string; // one sentence, for the tooltip
  moreIsBetter: boolean | null; // null: neither more nor less is better by itself
}

// The ranks as the page's data has them: load.ts makes RankColumns of them. Columns of figures have one element for each
// class of ranks whose figures are all equal.
export interface RankData extends Omit<RankColumns, 'groups'> {
  // One column as TimelineData.spans has them, of the class of each rank: the difference d from the rank before as 2d, or
  // -2d - 1 where it is below 0.
  classOf: string;
  groupCount: number[];
  groups: string; // … of the group of each rank, a column for each number; a rank without that number repeats the rank before
}

// Columns: element i belongs to rank i. exposedCompute + overlapped + exposedComm + exposedMemory + idle = step.
export interface RankColumns {
  timeline: number[];
  groups: number[][]; // in RunData.groups, by their numbers at the rank
  finish: (number | null)[];
  exposedCompute: number[];
  overlapped: number[];
  exposedComm: number[];
  exposedMemory: number[];
  idle: number[];
  sentBytes: number[];
  waited: number[]; // for peers, in collectives and receives
}

export const laneKinds = ['compute', 'cpu', 'communicator', 'sends', 'receives', 'memory', 'other', 'stream', 'thread'] as const;
export const spanKinds = ['metadata', 'compute', 'cpu', 'collective', 'send', 'receive', 'load', 'store'] as const;
export const pathCauses = ['work', 'bandwidth', 'latency', 'queue', 'peer', 'idle'] as const;

// What it is called differs from rank to rank where `group` (by its number at the rank: RankColumns.groups) or
// `distance` (to the receiver) is given.
export interface LaneData {
  kind: number;
  title: string; // as at the first of the timeline's ranks
  group?: number;
  distance?: number;
  layer?: number; // 1, 2 … where spans of one lane would overlap
}

// What one rank did; ranks that did the same share one (RankColumns.timeline).
export interface TimelineData {
  lanes: LaneData[];
  count: number; // spans
  // Columns of `count` whole numbers each, in decimal, "," between numbers and ";" between columns, nothing for
  // a 0: start (from the previous span's start; spans stand by start), length, name, lane, kind, flags (bit 0
  // critical, bit 1 slack known, bit 2 stands for several left out, bit 3 never ended, bit 4 started when its
  // lane was free, not when what it depends on had ended), wait, slack (0 if unknown), bytes, node id (for one
  // that stands for several: how many), time queued, latency, what let it start (twice how many places before
  // it, or twice how many after it less one; 0: not known).
  spans: string;
  // Bytes held over time. By account of a model and a plan: what its ranks are, and of each part its kind and the
  // sums by kind; else by the tensors that the trace names.
  memory: {
    at: number[]; bytes: number[]; peak: number; peakAt: number;
    held: [name: string, size: number, kind?: string][]; role?: string; kinds?: [kind: string, size: number][];
  } | null;
}

export interface GroupData {
  name: string; // with its ranks in a few words: "tp (ranks 2-3)"
  size: number;
  ranks: string; // "0-3,8"
}

export interface CollectiveColumns {
  type: string[];
  group: number[];
  name: number[];
  bytes: number[]; // the whole buffer: the larger of what one rank puts in and what it gets
  sent: number[]; // what all its ranks put on the network
  firstStart: number[];
  lastStart: number[];
  lastRank: number[];
  end: (number | null)[];
  algbw: number[];
  busbw: number[];
  ofBound: (number | null)[]; // 1 = as fast as its links allow
  predicted: (number | null)[]; // index into RunData.predicted; null: simulated by the network
}

export interface CollectiveClassData {
  type: string;
  members: number;
  bytes: number;
  count: number;
  sent: number;
  time: number;
  waited: number;
  algbw: number;
  busbw: number;
  ofBound: number | null;
}

export interface LinkData {
  bin: number; // length of a bin; 0 = nothing recorded
  curves: number[][]; // bytes per bin
  // Columns, at most 20,000 links, those with most bytes first.
  dim: number[];
  from: (number | null)[]; // rank; null: all links of a dimension together (too many to keep apart), or no rank is at an end
  to: (number | null)[]; // null: a port, or no rank
  down: boolean[]; // to the rank `from`
  capacity: number[];
  bytes: number[];
  name: string[]; // of a fabric's link: "leaf0 -> spine1"; '': the network is dimensions
  kind: string[]; // its class: scale-up, pcie, network, host, inside, memory, other; ''
  use: number[]; // in curves
  leftOut: number;
}

// The network as a graph: columns of its nodes, empty where it is dimensions. Its links are those of LinkData that
// carried something, and those that were down or slow.
export interface FabricData {
  leftOut: number; // over 0: so many nodes are too many to draw, and there are no columns
  name?: string[];
  kind?: string[]; // device, cpu, memory, nic, port, pcie_switch, nvswitch, leaf, spine, core, switch, optical, other
  host?: (number | null)[]; // the machine that it is in
  rank?: (number | null)[]; // who sits there
  faults?: FaultData[]; // at most 20,000, in the order of the cluster file
}

// What ports do with packets: columns of the run file's `packet_port`, without those that are 0 everywhere.
export type PortColumn = 'mean_queue_bytes' | 'peak_queue_bytes' | 'marked' | 'trimmed' | 'dropped_no_room' | 'dropped_no_headroom'
  | 'dropped_link_down' | 'pauses' | 'paused_ps' | 'retransmitted' | 'cnps';
export type PortColumns = Partial<Record<PortColumn, number[]>>;

export interface PacketsData {
  totals: Record<string, number>; // columns of the run file's `packet_total`
  bin: number; // length of a bin; 0 = ports were not recorded
  portsLeftOut: number;
  ports: PortColumns & { link: number[] }; // by port; `link`: its place in LinkData
  series: (PortColumns & { at: number[] })[]; // by port, of bins in which something happened; `at`: number of the bin
  messages: number; // all of them
  messageStep: number; // every so many-th is in `sizes`
  unfinished: number; // of these, not arrived
  percents: number[]; // of `times` and `slowdowns`
  sizes: MessageSizeData[]; // from the smallest
}

// Messages of equal or similar sizes: how long they lasted, and that relative to their time without contention.
export interface MessageSizeData {
  least: number; // bytes
  most: number;
  count: number;
  retransmitted: number; // packets
  times: number[]; // by percent
  slowdowns: number[]; // by percent; empty: unknown
}

// What crossed remote memories and the links to them: bytes per bin, as the slowest level carries them.
export interface RemoteMemoryData {
  bin: number; // length of a bin; 0 = nothing crossed
  levels: MemoryLevelData[]; // from the memory to the devices
}

export interface MemoryLevelData {
  name: string;
  capacity: number; // bytes per second of all that are alike, in one direction
  bothWays: boolean; // loads and stores share it
  loaded: number;
  stored: number;
  inUse: number; // of what it could carry over the step; 1 = always busy
  busiest: number; // … in its busiest bin
  loads: number[];
  stores: number[];
}

// Links from one node to another, one direction, that had less than their bandwidth.
export interface FaultData {
  from: number; // nodes
  to: number;
  links: number; // so many of those that are side by side
  bandwidth: number; // what was left, as a share; 0: they were down
  start: number;
  end: number | null; // null: for good
  every: number; // it came and went: from one time to the next; 0: it stayed
  lasts: number; // … and so long each time
}

// Columns: the critical path, earliest first, without gaps.
export interface PathColumns {
  start: number[];
  end: number[];
  rank: number[];
  name: number[];
  kind: number[]; // spanKinds
  cause: number[]; // pathCauses
}

export interface ComparisonData {
  metrics: { name: string; title: string; a: string; b: string; change: number | null; moreIsBetter: boolean | null }[]; // null: neither is better by itself
  slower: NodeChangeData[];
  faster: NodeChangeData[];
  facts: [string, string, string][]; // manifest entries that differ: key, a, b
  matched: number;
  onlyA: number;
  onlyB: number;
  band: { least: number; most: number; unknown: number; within: boolean } | null; // 80 % of true differences
  noInterval: string; // why there is no band; may be empty
}

export interface NodeChangeData {
  name: string;
  kind: string;
  rank: number | null;
  ranks: number; // where it changed, of which a and b are means; 0: means over all ranks
  node: string;
  a: number;
  b: number;
  why: string;
}
