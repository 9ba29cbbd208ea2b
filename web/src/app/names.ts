// SPDX-License-Identifier: Apache-2.0
//
// Names of files in the folder.
import { keyOf, type Question } from './question';

const plain = (text: string): string => text.replace(/[^\w.-]+/g, '-').replace(/^[-.]+|[-.]+$/g, '');

// The report of a question: the same question has the same file.
export async function reportName(question: Question): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(keyOf(question)));
  const digits = [...new Uint8Array(hash)].slice(0, 4).map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const what = question.model ?? question.spec ?? question.traces ?? question.prefix ?? 'run';
  return `${plain([what].flat().join('-')).slice(0, 40) || 'run'}-${digits}.html`;
}

// "trace.json.gz" as "trace-2.json.gz".
export function nextName(name: string, number: number): string {
  const at = name.indexOf('.', 1);
  return at < 0 ? `${name}-${number}` : `${name.slice(0, at)}-${number}${name.slice(at)}`;
}

// A name that is legal in the folder, of that of a file that was dropped.
export function legalName(name: string): string {
  return plain(name) || 'file';
}
