// SPDX-License-Identifier: Apache-2.0
import { svg } from './dom';

export function logo(): SVGElement {
  const ring = (r: number): SVGElement => svg('circle', { cx: 12, cy: 12, r, fill: 'none', stroke: 'currentColor', 'stroke-width': 1.4 });
  const dot = (cx: number, cy: number, r: number): SVGElement => svg('circle', { cx, cy, r, fill: 'currentColor' });
  return svg('svg', { viewBox: '0 0 24 24', 'aria-hidden': true }, ring(10), ring(5.5), dot(12, 12, 2.2), dot(12, 2, 1.8), dot(17.5, 12, 1.5));
}
