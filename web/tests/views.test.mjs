// SPDX-License-Identifier: Apache-2.0
//
// The page of views of a recording as people use it, over made-up data.
// run.mjs says what it needs in the environment.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { everyDress, launch, Opened } from './browser.mjs';
import { empty, lowContrast, overflow, unnamed } from './checks.mjs';
import { hostileName } from './workloads.mjs';

const { ORRERY_OUTPUT, ORRERY_PROJECT, ORRERY_PAGE } = process.env;
const pictures = join(ORRERY_OUTPUT, 'screenshots');
let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

const column = (title, key, about = 'what it means') => ({ title, key, about });
const time = (us) => [`${us} us`, us * 1000];
const operators = {
  key: 'operators', title: 'operators', ifEmpty: '',
  columns: [column('operator', 'name'), column('calls', 'calls'), column('time', 'time_ns', 'on the device'), column('', 'flop')],
  rows: [
    ...Array.from({ length: 30 }, (_, i) => [`aten::op${i}`, [String(i), i], time(100 - i), null]),
    [hostileName, ['7', 7], null, null],
  ],
};
const curve = {
  key: 'curve', title: 'memory over time', ifEmpty: '',
  columns: ['rank', 'pool', 'at_ns', 'allocated_bytes', 'reserved_bytes'].map((key) => column('', key)),
  rows: [0, 1, 2, 3].map((i) => [['0', 0], 'device 0', [`${i} us`, i * 1000], [`${i} MB`, i * 1e6], i % 2 === 0 ? ['4 MB', 4e6] : null]),
};
const whole = {
  title: 'rank0.json', facts: [['recording', 'rank0.json'], ['ranks', 'rank 0']],
  views: [
    { name: 'operators', title: 'Operators by device time', facts: [['work known', '93 %']], tables: [operators] },
    { name: 'ranges', title: 'Annotations on the device', facts: [], tables: [{ key: 'ranges', title: 'annotations', columns: [column('annotation', 'name')], rows: [], ifEmpty: 'The recording has no annotations on the device.' }] },
    { name: 'memory', title: 'Tensor memory', facts: [], tables: [curve] },
  ],
  findings: [{ name: 'x', severity: 'info', count: 2, sentence: 'something odd', places: [] }],
};

async function opened(name, views, use) {
  const [data, file] = ['json', 'html'].map((ending) => join(ORRERY_OUTPUT, `views-${name}.${ending}`));
  writeFileSync(data, JSON.stringify({ version: 2, runs: [], comparison: null, views }));
  const filled = spawnSync(process.execPath, [join(ORRERY_PROJECT, 'web/dev/fill.mjs'), data, file, ...(ORRERY_PAGE ? [ORRERY_PAGE] : [])], { encoding: 'utf8' });
  assert.equal(filled.status, 0, filled.stderr);
  const report = await Opened.open(browser, file, { reducedMotion: 'reduce' });
  try {
    await report.show('views');
    await use({ report, page: report.page });
    assert.deepEqual(report.trouble(), []);
  } finally {
    await report.close();
  }
}

const card = (page, label) => page.locator(`section[aria-label="${label}"]`);

describe('the page of views', () => {
  it('shows without a complaint', () => opened('whole', whole, async ({ report, page }) => {
    assert.deepEqual(await report.pages(), ['views']);
    const wrong = [];
    for (const [theme, width] of everyDress) {
      await report.dress(theme, width);
      for (const check of [empty, lowContrast, unnamed, overflow]) wrong.push(...await page.evaluate(check));
      await page.screenshot({ path: join(pictures, `views-${theme}-${width}.png`), fullPage: true, animations: 'disabled' });
    }
    // Looking at pictures again and again is what the check does, not the page.
    wrong.push(...report.trouble().filter((what) => !what.includes('willReadFrequently')));
    assert.deepEqual(wrong, []);
  }));

  it('sorts by the number behind a text, what is not known last', () => opened('sorted', whole, async ({ page }) => {
    const table = card(page, 'Operators by device time');
    assert.equal(await table.locator('tbody tr').count(), 20);
    await table.getByRole('button', { name: 'calls' }).click();
    await table.getByRole('button', { name: /^Show all/ }).click();
    const first = await table.locator('tbody tr').first().innerText();
    assert.match(first, /aten::op(0|29)/);
    await table.getByRole('button', { name: 'time' }).click();
    assert.match(await table.locator('tbody tr').last().innerText(), /–/);
    assert.equal(await table.getByText('flop').count(), 0); // a column for programs
  }));

  it('says why a table is empty, and draws memory', () => opened('memory', whole, async ({ page }) => {
    assert.match(await card(page, 'Annotations on the device').innerText(), /no annotations on the device/);
    assert.match(await card(page, 'Tensor memory').innerText(), /device 0 up to 3 MB/);
  }));

  it('leads to a view', () => opened('contents', whole, async ({ page }) => {
    await page.getByRole('navigation', { name: 'Views' }).getByRole('button', { name: 'memory' }).click();
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'view-memory');
  }));
});
