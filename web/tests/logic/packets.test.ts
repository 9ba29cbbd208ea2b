// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PacketsData } from '../../src/data';
import { figures, figuresOf, figureText, Ports, scaleOf, seriesOf } from '../../src/pages/packets/figures';
import { atPercent, sizeText } from '../../src/pages/packets/messages';

// Ports of links 3 and 5, in bins of 1 us; nothing happened in bin 1.
const data: PacketsData = {
  totals: { sent: 100 }, bin: 1e6, portsLeftOut: 0, messages: 2, messageStep: 1, unfinished: 0, percents: [0, 50, 100],
  ports: { link: [3, 5], peak_queue_bytes: [5000, 9000], marked: [4, 0], dropped_no_room: [1, 0], dropped_link_down: [0, 2] },
  series: [
    { at: [0, 2], peak_queue_bytes: [5000, 100], marked: [1, 3], dropped_no_room: [1, 0] },
    { at: [3], peak_queue_bytes: [9000], dropped_link_down: [2] },
  ],
  sizes: [{ least: 1024, most: 1024, count: 2, retransmitted: 0, times: [1e6, 2e6, 3e6], slowdowns: [1, 2, 3] }],
};
const figure = (id: string) => figures.find((one) => one.id === id)!;

describe('packets at ports', () => {
  const ports = new Ports(data);

  it('have figures by port, by bin and by cause', () => {
    assert.deepEqual(figuresOf(data).map(({ id }) => id), ['peak', 'marked', 'dropped']);
    assert.equal(ports.bins, 4);
    assert.equal(ports.value(3, -1, figure('peak')), 5000);
    assert.equal(ports.value(3, 1, figure('peak')), 0);
    assert.equal(ports.value(3, 2, figure('marked')), 3);
    assert.equal(ports.value(4, -1, figure('peak')), 0);
    assert.equal(ports.total(1, figure('dropped')), 2);
    assert.equal(ports.most(figure('peak'), false), 9000);
    assert.equal(ports.most(figure('dropped'), true), 2);
    assert.equal(ports.most(figure('marked'), true), 3);
  });

  it('fill bins in which nothing happened', () => {
    assert.deepEqual(seriesOf(ports, 0, ['marked']), [1, 0, 3, 0]);
    assert.deepEqual(seriesOf(ports, 1, figure('dropped').columns), [0, 0, 0, 2]);
  });

  it('read as text', () => {
    const shown = figuresOf(data);
    assert.equal(ports.text(3, -1, shown), 'longest queue 5 kB, 4 packets marked, 1 packet dropped');
    assert.equal(ports.text(3, 1, shown), 'no queue, no events');
    assert.equal(ports.text(9, -1, shown), 'no queue, no events');
    assert.equal(figureText(figure('paused'), 5e5), '500 ns');
  });

  it('have round scales', () => {
    assert.deepEqual([0, 3, 9000, 110].map(scaleOf), [1, 3, 10000, 150]);
  });
});

describe('completion times', () => {
  it('have sizes and percentiles', () => {
    assert.equal(sizeText(data.sizes[0]), '1 KiB');
    assert.equal(sizeText({ least: 1000, most: 3000 }), '1 kB to 3 kB');
    assert.equal(atPercent(data.percents, data.sizes[0].times, 50), 2e6);
    assert.equal(atPercent(data.percents, data.sizes[0].times, 99), null);
  });
});
