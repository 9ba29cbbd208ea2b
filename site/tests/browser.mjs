// SPDX-License-Identifier: Apache-2.0
//
// node browser.mjs SITE [PICTURES]: opens the built site in headless Chromium, in both color schemes and two widths (with
// full effort or PICTURES each scheme in each width). The first page, a page of each part, a C++ header and a search must
// work without an error and without a request to another host. PICTURES: a folder for screenshots of these pages. Exit
// status 77: there is no browser.
import { createServer } from 'node:http';
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const chromiumPath = '/usr/bin/chromium';
const base = process.env.ORRERY_SITE_BASE ?? '/';
const [site, pictures] = process.argv.slice(2);
if (!site) {
  console.error('usage: node browser.mjs SITE [PICTURES]');
  process.exit(2);
}
const root = resolve(site);
const playwright = fileURLToPath(new URL('../node_modules/playwright-core/package.json', import.meta.url));
const missing = [chromiumPath, playwright].find((file) => !existsSync(file));
if (missing) {
  console.log(`skipped: there is no ${missing} (./setup --docs gets it)`);
  process.exit(77);
}
const { chromium } = await import('playwright-core');

const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.png': 'image/png', '.json': 'application/json' };
const server = createServer((request, answer) => {
  const path = decodeURIComponent(new URL(request.url, 'http://host').pathname);
  let file = path.startsWith(base) ? join(root, path.slice(base.length)) : '';
  if (file.startsWith(root) && existsSync(file) && statSync(file).isDirectory()) file = join(file, 'index.html');
  if (!file.startsWith(root) || !existsSync(file)) return answer.writeHead(404).end('not found');
  return answer.writeHead(200, { 'Content-Type': types[extname(file)] ?? 'application/octet-stream' }).end(readFileSync(file));
});
await new Promise((done) => { server.listen(0, '127.0.0.1', done); });
const host = `http://127.0.0.1:${server.address().port}`;

const pages = {
  home: '', tutorial: 'tutorials/first-run.html', guide: 'how-to/compare-plans.html', reference: 'reference/metrics.html',
  header: 'reference/cpp/study/study.html', explanation: 'explanation/kernel-times.html',
};
const wide = 1400;
const narrow = 390;
const all = pictures || process.env.ORRERY_TEST_EFFORT === 'full';
const windows = all ? [['light', wide], ['light', narrow], ['dark', wide], ['dark', narrow]] : [['light', wide], ['dark', narrow]];
const patience = 300000; // ms; ends tests that hang, on busy machines, too
const troubles = [];

const browser = await chromium.launch({
  executablePath: chromiumPath,
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
    '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});

// A window of a color scheme and width; `at` names what happens in it.
async function open(colorScheme, width) {
  const context = await browser.newContext({ colorScheme, viewport: { width, height: width < 600 ? 844 : 900 }, reducedMotion: 'reduce' });
  context.setDefaultTimeout(patience);
  const page = await context.newPage();
  const state = { page, at: '' };
  const report = (text) => troubles.push(`${state.at} (${colorScheme}, ${width}): ${text}`);
  page.on('console', (message) => {
    if (['error', 'warning', 'assert'].includes(message.type())) report(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => report(`error: ${error.message}`));
  page.on('request', (request) => {
    if (!request.url().startsWith(`${host}/`) && !request.url().startsWith('data:')) report(`request: ${request.url()}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) report(`status ${response.status()}: ${response.url()}`);
  });
  return Object.assign(state, { report });
}

// Opens a page and waits until its scripts run.
async function visit(page, path) {
  await page.goto(`${host}${base}${path}`, { waitUntil: 'networkidle' });
  await page.waitForFunction(() => document.querySelector('#app')?.__vue_app__ !== undefined);
}

async function look(state, name, path, colorScheme, width) {
  state.at = name;
  const { page, report } = state;
  await visit(page, path);
  const seen = await page.evaluate(() => ({
    dark: document.documentElement.classList.contains('dark'),
    headings: document.querySelectorAll('h1').length,
    over: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  }));
  if (seen.dark !== (colorScheme === 'dark')) report('the wrong color scheme');
  if (seen.headings !== 1) report(`${seen.headings} headings of the first level`);
  if (seen.over > 0) report(`${seen.over} px too wide`);
  if (pictures) await page.screenshot({ path: join(pictures, `${name}-${colorScheme}-${width}.png`) });
}

// Looks for words, and opens the first result.
async function search(state, words, heading) {
  state.at = `search for "${words}"`;
  const { page, report } = state;
  await visit(page, '');
  await page.locator('.VPNavBarSearch button').click();
  await page.fill('#localsearch-input', words);
  await page.waitForSelector('.VPLocalSearchBox .result');
  if (pictures) await page.screenshot({ path: join(pictures, `search-${wide}.png`) });
  await page.keyboard.press('Enter');
  await page.waitForSelector('.VPDoc h1');
  const found = await page.locator('.VPDoc h1').innerText();
  if (!found.includes(heading)) report(`the first result is "${found}"`);
}

// Follows each part of the navigation without loading a page anew.
async function follow(state) {
  const { page, report } = state;
  await visit(page, '');
  for (const part of ['Tutorials', 'How-to guides', 'Reference', 'Explanation']) {
    state.at = `link to ${part}`;
    await page.locator('.VPNavBarMenu').getByRole('link', { name: part, exact: true }).click();
    await page.waitForFunction((wanted) => document.querySelector('.VPDoc h1')?.innerText.startsWith(wanted), part)
      .catch(() => report('does not open'));
  }
}

if (pictures) mkdirSync(pictures, { recursive: true });
for (const [scheme, width] of windows) {
  const state = await open(scheme, width);
  for (const [name, path] of Object.entries(pages)) await look(state, name, path, scheme, width);
  if (scheme === 'light' && width === wide) {
    await search(state, 'critical path and slack', 'Critical path');
    await follow(state);
  }
  await state.page.context().close();
}
await browser.close();
server.close();
for (const trouble of troubles) console.log(trouble);
console.log(`${Object.keys(pages).length} pages in ${windows.length} windows, a search: ${troubles.length === 0 ? 'ok' : `${troubles.length} problems`}`);
process.exit(troubles.length === 0 ? 0 : 1);
