// SPDX-License-Identifier: Apache-2.0
//
// All that decides what the picture shows.

import type { Spot } from '../timeline/gestures';
import type { View } from '../timeline/view';
import type { Key } from './colors';
import type { LinkGroup } from './groups';
import type { Model, Order } from './model';

export interface Picked {
  send: number;
  link: number;
}

export interface GridState {
  model: Model;
  view: View;
  width: number; // CSS pixels of the canvas
  height: number;
  gutter: number;
  scroll: number;
  row: number; // CSS pixels of a row
  links: number[]; // that are shown, from the top down
  groups: LinkGroup[]; // of them; none where each has a row
  open: Set<string>; // groups whose links have rows, by key
  rows: number[]; // links, and groups as ~place, from the top down
  order: Order;
  text: string; // what is searched for
  only: boolean; // of the chosen piece's way
  key: Key; // what colors mean
  colors: string[]; // by hue
  picked: Picked | null; // its piece is lit, others are faint
  hovered: Picked | null;
  named: number | null; // the row whose name the pointer is on: a link, or ~place of a group
  pointer: Spot | null;
}

export const roomy = 20;
export const dense = 6;
