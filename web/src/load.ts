// SPDX-License-Identifier: Apache-2.0
//
// The data that stands in the page: ReportData as JSON or, where that is large, JSON around its packed form.
import type { ReportData } from './data';

interface PackedData {
  version: 1;
  deflate: string; // ReportData as JSON, compressed (raw deflate), base64
}

async function unpack(packed: string): Promise<string> {
  if (typeof DecompressionStream === 'undefined') {
    throw new Error('this browser is too old to unpack the data; use a browser of 2023 or later');
  }
  const binary = atob(packed);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = binary.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return new Response(stream).text();
}

export async function loadData(text: string): Promise<ReportData> {
  if (text.trim() === '') throw new Error('this page contains no run, schedule, space or replay; `orrery report --html` writes a page with data');
  let data = JSON.parse(text) as ReportData | PackedData;
  if ('deflate' in data) data = JSON.parse(await unpack(data.deflate)) as ReportData;
  if (data.version !== 1) throw new Error(`this page reads data of version 1, not ${String(data.version)}`);
  return data;
}
