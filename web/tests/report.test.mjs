// SPDX-License-Identifier: Apache-2.0
//
// Opens reports as people do, in a browser from a file, and looks at every page of them.
// run.mjs says what it needs in the environment.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { everyDress, launch, Opened } from './browser.mjs';
import { clipped, empty, lowContrast, overflow, unnamed } from './checks.mjs';
import { makeReports } from './reports.mjs';
import { hostileName } from './workloads.mjs';

const { ORRERY_PROGRAM, ORRERY_PROJECT, ORRERY_OUTPUT, ORRERY_PAGE } = process.env;
const pictures = join(ORRERY_OUTPUT, 'screenshots');
mkdirSync(pictures, { recursive: true });

const largest = 3_000_000; // bytes of a report
// Guards against hanging, whatever else the machine does: a tenth of the speed of an idle one, or less.
const slowest = 30_000; // ms until the report of 1,024 ranks can be read
const fewestFrames = 3; // a second, while the timeline zooms

let browser;
let reports;

before(async () => {
  reports = makeReports({ program: ORRERY_PROGRAM, project: ORRERY_PROJECT, folder: ORRERY_OUTPUT, page: ORRERY_PAGE });
  browser = await launch();
});
after(() => browser?.close());

async function opened(file, options, use) {
  const report = await Opened.open(browser, file, options);
  try {
    await report.page.waitForSelector('main h1');
    await use(report);
  } finally {
    await report.close();
  }
}

// Every page (or only some) in every dress: nothing wrong, and a picture of it.
async function lookAtAll(name, dresses, checks, only) {
  await opened(reports[name].file, {}, async (report) => {
    const wrong = [];
    const pages = await report.pages();
    assert.ok(pages.length >= 8, `pages: ${pages}`);
    for (const [theme, width] of dresses) {
      await report.dress(theme, width);
      for (const id of only ?? pages) {
        await report.show(id);
        const found = report.trouble();
        for (const check of checks) found.push(...await report.page.evaluate(check));
        wrong.push(...found.map((text) => `${id}, ${theme}, ${width} px: ${text}`));
        await report.page.screenshot({ path: join(pictures, `${name}-${id}-${theme}-${width}.png`), fullPage: true, animations: 'disabled' });
      }
    }
    assert.deepEqual(wrong, []);
  });
}

describe('every page shows without a complaint of the browser, readable and within the window', { concurrency: 2 }, () => {
  it('of the demo', () => lookAtAll('demo', everyDress, [empty, lowContrast, unnamed, overflow]));
  it('of two runs', () => lookAtAll('comparison', [['light', 1440], ['dark', 390]], [empty, lowContrast, unnamed, overflow]));
  it('of two runs, with most tables whole beside each other', () => opened(reports.comparison.file, {}, async (report) => {
    await report.dress('light', 1400);
    for (const id of ['summary', 'critical-path', 'breakdown', 'topology', 'memory']) {
      await report.show(id);
      assert.deepEqual(await report.page.evaluate(clipped), [], id);
    }
  }));
  it('of a recommender', () => lookAtAll('recommender', [['light', 1440], ['dark', 390]], [empty, lowContrast, unnamed, overflow]));
  it('of 1,024 ranks', () => lookAtAll('big', [['light', 1440], ['dark', 390]], [empty, lowContrast, unnamed, overflow]));
  it('of a fabric', () => lookAtAll('fabric', everyDress, [empty, lowContrast, unnamed, overflow], ['summary', 'topology']));
  it('of hostile names', () => lookAtAll('hostile', [['light', 390]], [empty, unnamed, overflow]));
});

describe('the file', () => {
  it('is small', () => {
    for (const { name, bytes } of Object.values(reports)) {
      console.log(`# ${name}: ${bytes} bytes`);
      assert.ok(bytes <= largest, `${name}: ${bytes} bytes`);
    }
  });

  it('of 1,024 ranks opens', async () => {
    const times = [];
    for (let i = 0; i < 3; ++i) {
      await opened(reports.big.file, {}, async ({ page }) => {
        times.push(await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(performance.now()))))));
      });
    }
    console.log(`# open: ${times.map(Math.round).join(', ')} ms`);
    assert.ok(Math.min(...times) < slowest, `${times} ms`);
  });

  it('shows the summary without JavaScript', () => withoutScript());
});

async function withoutScript() {
  const report = await Opened.open(browser, reports.demo.file, { javaScriptEnabled: false });
  const rows = await report.page.locator('#static table tr').allInnerTexts();
  assert.ok(rows.length >= 8, rows.join('\n'));
  assert.match(rows.join('\n'), /ms/);
  assert.ok(await report.page.locator('noscript').isVisible());
  await report.page.screenshot({ path: join(pictures, 'demo-without-script.png'), fullPage: true });
  assert.deepEqual(report.trouble(), []);
  await report.close();
}

describe('what the page is made of', () => {
  const source = join(ORRERY_PROJECT, 'web/src');
  const files = (folder) => readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    (entry.isDirectory() ? files(join(folder, entry.name)) : [join(folder, entry.name)]));

  it('never reads text as HTML or as a program', () => {
    const forbidden = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|createContextualFragment|srcdoc\s*=|\beval\(|new Function/;
    const found = files(source).filter((file) => forbidden.test(readFileSync(file, 'utf8')));
    assert.deepEqual(found, []);
  });

  it('may load nothing', () => {
    const policy = readFileSync(reports.demo.file, 'utf8').match(/<meta http-equiv="Content-Security-Policy" content="([^"]*)"/)[1];
    assert.match(policy, /default-src 'none'/);
    assert.doesNotMatch(policy, /unsafe|https?:|\*/);
  });

  it('is written in short files', () => {
    const long = [...files(source), ...files(join(ORRERY_PROJECT, 'web/tests'))].filter((file) => readFileSync(file, 'utf8').split('\n').length > 401);
    assert.deepEqual(long, []);
  });
});

describe('controls', () => {
  it('sort both columns of two runs, and stand in the address', async () => {
    await opened(reports.comparison.file, {}, async (report) => {
      await report.show('breakdown');
      const { page } = report;
      await page.locator('main select').first().selectOption('waited');
      await page.getByRole('button', { name: 'Percent' }).last().click();
      assert.deepEqual(await page.$$eval('main select', (all) => all.map(({ value }) => value)), ['waited', 'waited']);
      assert.deepEqual(await page.$$eval('.rank-rows .head > :last-child', (all) => all.map(({ textContent }) => textContent)), ['waited', 'waited']);
      assert.match(await page.locator('.rank-rows .axis').first().innerText(), /100(\.0)? %/);
      assert.match(page.url(), /breakdown\?sort=waited&unit=percent/);
      assert.deepEqual(report.trouble(), []);
    });
  });

  it('look closer at some of 1,024 ranks', async () => {
    await opened(reports.big.file, {}, async (report) => {
      await report.show('breakdown');
      const { page } = report;
      const box = await page.locator('.strip canvas').first().boundingBox();
      await page.mouse.move(box.x + 300, box.y + 100);
      await page.mouse.down();
      await page.mouse.move(box.x + 340, box.y + 100, { steps: 4 });
      await page.mouse.up();
      await page.mouse.move(box.x + box.width / 2, box.y + 100);
      await report.settle();
      const rank = Number((await page.locator('.readout b').innerText()).match(/\d+/)[0]);
      await page.mouse.click(box.x + box.width / 2, box.y + 100);
      await report.settle();
      assert.ok(rank > 200 && rank < 340, `rank ${rank}`);
      assert.match(page.url(), /#\/timeline/);
    });
  });

  it('filter collectives, and show memory between all ranks', async () => {
    await opened(reports.demo.file, {}, async (report) => {
      await report.show('collectives');
      const { page } = report;
      const types = () => page.$$eval('section[aria-label="Classes"] tbody td:first-child', (all) => [...new Set(all.map(({ textContent }) => textContent))]);
      assert.ok((await types()).length > 1);
      await page.locator('main select').first().selectOption('all_reduce');
      assert.deepEqual(await types(), ['all_reduce']);
      await page.locator('main input[type="search"]').fill('no such name');
      await page.locator('main details summary').first().click();
      await page.getByText('No matching collectives.').first().waitFor();
      await report.show('memory');
      await page.locator('main select').selectOption('');
      await report.settle();
      assert.match(await page.locator('main').innerText(), /the dashed one the emptiest/);
      assert.deepEqual(report.trouble(), []);
    });
  });
});

describe('embedding tables', () => {
  it('are drawn where a run has some', async () => {
    await opened(reports.recommender.file, {}, async (report) => {
      await report.show('tables');
      const pieces = await report.page.$$eval('.placed-bar.bytes > span', (all) => all.length);
      assert.equal(pieces, 4);
      assert.match(await report.page.locator('main').innerText(), /computed/);
      assert.deepEqual(report.trouble(), []);
    });
    await opened(reports.demo.file, {}, async (report) => assert.ok(!(await report.pages()).includes('tables')));
  });
});

describe('hostile names', () => {
  it('are text, wherever they stand', async () => {
    await opened(reports.hostile.file, {}, async (report) => {
      let shown = 0;
      for (const id of await report.pages()) {
        await report.show(id);
        await report.page.$$eval('details', (all) => all.forEach((one) => { one.open = true; }));
        await sweep(report);
        if ((await report.page.locator('main').innerText()).includes(hostileName)) ++shown;
        assert.deepEqual(await foreign(report), [], id);
      }
      assert.ok(shown >= 3, `seen on ${shown} pages`);
      assert.deepEqual(report.trouble(), []);
    });
  });

  it('are text in tooltips', async () => {
    await opened(reports.hostile.file, {}, async (report) => {
      await report.show('collectives');
      const text = await tooltips(report);
      assert.ok([hostileName, `"'&<b>x</b>`].some((name) => text.includes(name)), text);
      assert.deepEqual(await foreign(report), []);
      assert.deepEqual(report.trouble(), []);
    });
  });

  it('stay text without JavaScript, and in the title', async () => {
    const report = await Opened.open(browser, reports.hostile.file, { javaScriptEnabled: false });
    assert.equal(await report.page.locator('img').count(), 0);
    assert.equal(await report.page.locator('script').count(), 3);
    assert.deepEqual(report.trouble(), []);
    await report.close();
  });
});

// Moves the pointer over the pictures, for their tooltips.
async function sweep({ page }) {
  for (const canvas of await page.locator('main canvas:visible').all()) {
    await canvas.scrollIntoViewIfNeeded();
    const box = await canvas.boundingBox();
    for (let i = 1; i < 8; ++i) await page.mouse.move(box.x + (box.width * i) / 8, box.y + (box.height * (i % 2 ? 0.35 : 0.65)));
  }
}

// Goes over a chart until there is something under the pointer; what its tooltip says.
async function tooltips({ page }) {
  const place = await page.evaluate(() => {
    const canvas = document.querySelector('.chart canvas');
    const box = canvas.getBoundingClientRect();
    for (let y = 4; y < box.height; y += 5) {
      for (let x = 4; x < box.width; x += 5) {
        canvas.dispatchEvent(new MouseEvent('mousemove', { bubbles: true, clientX: box.x + x, clientY: box.y + y }));
        if (canvas.parentElement.style.cursor === 'pointer') return [box.x + x, box.y + y];
      }
    }
    return null;
  });
  assert.ok(place, 'nothing to point at');
  await page.mouse.move(place[0] + 1, place[1] + 1);
  await page.locator('.floating').first().waitFor();
  return page.locator('.floating').first().innerText();
}

// Elements that only a name could have made.
function foreign({ page }) {
  return page.evaluate(() => [...document.querySelectorAll('img, iframe, object, embed, svg[onload], [onerror], a[href^="javascript"]')].map((element) => element.outerHTML)
    .concat(document.scripts.length === 3 ? [] : [`${document.scripts.length} scripts`])
    .concat(document.querySelectorAll('style').length <= 1 ? [] : ['a second style sheet']));
}

describe('the timeline of 1,024 ranks', () => {
  it('zooms as the wheel turns', async () => {
    await opened(reports.big.file, {}, async (report) => {
      await report.show('timeline');
      let each = Infinity;
      let frames = [];
      for (let i = 0; i < 3 && 1000 / each < fewestFrames; ++i) { // again, should the machine be busy otherwise
        frames = await zoomFrames(report.page);
        each = frames.reduce((sum, value) => sum + value, 0) / frames.length;
      }
      const drawn = await report.page.evaluate(() => window.__orreryTimeline?.frames ?? []);
      console.log(`# timeline: ${(1000 / each).toFixed(1)} frames/s, slowest ${Math.max(...frames).toFixed(1)} ms; drawing ${(drawn.reduce((a, b) => a + b, 0) / Math.max(1, drawn.length)).toFixed(2)} ms each, ${drawn.length} drawn`);
      assert.ok(drawn.length >= 30, 'the wheel does not draw');
      assert.ok(1000 / each >= fewestFrames, `${1000 / each} frames/s`);
      assert.deepEqual(report.trouble(), []);
    });
  });
});

// Turns the wheel in every frame, in and out again; how long each took.
function zoomFrames(page) {
  return page.evaluate(() => new Promise((done) => {
    const tallest = [...document.querySelectorAll('main canvas')].sort((a, b) => b.clientHeight - a.clientHeight)[0];
    const box = tallest.getBoundingClientRect();
    const at = { clientX: box.x + box.width * 0.6, clientY: box.y + Math.min(box.height * 0.5, 300) };
    const canvas = document.elementFromPoint(at.clientX, at.clientY);
    const frames = [];
    let last = performance.now();
    const step = (now) => {
      frames.push(now - last);
      last = now;
      if (frames.length === 120) return done(frames.slice(1));
      canvas.dispatchEvent(new WheelEvent('wheel', { deltaY: frames.length < 60 ? -60 : 60, bubbles: true, cancelable: true, ...at }));
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }));
}

describe('the keyboard', () => {
  it('reaches every page, the list of keys and the other theme', async () => {
    await opened(reports.demo.file, {}, async (report) => {
      const { page } = report;
      const pages = await report.pages();
      const current = () => page.$eval('nav a[aria-current]', (link) => link.dataset.page);
      const press = async (key) => {
        await page.keyboard.press(key);
        await report.settle();
      };
      await page.keyboard.press('Tab');
      assert.match(await page.evaluate(() => document.activeElement.textContent), /skip/i);
      for (let i = 0; i < Math.min(9, pages.length); ++i) {
        await press(String(i + 1));
        assert.equal(await current(), pages[i]);
        assert.equal(await page.evaluate(() => document.activeElement.tagName), 'H1');
      }
      await press('[');
      assert.equal(await current(), pages[Math.min(9, pages.length) - 2]);
      await press('?');
      assert.ok(await page.locator('dialog[open]').first().isVisible());
      await press('Escape');
      assert.equal(await page.locator('dialog[open]').count(), 0);
      const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
      const before = await theme();
      await press('t');
      assert.notEqual(await theme(), before);
      assert.deepEqual(report.trouble(), []);
    });
  });

  it('reaches every control of every page, and shows where it is', async () => {
    await opened(reports.big.file, {}, async (report) => {
      for (const id of await report.pages()) {
        await report.show(id);
        assert.deepEqual(await report.page.evaluate(unreachable), [], id);
      }
    });
  });

  it('goes through 1,024 ranks and opens one', async () => {
    await opened(reports.big.file, {}, async (report) => {
      await report.show('breakdown', '?sort=exposedCompute');
      const { page } = report;
      await page.locator('.strip canvas').first().focus();
      await page.keyboard.press('ArrowRight');
      await report.settle();
      assert.match(await page.locator('.readout').innerText(), /rank 517/);
      await page.keyboard.press('Enter');
      await report.settle();
      assert.match(page.url(), /#\/timeline/);
      assert.deepEqual(report.trouble(), []);
    });
  });
});

// What a mouse can use and the keyboard cannot.
function unreachable() {
  return [...document.querySelectorAll('button, a[href], select, input, summary, [tabindex]')]
    .filter((element) => element.checkVisibility() && element.tabIndex < 0 && !['H1', 'MAIN'].includes(element.tagName))
    .map((element) => element.outerHTML.slice(0, 120));
}

describe('on paper', () => {
  it('stands every page, dark on white', async () => {
    for (const name of ['demo', 'big']) {
      await opened(reports[name].file, { colorScheme: 'dark' }, async (report) => {
        const pages = await report.pages();
        await report.page.pdf({ path: join(pictures, `${name}.pdf`), format: 'A4' });
        await report.page.evaluate(() => { dispatchEvent(new Event('beforeprint')); });
        await report.page.emulateMedia({ media: 'print' });
        assert.equal(await report.page.locator('.print-page').count(), pages.length);
        assert.equal(await report.page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)');
        assert.deepEqual(await report.page.evaluate(lowContrast), []);
        await report.page.setViewportSize({ width: 720, height: 1000 });
        await report.page.screenshot({ path: join(pictures, `${name}-paper.png`), fullPage: true });
        await report.page.emulateMedia({ media: 'screen' });
        await report.page.evaluate(() => { dispatchEvent(new Event('afterprint')); });
        assert.equal(await report.page.locator('.print-page').count(), 0);
        assert.deepEqual(report.trouble(), []);
      });
    }
  });
});
