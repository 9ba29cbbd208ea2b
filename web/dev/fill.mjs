// SPDX-License-Identifier: Apache-2.0
//
// node dev/fill.mjs data.json out.html [page]: the built page with data in it, as write_html makes it
// but without the table that shows without JavaScript.
import { readFileSync, writeFileSync } from 'node:fs';
import { deflateRawSync } from 'node:zlib';

const [data, out, page = new URL('../dist/report.html', import.meta.url)] = process.argv.slice(2);
let json = JSON.stringify(JSON.parse(readFileSync(data, 'utf8'))).replaceAll('<', '\\u003c');
if (json.length > 256 * 1024) json = `{"version":2,"deflate":"${deflateRawSync(json, { level: 9 }).toString('base64')}"}`;
const html = readFileSync(page, 'utf8');
writeFileSync(out, html.replace('id="orrery-data">', (all) => all + json));
