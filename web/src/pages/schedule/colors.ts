// SPDX-License-Identifier: Apache-2.0
//
// Colors for things that are many: hues far apart for neighbors, each as light as the next, so that all stand out
// from the card alike.

import type { Model } from './model';

export const keys = { owner: 'owner', group: 'group', piece: 'piece', adds: 'reduced or copied' } as const;
export type Key = keyof typeof keys;

const golden = 137.508; // degrees
const lightness = [0.56, 0.64, 0.48] as const; // on white; neighbors in hue differ in it
const onDark = [0.72, 0.8, 0.64] as const;

// "#rrggbb" of the i-th hue. OKLCH (Ottosson, "A perceptual color space for image processing", 2020).
export function hue(i: number, dark: boolean): string {
  const angle = (((i * golden + 250) % 360) * Math.PI) / 180;
  const light = (dark ? onDark : lightness)[i % 3];
  const chroma = 0.12;
  const [a, b] = [chroma * Math.cos(angle), chroma * Math.sin(angle)];
  const l = (light + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (light - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (light - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const channel = (linear: number): string => {
    const inside = Math.min(1, Math.max(0, linear));
    const shown = inside <= 0.0031308 ? 12.92 * inside : 1.055 * inside ** (1 / 2.4) - 0.055;
    return Math.round(255 * shown).toString(16).padStart(2, '0');
  };
  return `#${channel(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s)}${
    channel(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s)}${
    channel(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s)}`;
}

// Which keys tell anything apart here, the most telling first.
export function keysOf(model: Model): Key[] {
  const { pieces, sends } = model;
  const several = (column: ArrayLike<number>): boolean => Array.prototype.some.call(column, (one: number) => one !== column[0]);
  const found: Key[] = [];
  if (several(pieces.owner)) found.push('owner');
  if (several(pieces.group)) found.push('group');
  found.push('piece');
  if (several(sends.reduces)) found.push('adds');
  return found;
}

// Which hue a send has.
export function hueOf(model: Model, key: Key, send: number): number {
  const piece = model.sends.piece[send];
  if (key === 'piece') return piece;
  if (key === 'adds') return model.sends.reduces[send];
  return Math.max(0, key === 'owner' ? model.pieces.owner[piece] : model.pieces.group[piece]);
}

const mostListed = 128;

// What each hue means, where that can be listed: hue, words.
export function legendOf(model: Model, key: Key): [number, string][] {
  if (key === 'adds') return [[0, 'copied'], [1, 'reduced on arrival']];
  if (key === 'piece') return [];
  const column = key === 'owner' ? model.pieces.owner : model.pieces.group;
  const found = [...new Set(Array.from(column, (one) => Math.max(0, one)))].sort((a, b) => a - b);
  if (found.length > mostListed) return [];
  const { nodes, groups } = model.data;
  return found.map((one) => [one, key === 'owner' ? nodes[one] : groups[one][1]]);
}
