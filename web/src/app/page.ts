// SPDX-License-Identifier: Apache-2.0
import type { Theme } from '../theme';
import type { State } from './state';

export interface App {
  readonly state: State;
  readonly theme: Theme;
  go(page: string, query?: string): void; // shows another page
  say(text: string): void; // to screen readers, and for a few seconds at the foot of the window
}

export interface AppPage {
  id: string; // in the address: #/id
  title: string;
  // Fills `host`. What comes back is called before the page goes away.
  render(host: HTMLElement, app: App, query: string): void | (() => void);
}
