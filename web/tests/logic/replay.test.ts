// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { apart, byDifference, curve, longer, pairsOf } from '../../src/pages/replay/shares';
import type { ReplayRow, ReplaySide } from '../../src/replay_data';

const side = (count: number, ns: number): ReplaySide => ({ count, ns, flops: 0, bytes: 0 });
const row = (name: string, recorded: ReplaySide, replayed: ReplaySide): ReplayRow => ({ name, kind: name, rule: '', kernels: 0, recorded, replayed });

describe('a replay', () => {
  it('has shares by kind, the largest first', () => {
    const rows = [row('copies', side(1, 0), side(1, 10)), row('products', side(3, 30), side(1, 10)), row('none', side(0, 0), side(0, 0))];
    const pairs = pairsOf(rows, 'count');
    assert.deepEqual(pairs, [{ name: 'products', recorded: 0.75, replayed: 0.5 }, { name: 'copies', recorded: 0.25, replayed: 0.5 }]);
    assert.equal(apart(pairs), 0.25);
    assert.equal(apart(pairsOf(rows, 'ns')), 0.5);
    assert.deepEqual(pairsOf([], 'ns'), []);
  });

  it('has shares of one side where the other has none', () => {
    assert.deepEqual(pairsOf([row('copies', side(1, 0), side(1, 10))], 'ns'), [{ name: 'copies', recorded: 0, replayed: 1 }]);
  });

  it('says how many times as long one operator took, where both are known', () => {
    assert.equal(longer(side(2, 20), side(1, 15)), 1.5);
    assert.equal(longer(side(2, 0), side(1, 15)), null);
    assert.equal(longer(side(2, 20), side(0, 0)), null);
  });

  it('lists what ran in other numbers first', () => {
    const ran = [{ name: 'b', recorded: 5, replayed: 5 }, { name: 'a', recorded: 5, replayed: 5 }, { name: 'c', recorded: 1, replayed: 0 }];
    assert.deepEqual(byDifference(ran).map(({ name }) => name), ['c', 'a', 'b']);
    assert.equal(ran[0].name, 'b');
  });

  it('thins a long curve and keeps its peak', () => {
    assert.deepEqual(curve([3, 1]), [[1, 3], [2, 1]]);
    const long = Array.from({ length: 10_000 }, (_, i) => i % 7);
    long[5_001] = 99;
    const thin = curve(long, 100);
    assert.ok(thin.length <= 200);
    assert.deepEqual(thin.find(([, bytes]) => bytes === 99), [5_002, 99]);
  });
});
