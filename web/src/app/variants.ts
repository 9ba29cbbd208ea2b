// SPDX-License-Identifier: Apache-2.0
//
// Names of variants: what differs between them.
import type { Question, Value } from './question';

const text = (key: string, value: Value | undefined): string =>
  value === undefined ? `${key.replaceAll('_', '-')} default` : value === true ? key.replaceAll('_', '-') : `${key.replaceAll('_', '-')} ${[value].flat().join(', ')}`;

// The options that all have in common, as text, and the names of those that differ.
export function differences(questions: readonly Question[]): { common: string; differing: string[] } {
  const keys = [...new Set(questions.flatMap((question) => Object.keys(question)))];
  const differing = keys.filter((key) => questions.some((one) => String(one[key]) !== String(questions[0][key])));
  const common = keys.filter((key) => !differing.includes(key)).map((key) => text(key, questions[0][key])).join(', ');
  return { common, differing };
}

export function variantNames(questions: readonly Question[]): string[] {
  const { differing } = differences(questions);
  return questions.map((question) => (differing.length === 0 ? 'this plan' : differing.map((key) => text(key, question[key])).join(', ')));
}
