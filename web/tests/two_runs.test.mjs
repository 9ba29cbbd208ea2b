// SPDX-License-Identifier: Apache-2.0
//
// Two runs side by side: equal lengths and colors mean equal values. run.mjs says what this needs in the environment;
// report.test.mjs has made the reports.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { launch, Opened } from './browser.mjs';

const { ORRERY_OUTPUT, ORRERY_PAGE, ORRERY_PROJECT } = process.env;
let browser;
before(async () => {
  browser = await launch();
  // More ranks than are shown as rows; the second run is slower.
  const dev = (file, ...args) => execFileSync(process.execPath, [join(ORRERY_PROJECT, 'web/dev', file), ...args], { encoding: 'utf8', maxBuffer: 2 ** 28 });
  const json = join(ORRERY_OUTPUT, 'many.json');
  writeFileSync(json, dev('generate.mjs', '40', '4', '2'));
  dev('fill.mjs', json, join(ORRERY_OUTPUT, 'many.html'), ...(ORRERY_PAGE ? [ORRERY_PAGE] : []));
});
after(() => browser?.close());

async function opened(name, id, use) {
  const report = await Opened.open(browser, join(ORRERY_OUTPUT, `${name}.html`), { reducedMotion: 'reduce' });
  try {
    await report.show(id);
    await report.settle(8);
    await use(report);
    assert.deepEqual(report.trouble(), []);
  } finally {
    await report.close();
  }
}

// The pixels of one part of each canvas: [x, y, width, height] in CSS pixels, from the right or below where negative.
const pixels = ({ page }, canvas, part) => page.$$eval(canvas, (all, [x, y, width, height]) => all.map((one) => {
  const scale = one.width / one.clientWidth;
  const at = (value, whole) => Math.round((value < 0 ? whole + value : value) * scale);
  const copy = new OffscreenCanvas(Math.round(width * scale), Math.round(height * scale));
  const context = copy.getContext('2d', { willReadFrequently: true });
  context.drawImage(one, -at(x, one.clientWidth), -at(y, one.clientHeight));
  return [...context.getImageData(0, 0, copy.width, copy.height).data];
}), part);

async function samePixels(report, canvas, part, what) {
  const [first, second, ...more] = await pixels(report, canvas, part);
  assert.equal(more.length, 0, `${what}: more than two pictures`);
  assert.ok(first?.some((value) => value > 0), `${what}: nothing is drawn`);
  assert.ok(first.join() === second.join(), `${what} differs between the runs`);
}

// Each bar: how much of its width is filled.
const filled = ({ page }, bars) => page.$$eval(bars, (all) => all.map((bar) =>
  [...bar.querySelectorAll('.fill')].reduce((sum, one) => sum + one.getBoundingClientRect().width, 0) / bar.getBoundingClientRect().width));

const steps = async ({ page }) => (await page.evaluate(async () => {
  const read = JSON.parse(document.getElementById('orrery-data').textContent);
  if (!read.deflate) return read;
  const packed = Uint8Array.from(atob(read.deflate), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw'))).json();
})).runs.map(({ step }) => step);

describe('the breakdown of two runs', () => {
  // Each run once had its own axis, so that the shorter step looked as long as the longer one.
  it('has one axis of times', () => opened('whatif', 'breakdown', async (report) => {
    const times = await steps(report);
    const longest = Math.max(...times);
    assert.ok(Math.min(...times) < 0.9 * longest, `steps of about the same time: ${times}`);
    const axes = await report.page.locator('.rank-rows .axis').allInnerTexts();
    assert.equal(axes.length, 2);
    assert.equal(axes[0], axes[1]);
    const means = await filled(report, '.mean > .part-bar');
    times.forEach((step, run) => assert.ok(Math.abs(means[run] - step / longest) < 0.01, `mean of run ${run}: ${means[run]} for ${step} of ${longest}`));
    for (const [run, list] of (await report.page.locator('.rank-rows').all()).entries()) {
      const bar = list.locator('.part-bar').first();
      const share = await bar.evaluate((one) => [...one.querySelectorAll('.fill')].reduce((sum, part) => sum + part.getBoundingClientRect().width, 0) / one.getBoundingClientRect().width);
      assert.ok(Math.abs(share - times[run] / longest) < 0.01, `first rank of run ${run}: ${share}`);
    }
  }));

  it('is of the own step in percent', () => opened('whatif', 'breakdown', async (report) => {
    await report.page.getByRole('button', { name: 'Percent' }).first().click();
    for (const share of await filled(report, '.rank-rows .part-bar')) assert.ok(Math.abs(share - 1) < 0.01, String(share));
  }));

  it('has one axis of times with many ranks, too', () => opened('many', 'breakdown', async (report) => {
    const canvas = '.strip canvas:not(.overview)';
    await samePixels(report, canvas, [0, 0, 58, 268], 'axis');
    // In a column of pixels in the middle, those that the axis, left of the first rank, has not drawn as well.
    const [middle, margin] = [await pixels(report, canvas, [300, 0, 1, 267]), await pixels(report, canvas, [59, 0, 1, 267])];
    const heights = middle.map((column, run) => column.filter((value, i) => i % 4 === 3 && value > 0 && margin[run][i] === 0).length);
    const [fast, slow] = await steps(report);
    assert.ok(Math.abs(heights[0] / heights[1] - fast / slow) < 0.03, `columns of ${heights} for steps of ${fast} and ${slow}`);
  }));

  it('is on the summary in the same scale', () => opened('whatif', 'summary', async (report) => {
    const times = await steps(report);
    const means = await filled(report, '.mean > .part-bar');
    times.forEach((step, run) => assert.ok(Math.abs(means[run] - step / Math.max(...times)) < 0.01, `run ${run}: ${means[run]}`));
  }));
});

describe('the critical paths of two runs', () => {
  it('have one axis of times', () => opened('many', 'critical-path', (report) => samePixels(report, '.cp-canvas', [58, 0, 4000, 22], 'axis')));
});

describe('the collectives of two runs', () => {
  const chart = '[aria-label="Size and bandwidth"] .chart canvas';
  const sameAxes = async (report, when) => {
    await samePixels(report, chart, [0, 0, 36, 380], `axis of bandwidth ${when}`);
    await samePixels(report, chart, [0, -32, 4000, 32], `axis of sizes ${when}`);
  };

  it('have one axis of sizes, one of bandwidths, and one set of colors', () => opened('whatif', 'collectives', async (report) => {
    await sameAxes(report, 'at first');
    const legends = await report.page.$$eval('[aria-label="Size and bandwidth"] .legend', (all) => all.map((one) => one.innerHTML));
    assert.equal(legends.length, 2);
    assert.equal(legends[0], legends[1]);
  }));

  it('show the same of both', () => opened('whatif', 'collectives', async (report) => {
    const { page } = report;
    await page.getByRole('checkbox', { name: 'bandwidth from zero' }).first().check();
    assert.ok(await page.getByRole('checkbox', { name: 'bandwidth from zero' }).last().isChecked());
    await report.settle(8);
    await sameAxes(report, 'from zero');
    await page.getByRole('combobox', { name: 'Type' }).last().selectOption('all_reduce');
    await page.getByRole('combobox', { name: 'Group' }).first().selectOption({ index: 1 });
    await report.settle(8);
    await sameAxes(report, 'of one type and group');
    const types = await page.$$eval('section[aria-label="Classes"]', (all) => all.map((one) => [...new Set([...one.querySelectorAll('tbody td:first-child')].map(({ textContent }) => textContent))]));
    assert.deepEqual(types, [['all_reduce'], ['all_reduce']]);
  }));
});
