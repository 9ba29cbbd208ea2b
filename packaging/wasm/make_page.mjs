// SPDX-License-Identifier: Apache-2.0
//
// node make_page.mjs REPORT.html MODULE.js MODULE.wasm VERSION OUT.html: the page of reports with the simulator in it, for
// `orrery report RUN --html FILE --page OUT.html`. Its policy allows a worker from the page's own script, and WebAssembly.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateRawSync } from 'node:zlib';

const [report, script, module, version, out] = process.argv.slice(2);
const worker = join(dirname(fileURLToPath(import.meta.url)), 'worker.js');

function replaced(text, place, by) {
  if (text.split(place).length !== 2) throw new Error(`${report}: '${place}' must occur once; ./setup --page builds the page`);
  return text.replace(place, () => by);
}

const packed = (bytes) => deflateRawSync(bytes, { level: 9 }).toString('base64');
const simulator = JSON.stringify({
  version,
  script: packed(`${readFileSync(script, 'utf8')}\n${readFileSync(worker, 'utf8')}`),
  module: packed(readFileSync(module)),
});

let page = readFileSync(report, 'utf8');
page = replaced(page, `content="default-src 'none'; script-src `, `content="default-src 'none'; worker-src blob:; script-src 'wasm-unsafe-eval' `);
page = replaced(page, 'id="orrery-simulator">', `id="orrery-simulator">${simulator}`);
writeFileSync(out, page);
console.log(`${out}: ${page.length} bytes, of which the simulator ${simulator.length}`);
