// SPDX-License-Identifier: Apache-2.0
//
// The pictures of the guided tour (docs/tour.md), from the run that it makes. With ORRERY_UPDATE_DOCS=1 in the
// environment they are written to docs/pictures; without, they must still be like those there.
// run.mjs says what else it needs in the environment.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { launch, Opened } from './browser.mjs';
import { colorsOf, readPng, writePng } from './png.mjs';

const { ORRERY_PROGRAM, ORRERY_PROJECT, ORRERY_OUTPUT, ORRERY_PAGE, ORRERY_UPDATE_DOCS } = process.env;
const folder = join(ORRERY_OUTPUT, 'tour');
const kept = join(ORRERY_PROJECT, 'docs/pictures');
const width = 1440;
const largest = 120_000; // bytes of a picture
const elsewhere = ['search-space.png']; // made by space.test.mjs

// Each with the page it shows, and down to the bottom of which element.
const pictures = {
  breakdown: { page: 'breakdown', query: '?sort=exposedCompute', until: '.rank-rows' },
  timeline: { page: 'timeline', query: '?rank=0&node=3', height: 845, until: '.tl-main', ready: '.tl-details:visible' },
  critical_path: { page: 'critical-path', query: '', until: '.cp-waterfall', ready: '.cp-canvas' },
};

let browser;
let report;
before(async () => {
  mkdirSync(folder, { recursive: true });
  const [run, html] = ['step.orrery', 'step.html'].map((name) => join(folder, name));
  const orrery = (...args) => execFileSync(ORRERY_PROGRAM, args, { cwd: ORRERY_PROJECT, stdio: ['ignore', 'pipe', 'pipe'] });
  orrery('run', 'examples/step/step', '--cluster', 'examples/clusters/dgx-h100-8.yaml', '-o', run, '--force');
  orrery('report', run, '--html', html, ...(ORRERY_PAGE ? ['--page', ORRERY_PAGE] : []), '--force');
  browser = await launch();
  report = await Opened.open(browser, html, { colorScheme: 'light', reducedMotion: 'reduce' });
});
after(() => browser?.close());

// The page from its top to the bottom of what the picture is about, and at least the navigation.
async function take({ page: id, query, height = 900, until, ready }) {
  const { page } = report;
  await page.setViewportSize({ width, height });
  await report.show(id, query);
  if (ready) await page.locator(ready).first().waitFor();
  await report.settle(8);
  const bottom = await page.evaluate((wanted) => Math.ceil(Math.max(...[wanted, 'nav ul'].map((one) => {
    const element = document.querySelector(one);
    return (element.closest('.card') ?? element).getBoundingClientRect().bottom;
  }))), until);
  return page.screenshot({ fullPage: true, animations: 'disabled', clip: { x: 0, y: 0, width, height: bottom + 14 } });
}

describe('the pictures of the guided tour', () => {
  for (const [name, what] of Object.entries(pictures)) {
    it(`show the ${name.replace('_', ' ')}`, async () => {
      const shot = await take(what);
      writeFileSync(join(folder, `${name}.png`), shot);
      const picture = readPng(shot);
      const file = join(kept, `${name}.png`);
      if (ORRERY_UPDATE_DOCS) {
        mkdirSync(kept, { recursive: true });
        writeFileSync(file, writePng(picture));
        const again = readPng(readFileSync(file)).rgb;
        const off = again.reduce((sum, value, i) => sum + Math.abs(value - picture.rgb[i]), 0) / again.length;
        assert.ok(off < 0.1, `colors are off by ${off} of 255`);
      }
      const { count, commonest } = colorsOf(picture);
      assert.ok(count > 30 && commonest < 0.9, `${count} colors, one of them ${Math.round(commonest * 100)} %`);
      assert.deepEqual(report.trouble(), []);
      assert.ok(existsSync(file), `${file} is missing: run this with ORRERY_UPDATE_DOCS=1`);
      const before = readPng(readFileSync(file));
      assert.equal(before.width, width);
      assert.ok(Math.abs(before.height - picture.height) < 0.15 * picture.height,
        `${file} is ${before.height} px high, now it would be ${picture.height}: run this with ORRERY_UPDATE_DOCS=1`);
      assert.ok(statSync(file).size <= largest, `${file}: ${statSync(file).size} bytes`);
    });
  }

  it('show what the selected span waited for', async () => {
    await report.show('timeline', '?rank=0&node=3');
    const details = report.page.locator('.tl-details:visible');
    await details.getByText('waiting for peers').waitFor();
    assert.match(await details.innerText(), /hops, endpoints\s+15\.59 us/);
    await details.getByRole('button', { name: 'backward.1' }).click();
    assert.match(await details.innerText(), /Started after\s+forward/);
  });

  it('are shown in it, with what they show in words', () => {
    const shown = [...readFileSync(join(ORRERY_PROJECT, 'docs/tour.md'), 'utf8').matchAll(/!\[([^\]]*)\]\(pictures\/([^)]*)\)/gs)];
    assert.deepEqual(shown.map(([, , file]) => file).sort(), Object.keys(pictures).map((name) => `${name}.png`).sort());
    for (const [, text, file] of shown) assert.ok(text.length > 40, `${file}: "${text}"`);
    for (const file of readdirSync(kept).filter((name) => name.endsWith('.png'))) assert.ok(file.replace('.png', '') in pictures || elsewhere.includes(file), `${file}: nothing makes it`);
  });
});
