// SPDX-License-Identifier: Apache-2.0
//
// The page of a searched space as people use it. run.mjs says what it needs in the environment; report.test.mjs has made
// the reports.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { everyDress, launch, Opened } from './browser.mjs';
import { empty, lowContrast, overflow, unnamed } from './checks.mjs';
import { colorsOf, readPng, writePng } from './png.mjs';
import { hostileName } from './workloads.mjs';

const { ORRERY_OUTPUT, ORRERY_PROJECT, ORRERY_UPDATE_DOCS } = process.env;
const pictures = join(ORRERY_OUTPUT, 'screenshots');
let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

async function space(name, use, query = '', options = {}) {
  const report = await Opened.open(browser, join(ORRERY_OUTPUT, `${name}.html`), { reducedMotion: 'reduce', ...options });
  const { page } = report;
  try {
    await report.show('points', query);
    const hook = (what, ...args) => page.evaluate(([code, more]) => new Function('g', 'args', `return ${code}`)(window.__orrerySpace, more), [what, args]);
    await use({ report, page, hook });
    assert.deepEqual(report.trouble(), []);
  } finally {
    await report.close();
  }
}

const main = (page) => page.locator('main').innerText();
const card = (page, label) => page.locator(`section[aria-label="${label}"]`);

// Where a point is on the screen, in the picture that `of` names.
async function placeOf(page, hook, of, point) {
  const picture = of === 'scatter' ? 0 : 1;
  const stage = page.locator('.sp-stage[role="application"]').nth(picture);
  await stage.scrollIntoViewIfNeeded();
  const box = await stage.locator('.sp-canvas').boundingBox();
  const { x, y } = await hook(`g.${of}.placeOf(args[0])`, point);
  return [box.x + x, box.y + y];
}

describe('the page of a space', () => {
  for (const name of ['gpus', 'line', 'wide', 'point', 'nowhere', 'names']) {
    it(`shows without a complaint: ${name}`, () => space(name, async ({ report, page }) => {
      assert.deepEqual(await report.pages(), ['points']);
      const wrong = [];
      for (const [theme, width] of everyDress) {
        await report.dress(theme, width);
        for (const check of [empty, lowContrast, unnamed, overflow]) wrong.push(...await page.evaluate(check));
        await page.screenshot({ path: join(pictures, `space-${name}-${theme}-${width}.png`), fullPage: true, animations: 'disabled' });
      }
      assert.deepEqual(wrong, []);
    }));
  }

  it('says what a point is under the pointer, and shows its step when clicked', () => space('gpus', async ({ report, page, hook }) => {
    const point = await hook('g.state.shown.find((i) => g.model.data.simulated[i] > 0 && g.model.front[i] && i !== g.state.chosen)');
    const [x, y] = await placeOf(page, hook, 'scatter', point);
    await page.mouse.move(x, y);
    const tip = page.locator('.sp-tip:visible');
    await tip.waitFor();
    assert.match(await tip.innerText(), /gpu \S+, n \d+.*\s+step\s+3\.\d+ s, simulated; estimate error .* %\s+cost of 10⁹ tokens\s+[67]\d\.\d+ USD\s+front/s);
    await page.mouse.click(x, y);
    await report.settle();
    assert.equal(await hook('g.state.chosen'), point);
    const chosen = card(page, 'Selected point');
    assert.match(await chosen.innerText(), /computing \d+\.\d %.*exposed communication.*idle.*memory\s+152\.2 GB/s);
    assert.match(await chosen.innerText(), /orrery run --spec job\.yaml --cluster b200:8/);
    await chosen.getByText('Megatron-LM’s arguments').click();
    assert.match(await chosen.locator('pre[aria-label="Megatron-LM’s arguments"]').innerText(), /^--num-layers 32 \\\n[^]*--micro-batch-size 4 \\\n--global-batch-size 128/);
    await chosen.getByText('job.yaml', { exact: true }).click();
    assert.match(await chosen.locator('pre[aria-label="job.yaml"]').innerText(), /sharding: "zero1"/);
  }));

  it('lays points out by any two figures, and keeps that in its address', () => space('gpus', async ({ page, hook }) => {
    assert.deepEqual(await hook('[g.scatter.plot.x.name, g.scatter.plot.y.name, g.state.chosen]'), ['memory', 'tp', 7]);
    await page.locator('label.sp-choice', { hasText: /^Up/ }).locator('select').selectOption('power');
    assert.match(page.url(), /points\?x=memory&y=power&point=7$/);
  }, '?x=memory&y=tp&point=7'));

  it('goes from point to point by keys', () => space('gpus', async ({ page, hook }) => {
    const values = 'g.state.shown.map((i) => g.model.dims.find(({ name }) => name === "step").values[i]).sort((a, b) => a - b)';
    await page.locator('.sp-stage[role="application"]').first().focus();
    await page.keyboard.press('Home');
    const step = () => hook('g.model.dims.find(({ name }) => name === "step").values[g.state.chosen]');
    const all = await hook(values);
    assert.equal(await step(), all[0]);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    assert.equal(await step(), all[2]);
    assert.match(await page.locator('main > div > [aria-live]').innerText(), /simulated|estimated/);
  }));

  it('filters all views by a drag along an upright, and lets go at a click', () => space('gpus', async ({ report, page, hook }) => {
    const dim = await hook('g.parallel.dims.findIndex(({ name }) => name === "tp")');
    const stage = page.locator('.sp-brushed');
    await stage.scrollIntoViewIfNeeded();
    const box = await stage.locator('.sp-canvas').boundingBox();
    const [from, to] = [await hook('g.parallel.placeOf(args[0], 0.4)', dim), await hook('g.parallel.placeOf(args[0], 1.4)', dim)];
    await page.mouse.move(box.x + from.x, box.y + from.y);
    await page.mouse.down();
    await page.mouse.move(box.x + to.x, box.y + to.y, { steps: 4 });
    await page.mouse.up();
    await report.settle();
    const counted = await hook('g.state.shown.length');
    assert.ok(counted > 10 && counted < 200, String(counted));
    assert.ok(await hook('g.state.shown.every((i) => g.model.data.axes.find(({ name }) => name === "tp").at[i] === 1)'));
    assert.match(await card(page, 'Filters').innerText(), new RegExp(`${counted} of 240 points[^]*tp 2 ✕`));
    assert.match(await card(page, 'Table').innerText(), new RegExp(`${counted} points: the front first`));
    assert.match(await card(page, 'Map').innerText(), /s/);
    await page.mouse.click(box.x + to.x, box.y + to.y);
    await report.settle();
    assert.equal(await hook('g.state.shown.length'), 240);
  }));

  it('filters by fields and words', () => space('gpus', async ({ page, hook }) => {
    const filters = card(page, 'Filters');
    await filters.getByText('Filters', { exact: true }).click();
    await filters.getByLabel('memory to, GB').fill('80');
    await filters.getByLabel('memory to, GB').press('Enter');
    await filters.getByLabel('gpu from').selectOption('b200');
    assert.ok(await hook('g.state.shown.length > 0 && g.state.shown.every((i) => g.model.dims.find(({ name }) => name === "memory").values[i] <= 80e9 && g.model.data.axes[0].labels[g.model.data.axes[0].at[i]] === "b200")'));
    await filters.getByLabel('Only plans whose').fill('no such plan');
    assert.equal(await hook('g.state.shown.length'), 0);
    assert.match(await card(page, 'Table').innerText(), /No matching points/);
    await filters.getByRole('button', { name: 'Show all' }).click();
    assert.equal(await hook('g.state.shown.length'), 240);
  }));

  it('has a map whose cells choose, and a table that sorts', () => space('gpus', async ({ page, hook }) => {
    const map = card(page, 'Map');
    await map.getByLabel('Across').selectOption('tp');
    await map.getByLabel('Down').selectOption('micro');
    await map.getByLabel('Over the other axes').selectOption('mean');
    const cell = map.locator('tbody button').first();
    assert.match(await cell.getAttribute('aria-label'), /^tp 1, micro 1: step .* s, mean of \d+ points/);
    await cell.click();
    assert.equal(await hook('g.model.data.axes.find(({ name }) => name === "tp").at[g.state.chosen]'), 0);
    const cells = card(page, 'Table');
    await cells.getByRole('button', { name: 'memory' }).click();
    await cells.getByRole('button', { name: 'memory' }).click();
    const least = await hook('Math.min(...g.model.dims.find(({ name }) => name === "memory").values)');
    assert.ok((await cells.locator('tbody tr').first().innerText()).includes(`${(least * 1e-9).toFixed(1)} GB`));
    await cells.locator('tbody button').first().click();
    assert.equal(await hook('g.model.dims.find(({ name }) => name === "memory").values[g.state.chosen]'), least);
  }));

  it('saves what is shown as CSV', () => space('gpus', async ({ page, hook, report }) => {
    await hook('g.state.search("zero3")');
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save as CSV' }).click()]);
    const lines = readFileSync(await download.path(), 'utf8').trim().split('\r\n');
    assert.equal(lines.length, 1 + await hook('g.state.shown.length'));
    assert.match(lines[0], /^gpu,n,tp,pp,micro,sharding,step,/);
    assert.ok(lines.slice(1).every((line) => line.includes('zero3')));
    report.trouble(); // the file itself is a request
  }));

  it('says what would have to be true for others', () => space('gpus', async ({ page, hook }) => {
    const rivals = card(page, 'Break-even');
    assert.match(await rivals.innerText(), /\+0\.4 %\s+sharding zero1[^]*both with n 8/);
    await rivals.getByRole('button', { name: 'Select the best with sharding zero1' }).click();
    assert.match(await card(page, 'Selected point').innerText(), /sharding zero1/);
    assert.ok(await hook('g.state.chosen !== g.model.data.best'));
  }));

  it('says what axes do, and how far estimates are off', () => space('gpus', async ({ page, hook }) => {
    assert.match(await card(page, 'Effects of axes').innerText(), /gpu\s+(39|40|41)\.\d %\s+b200\s+h100-sxm: \+15\d\.\d %/);
    assert.match(await card(page, 'Estimates and simulations').innerText(), /3\d points were estimated and simulated\. The median error of the estimates is 0\.00 %/);
    const point = await hook('g.model.off.findIndex(Number.isFinite)');
    const [x, y] = await placeOf(page, hook, 'compared', point);
    await page.mouse.click(x, y);
    assert.ok(await hook('Number.isFinite(g.model.off[g.state.chosen])'));
  }));

  it('of names that are hostile has them as text', () => space('names', async ({ page }) => {
    assert.ok((await page.locator('header').innerText()).includes(hostileName.slice(0, 20)));
    assert.ok((await main(page)).includes(hostileName.slice(0, 20)));
    assert.equal(await page.locator('main img').count(), 0);
  }));

  it('of nothing says why', () => space('nowhere', async ({ page }) => {
    assert.match(await main(page), /No point is allowed.*least memory\s+0\.\d GB per device.*4\s+does not fit: needs more memory than a device has/s);
    assert.equal(await page.locator('canvas').count(), 0);
  }));

  it('is printed', () => space('gpus', async ({ page, report }) => {
    await page.evaluate(() => { dispatchEvent(new Event('beforeprint')); });
    await page.emulateMedia({ media: 'print' });
    await report.settle();
    assert.equal(await page.locator('.print-page').count(), 1);
    assert.deepEqual(await page.evaluate(lowContrast), []);
    assert.deepEqual(await page.evaluate(empty), []);
    await page.pdf({ path: join(pictures, 'space-gpus.pdf') });
  }));

  // ORRERY_UPDATE_DOCS=1 draws the picture of docs/search-space.md anew.
  it('is what docs/search-space.md shows', () => space('gpus', async ({ page, report }) => {
    await page.setViewportSize({ width: 1440, height: 900 });
    await report.settle(8);
    const [from, to] = await page.evaluate(() => ['Points and their front', 'All axes and figures'].map((label) => {
      const box = document.querySelector(`section[aria-label="${label}"]`).getBoundingClientRect();
      return [box.top, box.bottom];
    })).then(([first, last]) => [first[0], last[1]]);
    const picture = readPng(await page.screenshot({ fullPage: true, animations: 'disabled', clip: { x: 0, y: from - 12, width: 1440, height: to - from + 24 } }));
    const file = join(ORRERY_PROJECT, 'docs/pictures/search-space.png');
    if (ORRERY_UPDATE_DOCS) writeFileSync(file, writePng(picture));
    const { count, commonest } = colorsOf(picture);
    assert.ok(count > 30 && commonest < 0.9, `${count} colors, one of them ${Math.round(commonest * 100)} %`);
    assert.ok(existsSync(file), `${file} is missing: run this with ORRERY_UPDATE_DOCS=1`);
    const before = readPng(readFileSync(file));
    assert.ok(Math.abs(before.height - picture.height) < 0.15 * picture.height, `${file} is ${before.height} px high, now it would be ${picture.height}: run this with ORRERY_UPDATE_DOCS=1`);
    assert.ok(statSync(file).size <= 220_000, `${file}: ${statSync(file).size} bytes`);
  }));

  it('stands without JavaScript as a table', async () => {
    const report = await Opened.open(browser, join(ORRERY_OUTPUT, 'gpus.html'), { javaScriptEnabled: false });
    assert.match(await report.page.locator('#static').innerText(), /evaluated\s+412 points[^]*144 not allowed\s+constraint power <= 30 kW/);
    await report.close();
  });
});
