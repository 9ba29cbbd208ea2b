// SPDX-License-Identifier: Apache-2.0
//
// The pages of schedules as people use them. run.mjs says what it needs in the environment; report.test.mjs has made
// the reports.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { everyDress, launch, Opened } from './browser.mjs';
import { empty, lowContrast, overflow, unnamed } from './checks.mjs';
import { hostileName } from './workloads.mjs';

const { ORRERY_OUTPUT } = process.env;
const pictures = join(ORRERY_OUTPUT, 'screenshots');
let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

async function schedule(name, use, query = '') {
  const report = await Opened.open(browser, join(ORRERY_OUTPUT, `${name}.html`), { reducedMotion: 'reduce' });
  const { page } = report;
  try {
    await report.show('schedule', query);
    const hook = (what, ...args) => page.evaluate(([code, more]) => new Function('g', 'args', `return ${code}`)(window.__orrerySchedule, more), [what, args]);
    const at = async (link, bar) => {
      const box = await page.locator('.tl-top').boundingBox();
      const place = await hook('g.placeOf(args[0], args[1])', link, bar);
      return [box.x + place.x, box.y + place.y];
    };
    await use({ report, page, hook, at });
    assert.deepEqual(report.trouble(), []);
  } finally {
    await report.close();
  }
}

const main = (page) => page.locator('main').innerText();

describe('a schedule', () => {
  for (const name of ['gather', 'scatters', 'broken', 'nothing']) {
    it(`shows without a complaint: ${name}`, () => schedule(name, async ({ report, page }) => {
      assert.deepEqual(await report.pages(), ['schedule']);
      const wrong = [];
      for (const [theme, width] of everyDress) {
        await report.dress(theme, width);
        for (const check of [empty, lowContrast, unnamed, overflow]) wrong.push(...await page.evaluate(check));
        await page.screenshot({ path: join(pictures, `schedule-${name}-${theme}-${width}.png`), fullPage: true, animations: 'disabled' });
      }
      assert.deepEqual(wrong, []);
    }));
  }

  // The time of a tick was once half under the name of the bound.
  it('writes no time under the name of the bound', () => schedule('gather', async ({ report, page, hook }) => {
    await page.evaluate(() => {
      const { fillText } = CanvasRenderingContext2D.prototype;
      window.__written = [];
      CanvasRenderingContext2D.prototype.fillText = function written(text, x, y) {
        const scale = this.getTransform().a / devicePixelRatio;
        window.__written.push({ text, y, from: x * scale, to: x * scale + this.measureText(text).width });
        return fillText.call(this, text, x, y);
      };
    });
    let times = 0;
    for (const width of [390, 700, 1000, 1300, 1440]) {
      await page.evaluate(() => { window.__written.length = 0; });
      await page.setViewportSize({ width, height: 900 });
      await report.settle(8);
      const written = await page.evaluate(() => window.__written);
      const bound = written.findLast(({ text }) => text === 'bound');
      assert.ok(bound, `${width}: no name`);
      const ticks = written.filter(({ text, y }) => y === bound.y && /^(0|[\d.]+ [num]?s)$/.test(text));
      times += ticks.length;
      for (const tick of ticks) assert.ok(tick.to <= bound.from || tick.from >= bound.to, `${width}: ${tick.text} from ${tick.from} to ${tick.to}, bound from ${bound.from}`);
    }
    assert.ok(times > 10, `${times} times`);
    assert.ok(await hook('g.state.model.data.bound > 0'));
  }));

  it('says what was asked, what it takes and what binds', () => schedule('gather', async ({ page, hook }) => {
    assert.match(await page.locator('header').innerText(), /all-gather of 1 GiB among 64 ranks of wafer-64/);
    const text = await main(page);
    assert.match(text, /Time\s+264\.3 us\s+equal to the lower bound/);
    assert.match(text, /bottleneck\s+traffic into npu0: 1008 MiB over 2 links/);
    assert.match(text, /method\s+search, seed 1/);
    assert.deepEqual(await hook('g.state.links.slice(0, 2).map((link) => g.state.model.data.links.name[link]).sort()'), ['npu1 -> npu0', 'npu8 -> npu0']);
  }));

  it('says what a send is under the pointer, and shows all of its piece when clicked', () => schedule('gather', async ({ report, page, hook, at }) => {
    const link = await hook('g.state.links[0]');
    const [x, y] = await at(link, 60);
    await page.mouse.move(x, y);
    const tip = page.locator('.tl-tip:visible');
    await tip.waitFor();
    assert.match(await tip.innerText(), /npu\d+’s piece \d+\s+from\s+npu\d+\s+to\s+npu0\s+bytes\s+8 MiB at \d.*\s+starts\s+.* us\s+arrives\s+.* us\s+waited for/);
    await page.mouse.click(x, y);
    await report.settle();
    const chosen = page.locator('section[aria-label="Selected piece"]');
    assert.match(await chosen.innerText(), /All sends of this piece: 63 sends/);
    assert.match(page.url().length > 0 && await page.locator('.tl [aria-live]').innerText(), /waited for/);
    await page.getByRole('button', { name: 'only its links' }).click();
    assert.equal(await hook('g.state.links.length'), 63);
    await page.keyboard.press('Escape');
    assert.equal(await chosen.isVisible(), false);
    assert.equal(await hook('g.state.links.length'), 224);
  }));

  it('zooms about the pointer by wheel, and moves by drag', () => schedule('gather', async ({ report, page, hook }) => {
    const view = () => hook('({ ...g.state.view })');
    const box = await page.locator('.tl-top').boundingBox();
    const before = await view();
    await page.mouse.move(box.x + box.width * 0.6, box.y + 200);
    await page.mouse.wheel(0, -600);
    await report.settle();
    const near = await view();
    assert.ok(near.to - near.from < 0.6 * (before.to - before.from));
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.6 + 120, box.y + 150, { steps: 4 });
    await page.mouse.up();
    await report.settle();
    const moved = await view();
    assert.ok(moved.from < near.from);
    assert.ok(await hook('g.state.scroll') > 0);
    assert.equal(await hook('g.state.picked'), null, 'a drag chooses nothing');
  }));

  it('sorts and filters links', () => schedule('gather', async ({ page, hook }) => {
    const names = () => hook('g.state.links.map((link) => g.state.model.data.links.name[link])');
    await page.getByLabel('Order of the links').selectOption('from');
    assert.deepEqual((await names()).slice(0, 3), ['npu0 -> npu1', 'npu0 -> npu8', 'npu1 -> npu0']);
    await page.getByLabel('Only links whose names').fill('npu9');
    assert.equal((await names()).length, 8);
    assert.match(await main(page), /8 of 224 links/);
    await page.getByLabel('Only links whose names').fill('no such');
    assert.deepEqual(await names(), []);
  }));

  it('can be read without the picture', () => schedule('gather', async ({ report, page }) => {
    const links = page.locator('section[aria-label="Links"]');
    assert.match(await links.locator('tbody tr').first().innerText(), /npu\d -> npu0\s.*\s99\.9 %\s+yes/);
    await page.getByRole('button', { name: 'As a table' }).click();
    const sends = page.locator('.tl-spans');
    assert.match(await sends.innerText(), /Sends on screen, 0 ns to 264\.3 us: [\d,]+; the first 500 are listed/);
    await sends.locator('tbody button').nth(3).click();
    await report.settle();
    assert.match(await page.locator('section[aria-label="Selected piece"]').innerText(), /All sends of this piece/);
  }));

  it('goes from send to send by keys, and where its address says', () => schedule('gather', async ({ report, page, hook }) => {
    assert.equal(await hook('g.state.picked.send'), 40);
    assert.equal(await hook('g.state.order'), 'busy');
    await page.keyboard.press('.');
    await report.settle();
    assert.ok(await hook('g.state.picked.send') > 40);
    await page.waitForFunction(() => /send=(?!40\b)\d+/.test(location.hash));
  }, '?send=40&order=busy'));

  it('has sends that share a link beside each other, and groups in colors of their own', () => schedule('scatters', async ({ page, hook }) => {
    const overlaps = await hook(`g.state.model.bars.map((bars) => Math.max(0, ...Array.from(bars.start, (start, i) =>
      i > 0 && bars.end[i - 1] > start + 1 ? bars.share[i] + bars.share[i - 1] : 0)))`);
    assert.ok(Math.max(...overlaps) > 0, 'nothing overlaps');
    assert.ok(Math.max(...overlaps) <= 1.001, 'more than a link can carry');
    await page.getByLabel('Color by').selectOption('group');
    assert.match(await page.locator('.tl-chips').innerText(), /ranks 0-7[^]*ranks 4-19/);
  }));

  it('goes around links that are down, with hostile names as text', () => schedule('broken', async ({ page, hook }) => {
    const names = await hook('g.state.model.data.links.name');
    assert.ok(names.some((name) => name.includes('spine0')) && !names.some((name) => name.includes('spine1')), names.join());
    assert.ok((await page.locator('header').innerText()).includes(hostileName.slice(0, 20)));
    assert.equal(await page.locator('main img').count(), 0);
  }));

  it('of nothing says so', () => schedule('nothing', async ({ page }) => {
    assert.match(await main(page), /The schedule contains no sends/);
    assert.equal(await page.locator('canvas').count(), 0);
  }));

  it('is printed', () => schedule('scatters', async ({ page, report }) => {
    await page.evaluate(() => { dispatchEvent(new Event('beforeprint')); });
    await page.emulateMedia({ media: 'print' });
    await report.settle();
    assert.equal(await page.locator('.print-page').count(), 1);
    assert.deepEqual(await page.evaluate(lowContrast), []);
  }));

  it('stands without JavaScript as a table', async () => {
    const report = await Opened.open(browser, join(ORRERY_OUTPUT, 'gather.html'), { javaScriptEnabled: false });
    assert.match(await report.page.locator('#static').innerText(), /bottleneck\s+traffic into npu0/);
    await report.close();
  });
});
