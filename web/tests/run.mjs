// SPDX-License-Identifier: Apache-2.0
//
// node run.mjs PROGRAM OUTPUT: the browser tests, with the reports that PROGRAM makes; they and screenshots of every
// page are left in OUTPUT. ORRERY_PAGE in the environment: a page of reports other than the one that is built into PROGRAM.
// Where it cannot be run, a line says why, and the exit status is 77.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const [program, output] = process.argv.slice(2);
if (!program || !output) {
  console.error('usage: node run.mjs PROGRAM OUTPUT');
  process.exit(2);
}

const missing = [
  ['/usr/bin/chromium', 'chromium is not installed'],
  [join(here, '../node_modules/playwright-core/package.json'), 'playwright-core is not installed'],
  [join(here, '../node_modules/axe-core/package.json'), 'axe-core is not installed'],
  [process.env.ORRERY_PAGE ?? join(here, '../dist/report.html'), 'the page is not built'],
  [join(here, '../dist/app.html'), 'the page of orrery ui is not built'],
].find(([file]) => !existsSync(file));
if (missing) {
  console.log(`skipped: ${missing[1]} (./setup --ui gets it)`);
  process.exit(77);
}

const folder = resolve(output);
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const env = { ...process.env, ORRERY_PROGRAM: resolve(program), ORRERY_PROJECT: resolve(here, '../..'), ORRERY_OUTPUT: folder };

// report.test.mjs makes the reports that the others open. One after another, for some measure.
const first = 'report.test.mjs';
// The journeys through the page of orrery ui cost 45 CPU s: every night. Its computations are in logic/.
const nightly = process.env.ORRERY_TEST_EFFORT === 'full' ? [] : ['app.test.mjs'];
const others = readdirSync(here).filter((file) => file.endsWith('.test.mjs') && file !== first && !nightly.includes(file)).sort();
const failed = [first, ...others].filter((file) =>
  spawnSync(process.execPath, [join(here, file)], { stdio: 'inherit', env }).status !== 0);
if (failed.length > 0) console.log(`failed: ${failed.join(', ')}`);
process.exit(failed.length > 0 ? 1 : 0);
