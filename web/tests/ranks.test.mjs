// SPDX-License-Identifier: Apache-2.0
//
// A rank by its number: in a run of a few ranks, and in one of very many that are alike.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { launch, Opened } from './browser.mjs';

const { ORRERY_PROGRAM, ORRERY_OUTPUT, ORRERY_PAGE } = process.env;
const ranks = process.env.ORRERY_TEST_EFFORT === 'full' ? 131_072 : 16_384;
const largest = 4_000_000; // bytes of the report
// Guards against hanging, whatever else the machine does; an idle one needs a thirtieth.
const slowest = 30_000; // ms until the report can be read

let browser;
let many;

// Pairs of ranks with tensor parallelism, each in one of two groups of replicas.
function manyRanks() {
  const [cluster, run, page] = ['many.yaml', 'many.orrery', 'many.html'].map((name) => join(ORRERY_OUTPUT, name));
  writeFileSync(cluster, `version: 1\nname: many\ndevice: h100-sxm\nnetwork:\n  - {block: switch, size: 8, link: nvlink4}\n  - {block: switch, size: ${ranks / 8}, link: roce-400}\n`);
  const orrery = (...args) => execFileSync(ORRERY_PROGRAM, args, { stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' });
  orrery('run', '--model', 'llama-3.2-1b', '--tp', '2', '--dp', String(ranks / 2), '--cluster', cluster, '-o', run, '--force', '-q');
  orrery('report', run, '--html', page, ...(ORRERY_PAGE ? ['--page', ORRERY_PAGE] : []), '--force');
  return page;
}

before(async () => {
  many = manyRanks();
  browser = await launch();
});
after(() => browser?.close());

async function opened(file, use) {
  const report = await Opened.open(browser, file);
  try {
    await report.page.waitForSelector('main h1');
    await use(report);
    assert.deepEqual(report.trouble(), []);
  } finally {
    await report.close();
  }
}

// What the timeline shows of a rank: the titles of its row and lanes, and whether the row is on the screen.
function shownRow(page, rank) {
  return page.evaluate((wanted) => {
    const { rows, model, scroll, height } = window.__orreryTimeline.state;
    const unit = rows.ofRank[wanted];
    const { title, ranks: count, line } = rows.units[unit];
    const top = rows.rows[rows.ofUnit[unit]].top - scroll;
    return { title, count, open: rows.open.has(unit), lanes: model.lines[line].lanes.map((lane) => lane.titleAt(wanted)), visible: top >= 0 && top < height };
  }, rank);
}

async function type(report, text) {
  await report.page.locator('.find-rank').fill(text);
  await report.page.waitForTimeout(250); // it looks when typing pauses
  await report.settle();
}

describe('a run of many ranks', () => {
  it('opens', async () => {
    const times = [];
    for (let i = 0; i < 3; ++i) {
      await opened(many, async ({ page }) => {
        times.push(await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(performance.now()))))));
      });
    }
    const { size } = statSync(many);
    console.log(`# ${ranks} ranks: ${size} bytes, open: ${times.map(Math.round).join(', ')} ms`);
    assert.ok(size < largest, `${size} bytes`);
    assert.ok(Math.min(...times) < slowest, `${times} ms`);
  });

  it('shows a rank in the timeline by its number', () => opened(many, async (report) => {
    const { page } = report;
    await report.show('timeline');
    const together = await shownRow(page, 12_345);
    assert.ok(together.count > 1, together.title);
    await type(report, '12345');
    const found = await shownRow(page, 12_345);
    assert.deepEqual([found.title, found.count, found.open, found.visible], ['rank 12345', 1, true, true]);
    assert.ok(found.lanes.some((title) => title.includes('ranks 12344-12345')), found.lanes.join('; '));
    await page.waitForFunction(() => location.hash.includes('rank=12345'));
    await type(report, String(ranks));
    assert.match(await page.locator('.find-note').innerText(), /ranks are 0 to/);
    assert.equal(await page.locator('.find-rank').getAttribute('aria-invalid'), 'true');
    await type(report, '');
    assert.ok((await shownRow(page, 12_345)).count > 1);
  }));

  it('shows its own row where the address asks for it', () => opened(many, async (report) => {
    await report.show('timeline', '?rank=12001');
    assert.equal(await report.page.locator('.find-rank').inputValue(), '12001');
    assert.deepEqual((await shownRow(report.page, 12_001)).title, 'rank 12001');
  }));

  it('shows the figures of a rank on the breakdown by its number', () => opened(many, async (report) => {
    const { page } = report;
    await report.show('breakdown');
    await type(report, '12,345');
    assert.match(await page.locator('.readout').innerText(), /^rank 12,345/);
    assert.match(page.url(), /rank=12345/);
    await page.locator('.readout a').click();
    await report.settle();
    assert.match(page.url(), /#\/timeline\?.*rank=12345/);
  }));
});

describe('a run of eight ranks', () => {
  it('shows one of them by its number', () => opened(join(ORRERY_OUTPUT, 'demo.html'), async (report) => {
    const { page } = report;
    await report.show('breakdown');
    await type(report, '5');
    assert.deepEqual(await page.$$eval('.rank-rows .found', (all) => all.map(({ dataset }) => dataset.rank)), ['5']);
    await type(report, '8');
    assert.match(await page.locator('.find-note').innerText(), /0 to 7/);
    await report.show('timeline');
    await type(report, '7');
    const found = await shownRow(page, 7);
    assert.deepEqual([found.title, found.open, found.visible], ['rank 7', true, true]);
  }));
});
