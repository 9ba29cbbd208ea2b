// SPDX-License-Identifier: Apache-2.0
//
// Regions that scroll sideways: a shadow lies on each edge behind which there is more, above all content.
import { el, type Child } from './dom';

const frames = new WeakMap<Element, () => void>(); // by scroller
let sizes: ResizeObserver | null = null; // one for all

function observer(): ResizeObserver {
  sizes ??= new ResizeObserver((entries) => {
    for (const { target } of entries) {
      const scroller = frames.has(target) ? target : target.parentElement;
      if (scroller) frames.get(scroller)?.();
    }
  });
  return sizes;
}

// Marks `frame` with the edges of `scroller` behind which there is more: classes more-left, more-right.
export function markEdges(frame: HTMLElement, scroller: HTMLElement): void {
  const mark = (): void => {
    const left = scroller.scrollLeft;
    frame.classList.toggle('more-left', left > 1);
    frame.classList.toggle('more-right', left + scroller.clientWidth < scroller.scrollWidth - 1);
  };
  frame.classList.add('scroll-frame');
  frames.set(scroller, mark);
  scroller.addEventListener('scroll', mark, { passive: true });
  observer().observe(scroller);
  for (const child of scroller.children) observer().observe(child);
}

export interface ScrollRegion {
  frame: HTMLElement; // to be put into the page
  region: HTMLElement; // what scrolls
}

export function scrollRegion(label: string, ...children: Child[]): ScrollRegion {
  const region = el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': label }, children);
  const frame = el('div', {}, region);
  markEdges(frame, region);
  return { frame, region };
}
