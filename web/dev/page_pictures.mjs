// SPDX-License-Identifier: Apache-2.0
//
// node dev/page_pictures.mjs PROGRAM PROJECT FOLDER [RELEASE]: the pictures of docs/pages.md. PROGRAM, in its PROJECT, makes the
// pages; FOLDER gets one picture of each. RELEASE, "0.5.0": PROGRAM is of that release, and pictures are named after it.
// Environment: ORRERY_PAGE, a page other than the one in PROGRAM; THEME, dark; WIDTH, in pixels.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { launch, Opened } from '../tests/browser.mjs';
import { readPng, writePng } from '../tests/png.mjs';

const [program, project, folder, release] = process.argv.slice(2);
if (!folder) {
  console.error('usage: node dev/page_pictures.mjs PROGRAM PROJECT FOLDER [RELEASE]');
  process.exit(2);
}
const { ORRERY_PAGE, THEME = 'light', WIDTH = '1400' } = process.env;
const made = mkdtempSync(join(tmpdir(), 'orrery-pages-'));
process.on('exit', () => rmSync(made, { recursive: true, force: true }));
const at = (path) => join(resolve(project), path);

const job = ['--model', 'llama-3.1-8b', '--tp', '2', '--sp', '--sharding', 'zero1', '--global-batch', '64', '--cluster', 'h100-sxm:8'];
const synthesize = release ? ['synthesise'] : ['collective', 'synthesize'];
const page = ORRERY_PAGE ? ['--page', ORRERY_PAGE] : [];

// Each file, and the commands that make it; {} is the file.
const files = {
  comparison: [
    ['run', at('data/demo/llama'), '--cluster', at('data/demo/one-node.yaml'), '-o', 'one-node.orrery'],
    ['run', at('data/demo/llama'), '--cluster', at('data/demo/two-nodes.yaml'), '-o', 'two-nodes.orrery'],
    ['compare', 'one-node.orrery', 'two-nodes.orrery', '--html', '{}', ...page],
  ],
  job: [['run', ...job, '-o', 'job.orrery'], ['report', 'job.orrery', '--html', '{}', ...page]],
  whatif: [['whatif', ...job, '--change', 'bandwidth=0.25', '-o', '{}', ...page]],
  search: [['search', at('examples/spaces/which-gpus.yaml'), '--html', '{}', ...page]],
  schedule: [[...synthesize, 'all-gather', '--fabric', at('examples/fabrics/wafer-64.yaml'), '--html', '{}', ...page]],
  demo: [['demo', '-o', '{}', ...page]],
};

// Each picture: a file, its page, and how much of it is shown.
const pictures = {
  demo: { file: 'demo', height: 900 },
  topology: { file: 'comparison', id: 'topology', height: 1180 },
  timeline: { file: 'job', id: 'timeline', query: '?from=0&to=40000000000', height: 900 },
  memory: { file: 'job', id: 'memory', height: 900 },
  'what-if': { file: 'whatif', id: release ? 'summary' : 'compare', height: 900 },
  search: { file: 'search', height: 1000 },
  synthesis: { file: 'schedule', height: 1000 },
};

mkdirSync(folder, { recursive: true });
for (const [name, commands] of Object.entries(files)) {
  for (const command of commands) {
    execFileSync(resolve(program), command.map((word) => (word === '{}' ? `${name}.html` : word)), { cwd: made, stdio: ['ignore', 'ignore', 'inherit'] });
  }
}
const browser = await launch();
for (const [name, { file, id, query, height }] of Object.entries(pictures)) {
  const report = await Opened.open(browser, join(made, `${file}.html`), { viewport: { width: Number(WIDTH), height }, colorScheme: THEME, reducedMotion: 'reduce' });
  await report.page.waitForSelector('main h1');
  if (id) await report.show(id, query);
  await report.settle(20);
  const shot = writePng(readPng(await report.page.screenshot({ animations: 'disabled', fullPage: WIDTH !== '1400' })));
  const path = join(folder, `${name}${release ? `-${release}` : ''}.png`);
  writeFileSync(path, shot);
  console.log(`${path}: ${statSync(path).size} bytes${report.trouble().map((text) => `; ${text}`).join('')}`);
  await report.close();
}
await browser.close();
