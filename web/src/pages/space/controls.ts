// SPDX-License-Identifier: Apache-2.0
//
// A labeled list to choose from, and what else controls are made of.
import { el } from '../../dom';
import { saveFile } from '../../save';

export function choice(title: string, values: [string, string][], now: string, chosen: (value: string) => void): HTMLLabelElement {
  const select = el('select', {}, values.map(([value, text]) => el('option', { value, selected: value === now }, text)));
  select.addEventListener('change', () => chosen(select.value));
  return el('label', { class: 'sp-choice' }, title, select);
}

// Text to the clipboard; where that is not allowed it is selected, so that a key does it.
export function copyButton(what: string, from: HTMLElement): HTMLButtonElement {
  const button = el('button', { type: 'button', class: 'quiet', 'aria-label': `Copy ${what}` }, 'Copy');
  const say = (text: string): void => {
    button.textContent = text;
    setTimeout(() => { button.textContent = 'Copy'; }, 1500);
  };
  button.addEventListener('click', () => {
    const selection = getSelection();
    selection?.selectAllChildren(from);
    const done = navigator.clipboard?.writeText(from.textContent ?? '');
    if (done) done.then(() => say('Copied'), () => say('Press Ctrl+C'));
    else say('Press Ctrl+C');
  });
  return button;
}

// Saves text as a file.
export function save(name: string, type: string, text: string): void {
  saveFile(name, new Blob([text], { type }));
}
