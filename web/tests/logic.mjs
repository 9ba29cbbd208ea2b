// SPDX-License-Identifier: Apache-2.0
//
// node tests/logic.mjs: the pages' types, and the tests of what they compute, without a browser. esbuild comes with vite.
// Exit status 77: cannot be run here, and a line says why.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
if (!existsSync(join(here, '../node_modules/esbuild/package.json'))) {
  console.log('skipped: esbuild is not installed (./setup --ui gets it)');
  process.exit(77);
}

const compiler = join(here, '../node_modules/typescript/bin/tsc');
const types = spawnSync(process.execPath, [compiler, '--project', join(here, '..')], { stdio: 'inherit' });
if (types.status !== 0) process.exit(1);

const { build } = await import('esbuild');
const folder = mkdtempSync(join(tmpdir(), 'orrery-logic-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const tests = readdirSync(join(here, 'logic')).filter((file) => file.endsWith('.test.ts')).sort();
await build({
  entryPoints: tests.map((file) => join(here, 'logic', file)), outdir: folder, outExtension: { '.js': '.mjs' },
  bundle: true, format: 'esm', platform: 'node', target: 'node18', logLevel: 'warning',
});
for (const file of tests) await import(pathToFileURL(join(folder, file.replace(/\.ts$/, '.mjs'))).href);
