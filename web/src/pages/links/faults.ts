// SPDX-License-Identifier: Apache-2.0
//
// What was down or slow in a fabric, and when, in words. Pure.

import type { FaultData, RunData } from '../../data';
import * as format from '../../format';

export const faultsOf = (run: RunData): readonly FaultData[] => run.fabric.faults ?? [];

// "down", "2 links at 50 % of their bandwidth"
export function stateOf({ bandwidth, links }: FaultData): string {
  const many = links > 1 ? `${format.counted(links, 'link')} ` : '';
  return many + (bandwidth === 0 ? 'down' : `at ${format.percent(bandwidth)} of ${links > 1 ? 'their' : 'its'} bandwidth`);
}

// "the whole step", "from 10 ms on", "from 1 ms to 2 ms, for 50 us every 1 ms"
export function whenOf({ start, end, every, lasts }: FaultData): string {
  const turns = every > 0 ? `for ${format.time(lasts)} every ${format.time(every)}` : '';
  if (start === 0 && end === null) return turns || 'the complete step';
  const span = end === null ? `from ${format.time(start)} on` : `from ${format.time(start)} to ${format.time(end)}`;
  return turns ? `${span}, ${turns}` : span;
}

// Of several, each text once: both directions of a link mostly say the same.
export function faultsText(run: RunData, faults: readonly number[], most = 4): string[] {
  const texts = [...new Set(faults.map((i) => `${stateOf(faultsOf(run)[i])} ${whenOf(faultsOf(run)[i])}`))];
  return texts.length > most ? [...texts.slice(0, most), `and ${format.counted(texts.length - most, 'more fault')}`] : texts;
}
