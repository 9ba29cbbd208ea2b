// SPDX-License-Identifier: Apache-2.0
//
// What the page says of a fabric: what it is made of, its links by class, and its picture.

import type { FaultData, RunData } from '../../data';
import { el } from '../../dom';
import * as format from '../../format';
import type { Context } from '../../page';
import { table } from '../../table';
import { binsOf, blockName, endsOf, mostOf, ofFabric, partsOf, peakOf, scaleEnd, useOf, useOfPart, type PartUse } from './figures';
import { kindName, nodesOf } from './fabric';
import { drawingOf } from './fabric_drawing';
import { boxText, lineText, makeFabricPicture, useFigure } from './fabric_picture';
import { faultsOf, stateOf, whenOf } from './faults';
import { legend } from './heat';
import { makeTooltip } from './tooltip';

export function hasFabric(run: RunData): boolean {
  return run.fabric.leftOut > 0 || (run.fabric.name?.length ?? 0) > 0;
}

// "8 hosts, 64 devices, 4 leaves"
function madeOf(run: RunData): string {
  const nodes = nodesOf(run);
  const counts = new Map<string, number>();
  for (const { kind } of nodes) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const hosts = new Set(nodes.map(({ host }) => host).filter((host) => host !== null)).size;
  const parts = [...counts].map(([kind, count]) => format.counted(count, kindName(kind), kindName(kind, 2)));
  return [...hosts > 0 ? [format.counted(hosts, 'host')] : [], ...parts].join(', ');
}

export function fabricCard(run: RunData): HTMLElement {
  const parts = ofFabric(run) ? partsOf(run).map(({ title, links }) => ({ title, ...useOfPart(run, links) })) : [];
  const seen = run.dims.map(({ block, size, bandwidth, latencyNs }) =>
    `${blockName(block)} of ${size} (${format.rate(bandwidth)}, ${latencyNs} ns)`).join(', ');
  const card = el('section', { class: 'card' }, el('h2', {}, 'The fabric'),
    el('p', {}, run.fabric.leftOut > 0 ? `${format.counted(run.fabric.leftOut, 'node')}.` : `${madeOf(run)}.`,
      ` Collectives use it as these dimensions: ${seen}.`));
  if (parts.length > 0) {
    card.append(table<PartUse & { title: string }>({
      caption: 'Links by class: only links with traffic',
      rows: parts,
      columns: [
        { title: 'Class', cell: ({ title }) => el('span', { class: 'cp-nowrap' }, title), key: ({ title }) => title },
        { title: 'Busiest link', cell: ({ busiest }) => el('span', { class: 'name' }, endsOf(run, busiest)) },
        { title: 'Links', number: true, cell: ({ links }) => format.count(links), key: ({ links }) => links },
        { title: 'Carried in total', number: true, cell: ({ bytes }) => format.bytes(bytes), key: ({ bytes }) => bytes },
        { title: 'Mean use', number: true, cell: ({ mean }) => format.percent(mean), key: ({ mean }) => mean, note: 'Bytes carried over capacity × step' },
        { title: 'Highest use', number: true, cell: ({ busiest }) => format.percent(useOf(run, busiest)), key: ({ busiest }) => useOf(run, busiest), note: 'Of the busiest link' },
      ],
    }));
  }
  const faults = faultsOf(run);
  if (faults.length > 0) card.append(faultsTable(run, faults));
  return card;
}

function faultsTable(run: RunData, faults: readonly FaultData[]): HTMLElement {
  const name = (node: number): string => run.fabric.name?.[node] ?? String(node);
  return table<FaultData>({
    caption: faults.length > 500 ? `Links that were down or slow (500 of ${faults.length})` : 'Links that were down or slow',
    rows: faults.slice(0, 500),
    first: 8,
    columns: [
      { title: 'From', cell: ({ from }) => el('span', { class: 'name' }, name(from)), key: ({ from }) => name(from) },
      { title: 'To', cell: ({ to }) => el('span', { class: 'name' }, name(to)), key: ({ to }) => name(to) },
      { title: 'What', cell: stateOf, key: ({ bandwidth }) => bandwidth },
      { title: 'When', cell: whenOf, key: ({ start }) => start },
    ],
  });
}

// The picture with its scale, and a slider over time.
export function fabricPictureCard(context: Context, ends: (() => void)[]): HTMLElement {
  const { run, theme } = context;
  const card = el('section', { class: 'card' }, el('h2', {}, 'Link use'));
  const drawing = run.fabric.leftOut > 0 ? null : drawingOf(run);
  if (!drawing) {
    card.append(el('p', {}, 'The fabric is too large to display. The tables show the use of its links.'));
    return card;
  }
  const whole = scaleEnd(mostOf(context.data.runs, useOf));
  const peak = scaleEnd(mostOf(context.data.runs, peakOf));
  const bins = binsOf(run);
  const figure = useFigure(run);
  let bin = -1;
  const tooltip = makeTooltip();
  const picture = makeFabricPicture(run, drawing, (what, x, y) =>
    tooltip.show(what === null ? null : 'line' in what ? lineText(run, figure, drawing, what.line, bin) : boxText(run, figure, drawing, what.box, bin), x, y));
  const key = el('div', {});
  const slider = el('input', { type: 'range', min: 0, max: bins, step: 1, value: 0, 'aria-label': 'Time window; at the left end: the complete step' });
  const when = el('output', { class: 'number' });
  const paint = (): void => {
    const end = bin < 0 ? whole : peak;
    const stretch = `${format.time(bin * run.links.bin)} to ${format.time((bin + 1) * run.links.bin)}`;
    when.textContent = bin < 0 ? 'the complete step' : stretch;
    slider.setAttribute('aria-valuetext', when.textContent);
    key.replaceChildren(legend(end, theme.dark, bin < 0 ? undefined : `from ${stretch}`));
    picture.paint(theme.dark, bin, end, figure);
  };
  slider.addEventListener('input', () => {
    bin = Number(slider.value) - 1;
    paint();
  });
  const back = el('button', { type: 'button', onclick: () => {
    slider.value = '0';
    bin = -1;
    paint();
  } }, 'Complete step');
  card.append(key, el('div', { class: 'row controls tp-when' }, back, slider, when), tooltip.around(picture.element, ''),
    el('p', { class: 'muted' }, 'A line is all links between two boxes: its width shows their number, its color the use of the busiest. Links without traffic are not shown.',
      faultsOf(run).length > 0 ? ' Dashed lines were down or slow at some time; red dashed lines had no traffic.' : '',
      drawing.boxes.some(({ inner }) => inner.length > 0) ? ' The strip at the bottom of a box shows the use of links inside it.' : '',
      drawing.circuits > 0 ? ' An optical switch between two ends is shown as a line.' : '',
      drawing.linesLeftOut > 0 ? ` ${format.counted(drawing.linesLeftOut, 'line')} with the least traffic omitted.` : ''));
  ends.push(theme.onChange(paint));
  paint();
  return card;
}
