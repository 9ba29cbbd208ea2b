// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RunData } from '../../src/data';
import { drawPlaces, endsOf, gridWidth, hasPorts, peakOf, placesOf, scaleEnd, useByRank, useOf, useOfDimension, useOverTime } from '../../src/pages/links/figures';
import { heat } from '../../src/pages/links/heat';
import { byCause, byOperation, layPathRows, longest } from '../../src/pages/path/causes';

const ring = { block: 'ring', size: 2, bandwidth: 100e9, latencyNs: 1 };
const net = { block: 'switch', size: 2, bandwidth: 50e9, latencyNs: 1 };

// Two ranks on a ring; a step of 1 us; links of 100 GB/s carry at most 100 kB in it.
const run = {
  ranks: 4, step: 1e6, dims: [ring, net], manifest: [['network_model', 'congestion-aware']],
  names: ['', 'layer 1', 'layer 22', 'other'],
  links: {
    bin: 5e5, curves: [[50_000, 0], [10_000, 15_000]], leftOut: 0,
    dim: [0, 0, 1, 1], from: [0, 1, 0, 0], to: [1, 0, null, null], down: [false, false, false, true],
    capacity: [100e9, 100e9, 50e9, 50e9], bytes: [50_000, 25_000, 25_000, 50_000], use: [0, 1, 1, 0],
  },
  path: { start: [0, 10, 30, 60], end: [10, 30, 60, 100], rank: [3, 3, 700, 3], name: [1, 2, 3, 1], kind: [1, 1, 3, 3], cause: [0, 0, 1, 1] },
  pathByCause: [30, 70, 0, 0, 0, 0],
} as unknown as RunData;

describe('links', () => {
  it('are used by what they carry of what they could', () => {
    assert.equal(useOf(run, 0), 0.5);
    assert.equal(peakOf(run, 0), 1);
    assert.equal(endsOf(run, 0), 'rank 0 → rank 1');
    assert.equal(endsOf(run, 2), 'rank 0 → switch');
    assert.equal(endsOf(run, 3), 'switch → rank 0');
    assert.equal(hasPorts(run), false);
    assert.deepEqual(useOfDimension(run, 0), { links: 2, bytes: 75_000, mean: 0.375, busiest: 0 });
    assert.deepEqual(useOverTime(run, 0), { mean: [0.6, 0.15], most: [1, 0.3] });
    const ranks = useByRank(run, 1);
    assert.deepEqual([...ranks.use], [1, -1, -1, -1]);
    assert.deepEqual([ranks.sent[0], ranks.received[0]], [25_000, 50_000]);
  });

  it('are ports where the model knows no more', () => {
    const ports = { ...run, manifest: [], links: { ...run.links, to: [null, null, null, null] } } as unknown as RunData;
    assert.equal(hasPorts(ports), true);
    assert.equal(endsOf(ports, 0), 'rank 0 → dimension 0');
  });

  it('have ranks in places of their own', () => {
    const dims = [{ ...ring, size: 4 }, { ...net, size: 2 }, { ...ring, size: 8 }];
    assert.deepEqual(placesOf(13, dims), [1, 1, 1]);
    const places = drawPlaces(64, dims, 300);
    places.forEach((a, i) => {
      assert.ok(Math.hypot(a.x, a.y) + a.radius <= 300.01);
      places.slice(i + 1).forEach((b) => assert.ok(Math.hypot(a.x - b.x, a.y - b.y) > 2 * a.radius));
    });
    assert.equal(gridWidth(1024, [{ ...ring, size: 8 }, { ...net, size: 128 }]), 64);
    assert.equal(gridWidth(8, [{ ...ring, size: 8 }]), 8);
    assert.equal(gridWidth(1000, [{ ...ring, size: 1000 }]), 64);
  });

  it('have colours up to a round number', () => {
    assert.equal(scaleEnd(0.51), 0.6);
    assert.equal(scaleEnd(1), 1);
    assert.equal(scaleEnd(0), 0.01);
    assert.equal(heat(0, false), '#c8cfd8');
    assert.equal(heat(2, true), heat(1, true));
    assert.match(heat(0.3, true), /^#[0-9a-f]{6}$/);
  });
});

describe('the critical path', () => {
  it('sums by cause and by operation; names that differ in numbers count as one', () => {
    assert.deepEqual(byCause(run), [{ cause: 0, time: 30, share: 0.3 }, { cause: 1, time: 70, share: 0.7 }]);
    assert.deepEqual(byOperation(run).map(({ title, time, count, longest: at }) => [title, time, count, at]),
      [['layer 1', 40, 1, 3], ['layer #', 30, 2, 1], ['other', 30, 1, 2]]);
    assert.deepEqual(longest(run, 2), [3, 2]);
  });

  it('has a row for every rank it visits, or for several when they are many', () => {
    assert.deepEqual(layPathRows(run, 10), { ranks: [3, 700], count: 2, of: new Map([[3, 0], [700, 1]]) });
    assert.deepEqual([...layPathRows(run, 1).of.values()], [0, 0]);
  });
});
