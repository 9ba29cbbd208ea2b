// SPDX-License-Identifier: Apache-2.0
//
// A tooltip over a picture of links.

import { el, styled } from '../../dom';

export interface Tooltip {
  show(lines: string[] | null, x: number, y: number): void;
  around(element: Element, name: string): HTMLElement;
}

export function makeTooltip(): Tooltip {
  const tooltip = el('div', { class: 'tl-tip', hidden: true });
  const host = el('div', { class: 'tp-tip-host' });
  return {
    show(lines, x, y) {
      tooltip.hidden = lines === null;
      if (!lines) return;
      tooltip.replaceChildren(el('strong', {}, lines[0]), ...lines.slice(1).map((line) => el('div', {}, line)));
      const right = x > host.clientWidth / 2;
      styled(tooltip, { left: right ? 'auto' : `${x + 14}px`, right: right ? `${host.clientWidth - x + 14}px` : 'auto', top: `${y + 14}px` });
    },
    around(element, name) {
      if (name) host.classList.add(name);
      host.append(element, tooltip);
      return host;
    },
  };
}
