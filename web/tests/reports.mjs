// SPDX-License-Identifier: Apache-2.0
//
// The report files that the browser tests open, made by the program as a person would make them.
import { execFileSync, spawnSync } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spaceFile } from './spaces.mjs';
import { fabric, hostile, hostileName, thousandRanks } from './workloads.mjs';

// Where the program, its project and an empty folder for the files are.
export function makeReports({ program, project, folder, page }) {
  const orrery = (...args) => execFileSync(program, args, { stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' });
  const run = (name, workload, cluster, groups) => {
    const file = join(folder, `${name}.orrery`);
    orrery('run', workload, '--cluster', cluster, ...(groups ? ['--groups', groups] : []), '-o', file, '--force');
    return file;
  };
  const report = (name, ...runs) => {
    const file = join(folder, `${name}.html`);
    orrery('report', ...runs, '--html', file, ...(page ? ['--page', page] : []), '--force');
    return { name, file, bytes: statSync(file).size, runs: runs.length };
  };
  const llama = join(project, 'data/demo/llama');
  const demo = (cluster) => run(`demo-${cluster}`, llama, join(project, `data/demo/${cluster}.yaml`));
  const made = (name, inputs) => run(name, inputs.workload, inputs.cluster, inputs.groups);
  const recommender = () => {
    const [spec, file] = ['recommender.yaml', 'recommender.orrery'].map((name) => join(folder, name));
    orrery('dlrm', 'shard', join(project, 'examples/tables_one_width.csv'), '--devices', '2', '--whole', '--sharder', 'naive', '-o', spec, '--force');
    orrery('run', '--spec', spec, '--global-batch', '65536', '--micro-batch', '32768', '--cluster', 'h100-sxm:2', '-o', file, '--force');
    return file;
  };
  // A small model that is generated, and what another bandwidth would make of it.
  const small = join(folder, 'small.yaml');
  writeFileSync(small, JSON.stringify({ model: { name: 'small', layers: 8, hidden: 1024, heads: 8, vocab: 8000 }, batch: { global: 8, micro: 1, seq: 1024 }, parallel: { tp: 2 } }));
  const generated = () => {
    const file = join(folder, 'generated.orrery');
    orrery('run', '--spec', small, '--cluster', 'h100-sxm:8', '-o', file, '--force', '-q');
    return file;
  };
  const whatif = (name, ...changes) => {
    const file = join(folder, `${name}.html`);
    orrery('whatif', '--spec', small, '--cluster', 'h100-sxm:8', ...changes, '-o', file, ...(page ? ['--page', page] : []), '--force', '-q');
    return { name, file, bytes: statSync(file).size, runs: 2 };
  };
  const example = (name) => join(project, `examples/fabrics/${name}.yaml`);
  const schedule = (name, collective, on, ...more) => {
    const file = join(folder, `${name}.html`);
    orrery('collective', 'synthesize', collective, '--fabric', on, ...more, '--html', file, ...(page ? ['--page', page] : []), '--force');
    return { name, file, bytes: statSync(file).size, runs: 0 };
  };
  const space = (name, file) => {
    const made = join(folder, `${name}.html`);
    // Where no point is allowed, the page is there, and the exit status 1.
    const { status, stderr } = spawnSync(program, ['search', file, '--html', made, ...(page ? ['--page', page] : []), '--force', '-q'], { encoding: 'utf8' });
    if (status > 1) throw new Error(stderr);
    return { name, file: made, bytes: statSync(made).size, runs: 0 };
  };
  const [one, two] = [demo('one-node'), demo('two-nodes')];
  return {
    demo: report('demo', two),
    comparison: report('comparison', one, two),
    recommender: report('recommender', recommender()),
    generated: report('generated', generated()),
    whatif: whatif('whatif', '--change', 'bandwidth=0.25'),
    fabric: report('fabric', run('fabric', llama, fabric(join(folder, 'fabric')))),
    // Schedules: one group; two that share ranks and links, time turned round; with links down; nothing to send.
    gather: schedule('gather', 'all-gather', example('wafer-64')),
    scatters: schedule('scatters', 'reduce-scatter', example('dual-plane-64'), '--ranks', '0-7', '--ranks', '4-19', '--size', '64MiB'),
    broken: schedule('broken', 'all-reduce', fabric(join(folder, 'broken'), hostileName)),
    nothing: schedule('nothing', 'all-to-all', example('wafer-64'), '--size', '0B'),
    // Spaces: two objectives; one axis and objective; three objectives over long axes; a single point; none; hostile names.
    gpus: space('gpus', join(project, 'examples/spaces/which-gpus.yaml')),
    line: space('line', spaceFile(folder, 'line', { axes: { tp: [1, 2, 4, 8] }, objectives: ['step'] })),
    wide: space('wide', spaceFile(folder, 'wide', { axes: { tp: [1, 2], micro: [1, 2], nic: Array.from({ length: 40 }, (_, i) => 10 + i), none: [1, 2, 3] }, objectives: ['step', 'memory', 'mfu'] })),
    point: space('point', spaceFile(folder, 'point', { axes: { tp: [2] } })),
    nowhere: space('nowhere', spaceFile(folder, 'nowhere', { axes: { tp: [1, 2], micro: [1, 2] }, memory: '10 MB' })),
    names: space('names', spaceFile(folder, 'names', { title: hostileName, axes: { tp: [1, 2], odd: [hostileName, '=1+1'] } })),
    hostile: report('hostile', made('hostile', hostile(join(folder, 'hostile')))),
    big: report('big', made('big', thousandRanks(join(folder, 'big')))),
  };
}
