// SPDX-License-Identifier: Apache-2.0
//
// A field that finds a rank by its number.
import { el } from '../../dom';
import { count } from '../../format';
import './ranks.css';

// The rank that a text names; null: none. "rank 12" and "131,071" name one as well.
export function rankIn(text: string, ranks: number): number | null {
  const digits = text.trim().replace(/^rank\s*/i, '').replaceAll(',', '');
  if (!/^\d+$/.test(digits)) return null;
  const rank = Number(digits);
  return rank < ranks ? rank : null;
}

export interface RankField {
  element: HTMLElement;
  show(rank: number | null): void; // unless something is being typed
}

// Calls `find` with the rank while its number is typed, and with null when the field is emptied.
export function rankField(ranks: number, find: (rank: number | null) => void): RankField {
  let timer = 0;
  const note = el('span', { class: 'find-note', role: 'status' });
  const field = el('input', {
    type: 'search', class: 'find-rank', inputmode: 'numeric', placeholder: 'Rank', 'aria-label': 'Find a rank by number',
    autocomplete: 'off', spellcheck: 'false', title: `A number from 0 to ${count(ranks - 1)}`,
  });
  const look = (): void => {
    clearTimeout(timer);
    const rank = rankIn(field.value, ranks);
    const wrong = rank === null && field.value.trim() !== '';
    field.setAttribute('aria-invalid', String(wrong));
    note.textContent = wrong ? `ranks are 0 to ${count(ranks - 1)}` : '';
    if (!wrong) find(rank);
  };
  field.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(look, 200);
  });
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') {
      event.preventDefault();
      look();
    } else if (event.key === 'Escape' && field.value !== '') {
      event.preventDefault();
      field.value = '';
      look();
    }
  });
  const show = (rank: number | null): void => {
    if (document.activeElement !== field) field.value = rank === null ? '' : String(rank);
  };
  return { element: el('span', { class: 'find' }, field, note), show };
}
