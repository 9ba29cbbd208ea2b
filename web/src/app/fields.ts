// SPDX-License-Identifier: Apache-2.0
//
// The fields of the plan editor, the values that they offer, and which field an error is about.
import type { Properties, Property, Question, Value } from './question';

export interface Field {
  key: string; // of the question
  label: string;
  kind: 'text' | 'count' | 'choice' | 'switch' | 'files'; // files are shown only where the question has some
  // What errors call it in a specification; they can also name the option itself.
  path?: string;
  divides?: boolean; // offers the numbers that divide the devices of the cluster
  powers?: [least: number, most: number]; // offers powers of two
  list?: 'models' | 'clusters'; // offers names of the catalog
}

export interface Group {
  title: string;
  fields: Field[];
}

export const groups: Group[] = [
  { title: 'Model and cluster', fields: [
    { key: 'spec', label: 'Job file', kind: 'files' },
    { key: 'traces', label: 'Traces', kind: 'files' },
    { key: 'prefix', label: 'Traces, by prefix', kind: 'files' },
    { key: 'model', label: 'Model', kind: 'text', list: 'models', path: 'model' },
    { key: 'cluster', label: 'Cluster', kind: 'text', list: 'clusters' },
  ] },
  { title: 'Parallelism', fields: [
    { key: 'tp', label: 'Tensor parallel (tp)', kind: 'count', path: 'parallel.tp', divides: true },
    { key: 'pp', label: 'Pipeline stages (pp)', kind: 'count', path: 'parallel.pp', divides: true },
    { key: 'dp', label: 'Data parallel (dp)', kind: 'count', path: 'parallel.dp', divides: true },
    { key: 'cp', label: 'Context parallel (cp)', kind: 'count', path: 'parallel.cp', divides: true },
    { key: 'ep', label: 'Expert parallel (ep)', kind: 'count', path: 'parallel.ep', divides: true },
    { key: 'sp', label: 'Sequence parallel (sp)', kind: 'switch', path: 'parallel.sp' },
    { key: 'schedule', label: 'Pipeline schedule', kind: 'choice', path: 'schedule.kind' },
    { key: 'chunks', label: 'Chunks per rank', kind: 'count', path: 'schedule.chunks', powers: [1, 16] },
  ] },
  { title: 'Batch', fields: [
    { key: 'micro_batch', label: 'Micro-batch', kind: 'count', path: 'batch.micro', powers: [1, 64] },
    { key: 'global_batch', label: 'Global batch', kind: 'count', path: 'batch.global', powers: [1, 16384] },
    { key: 'seq', label: 'Sequence length', kind: 'count', path: 'batch.seq', powers: [512, 1048576] },
  ] },
  { title: 'Memory and precision', fields: [
    { key: 'recompute', label: 'Recompute', kind: 'choice', path: 'recompute.kind' },
    { key: 'sharding', label: 'Sharding', kind: 'choice', path: 'parallel.sharding' },
    { key: 'precision', label: 'Precision', kind: 'choice', path: 'precision' },
  ] },
  { title: 'Cost and energy', fields: [
    { key: 'price', label: 'Price per device hour', kind: 'text' },
    { key: 'power', label: 'Power of a device', kind: 'text' },
  ] },
];

export const fields: Field[] = groups.flatMap((group) => group.fields);

// The choices of an option: its enum, or the list that its description is: "none, zero3 (fsdp), hsdp (in hosts of 8)".
export function choicesOf(property: Property): string[] {
  if (property.enum) return property.enum;
  const list = property.description.replace(/ ?\([^)]*\)/g, '');
  if (!/^[\w, ]+$/.test(list)) return [];
  return list.split(/, | or /).map((word) => word.trim());
}

// What a slider offers, ascending.
export function stopsOf(field: Field, devices: number | null): number[] {
  if (field.powers || !devices) {
    const [least, most] = field.powers ?? [1, 1024];
    const stops: number[] = [];
    for (let stop = least; stop <= most; stop *= 2) stops.push(stop);
    return stops;
  }
  const stops: number[] = [];
  for (let one = 1; one * one <= devices; ++one) if (devices % one === 0) stops.push(one, devices / one);
  return [...new Set(stops)].sort((a, b) => a - b);
}

// "h100-sxm:64" has 64 devices; a file says it in the answer only.
export function devicesOf(cluster: Value | undefined): number | null {
  const found = typeof cluster === 'string' ? /:(\d+)$/.exec(cluster) : null;
  return found && Number(found[1]) > 0 ? Number(found[1]) : null;
}

export interface Problem {
  code: string;
  name: string;
  where: string;
  what: string;
  hint: string;
}

// The field that an error names; null: none of them.
export function fieldOf(problem: Problem, question: Question): string | null {
  const { where } = problem;
  if (where === '') return null;
  const field = fields.find(({ key, path }) => where === path || where === `--${key.replaceAll('_', '-')}`);
  if (field) return field.key;
  const named = (value: Value | undefined): boolean => [value].flat().some((one) => one === where || (typeof one === 'string' && where.startsWith(`${one}:`)));
  return fields.find(({ key }) => named(question[key]))?.key
    ?? fields.find(({ path }) => path && where.startsWith(`${path}.`))?.key ?? null;
}

// The other fields whose values an error compares: "… is not a multiple of tp 4 x pp 3".
export function alsoNamed(problem: Problem, question: Question): string[] {
  return [...problem.what.matchAll(/\b(tp|pp|dp|cp|ep) (\d+)\b/g)].filter(([, key, value]) => question[key] === value).map(([, key]) => key);
}

export interface Change {
  key: string;
  value: string | true;
}

// The changes that a hint proposes: "--dp 1 fits the cluster", "these divide it: pp 2", "--replicate runs the trace on all".
export function proposals(problem: Problem, properties: Properties): Change[] {
  const found: Change[] = [];
  for (const [, option] of problem.hint.matchAll(/--([a-z][a-z-]*)/g)) {
    const key = option.replaceAll('-', '_');
    if (properties[key]?.type === 'boolean') found.push({ key, value: true });
  }
  const known = (key: string): boolean => fields.some((field) => field.key === key) && key in properties;
  for (const [, option, value] of problem.hint.matchAll(/--([a-z][a-z-]*) ([\w.:-]+)/g)) {
    const key = option.replaceAll('-', '_');
    if (known(key) && /\d/.test(value)) found.push({ key, value });
  }
  if (found.length === 0) {
    for (const [, key, values] of problem.hint.matchAll(/\b(tp|pp|dp|cp|ep) (\d+(?:(?:, | or )\d+)*)\b/g)) {
      if (known(key)) for (const value of values.split(/, | or /)) found.push({ key, value });
    }
  }
  return found;
}

// "parallel.sharding = zero1; parallel.sp = true" as changes of fields; null if one of them has no field.
export function changesOf(text: string): Change[] | null {
  const changes: Change[] = [];
  for (const part of text.split(';')) {
    const [path, value] = part.split('=').map((word) => word.trim());
    const field = fields.find((one) => one.path === path);
    if (!field || value === undefined) return null;
    changes.push({ key: field.key, value: value === 'true' ? true : value });
  }
  return changes;
}
