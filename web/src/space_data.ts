// SPDX-License-Identifier: Apache-2.0
//
// A space that was searched, as the page is given it: the contract with src/orrery/report/html/space_page.h. Axes, figures,
// points and plans are named by their places; times are picoseconds, all else in base units.

// Texts that are much alike. Between texts ";"; of each all its lines behind "=" ("=0,1,2"), or which lines of the text
// before are others now ("1:4,2:7"), or nothing where it is the same.
export interface TextsData {
  lines: string[];
  edits: string;
}

export interface SpaceData {
  title: string;
  about: string;
  facts: [string, string][]; // label, text
  tokens: boolean; // rates are of tokens, else of samples
  currency: string; // the unit of costs; '': not stated
  count: number; // points: those that are allowed
  axes: { name: string; ordered: boolean; labels: string[]; at: number[] }[]; // of each point the place of its label
  figures: { name: string; title: string; long?: string; about: string; more: boolean; values: (number | null)[] }[];
  objectives: number[]; // figures, the first first
  estimated: number[]; // the step; 0: it is not
  simulated: number[];
  shares: { point: number[]; parts: PartData[] }; // of steps that were simulated
  plan: number[];
  plans: string[];
  front: number[]; // points that no other is better than in all objectives
  mayNotFit: number[]; // points whose memory may exceed that of a device
  best: number; // in the first objective
  effects: { axis: number; explains: number; values: EffectValue[] }[]; // the strongest first
  rivals: RivalData[]; // the best first
  lost: [number, string][]; // how many points, why they are not here
  command: TextsData; // of each point what to paste
  job: TextsData;
  cluster: TextsData; // empty: the command names it
  megatron: TextsData;
  without: TextsData; // a line for each thing that has no argument there
}

// A part of a step; `values` are shares of it, by place in `point`; `color` is a class.
export interface PartData { name: string; title: string; about: string; more: boolean; color: string; values: number[] }

// What another value of an axis would do to the best point, all else alike; `change` is worse above 0.
export interface EffectValue {
  label: string;
  state: string; // fits, illegal, too_large, may_not_fit, needs_simulation, failed
  own: boolean;
  allowed: boolean;
  change: number;
}

// Of an axis the best point with another value than the best of all has, and what would make it as good: each by itself.
export interface RivalData {
  point: number;
  with: string; // axis and value
  behind: number; // the best of all in the first objective, as a share
  needs: string[];
}
