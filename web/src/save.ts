// SPDX-License-Identifier: Apache-2.0
import { el } from './dom';

// Has the browser save a file.
export function saveFile(name: string, content: Blob): void {
  const link = el('a', { download: name });
  link.href = URL.createObjectURL(content);
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
