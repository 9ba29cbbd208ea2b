// SPDX-License-Identifier: Apache-2.0
//
// Of requests that follow each other, only the last counts: earlier ones are cancelled, and their answers are not shown.
export class Latest {
  private running: AbortController | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;

  // Waits `delay` ms for another call, then runs `work`. Errors of cancelled work are ignored.
  start(delay: number, work: (signal: AbortSignal) => Promise<void>, failed: (error: unknown) => void): void {
    this.stop();
    const control = new AbortController();
    this.running = control;
    this.timer = setTimeout(() => {
      work(control.signal).catch((error: unknown) => {
        if (!control.signal.aborted) failed(error);
      });
    }, delay);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.running?.abort();
    this.running = null;
  }
}
