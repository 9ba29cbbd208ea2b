// SPDX-License-Identifier: Apache-2.0
//
// The simulator that stands in the page as WebAssembly, in a worker. It is unpacked and started at the first question.
import type { Answer } from '../../app/answers';
import { unpacked } from '../../load';

// What packaging/wasm/make_page.mjs writes: raw deflate in base64.
interface PackedSimulator {
  version: string; // of Orrery
  script: string; // of the worker
  module: string; // WebAssembly
}

const place = (): string => (typeof document === 'undefined' ? '' : document.getElementById('orrery-simulator')?.textContent ?? '');

export function hasSimulator(): boolean {
  return place().trim() !== '';
}

// What the worker answers.
interface Reply {
  id: number;
  json?: string; // the document of the command
  failure?: string; // the module ended
}

export type Files = Record<string, string>; // texts by name, which a question may name

async function start(): Promise<Worker> {
  const packed = JSON.parse(place()) as PackedSimulator;
  const [script, module] = await Promise.all([unpacked(packed.script), unpacked(packed.module)]);
  const address = URL.createObjectURL(new Blob([await script.text()], { type: 'text/javascript' }));
  const worker = new Worker(address);
  URL.revokeObjectURL(address);
  const bytes = await module.arrayBuffer();
  worker.postMessage({ module: bytes }, [bytes]);
  return worker;
}

export class Simulator {
  private worker: Promise<Worker> | null = null;
  private readonly waiting = new Map<number, (reply: Reply) => void>();
  private last = 0;

  // The document of a command, as --json prints it.
  async ask<Result>(command: string, question: Record<string, unknown>, files: Files): Promise<Answer<Result>> {
    const worker = await (this.worker ??= this.begin());
    const id = ++this.last;
    const reply = await new Promise<Reply>((done) => {
      this.waiting.set(id, done);
      worker.postMessage({ id, command, question: JSON.stringify(question), files });
    });
    if (reply.json === undefined) {
      this.end(); // the next question gets a new module
      throw new Error(`The simulator ended: ${reply.failure ?? 'no reason is known'}`);
    }
    return JSON.parse(reply.json) as Answer<Result>;
  }

  end(): void {
    void this.worker?.then((worker) => worker.terminate());
    this.worker = null;
    for (const [id, done] of this.waiting) done({ id, failure: 'it was stopped' });
    this.waiting.clear();
  }

  private async begin(): Promise<Worker> {
    const worker = await start();
    worker.addEventListener('message', ({ data }: MessageEvent<Reply>) => {
      this.waiting.get(data.id)?.(data);
      this.waiting.delete(data.id);
    });
    worker.addEventListener('error', ({ message }) => {
      for (const [id, done] of this.waiting) done({ id, failure: message });
      this.waiting.clear();
    });
    return worker;
  }
}
