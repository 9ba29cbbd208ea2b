// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FaultData, RunData } from '../../src/data';
import { endsOfNames, labelsOf, nodesOf } from '../../src/pages/links/fabric';
import { label } from '../../src/pages/links/fabric_boxes';
import { drawingOf, type Drawing } from '../../src/pages/links/fabric_drawing';
import { boxText, lineText, useFigure } from '../../src/pages/links/fabric_picture';
import { stateOf, whenOf } from '../../src/pages/links/faults';
import { endsOf, hasPorts, partsOf, useInBin, useOfPart, wholeDimensions } from '../../src/pages/links/figures';

type Node = [name: string, kind: string, host?: number | null, rank?: number | null];
type Link = [from: string, to: string, kind: string, bytes: number];

// A step of 1 us; links of 100 GB/s carry at most 100 kB in it.
function fabricOf(nodes: Node[], links: Link[], dims: [string, number][] = [['switch', 2], ['switch', 2]]): RunData {
  const ranks = new Map(nodes.map(([name, , , rank]) => [name, rank ?? null]));
  const ends = links.map(([from, to]) => [ranks.get(from) ?? null, ranks.get(to) ?? null]);
  return {
    ranks: nodes.filter(([, , , rank]) => rank !== undefined && rank !== null).length, step: 1e6, manifest: [['network_model', 'flow']],
    dims: dims.map(([block, size]) => ({ block, size, bandwidth: 1e11, latencyNs: 1 })),
    links: {
      bin: 5e5, curves: links.map(([, , , bytes]) => [bytes, 0]), leftOut: 0, dim: links.map(() => 0),
      from: ends.map(([from, to]) => from ?? to), to: ends.map(([from, to]) => (from === null ? null : to)), down: ends.map(([from, to]) => from === null && to !== null),
      capacity: links.map(() => 1e11), bytes: links.map(([, , , bytes]) => bytes), use: links.map((_, i) => i),
      name: links.map(([from, to]) => `${from} -> ${to}`), kind: links.map(([, , kind]) => kind),
    },
    fabric: { leftOut: 0, name: nodes.map(([name]) => name), kind: nodes.map(([, kind]) => kind), host: nodes.map(([, , host]) => host ?? null), rank: nodes.map(([, , , rank]) => rank ?? null) },
  } as unknown as RunData;
}

// Hosts of two devices behind two NICs, two leaves, two spines.
function tree(hosts: number): RunData {
  const nodes: Node[] = [];
  const links: Link[] = [];
  for (let host = 0; host < hosts; host++) {
    const at = `host${host}`;
    for (let i = 0; i < 2; i++) {
      nodes.push([`${at}.gpu${i}`, 'device', host, 2 * host + i], [`${at}.nic${i}`, 'nic', host]);
      links.push([`${at}.gpu${i}`, `${at}.switch0`, 'scale-up', 10_000], [`${at}.gpu${i}`, `${at}.nic${i}`, 'pcie', 20_000], [`${at}.nic${i}`, `leaf${i}`, 'network', 50_000]);
    }
    nodes.push([`${at}.switch0`, 'nvswitch', host]);
  }
  nodes.push(['leaf0', 'leaf'], ['leaf1', 'leaf'], ['spine0', 'spine'], ['spine1', 'spine']);
  links.push(['leaf0', 'spine0', 'network', 40_000], ['leaf0', 'spine0', 'network', 30_000], ['spine0', 'leaf0', 'network', 20_000]);
  return fabricOf(nodes, links, [['switch', 2], ['switch', hosts]]);
}

const yOf = (drawing: Drawing, label: string): number => drawing.rows.find((row) => row.label === label)!.y;

// Boxes stand beside each other, inside the picture, and hosts' in their frames.
function apart({ boxes, rows, frames, width, height }: Drawing): void {
  for (const row of rows) {
    const found = row.boxes.map((box) => boxes[box]).sort((a, b) => a.x - b.x);
    found.forEach((box, i) => {
      assert.equal(box.y, row.y);
      assert.ok(box.x - box.width / 2 >= 70 && box.x + box.width / 2 <= width + 0.1, `${box.title} leaves the picture`);
      assert.ok(box.y > 0 && box.y < height);
      if (i > 0) assert.ok(box.x - box.width / 2 >= found[i - 1].x + found[i - 1].width / 2, `${box.title} is on ${found[i - 1].title}`);
    });
  }
  frames.forEach((frame, i) => {
    if (i > 0) assert.ok(frame.x >= frames[i - 1].x + frames[i - 1].width);
    assert.ok(frame.y + frame.height <= height && frame.x + frame.width <= width);
  });
}

describe('links of a fabric', () => {
  it('are named after their ends, and belong together by class', () => {
    const run = tree(2);
    assert.equal(endsOf(run, 12), 'leaf0 → spine0');
    assert.equal(hasPorts(run), false);
    assert.equal(wholeDimensions(run), false);
    assert.deepEqual(partsOf(run).map(({ title, links }) => [title, links.length]), [['Scale-up', 4], ['PCIe', 4], ['Network', 7]]);
    const use = useOfPart(run, partsOf(run)[2].links);
    assert.deepEqual([use.links, use.bytes, use.busiest], [7, 290_000, 2]);
    assert.deepEqual([useInBin(run, 2, 0), useInBin(run, 2, 1)], [1, 0]);
  });

  it('are not ports where dimensions are rings, and come in the order of classes, unknown ones last', () => {
    const run = fabricOf([['npu0', 'device', null, 0], ['ocs0', 'optical']], [['ocs0', 'npu0', 'light', 1], ['npu0', 'ocs0', 'other', 1], ['npu0', 'ocs0', 'scale-up', 1]], [['ring', 1]]);
    assert.equal(hasPorts(run), false);
    assert.deepEqual(partsOf(run).map(({ title }) => title), ['Scale-up', 'Other', 'light']);
  });

  it('find their ends where names hold arrows', () => {
    const run = fabricOf([['a', 'leaf'], ['a -> b', 'leaf'], ['b -> c', 'leaf'], ['c', 'leaf']], []);
    const ends = endsOfNames(nodesOf(run));
    assert.deepEqual(ends('a -> b -> c'), [0, 2]);
    assert.deepEqual(ends('a -> b -> a'), [1, 0]);
    assert.equal(ends('a'), null);
    assert.equal(ends('x -> c'), null);
  });
});

describe('the picture of a fabric', () => {
  it('has switches by tier above hosts, and a line for all links between two boxes', () => {
    const drawing = drawingOf(tree(2))!;
    apart(drawing);
    assert.deepEqual(drawing.rows.map(({ label, boxes }) => [label, boxes.length]),
      [['spines', 2], ['leaves', 2], ['NICs', 4], ['devices', 4], ['scale-up', 2]]);
    assert.ok(yOf(drawing, 'spines') < yOf(drawing, 'leaves') && yOf(drawing, 'devices') < yOf(drawing, 'scale-up'));
    assert.deepEqual(drawing.frames.map(({ label }) => label), ['host 0', 'host 1']);
    const up = drawing.lines.find(({ links }) => links.includes(12))!;
    assert.deepEqual([up.links, up.count], [[12, 13, 14], 2]);
    assert.deepEqual(drawing.rows[3].boxes.map((box) => drawing.boxes[box].label), ['rank 0', 'rank 1', 'rank 2', 'rank 3']);
  });

  it('shuts hosts that are too many to open, and folds what is too much for a row', () => {
    const drawing = drawingOf(tree(60))!;
    apart(drawing);
    const row = drawing.rows.find(({ label }) => label === 'hosts')!;
    assert.equal(row.boxes.length, 48);
    const [first, last] = [drawing.boxes[row.boxes[0]], drawing.boxes[row.boxes[47]]];
    assert.equal(first.title, 'host 0: ranks 0–1');
    assert.equal(first.inner.length, 4);
    assert.equal(last.label, '+13');
    assert.equal(last.inner.length, 13 * 4);
    const toLeaf = drawing.lines.find(({ a, b }) => drawing.boxes[a].title === 'leaf leaf0' && drawing.boxes[b] === last)!;
    assert.equal(toLeaf.count, 13);
  });

  it('has devices that only each other join in rows, planes beside each other', () => {
    const nodes = Array.from({ length: 24 }, (_, i): Node => [`npu${i}`, 'device', null, i]);
    const cube = drawingOf(fabricOf(nodes, [['npu0', 'npu1', 'network', 1], ['npu0', 'npu3', 'network', 1], ['npu0', 'npu8', 'network', 1]], [['ring', 4], ['ring', 2], ['ring', 3]]))!;
    apart(cube);
    assert.deepEqual(cube.rows.map(({ boxes }) => boxes.length), [12, 12]);
    const [a, b] = [cube.boxes[0], cube.boxes[8]]; // rank 8: the next plane, the first row
    assert.equal(a.y, b.y);
    assert.deepEqual(cube.lines.map(({ path }) => path.includes('Q')), [false, true, true]);
    const flat = drawingOf(fabricOf(nodes, [], [['ring', 6], ['ring', 4]]))!;
    assert.deepEqual(flat.rows.map(({ boxes }) => boxes.length), [6, 6, 6, 6]);
  });

  it('has an optical switch between two devices as a line', () => {
    const nodes: Node[] = [['npu0', 'device', null, 0], ['npu1', 'device', null, 1], ['npu2', 'device', null, 2], ['ocs0.0', 'optical'], ['ocs1', 'optical']];
    const drawing = drawingOf(fabricOf(nodes, [['npu0', 'ocs0.0', 'scale-up', 1], ['ocs0.0', 'npu2', 'scale-up', 1], ['npu2', 'ocs0.0', 'scale-up', 1], ['ocs0.0', 'npu0', 'scale-up', 1],
      ['npu0', 'ocs1', 'scale-up', 1], ['npu1', 'ocs1', 'scale-up', 1], ['ocs1', 'npu2', 'scale-up', 1]], [['ring', 3]]))!;
    assert.deepEqual(drawing.rows.map(({ label: name, boxes }) => [name, boxes.length]), [['optical', 1], ['devices', 3]]);
    assert.equal(drawing.circuits, 1);
    assert.deepEqual(drawing.lines.map(({ links, count }) => [links, count]), [[[0, 1, 2, 3], 1], [[4], 1], [[5], 1], [[6], 1]]);
  });

  const fault = (from: number, to: number, more: Partial<FaultData> = {}): FaultData =>
    ({ from, to, links: 1, bandwidth: 0, start: 0, end: null, every: 0, lasts: 0, ...more });

  it('has lines for what was down, though it carried nothing', () => {
    const run = tree(2);
    const [leaf0, leaf1, spine0, spine1] = ['leaf0', 'leaf1', 'spine0', 'spine1'].map((name) => run.fabric.name!.indexOf(name));
    run.fabric.faults = [fault(leaf1, spine1, { links: 2 }), fault(spine1, leaf1, { links: 2 }), fault(leaf0, spine0, { bandwidth: 0.5, start: 1000 })];
    const drawing = drawingOf(run)!;
    apart(drawing);
    const down = drawing.lines.find(({ links }) => links.length === 0)!;
    assert.deepEqual([down.faults, down.count], [[0, 1], 2]);
    assert.deepEqual(lineText(run, useFigure(run), drawing, down, -1), ['spine spine1 – leaf leaf1', '2 links down the complete step', 'no traffic']);
    const slow = drawing.lines.find(({ links }) => links.includes(12))!;
    assert.deepEqual([slow.faults, slow.count], [[2], 2]);
    assert.match(lineText(run, useFigure(run), drawing, slow, -1)[2], /^at 50.* % of its bandwidth from 1 ns on$/);
    assert.match(boxText(run, useFigure(run), drawing, drawing.boxes.findIndex(({ title }) => title === 'leaf leaf1'), -1).join(), /faults of its links: 2 links down the complete step/);
  });

  it('keeps what was down in shut hosts, and at circuits', () => {
    const run = tree(60);
    run.fabric.faults = [fault(0, 1), fault(1, 0)];
    assert.deepEqual(drawingOf(run)!.boxes.filter(({ innerFaults }) => innerFaults.length > 0).map(({ title, innerFaults }) => [title, innerFaults]), [['host 0: ranks 0–1', [0, 1]]]);
    const light = fabricOf([['npu0', 'device', null, 0], ['npu1', 'device', null, 1], ['ocs0', 'optical']], [['npu0', 'npu1', 'scale-up', 1]], [['ring', 2]]);
    light.fabric.faults = [fault(0, 2), fault(2, 1), fault(1, 2), fault(2, 0)];
    assert.deepEqual(drawingOf(light)!.lines.map(({ links, faults, count }) => [links, faults, count]), [[[0], [0, 1, 2, 3], 1]]);
  });

  it('says when something was down', () => {
    assert.equal(whenOf(fault(0, 1, { every: 1e9, lasts: 5e7 })), 'for 50 us every 1 ms');
    assert.equal(whenOf(fault(0, 1, { start: 1e9, end: 2e9, every: 1e8, lasts: 1e7 })), 'from 1 ms to 2 ms, for 10 us every 100 us');
    assert.equal(stateOf(fault(0, 1)), 'down');
  });

  it('is left out where there are too many devices, or none', () => {
    assert.equal(drawingOf(fabricOf(Array.from({ length: 2000 }, (_, i): Node => [`npu${i}`, 'device', null, i]), [])), null);
    assert.equal(drawingOf({ ...fabricOf([], []), fabric: { leftOut: 30_000 } } as unknown as RunData), null);
  });

  it('has labels that fit', () => {
    const labels = (width: number, ...numbers: number[]): string[] => {
      const boxes = numbers.map((i) => ({ labels: labelsOf({ name: `segment0.rail${i}`, kind: 'leaf', host: null, rank: null }), label: '', kind: 'leaf', width }));
      label(boxes);
      return boxes.map((box) => box.label);
    };
    assert.deepEqual(labels(96, 3), ['segment0.rail3']);
    assert.deepEqual(labels(36, 3, 4), ['s0.r3', 's0.r4']);
    assert.deepEqual(labels(24, 3, 14), ['3', '14']);
    assert.deepEqual(labels(12, 3, 14), ['3', '']);
  });
});
