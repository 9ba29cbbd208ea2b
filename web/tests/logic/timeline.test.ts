// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LaneData, RunData } from '../../src/data';
import { paintLine, type Inks } from '../../src/pages/timeline/line';
import { belowBars, tracksOf, type State } from '../../src/pages/timeline/state';
import { applyFilter, layLine, matchNames, shadesOf, unitPerLine, unitPerRank, withUnitOf, type Model } from '../../src/pages/timeline/model';
import { dense, layRows, roomy, rowAt } from '../../src/pages/timeline/rows';
import { emptyHolding, firstEnding, firstStarting, hold, layTrack, light, stretchAt } from '../../src/pages/timeline/tracks';
import { around, between, confine, ticks, tickStep, whole, zoom } from '../../src/pages/timeline/view';
import type { Spans } from '../../src/spans';

let seed = 1;
const random = (most: number): number => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return seed % most;
};

interface One { start: number; length: number; kind?: number; wait?: number; lane?: number; name?: number; flags?: number }

function spansOf(list: One[]): Spans {
  const sorted = [...list].sort((a, b) => a.start - b.start);
  const column = (pick: (one: One) => number | undefined): number[] => sorted.map((one) => pick(one) ?? 0);
  return {
    count: sorted.length,
    start: Float64Array.from(column((one) => one.start)),
    length: Float64Array.from(column((one) => one.length)),
    name: Uint32Array.from(column((one) => one.name)),
    lane: Uint16Array.from(column((one) => one.lane)),
    kind: Uint8Array.from(column((one) => one.kind ?? 1)),
    flags: Uint8Array.from(column((one) => one.flags)),
    wait: Float64Array.from(column((one) => one.wait)),
    slack: new Float64Array(sorted.length),
    bytes: new Float64Array(sorted.length),
    node: BigUint64Array.from(sorted.map((_, i) => BigInt(i))),
    queue: new Float64Array(sorted.length),
    latency: new Float64Array(sorted.length),
    releasedBy: new Int32Array(sorted.length).fill(-1),
  };
}

function someSpans(count: number): Spans {
  const list: One[] = [];
  let at = 0;
  for (let i = 0; i < count; i++) {
    at += random(3) * random(40);
    const length = 1 + random(60);
    list.push({ start: at, length, kind: [1, 3, 6][random(3)], wait: random(length + 1), name: random(5) });
    at += length;
  }
  return spansOf(list);
}

const all = (spans: Spans): number[] => Array.from({ length: spans.count }, (_, i) => i);

describe('a track', () => {
  it('holds in any stretch what its spans say, picosecond by picosecond', () => {
    for (let round = 0; round < 40; round++) {
      const spans = someSpans(30);
      const track = layTrack(spans, all(spans));
      const passes = Uint8Array.from(all(spans), () => random(2));
      light(track, passes);
      const into = emptyHolding();
      for (let i = 0; i < 60; i++) {
        const from = random(1500) - 20 + random(4) / 4;
        const to = from + random(200) + 0.5;
        hold(track, from, to, 0, into);
        const overlap = (a: number, b: number): number => Math.max(0, Math.min(b, to) - Math.max(a, from));
        const wanted = { total: 0, wait: 0, lit: 0, kind3: 0 };
        for (const s of all(spans)) {
          const [start, end] = [spans.start[s], spans.start[s] + spans.length[s]];
          wanted.total += overlap(start, end);
          wanted.wait += overlap(start, start + spans.wait[s]);
          if (passes[s]) wanted.lit += overlap(start, end);
          if (spans.kind[s] === 3) wanted.kind3 += overlap(start, end);
        }
        assert.deepEqual({ total: into.total, wait: into.wait, lit: into.lit, kind3: into.kind[3] }, wanted);
      }
    }
  });

  it('gives the earlier of two that overlap its place, and the later the rest', () => {
    const track = layTrack(spansOf([{ start: 0, length: 10 }, { start: 5, length: 10, wait: 8 }, { start: 6, length: 2 }]), [0, 1, 2]);
    assert.deepEqual([...track.start], [0, 10]);
    assert.deepEqual([...track.end], [10, 15]);
    assert.deepEqual([...track.wait], [0, 3]);
  });

  it('is searched from anywhere with the same answer', () => {
    const spans = someSpans(200);
    const track = layTrack(spans, all(spans));
    for (let i = 0; i < 300; i++) {
      const time = random(12_000);
      const ending = [...track.end].filter((end) => end <= time).length;
      const starting = [...track.start].filter((start) => start < time).length;
      assert.equal(firstEnding(track, time, random(ending + 1)), ending);
      assert.equal(firstStarting(track, time, random(starting + 1)), starting);
    }
    assert.equal(stretchAt(track, track.start[7] + 0.5), 7);
    assert.equal(stretchAt(track, -50, 10), -1);
    assert.equal(stretchAt(track, track.start[0] - 5, 10), 0);
  });
});

describe('a line of pixels', () => {
  const shades = new Uint8Array(64);
  const inks: Inks = { ground: 0, dim: 1, shades: Array.from({ length: 8 }, (_, i) => Uint32Array.of(10 + i, 10 + i, 10 + i)), waits: new Uint32Array(8).fill(99) };

  it('shows a wide span from edge to edge, its waiting hatched', () => {
    const spans = spansOf([{ start: 20, length: 40, kind: 3, wait: 10 }]);
    const line = paintLine(layTrack(spans, [0]), spans.name, shades, { from: 0, to: 100 }, 100, inks, 30);
    assert.equal(line.ink[19], 0);
    assert.equal(line.ink[20], 13);
    assert.equal(line.second[25], 99);
    assert.equal(line.second[31], 13);
    assert.equal(line.ink[60], 0);
    assert.deepEqual(line.labels, [{ from: 20, to: 60, span: 0, lit: true }]);
  });

  it('costs what its pixels cost: a hundred thousand spans on a hundred pixels', () => {
    const spans = spansOf(Array.from({ length: 100_000 }, (_, i) => ({ start: i * 10, length: 5 })));
    const track = layTrack(spans, all(spans));
    const since = performance.now();
    for (let i = 0; i < 100; i++) paintLine(track, spans.name, shades, { from: 0, to: 1e6 }, 100, inks, 30);
    assert.ok(performance.now() - since < 1000);
    const line = paintLine(track, spans.name, shades, { from: 0, to: 1e6 }, 100, inks, 30);
    assert.ok(line.ink.every((pixel) => pixel !== 0));
  });
});

describe('a view', () => {
  it('zooms about a time, and comes back', () => {
    const near = zoom({ from: 1e6, to: 2e6 }, 1.25e6, 0.5, 1e7);
    assert.deepEqual(near, { from: 1.125e6, to: 1.625e6 });
    assert.deepEqual(zoom(near, 1.25e6, 2, 1e7), { from: 1e6, to: 2e6 });
  });

  it('never leaves the step, nor goes nearer than is of use', () => {
    const step = 1e9;
    for (let i = 0; i < 500; i++) {
      const from = (random(3000) - 1000) * 1e6;
      const view = confine({ from, to: from + random(4000) * 1e6 + 1 }, step);
      assert.ok(view.to - view.from >= 199.999 && view.to > 0 && view.from < step);
      assert.ok(view.to - view.from <= whole(step).to - whole(step).from + 1e-3);
    }
    assert.deepEqual(confine({ from: -5e9, to: 5e9 }, step), whole(step));
    assert.ok(around(5e8, 5e8, step).to > 5e8);
  });

  it('glides from one to the other', () => {
    const [a, b] = [{ from: 0, to: 1000 }, { from: 400, to: 500 }];
    assert.deepEqual(between(a, b, 1), b);
    assert.deepEqual(between(a, b, 0), a);
    const middle = between(a, b, 0.5);
    assert.ok(middle.from > 0 && middle.from < 400 && middle.to > 500 && middle.to < 1000);
  });

  it('has ticks that share a unit', () => {
    assert.deepEqual(ticks({ from: 0, to: 1e9 }, 5).map(({ text }) => text), ['0', '0.2 ms', '0.4 ms', '0.6 ms', '0.8 ms', '1.0 ms']);
    assert.deepEqual(ticks({ from: 5e11, to: 5e11 + 300 }, 3).map(({ text }) => text).slice(0, 2), ['500000.0000 us', '500000.0001 us']);
    assert.equal(tickStep(1000, 10), 100);
    assert.equal(tickStep(1001, 10), 200);
  });
});

const data = { lanes: [{ kind: 0, title: 'compute' }, { kind: 2, title: '17' }], count: 0, spans: '', memory: null };

const run = {
  ranks: 4, groups: [{ name: 'tp (ranks 0-1)', size: 2, ranks: '0-1' }, { name: 'tp (ranks 2-3)', size: 2, ranks: '2-3' }],
  rank: { groups: [[0], [0], [1], [1]] },
} as unknown as RunData;

function model(ranks: number[][]): Model {
  const lines = ranks.map((list, i) => {
    const spans = spansOf([{ start: i, length: 5, name: 1 }, { start: 10 + i, length: 5, kind: 3, lane: 1, name: 2, flags: 1 }]);
    return layLine(run, data, spans, list);
  });
  return { lines, names: ['', 'MatMul', 'all_reduce'], shades: shadesOf(['', 'MatMul', 'all_reduce']), step: 20, extent: 20 };
}

describe('the model', () => {
  it('has a row for each rank, or for those alike', () => {
    const two = model([[0, 2, 3], [1]]);
    assert.deepEqual(unitPerRank(two).map(({ title, line }) => [title, line]), [['rank 0', 0], ['rank 1', 1], ['rank 2', 0], ['rank 3', 0]]);
    assert.deepEqual(unitPerLine(two).map(({ title, hint }) => [title, hint]), [['rank 0 + 2 identical', '0, 2–3'], ['rank 1', '1']]);
    assert.equal(two.lines[0].lanes[1].title, 'group 17');
  });

  it('gives the rank that was looked for a row of its own', () => {
    const two = model([[0, 2, 3], [1]]);
    const found = (rank: number | null): [string, string][] =>
      withUnitOf(two, unitPerLine(two), rank).map(({ title, hint }) => [title, hint]);
    const together = found(null);
    assert.deepEqual(together, [['rank 0 + 2 identical', '0, 2–3'], ['rank 1', '1']]);
    assert.deepEqual(found(3), [...together, ['rank 3', 'identical to 2 other ranks']]);
    assert.deepEqual(found(1), together); // it has one
    assert.deepEqual(found(9), together);
    assert.deepEqual([...layRows(two, withUnitOf(two, unitPerLine(two), 3), new Set(), dense).ofRank], [0, 1, 0, 2]);
    assert.deepEqual([...layRows(two, withUnitOf(two, unitPerLine(two), 0), new Set(), dense).ofRank], [1, 2, 0, 0]);
    assert.equal(withUnitOf(two, unitPerRank(two), 3).length, 4);
  });

  it('calls a lane by what it is at each rank, though ranks share it', () => {
    const lanes: LaneData[] = [{ kind: 2, title: 'tp (ranks 0-1)', group: 0 }, { kind: 3, title: 'sends to rank 1', distance: 1, layer: 1 }];
    const spans = spansOf([{ start: 0, length: 5, kind: 3 }, { start: 1, length: 5, kind: 4, lane: 1 }]);
    const shared = layLine(run, { ...data, lanes }, spans, [0, 1, 2, 3]);
    assert.deepEqual(shared.lanes.map((lane) => [lane.titleAt(1), lane.titleAt(2), lane.titleAt(3), lane.title]),
      [['tp (ranks 0-1)', 'tp (ranks 2-3)', 'tp (ranks 2-3)', 'tp'], ['sends to rank 2 (2)', 'sends to rank 3 (2)', 'sends to rank 0 (2)', 'sends (2)']]);
    assert.equal(layLine(run, { ...data, lanes }, spans, [2, 3]).lanes[0].title, 'tp (ranks 2-3)');
  });

  it('counts hosts as work only where there is no device', () => {
    const spans = spansOf([{ start: 0, length: 5, kind: 1 }, { start: 5, length: 3, kind: 2, lane: 1 }]);
    const worked = (kinds: number[]): number[] =>
      [...layLine(run, { ...data, lanes: kinds.map((kind) => ({ kind, title: '' })) }, spans, [0]).work.start];
    assert.deepEqual(worked([7, 8]), [0]); // a stream and a thread
    assert.deepEqual(worked([0, 8]), [0]);
    assert.deepEqual(worked([8, 8]), [0, 5]);
  });

  it('finds names by a part of them, upper and lower case alike', () => {
    assert.equal(matchNames(['a'], '  '), null);
    assert.deepEqual([...matchNames(['', 'MatMul', '(x'], 'mat')!], [0, 1, 0]);
    assert.deepEqual([...matchNames(['', 'MatMul', '(x'], '(')!], [0, 0, 1]);
    const two = model([[0], [1]]);
    const kinds = new Array<boolean>(8).fill(true);
    const hits = applyFilter(two, { kinds, criticalOnly: false, text: 'MATMUL' });
    assert.deepEqual(hits, [{ line: 0, span: 0 }, { line: 1, span: 0 }]);
    assert.deepEqual([...two.lines[0].work.lit!], [0, 5]);
    assert.deepEqual([...two.lines[0].talk.lit!], [0, 0]);
    applyFilter(two, { kinds, criticalOnly: true, text: '' });
    assert.deepEqual([...two.lines[0].talk.lit!], [0, 5]);
    applyFilter(two, { kinds, criticalOnly: false, text: '' });
    assert.equal(two.lines[0].talk.lit, null);
  });

  it('stands in rows that can be found by their height', () => {
    const two = model([[0, 2, 3], [1]]);
    const rows = layRows(two, unitPerRank(two), new Set([1]), roomy);
    assert.equal(rows.rows.length, 6);
    assert.deepEqual([...rows.ofUnit], [0, 1, 4, 5]);
    assert.deepEqual([...rows.ofRank], [0, 1, 2, 3]);
    rows.rows.forEach((row, i) => assert.equal(rowAt(rows, row.top), i));
    assert.equal(rowAt(rows, -1), -1);
    assert.deepEqual([...layRows(two, unitPerLine(two), new Set(), dense).ofRank], [0, 1, 0, 0]);
  });
});

describe('an operation', () => {
  it('has one shade in all layers, microbatches and ranks', () => {
    const names = ['', 'mlp.up L0 mb0', 'mlp.down L0 mb0', 'mlp.up L31 mb7', 'attention L0', 'attention L12'];
    const shades = shadesOf(names);
    assert.equal(shades[1], shades[3]);
    assert.equal(shades[4], shades[5]);
    assert.notEqual(shades[1], shades[2]);
    assert.ok(shades.every((shade) => shade < 3));
  });

  it('lies above the critical path, which crosses no bar and no name', () => {
    for (const height of [10, 12, 16, 20, 22]) {
      const row = { unit: 0, lane: 0, top: 0, height };
      const track = layTrack(spansOf([{ start: 0, length: 5 }]), [0]);
      const state = { rows: { units: [{ line: 0 }] }, model: { lines: [{ lanes: [{ track }] }] } } as unknown as State;
      const [{ bottom }] = tracksOf(state, row);
      const line = height - belowBars(row) / 2; // where path.ts draws it, two pixels wide
      assert.ok(line - 1 >= bottom, `a bar of a row of ${height} pixels ends at ${bottom}, the path runs at ${line}`);
    }
  });
});
