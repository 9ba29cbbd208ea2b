// SPDX-License-Identifier: Apache-2.0
//
// The packed spans of a timeline (TimelineData.spans) as columns.
import type { TimelineData } from './data';

// Element i belongs to span i; spans stand by start. Times are picoseconds.
export interface Spans {
  readonly count: number;
  readonly start: Float64Array;
  readonly length: Float64Array;
  readonly name: Uint32Array; // in RunData.names
  readonly lane: Uint16Array; // in TimelineData.lanes
  readonly kind: Uint8Array; // spanKinds
  readonly flags: Uint8Array; // critical, slackKnown, merged
  readonly wait: Float64Array;
  readonly slack: Float64Array; // 0 if not known: see flags
  readonly bytes: Float64Array;
  readonly node: BigUint64Array; // the trace's own id, exact; of a merged one: how many it stands for
  readonly queue: Float64Array; // wait, queue and latency are parts of the length
  readonly latency: Float64Array;
  readonly releasedBy: Int32Array; // the span whose end let it start; -1: not known
}

// Bits of `flags`.
export const critical = 1;
export const slackKnown = 2;
export const merged = 4; // stands for several that were left out: a stretch in which they all lie
export const unfinished = 8; // it began and never ended; drawn until the step's end
export const laneTaken = 16; // what it depends on had ended earlier: it waited for its lane

// Columns of whole numbers, as TimelineData.spans has them.
export class Columns {
  private at = 0;
  constructor(private readonly text: string) {}

  // The next column, whose numbers stand in [from, to) of the text.
  private column(use: (i: number, from: number, to: number) => void): void {
    let from = this.at;
    for (let i = 0, at = from; ; ++at) {
      const code = this.text.charCodeAt(at);
      if (code >= 48 && code <= 57) continue;
      use(i++, from, at);
      from = at + 1;
      if (code !== 44) break; // a comma goes on
    }
    this.at = from;
  }

  fill<Column extends { length: number; [i: number]: number }>(column: Column): Column {
    this.column((i, from, to) => {
      let value = 0;
      for (let at = from; at < to; ++at) value = value * 10 + this.text.charCodeAt(at) - 48;
      column[i] = value;
    });
    return column;
  }

  fillBig(column: BigUint64Array): BigUint64Array {
    this.column((i, from, to) => {
      column[i] = from < to ? BigInt(this.text.slice(from, to)) : 0n;
    });
    return column;
  }
}

export function decodeSpans(timeline: TimelineData): Spans {
  const count = timeline.count;
  const reader = new Columns(timeline.spans);
  const start = reader.fill(new Float64Array(count));
  for (let i = 1; i < count; ++i) start[i] += start[i - 1];
  return {
    count,
    start,
    length: reader.fill(new Float64Array(count)),
    name: reader.fill(new Uint32Array(count)),
    lane: reader.fill(new Uint16Array(count)),
    kind: reader.fill(new Uint8Array(count)),
    flags: reader.fill(new Uint8Array(count)),
    wait: reader.fill(new Float64Array(count)),
    slack: reader.fill(new Float64Array(count)),
    bytes: reader.fill(new Float64Array(count)),
    node: reader.fillBig(new BigUint64Array(count)),
    queue: reader.fill(new Float64Array(count)),
    latency: reader.fill(new Float64Array(count)),
    releasedBy: reader.fill(new Int32Array(count)).map((far, i) => (far === 0 ? -1 : far % 2 ? i + (far + 1) / 2 : i - far / 2)),
  };
}
