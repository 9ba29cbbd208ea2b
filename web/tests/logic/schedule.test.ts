// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ScheduleData } from '../../src/data';
import { hue, hueOf, keysOf, legendOf } from '../../src/pages/schedule/colors';
import { arrives, barAt, firstBar, layBars, layModel, linksIn, linksOf, pieceName, sendsOf, waitedFor } from '../../src/pages/schedule/model';
import { firstOpen, groupsOf, mostRows, rowsOf, useOf } from '../../src/pages/schedule/groups';
import { describe as described } from '../../src/pages/schedule/send_text';
import { contrast } from '../../src/theme';

// a -> b -> c, and a -> c at half the rate of a -> b; what src/orrery/report/html/schedule_page_test.cc says how to pack.
const data: ScheduleData = {
  title: 'two', facts: [], notes: [], time: 40_000, bound: 25_000, cut: 'what enters c',
  nodes: ['a', 'b', 'c'], groups: [['all-gather', 'ranks 0-2'], ['all-gather', 'ranks 0, 2']],
  links: { name: ['a -> b', 'b -> c', 'npu10 -> b'], from: [0, 1, 1], to: [1, 2, 0], capacity: [1e9, 1e9, 1e9], bytes: [30, 20, 0], binds: [false, true, false] },
  ways: { from: [0, 1, 0], to: [1, 2, 2], rate: [1e9, 1e9, 5e8], latency: [1000, 1000, 2000], links: [[[0, 0]], [[1, 0]], [[0, 0], [1, 1000]]] },
  pieceCount: 2, pieces: ',1;1,1;,3;1,1;,10;10,10',
  // The piece 0 to b at 0, on to c when it is there; piece 1 straight to c, behind it; once more, later than need be.
  sendCount: 4, sends: ',10000,1000,20000;10000,10000,20000,1000;,1,,1;,2,1,2;,,,1;,10000,,31000;,,2,',
  linksLeftOut: 0, sendsLeftOut: 0, findings: [],
};
const model = layModel(data);

describe('a schedule', () => {
  it('is unpacked', () => {
    assert.deepEqual([...model.sends.start], [0, 10_000, 11_000, 31_000]);
    assert.deepEqual([...model.sends.before], [-1, -1, 0, -1]);
    assert.deepEqual([...model.sends.ready], [0, 0, 11_000, 0]);
    assert.deepEqual([[...model.pieces.from], [...model.pieces.to], [...model.pieces.owner]], [[0, 0], [-1, 2], [0, 0]]);
    assert.deepEqual(model.busy.map((share) => Number(share.toFixed(6))), [0.75, 0.5, 0]);
    assert.deepEqual([...model.bars[1].send], [1, 2, 3]);
    assert.equal(model.bars[1].start[0], 11_000);
    assert.equal(arrives(model, 2), 32_000);
  });

  it('has what lasts at once beside each other', () => {
    const bars = layBars([0, 0, 5, 10, 10], [0, 1, 2, 3, 4], (i) => [10, 20, 5, 10, 10][i], (i) => [0.5, 0.25, 0.25, 0.5, 1][i]);
    assert.deepEqual([...bars.top], [0, 0.5, 0.75, 0, 0]);
    assert.deepEqual([...bars.reach], [10, 20, 20, 20, 20]);
    assert.equal(firstBar(bars, 10), 1);
    assert.equal(barAt(bars, 6, 0.6, 0), 1);
    assert.equal(barAt(bars, 6, 0.9, 0), 2);
    assert.equal(barAt(bars, 25, 0.5, 1), -1);
    assert.equal(barAt(bars, 21, 0.4, 2), 3);
  });

  // However bars come, those that fit beside each other do not overlap.
  it('has no two bars on each other where there is room', () => {
    let seed = 7;
    const random = (most: number): number => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) % most;
    for (let round = 0; round < 50; round++) {
      const at = Array.from({ length: 40 }, () => random(60));
      const bars = layBars(at, at.map((_, i) => i), () => 10, () => 1 / 64);
      for (let i = 0; i < 40; i++) {
        for (let j = 0; j < i; j++) {
          if (bars.end[j] > bars.start[i]) assert.ok(Math.abs(bars.top[i] - bars.top[j]) >= 1 / 64 - 1e-6);
        }
      }
    }
  });

  it('says what a send waited for', () => {
    assert.equal(waitedFor(model, 0), 'nothing: it starts at time 0');
    assert.equal(waitedFor(model, 1), 'a -> b, busy with a’s piece 0');
    assert.equal(waitedFor(model, 2), 'the arrival of the piece from a');
    assert.equal(waitedFor(model, 3), 'no visible cause: a has it from the start; b -> c was free at 30 ns');
    const cut = layModel({ ...data, sends: data.sends.replace(/;,,2,$/, ';,,,') });
    assert.equal(waitedFor(cut, 2), 'the arrival of the piece, over omitted links');
  });

  it('has links by what binds, by use and by node', () => {
    assert.deepEqual(linksIn(model, 'binds', ''), [1, 0, 2]);
    assert.deepEqual(linksIn(model, 'busy', ''), [0, 1, 2]);
    assert.deepEqual(linksIn(model, 'to', ''), [2, 0, 1]);
    assert.deepEqual(linksIn(model, 'from', 'C'), [1], 'a node’s name is that node');
    assert.deepEqual(linksIn(model, 'from', '-> b'), [0, 2]);
    assert.deepEqual(linksIn(model, 'from', 'nowhere'), []);
  });

  it('follows a piece', () => {
    assert.deepEqual(sendsOf(model, 1), [1, 3]);
    assert.deepEqual([...linksOf(model, 1)], [0, 1]);
    assert.equal(pieceName(model, 0), 'a’s piece 0');
    assert.equal(pieceName(model, 1), 'a → c, piece 1');
    assert.deepEqual(described(model, 1).lines.slice(0, 4), [['group', 'ranks 0, 2'], ['from', 'a'], ['to', 'c'], ['bytes', '10 B at 10 B']]);
    assert.match(described(model, 3).lines[3][1], /reduced on arrival/);
  });

  it('has colors for what differs', () => {
    assert.deepEqual(keysOf(model), ['group', 'piece', 'adds'], 'all pieces have one owner');
    assert.equal(hueOf(model, 'piece', 3), 1);
    assert.equal(hueOf(model, 'adds', 3), 1);
    assert.deepEqual(legendOf(model, 'owner'), [[0, 'a']]);
    for (let i = 0; i < 200; i++) {
      assert.ok(contrast(hue(i, false), '#ffffff') >= 3, `${hue(i, false)} on white`);
      assert.ok(contrast(hue(i, true), '#1a2029') >= 3, `${hue(i, true)} on dark`);
    }
  });

  it('may be of nothing', () => {
    const none = layModel({ ...data, time: 0, sendCount: 0, sends: ';;;;;;', pieceCount: 0, pieces: ';;;;;' });
    assert.equal(none.sends.count, 0);
    assert.deepEqual(none.busy, [0, 0, 0]);
    assert.deepEqual(none.bars.map((bars) => bars.send.length), [0, 0, 0]);
  });
});

// A ring of nodes with links both ways; those into node 0 set the bound.
function ringOf(count: number): ReturnType<typeof layModel> {
  const nodes = Array.from({ length: count }, (_, i) => `npu${i}`);
  const ends = nodes.flatMap((_, i): [number, number][] => [[i, (i + 1) % count], [i, (i + count - 1) % count]]);
  return layModel({ ...data, nodes,
    links: { name: ends.map(([a, b]) => `npu${a} -> npu${b}`), from: ends.map(([a]) => a), to: ends.map(([, b]) => b),
      capacity: ends.map(() => 1e9), bytes: ends.map((_, i) => 1000 - i), binds: ends.map(([, b]) => b === 0) },
    ways: { from: [0, 1, 0], to: [1, 2, 2], rate: [1e9, 1e9, 1e9], latency: [1, 1, 1], links: [[[0, 0]], [[2, 0]], [[0, 0], [2, 1]]] } });
}

describe('groups of links', () => {
  for (const order of ['binds', 'busy', 'from', 'to'] as const) {
    it(`are at most ${mostRows} rows, and have every link once: ${order}`, () => {
      for (const nodes of [10, 21, 64, 300, 5000]) {
        const ring = ringOf(nodes);
        const links = linksIn(ring, order, '');
        const groups = groupsOf(ring, order, links);
        const rows = rowsOf(groups, firstOpen(groups), links);
        assert.ok(rows.length <= mostRows, `${rows.length} rows of ${links.length} links`);
        if (links.length > mostRows) assert.deepEqual(groups.flatMap((group) => group.links), links);
        else assert.deepEqual(rows, links);
        assert.equal(new Set(groups.map(({ key }) => key)).size, groups.length);
        const open = rowsOf(groups, new Set(groups.map(({ key }) => key)), links);
        assert.deepEqual(open.filter((row) => row >= 0), links);
      }
    });
  }

  it('begin with the links that set the bound', () => {
    const ring = ringOf(64);
    const groups = groupsOf(ring, 'binds', linksIn(ring, 'binds', ''));
    assert.deepEqual([groups[0].title, groups[0].links.length], ['binding links', 2]);
    assert.match(groups[1].title, /^1–7 of 126 other links$/);
    assert.match(groupsOf(ring, 'from', linksIn(ring, 'from', ''))[0].title, /^from npu0 … npu3$/);
  });

  it('are as busy as their links on average, column by column', () => {
    const use = useOf(model, { key: '', title: '', links: [0, 1] }, 0, 40_000, 4);
    const alone = [0, 1].map((link) => useOf(model, { key: '', title: '', links: [link] }, 0, 40_000, 4));
    use.forEach((share, i) => assert.ok(Math.abs(share - (alone[0][i] + alone[1][i]) / 2) < 1e-9));
    const total = use.reduce((sum, share) => sum + share, 0) / 4;
    const bars = [0, 1].map((link) => model.bars[link]);
    const covered = bars.reduce((sum, { start, end, share }) => sum + start.reduce((part, at, i) => part + Math.max(0, Math.min(end[i], 40_000) - at) * share[i], 0), 0);
    assert.ok(Math.abs(total - covered / 2 / 40_000) < 1e-9, `${total}`);
  });
});
