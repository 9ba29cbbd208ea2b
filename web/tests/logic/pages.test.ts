// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ReportData, RunData } from '../../src/data';
import { runTitles } from '../../src/format';
import type { Page } from '../../src/page';
import { collectives } from '../../src/pages/collectives';
import { criticalPath } from '../../src/pages/critical_path';
import { findings } from '../../src/pages/findings';
import { memory } from '../../src/pages/memory/memory';
import { timeline } from '../../src/pages/timeline/timeline';
import { topology } from '../../src/pages/topology';
import { endsOf, gridWidth, hasPorts, mostOf, overTimeEnds, partsOf, peakOf, placesOf, scaleEnd, useByRank, useOf, useOfPart, useOverTime, wholeDimensions } from '../../src/pages/links/figures';
import { heat } from '../../src/pages/links/heat';
import { all, keep, kinds } from '../../src/pages/speeds/choice';
import { extents } from '../../src/pages/speeds/speed_chart';
import { axesOf, groupOf, layOut, size, type Curve } from '../../src/pages/links/layout';
import { differing } from '../../src/pages/manifest';
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
    name: ['', '', '', ''], kind: ['', '', '', ''],
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
    const [first] = partsOf(run);
    assert.deepEqual(first, { title: 'dimension 0 (ring)', short: 'Dimension 0', links: [0, 1] });
    assert.deepEqual(useOfPart(run, first.links), { links: 2, bytes: 75_000, mean: 0.375, busiest: 0 });
    assert.deepEqual(useOverTime(run, first.links), { mean: [0.6, 0.15], most: [1, 0.3] });
    const ranks = useByRank(run, 1);
    assert.deepEqual([...ranks.use], [1, -1, -1, -1]);
    assert.deepEqual([ranks.sent[0], ranks.received[0]], [25_000, 50_000]);
  });

  // Two runs once had a scale each, so that the busier one looked like the other.
  it('of runs side by side share one scale and one axis', () => {
    const slow = { ...run, step: 2e6 } as unknown as RunData;
    assert.equal(mostOf([run], useOf), 1);
    assert.equal(mostOf([slow], useOf), 0.5);
    assert.equal(mostOf([run, slow], useOf), mostOf([slow, run], useOf));
    assert.deepEqual(overTimeEnds([slow, run]), { time: 2e6, use: scaleEnd(2) });
    assert.deepEqual(overTimeEnds([slow, run]), overTimeEnds([run, slow]));
  });

  it('are ports where the model knows no more', () => {
    const ports = { ...run, manifest: [], links: { ...run.links, to: [null, null, null, null] } } as unknown as RunData;
    assert.equal(hasPorts(ports), true);
    assert.equal(endsOf(ports, 0), 'rank 0 → dimension 0');
  });

  it('are told for whole dimensions where there are too many', () => {
    const whole = { ...run, links: { ...run.links, from: [null, null, null, null], to: [null, null, null, null] } } as unknown as RunData;
    assert.equal(wholeDimensions(whole), true);
    assert.equal(wholeDimensions(run), false);
    assert.equal(endsOf(whole, 2), 'all of dimension 1');
    assert.deepEqual([...useByRank(whole, 0).use], [-1, -1, -1, -1]);
  });

  it('have ranks in places of their own', () => {
    const dims = [{ ...ring, size: 4 }, { ...net, size: 2 }, { ...ring, size: 8 }];
    assert.deepEqual(placesOf(13, dims), [1, 1, 1]);
    assert.equal(gridWidth(1024, [{ ...ring, size: 8 }, { ...net, size: 128 }]), 64);
    assert.equal(gridWidth(8, [{ ...ring, size: 8 }]), 8);
    assert.equal(gridWidth(1000, [{ ...ring, size: 1000 }]), 64);
  });

  it('of a small system go through no rank that they do not join', () => {
    const of = (...parts: [string, number][]): typeof ring[] => parts.map(([block, members]) => ({ ...ring, block, size: members }));
    assert.deepEqual(axesOf(of(['switch', 4], ['switch', 2])), ['x', 'y']);
    assert.deepEqual(axesOf(of(['ring', 2], ['ring', 8])), ['y', 'x']);
    assert.deepEqual(groupOf(6, of(['ring', 4], ['ring', 2]), 1), [2, 6]);
    const [r, f, s] = ['ring', 'fully_connected', 'switch'];
    for (const dims of [of([s, 4], [s, 2]), of([r, 8]), of([f, 8]), of([s, 8]), of([s, 64]), of([r, 4], [r, 4]), of([f, 2], [s, 4], [r, 2]),
      of([r, 4], [r, 4], [r, 4]), of([f, 8], [f, 8]), of([f, 4], [s, 4]), of([s, 2], [s, 2]), of([r, 1], [r, 3], [s, 1]), of([s, 4], [r, 4])]) {
      clear(dims.reduce((product, one) => product * one.size, 1), dims);
    }
  });

  it('have colors up to a round number', () => {
    assert.equal(scaleEnd(0.51), 0.6);
    assert.equal(scaleEnd(1), 1);
    assert.equal(scaleEnd(0), 0.01);
    assert.equal(heat(0, false), '#c8cfd8');
    assert.equal(heat(2, true), heat(1, true));
    assert.match(heat(0.3, true), /^#[0-9a-f]{6}$/);
  });
});

describe('collectives of runs side by side', () => {
  const with_ = (type: string[], bytes: number[], busbw: number[]): RunData => ({
    ...run, groups: [{ name: '', size: 2, ranks: '' }], collectives: { type, bytes, busbw, group: type.map(() => 0), name: type.map(() => 0), ofBound: type.map(() => 0.5) },
  }) as unknown as RunData;
  const runs = [with_(['all_reduce', 'mine'], [1024, 2048], [1e9, 2e9]), with_(['other', 'all_reduce'], [512, 4096], [4e9, 3e9])];

  it('have a color and a shape by type, not by run', () => {
    const [both, swapped] = [kinds(runs), kinds([runs[1], runs[0]])];
    assert.deepEqual(both, swapped);
    assert.deepEqual(both.map(({ type }) => type), ['all_reduce', 'mine', 'other']);
    assert.equal(new Set(both.map(({ role, symbol }) => `${role} ${symbol}`)).size, 3);
  });

  it('have axes that hold all of them, and the bounds of their links', () => {
    const of = (some: RunData[]): unknown => extents(some.map((one) => ({ run: one, shown: keep(one, all) })), kinds(runs));
    assert.deepEqual(of(runs), { sizes: { min: 512, max: 4096 }, speeds: { min: 1e9, max: 8e9 } });
    assert.deepEqual(of([runs[0]]), { sizes: { min: 1024, max: 2048 }, speeds: { min: 1e9, max: 4e9 } });
    assert.deepEqual(of([]), { sizes: { min: 1, max: 10 }, speeds: { min: 1, max: 10 } });
  });
});

// Every line of the picture, against every rank that it does not join; all of it in view.
function clear(ranks: number, dims: typeof ring[]): void {
  const layout = layOut(ranks, dims, true);
  const { x: left, y: top, width, height } = layout.view;
  const check = (curve: Curve, ends: number[], what: string): void => {
    for (let step = 0; step <= 60; ++step) {
      const t = step / 60;
      const weights = [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t ** 3];
      const [x, y] = [curve.reduce((sum, spot, i) => sum + spot.x * weights[i], 0), curve.reduce((sum, spot, i) => sum + spot.y * weights[i], 0)];
      assert.ok(x >= left && x <= left + width && y >= top && y <= top + height, `${what} leaves the picture`);
      layout.places.forEach((place, rank) => {
        if (!ends.includes(rank)) assert.ok(Math.hypot(place.x - x, place.y - y) > size, `${what} goes through ${rank}: ${JSON.stringify(dims.map(({ block, size: n }) => [block, n]))}`);
      });
    }
  };
  for (let rank = 0; rank < ranks; ++rank) {
    dims.forEach(({ block, size: members }, dim) => {
      if (members < 2) return;
      const group = groupOf(rank, dims, dim);
      const at = group.indexOf(rank);
      if (block === 'switch') return check(layout.toBar(rank, dim), [rank], `${rank} to its switch`);
      const peers = block === 'ring' ? [group[(at + 1) % members], group[(at + members - 1) % members]] : group.filter((peer) => peer !== rank);
      return peers.forEach((peer) => check(layout.between(rank, peer, dim), [rank, peer], `${rank} to ${peer}`));
    });
  }
}

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

// A what-if beside what it changes: entries that are other, or that only one of them has.
describe('a manifest', () => {
  const other = { ...run, manifest: [['network_model', 'congestion-aware'], ['options', '--change kernels=0.5'], ['workload_hash', '2']] } as RunData;
  const first = { ...run, manifest: [['network_model', 'congestion-aware'], ['workload_hash', '1']] } as RunData;
  const both = { runs: [first, other] } as unknown as ReportData;
  it('marks what differs', () => {
    assert.deepEqual([...differing({ data: both, index: 0 })], ['workload_hash']);
    assert.deepEqual([...differing({ data: both, index: 1 })], ['options', 'workload_hash']);
  });
  it('marks nothing of a run alone', () => {
    assert.equal(differing({ data: { ...both, runs: [other] }, index: 0 }).size, 0);
  });
});

describe('a page', () => {
  const bare = { ...run, ranks: 2, timelines: [], rank: { timeline: [] }, collectives: { type: [] }, collectiveClasses: [], links: { ...run.links, dim: [], bin: 0 },
    fabric: { leftOut: 0 }, remoteMemory: { bin: 0, levels: [] }, findings: [], path: { start: [], end: [] } } as unknown as RunData;
  const with_ = (more: object): RunData => ({ ...bare, ...more }) as unknown as RunData;
  const cases: [Page, RunData][] = [
    [timeline, with_({ timelines: [{ count: 3, lanes: [], memory: null }] })], [criticalPath, with_({ path: run.path })],
    [collectives, with_({ collectives: { type: ['all_reduce'] } })], [topology, with_({ links: run.links })],
    [memory, with_({ timelines: [{ count: 0, lanes: [], memory: { at: [0], bytes: [1], peak: 1, peakAt: 0, held: [] } }], rank: { timeline: [0] } })],
    [findings, with_({ findings: [{ name: 'x', severity: 'info', count: 1, sentence: '', places: [] }] })],
  ];
  for (const [page, full] of cases) {
    it(`is in the menu only with content: ${page.id}`, () => {
      assert.equal(page.has!(bare), false);
      assert.equal(page.has!(full), true);
    });
  }

  it('tells runs of one title apart', () => {
    assert.deepEqual(runTitles([{ title: 'a' }, { title: 'a' }]), ['a (baseline)', 'a (changed)']);
    assert.deepEqual(runTitles([{ title: 'a' }, { title: 'b' }]), ['a', 'b']);
  });
});
