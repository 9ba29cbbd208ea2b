// SPDX-License-Identifier: Apache-2.0
//
// The page of `orrery ui` as people use it, with answers of the program. run.mjs says what it needs in the environment.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { everyDress, launch, Opened } from './browser.mjs';
import { empty, lowContrast, overflow, unnamed } from './checks.mjs';

const { ORRERY_OUTPUT, ORRERY_PROGRAM, ORRERY_PROJECT } = process.env;
const pictures = join(ORRERY_OUTPUT, 'screenshots');
const folder = join(ORRERY_OUTPUT, 'app');
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
let browser;
let server;

before(async () => {
  rmSync(folder, { recursive: true, force: true });
  for (const one of [folder, pictures]) mkdirSync(one, { recursive: true });
  copyFileSync(join(ORRERY_PROJECT, 'examples/clusters/dgx-h100-64.yaml'), join(folder, 'dgx-h100-64.yaml'));
  server = await serve();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  server?.process.kill();
});

// `orrery ui`, whose first line is its address.
async function serve() {
  const process = spawn(ORRERY_PROGRAM, ['ui', folder, '--no-open'], { stdio: ['ignore', 'pipe', 'ignore'] });
  for await (const line of createInterface({ input: process.stdout })) {
    const [address, token] = line.split('#token=');
    return { process, address, token };
  }
  throw new Error('orrery ui ended');
}

const orrery = (...args) => JSON.parse(execFileSync(ORRERY_PROGRAM, [...args, '--json'], { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
const plan8 = 'plan?model=llama-3.1-8b&cluster=h100-sxm%3A8';

// Opens the page at a route, and sees that it asks no other host and that the browser has no complaint.
async function app(route, use, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce', ...options });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const troubles = [];
  page.on('console', (message) => {
    // An answer of 422 is an error document, which the page shows.
    if (['error', 'warning', 'assert'].includes(message.type()) && !/status of (422|409)/.test(message.text())) troubles.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => troubles.push(`error: ${error.message}`));
  page.on('request', (request) => {
    if (!/^(blob|data):/.test(request.url()) && !request.url().startsWith(server.address)) troubles.push(`request: ${request.url()}`);
  });
  const opened = new Opened(page, server.address, troubles);
  try {
    await page.goto(`${server.address}#token=${server.token}${route && `&/${route}`}`);
    await page.locator('main h1').waitFor();
    await use({ page, opened });
    assert.deepEqual(troubles, []);
  } finally {
    await context.close();
  }
}

const figure = (page, id) => page.locator(`[data-figure="${id}"] strong`);
const shows = (page, id, text) => page.locator(`[data-figure="${id}"] strong`, { hasText: text }).waitFor();
const spaces = (text) => text.replaceAll('\u00a0', ' ');
const pageIs = (page, title) => page.locator('h1', { hasText: title }).waitFor();

// "287.2 ms", as the page writes nanoseconds.
const milliseconds = (ns) => `${Number((ns / 1e6).toPrecision(4))} ms`;

describe('a journey', { concurrency: 2 }, () => {
  it('1: picks a model and a cluster, and has the figures of the command line', () => app('', async ({ page }) => {
    await page.getByRole('combobox', { name: 'Model' }).fill('llama-3.1-8b');
    await page.getByRole('combobox', { name: /^Cluster/ }).fill('h100-sxm:4');
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await pageIs(page, 'Plan');
    const { result } = orrery('run', '--model', 'llama-3.1-8b', '--cluster', 'h100-sxm:4');
    await figure(page, 'step').waitFor();
    assert.equal(spaces(await figure(page, 'step').innerText()), milliseconds(result.step_ns));
    assert.equal(await page.locator('[data-figure="step"] .badge').innerText(), 'predicted');
    assert.equal(spaces(await figure(page, 'mfu').innerText()), `${(100 * result.throughput.mfu).toFixed(1)} %`);
    assert.match(page.url(), /#\/plan\?model=llama-3\.1-8b&cluster=h100-sxm%3A4$/);
  }));

  it('2: moves a slider by keys, and sees the last value only', () => app(`${plan8}&tp=1`, async ({ page }) => {
    await figure(page, 'step').waitFor();
    await page.getByLabel('Tensor parallel (tp), slider').focus();
    const expected = milliseconds(orrery('run', '--model', 'llama-3.1-8b', '--cluster', 'h100-sxm:8', '--tp', '8').result.step_ns).replace(' ', '\u00a0');
    const begin = performance.now();
    for (let i = 0; i < 3; ++i) await page.keyboard.press('ArrowRight');
    await shows(page, 'step', expected);
    console.log(`# three keys to the last figures: ${Math.round(performance.now() - begin)} ms`);
    assert.equal(await page.getByLabel('Tensor parallel (tp)', { exact: true }).inputValue(), '8');
    await page.keyboard.press('Control+z');
    assert.equal(await page.getByLabel('Tensor parallel (tp)', { exact: true }).inputValue(), '1');
    await page.keyboard.press('Control+Shift+Z');
    await shows(page, 'step', expected);
  }));

  it('3: sees at the field why a plan is not possible, and takes what is proposed', () => app(`${plan8}&tp=3`, async ({ page }) => {
    const note = page.locator('#field-cluster-note');
    await note.getByRole('button', { name: 'Use tp 4' }).click();
    await figure(page, 'step').waitFor();
    assert.equal(await page.locator('[aria-invalid="true"]').count(), 0);
    await page.getByLabel('Global batch', { exact: true }).fill('15');
    await page.keyboard.press('Enter');
    await page.locator('#field-global_batch-note').getByText(/not a multiple of/).waitFor();
    assert.match(await page.locator('main').innerText(), /figures below are those of the last possible plan/);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.locator('.app-headline:not(.stale)').waitFor();
  }));

  it('4: makes a plan fit into memory', () => app('plan?model=llama-3.1-70b&cluster=h100-sxm%3A64&tp=8&pp=2', async ({ page }) => {
    await page.locator('[data-figure="memory"]', { hasText: 'does not fit' }).waitFor();
    const card = page.locator('section[aria-label="Memory"]');
    assert.equal(await card.locator('.app-stages > li').count(), 2);
    await card.locator('li', { hasText: 'parallel.sharding = zero1' }).getByRole('button', { name: 'Use' }).click();
    await page.locator('[data-figure="memory"]', { hasText: /: fits/ }).waitFor();
    assert.equal(await page.getByLabel('Sharding').inputValue(), 'zero1');
    const { result } = orrery('memory', '--model', 'llama-3.1-70b', '--cluster', 'h100-sxm:64', '--tp', '8', '--pp', '2', '--sharding', 'zero1', '--sp');
    assert.equal(spaces(await figure(page, 'memory').innerText()), `${Number((result.total_bytes / 1e9).toPrecision(4))} GB`);
  }));

  it('5: pins variants, compares them, and shares the comparison', () => app(`${plan8}&tp=4`, async ({ page }) => {
    await figure(page, 'step').waitFor();
    await page.locator('h1').focus();
    await page.keyboard.press('p');
    await page.getByLabel('Tensor parallel (tp)', { exact: true }).fill('2');
    await page.getByLabel('Tensor parallel (tp)', { exact: true }).press('Enter');
    await page.getByRole('button', { name: 'Pin to compare' }).click();
    await page.getByRole('link', { name: 'Compare (2)' }).click();
    const rows = page.locator('section[aria-label="Figures"] tbody tr');
    await rows.nth(1).waitFor();
    assert.match(await rows.nth(1).innerText(), /tp 2[^]*ms \+\d+\.\d %/);
    const widths = await page.locator('section[aria-label="Steps"] .app-bar').evaluateAll((bars) =>
      bars.map((bar) => [...bar.children].reduce((sum, one) => sum + one.getBoundingClientRect().width, 0) / bar.getBoundingClientRect().width));
    assert.ok(widths[0] < 0.7 && widths[1] > 0.99, String(widths));
    const link = page.url();
    await page.getByRole('button', { name: 'Remove tp 2' }).click();
    await page.getByRole('link', { name: 'Compare (1)' }).waitFor();
    await page.keyboard.press('Control+z');
    await rows.nth(1).waitFor();
    await page.reload();
    await rows.nth(1).waitFor();
    assert.equal(page.url(), link);
    await page.getByRole('button', { name: 'Open tp 4 as the plan' }).click();
    await pageIs(page, 'Plan');
    assert.equal(await page.getByLabel('Tensor parallel (tp)', { exact: true }).inputValue(), '4');
  }));

  it('6: drops files, learns what they are, and uses them', () => app('start', async ({ page }) => {
    const script = 'torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 8 --hidden-size 1024 --num-attention-heads 16 --seq-length 1024 '
      + '--max-position-embeddings 1024 --micro-batch-size 1 --global-batch-size 16 --tensor-model-parallel-size 2 --bf16\n';
    const files = page.locator('#drop-input');
    await files.setInputFiles([{ name: 'train 1.sh', mimeType: 'text/plain', buffer: Buffer.from(script) },
      { name: 'dgx-h100-64.yaml', mimeType: 'text/plain', buffer: readFileSync(join(folder, 'dgx-h100-64.yaml')) }]);
    const entry = (name) => page.locator(`li[data-file="${name}"]`);
    await entry('train-1.sh').getByText('a job as Megatron-LM describes it').waitFor();
    await entry('dgx-h100-64.yaml').getByRole('button', { name: 'Use as the cluster' }).waitFor();
    assert.equal(readFileSync(join(folder, 'train-1.sh'), 'utf8'), script);
    await files.setInputFiles([{ name: 'train 1.sh', mimeType: 'text/plain', buffer: Buffer.from(script.replace('16 --seq', '8 --seq')) }]);
    await entry('train-1-2.sh').getByRole('button', { name: 'Use as the job' }).click();
    await figure(page, 'step').waitFor();
    assert.equal(await page.getByLabel('Job file').inputValue(), 'train-1-2.sh');
    const { result } = orrery('run', '--spec', 'train-1-2.sh', '--cluster', 'h100-sxm:8');
    assert.equal(spaces(await figure(page, 'step').innerText()), milliseconds(result.step_ns));
  }));

  it('7: searches, cancels, searches again, and takes a plan that was found', () => app('plan?model=llama-3.1-8b&cluster=h100-sxm%3A16', async ({ page }) => {
    await figure(page, 'step').waitFor();
    await page.getByRole('link', { name: 'Search' }).click();
    await page.getByText('orrery search --top 10').waitFor();
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('The search was cancelled.').waitFor();
    await page.getByLabel('Plans to show').fill('3');
    await page.getByLabel('Plans to show').press('Tab');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.locator('progress').waitFor();
    const found = page.locator('section[aria-label="Plans found"] tbody tr');
    await found.nth(2).waitFor();
    assert.equal(await found.count(), 3);
    const step = (await found.first().locator('td').nth(1).innerText()).trim();
    await found.first().getByRole('button').click();
    await pageIs(page, 'Plan');
    await shows(page, 'step', step.replace(' ', '\u00a0'));
  }));

  it('8: reads the report of a run, and saves it as one file', () => app(`${plan8}&tp=4`, async ({ page }) => {
    await figure(page, 'step').waitFor();
    await page.keyboard.press('6');
    const report = page.frameLocator('iframe[title="Report of the run"]');
    await report.locator('h1', { hasText: 'Summary' }).waitFor();
    await report.getByRole('link', { name: /^Memory/ }).click();
    await report.locator('h1', { hasText: 'Memory' }).waitFor();
    assert.equal(await page.locator('iframe').getAttribute('sandbox'), 'allow-scripts');
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save as one file' }).click()]);
    const file = join(ORRERY_OUTPUT, 'saved.html');
    await download.saveAs(file);
    const saved = await Opened.open(browser, file);
    await saved.page.locator('h1', { hasText: 'Summary' }).waitFor();
    assert.deepEqual(saved.trouble(), []);
    await saved.close();
  }));

  it('9: builds a cluster, and plans on it', () => app('cluster', async ({ page }) => {
    await page.getByLabel('Name').fill('two-tiers');
    await page.getByLabel('Members').nth(1).fill('4');
    await page.getByRole('img', { name: /switch of 4 by ib-ndr/ }).waitFor();
    await page.getByRole('button', { name: 'Add a dimension' }).click();
    await page.getByLabel('Link').nth(2).fill('roce-400');
    await page.getByLabel('Link').nth(2).press('Tab');
    assert.match(await page.getByLabel('Cluster file').innerText(), /size: 2, link: roce-400/);
    await page.getByRole('button', { name: 'Store and use' }).click();
    await pageIs(page, 'Plan');
    await figure(page, 'step').waitFor();
    assert.equal(await page.getByRole('combobox', { name: 'Cluster' }).inputValue(), 'two-tiers.yaml');
    assert.match(await page.locator('section[aria-label="Cluster"]').innerText(), /64 devices h100-sxm: switch of 8[^]*switch of 4[^]*switch of 2/);
    assert.equal(orrery('doctor', 'two-tiers.yaml').result.lines.find(({ name }) => name === 'devices').text, '64');
  }));

  it('10: shares a link without the token, and is refused without it', () => app(`${plan8}&tp=2&nonsense=1`, async ({ page }) => {
    await figure(page, 'step').waitFor();
    await page.getByRole('status').filter({ hasText: 'no such options: nonsense' }).waitFor();
    assert.ok(!page.url().includes(server.token));
    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByRole('status').filter({ hasText: 'is copied' }).waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    assert.equal(link, `${server.address}#/plan?model=llama-3.1-8b&cluster=h100-sxm%3A8&tp=2`);
    const stranger = await (await browser.newContext()).newPage();
    await stranger.goto(link);
    await stranger.getByText('Open the address that `orrery ui` printed.').waitFor();
    await stranger.context().close();
  }));
});

// Every page, in both themes and both widths; axe-core's rules of WCAG A and AA in both themes.
const routes = {
  start: 'start', plan: 'plan?model=llama-3.1-70b&cluster=h100-sxm%3A64&tp=8&pp=4&price=3&power=catalog', impossible: `${plan8}&tp=3`,
  compare: `compare?${new URLSearchParams(['4', '2'].map((tp) => ['pin', `model=llama-3.1-8b&cluster=h100-sxm:8&tp=${tp}`]))}`,
  search: 'search', cluster: 'cluster', report: 'report',
};

async function settled(page, name) {
  if (name === 'plan') await figure(page, 'step').waitFor();
  else if (name === 'impossible') await page.locator('[aria-invalid="true"]').first().waitFor();
  else if (name === 'compare') await page.locator('section[aria-label="Steps"]').waitFor();
  else if (name === 'report') await page.frameLocator('iframe').locator('h1').waitFor();
  else if (name === 'search') {
    await page.getByRole('button', { name: 'Search' }).click();
    await page.locator('section[aria-label="Plans found"]').waitFor();
  }
}

const violations = (page) => page.evaluate(`${axe};axe.run({ exclude: [['iframe']] }, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'], iframes: false })
  .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 160))))`);

describe('every page of the app is readable, named and within the window', { concurrency: 2 }, () => {
  for (const [name, route] of Object.entries(routes)) {
    it(name, () => app(route, async ({ page, opened }) => {
      await settled(page, name);
      const wrong = [];
      for (const [theme, width] of everyDress) {
        await opened.dress(theme, width);
        for (const check of [...(name === 'impossible' ? [] : [empty]), lowContrast, unnamed, overflow]) wrong.push(...await page.evaluate(check));
        wrong.push(...await violations(page));
        await page.screenshot({ path: join(pictures, `app-${name}-${theme}-${width}.png`), fullPage: true });
      }
      assert.deepEqual(wrong, []);
    }));
  }

  it('on paper', () => app(`${plan8}&tp=4`, async ({ page }) => {
    await figure(page, 'step').waitFor();
    await page.emulateMedia({ media: 'print', colorScheme: 'light' });
    assert.equal(await page.locator('.app-editor').isVisible(), false);
    assert.deepEqual(await page.evaluate(lowContrast), []);
    await page.pdf({ path: join(pictures, 'app-plan.pdf') });
  }));

  it('soon', () => app('', async ({ page }) => {
    const shown = await page.evaluate(() => performance.getEntriesByType('paint').map(({ name, startTime }) => `${name} ${Math.round(startTime)} ms`));
    console.log(`# app: ${shown.join(', ')}`);
    writeFileSync(join(ORRERY_OUTPUT, 'app-paint.txt'), `${shown.join('\n')}\n`);
  }));
});
