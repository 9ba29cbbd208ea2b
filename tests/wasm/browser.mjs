// SPDX-License-Identifier: Apache-2.0
//
// node browser.mjs PROGRAM PAGE: opens reports from files whose page contains the simulator, asks "what if tp 8?", and
// compares the step with the program's. Prints sizes and times. Exit status 77: there is no browser.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const [program, page] = process.argv.slice(2).map((path) => resolve(path));
const web = join(dirname(fileURLToPath(import.meta.url)), '../../web');
const playwright = join(web, 'node_modules/playwright-core/package.json');
if (!existsSync('/usr/bin/chromium') || !existsSync(playwright)) {
  console.log('skipped: chromium or playwright-core is not installed (./setup --ui gets them)');
  process.exit(77);
}
const { everyDress, launch, Opened } = await import(join(web, 'tests/browser.mjs'));
const { empty, lowContrast, overflow, unnamed } = await import(join(web, 'tests/checks.mjs'));

const folder = mkdtempSync(join(tmpdir(), 'orrery-wasm-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const orrery = (...args) => execFileSync(program, args, { encoding: 'utf8', cwd: folder, maxBuffer: 1 << 26, stdio: ['ignore', 'pipe', 'pipe'] });

// The report of a run, and its job and cluster as the manifest has them.
function made(name, ...options) {
  const [run, html] = [join(folder, `${name}.orrery`), join(folder, `${name}.html`)];
  orrery('run', ...options, '-o', run, '-q');
  orrery('report', run, '--html', html, '--page', page, '-q');
  return html;
}

// What the program says of the changed plan, from the files of the manifest.
function expectedStep(manifest, options) {
  writeFileSync(join(folder, 'job.yaml'), manifest.get('workload_config'));
  writeFileSync(join(folder, 'cluster.yaml'), manifest.get('cluster_config'));
  const { result } = JSON.parse(orrery('run', '--spec', 'job.yaml', '--cluster', 'cluster.yaml', ...options, '--json'));
  return result;
}

const cases = [
  { name: 'llama-8b', run: ['--model', 'llama-3.1-8b', '--tp', '4', '--cluster', 'h100-sxm:8'], change: { tp: 8 }, options: ['--tp', '8', '--dp', '1'] },
  { name: 'llama-70b', run: ['--model', 'llama-3.1-70b', '--tp', '8', '--pp', '4', '--dp', '128', '--global-batch', '1024', '--cluster', 'h100-sxm:4096'],
    change: { pp: 8 }, options: ['--pp', '8', '--dp', '64'] },
];

const browser = await launch();
let failed = false;
try {
  for (const { name, run, change, options } of cases) {
    const html = made(name, ...run);
    const report = await Opened.open(browser, html);
    await report.page.waitForSelector('main h1');
    await report.show('ask');
    // The manifest, and all troubles that are none: the worker and its script are this page's own.
    const manifest = new Map(await report.page.evaluate(() => [...document.querySelectorAll('script[type="application/json"]')]
      .filter((one) => one.id === 'orrery-data').map((one) => one.textContent)[0]).then(async (text) => {
      const data = JSON.parse(text);
      if (!data.deflate) return data.runs[0].manifest;
      const { inflateRawSync } = await import('node:zlib');
      return JSON.parse(inflateRawSync(Buffer.from(data.deflate, 'base64'))).runs[0].manifest;
    }));
    const ask = async (plan) => {
      for (const [key, value] of Object.entries(plan)) await report.page.fill(`.ask-form input[name=${key}]`, String(value));
      const begin = performance.now();
      await report.page.click('.ask-form button');
      await report.page.waitForSelector('.ask-form button:not([disabled])', { timeout: 120_000 });
      await report.page.waitForSelector('.ask-answer [data-figure=step], .ask-answer .bad', { timeout: 120_000 });
      return performance.now() - begin;
    };
    const first = await ask(change);
    const text = await report.page.textContent('.ask-answer');
    const step = await report.page.textContent('.ask-answer [data-figure=step] td:nth-of-type(2)');
    const expected = expectedStep(manifest, options);
    const shown = await report.page.evaluate((ns) => {
      const [value, unit] = ns >= 1e9 ? [ns / 1e9, 's'] : ns >= 1e6 ? [ns / 1e6, 'ms'] : [ns / 1e3, 'us'];
      return `${Number(value.toPrecision(4))} ${unit}`;
    }, expected.step_ns);
    assert.equal(step, shown, text);
    const again = [];
    for (const micro of [1, 1, 1]) again.push(await ask({ ...change, micro_batch: micro }));
    for (const [theme, width] of everyDress) {
      await report.dress(theme, width);
      for (const check of [empty, lowContrast, unnamed, overflow]) assert.deepEqual(await report.page.evaluate(check), [], `${theme}, ${width} px`);
    }
    assert.deepEqual(report.trouble().filter((one) => !one.startsWith('request: blob:')), []);
    console.log(`${name}: ${step}, as the program; page ${statSync(html).size} bytes; first answer ${Math.round(first)} ms, `
      + `then ${again.map(Math.round).join(', ')} ms`);
    await report.close();
  }
} catch (error) {
  console.error(String(error.message).slice(0, 2000));
  failed = true;
} finally {
  await browser.close();
}
process.exit(failed ? 1 : 0);
