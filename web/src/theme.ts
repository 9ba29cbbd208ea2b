// SPDX-License-Identifier: Apache-2.0
//
// Light and dark: as the system says until a person chooses. Colors stand in theme.css and are read from
// there, so that canvas, charts and HTML agree.

export const roles = ['compute', 'cpu', 'communication', 'memory', 'wait', 'idle', 'critical'] as const;
export type Role = (typeof roles)[number];

export interface Colors extends Record<Role, string> {
  page: string; // behind everything
  card: string; // behind a figure
  text: string;
  muted: string; // second-rank text; readable
  line: string; // hairlines, grids
  accent: string; // links, selection
  bad: string; // worse, errors
  good: string; // better
  warn: string;
}

const others = ['page', 'card', 'text', 'muted', 'line', 'accent', 'bad', 'good', 'warn'] as const;

export interface Theme {
  readonly dark: boolean;
  readonly colors: Colors; // of now; ask again after a change
  readonly still: boolean; // no movement, please
  toggle(): void;
  paper(on: boolean): void; // light and without movement, whatever was chosen: for printing
  onChange(listener: () => void): () => void; // what comes back ends it
}

export function createTheme(): Theme {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const motion = matchMedia('(prefers-reduced-motion: reduce)');
  const root = document.documentElement;
  const listeners = new Set<() => void>();
  let chosen: boolean | null = null;
  let onPaper = false;
  let colors: Colors | null = null;

  const isDark = (): boolean => !onPaper && (chosen ?? system.matches);
  const apply = (): void => {
    root.dataset.theme = isDark() ? 'dark' : 'light';
    colors = null;
    for (const listener of [...listeners]) listener();
  };
  system.addEventListener('change', apply);
  apply();

  return {
    get dark() {
      return isDark();
    },
    get still() {
      return onPaper || motion.matches;
    },
    get colors() {
      return (colors ??= read(root));
    },
    toggle() {
      chosen = !isDark();
      apply();
    },
    paper(on) {
      onPaper = on;
      apply();
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function read(root: HTMLElement): Colors {
  const style = getComputedStyle(root);
  const found: Partial<Colors> = {};
  for (const name of [...roles, ...others]) found[name] = style.getPropertyValue(`--${name}`).trim();
  return found as Colors;
}

// Relative luminance of "#rrggbb" (WCAG 2).
export function luminance(color: string): number {
  const channel = (at: number): number => {
    const value = parseInt(color.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
}

export function contrast(a: string, b: string): number {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

// Black or white, whichever reads better on `fill` ("#rrggbb").
export function inkOn(fill: string): string {
  return contrast(fill, '#000000') >= contrast(fill, '#ffffff') ? '#000000' : '#ffffff';
}

// Which color a span has, by its kind (spanKinds).
const byKind: Role[] = ['idle', 'compute', 'cpu', 'communication', 'communication', 'communication', 'memory', 'memory'];
export function roleOfKind(kind: number): Role {
  return byKind[kind] ?? 'idle';
}

// Which color a stretch of the critical path has, by its cause (pathCauses); `kind` tells work apart.
export function roleOfCause(cause: number, kind: number): Role {
  if (cause === 0) return roleOfKind(kind);
  return (['compute', 'communication', 'communication', 'wait', 'wait', 'idle'] as const)[cause] ?? 'idle';
}
