// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { takeToken } from '../../src/app/api';
import type { MemoryResult, RunResult } from '../../src/app/answers';
import { clusterOf, clusterQuery, clusterYaml, devicesIn, firstCluster } from '../../src/app/cluster_form';
import { EventReader } from '../../src/app/events';
import { alsoNamed, changesOf, choicesOf, devicesOf, fieldOf, fields, proposals, stopsOf, type Problem } from '../../src/app/fields';
import { figuresOf, memoryParts, plain, stepParts } from '../../src/app/figures';
import { History } from '../../src/app/history';
import { Latest } from '../../src/app/latest';
import { legalName, nextName, reportName } from '../../src/app/names';
import { merged } from '../../src/app/pages/start';
import { commandLine, fromCommandLine, fromQuery, keyOf, only, toQuery, withValue, type Properties } from '../../src/app/question';
import { searchQuestion } from '../../src/app/search_job';
import { withPlan } from '../../src/app/specification';
import { differences, variantNames } from '../../src/app/variants';

const text = { type: 'string', description: '' };
const properties: Properties = {
  model: text, cluster: text, tp: text, pp: text, dp: text, micro_batch: text, sharding: text, replicate: { type: 'boolean', description: '' }, sp: { type: 'boolean', description: '' },
  spec: { type: 'array', description: '' }, traces: { type: 'array', description: '' },
};
const problem = (where: string, what: string, hint = ''): Problem => ({ code: 'E1008', name: 'config_conflict', where, what, hint });
const field = (key: string) => fields.find((one) => one.key === key)!;

describe('a question', () => {
  const question = { model: 'llama-3.1-8b', cluster: "o'ther file.yaml", tp: '4', sp: true, spec: ['a.json', 'b&c.yaml'] };

  it('is the same after its address', () => {
    assert.deepEqual(fromQuery(toQuery(question), properties), { question, unknown: [] });
  });

  it('of an address has no options that the command does not have', () => {
    assert.deepEqual(fromQuery('tp=2&constructor=1&nonsense=3', properties), { question: { tp: '2' }, unknown: ['constructor', 'nonsense'] });
  });

  it('is the same in any order', () => {
    assert.equal(keyOf({ tp: '1', pp: '2' }), keyOf({ pp: '2', tp: '1' }));
    assert.notEqual(keyOf({ tp: '1', pp: '2' }), keyOf({ tp: '2', pp: '1' }));
  });

  it('loses an option that is emptied', () => {
    assert.deepEqual(withValue(question, 'tp', ''), { model: 'llama-3.1-8b', cluster: "o'ther file.yaml", sp: true, spec: ['a.json', 'b&c.yaml'] });
    assert.deepEqual(withValue({ sp: true }, 'sp', false), {});
    assert.deepEqual(only(question, { tp: text }), { tp: '4' });
  });

  it('is a command line, quoted for the shell', () => {
    assert.equal(commandLine('run', question), "orrery run --model llama-3.1-8b --cluster 'o'\\''ther file.yaml' --tp 4 --sp --spec a.json --spec 'b&c.yaml'");
    assert.equal(commandLine('trace/info', { micro_batch: '2' }), 'orrery trace info --micro-batch 2');
    assert.equal(commandLine('run', { cluster: 'c', prefix: 'step' }), 'orrery run step --cluster c');
  });

  it('comes from a command line, without the words to replace', () => {
    assert.deepEqual(fromCommandLine('orrery run --spec train.sh --cluster CLUSTER', properties), { spec: ['train.sh'] });
    assert.deepEqual(fromCommandLine('orrery run --model m --sp --cluster c.yaml', properties), { model: 'm', sp: true, cluster: 'c.yaml' });
    assert.deepEqual(fromCommandLine('orrery run PREFIX --cluster CLUSTER  (for traces PREFIX.0.et)', properties), {});
    assert.equal(fromCommandLine('orrery trace info a.json', properties), null);
    assert.equal(fromCommandLine('orrery run --unknown a', properties), null);
  });
});

describe('a token', () => {
  it('is taken out of the address', () => {
    assert.deepEqual(takeToken('#token=a%2Bb'), { token: 'a+b', rest: '' });
    assert.deepEqual(takeToken('#token=a&/plan?tp=4&pp=2'), { token: 'a', rest: '#/plan?tp=4&pp=2' });
    assert.deepEqual(takeToken('#/plan?token=4'), { token: null, rest: '#/plan?token=4' });
  });
});

describe('undo', () => {
  it('takes back one step, and gives it again', () => {
    const history = new History('a');
    history.set('b', 'tp', 0);
    history.set('c', 'pp', 10);
    assert.ok(history.undo());
    assert.equal(history.state, 'b');
    assert.ok(history.undo());
    assert.ok(!history.undo());
    assert.ok(history.redo());
    assert.ok(history.redo());
    assert.equal(history.state, 'c');
    assert.ok(!history.redo());
  });

  it('counts a slider that moves as one step', () => {
    const history = new History(1);
    for (let i = 2; i < 9; ++i) history.set(i, 'tp', 100 * i);
    history.set(9, 'tp', 5000);
    history.undo();
    assert.equal(history.state, 8);
    history.undo();
    assert.equal(history.state, 1);
  });

  it('forgets what was undone when something else changes, and the oldest of many', () => {
    const history = new History(0, 3);
    for (let i = 1; i < 9; ++i) history.set(i, '', i);
    history.undo();
    history.set(20, '', 20);
    assert.ok(!history.canRedo);
    let undone = 0;
    while (history.undo()) undone++;
    assert.equal(undone, 3);
  });
});

describe('the last of several requests', () => {
  it('alone is answered, and its error alone is reported', async () => {
    const latest = new Latest();
    const done: number[] = [];
    const wrong: unknown[] = [];
    const work = (i: number) => async (signal: AbortSignal): Promise<void> => {
      await new Promise((next) => setTimeout(next, 5));
      if (i === 1) throw new Error('late');
      if (!signal.aborted) done.push(i);
    };
    latest.start(0, work(1), (error) => wrong.push(error));
    await new Promise((next) => setTimeout(next, 2));
    latest.start(0, work(2), (error) => wrong.push(error));
    latest.start(0, work(3), (error) => wrong.push(error));
    await new Promise((next) => setTimeout(next, 30));
    assert.deepEqual([done, wrong], [[3], []]);
  });
});

describe('events of a stream', () => {
  it('are read however the stream is cut', () => {
    const stream = 'event: progress\ndata: {"a":1}\n\n: comment\n\nevent: done\r\ndata: {\r\ndata: }\r\n\r\n';
    for (let size = 1; size < stream.length; ++size) {
      const reader = new EventReader();
      const found = [];
      for (let at = 0; at < stream.length; at += size) found.push(...reader.take(stream.slice(at, at + size)));
      assert.deepEqual(found, [{ name: 'progress', data: '{"a":1}' }, { name: 'done', data: '{\n}' }], String(size));
    }
  });
});

describe('a field', () => {
  it('offers what its option lists', () => {
    assert.deepEqual(choicesOf({ type: 'string', description: 'none, selective or full' }), ['none', 'selective', 'full']);
    assert.deepEqual(choicesOf({ type: 'string', description: 'none, zero1, zero3 (fsdp), hsdp (in hosts of 8 devices)' }), ['none', 'zero1', 'zero3', 'hsdp']);
    assert.deepEqual(choicesOf({ type: 'string', description: 'Format: a or b', enum: ['a', 'b'] }), ['a', 'b']);
  });

  it('offers the divisors of the devices', () => {
    assert.equal(devicesOf('h100-sxm:24'), 24);
    assert.equal(devicesOf('cluster.yaml'), null);
    assert.deepEqual(stopsOf(field('tp'), 24), [1, 2, 3, 4, 6, 8, 12, 24]);
    assert.deepEqual(stopsOf(field('micro_batch'), 24), [1, 2, 4, 8, 16, 32, 64]);
  });

  it('has the errors that name it', () => {
    const question = { cluster: 'h100-sxm:8', model: 'lama', tp: '3', spec: ['train.sh'] };
    assert.equal(fieldOf(problem('parallel.tp', ''), question), 'tp');
    assert.equal(fieldOf(problem('batch.global', ''), question), 'global_batch');
    assert.equal(fieldOf(problem('--micro-batch', ''), question), 'micro_batch');
    assert.equal(fieldOf(problem('h100-sxm:8', ''), question), 'cluster');
    assert.equal(fieldOf(problem('bad.yaml:/network/0/size', ''), { cluster: 'bad.yaml' }), 'cluster');
    assert.equal(fieldOf(problem('train.sh:3', ''), question), 'spec');
    assert.equal(fieldOf(problem('model.heads', ''), question), 'model');
    assert.equal(fieldOf(problem('', ''), question), null);
    assert.equal(fieldOf(problem('kernels.fused', ''), question), null);
    assert.deepEqual(alsoNamed(problem('h100-sxm:8', 'the cluster has 8 devices, which is not a multiple of tp 3 x pp 5'), question), ['tp']);
  });

  it('offers what a hint proposes', () => {
    const of = (hint: string) => proposals(problem('', '', hint), properties);
    assert.deepEqual(of('--dp 1 fits the cluster; or --cluster h100-sxm:16 has as many devices as the plan'), [{ key: 'dp', value: '1' }, { key: 'cluster', value: 'h100-sxm:16' }]);
    assert.deepEqual(of('these divide it: tp 2 or 4'), [{ key: 'tp', value: '2' }, { key: 'tp', value: '4' }]);
    assert.deepEqual(of('these divide it: pp 1, 2 or 4'), [{ key: 'pp', value: '1' }, { key: 'pp', value: '2' }, { key: 'pp', value: '4' }]);
    assert.deepEqual(of('--replicate runs the trace on all devices'), [{ key: 'replicate', value: true }]);
    assert.deepEqual(of('rule heads-by-tp: Attention heads are a multiple of tp.'), []);
    assert.deepEqual(of("'orrery run --help' shows the usage"), []);
  });

  it('takes a change of the memory command', () => {
    assert.deepEqual(changesOf('parallel.sharding = zero1; parallel.sp = true'), [{ key: 'sharding', value: 'zero1' }, { key: 'sp', value: true }]);
    assert.equal(changesOf('offload.optimizer = true'), null);
  });
});

const run = {
  step_ns: 1000, recorded_ns: null, prediction_interval: { low_ns: 900, high_ns: 1200 },
  breakdown: { compute_ns: 700, exposed_comm_ns: 200, exposed_memory_ns: 0, idle_ns: 100, comm_ns: 500 },
  throughput: { samples_per_s: 2, tokens: 10, tokens_per_s: 1234.5, device_tokens_per_s: 100, mfu: 0.371, peak_precision: 'bf16' },
  step_costs: { device_hour_price: 3, step_cost: 0.5, cost_per_1e6_items: 50_000, step_energy_j: null },
} as unknown as RunResult;
const memory = {
  worst_role: 'stage 1', total_bytes: 90e9, capacity_bytes: 80e9, fits: false, verdict: 'does_not_fit', memory_options: [],
  roles: [{ role: 'stage 0', ranks: 1, total_bytes: 1, memory_interval: null }, { role: 'stage 1', ranks: 1, total_bytes: 90e9, weights_bytes: 50e9, working_bytes: 1e9, workspace_bytes: 2e9, context_bytes: 37e9, memory_interval: { total_interval: { low_bytes: 85e9, high_bytes: 95e9 } } }],
} as unknown as MemoryResult;
const document = <Result>(result: Result) => ({ orrery: 3, command: '', result, findings: [] });

describe('figures', () => {
  it('say what they are', () => {
    const figures = figuresOf({ run: document(run), memory: document(memory) });
    assert.deepEqual(figures.map(({ id, text: shown, basis }) => [id, shown, basis]), [
      ['step', '1 us', 'predicted'], ['memory', '90 GB', 'predicted'], ['mfu', '37.1 %', 'predicted'], ['tokens', '1,235', 'predicted'], ['cost', '50,000', 'predicted']]);
    assert.match(figures[0].note, /900 ns to 1.2 us/);
    assert.match(figures[1].note, /80 GB configured: does not fit/);
    assert.match(figures[4].note, /at 3 per device hour \(configured\)/);
  });

  it('of traces are measured where the traces were', () => {
    const figures = figuresOf({ run: document({ ...run, recorded_ns: 1100 }), memory: null });
    assert.deepEqual(figures.slice(0, 2).map(({ id, basis }) => [id, basis]), [['step', 'predicted'], ['recorded', 'measured']]);
  });

  it('of an error are none', () => {
    assert.deepEqual(figuresOf({ run: { orrery: 3, command: '', error: problem('', ''), findings: [] }, memory: null }), []);
  });

  it('have parts that sum to them', () => {
    assert.equal(stepParts(run).reduce((sum, { value }) => sum + value, 0), run.step_ns);
    assert.equal(memoryParts(memory.roles[1]).reduce((sum, { value }) => sum + value, 0), 90e9);
    assert.equal(plain(0.00191499), '0.001915');
    assert.equal(plain(1486.53), '1,487');
  });
});

describe('variants', () => {
  const pins = [{ model: 'm', tp: '4' }, { model: 'm', tp: '2', sp: true }];
  it('are named by what differs', () => {
    assert.deepEqual(variantNames(pins), ['tp 4, sp default', 'tp 2, sp']);
    assert.deepEqual(differences(pins), { common: 'model m', differing: ['tp', 'sp'] });
    assert.deepEqual(variantNames([{ model: 'm' }]), ['this plan']);
  });
});

describe('files', () => {
  it('have legal names', async () => {
    assert.equal(legalName('../../etc/pass wd'), 'etc-pass-wd');
    assert.equal(legalName('.hidden'), 'hidden');
    assert.equal(legalName('…'), 'file');
    assert.equal(nextName('trace.json.gz', 2), 'trace-2.json.gz');
    assert.equal(nextName('train', 3), 'train-3');
    const name = await reportName({ model: 'llama-3.1-8b', tp: '4' });
    assert.match(name, /^llama-3\.1-8b-[0-9a-f]{8}\.html$/);
    assert.equal(name, await reportName({ tp: '4', model: 'llama-3.1-8b' }));
    assert.notEqual(name, await reportName({ tp: '2', model: 'llama-3.1-8b' }));
  });

  it('replace what they are for', () => {
    const current = { model: 'm', cluster: 'h100-sxm:8', tp: '4' };
    assert.deepEqual(merged(current, { model: 'llama', cluster: 'c.yaml' }, 'c.yaml'), { model: 'm', cluster: 'c.yaml', tp: '4' });
    assert.deepEqual(merged(current, { spec: ['train.sh'] }, 'train.sh'), { cluster: 'h100-sxm:8', spec: ['train.sh'] });
  });
});

describe('a search', () => {
  const plan = { model: 'm', cluster: 'h100-sxm:8', tp: '4', micro_batch: '2', price: '3', seq: '4096' };
  const known: Properties = { model: text, cluster: { type: 'array', description: '' }, tp: text, micro_batch: text, seq: text, top: { type: 'integer', description: '' }, price: { type: 'array', description: '' } };

  it('leaves open what it searches', () => {
    assert.deepEqual(searchQuestion(plan, new Set(), known, 5), { top: 5, model: 'm', cluster: ['h100-sxm:8'], seq: '4096' });
    assert.deepEqual(searchQuestion(plan, new Set(['tp']), known, 5), { top: 5, model: 'm', cluster: ['h100-sxm:8'], tp: '4', seq: '4096' });
  });

  it('finds plans', () => {
    const found = JSON.stringify({ parallel: { tp: 2, sp: true, cp: 1, pp: 1, dp: 4, ep: 1, sharding: 'zero3' }, schedule: { kind: '1f1b', chunks: 1 },
      batch: { global: 16, micro: 2, seq: 4096 }, recompute: { kind: 'none' } });
    assert.deepEqual(withPlan(plan, found), { model: 'm', cluster: 'h100-sxm:8', price: '3', tp: '2', pp: '1', cp: '1', dp: '4', ep: '1', sp: true, sharding: 'zero3',
      micro_batch: '2', global_batch: '16', seq: '4096', recompute: 'none' });
  });
});

describe('a cluster', () => {
  it('is a file, and an address', () => {
    assert.equal(devicesIn(firstCluster), 16);
    assert.equal(clusterYaml(firstCluster), 'version: 1\nname: my-cluster\ndevice: h100-sxm\nnetwork:\n  - {block: switch, size: 8, link: nvlink4}\n  - {block: switch, size: 2, link: ib-ndr}\n');
    assert.match(clusterYaml({ ...firstCluster, name: 'a: {b' }), /name: "a: \{b"\n/);
    assert.match(clusterYaml({ ...firstCluster, name: 'yes' }), /name: "yes"\n/);
    assert.deepEqual(clusterOf(clusterQuery(firstCluster)), firstCluster);
    assert.deepEqual(clusterOf('level=nonsense,-3,x'), { ...firstCluster, levels: [{ block: 'switch', size: 1, link: 'x' }] });
  });
});
