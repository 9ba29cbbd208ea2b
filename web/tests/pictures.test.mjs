// SPDX-License-Identifier: Apache-2.0
//
// The timeline, the critical path and the network as people use them: pointer, wheel, fingers, keys.
// run.mjs says what it needs in the environment; report.test.mjs has made the reports.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { launch, Opened } from './browser.mjs';

const { ORRERY_OUTPUT } = process.env;
let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

async function timeline(use, { file = 'demo.html', query = '', options = {} } = {}) {
  const report = await Opened.open(browser, join(ORRERY_OUTPUT, file), { reducedMotion: 'reduce', ...options });
  const { page } = report;
  try {
    await report.show('timeline', query);
    await page.waitForFunction(() => window.__orreryTimeline?.frames.length > 0);
    const hook = (what, ...args) => page.evaluate(([code, more]) => new Function('t', 'args', `return ${code}`)(window.__orreryTimeline, more), [what, args]);
    const box = await page.locator('.tl-top').first().boundingBox();
    const at = async (unit, span) => {
      const place = await hook('t.placeOf(args[0], args[1])', unit, span);
      return [box.x + place.x, box.y + place.y];
    };
    await use({ report, page, hook, box, at, view: () => hook('({ ...t.state.view })'), details: page.locator('.tl-details') });
    assert.deepEqual(report.trouble(), []);
  } finally {
    await report.close();
  }
}

const across = ({ from, to }) => to - from;

describe('the timeline by pointer', () => {
  it('says what a span is, under the pointer and when clicked', () => timeline(async ({ page, at, details }) => {
    const [x, y] = await at(0, 0);
    await page.mouse.move(x, y);
    await page.locator('.tl-tip:visible').waitFor();
    await page.mouse.click(x, y);
    await details.waitFor();
    assert.match(await details.innerText(), /Node\s+\d+/);
    assert.match(await details.innerText(), /Slack/);
    assert.match(await page.locator('.tl [aria-live]').innerText(), /from .* long/);
    await details.getByLabel('Close').click();
    assert.equal(await details.isVisible(), false);
  }));

  it('zooms about the pointer by wheel, and pans by drag', () => timeline(async ({ page, box, view, report }) => {
    const before = await view();
    await page.mouse.move(box.x + box.width * 0.75, box.y + 120);
    await page.mouse.wheel(0, -400);
    await report.settle();
    const near = await view();
    assert.ok(across(near) < across(before) * 0.7, JSON.stringify(near));
    assert.ok(near.from > before.from && near.to < before.to);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.75 + 100, box.y + 120, { steps: 4 });
    await page.mouse.up();
    await report.settle();
    const moved = await view();
    assert.ok(moved.from < near.from && Math.abs(across(moved) - across(near)) < 1);
    assert.equal(await page.locator('.tl-details').isVisible(), false, 'a drag selects nothing');
  }));

  it('opens and shuts a rank at its name', () => timeline(async ({ page, box, hook, report }) => {
    const before = await hook('t.state.rows.rows.length');
    await page.mouse.click(box.x + 40, box.y + 28 + 10);
    await report.settle();
    assert.ok(await hook('t.state.rows.rows.length') < before);
    await page.getByRole('button', { name: 'Open all' }).click();
    assert.equal(await hook('t.state.rows.open.size'), await hook('t.state.rows.units.length'));
  }));

  it('zooms with two fingers', () => timeline(async ({ page, box, view, report }) => {
    const before = await view();
    const session = await page.context().newCDPSession(page);
    const touch = (type, ...xs) => session.send('Input.dispatchTouchEvent', { type, touchPoints: xs.map((x, id) => ({ x: box.x + x, y: box.y + 150, id })) });
    await touch('touchStart', 200, 260);
    for (let i = 1; i <= 6; ++i) await touch('touchMove', 200 - 10 * i, 260 + 10 * i);
    await touch('touchEnd');
    await report.settle();
    assert.ok(across(await view()) < across(before) * 0.6, JSON.stringify(await view()));
  }, { options: { viewport: { width: 390, height: 844 }, hasTouch: true } }));
});

describe('the timeline by name, kind and key', () => {
  it('finds spans by a part of their name, one after another', () => timeline(async ({ page, hook, details, report }) => {
    await page.keyboard.press('/');
    await page.keyboard.type('COMP');
    await page.keyboard.press('Enter');
    await details.waitFor();
    const hits = await hook('t.state.hits.length');
    assert.ok(hits > 2);
    assert.match(await page.locator('.tl-found').innerText(), /^1 of/);
    await page.locator('.tl-scroll').focus();
    await page.keyboard.press('n');
    assert.match(await page.locator('.tl-found').innerText(), /^2 of/);
    await page.keyboard.press('N');
    await page.keyboard.press('N');
    await report.settle();
    assert.equal(await hook('t.state.hit'), hits - 1);
    await page.locator('.tl-search input').fill('no such name (');
    await page.waitForFunction(() => document.querySelector('.tl-found').textContent === 'none');
  }));

  it('fades kinds, and what is not critical', () => timeline(async ({ page, hook }) => {
    await page.locator('.tl-chip', { hasText: 'compute' }).click();
    assert.equal(await hook('t.state.filter.kinds[1]'), false);
    assert.ok(await hook('t.state.model.lines[0].work.lit[t.state.model.lines[0].work.lit.length - 1] === 0'));
    await page.getByRole('button', { name: 'Only critical' }).click();
    assert.equal(await hook('t.state.filter.criticalOnly'), true);
  }));

  it('zooms, pans, selects and lists by key', () => timeline(async ({ page, view, details, report, hook }) => {
    const before = await view();
    await page.keyboard.press('w');
    await page.keyboard.press('+');
    await report.settle();
    const near = await view();
    assert.ok(across(near) < across(before) / 2);
    await page.keyboard.press('d');
    await report.settle();
    assert.ok((await view()).from > near.from);
    await page.keyboard.press('.');
    await details.waitFor();
    await page.keyboard.press('.');
    await page.keyboard.press('z');
    await report.settle();
    assert.ok(across(await view()) < across(near));
    await page.keyboard.press('f');
    await report.settle();
    assert.deepEqual(await view(), before);
    await page.keyboard.press('c');
    assert.equal(await hook('t.state.showPath'), false);
    await page.keyboard.press('v');
    assert.ok(await page.locator('.tl-spans tbody tr').count() > 5);
    await page.locator('.tl-spans tbody button').nth(3).click();
    await page.keyboard.press('Escape');
    assert.equal(await details.isVisible(), false);
  }));

  it('comes back as it was from its address', () => timeline(async ({ page, view, hook }) => {
    assert.ok(Math.abs((await view()).from - 1e9) < 2 && Math.abs((await view()).to - 5e9) < 2);
    await page.waitForFunction(() => window.__orreryTimeline.state.filter.text === 'COMP');
    assert.ok(await hook('t.state.rows.open.has(t.state.rows.ofRank[5])'));
  }, { query: '?from=1000000000&to=5000000000&rank=5&q=COMP' }));

  it('shows the same stretch of two runs', () => timeline(async ({ page, report }) => {
    await page.keyboard.press('w');
    await report.settle();
    const texts = await page.locator('.tl-scroll').evaluateAll((all) => all.map((one) => one.getAttribute('aria-label').replace(/^.*ranks?, (.*)\. Selected.*$/, '$1')));
    assert.equal(texts.length, 2);
    assert.equal(texts[0], texts[1]);
  }, { file: 'comparison.html' }));
});

describe('the critical path and the network', () => {
  it('lead to the timeline', async () => {
    const report = await Opened.open(browser, join(ORRERY_OUTPUT, 'demo.html'), { reducedMotion: 'reduce' });
    const { page } = report;
    await report.show('critical-path');
    const box = await page.locator('.cp-canvas').boundingBox();
    await page.mouse.move(box.x + 120, box.y + 36);
    await page.locator('.cp-waterfall .tl-tip:visible').waitFor();
    await page.mouse.click(box.x + 120, box.y + 36);
    await page.locator('.tl-details:visible').waitFor();
    assert.match(await page.locator('.tl-details').innerText(), /on the critical path/);
    await report.show('topology');
    await page.locator('.tp-picture path[data-link]').first().dispatchEvent('pointermove', { clientX: 5, clientY: 5 });
    await page.locator('.tp-picture-host .tl-tip:visible').waitFor();
    await page.locator('.tp-grid').first().hover({ position: { x: 5, y: 5 } });
    assert.match(await page.locator('.tp-grids .tl-tip:visible').innerText(), /rank 0/);
    assert.deepEqual(report.trouble(), []);
    await report.close();
  });

  it('tell of a fabric, its lines and boxes, over time', async () => {
    const report = await Opened.open(browser, join(ORRERY_OUTPUT, 'fabric.html'), { reducedMotion: 'reduce' });
    const { page } = report;
    await report.show('topology');
    assert.match(await page.locator('main').innerText(), /2 hosts, 8 devices/);
    const classes = await page.locator('main table').first().locator('tbody td:first-child').allInnerTexts();
    assert.ok(classes.includes('Scale-up') && classes.includes('Network'), classes.join());
    assert.equal(await page.locator('.tp-box.device').count(), 8);
    const tip = page.locator('.tp-tip-host .tl-tip:visible');
    await page.locator('.tp-fabric path[data-line]').first().dispatchEvent('pointermove', { clientX: 5, clientY: 5 });
    assert.match(await tip.innerText(), /→.*: .*% of .*B\/s over the step/);
    await page.locator('.tp-box', { hasText: /^leaf0$/ }).hover();
    assert.match(await tip.innerText(), /^leaf leaf0\n\d+ links carry/);
    assert.equal(await page.locator('.tp-fabric .tp-down').count(), 4);
    assert.equal(await page.locator('.tp-fabric path[data-line] title', { hasText: /down the complete step$/ }).count(), 4);
    assert.ok((await page.locator('main table caption').allInnerTexts()).includes('Links that were down or slow'));
    await page.locator('.tp-box', { hasText: /^spine1$/ }).hover();
    assert.match(await tip.innerText(), /^spine spine1\nno traffic shown on its links\nfaults of its links: down the complete step$/);
    const colors = () => page.$$eval('.tp-fabric path[stroke-width]:not([data-line])', (all) => all.map((one) => one.getAttribute('stroke')).sort().join());
    const before = await colors();
    await page.locator('.tp-when input').focus();
    for (let i = 0; i < 3; ++i) await page.keyboard.press('ArrowRight');
    assert.match(await page.locator('.tp-when output').innerText(), /^\S+ \S+ to \S+ \S+$/);
    assert.notEqual(await colors(), before);
    await page.getByRole('button', { name: 'Complete step' }).click();
    assert.equal(await colors(), before);
    assert.deepEqual(report.trouble(), []);
    await report.close();
  });
});
