// SPDX-License-Identifier: Apache-2.0
//
// ECharts, set up once: only the parts in use, colors from the theme, no movement for those who want
// none, and for every chart a text alternative. Formatters of tooltips return elements, never strings:
// ECharts would parse a string as HTML.
import { LineChart, ScatterChart } from 'echarts/charts';
import { GridComponent, LegendComponent, MarkLineComponent, TooltipComponent } from 'echarts/components';
import { init, use, type ECharts, type EChartsCoreOption } from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';
import { el, type Child } from './dom';
import type { Context } from './page';
import { table, type TableOptions } from './table';
import type { Colors } from './theme';

// What another kind of chart needs is added here; every part makes the page longer.
use([
  LineChart, ScatterChart, GridComponent, LegendComponent, MarkLineComponent, TooltipComponent, CanvasRenderer,
]);

export type { EChartsCoreOption, ECharts };

export interface ChartOptions<Row> {
  label: string; // what the picture shows, in a sentence: its text alternative
  height: number; // pixels
  option(colors: Colors): EChartsCoreOption; // asked again when the theme changes
  table?: TableOptions<Row>; // the same figures as text, folded away below the picture
}

export interface Chart {
  readonly instance: ECharts;
  redraw(): void; // asks for the option again
  dispose(): void;
}

function base(colors: Colors, still: boolean): EChartsCoreOption {
  return {
    animation: !still,
    progressive: 0, // in one go: a picture that goes away must leave nothing half drawn
    animationDuration: 200,
    animationDurationUpdate: 200,
    backgroundColor: 'transparent',
    textStyle: { color: colors.text, fontFamily: 'system-ui, sans-serif', fontSize: 12 },
  };
}

// Draws into `host`. Call dispose when the page goes away.
export function chart<Row>(host: HTMLElement, context: Context, options: ChartOptions<Row>): Chart {
  const box = el('div', { class: 'chart', role: 'img', 'aria-label': options.label });
  box.style.height = `${options.height}px`;
  host.append(box);
  if (options.table) {
    host.append(el('details', {}, el('summary', {}, 'As a table'), table(options.table)));
  }
  const instance = init(box, null, { renderer: 'canvas' });
  const redraw = (): void => {
    const { colors, still } = context.theme;
    instance.setOption({ ...base(colors, still), ...options.option(colors) }, { notMerge: true });
    if (still) instance.getZr().flush(); // paper does not wait for the next frame
  };
  redraw();
  const sizes = new ResizeObserver(() => instance.resize());
  sizes.observe(box);
  const unsubscribe = context.theme.onChange(redraw);
  return {
    instance,
    redraw,
    dispose() {
      unsubscribe();
      sizes.disconnect();
      instance.dispose();
    },
  };
}

// An axis in the theme's colors; spread more over it: { ...axis(colors), type: 'value' }.
export function axis(colors: Colors): Record<string, unknown> {
  return {
    axisLine: { lineStyle: { color: colors.muted } },
    axisTick: { lineStyle: { color: colors.muted } },
    axisLabel: { color: colors.muted },
    nameTextStyle: { color: colors.muted },
    splitLine: { lineStyle: { color: colors.line } },
  };
}

export interface TooltipText {
  title: string;
  lines: [label: string, text: Child][];
}

// A tooltip that says what `text` makes of what ECharts passes.
export function tooltip(colors: Colors, text: (params: any) => TooltipText, more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    trigger: 'item',
    confine: true,
    backgroundColor: colors.card,
    borderColor: colors.line,
    textStyle: { color: colors.text },
    transitionDuration: 0,
    ...more,
    formatter: (params: unknown) => {
      const { title, lines } = text(params);
      return el('div', { class: 'floating' }, el('strong', { class: 'name' }, title),
        el('dl', {}, lines.map(([label, value]) => [el('dt', {}, label), el('dd', {}, value)])));
    },
  };
}
