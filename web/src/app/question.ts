// SPDX-License-Identifier: Apache-2.0
//
// A question: the options of a command by name, as --json repeats them; as an address and as a command line.
export type Value = string | number | boolean | string[];
export type Question = Readonly<Record<string, Value>>;

// What `orrery schema question COMMAND` says of one option.
export interface Property {
  type: string;
  description: string;
  enum?: string[];
}

export type Properties = Readonly<Record<string, Property>>;

// Sets one option, or removes it (null, or an empty text): the command's default.
export function withValue(question: Question, key: string, value: Value | null): Question {
  const { [key]: _, ...others } = question;
  return value === null || value === '' || value === false || (Array.isArray(value) && value.length === 0) ? others : { ...others, [key]: value };
}

// Only the options that a command has.
export function only(question: Question, properties: Properties): Question {
  return Object.fromEntries(Object.entries(question).filter(([key]) => key in properties));
}

// The same text for the same question.
export function keyOf(question: Question): string {
  return JSON.stringify(Object.keys(question).sort().map((key) => [key, question[key]]));
}

// "model=llama-3.1-8b&tp=4"
export function toQuery(question: Question): string {
  const query = new URLSearchParams();
  for (const key of Object.keys(question)) {
    const value = question[key];
    for (const one of Array.isArray(value) ? value : [value]) query.append(key, String(one));
  }
  return query.toString();
}

// The question of an address, and its keys that the command does not have.
export function fromQuery(query: string, properties: Properties): { question: Question; unknown: string[] } {
  const question: Record<string, Value> = {};
  const unknown: string[] = [];
  for (const [key, text] of new URLSearchParams(query)) {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (!property) unknown.push(key);
    else if (property.type === 'array') question[key] = [...((question[key] as string[] | undefined) ?? []), text];
    else if (property.type === 'boolean') question[key] = text === 'true';
    else question[key] = text;
  }
  return { question, unknown };
}

function quoted(text: string): string {
  return /^[\w.,:/@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

// "orrery run --model llama-3.1-8b --tp 4"
export function commandLine(command: string, question: Question): string {
  const words = ['orrery', ...command.split('/')];
  if (typeof question.prefix === 'string') words.push(quoted(question.prefix));
  for (const key of Object.keys(question)) {
    const value = question[key];
    if (key === 'prefix') continue;
    if (value === true) words.push(`--${key.replaceAll('_', '-')}`);
    else if (value !== false) for (const one of Array.isArray(value) ? value : [value]) words.push(`--${key.replaceAll('_', '-')}`, quoted(String(one)));
  }
  return words.join(' ');
}

// "orrery run --model m --tp 4" as a question; null if it is no `orrery run`. Words in capitals, which the user must
// replace, are left out.
export function fromCommandLine(line: string, properties: Properties): Question | null {
  const words = line.replace(/\s\s\(.*\)$/, '').trim().split(/\s+/);
  if (words.shift() !== 'orrery' || words.shift() !== 'run') return null;
  const question: Record<string, Value> = {};
  for (let i = 0; i < words.length; ++i) {
    if (!words[i].startsWith('--')) continue;
    const key = words[i].slice(2).replaceAll('-', '_');
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (!property) return null;
    if (property.type === 'boolean') {
      question[key] = true;
      continue;
    }
    const text = words[++i];
    if (text === undefined || /^[A-Z_]+$/.test(text)) continue;
    question[key] = property.type === 'array' ? [text] : text;
  }
  return question;
}
