// SPDX-License-Identifier: Apache-2.0
//
// What pages must show to answer their question: one scale for two runs, the front of a search, groups of links, memory by
// layer, names that can be read. run.mjs says what it needs in the environment; report.test.mjs has made the reports.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { launch, Opened } from './browser.mjs';
import { clipped, overflow } from './checks.mjs';

const { ORRERY_OUTPUT, ORRERY_PROGRAM } = process.env;
let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

async function opened(name, id, use, options = {}) {
  const report = await Opened.open(browser, join(ORRERY_OUTPUT, `${name}.html`), { reducedMotion: 'reduce', ...options });
  try {
    if (id) await report.show(id);
    await use(report);
    assert.deepEqual(report.trouble(), []);
  } finally {
    await report.close();
  }
}

const data = ({ page }) => page.evaluate(async () => {
  const read = JSON.parse(document.getElementById('orrery-data').textContent);
  if (!read.deflate) return read;
  const packed = Uint8Array.from(atob(read.deflate), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw'))).json();
});

describe('two runs', () => {
  it('share one color scale and one axis of link use', () => opened('comparison', 'topology', async ({ page }) => {
    const scales = await page.$$eval('.tp-legend', (all) => all.map((one) => one.getAttribute('aria-label')));
    assert.equal(scales.length, 2);
    assert.equal(scales[0], scales[1]);
    const axes = await page.$$eval('.chart', (all) => all.map((one) => one.getAttribute('aria-label')).filter((label) => /over time/.test(label)));
    assert.equal(axes.length, 2);
    assert.match(axes[0], /from 0 to \S+ % over \S+ \S+$/);
    assert.equal(axes[0], axes[1]);
  }));

  it('of a what-if are baseline, change and difference, side by side', () => opened('whatif', 'compare', async ({ page }) => {
    const sides = page.locator('.side');
    assert.deepEqual(await sides.locator('h3').allInnerTexts(), ['Baseline (A)', 'Change (B)', 'Difference (B − A)']);
    assert.match(await sides.nth(1).innerText(), /bandwidth=0\.25/);
    assert.match(await sides.nth(2).innerText(), /\+\S+ [mu]?s[^]*longer than the baseline/);
    assert.match(await sides.nth(0).innerText(), /interval: \S+\u00a0[mu]?s to \S+\u00a0[mu]?s/, 'a unit can be on another line than its number');
    const tops = await sides.evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().top)));
    assert.ok(tops.every((top) => top === tops[0]), `not side by side: ${tops}`);
  }));
});

describe('the menu', () => {
  it('lists only pages with content, and nothing leads to others', async () => {
    for (const name of ['demo', 'comparison', 'hostile', 'generated', 'recommender']) {
      await opened(name, null, async (report) => {
        const { runs } = await data(report);
        const pages = await report.pages();
        const has = (test) => runs.some(test);
        const wanted = {
          findings: has((run) => run.findings.length > 0), memory: has((run) => run.remoteMemory.levels.length > 0 || run.timelines.some(({ memory }) => memory?.at.length > 0)),
          collectives: has((run) => run.collectives.type.length > 0), topology: has((run) => run.fabric.leftOut > 0 || run.fabric.name?.length > 0 || (run.links.dim.length > 0 && run.links.bin > 0)),
          packets: has((run) => run.packets?.totals.sent > 0), 'critical-path': has((run) => run.path.start.length > 0), timeline: has((run) => run.timelines.some(({ count }) => count > 0)),
        };
        for (const [id, there] of Object.entries(wanted)) assert.equal(pages.includes(id), there, `${name}: ${id}`);
        for (const id of pages) {
          await report.show(id);
          const dead = await report.page.$$eval('main a[href^="#/"]', (links) => links.map((link) => link.getAttribute('href').replace(/^#\/([^?]*).*/, '$1')));
          assert.deepEqual(dead.filter((to) => !pages.includes(to)), [], `${name}: links of ${id}`);
        }
      });
    }
  });

  it('misses what a run without spans and links does not have', async () => {
    const [run, html] = ['bare.orrery', 'bare.html'].map((file) => join(ORRERY_OUTPUT, file));
    const orrery = (...args) => execFileSync(ORRERY_PROGRAM, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    orrery('run', '--spec', join(ORRERY_OUTPUT, 'small.yaml'), '--cluster', 'h100-sxm:2', '--spans', 'none', '-o', run, '--force', '-q');
    orrery('report', run, '--html', html, ...(process.env.ORRERY_PAGE ? ['--page', process.env.ORRERY_PAGE] : []), '--force');
    await opened('bare', null, async (report) => {
      assert.ok(!(await report.pages()).includes('timeline'), String(await report.pages()));
      assert.equal(await report.page.locator('main a[href^="#/timeline"]').count(), 0);
    });
  });
});

describe('memory of a generated job', () => {
  it('rises layer by layer in the forward pass and falls in the backward pass, up to the peak of the account', () => opened('generated', 'memory', async (report) => {
    const { runs: [run] } = await data(report);
    const { at, bytes, peak } = run.timelines[0].memory;
    const most = Math.max(...bytes);
    assert.equal(most, peak);
    const top = bytes.indexOf(most);
    const steps = (from, to, sign) => bytes.slice(from, to).filter((value, i, all) => i > 0 && sign * (value - all[i - 1]) > 0).length;
    assert.ok(top > 0 && steps(0, top + 1, 1) >= 8, `${steps(0, top + 1, 1)} steps up to the peak`);
    assert.ok(steps(top, bytes.length, -1) >= 8, `${steps(top, bytes.length, -1)} steps down from it`);
    assert.ok(at.every((time, i) => i === 0 || time > at[i - 1]));
    const account = JSON.parse(execFileSync(ORRERY_PROGRAM, ['memory', '--spec', join(ORRERY_OUTPUT, 'small.yaml'), '--dp', '4', '--device', 'h100-sxm', '--json', '-q'], { encoding: 'utf8' }));
    assert.equal(peak, account.result.peak_bytes);
    // The page names kinds of memory that the program names, too.
    const kinds = Object.fromEntries(run.timelines[0].memory.kinds);
    const role = account.result.roles.find(({ peak_bytes }) => peak_bytes === peak);
    for (const kind of ['weights', 'gradients', 'optimizer', 'workspace']) assert.equal(kinds[kind] ?? 0, role[`${kind}_bytes`], kind);
    const text = await report.page.locator('main').innerText();
    assert.match(text, /A device needs/);
    assert.match(text, /Below the dashed line: weights, gradients, optimizer state and workspace/);
  }));
});

describe('the page of a search', () => {
  it('begins with the front: picture and table, with units and currency', () => opened('gpus', 'points', async ({ page }) => {
    const first = await page.$eval('main section.card:not(.sp-filters)', (one) => one.getAttribute('aria-label'));
    assert.equal(first, 'Points and their front');
    assert.ok(await page.$eval('.sp-stage[role="application"]', (one) => one.getBoundingClientRect().bottom) < 1100, 'the front is far down');
    const chosen = await page.$$eval('.sp-choice select', (all) => all.slice(0, 2).map((one) => one.selectedOptions[0].textContent));
    assert.deepEqual(chosen, ['step time (s)', 'cost of 10⁹ tokens (USD)']);
    assert.ok(await page.locator('.sp-front tbody tr').count() >= 2);
    assert.match(await page.locator('.sp-front tbody tr').first().innerText(), /\d USD/);
  }));

  it('has no table cut at 1400 pixels, and every section within reach', () => opened('gpus', 'points', async ({ page }) => {
    assert.deepEqual(await page.evaluate(clipped), []);
    const buttons = page.locator('.sp-sections button');
    assert.ok(await buttons.count() >= 8);
    for (const name of ['Table', 'Break-even', 'Front']) {
      await buttons.getByText(name, { exact: true }).click();
      const { top, under } = await page.evaluate((label) => {
        const card = document.querySelector(`section[aria-label="${label}"]`).getBoundingClientRect();
        return { top: card.top, under: document.querySelector('.sp-filters').getBoundingClientRect().bottom };
      }, name === 'Front' ? 'Points and their front' : name);
      assert.ok(top >= under - 2 && top < 300, `${name}: at ${top}, below ${under}`);
      assert.ok(await buttons.first().isVisible());
    }
  }, { viewport: { width: 1400, height: 900 } }));
});

describe('a schedule of many links', () => {
  it('has at most 40 rows, in groups that open', () => opened('gather', 'schedule', async ({ page }) => {
    const rows = () => page.evaluate(() => window.__orrerySchedule.state.rows.length);
    assert.ok(await rows() <= 40, `${await rows()} rows`);
    for (const order of ['busy', 'from', 'to', 'binds']) {
      await page.getByLabel('Order of the links').selectOption(order);
      assert.ok(await rows() <= 40, `${order}: ${await rows()} rows`);
    }
    await page.getByRole('button', { name: 'Open all groups' }).click();
    assert.ok(await rows() > 224);
    await page.getByRole('button', { name: 'Close all groups' }).click();
    assert.ok(await rows() < 40);
  }));

  it('names its colors, its marks, and each row in full', () => opened('gather', 'schedule', async (report) => {
    const { page } = report;
    const legend = await page.locator('.tl-chips').innerText();
    for (const word of [/Color: owner/, /npu0/, /lower bound/, /sets the bound/, /group of links/]) assert.match(legend, word);
    await page.locator('.tl-top').scrollIntoViewIfNeeded();
    const box = await page.locator('.tl-top').boundingBox();
    const names = await page.evaluate(() => window.__orrerySchedule.state.rows.map((row) => (row < 0 ? '' : window.__orrerySchedule.state.model.data.links.name[row])));
    const at = names.findIndex((name) => name !== '');
    await page.mouse.move(box.x + 30, box.y + 28 + at * 20 + 10);
    await page.locator('.tl-tip:visible').waitFor();
    assert.ok((await page.locator('.tl-tip').innerText()).includes(names[at]));
  }, { viewport: { width: 390, height: 844 } }));
});

describe('the timeline', () => {
  it('names each lane in full under the pointer', () => opened('demo', 'timeline', async ({ page }) => {
    await page.locator('.tl-top').first().scrollIntoViewIfNeeded();
    const box = await page.locator('.tl-top').first().boundingBox();
    const lanes = await page.evaluate(() => window.__orreryTimeline.state.rows.rows.slice(0, 6).map(({ lane, top, height }) => ({ lane, y: top + height / 2, title: lane < 0 ? 'rank 0' : window.__orreryTimeline.state.model.lines[0].lanes[lane].titleAt(0) })));
    for (const { y, title } of lanes) {
      await page.mouse.move(box.x + 30, box.y + 28 + y);
      await page.locator('.tl-tip:visible').waitFor();
      const shown = (await page.locator('.tl-tip strong').innerText()).trim();
      assert.ok(shown === title || shown.startsWith('rank 0'), `"${shown}" for "${title}"`);
    }
  }, { viewport: { width: 390, height: 844 } }));

  it('strikes no label through, and has equal operations in one shade', () => opened('big', 'timeline', async ({ page }) => {
    const chip = page.locator('.tl-chip', { hasText: 'compute' });
    await chip.click();
    assert.equal(await chip.evaluate((one) => getComputedStyle(one).textDecorationLine), 'none');
    const shades = await page.evaluate(() => {
      const { names, shades: all } = window.__orreryTimeline.state.model;
      return [...new Set(names.flatMap((name, i) => (/^layer \d+ forward$/.test(name) ? [all[i]] : [])))];
    });
    assert.equal(shades.length, 1);
  }));
});

describe('a small window', () => {
  it('never scrolls sideways, and shows where a table goes on, in both themes', async () => {
    for (const theme of ['light', 'dark']) {
      for (const [name, ids] of [['whatif', ['compare', 'topology', 'memory', 'timeline']], ['gpus', ['points']], ['gather', ['schedule']]]) {
        await opened(name, ids[0], async (report) => {
          for (const id of ids) {
            await report.show(id);
            assert.deepEqual(await report.page.evaluate(overflow), [], `${name}, ${id}, ${theme}`);
            const without = await report.page.$$eval('.scroll', (all) => all.filter((box) => box.scrollWidth > box.clientWidth + 1 && box.checkVisibility()
              && getComputedStyle(box.parentElement, '::after').visibility !== 'visible').map((box) => box.ariaLabel));
            assert.deepEqual(without, [], `${name}, ${id}, ${theme}: no shadow`);
          }
          const [edge, card] = await report.page.evaluate(() => ['--edge', '--card'].map((one) => getComputedStyle(document.documentElement).getPropertyValue(one).trim()));
          assert.ok(edge !== '' && card !== '');
        }, { viewport: { width: 390, height: 844 }, colorScheme: theme });
      }
    }
  });
});
