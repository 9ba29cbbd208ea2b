// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RunData } from '../../src/data';
import { placementOf } from '../../src/pages/placement/placement';

const run = (text?: string): RunData => ({
  ranks: 2, manifest: text === undefined ? [['workload', 'x']] : [['embedding_tables', text]],
  rank: { exposedCompute: [10, 20], overlapped: [1, 2] },
}) as unknown as RunData;

describe('embedding tables', () => {
  it('are listed by rank', () => {
    const [none, both] = placementOf(run('[[1,100,5,25600],[1,10,2,2560]]'));
    assert.deepEqual(none, { rank: 0, tables: [], bytes: 0, reads: 0, computes: 11 });
    assert.deepEqual(both.tables.map(({ number }) => number), [0, 1]);
    assert.deepEqual([both.bytes, both.reads, both.computes], [28_160, 7 * 256, 22]);
  });

  it('are none where the manifest says nothing that could be', () => {
    for (const text of [undefined, '', 'x', '{}', '[[2,1,1,1]]', '[[0,1,1]]', '[[0,1,1,-1]]', '[[0.5,1,1,1]]', '[["0",1,1,1]]']) {
      assert.deepEqual(placementOf(run(text)), [], text);
    }
  });
});
