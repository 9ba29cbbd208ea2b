// SPDX-License-Identifier: Apache-2.0
//
// Packets: their totals, ports by queue, marks, pauses and losses on the network and over time, and messages.

import type { PacketsData, RunData } from '../../data';
import { el } from '../../dom';
import * as format from '../../format';
import type { Context, Page } from '../../page';
import { table, type Column } from '../../table';
import { className, endsOf, ofFabric } from '../links/figures';
import { drawingOf } from '../links/fabric_drawing';
import { boxText, lineText, makeFabricPicture, type Figure } from '../links/fabric_picture';
import { scaleLegend } from '../links/heat';
import '../links/links.css';
import { canDraw, makePicture } from '../links/picture';
import { makeTooltip } from '../links/tooltip';
import { causes, figuresOf, figureText, hasPackets, Ports, scaleOf, type PortFigure } from './figures';
import { messagesCard } from './messages';
import { portCard } from './port_series';

export const packets: Page = {
  id: 'packets',
  title: 'Packets',
  has: hasPackets,
  render(host, context) {
    const data = context.run.packets;
    if (!data || !hasPackets(context.run)) {
      host.append(el('p', { class: 'card' }, 'The network of this run simulates no packets (--network packet).'));
      return undefined;
    }
    const ends: (() => void)[] = [];
    host.append(totalsCard(data));
    showPorts(host, context, new Ports(data), ends);
    const drawn = messagesCard(host, context, data);
    if (drawn) ends.push(() => drawn.dispose());
    return () => ends.forEach((end) => end());
  },
};

function totalsCard({ totals }: PacketsData): HTMLElement {
  const of = (name: string): number => totals[name] ?? 0;
  const dropped = causes.reduce((sum, { column }) => sum + of(column), 0);
  const balance: [number, string][] = [[of('received'), 'received'], [dropped, 'dropped'], [of('trimmed'), 'trimmed'], [of('in_flight'), 'in flight at the end']];
  const facts: [string, number, string][] = [
    ...causes.map(({ column, title }): [string, number, string] => [`Dropped: ${title.toLowerCase()}`, of(column), format.count(of(column))]),
    ['Sent again', of('retransmitted'), format.count(of('retransmitted'))],
    ['Discarded by receivers', of('discarded'), format.count(of('discarded'))],
    ['Marked (ECN)', of('marked'), format.count(of('marked'))],
    ['CNPs', of('cnps'), format.count(of('cnps'))],
    ['Reductions of windows and rates', of('reductions'), format.count(of('reductions'))],
    ['Pauses (PFC)', of('pauses'), format.count(of('pauses'))],
    ['Paused, all ports', of('paused_ps'), format.time(of('paused_ps'))],
    ['Longest queue of a switch', of('longest_queue_bytes'), format.bytes(of('longest_queue_bytes'))],
  ];
  return el('section', { class: 'card' }, el('h2', {}, 'All packets'),
    el('p', {}, el('strong', {}, `${format.count(of('sent'))} sent`), ` = ${balance.filter(([count]) => count > 0).map(([count, what]) => `${format.count(count)} ${what}`).join(' + ')}. Data packets; repeated ones count again. All numbers are simulated.`),
    el('dl', { class: 'pairs' }, facts.filter(([, value]) => value > 0).map(([key, , text]) => [el('dt', {}, key), el('dd', { class: 'number' }, text)])));
}

function showPorts(host: HTMLElement, context: Context, ports: Ports, ends: (() => void)[]): void {
  const shown = figuresOf(ports.packets);
  if (ports.packets.bin === 0) {
    host.append(el('p', { class: 'card' }, 'The network has too many links to record its ports.'));
    return;
  }
  if (shown.length === 0) {
    host.append(el('p', { class: 'card' }, 'No packet waited at a port, and none was marked, dropped or trimmed.'));
    return;
  }
  const places = el('div');
  host.append(places);
  const series = portCard(host, context, ports);
  const pick = (port: number): void => {
    if (port >= 0) series.show(port);
  };
  heatCard(places, context, ports, shown, pick, ends);
  host.append(portsTable(context.run, ports, shown, pick));
  ends.push(() => series.dispose());
  pick(highest(ports, shown[0], ports.packets.ports.link.map((_, port) => port)));
}

// The port with the highest total; -1: there is none.
function highest(ports: Ports, figure: PortFigure, among: readonly number[]): number {
  return among.reduce((best, port) => (best < 0 || ports.total(port, figure) > ports.total(best, figure) ? port : best), -1);
}

function heatFigure(run: RunData, ports: Ports, shown: readonly PortFigure[], figure: PortFigure): Figure {
  return {
    value: (link, bin) => ports.value(link, bin, figure),
    most: 'highest',
    valueText: (value) => figureText(figure, value),
    linkText: (link, bin) => ports.text(link, bin, shown),
    sumText: (links) => `${format.counted(links.length, 'link')}, ${figure.what}: at most ${figureText(figure, Math.max(...links.map((link) => ports.total(ports.port(link), figure)), 0))}${run.links.leftOut > 0 ? ' among those shown' : ''}`,
  };
}

// The network in the colors of one figure, with a slider over time.
function heatCard(host: HTMLElement, context: Context, ports: Ports, shown: readonly PortFigure[], pick: (port: number) => void, ends: (() => void)[]): void {
  const { run, theme } = context;
  const drawing = ofFabric(run) && run.fabric.leftOut === 0 ? drawingOf(run) : null;
  if (!drawing && (ofFabric(run) || !canDraw(run))) return; // the table has the same
  let [figure, bin] = [shown[0], -1];
  const select = el('select', {}, shown.map(({ id, title }) => el('option', { value: id }, title)));
  const key = el('div', {});
  const place = el('div', {});
  const slider = el('input', { type: 'range', min: 0, max: ports.bins, step: 1, value: 0, 'aria-label': 'Time window; at the left end: the complete step' });
  const when = el('output', { class: 'number' });
  const back = el('button', { type: 'button' }, 'Complete step');
  const pickLinks = (links: readonly number[]): void => pick(highest(ports, figure, links.map((link) => ports.port(link)).filter((port) => port >= 0)));
  const tooltip = makeTooltip();
  const current = (): Figure => heatFigure(run, ports, shown, figure);
  const fabric = drawing && makeFabricPicture(run, drawing, (what, x, y) => tooltip.show(what === null ? null
    : 'line' in what ? lineText(run, current(), drawing, what.line, bin) : boxText(run, current(), drawing, what.box, bin), x, y), (line) => pickLinks(line.links));
  if (fabric) place.append(tooltip.around(fabric.element, ''));
  const paint = (): void => {
    const end = scaleOf(ports.most(figure, bin >= 0));
    const stretch = `${format.time(bin * ports.packets.bin)} to ${format.time((bin + 1) * ports.packets.bin)}`;
    when.textContent = bin < 0 ? 'the complete step' : stretch;
    slider.setAttribute('aria-valuetext', when.textContent);
    const what = `${figure.what}${bin < 0 ? ', complete step' : `, from ${stretch}`}`;
    key.replaceChildren(scaleLegend(figureText(figure, 0), figureText(figure, end), theme.dark, what));
    if (fabric) return fabric.paint(theme.dark, bin, end, current());
    const picture = makePicture(run, end, (link, x, y) => tooltip.show(link < 0 ? null : [endsOf(run, link), ports.text(link, bin, shown)], x, y),
      (link) => ports.value(link, bin, figure), (link) => pickLinks([link]));
    place.replaceChildren(tooltip.around(picture.element, 'tp-picture-host'));
    picture.paint(theme.dark);
    return undefined;
  };
  select.addEventListener('change', () => {
    figure = shown.find(({ id }) => id === select.value) ?? shown[0];
    paint();
  });
  slider.addEventListener('input', () => {
    bin = Number(slider.value) - 1;
    paint();
  });
  back.addEventListener('click', () => {
    slider.value = '0';
    bin = -1;
    paint();
  });
  host.append(el('section', { class: 'card' }, el('h2', {}, 'Ports on the network'),
    el('div', { class: 'controls' }, el('label', {}, 'Color ', select)), key,
    el('div', { class: 'row controls tp-when' }, back, slider, when), place,
    el('p', { class: 'muted' }, drawing
      ? 'A line is all links between two boxes, in both directions; its color shows the highest value among their ports. Click a line to see its port over time.'
      : 'A line is a link in one direction; its color shows the port that sends over it. Click a line to see its port over time.')));
  ends.push(theme.onChange(paint));
  paint();
}

function portsTable(run: RunData, ports: Ports, shown: readonly PortFigure[], pick: (port: number) => void): HTMLElement {
  const { link } = ports.packets.ports;
  const rows = link.map((_, port) => port).sort((a, b) => ports.total(b, shown[0]) - ports.total(a, shown[0]) || a - b).slice(0, 500);
  const columns: Column<number>[] = [
    { title: 'Port', cell: (port) => el('button', { type: 'button', class: 'quiet name', onclick: () => pick(port) }, endsOf(run, link[port])), key: (port) => endsOf(run, link[port]) },
    ...ofFabric(run) ? [{ title: 'Class', cell: (port: number) => el('span', { class: 'cp-nowrap' }, className(run.links.kind[link[port]])), key: (port: number) => className(run.links.kind[link[port]]) }] : [],
    ...shown.map((figure): Column<number> => ({ title: figure.title, number: true, cell: (port) => figureText(figure, ports.total(port, figure)), key: (port) => ports.total(port, figure) })),
  ];
  const left = ports.packets.portsLeftOut > 0 ? `; ${format.counted(ports.packets.portsLeftOut, 'port')} omitted` : '';
  return el('section', { class: 'card' }, el('h2', {}, 'Ports'), table<number>({
    caption: `${format.counted(rows.length, 'port')} where packets waited or were marked, paused, dropped or repeated${left}`,
    rows, first: 12, columns, sort: { column: columns.findIndex(({ title }) => title === shown[0].title), down: true }, pick,
  }));
}
