// SPDX-License-Identifier: Apache-2.0
//
// Moves within the page. In the frame of the app (src/app/pages/report.ts) a report is a blob without an origin, where
// Chromium refuses to follow a link to a fragment; its history can be changed.
const framed = typeof location !== 'undefined' && location.protocol === 'blob:';

// "#/timeline?rank=3"
export function moveTo(hash: string): void {
  if (!framed) {
    location.hash = hash;
    return;
  }
  if (location.hash === hash) return;
  history.pushState(null, '', hash);
  dispatchEvent(new HashChangeEvent('hashchange'));
}

// Has links to pages work in a frame, too.
export function followLinks(): void {
  if (!framed) return;
  addEventListener('click', (event) => {
    const hash = (event.target as Element).closest('a[href^="#/"]')?.getAttribute('href');
    if (!hash || event.defaultPrevented) return;
    event.preventDefault();
    moveTo(hash);
  });
}
