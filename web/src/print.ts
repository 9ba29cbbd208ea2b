// SPDX-License-Identifier: Apache-2.0
//
// On paper the whole report stands, one page after another, dark on white.
import { el } from './dom';
import type { Theme } from './theme';

const sheet = '182mm'; // as wide as what is printed

// `lay` puts every page (true) or the one that was shown (false) into the document.
export function printing(theme: Theme, lay: (all: boolean) => void): HTMLButtonElement {
  const root = document.documentElement;
  let laid = false;
  const begin = (): void => {
    if (laid) return;
    laid = true;
    root.dataset.printing = '';
    root.style.setProperty('--sheet', sheet);
    theme.paper(true);
    lay(true);
  };
  const end = (): void => {
    if (!laid) return;
    laid = false;
    delete root.dataset.printing;
    theme.paper(false);
    lay(false);
  };
  addEventListener('beforeprint', begin);
  addEventListener('afterprint', end);
  // With the button, what draws in the next frames has drawn before the paper is filled.
  const print = (): void => {
    begin();
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => {
      window.print();
      end();
    }, 50)));
  };
  return el('button', { type: 'button', onclick: print }, 'Print');
}
