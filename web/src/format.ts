// SPDX-License-Identifier: Apache-2.0
//
// Numbers as text, worded as on the terminal (src/orrery/core/text/units.cc): four significant digits,
// trailing zeros dropped.

type Unit = readonly [name: string, factor: number];

const times: Unit[] = [['ps', 1], ['ns', 1e3], ['us', 1e6], ['ms', 1e9], ['s', 1e12]];
const sizes: Unit[] = [['B', 1], ['kB', 1e3], ['MB', 1e6], ['GB', 1e9], ['TB', 1e12], ['PB', 1e15]];
const binarySizes: Unit[] = [['TiB', 2 ** 40], ['GiB', 2 ** 30], ['MiB', 2 ** 20], ['KiB', 2 ** 10]];
const rates: Unit[] = sizes.map(([name, factor]) => [`${name}/s`, factor]);
const flopRates: Unit[] = [
  ['FLOP/s', 1], ['kFLOP/s', 1e3], ['MFLOP/s', 1e6], ['GFLOP/s', 1e9], ['TFLOP/s', 1e12], ['PFLOP/s', 1e15],
  ['EFLOP/s', 1e18],
];

function digits(value: number): string {
  const size = Math.abs(value);
  const decimals = size < 9.9995 ? 3 : size < 99.995 ? 2 : size < 999.95 ? 1 : 0;
  const text = value.toFixed(decimals);
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

function scaled(value: number, units: Unit[]): string {
  let chosen = units[0];
  for (const unit of units) if (Math.abs(value) >= unit[1] * 0.99995) chosen = unit;
  return `${digits(value / chosen[1])} ${chosen[0]}`;
}

// Picoseconds: "4.351 ms".
export function time(ps: number): string {
  return ps === 0 ? '0 ns' : scaled(ps, times);
}

// "64 MiB" when exact in binary, else "1.5 GB".
export function bytes(count: number): string {
  for (const [name, factor] of binarySizes) {
    if (count > 0 && count % factor === 0 && count / factor < 1024) return `${count / factor} ${name}`;
  }
  return scaled(count, sizes);
}

// Bytes per second: "450 GB/s".
export function rate(perSecond: number): string {
  return scaled(perSecond, rates);
}

// Floating-point operations per second: "989 TFLOP/s".
export function flops(perSecond: number): string {
  return scaled(perSecond, flopRates);
}

// "117,780"
export function count(value: number): string {
  const text = Math.trunc(Math.abs(value)).toString().replace(/\B(?=(\d{3})+$)/g, ',');
  return value < 0 ? `-${text}` : text;
}

// A share: 0.583 is "58.3 %"; "0 %" and "100 %" only when exact.
export function percent(share: number): string {
  if (share === 0 || share === 1) return `${share * 100} %`;
  if (share > 0 && share < 0.0005) return '<0.1 %';
  return `${((share < 1 ? Math.min(share, 0.999) : share) * 100).toFixed(1)} %`;
}

// A change with its sign: 0.05 is "+5.0 %".
export function change(share: number): string {
  return `${share > 0 ? '+' : ''}${(share * 100).toFixed(1)} %`;
}

// "1 rank", "1,024 ranks"
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

// "0–3, 8, 10–11" of ascending numbers; at most `most` pieces.
export function ranges(numbers: readonly number[], most = 12): string {
  const pieces: string[] = [];
  for (let i = 0; i < numbers.length;) {
    let last = i;
    while (last + 1 < numbers.length && numbers[last + 1] === numbers[last] + 1) last++;
    if (pieces.length === most) return `${pieces.join(', ')} …`;
    pieces.push(last > i ? `${numbers[i]}–${numbers[last]}` : String(numbers[i]));
    i = last + 1;
  }
  return pieces.join(', ');
}

// "ranks 0–2, 5": those, or the first few of them.
export function rankList(ranks: readonly number[], most = 4): string {
  return `${ranks.length === 1 ? 'rank' : 'ranks'} ${ranges(ranks, most)}`;
}

// For axes: a unit that suits `largest`, and how to write values in it.
export function timeAxis(largest: number): { unit: string; factor: number; label: (ps: number) => string } {
  let [unit, factor] = times[0];
  for (const [name, size] of times) if (largest >= size) [unit, factor] = [name, size];
  return { unit, factor, label: (ps) => `${digits(ps / factor)} ${unit}` };
}

// A number and its unit that stay on one line.
export function unbroken(text: string): string {
  return text.replaceAll(' ', '\u00a0');
}

// An operation's name for people; the empty one has no name.
export function nameOf(text: string): string {
  return text === '' ? '(no name)' : text;
}

// "tp (ranks 2-3)" without its ranks.
export function plainGroup(name: string): string {
  return name.replace(/ \(ranks? [^()]*\)$/, '');
}

// A group is called as its trace calls it, which is often just a number; "5 (2)" is the second lane of one.
export function groupName(name: string): string {
  return /^\d+( \(\d+\))?$/.test(name) ? `group ${name}` : name;
}

// The titles of runs side by side; equal ones are distinguished.
export function runTitles(runs: readonly { title: string }[]): string[] {
  const equal = runs.length === 2 && runs[0].title === runs[1].title;
  return runs.map(({ title }, i) => (equal ? `${title} (${['baseline', 'changed'][i]})` : title));
}
