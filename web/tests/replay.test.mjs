// SPDX-License-Identifier: Apache-2.0
//
// The page of a replay as people use it, over made-up data: replaying needs a library that not every machine has.
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

const side = (count, ns, flops, bytes) => ({ count, ns, flops, bytes });
const row = (name, kind, recorded, replayed, more = {}) => ({ name, kind, rule: '', kernels: 0, recorded, replayed, ...more });

// Recorded on a device, with everything that a page can have.
const whole = {
  title: 'Replay of rank0.json', timed: true, onDevice: true,
  facts: [['recording', 'rank 0, rank0.json, level top'], ['busy', 'recorded device 40.0 % of the time, power not known']],
  kinds: [
    row('products', 'products', side(2, 3e5, 2e14, 1e12), side(2, 9e6, 3e10, 1e9), { kernels: 3 }),
    row('embedding', 'embedding', side(1, 1e5, 0, 2e11), side(1, 1e6, 0, 4e9), { kernels: 1 }),
    row('other', 'other', side(1, 0, 0, 0), side(0, 0, 0, 0)),
  ],
  operators: [
    ...Array.from({ length: 30 }, (_, i) => row(`aten::op${i}`, 'products', side(1, 1e4 * (i + 1), 1e14, 1e12), side(1, 1e6, 1e10, 1e9), { kernels: 1 })),
    row(hostileName, 'embedding', side(1, 1e5, 0, 2e11), side(1, 1e7, 0, 4e9), { rule: 'fbgemm-lookup' }),
  ],
  ran: [{ name: 'aten::mm', recorded: 4, replayed: 4 }, { name: 'aten::copy_', recorded: 1, replayed: 6 }],
  rules: [{ name: 'fbgemm-lookup', says: 'embedding_bag', count: 1, ns: 1e5 }],
  comms: [{ kind: 'all_reduce', bytes: 1 << 20, recorded: 2, recordedNs: 5e5, replayed: 0, replayedNs: 0 }],
  memory: { recorded: [1e6, 3e6, 2e6, 0], replayed: [1e6, 3.1e6, 2e6, 0], profiled: false },
  findings: [{ name: 'x', severity: 'info', count: 2, sentence: 'something odd', places: [] }],
};
// An execution trace alone, of which nothing could be called.
const bare = {
  ...whole, title: hostileName, timed: false, onDevice: false, rules: [], comms: [], findings: [], ran: [],
  kinds: [row('other', 'other', side(1, 0, 0, 0), side(0, 0, 0, 0))], operators: [row('custom::op', 'other', side(1, 0, 0, 0), side(0, 0, 0, 0))],
  memory: { recorded: [5], replayed: [], profiled: false },
};

async function replayed(name, replay, use) {
  const [data, file] = ['json', 'html'].map((ending) => join(ORRERY_OUTPUT, `replay-${name}.${ending}`));
  writeFileSync(data, JSON.stringify({ version: 2, runs: [], comparison: null, replay }));
  const filled = spawnSync(process.execPath, [join(ORRERY_PROJECT, 'web/dev/fill.mjs'), data, file, ...(ORRERY_PAGE ? [ORRERY_PAGE] : [])], { encoding: 'utf8' });
  assert.equal(filled.status, 0, filled.stderr);
  const report = await Opened.open(browser, file, { reducedMotion: 'reduce' });
  try {
    await report.show('replay');
    await use({ report, page: report.page });
    assert.deepEqual(report.trouble(), []);
  } finally {
    await report.close();
  }
}

const card = (page, label) => page.locator(`section[aria-label="${label}"]`);

describe('the page of a replay', () => {
  for (const [name, data] of Object.entries({ whole, bare })) {
    it(`shows without a complaint: ${name}`, () => replayed(name, data, async ({ report, page }) => {
      assert.deepEqual(await report.pages(), ['replay']);
      const wrong = [];
      for (const [theme, width] of everyDress) {
        await report.dress(theme, width);
        for (const check of [empty, lowContrast, unnamed, overflow]) wrong.push(...await page.evaluate(check));
        await page.screenshot({ path: join(pictures, `replay-${name}-${theme}-${width}.png`), fullPage: true, animations: 'disabled' });
      }
      // Looking at pictures again and again is what the check does, not the page.
      wrong.push(...report.trouble().filter((what) => !what.includes('willReadFrequently')));
      assert.deepEqual(wrong, []);
    }));
  }

  it('says how far kinds of work are apart', () => replayed('whole', whole, async ({ page }) => {
    // Recorded 3 to 1, replayed 9 to 1.
    assert.match(await card(page, 'Time by kind of work').innerText(), /Both differ in the kind of 15\.0 % of the time \(recorded: on the device\)[^]*products\s+75\.0 %\s+90\.0 %/);
    assert.match(await card(page, 'Memory of a step').innerText(), /up to 3 MB .* the replay up to 3\.1 MB/);
    assert.match(await card(page, 'Communication').innerText(), /all-reduce\s+2\s+1 MiB\s+500 us\s+omitted/);
  }));

  it('sorts operators, and shows all of them', () => replayed('whole', whole, async ({ page }) => {
    const operators = card(page, 'Operators');
    const first = () => operators.locator('tbody tr').first().innerText();
    assert.match(await first(), /embedding/); // the longest replay
    await operators.getByRole('button', { name: 'here / recorded' }).click();
    assert.match(await first(), /aten::op0\s+products\s+1\s+1\s+10 us\s+1 ms\s+100 ×/);
    await operators.getByRole('button', { name: /^Show all/ }).click();
    assert.equal(await operators.locator('tbody tr').count(), 31);
    assert.match(await card(page, 'What ran').locator('tbody tr').first().innerText(), /aten::copy_\s+1\s+6\s+\+5/);
  }));

  it('tells what is not known', () => replayed('bare', bare, async ({ page }) => {
    assert.match(await card(page, 'Memory of a step').innerText(), /is not known/);
    assert.match(await card(page, 'Time by kind of work').innerText(), /Nothing was measured/);
    assert.equal(await card(page, 'Substitutions').count(), 0);
  }));
});
