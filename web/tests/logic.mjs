// SPDX-License-Identifier: Apache-2.0
//
// node tests/logic.mjs: the tests of what the pages compute, without a browser. esbuild comes with vite.
// Exit status 77: cannot be run here, and a line says why.
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
if (!existsSync(join(here, '../node_modules/esbuild/package.json'))) {
  console.log('skipped: esbuild is not installed (./setup --ui gets it)');
  process.exit(77);
}

const { build } = await import('esbuild');
const folder = mkdtempSync(join(tmpdir(), 'orrery-logic-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const tests = readdirSync(join(here, 'logic')).filter((file) => file.endsWith('.test.ts')).sort();
await build({
  entryPoints: tests.map((file) => join(here, 'logic', file)), outdir: folder, outExtension: { '.js': '.mjs' },
  bundle: true, format: 'esm', platform: 'node', target: 'node18', logLevel: 'warning',
});
for (const file of tests) await import(pathToFileURL(join(folder, file.replace(/\.ts$/, '.mjs'))).href);
