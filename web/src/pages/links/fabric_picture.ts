// SPDX-License-Identifier: Apache-2.0
//
// A fabric as a picture: switches by tier, hosts below them, lines in the color of the busiest link behind each.

import type { RunData } from '../../data';
import { styled, svg } from '../../dom';
import * as format from '../../format';
import { scrollRegion } from '../../scroll';
import { className, endsOf, peakOf, useInBin, useOf } from './figures';
import { boxHeight, type Box } from './fabric_boxes';
import type { Drawing } from './fabric_drawing';
import type { Line } from './fabric_lines';
import { faultsText } from './faults';
import { heat } from './heat';

export interface FabricPicture {
  element: HTMLElement;
  // `bin`: as in Figure. `end`: of the scale.
  paint(isDark: boolean, bin: number, end: number, figure: Figure): void;
}

// What colors show of a link. `bin`: of which stretch; -1: the whole step.
export interface Figure {
  value(link: number, bin: number): number;
  most: string; // "busiest": what the link with the highest value is called
  valueText(value: number): string;
  linkText(link: number, bin: number): string; // all about one link
  sumText(links: readonly number[]): string; // of several: "4 links carry 2 MiB"
}

const useAt = (run: RunData, link: number, bin: number): number => (bin < 0 ? useOf(run, link) : useInBin(run, link, bin));

function useText(run: RunData, link: number, bin: number): string {
  const now = bin < 0 ? '' : `${format.percent(useInBin(run, link, bin))} in this window, `;
  return `${now}${format.percent(useOf(run, link))} of ${format.rate(run.links.capacity[link])} over the step, carries ${format.bytes(run.links.bytes[link])}, at most ${format.percent(peakOf(run, link))} in ${format.time(run.links.bin)}`;
}

export const useFigure = (run: RunData): Figure => ({
  value: (link, bin) => useAt(run, link, bin),
  most: 'busiest',
  valueText: format.percent,
  linkText: (link, bin) => useText(run, link, bin),
  sumText: (links) => `${format.counted(links.length, 'link')} ${links.length === 1 ? 'carries' : 'carry'} ${format.bytes(links.reduce((sum, link) => sum + run.links.bytes[link], 0))}`,
});

function highestOf(figure: Figure, links: readonly number[], bin: number): number {
  return links.reduce((best, link) => (best < 0 || figure.value(link, bin) > figure.value(best, bin) ? link : best), -1);
}

function linksText(run: RunData, figure: Figure, links: readonly number[], bin: number): string[] {
  if (links.length === 0) return [run.links.leftOut > 0 ? 'little or no traffic' : 'no traffic'];
  if (links.length <= 4) return links.map((link) => `${endsOf(run, link)}: ${figure.linkText(link, bin)}`);
  const highest = highestOf(figure, links, bin);
  return [figure.sumText(links), `${figure.most}: ${endsOf(run, highest)}: ${figure.linkText(highest, bin)}`];
}

export function lineText(run: RunData, figure: Figure, { boxes }: Drawing, line: Line, bin: number): string[] {
  const classes = [...new Set(line.links.map((link) => className(run.links.kind[link])))].join(', ');
  const parts = [`${boxes[line.a].title} – ${boxes[line.b].title}`, classes, ...faultsText(run, line.faults), ...linksText(run, figure, line.links, bin)];
  return parts.filter((part) => part !== '');
}

export function boxText(run: RunData, figure: Figure, drawing: Drawing, box: number, bin: number): string[] {
  const { title, inner, innerFaults } = drawing.boxes[box];
  const lines = drawing.lines.filter(({ a, b }) => a === box || b === box);
  const outer = lines.flatMap(({ links }) => links);
  const text = [title, outer.length === 0 ? 'no traffic shown on its links' : figure.sumText(outer)];
  const highest = highestOf(figure, outer, bin);
  if (highest >= 0) text.push(`${figure.most}: ${endsOf(run, highest)}: ${figure.valueText(figure.value(highest, bin))}`);
  if (inner.length > 0) text.push(`inside: ${linksText(run, figure, inner, bin).join('; ')}`);
  const faults = lines.flatMap((line) => line.faults);
  if (faults.length > 0) text.push(`faults of its links: ${faultsText(run, faults).join('; ')}`);
  if (innerFaults.length > 0) text.push(`faults inside: ${faultsText(run, innerFaults).join('; ')}`);
  return text;
}

// `point`: called with the item below the pointer (null: none) and its position, in CSS pixels of the element.
// `pick`: called with the line that is clicked.
export function makeFabricPicture(run: RunData, drawing: Drawing, point: (what: { line: Line } | { box: number } | null, x: number, y: number) => void, pick?: (line: Line) => void): FabricPicture {
  const { width, height, frames, rows } = drawing;
  const strokes = drawing.lines.map((line, i) => {
    const thick = 0.9 + 0.8 * Math.log2(1 + line.count);
    return {
      line,
      seen: svg('path', { d: line.path, fill: 'none', 'stroke-width': thick.toFixed(2), ...classOf(run, line) }),
      touch: svg('path', { d: line.path, fill: 'none', stroke: 'transparent', 'stroke-width': Math.max(6, thick), 'data-line': i },
        line.faults.length > 0 ? svg('title', {}, `${drawing.boxes[line.a].title} – ${drawing.boxes[line.b].title}: ${faultsText(run, line.faults).join('; ')}`) : null),
    };
  });
  const seen = svg('g', {}, strokes.map((one) => one.seen));
  const boxes = drawing.boxes.map(drawBox);
  const picture = svg('svg', { class: 'tp-fabric', viewBox: `0 0 ${width.toFixed(0)} ${height.toFixed(0)}`, role: 'img',
    'aria-label': `The fabric: ${format.counted(drawing.boxes.length, 'box', 'boxes')} and ${format.counted(drawing.lines.length, 'line')} between them, in the color of their use; the table of links has the same figures.` },
  svg('g', { class: 'tp-row-names' }, rows.map(({ label, y }) => svg('text', { x: 2, y: (y + 3.5).toFixed(1), 'font-size': 11 }, label))),
  svg('g', {}, frames.map((frame) => svg('rect', { x: frame.x.toFixed(1), y: frame.y.toFixed(1), width: frame.width.toFixed(1), height: frame.height.toFixed(1), rx: 6, class: 'tp-group' }))),
  svg('g', { class: 'tp-row-names' }, frames.map((frame) => svg('text', { x: (frame.x + frame.width / 2).toFixed(1), y: (frame.y + frame.height - 5).toFixed(1), 'font-size': 10, 'text-anchor': 'middle' }, frame.label))),
  seen,
  svg('g', {}, strokes.map((one) => one.touch)),
  boxes.map(({ element }) => element));
  styled(picture, { 'min-width': `${Math.round(Math.min(width, Math.max(640, width * 0.7)))}px` });
  const { frame: element, region } = scrollRegion('Picture of the fabric', picture);
  region.addEventListener('pointermove', (event) => {
    const target = (event.target as Element).closest('[data-line], [data-box]');
    const frame = region.getBoundingClientRect();
    const [line, box] = [target?.getAttribute('data-line') ?? null, target?.getAttribute('data-box') ?? null];
    point(line !== null ? { line: drawing.lines[Number(line)] } : box !== null ? { box: Number(box) } : null, event.clientX - frame.left, event.clientY - frame.top);
  });
  if (pick) {
    region.addEventListener('click', (event) => {
      const line = (event.target as Element).closest('[data-line]')?.getAttribute('data-line') ?? null;
      if (line !== null) pick(drawing.lines[Number(line)]);
    });
  }
  region.addEventListener('pointerleave', () => point(null, 0, 0));
  return {
    element,
    paint(isDark, bin, end, figure) {
      const use = (links: readonly number[]): number => links.reduce((most, link) => Math.max(most, figure.value(link, bin)), 0);
      const order = strokes.map((one) => ({ ...one, use: use(one.line.links) })).sort((a, b) => a.use - b.use); // the busiest on top
      for (const { seen: path, line, use: much } of order) {
        if (line.links.length > 0) path.setAttribute('stroke', heat(much / end, isDark));
      }
      seen.replaceChildren(...order.map((one) => one.seen));
      boxes.forEach(({ strip }, i) => strip?.setAttribute('fill', heat(use(drawing.boxes[i].inner) / end, isDark)));
    },
  };
}

// Dashed is what was down or slow; in red, what carried nothing for it.
function classOf(run: RunData, { links, faults }: Line): { class: string } | object {
  if (faults.length === 0) return {};
  return { class: links.length === 0 && run.links.leftOut === 0 ? 'tp-fault tp-down' : 'tp-fault' };
}

// A box; what is busy inside it shows as a strip along its foot.
function drawBox(box: Box, i: number): { element: SVGElement; strip: SVGElement | null } {
  const { x, y, width, kind, inner, label } = box;
  const [left, top] = [x - width / 2, y - boxHeight / 2];
  const at = { x: left.toFixed(1), width: width.toFixed(1) };
  const strip = inner.length > 0 ? svg('rect', { ...at, y: (top + boxHeight - 3).toFixed(1), height: 5, rx: 2 }) : null;
  return {
    element: svg('g', { class: `tp-box ${kind === 'device' ? 'device' : ''}`, 'data-box': i },
      svg('rect', { ...at, y: top.toFixed(1), height: boxHeight, rx: 3, class: 'tp-box-body' }), strip,
      label && svg('text', { x: x.toFixed(1), y: (y + 3.8).toFixed(1), 'font-size': 11 }, label)),
    strip,
  };
}
