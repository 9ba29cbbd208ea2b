// SPDX-License-Identifier: Apache-2.0
//
// What the timeline draws: each distinct timeline laid out as tracks, and the units (a rank, or
// ranks that did the same) that show one. Pure.

import { laneKinds, spanKinds, type LaneData, type RunData, type TimelineData } from '../../data';
import { groupName, nameOf, plainGroup, ranges } from '../../format';
import { critical, merged, type Spans } from '../../spans';
import { groupTitle } from '../speeds/choice';
import { firstStarting, layTrack, light, type Track } from './tracks';

export interface Lane {
  title: string; // what is true of all the line's ranks
  titleAt: (rank: number) => string; // ranks that did the same may have done it with others
  kind: number;
  track: Track;
}

// One of RunData.timelines.
export interface Line {
  spans: Spans;
  lanes: Lane[];
  work: Track; // all lanes in two tracks: computing and memory, of the device where there is one
  talk: Track; // and communication
  ranks: number[]; // that share it
}

// What has a row: a rank, or all ranks that share a timeline.
export interface Unit {
  line: number;
  rank: number; // the first
  ranks: number; // how many
  title: string; // "rank 12", "rank 12 + 255 identical"
  hint: string; // all its ranks: "0-3, 8"
}

// Where a segment of the critical path lies in a line.
export interface PathPlace {
  lane: number; // in Line.lanes; -1: no lane has it
  span: number; // -1: not among the spans of this page
}

export interface Model {
  lines: Line[];
  names: string[];
  shades: Uint8Array; // by name: which shade of its kind's color
  step: number;
  extent: number; // how far one may look: the longest step of the runs side by side
}

const talking = new Set(['collective', 'send', 'receive']);
const talkKind = spanKinds.map((kind) => talking.has(kind));
const hostKind = spanKinds.indexOf('cpu');
const deviceLanes = new Set(['compute', 'stream']);

// What to call a span: its name, or how many it stands for.
export function spanName(names: string[], spans: Spans, span: number): string {
  if (spans.flags[span] & merged && spans.name[span] === 0) return `${spans.node[span]} short spans`;
  return nameOf(names[spans.name[span]]);
}

function numbered(title: string, lane: LaneData): string {
  return lane.layer ? `${title} (${lane.layer + 1})` : title;
}

// What a lane is called at a rank.
export function laneTitle(run: RunData, lane: LaneData, rank: number): string {
  const group = lane.group === undefined ? undefined : run.rank.groups[rank]?.[lane.group];
  if (group !== undefined) return numbered(groupTitle(run, group), lane);
  if (lane.distance !== undefined) return numbered(`sends to rank ${(rank + lane.distance) % run.ranks}`, lane);
  return laneKinds[lane.kind] === 'communicator' ? groupName(lane.title) : lane.title;
}

// What it is called where its line stands for several ranks.
export function sharedTitle(run: RunData, lane: LaneData, ranks: number[]): string {
  const { group, distance } = lane;
  if (ranks.length < 2 || (group === undefined && distance === undefined)) return laneTitle(run, lane, ranks[0] ?? 0);
  if (group === undefined) return numbered('sends', lane);
  const first = run.rank.groups[ranks[0]]?.[group];
  const same = ranks.every((rank) => run.rank.groups[rank]?.[group] === first);
  return same ? laneTitle(run, lane, ranks[0]) : numbered(groupName(plainGroup(run.groups[first]?.name ?? lane.title)), lane);
}

// What a row of a unit calls its lane.
export function titleIn(unit: Unit, lane: Lane): string {
  return unit.ranks > 1 ? lane.title : lane.titleAt(unit.rank);
}

export function layLine(run: RunData, data: TimelineData, spans: Spans, ranks: number[]): Line {
  const byLane: number[][] = data.lanes.map(() => []);
  const device = data.lanes.some((lane) => deviceLanes.has(laneKinds[lane.kind]));
  const work: number[] = [];
  const talk: number[] = [];
  for (let i = 0; i < spans.count; i++) {
    if (spans.length[i] <= 0) continue;
    byLane[spans.lane[i]]?.push(i);
    if (device && spans.kind[i] === hostKind) continue;
    (talkKind[spans.kind[i]] ? talk : work).push(i);
  }
  const lanes = data.lanes.map((lane, i) => ({
    title: sharedTitle(run, lane, ranks),
    titleAt: (rank: number) => laneTitle(run, lane, rank),
    kind: lane.kind,
    track: layTrack(spans, byLane[i]),
  }));
  lanes.sort((a, b) => a.kind - b.kind); // stable: in the order of the data within a kind
  const shown = lanes.filter((lane) => lane.track.start.length > 0);
  return { spans, lanes: shown, work: layTrack(spans, work), talk: layTrack(spans, talk), ranks };
}

// The same operation has the same shade in all layers, microbatches and ranks: names that differ only in numbers share one.
export function shadesOf(names: readonly string[]): Uint8Array {
  const found = new Map<string, number>();
  return Uint8Array.from(names, (name) => {
    const operation = name.replace(/\d+/g, '#');
    if (!found.has(operation)) found.set(operation, found.size);
    return found.get(operation)! % 3;
  });
}

// `spansOf` decodes a timeline's spans.
export function layModel(run: RunData, extent: number, spansOf: (timeline: number) => Spans): Model {
  const ranks: number[][] = run.timelines.map(() => []);
  run.rank.timeline.forEach((line, rank) => ranks[line]?.push(rank));
  const lines = run.timelines.map((data, i) => layLine(run, data, spansOf(i), ranks[i]));
  return { lines, names: run.names, shades: shadesOf(run.names), step: run.step, extent };
}

export function unitPerRank(model: Model): Unit[] {
  const units: Unit[] = [];
  model.lines.forEach((line, index) => {
    for (const rank of line.ranks) {
      units.push({ line: index, rank, ranks: 1, title: `rank ${rank}`, hint: '' });
    }
  });
  return units.sort((a, b) => a.rank - b.rank);
}

export function unitPerLine(model: Model): Unit[] {
  const units: Unit[] = [];
  model.lines.forEach((line, index) => {
    const n = line.ranks.length;
    if (n === 0) return;
    const rank = line.ranks[0];
    const title = n === 1 ? `rank ${rank}` : `rank ${rank} + ${n - 1} identical`;
    units.push({ line: index, rank, ranks: n, title, hint: ranges(line.ranks) });
  });
  return units.sort((a, b) => a.rank - b.rank);
}

// The same units, and one for `rank` alone where it stands in a row with others.
export function withUnitOf(model: Model, units: Unit[], rank: number | null): Unit[] {
  const line = rank === null ? -1 : model.lines.findIndex(({ ranks }) => ranks.includes(rank));
  if (rank === null || line < 0 || units.some((unit) => unit.ranks === 1 && unit.rank === rank)) return units;
  const others = model.lines[line].ranks.length - 1;
  const hint = `identical to ${others} other rank${others === 1 ? '' : 's'}`;
  return [...units, { line, rank, ranks: 1, title: `rank ${rank}`, hint }].sort((a, b) => a.rank - b.rank);
}

// Which of a line's lanes holds a span, as a place in Line.lanes; -1 if none does.
export function laneOf(line: Line, span: number): number {
  return line.lanes.findIndex(({ track }) => has(track, line.spans.start[span], span));
}

// Whether a lane's track has the span that starts at `start`.
export function has(track: Track, start: number, span: number): boolean {
  for (let i = firstStarting(track, start); i < track.start.length && track.start[i] === start; i++) {
    if (track.span[i] === span) return true;
  }
  return false;
}

export interface Filter {
  kinds: boolean[]; // by span kind: shown?
  criticalOnly: boolean;
  text: string; // part of a name; "" lets everything
}

export interface Hit {
  line: number;
  span: number;
}

// Which names hold `text`, upper and lower case alike. Null when all do.
export function matchNames(names: string[], text: string): Uint8Array | null {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return null;
  return Uint8Array.from(names, (name) => (name.toLowerCase().includes(wanted) ? 1 : 0));
}

// Lights what passes; the answer is what matches the text, by start.
export function applyFilter(model: Model, filter: Filter): Hit[] {
  const match = matchNames(model.names, filter.text);
  const everything = !match && !filter.criticalOnly && filter.kinds.every((shown) => shown);
  const hits: Hit[] = [];
  model.lines.forEach((line, index) => {
    const { spans } = line;
    const passes = everything ? null : new Uint8Array(spans.count);
    for (let i = 0; passes && i < spans.count; i++) {
      if (!filter.kinds[spans.kind[i]]) continue;
      if (filter.criticalOnly && !(spans.flags[i] & critical)) continue;
      if (match && !match[spans.name[i]]) continue;
      passes[i] = 1;
      if (match && line.ranks.length > 0) hits.push({ line: index, span: i });
    }
    for (const lane of line.lanes) light(lane.track, passes);
    light(line.work, passes);
    light(line.talk, passes);
  });
  const start = (hit: Hit): number => model.lines[hit.line].spans.start[hit.span];
  return hits.sort((a, b) => start(a) - start(b) || a.line - b.line || a.span - b.span);
}
