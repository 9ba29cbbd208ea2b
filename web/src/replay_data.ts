// SPDX-License-Identifier: Apache-2.0
//
// A recording and its replay, as data of the page: the contract with src/orrery/report/html/replay_page.h. Times are
// nanoseconds, rates per second; 0 is not known.

export interface ReplaySide {
  count: number; // operators
  ns: number; // of a replay: of an iteration, each operator in the median
  flops: number;
  bytes: number;
}

export interface ReplayRow {
  name: string; // of a kind of work, or of an operator
  kind: string;
  rule: string; // what stands in for an operator; '': itself
  kernels: number; // recorded on the device
  recorded: ReplaySide;
  replayed: ReplaySide;
}

export interface ReplayData {
  title: string;
  facts: [string, string][]; // label, text
  timed: boolean; // recorded times are known
  onDevice: boolean; // … and of a device, not of the host
  kinds: ReplayRow[];
  operators: ReplayRow[];
  ran: { name: string; recorded: number; replayed: number }[]; // operators that ran, those that others call too
  rules: { name: string; says: string; count: number; ns: number }[];
  comms: { kind: string; bytes: number; recorded: number; recordedNs: number; replayed: number; replayedNs: number }[];
  // By operator in their order: bytes beyond those there before; profiled: recorded as allocated, else by lifetimes.
  memory: { recorded: number[]; replayed: number[]; profiled: boolean };
  findings: { name: string; severity: string; count: number; sentence: string; places: string[] }[];
}
