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
  readonly node: BigUint64Array; // the trace's own id, exact
}

// Bits of `flags`.
export const critical = 1;
export const slackKnown = 2;
export const merged = 4; // stands for several that were left out: a stretch in which they all lie

class Reader {
  private at = 0;
  constructor(private readonly data: Uint8Array) {}

  number(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.data[this.at++];
      if (byte === undefined) throw new Error('the timeline ends too early');
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }

  big(): bigint {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.data[this.at++];
      if (byte === undefined) throw new Error('the timeline ends too early');
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  }

  fill<Column extends { length: number; [i: number]: number }>(column: Column): Column {
    for (let i = 0; i < column.length; ++i) column[i] = this.number();
    return column;
  }
}

function fromBase64(text: string): Uint8Array {
  const binary = atob(text);
  const data = new Uint8Array(binary.length);
  for (let i = 0; i < data.length; ++i) data[i] = binary.charCodeAt(i);
  return data;
}

export function decodeSpans(timeline: TimelineData): Spans {
  const count = timeline.count;
  const reader = new Reader(fromBase64(timeline.spans));
  const start = reader.fill(new Float64Array(count));
  for (let i = 1; i < count; ++i) start[i] += start[i - 1];
  const length = reader.fill(new Float64Array(count));
  const name = reader.fill(new Uint32Array(count));
  const lane = reader.fill(new Uint16Array(count));
  const kind = reader.fill(new Uint8Array(count));
  const flags = reader.fill(new Uint8Array(count));
  const wait = reader.fill(new Float64Array(count));
  const slack = reader.fill(new Float64Array(count));
  const bytes = reader.fill(new Float64Array(count));
  const node = new BigUint64Array(count);
  for (let i = 0; i < count; ++i) node[i] = reader.big();
  return { count, start, length, name, lane, kind, flags, wait, slack, bytes, node };
}
