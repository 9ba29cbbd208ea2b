// SPDX-License-Identifier: Apache-2.0
//
// node dev/generate.mjs [ranks] [layers] [runs] > data.json: made-up data of any size, for looking at the
// pages while they are written. Two runs: the second one is slower.
const [ranks = 8, layers = 6, runs = 1] = process.argv.slice(2).map(Number);

let seed = 1;
function random() {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return seed / 2 ** 32;
}

// As TimelineData.spans wants them.
const pack = (columns) => columns.map((column) => column.map((value) => value || '').join(',')).join(';');

const hostile = '</script><img src=x onerror=alert(1)>';
const names = ['', 'matmul', 'attention', `all_reduce ${hostile}`, 'send', 'receive', 'layer_norm', 'load embeddings', 'optimizer'];
const us = 1e6;
const layer = 100 * us;

function timeline(rank, slower, step) {
  const spans = [];
  const add = (start, length, name, lane, kind, flags, wait, slack, bytes) =>
    spans.push([start, length, name, lane, kind, flags, wait, slack, bytes, spans.length + 1, 0, kind > 2 ? Math.min(us, length - wait) : 0, spans.length ? 2 : 0]);
  for (let i = 0; i < layers; ++i) {
    const at = i * layer * slower;
    const late = rank === 1 ? 0 : Math.floor(random() * 5 * us);
    const work = 40 * us - late;
    add(at, 3 * us, 6, 1, 2, 2, 0, late, 0);
    add(at + 3 * us, work - 20 * us, 1, 0, 1, rank === 1 ? 3 : 2, 0, late, 1 << 20);
    add(at + work - 17 * us, 17 * us, 2, 0, 1, rank === 1 ? 3 : 2, 0, late, 1 << 20);
    add(at + work, 40 * us * slower - work + 45 * us, 3, 2, 3, rank === 1 ? 3 : 2, 40 * us - work, 0, 64 << 20);
    add(at + 50 * us, 20 * us, 8, 0, 1, 2, 0, 12 * us, 0);
    add(at + 85 * us * slower, 10 * us, 4, 3, 4, rank === 0 ? 3 : 2, 0, 0, 1 << 22);
    add(at + 85 * us * slower, 10 * us, 5, 4, 5, 2, 1 * us, 0, 1 << 22);
    add(at + 95 * us * slower, 4 * us, 7, 5, 6, i % 3 ? 4 : 0, 0, 0, 1 << 24);
  }
  spans.sort((a, b) => a[0] - b[0] || a[9] - b[9]);
  const columns = spans[0].map((_, c) => spans.map((span, i) => (c ? span[c] : span[0] - (i ? spans[i - 1][0] : 0))));
  const lanes = [[0, 'compute'], [1, 'cpu'], [2, 'dp0'], [3, `to rank ${(rank + 1) % ranks}`], [4, 'receives'], [5, 'memory']];
  const at = Array.from({ length: layers * 2 }, (_, i) => Math.floor((i * step) / layers / 2));
  return {
    lanes: lanes.map(([kind, title]) => ({ kind, title })), count: spans.length, spans: pack(columns),
    memory: {
      at, bytes: at.map((_, i) => (20 + 10 * (i % 2) + Math.min(i, at.length - i)) * 2 ** 30),
      peak: (30 + layers) * 2 ** 30, peakAt: at[layers - (layers % 2 ? 0 : 1)],
      held: [['weights', 20 * 2 ** 30], [`activations ${hostile}`, 8 * 2 ** 30], ['gradients', 2 * 2 ** 30]],
    },
  };
}

const each = (f) => Array.from({ length: ranks }, (_, i) => f(i));

function makeRun(index) {
  const slower = index ? 1.2 : 1;
  const step = Math.floor(layers * layer * slower);
  const busy = each((r) => layers * (40 * us - (r === 1 ? 0 : (r * 37) % 5) * us));
  const reduces = Array.from({ length: layers }, (_, i) => i);
  const dims = [{ block: 'ring', size: Math.min(8, ranks), bandwidth: 450e9, latencyNs: 500 }];
  if (ranks > 8) dims.push({ block: 'switch', size: Math.ceil(ranks / 8), bandwidth: 50e9, latencyNs: 2500 });
  const path = { start: [], end: [], rank: [], name: [], kind: [], cause: [] };
  const pathByCause = [0, 0, 0, 0, 0, 0];
  const segment = (start, end, rank, name, kind, cause) => {
    [start, end, rank, name, kind, cause].forEach((value, i) => Object.values(path)[i].push(Math.floor(value)));
    pathByCause[cause] += Math.floor(end) - Math.floor(start);
  };
  for (const i of reduces) {
    const at = i * layer * slower;
    segment(at, at + 40 * us, 1, i % 2 ? 1 : 2, 1, 0);
    segment(at + 40 * us, at + 42 * us, 1, 3, 3, 2);
    segment(at + 42 * us, at + 80 * us, 1, 3, 3, 1);
    segment(at + 80 * us, at + 85 * us, 1, 3, 3, 3);
    segment(at + 85 * us, at + layer * slower, 0, 4, 4, i % 2 ? 1 : 4);
  }
  const time = (ps) => `${Number((ps / 1e9).toPrecision(4))} ms`;
  const links = dims.flatMap((_, dim) => each((from) => ({ dim, from })));
  return {
    title: `llama on ${index ? 'slow' : 'two-nodes'}.yaml`,
    manifest: [['orrery', '0.1.0'], ['workload', 'llama'], ['cluster', index ? 'slow.yaml' : 'two-nodes.yaml'],
      ['network_model', 'analytical'], ['compute_model', 'recorded'],
      ['cluster_config', '{"network":[{"block":"ring","size":8,"bandwidth":"450 GB/s"}]}'], ['note', hostile]],
    step, stalled: false, ranks, spansShown: 'all', spansLeftOut: index ? 1234 : 0, names,
    metrics: [
      { name: 'step', title: 'step', unit: 's', value: step / 1e12, text: time(step), meaning: 'From the start until the last rank has finished.', moreIsBetter: false },
      { name: 'exposed_comm', title: 'exposed communication', unit: 's', value: 4e-5, text: time(layers * 45e6), meaning: 'Communicating while nothing computes.', moreIsBetter: false },
      { name: 'mfu', title: 'model FLOP/s utilization', unit: '1', value: 0.41, text: '41.0 %', meaning: 'What the model needs over what the devices could do.', moreIsBetter: true },
    ],
    summary: [['step', `${time(step)} on ${ranks} ranks`], ['computing', time(busy[0])], ['exposed communication', time(layers * 45e6)], ['slowest rank', '1']],
    dims, device: { name: 'H100 SXM', peakFlops: 989e12, memoryCapacity: 80e9 },
    rank: {
      classOf: `${each((r) => (r ? 2 : '')).join(',')};`, groupCount: each(() => 0), groups: '',
      timeline: each((r) => r), finish: each(() => step), exposedCompute: busy, overlapped: each(() => 20 * us * layers),
      exposedComm: busy.map((b) => step - b - 27 * us * layers), exposedMemory: each(() => 4 * us * layers),
      idle: each(() => 3 * us * layers), sentBytes: each((r) => layers * ((64 << 20) + r)), waited: each((r) => layers * (r === 1 ? 0 : (r * 37) % 5) * us),
    },
    timelines: each((r) => timeline(r, slower, step)),
    groups: [{ name: '', size: ranks, ranks: `0-${ranks - 1}` }, { name: 'dp0', size: ranks, ranks: `0-${ranks - 1}` }],
    collectives: {
      type: reduces.map((i) => (i % 3 ? 'all_reduce' : 'all_gather')), group: reduces.map(() => 1), name: reduces.map(() => 3),
      bytes: reduces.map((i) => (1 << 16) * 2 ** (i % 12)), sent: reduces.map((i) => (ranks - 1) * (1 << 17) * 2 ** (i % 12)), firstStart: reduces.map((i) => i * layer * slower + 35 * us),
      lastStart: reduces.map((i) => i * layer * slower + 40 * us), lastRank: reduces.map(() => 1),
      end: reduces.map((i) => i * layer * slower + 85 * us), algbw: reduces.map((i) => 1e9 * 2 ** (i % 8)),
      busbw: reduces.map((i) => 1.75e9 * 2 ** (i % 8)), ofBound: reduces.map((i) => (i % 5 ? 0.5 + (i % 5) / 10 : null)),
      predicted: reduces.map((i) => (i % 3 ? 0 : null)),
    },
    predicted: [{ source: 'measured', algorithm: 'ring, simple', time: 45 * us, least: -4 * us, most: 3 * us }],
    collectiveClasses: [{ type: 'all_reduce', members: ranks, bytes: 64 << 20, count: layers, sent: 2 * (ranks - 1) * (64 << 20) * layers, time: layers * 45 * us, waited: layers * us * ranks, algbw: 1.4e12, busbw: 2.4e12, ofBound: 0.7 }],
    collectivesLeftOut: 0,
    links: {
      bin: Math.floor(step / 20), curves: [Array.from({ length: 20 }, (_, i) => (i % 4 ? (i + 1) * 1e6 : 0)), Array.from({ length: 20 }, (_, i) => i * 3e5)],
      dim: links.map((l) => l.dim), from: links.map((l) => l.from), to: links.map(() => null), down: links.map(() => false),
      capacity: links.map((l) => dims[l.dim].bandwidth), bytes: links.map((l) => (64 << 20) * layers / (l.dim + 1) + l.from), name: links.map(() => ''), kind: links.map(() => ''), use: links.map((l) => l.dim), leftOut: 0,
    },
    fabric: { leftOut: 0, name: [], kind: [], host: [], rank: [] },
    remoteMemory: { bin: 0, levels: [] },
    path, pathSegments: path.start.length, pathByCause,
    provenance: [{ name: 'interpolated', time: Math.floor(step * 0.8) }, { name: 'formula', time: step - Math.floor(step * 0.8) }],
    errorClasses: [{ name: 'learned gemm bf16', time: Math.floor(step * 0.8), least: -Math.floor(step * 0.06), most: Math.floor(step * 0.05) },
      { name: `network, all_reduce ${hostile}`, time: step - Math.floor(step * 0.8), least: null, most: null }],
    band: { least: Math.floor(step * 0.94), most: Math.floor(step * 1.05), unknown: step - Math.floor(step * 0.8) },
    stragglers: [{ rank: 1, caused: layers * ranks * 2 * us, waited: 0, timesLast: layers }, { rank: 0, caused: us, waited: layers * 2 * us, timesLast: 0 }],
    findings: [{ name: 'default_assumed', severity: 'info', count: 2, sentence: 'A setting was missing and its default was taken.', places: [`two-nodes.yaml:/device ${hostile}`] },
      { name: 'unmatched_send', severity: 'error', count: 1, sentence: 'A send has no receive.', places: ['rank 3 node 7'] }],
  };
}

const data = { version: 2, runs: Array.from({ length: runs }, (_, i) => makeRun(i)), comparison: null };
if (runs === 2) {
  data.comparison = {
    metrics: data.runs[0].metrics.map((a, i) => ({ name: a.name, title: a.title, a: a.text, b: data.runs[1].metrics[i].text,
      change: a.name === 'step' ? 0.2 : null, moreIsBetter: a.moreIsBetter })),
    slower: [{ name: names[3], kind: 'collective', rank: null, node: '4', a: 45 * us, b: 54 * us, why: 'its transfer takes 9 us longer: bandwidth' }],
    faster: [{ name: 'matmul', kind: 'compute', rank: 0, node: '2', a: 20 * us, b: 19 * us, why: 'its work takes 1 us less' }],
    facts: [['cluster', 'two-nodes.yaml', 'slow.yaml'], ['precision', '', 'bf16']], matched: ranks * layers * 8, onlyA: 0, onlyB: 3,
  };
}
process.stdout.write(JSON.stringify(data));
