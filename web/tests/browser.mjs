// SPDX-License-Identifier: Apache-2.0
//
// A browser, and reports opened in it under watch: whatever a page logs, loads or pops up is written down.
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

export const chromiumPath = '/usr/bin/chromium';

// Themes and widths of the window; with quick effort half of them, with each theme and each width.
export const everyDress = process.env.ORRERY_TEST_EFFORT === 'full'
  ? [['light', 1440], ['dark', 1440], ['light', 390], ['dark', 390]] : [['light', 390], ['dark', 1440]];

// Playwright gives every browser an empty profile of its own.
export function launch() {
  return chromium.launch({
    executablePath: chromiumPath,
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
      '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
}

// What no page may do, in words.
function watch(page, file) {
  const troubles = [];
  page.on('console', (message) => {
    if (['error', 'warning', 'assert'].includes(message.type())) troubles.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => troubles.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const url = request.url();
    if (url.split('#')[0] !== file && !url.startsWith('data:')) troubles.push(`request: ${url}`);
  });
  page.on('popup', () => troubles.push('a second window'));
  return troubles;
}

export class Opened {
  constructor(page, url, troubles) {
    Object.assign(this, { page, url, troubles });
  }

  static async open(browser, file, options = {}) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
    const page = await context.newPage();
    const url = pathToFileURL(file).href;
    const opened = new Opened(page, url, watch(page, url));
    await page.goto(url);
    return opened;
  }

  // The ids of the pages, from the navigation.
  pages() {
    return this.page.$$eval('nav a[data-page]', (links) => links.map((link) => link.dataset.page));
  }

  // Shows a page and waits until it stands still.
  async show(id, query = '') {
    await this.page.evaluate((hash) => { location.hash = hash; }, `#/${id}${query}`);
    await this.page.waitForFunction((wanted) => document.querySelector('nav a[aria-current]')?.dataset.page === wanted, id);
    await this.settle();
  }

  // A few frames, so that what draws in the next one has.
  settle(frames = 4) {
    return this.page.evaluate((count) => new Promise((done) => {
      const next = () => (count-- > 0 ? requestAnimationFrame(next) : done());
      next();
    }), frames);
  }

  // The theme and the width of the window.
  async dress(theme, width) {
    await this.page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    await this.page.setViewportSize({ width, height: width < 600 ? 844 : 900 });
    await this.settle();
  }

  // Takes what was written down since the last call.
  trouble() {
    return this.troubles.splice(0);
  }

  close() {
    return this.page.context().close();
  }
}
