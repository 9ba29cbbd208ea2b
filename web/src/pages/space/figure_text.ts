// SPDX-License-Identifier: Apache-2.0
//
// Figures as text, worded as on the terminal (src/orrery/explore/points/result_columns.cc). Pure.
import * as format from '../../format';

const prefixes = ['', 'k', 'M', 'G', 'T'];

function scaled(value: number, unit: string): string {
  let [size, by] = [value, 0];
  while (Math.abs(size) >= 999.95 && by + 1 < prefixes.length) [size, by] = [size / 1000, by + 1];
  return `${Number(size.toPrecision(4))} ${prefixes[by]}${unit}`;
}

function plain(value: number): string {
  const text = Number(value.toPrecision(4));
  return Math.abs(text) >= 10_000 && Math.abs(text) < 1e15 ? format.count(text) : String(text);
}

// A figure's value by the figure's name: "3.194 s", "49.6 %", "58.9 GB", "70.69 USD".
export function figureText(name: string, value: number, currency = ''): string {
  if (!Number.isFinite(value)) return '–';
  switch (name) {
    case 'step': case 'step_low': case 'step_high': return format.time(value * 1e12);
    case 'rate': case 'devices': return format.count(Math.round(value));
    case 'mfu': case 'format_mfu': case 'format_hfu': return `${(value * 100).toFixed(1)} %`;
    case 'memory': case 'spare_memory': return `${(value * 1e-9).toFixed(1)} GB`;
    case 'power': return scaled(value, 'W');
    case 'energy': return scaled(value, 'J');
    case 'cost': case 'cost_of_1e9': return currency === '' ? plain(value) : `${plain(value)} ${currency}`;
    default: return plain(value);
  }
}

// In which unit a figure is typed.
export function unitOf(name: string, currency = ''): { unit: string; factor: number } {
  switch (name) {
    case 'step': case 'step_low': case 'step_high': return { unit: 's', factor: 1 };
    case 'mfu': case 'format_mfu': case 'format_hfu': return { unit: '%', factor: 0.01 };
    case 'memory': case 'spare_memory': return { unit: 'GB', factor: 1e9 };
    case 'power': return { unit: 'W', factor: 1 };
    case 'energy': return { unit: 'J', factor: 1 };
    case 'cost': case 'cost_of_1e9': return { unit: currency, factor: 1 };
    default: return { unit: '', factor: 1 };
  }
}

const words = (text: string, tokens: boolean): string => (tokens ? text : text.replace('tokens', 'samples')).replace('10^9', '10⁹');

// What a figure is called in tables and lists.
export function shortTitle(name: string, title: string, tokens: boolean): string {
  return name === 'cost_of_1e9' ? words('cost of 10^9 tokens', tokens) : title;
}

// What an axis of a picture is called, with the unit of its largest value: "step time (s)", "cost of 10⁹ tokens (USD)".
export function axisLabel(name: string, title: string, largest: string, tokens: boolean): string {
  const unit = /^[-\d.,]+ (.+)$/.exec(largest)?.[1];
  const costs = name === 'cost' || name === 'cost_of_1e9';
  return `${words(title, tokens)}${unit ? ` (${unit})` : costs ? ' (in the currency of the prices)' : ''}`;
}

// "+1.25 %", "0.00 %"
export function offText(share: number): string {
  if (!Number.isFinite(share)) return '–';
  const percent = (share * 100).toFixed(2);
  return /^-?0\.00$/.test(percent) ? '0.00 %' : `${share > 0 ? '+' : ''}${percent} %`;
}
