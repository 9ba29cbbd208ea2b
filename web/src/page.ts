// SPDX-License-Identifier: Apache-2.0
//
// What a page is, and what it is given.
import type * as format from './format';
import type { ReportData, RunData } from './data';
import type { Spans } from './spans';
import type { Theme } from './theme';

export interface Page {
  id: string; // in the address: #/id
  title: string; // in the navigation and the heading
  // Once for all runs (render gets the first one); otherwise render is called for every run, side by side.
  whole?: boolean;
  // Whether there is anything to show: of one of the runs (`has`), or of all of the data (`shows`). The navigation lists only
  // pages with content.
  has?(run: RunData): boolean;
  shows?(data: ReportData): boolean;
  // Fills `host` (empty, in the document, under a heading that has the page's title). What comes back is
  // called before the page goes away.
  render(host: HTMLElement, context: Context): void | (() => void);
}

export type Args = Record<string, string | number>;

export interface Context {
  readonly data: ReportData;
  readonly run: RunData; // the one to draw; none where the page is whole and there are no runs
  readonly index: number; // its place in data.runs
  readonly args: Readonly<Record<string, string>>; // from the address: #/timeline?rank=3
  readonly theme: Theme;
  readonly format: typeof format;
  // For the columns of one page to tell each other things (a zoom, a selection); a new one for every page.
  readonly shared: EventTarget;
  // The spans of data.runs[index].timelines[timeline], decoded at the first call and kept.
  spans(timeline: number): Spans;
  // Shows another page, or the same one with other args; it stands in the history.
  go(page: string, args?: Args): void;
  // Puts args into the address without drawing anything anew, so that it can be shared and comes back.
  note(args: Args): void;
}
