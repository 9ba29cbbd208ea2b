// SPDX-License-Identifier: Apache-2.0
//
// Colors for how busy a link is: lighter to darker on a light page, darker to lighter on a dark one.

import { el, styled } from '../../dom';
import * as format from '../../format';

const light = ['#c8cfd8', '#eeb068', '#dd7426', '#ab2a2e', '#560b37'];
const dark = ['#333d4a', '#7c3f1d', '#d1681f', '#ffb45e', '#fff3cf'];

export const stops = (isDark: boolean): string[] => (isDark ? dark : light);

// `part` from 0 to 1 of the scale.
export function heat(part: number, isDark: boolean): string {
  const colors = stops(isDark);
  const place = Math.min(Math.max(part, 0), 1) * (colors.length - 1);
  const low = Math.min(Math.floor(place), colors.length - 2);
  const rest = place - low;
  const channel = (at: number): string => {
    const a = parseInt(colors[low].slice(at, at + 2), 16);
    const b = parseInt(colors[low + 1].slice(at, at + 2), 16);
    return Math.round(a + (b - a) * rest).toString(16).padStart(2, '0');
  };
  return `#${channel(1)}${channel(3)}${channel(5)}`;
}

export function legend(end: number, isDark: boolean, when = 'over the complete step'): HTMLElement {
  return scaleLegend(format.percent(0), format.percent(end), isDark, `of capacity, ${when}`);
}

// The colors of a scale between two values, and what they are of.
export function scaleLegend(least: string, most: string, isDark: boolean, what: string): HTMLElement {
  const gradient = `linear-gradient(to right, ${stops(isDark).join(', ')})`;
  const bar = styled(el('span', { class: 'tp-scale' }), { background: gradient });
  return el('div', { class: 'tp-legend', role: 'img', 'aria-label': `Colors from ${least} to ${most} ${what}` },
    el('span', { class: 'muted' }, least), bar, el('span', { class: 'muted' }, most),
    el('span', {}, what));
}
