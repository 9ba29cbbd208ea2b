// SPDX-License-Identifier: Apache-2.0
//
// Header, navigation, addresses, keys: everything around the pages.
import type { ReportData } from './data';
import { address, clear, el, setPages } from './dom';
import * as format from './format';
import { logo } from './logo';
import { followLinks, moveTo } from './move';
import type { Args, Context, Page } from './page';
import { pages } from './pages';
import { printing } from './print';
import { decodeSpans, type Spans } from './spans';
import { markEdges } from './scroll';
import { createTheme, type Theme } from './theme';

interface Place {
  page: string;
  args: Record<string, string>;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// "#/timeline?rank=3" → timeline, { rank: "3" }
export function parseAddress(hash: string): Place {
  const [path, query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const args: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const part of query.split('&')) {
    const at = part.indexOf('=');
    if (at > 0) args[decode(part.slice(0, at))] = decode(part.slice(at + 1));
  }
  return { page: decode(path), args };
}

class Frame {
  private readonly theme: Theme = createTheme();
  private readonly pages: Page[];
  private readonly decoded = new Map<string, Spans>();
  private readonly main = el('main', { id: 'content', tabindex: -1 });
  private readonly nav = el('nav', { 'aria-label': 'Pages' });
  private readonly help = helpDialog();
  private leave: (() => void)[] = [];
  private current = '';

  constructor(private readonly app: HTMLElement, private readonly data: ReportData) {
    this.pages = pages.filter((page) => data.runs.some((run) => page.has?.(run)) || (page.shows?.(data) ?? false));
    setPages(this.pages.map(({ id }) => id));
  }

  show(): void {
    document.title = `${this.data.schedule?.title ?? this.data.space?.title ?? this.data.replay?.title ?? this.data.views?.title ?? format.runTitles(this.data.runs).join(' and ')} · Orrery`;
    const list = el('ul', {}, this.pages.map((page, i) =>
      el('li', {}, el('a', { href: address(page.id), 'data-page': page.id }, page.title,
        i < 10 && el('kbd', { 'aria-hidden': true }, String((i + 1) % 10))))));
    this.nav.append(list);
    markEdges(this.nav, list);
    clear(this.app);
    this.app.append(
      el('a', { class: 'skip', href: '#content', onclick: (event) => { event.preventDefault(); this.main.focus(); } }, 'Skip to the content'),
      el('div', { class: this.pages.length > 1 ? 'frame' : 'frame single' }, this.header(), this.nav, this.main), this.help);
    followLinks();
    addEventListener('hashchange', () => this.draw(true));
    addEventListener('keydown', (event) => this.key(event));
    this.draw(false);
  }

  private header(): HTMLElement {
    const titles = this.data.schedule?.title ?? this.data.space?.title ?? this.data.replay?.title ?? this.data.views?.title ?? format.runTitles(this.data.runs).map((title, i) => `${title} · ${format.counted(this.data.runs[i].ranks, 'rank')}`).join('  ⟷  ');
    const theme = el('button', { type: 'button', onclick: () => this.theme.toggle() });
    const word = (): void => {
      theme.textContent = this.theme.dark ? 'Light' : 'Dark';
      theme.setAttribute('aria-label', `Switch to ${this.theme.dark ? 'light' : 'dark'} colors`);
    };
    this.theme.onChange(word);
    word();
    const keys = el('button', { type: 'button', onclick: () => this.help.showModal() }, 'Keys');
    return el('header', {},
      el('div', { class: 'brand' }, logo(), 'Orrery'),
      el('div', { class: 'titles name' }, titles),
      el('div', { class: 'tools' }, printing(this.theme, (all) => (all ? this.drawAll() : this.draw(false))), keys, theme));
  }

  private draw(moved: boolean): void {
    const place = parseAddress(location.hash);
    const page = this.pages.find((one) => one.id === place.page) ?? this.pages[0];
    for (const end of this.leave.splice(0)) end();
    this.current = page.id;
    for (const link of this.nav.querySelectorAll('a')) {
      if (link.dataset.page === page.id) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    }
    this.nav.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    const heading = el('h1', { tabindex: -1 }, page.title);
    this.main.replaceChildren(heading);
    this.fill(page, place.args);
    if (moved) {
      heading.focus({ preventScroll: true });
      scrollTo(0, 0);
    }
  }

  // For paper: every page, one after another.
  private drawAll(): void {
    for (const end of this.leave.splice(0)) end();
    this.current = '';
    this.main.replaceChildren();
    for (const page of this.pages) {
      const sheet = el('section', { class: 'print-page' }, el('h1', {}, page.title));
      this.main.append(sheet);
      this.fill(page, {}, sheet);
    }
  }

  private fill(page: Page, args: Record<string, string>, into: HTMLElement = this.main): void {
    const shared = new EventTarget();
    const { runs } = this.data;
    if (page.whole || runs.length === 1) {
      const host = el('div');
      into.append(host);
      this.render(page, host, this.context(page, 0, args, shared));
      return;
    }
    const sections = format.runTitles(runs).map((title, i) =>
      el('section', { 'aria-label': title }, el('h2', { class: 'name' }, `${'AB'[i]}: ${title}`), el('div')));
    into.append(el('div', { class: 'columns' }, sections));
    sections.forEach((section, i) =>
      this.render(page, section.lastElementChild as HTMLElement, this.context(page, i, args, shared)));
  }

  // A page that fails says so; the others still work.
  private render(page: Page, host: HTMLElement, context: Context): void {
    try {
      const end = page.render(host, context);
      if (end) this.leave.push(end);
    } catch (error) {
      host.replaceChildren(el('p', { class: 'card bad', role: 'alert' }, `This page cannot be shown: ${String(error)}`));
      console.error(error);
    }
  }

  private context(page: Page, index: number, args: Record<string, string>, shared: EventTarget): Context {
    return {
      data: this.data,
      run: this.data.runs[index],
      index,
      args,
      theme: this.theme,
      format,
      shared,
      spans: (timeline) => this.spans(index, timeline),
      go: (to, more) => { if (this.pages.some(({ id }) => id === to)) moveTo(address(to, more)); },
      note: (more: Args) => {
        if (this.current === page.id) history.replaceState(null, '', address(page.id, more));
      },
    };
  }

  private spans(run: number, timeline: number): Spans {
    const key = `${run} ${timeline}`;
    let spans = this.decoded.get(key);
    if (!spans) {
      spans = decodeSpans(this.data.runs[run].timelines[timeline]);
      this.decoded.set(key, spans);
    }
    return spans;
  }

  private key(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || this.help.open || event.defaultPrevented) return;
    if (target.closest('input, select, textarea, [contenteditable]')) return;
    if (/^[0-9]$/.test(event.key)) this.to((Number(event.key) + 9) % 10);
    else if (event.key === '[') this.step(-1);
    else if (event.key === ']') this.step(1);
    else if (event.key === '?') this.help.showModal();
    else if (event.key === 't') this.theme.toggle();
    else if (this.nav.contains(target) && /^Arrow/.test(event.key)) {
      event.preventDefault();
      this.along(event.key === 'ArrowDown' || event.key === 'ArrowRight' ? 1 : -1);
    }
  }

  // In the navigation, arrows move between the links.
  private along(by: number): void {
    const links = [...this.nav.querySelectorAll('a')];
    const at = links.indexOf(document.activeElement as HTMLAnchorElement);
    links[(at + by + links.length) % links.length].focus();
  }

  private to(at: number): void {
    const page = this.pages[at];
    if (page) moveTo(address(page.id));
  }

  private step(by: number): void {
    const at = this.pages.findIndex((page) => page.id === this.current);
    this.to((at + by + this.pages.length) % this.pages.length);
  }
}

function helpDialog(): HTMLDialogElement {
  const keys: [string, string][] = [
    ['1 … 9, 0', 'go to a page'], ['[ and ]', 'previous page, next page'],
    ['t', 'light or dark'], ['?', 'this list'], ['Tab, Enter', 'all other controls'],
  ];
  const dialog = el('dialog', { 'aria-label': 'Keys' }, el('h2', {}, 'Keys'),
    el('dl', { class: 'pairs' }, keys.map(([key, does]) => [el('dt', {}, el('kbd', {}, key)), el('dd', {}, does)])),
    el('p', {}), el('form', { method: 'dialog' }, el('button', {}, 'Close')));
  return dialog;
}

export function showReport(app: HTMLElement, data: ReportData): void {
  new Frame(app, data).show();
}
