// SPDX-License-Identifier: Apache-2.0
//
// Header, navigation, addresses, keys, undo: everything around the pages of the app.
import { clear, el, type Child } from '../dom';
import { markEdges } from '../scroll';
import { createTheme, type Theme } from '../theme';
import { logo } from '../logo';
import type { App, AppPage } from './page';
import { pages } from './pages';
import { fromQuery, toQuery } from './question';
import type { State } from './state';

const keys: [string, string][] = [
  ['1 … 9', 'go to a page'], ['[ and ]', 'previous page, next page'], ['Ctrl+Z, Ctrl+Shift+Z', 'undo, redo'], ['p', 'pin this plan'],
  ['t', 'light or dark'], ['?', 'this list'], ['Tab, arrows, Enter', 'all other controls'],
];

const asking = ['plan', 'search', 'report']; // pages whose address has the question

export class Shell implements App {
  readonly theme: Theme = createTheme();
  private readonly main = el('main', { id: 'content', tabindex: -1 });
  private readonly nav = el('nav', { 'aria-label': 'Pages' });
  private readonly spoken = el('p', { class: 'app-said', role: 'status' });
  private readonly help = helpDialog();
  private readonly undo = el('button', { type: 'button', onclick: () => this.state.undo() }, 'Undo');
  private readonly redo = el('button', { type: 'button', onclick: () => this.state.redo() }, 'Redo');
  private leave: (() => void) | undefined;
  private current = '';
  private ignored: string[] = [];
  private silence: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly host: HTMLElement, readonly state: State, private readonly server: { version: string; folder: string }) {}

  show(): void {
    const links = el('ul', {}, pages.map((page, i) => el('li', {},
      el('a', { href: `#/${page.id}`, 'data-page': page.id }, el('span', {}, page.title), el('kbd', { 'aria-hidden': true }, String(i + 1))))));
    this.nav.append(links);
    markEdges(this.nav, links);
    clear(this.host);
    this.host.append(
      el('a', { class: 'skip', href: '#content', onclick: (event) => { event.preventDefault(); this.main.focus(); } }, 'Skip to the content'),
      el('div', { class: 'frame app-frame' }, this.header(), this.nav, this.main), this.spoken, this.help);
    addEventListener('hashchange', () => this.draw(true));
    addEventListener('keydown', (event) => this.key(event));
    this.state.onChange(() => this.changed());
    this.changed();
    this.draw(false);
  }

  go(page: string, query = ''): void {
    const hash = `#/${page}${query && `?${query}`}`;
    if (location.hash === hash) this.draw(true);
    else location.hash = hash;
  }

  say(text: string): void {
    this.spoken.textContent = text;
    clearTimeout(this.silence);
    this.silence = setTimeout(() => { this.spoken.textContent = ''; }, 6000);
  }

  private header(): HTMLElement {
    const theme = el('button', { type: 'button', onclick: () => this.theme.toggle() });
    const word = (): void => {
      theme.textContent = this.theme.dark ? 'Light' : 'Dark';
      theme.setAttribute('aria-label', `Switch to ${this.theme.dark ? 'light' : 'dark'} colors`);
    };
    this.theme.onChange(word);
    word();
    return el('header', {},
      el('div', { class: 'brand' }, logo(), 'Orrery'),
      el('div', { class: 'titles name muted' }, `${this.server.version} · ${this.server.folder}`),
      el('div', { class: 'tools' }, this.undo, this.redo,
        el('button', { type: 'button', onclick: () => void this.share() }, 'Share'),
        el('button', { type: 'button', onclick: () => window.print() }, 'Print'),
        el('button', { type: 'button', onclick: () => this.help.showModal() }, 'Keys'), theme));
  }

  // The address of this page has the question; it has no token.
  private async share(): Promise<void> {
    try {
      await navigator.clipboard.writeText(location.href);
      this.say('The link to this question is copied. It opens on this machine, while orrery ui runs.');
    } catch {
      this.say('The browser does not allow copying. Copy the address of the window: it contains the question.');
    }
  }

  private changed(): void {
    this.undo.disabled = !this.state.history.canUndo;
    this.redo.disabled = !this.state.history.canRedo;
    const links = this.nav.querySelectorAll('a');
    for (const link of links) {
      if (asking.includes(link.dataset.page!)) link.setAttribute('href', `#/${link.dataset.page}?${toQuery(this.state.question)}`);
      if (link.dataset.page === 'compare') {
        link.firstElementChild!.textContent = this.state.pins.length > 0 ? `Compare (${this.state.pins.length})` : 'Compare';
        link.setAttribute('href', `#/compare?${pinQuery(this.state)}`);
      }
    }
    if (asking.includes(this.current)) history.replaceState(null, '', `#/${this.current}?${toQuery(this.state.question)}`);
    if (this.current === 'compare') history.replaceState(null, '', `#/compare?${pinQuery(this.state)}`);
  }

  private draw(moved: boolean): void {
    const [path, query = ''] = location.hash.replace(/^#\/?/, '').split(/\?(.*)/s);
    const page = pages.find(({ id }) => id === path) ?? pages[0];
    this.leave?.();
    this.leave = undefined;
    this.current = page.id;
    this.ignored = [];
    if (query) this.take(page, query, moved);
    document.title = `${page.title} · Orrery`;
    for (const link of this.nav.querySelectorAll('a')) {
      if (link.dataset.page === page.id) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    }
    this.nav.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    const heading = el('h1', { tabindex: -1 }, page.title);
    const body = el('div');
    this.main.replaceChildren(heading, ...this.notice(), body);
    this.render(page, body, query);
    this.changed();
    if (moved) {
      heading.focus({ preventScroll: true });
      scrollTo(0, 0);
    }
  }

  // Options of the address that nothing reads, for as long as the page is open.
  private notice(): HTMLElement[] {
    if (this.ignored.length === 0) return [];
    return [el('p', { class: 'card', role: 'status' }, `Ignored, because orrery run has no such options: ${this.ignored.join(', ')}`)];
  }

  // What an address asks for: a question, or pinned ones.
  private take(page: AppPage, query: string, moved: boolean): void {
    if (asking.includes(page.id)) {
      const { question, unknown } = fromQuery(query, this.state.run);
      this.ignored = unknown;
      if (moved) this.state.replace(question);
      else this.state.begin({ question });
    } else if (page.id === 'compare') {
      const read = new URLSearchParams(query).getAll('pin').map((pin) => fromQuery(pin, this.state.run));
      const pins = read.map(({ question }) => question);
      this.ignored = [...new Set(read.flatMap(({ unknown }) => unknown))];
      if (moved) this.state.setPins(pins);
      else this.state.begin({ pins });
    }
  }

  // A page that fails says so; the others still work.
  private render(page: AppPage, host: HTMLElement, query: string): void {
    try {
      this.leave = page.render(host, this, query) ?? undefined;
    } catch (error) {
      host.replaceChildren(el('p', { class: 'card bad', role: 'alert' }, `This page cannot be shown: ${String(error)}`));
      console.error(error);
    }
  }

  private key(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (this.help.open || event.defaultPrevented) return;
    const typing = target.closest('input:not([type=range]):not([type=checkbox]), textarea') !== null;
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'z' && !typing) {
      event.preventDefault();
      if (event.shiftKey) this.state.redo();
      else this.state.undo();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || typing || target.closest('select')) return;
    if (/^[1-9]$/.test(event.key)) this.to(Number(event.key) - 1);
    else if (event.key === '[') this.step(-1);
    else if (event.key === ']') this.step(1);
    else if (event.key === '?') this.help.showModal();
    else if (event.key === 't') this.theme.toggle();
    else if (event.key === 'p') {
      this.state.pin(this.state.question);
      this.say(`Pinned: ${this.state.pins.length} to compare`);
    }
  }

  private to(at: number): void {
    const link = this.nav.querySelectorAll('a')[at];
    if (link) location.hash = link.getAttribute('href')!;
  }

  private step(by: number): void {
    const at = pages.findIndex(({ id }) => id === this.current);
    this.to((at + by + pages.length) % pages.length);
  }
}

// The pinned questions as a query: each is one text.
export function pinQuery(state: State): string {
  return new URLSearchParams(state.pins.map((pin) => ['pin', toQuery(pin)])).toString();
}

function helpDialog(): HTMLDialogElement {
  const lines: Child[] = keys.map(([key, does]) => [el('dt', {}, el('kbd', {}, key)), el('dd', {}, does)]);
  return el('dialog', { 'aria-label': 'Keys' }, el('h2', {}, 'Keys'), el('dl', { class: 'pairs' }, lines),
    el('p', {}), el('form', { method: 'dialog' }, el('button', {}, 'Close')));
}
