// SPDX-License-Identifier: Apache-2.0
//
// The theme's colors as the timeline needs them: canvas pixels, shades, inks that can be read on them.

import { spanKinds } from '../../data';
import { inkOn, roleOfKind, type Theme } from '../../theme';
import { blend, pack, type Inks } from './line';

export interface Palette extends Inks {
  inkOnKind: string[]; // by span kind
  card: string;
  page: string;
  text: string;
  muted: string;
  line: string;
  accent: string;
  critical: string;
  work: string;
  talk: string;
}

function toPixel(hex: string): number {
  const value = parseInt(hex.slice(1), 16);
  return pack(value >>> 16, (value >>> 8) & 255, value & 255);
}

export function toHex(pixel: number): string {
  const part = (shift: number): string => ((pixel >>> shift) & 255).toString(16).padStart(2, '0');
  return `#${part(0)}${part(8)}${part(16)}`;
}

// Lighter and darker forms of one hue, all on that side on which the ink for the first reads best.
function shadesOf(base: number): Uint32Array {
  const light = inkOn(toHex(base)) === '#000000';
  const end = light ? pack(255, 255, 255) : pack(0, 0, 0);
  return Uint32Array.of(base, blend(base, end, 0.1), blend(base, end, 0.2));
}

export function makePalette(theme: Theme): Palette {
  const { colors } = theme;
  const ground = toPixel(colors.card);
  const base = spanKinds.map((name, kind) => {
    const softer = name === 'send' || name === 'receive' || name === 'store' ? 0.3 : 0.06;
    return blend(toPixel(colors[roleOfKind(kind)]), ground, softer);
  });
  const shades = base.map(shadesOf);
  return {
    ground,
    dim: blend(ground, toPixel(colors.muted), theme.dark ? 0.25 : 0.2),
    shades,
    waits: Uint32Array.from(base, (shade) => blend(shade, ground, 0.72)),
    inkOnKind: base.map((shade) => inkOn(toHex(shade))),
    card: colors.card,
    page: colors.page,
    text: colors.text,
    muted: colors.muted,
    line: colors.line,
    accent: colors.accent,
    critical: colors.critical,
    work: colors.compute,
    talk: colors.communication,
  };
}
