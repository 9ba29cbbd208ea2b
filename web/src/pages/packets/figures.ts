// SPDX-License-Identifier: Apache-2.0
//
// Figures of packets at ports, in total and by bin. Pure.

import type { PacketsData, PortColumn, RunData } from '../../data';
import * as format from '../../format';

// What the page shows of a port: one column, or the sum of several.
export interface PortFigure {
  id: string;
  title: string; // in a list: "Longest queue"
  what: string; // after a number: "packets marked"
  columns: readonly PortColumn[];
  unit: 'bytes' | 'time' | 'packets' | 'pauses' | 'CNPs';
}

export const figures: readonly PortFigure[] = [
  { id: 'peak', title: 'Longest queue', what: 'longest queue', columns: ['peak_queue_bytes'], unit: 'bytes' },
  { id: 'mean', title: 'Mean queue', what: 'mean queue', columns: ['mean_queue_bytes'], unit: 'bytes' },
  { id: 'marked', title: 'Marked packets (ECN)', what: 'packets marked', columns: ['marked'], unit: 'packets' },
  { id: 'dropped', title: 'Dropped packets', what: 'packets dropped', columns: ['dropped_no_room', 'dropped_no_headroom', 'dropped_link_down'], unit: 'packets' },
  { id: 'trimmed', title: 'Trimmed packets', what: 'packets trimmed', columns: ['trimmed'], unit: 'packets' },
  { id: 'retransmitted', title: 'Packets sent again', what: 'packets sent again', columns: ['retransmitted'], unit: 'packets' },
  { id: 'paused', title: 'Time paused (PFC)', what: 'paused', columns: ['paused_ps'], unit: 'time' },
  { id: 'pauses', title: 'Pauses (PFC)', what: 'pauses', columns: ['pauses'], unit: 'pauses' },
  { id: 'cnps', title: 'CNPs', what: 'CNPs sent', columns: ['cnps'], unit: 'CNPs' },
];

export const causes: readonly { column: PortColumn; title: string }[] = [
  { column: 'dropped_no_room', title: 'No room in the queue or buffer' },
  { column: 'dropped_no_headroom', title: 'No headroom after a pause' },
  { column: 'dropped_link_down', title: 'Link down' },
];

export function figureText({ unit }: Pick<PortFigure, 'unit'>, value: number): string {
  if (unit === 'bytes') return format.bytes(Math.round(value));
  return unit === 'time' ? format.time(value) : format.count(value);
}

// The figures that are not 0 everywhere.
export function figuresOf(packets: PacketsData): PortFigure[] {
  return figures.filter(({ columns }) => columns.some((column) => packets.ports[column] !== undefined));
}

export class Ports {
  private readonly portOf = new Map<number, number>(); // by link
  private readonly binOf: Map<number, number>[]; // by port: by number of a bin, its place in the series
  readonly bins: number;

  constructor(readonly packets: PacketsData) {
    packets.ports.link.forEach((link, port) => this.portOf.set(link, port));
    this.binOf = packets.series.map(({ at }) => new Map(at.map((bin, place) => [bin, place])));
    this.bins = packets.series.reduce((most, { at }) => Math.max(most, (at[at.length - 1] ?? -1) + 1), 0);
  }

  // The port that sends over a link; -1: nothing happened there.
  port(link: number): number {
    return this.portOf.get(link) ?? -1;
  }

  total(port: number, figure: PortFigure): number {
    return figure.columns.reduce((sum, column) => sum + (this.packets.ports[column]?.[port] ?? 0), 0);
  }

  inBin(port: number, bin: number, columns: readonly PortColumn[]): number {
    const place = this.binOf[port]?.get(bin);
    if (place === undefined) return 0;
    return columns.reduce((sum, column) => sum + (this.packets.series[port][column]?.[place] ?? 0), 0);
  }

  // Of a link, in a bin or in total (-1).
  value(link: number, bin: number, figure: PortFigure): number {
    const port = this.port(link);
    if (port < 0) return 0;
    return bin < 0 ? this.total(port, figure) : this.inBin(port, bin, figure.columns);
  }

  // The highest value of a figure: of a port in total, or in one bin.
  most(figure: PortFigure, inBins: boolean): number {
    let most = 0;
    for (let port = 0; port < this.packets.ports.link.length; ++port) {
      if (!inBins) most = Math.max(most, this.total(port, figure));
      else for (const bin of this.packets.series[port].at) most = Math.max(most, this.inBin(port, bin, figure.columns));
    }
    return most;
  }

  // "longest queue 120 kB, 12 packets marked": all about a port.
  text(link: number, bin: number, all: readonly PortFigure[]): string {
    const port = this.port(link);
    const parts = all.map((figure): [PortFigure, number] => [figure, this.value(link, bin, figure)]).filter(([, value]) => value > 0)
      .map(([figure, value]) => (figure.unit === 'bytes' ? `${figure.what} ${figureText(figure, value)}` : figure.unit === 'time' ? `paused ${figureText(figure, value)}` : `${figureText(figure, value)} ${value === 1 ? figure.what.replace(/^(packet|pause|CNP)s/, '$1') : figure.what}`));
    return port < 0 || parts.length === 0 ? 'no queue, no events' : parts.join(', ');
  }
}

// The end of a scale that holds `most`: a round number.
export function scaleOf(most: number): number {
  if (most <= 0) return 1;
  const power = Math.pow(10, Math.floor(Math.log10(most)));
  for (const times of [1, 1.5, 2, 3, 4, 5, 6, 8, 10]) if (times * power >= most * 0.9999) return times * power;
  return 10 * power;
}

// Bins until the last one, from the number of one on which something happened: 0 elsewhere.
export function seriesOf(ports: Ports, port: number, columns: readonly PortColumn[]): number[] {
  return Array.from({ length: ports.bins }, (_, bin) => ports.inBin(port, bin, columns));
}

export const hasPackets = (run: RunData): boolean => (run.packets?.totals.sent ?? 0) > 0;
