// SPDX-License-Identifier: Apache-2.0
//
// Values to pixels and back, and round tick values. Pure.
import { decadeTicks, niceStep } from '../../ticks';
import type { Dimension } from './model';

export interface Scale {
  at(value: number): number; // pixels
  back(pixel: number): number;
  ticks: { value: number; text: string }[];
}

const farApart = 40; // from which factor on decades say more

// From pixel `from` (the least) to `to`; ticks about `room` pixels apart.
export function scaleOf(dim: Dimension, from: number, to: number, room: number, [low, high]: [number, number] = [dim.low, dim.high]): Scale {
  const most = Math.max(2, Math.floor(Math.abs(to - from) / room));
  if (dim.labels) return byPlace(dim, from, to, most);
  if (!(high > low)) [low, high] = Number.isFinite(low) ? [low - Math.abs(low || 1) * 0.5, low + Math.abs(low || 1) * 0.5] : [0, 1];
  if (low > 0 && high / low >= farApart) return byDecade(dim, from, to, most, low, high);
  const pad = (high - low) * 0.04;
  const [first, last] = [low >= 0 && low - pad < 0 ? 0 : low - pad, high + pad];
  const step = niceStep((last - first) / most);
  const ticks = [];
  for (let i = Math.ceil(first / step); i * step <= last; i++) ticks.push({ value: i * step, text: dim.text(i * step) });
  return {
    at: (value) => from + ((value - first) / (last - first)) * (to - from),
    back: (pixel) => first + ((pixel - from) / (to - from)) * (last - first),
    ticks,
  };
}

function byDecade(dim: Dimension, from: number, to: number, most: number, low: number, high: number): Scale {
  const [first, last] = [Math.log(low) - 0.04 * Math.log(high / low), Math.log(high) + 0.04 * Math.log(high / low)];
  const inside = decadeTicks(low, high).filter((tick) => Math.log(tick) >= first && Math.log(tick) <= last);
  const each = Math.ceil(inside.length / most);
  return {
    at: (value) => from + ((Math.log(Math.max(value, low * 1e-3)) - first) / (last - first)) * (to - from),
    back: (pixel) => Math.exp(first + ((pixel - from) / (to - from)) * (last - first)),
    ticks: inside.filter((_, i) => i % each === 0).map((value) => ({ value, text: dim.text(value) })),
  };
}

// A stretch for each label.
function byPlace(dim: Dimension, from: number, to: number, most: number): Scale {
  const labels = dim.labels!;
  const each = Math.ceil(labels.length / most);
  return {
    at: (place) => from + ((place + 0.5) / labels.length) * (to - from),
    back: (pixel) => ((pixel - from) / (to - from)) * labels.length - 0.5,
    ticks: labels.map((text, value) => ({ value, text })).filter((_, i) => i % each === 0),
  };
}
