// SPDX-License-Identifier: Apache-2.0
//
// Traces for the browser tests, in the JSON form that Chakra's tools write.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const hostileName = '</script><img src=x onerror=alert(1)>';

const metadata = 1;
const comp = 4;
const coll = 7;
const allReduce = 0;
const allGather = 2;

class Trace {
  nodes = [];
  last = null;

  add(node) {
    const id = this.nodes.length + 1;
    this.nodes.push({ id, data_deps: this.last === null ? [] : [this.last], ...node });
    this.last = id;
    return id;
  }

  compute(name, micros, more = {}) {
    return this.add({ name, type: comp, duration_micros: micros, is_cpu_op: false, ...more });
  }

  collective(name, type, bytes, group) {
    return this.add({ name, type: coll, comm_type: type, comm_size: bytes, is_cpu_op: false, ...(group && { pg_name: group }) });
  }
}

function attribute(name, value) {
  if (Array.isArray(value)) return { name, stringList: { values: value } };
  if (typeof value === 'boolean') return { name, boolVal: value };
  return typeof value === 'string' ? { name, stringVal: value } : { name, int64Val: String(value) };
}

// A node as Chakra's jsonizer prints it, where everything but the basics is a list of attributes.
function printed({ id, name, type, data_deps, duration_micros, values, ...rest }) {
  const attr = Object.entries(rest).map(([key, value]) => attribute(key, value));
  return JSON.stringify({ id: String(id), name, type, dataDeps: data_deps.map(String), ...(duration_micros && { durationMicros: String(duration_micros) }), ...(values && { inputs: { values } }), attr });
}

function write(folder, name, traces, cluster, groups) {
  mkdirSync(folder, { recursive: true });
  traces.forEach((trace, rank) => writeFileSync(join(folder, `${name}.${rank}.json`),
    groups ? JSON.stringify({ workload_graph: trace.nodes }) : trace.nodes.map(printed).join('\n')));
  writeFileSync(join(folder, 'cluster.yaml'), cluster);
  if (groups) writeFileSync(join(folder, 'groups.json'), JSON.stringify(groups));
  return { workload: join(folder, name), cluster: join(folder, 'cluster.yaml'), groups: groups && join(folder, 'groups.json') };
}

// A whole number below `below` that looks random and is always the same.
function scatter(a, b, below) {
  let x = Math.imul(a + 1, 0x9e3779b1) ^ Math.imul(b + 7, 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 15), 0xc2b2ae35);
  return ((x ^ (x >>> 13)) >>> 0) % below;
}

// 1,024 ranks, tensor parallel in eights and data parallel across them; no two ranks do quite the same, and
// rank 517 computes slowly.
export function thousandRanks(folder, layers = 20) {
  const ranks = 1024;
  const groups = {};
  for (let i = 0; i < ranks / 8; ++i) groups[1 + i] = Array.from({ length: 8 }, (_, k) => 8 * i + k);
  for (let k = 0; k < 8; ++k) groups[1001 + k] = Array.from({ length: ranks / 8 }, (_, i) => 8 * i + k);
  const traces = Array.from({ length: ranks }, (_, rank) => {
    const trace = new Trace();
    const slow = rank === 517 ? 1.4 : 1;
    const micros = (base, i) => Math.round((base + scatter(rank, i, base / 10)) * slow);
    const tensor = (name, size) => [`${name}`, String(size)];
    for (let i = 0; i < layers; ++i) {
      trace.compute(`layer ${i} forward`, micros(80, i), { inputs: tensor(`weights ${i}`, 2 ** 28), outputs: tensor(`activations ${i}`, 2 ** 26) });
      trace.collective(`layer ${i} forward all-reduce`, allReduce, 2 ** 22, String(1 + (rank >> 3)));
    }
    for (let i = layers - 1; i >= 0; --i) {
      const work = trace.compute(`layer ${i} backward`, micros(160, layers + i), { inputs: [...tensor(`activations ${i}`, 2 ** 26), ...tensor(`weights ${i}`, 2 ** 28)], outputs: tensor(`gradients ${i}`, 2 ** 27) });
      trace.collective(`layer ${i} gradients`, allReduce, 2 ** 23, String(1001 + (rank & 7)));
      trace.last = work; // the next layer does not wait for it
      trace.collective(`layer ${i} backward all-reduce`, allReduce, 2 ** 22, String(1 + (rank >> 3)));
    }
    trace.compute('optimizer', micros(200, 99), { inputs: [].concat(...Array.from({ length: layers }, (_, i) => tensor(`gradients ${i}`, 2 ** 27))), outputs: [] });
    return trace;
  });
  const cluster = `version: 1
name: 128 machines of 8
device: h100-sxm
network:
  - {block: switch, size: 8, link: nvlink4}
  - {block: switch, size: 128, link: ib-ndr}
`;
  return write(folder, 'big', traces, cluster, groups);
}

// Everything that can have a name is called `hostileName`.
export function hostile(folder) {
  const groups = [hostileName, `"'&<b>x</b>`].map((pg_name) => ({ pg_name, ranks: [0, 1, 2, 3] }));
  const traces = Array.from({ length: 4 }, (_, rank) => {
    const trace = new Trace();
    trace.add({ name: '## process_group:init ##', type: metadata, values: JSON.stringify(groups) });
    trace.compute(hostileName, 100 + 40 * rank, { inputs: [hostileName, '1048576'], outputs: ['</style><style>*{display:none}', '2097152'] });
    trace.collective(hostileName, allReduce, 2 ** 20, hostileName);
    trace.compute('<svg onload=alert(2)>', 50, { inputs: ['</style><style>*{display:none}', '2097152'] });
    trace.collective('javascript:alert(3)', allGather, 2 ** 18, `"'&<b>x</b>`);
    trace.compute('‮reversed\u0000<!--', 20);
    return trace;
  });
  const cluster = `version: 1
name: "</script><img src=x onerror=alert(4)>"
device: h100-sxm
network:
  - {block: ring, size: 4, link: nvlink4}
`;
  return write(folder, 'hostile', traces, cluster, null);
}

// Two machines of four on four leaves and two spines, of which one is down: a network that is a graph.
export function fabric(folder, name = 'two machines and a fabric') {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'fabric.yaml');
  writeFileSync(file, `version: 1
name: ${JSON.stringify(name)}
device: h100-sxm
fabric:
  hosts:
    - {count: 2, devices: 4, scale_up: nvlink4, nics: 2, pcie: {bandwidth: 64 GB/s, latency: 250 ns}}
  network:
    {kind: fat_tree, per_leaf: 1, radix: 4, oversubscription: 0.5, port: ib-ndr, trunk: {bandwidth: 50 GB/s, latency: 300 ns}}
  faults: [{node: spine1}]
`);
  return file;
}
