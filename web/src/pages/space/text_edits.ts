// SPDX-License-Identifier: Apache-2.0
//
// Texts that are much alike, unpacked. Pure.
import type { TextsData } from '../../space_data';

// All of them are followed from the first to the wanted one; what comes out of `linesOf` is not stored.
export function linesOf(texts: TextsData, wanted: number): string[] {
  const edits = texts.edits.split(';');
  let lines: number[] = [];
  for (let i = 0; i <= wanted && i < edits.length; i++) {
    const edit = edits[i];
    if (edit === '') continue;
    if (edit.startsWith('=')) {
      lines = edit.length > 1 ? edit.slice(1).split(',').map(Number) : [];
      continue;
    }
    for (const one of edit.split(',')) {
      const [at, line] = one.split(':');
      lines[Number(at)] = Number(line);
    }
  }
  return lines.map((line) => texts.lines[line]);
}

// With a newline after each line; '' where there is none.
export function textOf(texts: TextsData, wanted: number): string {
  return linesOf(texts, wanted).map((line) => `${line}\n`).join('');
}
