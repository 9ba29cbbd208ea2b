// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { csvOf, frontOf, maskOf, rangeWords, shownPoints } from '../../src/pages/space/filter';
import { binsOf, goodness, heatOf, mixed } from '../../src/pages/space/heat';
import { dimNamed, layModel, pointWords, several, stepWords, within } from '../../src/pages/space/model';
import { scaleOf } from '../../src/pages/space/scale';
import { State } from '../../src/pages/space/state';
import { linesOf, textOf } from '../../src/pages/space/text_edits';
import { axisLabel, figureText, offText, shortTitle } from '../../src/pages/space/figure_text';
import { extentOf, valueWords } from '../../src/pages/space/effects';
import type { SpaceData } from '../../src/space_data';

const none = { lines: [], edits: ';;;' };

// Four points over tp and gpu; steps of 4, 2, 2 and 1 s; the first two were simulated, the last has no MFU.
const data: SpaceData = {
  title: 'few', about: '', facts: [], tokens: true, currency: 'USD', count: 4,
  axes: [
    { name: 'tp', ordered: true, labels: ['1', '2'], at: [0, 0, 1, 1] },
    { name: 'gpu', ordered: false, labels: ['a', 'b, or c'], at: [0, 1, 0, 1] },
    { name: 'n', ordered: true, labels: ['8'], at: [0, 0, 0, 0] },
  ],
  figures: [
    { name: 'step', title: 'step', about: '', more: false, values: [4, 2, 2, 1] },
    { name: 'mfu', title: 'MFU', about: '', more: true, values: [0.2, 0.4, 0.5, null] },
    { name: 'memory', title: 'memory', about: '', more: false, values: [1e9, 2e9, 2e9, 8e9] },
  ],
  objectives: [0, 2], estimated: [3.9e12, 2e12, 2e12, 1e12], simulated: [4e12, 2e12, 0, 0],
  shares: { point: [0, 1], parts: [
    { name: 'compute', title: 'computing', about: '', more: true, color: 'compute', values: [0.5, 0.75] },
    { name: 'exposed', title: 'exposed communication', about: '', more: false, color: 'communication', values: [0.25, 0.25] },
    { name: 'idle', title: 'idle', about: '', more: false, color: 'idle', values: [0.25, 0] }] },
  plan: [0, 0, 1, 1], plans: ['tp 1, Zero1', 'tp 2'], front: [0, 1, 2, 3], mayNotFit: [1], best: 3,
  effects: [{ axis: 0, explains: 0.5, values: [
    { label: '1', state: 'fits', own: false, allowed: true, change: 1 }, { label: '2', state: 'fits', own: true, allowed: true, change: 0 },
    { label: '4', state: 'too_large', own: false, allowed: false, change: 0 }] }],
  rivals: [{ point: 1, with: 'tp 1', behind: 1, needs: ['computing -50 %'] }], lost: [], command: none, job: none, cluster: none, megatron: none, without: none,
};
const model = layModel(data);
const dim = (name: string) => dimNamed(model, name)!;

describe('texts that are much alike', () => {
  // As src/orrery/report/html/space_page_test.cc packs them.
  const texts = { lines: ['a', 'b', 'c', 'd'], edits: '=0,1,2;;1:3,2:1;=0;=;=0,1' };
  it('are unpacked', () => {
    assert.deepEqual([0, 1, 2, 3, 4, 5].map((i) => linesOf(texts, i).join('')), ['abc', 'abc', 'adb', 'a', '', 'ab']);
    assert.equal(textOf(texts, 5), 'a\nb\n');
    assert.equal(textOf(texts, 4), '');
  });
});

describe('a space’s points', () => {
  it('become columns', () => {
    assert.deepEqual(model.dims.map(({ name }) => name), ['tp', 'gpu', 'n', 'step', 'mfu', 'memory', 'compute', 'exposed', 'idle', 'estimated', 'simulated', 'off']);
    assert.deepEqual([dim('step').low, dim('step').high, dim('mfu').high], [1, 4, 0.5]);
    assert.deepEqual([...dim('mfu').values], [0.2, 0.4, 0.5, NaN]);
    assert.deepEqual(model.dims.filter(several).map(({ name }) => name), ['tp', 'gpu', 'step', 'mfu', 'memory', 'compute', 'idle', 'estimated', 'simulated', 'off']);
    assert.deepEqual([...model.rank], [1, 1 / 3, 2 / 3, 0]);
    assert.equal(pointWords(model, 1), 'tp 1, gpu b, or c');
    assert.equal(stepWords(model, 0), '4 s, simulated; estimate error -2.50 %');
    assert.equal(stepWords(model, 3), '1 s, estimated');
    assert.deepEqual([...within(dim('estimated'), dim('simulated')).values], [3.9, 2, NaN, NaN]);
  });

  it('are filtered by ranges and words, where what is not known lies in none', () => {
    assert.deepEqual([...maskOf(model, new Map(), '')], [1, 1, 1, 1]);
    assert.deepEqual([...maskOf(model, new Map([[dim('mfu'), [0.4, 1]]]), '')], [0, 1, 1, 0]);
    assert.deepEqual([...maskOf(model, new Map([[dim('tp'), [0, 0]], [dim('step'), [0, 2]]]), '')], [0, 1, 0, 0]);
    assert.deepEqual([...maskOf(model, new Map(), ' zero1')], [1, 1, 0, 0]);
    assert.equal(rangeWords(dim('gpu'), [1, 1]), 'gpu b, or c');
    assert.equal(rangeWords(dim('tp'), [0, 1]), 'tp 1 to 2');
    assert.equal(rangeWords(dim('tp'), [2, 1]), 'tp: none');
    assert.equal(rangeWords(dim('memory'), [0, 2e9]), 'memory up to 2.0 GB');
    assert.equal(rangeWords(dim('step'), [2, 5]), 'step from 2 s');
  });

  it('have a front by any two figures, each the better way', () => {
    const all = new Uint8Array([1, 1, 1, 1]);
    assert.deepEqual(frontOf(dim('step'), dim('memory'), all), [3, 1, 0], 'of equal ones the first');
    assert.deepEqual(frontOf(dim('memory'), dim('mfu'), all), [0, 2]);
    assert.deepEqual(frontOf(dim('step'), dim('memory'), new Uint8Array([1, 0, 0, 0])), [0]);
    assert.deepEqual(shownPoints(layModel({ ...data, front: [0] }), all), [0, 3, 1, 2]);
  });

  // No point off a front may beat one of it: tried on many that were drawn.
  it('have a front that nobody beats', () => {
    let seed = 11;
    const random = (): number => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) % 20;
    for (let round = 0; round < 40; round++) {
      const [a, b] = [Array.from({ length: 30 }, random), Array.from({ length: 30 }, random)];
      const drawn = layModel({ ...data, count: 30, front: [], plan: a.map(() => 0), axes: [], estimated: a, simulated: a, shares: { point: [], parts: [] },
        figures: [{ ...data.figures[0], values: a }, { ...data.figures[1], values: b }], objectives: [0] });
      const front = frontOf(drawn.dims[0], drawn.dims[1], new Uint8Array(30).fill(1));
      const beats = (i: number, j: number): boolean => a[i] <= a[j] && b[i] >= b[j] && (a[i] < a[j] || b[i] > b[j]);
      for (let j = 0; j < 30; j++) {
        const beaten = a.some((_, i) => beats(i, j));
        assert.equal(front.some((i) => a[i] === a[j] && b[i] === b[j]), !beaten);
      }
    }
  });

  it('are a table for spreadsheets', () => {
    const lines = csvOf(model, [1, 3]).split('\r\n');
    assert.equal(lines[0], 'tp,gpu,n,step,mfu,memory,compute,exposed,idle,step_estimated,step_simulated,front,may_not_fit,plan');
    assert.equal(lines[1], '1,"b, or c",8,2,0.4,2000000000,0.75,0.25,0,2,2,1,1,"tp 1, Zero1"');
    assert.equal(lines[2], '2,"b, or c",8,1,,8000000000,,,,1,,1,0,tp 2');
    assert.equal(lines.length, 4);
  });

  it('are shown and chosen by all views together', () => {
    const state = new State(model);
    const heard: string[] = [];
    state.onChange((change) => heard.push(change));
    assert.equal(state.chosen, 3);
    state.filter(dim('tp'), [0, 0]);
    assert.deepEqual(state.shown, [1, 0]);
    state.choose(0);
    state.choose(0);
    state.choose(-1);
    assert.equal(state.chosen, 0);
    state.filter(dim('tp'), [0, 1]);
    assert.equal(state.filters.size, 0, 'all there is, is no filter');
    state.search('tp 2');
    assert.deepEqual(state.shown, [3, 2]);
    state.clear();
    assert.deepEqual(heard, ['shown', 'chosen', 'shown', 'shown', 'shown']);
  });
});

describe('a map', () => {
  const all = new Uint8Array([1, 1, 1, 1]);
  it('has the best or the mean of each pair of values', () => {
    const best = heatOf(dim('tp'), null, dim('step'), false, all);
    assert.deepEqual(best.cells, [[{ value: 2, point: 1, count: 2 }, { value: 1, point: 3, count: 2 }]]);
    const mean = heatOf(dim('gpu'), null, dim('mfu'), true, all);
    assert.deepEqual(mean.cells[0].map((cell) => [cell!.value, cell!.point, cell!.count]), [[0.35, 2, 2], [0.4, 1, 1]]);
    const both = heatOf(dim('tp'), dim('gpu'), dim('memory'), false, new Uint8Array([1, 0, 0, 1]));
    assert.deepEqual(both.cells.map((row) => row.map((cell) => cell?.value ?? null)), [[1e9, null], [null, 8e9]]);
    assert.deepEqual([goodness(both, false, 1e9), goodness(both, false, 8e9), goodness(both, true, 8e9)], [1, 0, 1]);
  });

  it('puts neighbors together where an axis is long', () => {
    const labels = Array.from({ length: 100 }, (_, i) => String(i));
    const bins = binsOf({ ...dim('tp'), labels });
    assert.equal(bins.words.length, 20);
    assert.deepEqual([bins.words[0], bins.words[19], bins.of(99)], ['0 … 4', '95 … 99', 19]);
  });

  it('mixes colors', () => assert.equal(mixed('#000000', '#ff8000', 0.5), '#804000'));
});

describe('scales', () => {
  it('go there and back, with round numbers', () => {
    for (const name of ['step', 'mfu', 'memory', 'tp']) {
      const scale = scaleOf(dim(name), 300, 20, 40);
      const { low, high } = dim(name);
      for (const value of [low, high]) assert.ok(Math.abs(scale.back(scale.at(value)) - value) < 1e-9 * high, name);
      assert.ok(scale.at(high) < scale.at(low), name);
    }
    assert.deepEqual(scaleOf(dim('step'), 0, 300, 60).ticks.map(({ text }) => text), ['1 s', '2 s', '3 s', '4 s']);
    assert.deepEqual(scaleOf(dim('gpu'), 0, 300, 60).ticks.map(({ text }) => text), ['a', 'b, or c']);
  });
  it('go by decades where values are far apart', () => {
    const far = { ...dim('step'), low: 0.01, high: 10 };
    const scale = scaleOf(far, 0, 300, 40);
    assert.ok(Math.abs(scale.at(1) - scale.at(0.1) - (scale.at(10) - scale.at(1))) < 1e-9);
  });
  it('are of something where all is alike', () => {
    for (const low of [0, 5, NaN]) {
      const scale = scaleOf({ ...dim('step'), low, high: low }, 0, 300, 40);
      assert.ok(Number.isFinite(scale.at(Number.isNaN(low) ? 0 : low)));
      assert.ok(scale.ticks.length > 1);
    }
  });
});

describe('words', () => {
  it('are those of the terminal', () => {
    assert.deepEqual([figureText('step', 3.194), figureText('memory', 58.86e9), figureText('power', 24960), figureText('rate', 326383.9), figureText('mfu', NaN), figureText('cost', 0.03736736), figureText('cost_of_1e9', 71.27)],
      ['3.194 s', '58.9 GB', '24.96 kW', '326,384', '–', '0.03737', '71.27']);
    assert.deepEqual([offText(0.0125), offText(-0.00004), offText(-0.5)], ['+1.25 %', '0.00 %', '-50.00 %']);
    assert.deepEqual([figureText('step_high', 3.194), figureText('spare_memory', -1.5e9), figureText('format_mfu', 0.421), figureText('step_low', NaN)], ['3.194 s', '-1.5 GB', '42.1 %', '–']);
    assert.equal(valueWords({ label: '8', state: 'may_not_fit', own: false, allowed: false, change: 0 }), '8: may not fit');
    assert.deepEqual(data.effects[0].values.map(valueWords), ['1: +100.0 %', '2: 0.0 %', '4: does not fit']);
    assert.deepEqual(extentOf(model), [0, 1]);
  });
});

describe('names of axes', () => {
  it('have the unit of their largest value, and costs their currency', () => {
    assert.equal(dim('step').label, 'step (s)');
    assert.equal(dim('memory').label, 'memory (GB)');
    assert.equal(dim('mfu').label, 'MFU (%)');
    assert.equal(dim('compute').label, 'computing (% of the step)');
    assert.equal(dim('estimated').label, 'step time, estimated (s)');
    assert.equal(axisLabel('cost_of_1e9', 'cost of 10^9 tokens', figureText('cost_of_1e9', 70.69, 'USD'), true), 'cost of 10⁹ tokens (USD)');
    assert.equal(axisLabel('cost_of_1e9', 'cost of 10^9 tokens', figureText('cost_of_1e9', 70.69), false), 'cost of 10⁹ samples (in the currency of the prices)');
    assert.equal(axisLabel('rate', 'tokens per second', figureText('rate', 329_054), true), 'tokens per second');
    assert.equal(figureText('cost', 12_345, 'USD'), '12,350 USD');
    assert.equal(shortTitle('cost_of_1e9', 'per 1e9', true), 'cost of 10⁹ tokens');
  });
});
