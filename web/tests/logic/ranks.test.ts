// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RankData, RunData, TimelineData } from '../../src/data';
import { groupName, plainGroup, rankList, ranges } from '../../src/format';
import { envelope, holders, rolesOf, stepsOf } from '../../src/pages/memory/curve';
import { median, oddRanks, orderOf, robustScores, sortKey, stackOf } from '../../src/pages/ranks/order';
import { columns, mean, stack } from '../../src/pages/ranks/paint';
import { groupTitle, keep, kinds } from '../../src/pages/speeds/choice';
import { expandRanks } from '../../src/load';
import { rankIn } from '../../src/pages/ranks/find';
import { decadeTicks, niceStep } from '../../src/ticks';

const us = 1e6;

// `compute` by rank, in microseconds, of a step of 1 ms; what is left is exposed communication, half of it waiting.
function runOf(compute: number[]): RunData {
  const step = 1000 * us;
  const zero = compute.map(() => 0);
  const rest = compute.map((value) => step - value * us);
  return {
    step, ranks: compute.length,
    rank: {
      timeline: compute.map((_, i) => i), finish: compute.map(() => step), exposedCompute: compute.map((value) => value * us), overlapped: zero,
      exposedComm: rest, exposedMemory: zero, idle: zero, sentBytes: zero, waited: rest.map((value) => value / 2),
    },
  } as unknown as RunData;
}

describe('groups', () => {
  it('are not called just by a number', () => {
    assert.deepEqual(['5', '5 (2)', 'dp0', 'all ranks'].map(groupName), ['group 5', 'group 5 (2)', 'dp0', 'all ranks']);
    const run = { ranks: 4, groups: [{ name: '5', size: 2, ranks: '0,2' }, { name: '', size: 4, ranks: '0-3' }] } as unknown as RunData;
    assert.deepEqual([0, 1, 2].map((at) => groupTitle(run, at)), ['group 5 (ranks 0,2)', 'all 4 ranks', 'group 2']);
    assert.deepEqual(['tp (ranks 2-3)', '5 (rank 0)', 'dp (ranks 0, 8 … 120)', 'x (2)'].map(plainGroup), ['tp', '5', 'dp', 'x (2)']);
    const named = { ranks: 4, groups: [{ name: 'tp (ranks 2-3)', size: 2, ranks: '2-3' }, { name: 'pg (ranks 0-3)', size: 4, ranks: '0-3' }] };
    assert.deepEqual([0, 1].map((at) => groupTitle(named as unknown as RunData, at)), ['tp (ranks 2-3)', 'pg (all ranks)']);
  });
});

describe('ranks', () => {
  it('have the figures of their class and their own groups', () => {
    // Classes 0 1 1 0 2; groups 3 and 7, 3 and 8, 4 and 7, 4 and 8, none: as differences, d as 2d or -2d - 1.
    const zero = [0, 0, 0];
    const data: RankData = {
      classOf: ',2,,1,4;', groupCount: [2, 2, 0], groups: '6,,2,,;14,2,1,2,;', timeline: [0, 4, 2], finish: [10, 20, null],
      exposedCompute: [5, 6, 7], overlapped: zero, exposedComm: zero, exposedMemory: zero, idle: zero, sentBytes: zero, waited: zero,
    };
    const ranks = expandRanks(data, 5);
    assert.deepEqual(ranks.timeline, [0, 4, 4, 0, 2]);
    assert.deepEqual(ranks.finish, [10, 20, 20, 10, null]);
    assert.deepEqual(ranks.exposedCompute, [5, 6, 6, 5, 7]);
    assert.deepEqual(ranks.groups, [[3, 7], [3, 8], [4, 7], [4, 8], []]);
    assert.deepEqual(expandRanks({ ...data, classOf: ';', groups: '' }, 0).timeline, []);
  });

  it('are found by number', () => {
    assert.deepEqual(['0', ' 12 ', 'rank 7', '1,023', '1024', '', '-1', '1.5', 'x'].map((text) => rankIn(text, 1024)),
      [0, 12, 7, 1023, null, null, null, null, null]);
  });
});

describe('the odd ones', () => {
  it('are named by what they do themselves, not by what follows from it', () => {
    const odd = oddRanks(runOf([200, 200, 200, 400, 200, 200, 200, 200]));
    assert.equal(odd.length, 1);
    assert.equal(odd[0].sentence, 'rank 3 computes 200 us longer than the median (400 us against 200 us)');
  });

  it('stand out of a spread, and by more than a percent of the step', () => {
    const spread = Array.from({ length: 200 }, (_, i) => 300 + ((i * 37) % 20));
    assert.deepEqual(oddRanks(runOf(spread)), []);
    spread[150] = 500;
    spread[20] = 100;
    assert.deepEqual(oddRanks(runOf(spread)).map(({ rank }) => rank), [20, 150]);
    assert.match(oddRanks(runOf(spread))[0].sentence, /^rank 20 computes 209\.5 us less than the median/);
    assert.deepEqual(oddRanks(runOf([...Array<number>(50).fill(300), 305])), []);
  });

  it('are none among equals, or among one or two', () => {
    assert.deepEqual(oddRanks(runOf([5, 5, 5, 5])), []);
    assert.deepEqual(oddRanks(runOf([5, 500])), []);
    assert.deepEqual(oddRanks(runOf([])), []);
  });

  it('are found around a median that they do not move', () => {
    assert.equal(median([3, 1, 2]), 2);
    assert.equal(median([4, 1, 2, 3]), 2.5);
    assert.equal(median([]), 0);
    const { middle, scores } = robustScores([10, 11, 9, 10, 12, 8, 1000]);
    assert.equal(middle, 10);
    assert.ok(scores[6] > 100 && Math.abs(scores[0]) < 1);
  });
});

describe('the order of ranks', () => {
  it('is by number, or most first with ties by number', () => {
    const run = runOf([200, 400, 200, 300]);
    assert.deepEqual([...orderOf(run.rank, 'rank')], [0, 1, 2, 3]);
    assert.deepEqual([...orderOf(run.rank, 'exposedCompute')], [1, 3, 0, 2]);
    assert.equal(sortKey('waited'), 'waited');
    assert.equal(sortKey('__proto__'), 'rank');
    assert.equal(sortKey(undefined), 'rank');
  });

  it('puts what is sorted by on the base line', () => {
    assert.deepEqual(stackOf('idle').map(({ id }) => id), ['idle', 'exposedCompute', 'overlapped', 'exposedComm', 'exposedMemory']);
    assert.equal(stackOf('rank')[0].id, 'exposedCompute');
  });
});

describe('columns of very many ranks', () => {
  const area = { left: 60, top: 0, width: 1000, height: 100 };

  it('stand for every rank exactly once', () => {
    for (const count of [1, 8, 33, 499, 500, 501, 1000, 1024, 4096, 16384]) {
      let next = 0;
      for (const { from, to } of columns({ ...area, from: 0, to: count }, count)) {
        assert.ok(from <= next && to >= next, `${count}: ${from} … ${to} after ${next}`);
        next = to;
      }
      assert.equal(next, count);
    }
  });

  it('show means', () => {
    const run = runOf([100, 200, 300, 400]);
    const data = stack(run, { order: orderOf(run.rank, 'rank'), sort: 'rank', shares: false, odd: new Set([2]) });
    assert.equal(mean(data.sums[0], 1, 3), 250 * us);
    assert.equal(mean(data.sums[0], 3, 3), 0);
    assert.deepEqual([...data.odd], [0, 0, 0, 1, 1]);
  });
});

function holding(at: number[], bytes: number[]): TimelineData {
  const peak = Math.max(...bytes);
  return { lanes: [], count: 0, spans: '', memory: { at, bytes, peak, peakAt: at[bytes.indexOf(peak)], held: [] } };
}

describe('memory', () => {
  const run = {
    rank: { timeline: [0, 1, 0, 2] },
    timelines: [holding([0, 50], [10, 30]), holding([0, 20, 40], [5, 80, 5]), { ...holding([0], [0]), memory: null }],
  } as unknown as RunData;

  it('is listed fullest first, without ranks that name no tensors', () => {
    assert.deepEqual(holders(run).map(({ timeline, ranks }) => [timeline, ranks]), [[1, [1]], [0, [0, 2]]]);
  });

  it('lies between the emptiest and the fullest at every time', () => {
    const { most, least, fullest } = envelope(holders(run), 100, 10);
    assert.deepEqual(most.map(([, value]) => value), [10, 10, 80, 80, 10, 30, 30, 30, 30, 30, 30]);
    assert.deepEqual(least.map(([, value]) => value), [5, 5, 10, 10, 5, 5, 5, 5, 5, 5, 5]);
    assert.deepEqual([fullest[2], fullest[5]], [0, 1]);
  });

  it('keeps its peak when thinned', () => {
    const at = Array.from({ length: 50_000 }, (_, i) => i);
    const curve = holding(at, at.map((i) => (i === 31_234 ? 1000 : i % 7))).memory!;
    const points = stepsOf(curve, 60_000);
    assert.ok(points.length < 9000);
    assert.ok(points.some(([when, value]) => when === 31_234 && value === 1000));
    assert.deepEqual(points[points.length - 1], [60_000, 49_999 % 7]);
    assert.ok(points.every(([when], i) => i === 0 || when >= points[i - 1][0]));
  });

  it('by account, is told by kind of rank', () => {
    const as = (role: string, bytes: number): TimelineData => {
      const one = holding([0], [bytes]);
      return { ...one, memory: { ...one.memory!, role } };
    };
    const accounted = { rank: { timeline: [0, 1, 2, 0] }, timelines: [as('stage 1', 5), as('stage 0', 9), as('stage 1', 5)] } as unknown as RunData;
    assert.deepEqual(rolesOf(holders(accounted)).map(({ memory, ranks }) => [memory.role, ranks]), [['stage 1', [0, 3, 2]], ['stage 0', [1]]]);
    assert.deepEqual(rolesOf(holders(run)), []);
  });
});

describe('ranks', () => {
  it('are named by ranges', () => {
    assert.equal(rankList([3]), 'rank 3');
    assert.equal(rankList([0, 1, 2, 5, 7, 8]), 'ranks 0–2, 5, 7–8');
    assert.equal(rankList([0, 2, 4, 6, 8, 10]), 'ranks 0, 2, 4, 6 …');
    assert.equal(ranges([1, 3, 5, 7], 2), '1, 3 …');
  });
});

describe('collectives', () => {
  const run = { names: ['', 'layer 1', '<b>'], groups: [], collectives: { type: ['all_to_all', 'mine', 'all_reduce', 'all_reduce'], group: [0, 1, 1, 0], name: [1, 2, 1, 0] } } as unknown as RunData;

  it('are kept by type, group and part of a name', () => {
    assert.deepEqual(keep(run, { type: '', group: null, name: '' }), [0, 1, 2, 3]);
    assert.deepEqual(keep(run, { type: 'all_reduce', group: null, name: '' }), [2, 3]);
    assert.deepEqual(keep(run, { type: '', group: 1, name: 'LAYER' }), [2]);
    assert.deepEqual(keep(run, { type: '', group: null, name: '<b' }), [1]);
  });

  it('look the same in every report, each type unlike the others', () => {
    assert.deepEqual(kinds([run]).map(({ type, role, symbol }) => [type, role, symbol]).slice(0, 2), [['all_reduce', 'compute', 'circle'], ['all_to_all', 'cpu', 'diamond']]);
    assert.equal(kinds([run])[2].type, 'mine');
  });
});

describe('ticks', () => {
  it('are round', () => {
    assert.deepEqual([0.9, 1, 1.1, 2.4, 6, 51, 0.013].map(niceStep), [1, 1, 2, 5, 10, 100, 0.02]);
    assert.deepEqual(decadeTicks(3, 30), [2, 5, 10, 20, 50]);
    assert.deepEqual(decadeTicks(20, 20.01), [20]);
  });
});
