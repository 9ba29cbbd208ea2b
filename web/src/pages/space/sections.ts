// SPDX-License-Identifier: Apache-2.0
//
// The sections of the page, always within reach: a button scrolls to each.
import { el } from '../../dom';
import { markEdges } from '../../scroll';

export function makeSections(cards: readonly [title: string, card: HTMLElement][]): HTMLElement {
  const go = (card: HTMLElement): void => {
    card.scrollIntoView({ block: 'start' });
    const heading = card.querySelector('h2');
    heading?.setAttribute('tabindex', '-1');
    heading?.focus({ preventScroll: true });
  };
  const list = el('ul', {}, cards.map(([title, card]) =>
    el('li', {}, el('button', { type: 'button', class: 'quiet', onclick: () => go(card) }, title))));
  const bar = el('div', { class: 'sp-sections', role: 'navigation', 'aria-label': 'Sections of this page' }, list);
  markEdges(bar, list);
  return bar;
}
