// SPDX-License-Identifier: Apache-2.0
//
// Undo and redo. Changes of the same thing that follow each other quickly (a slider that moves) are one step.
export class History<State> {
  private before: State[] = [];
  private after: State[] = [];
  private last = { what: '', at: -Infinity };

  constructor(private current: State, private readonly most = 200, private readonly together = 700) {}

  get state(): State {
    return this.current;
  }

  get canUndo(): boolean {
    return this.before.length > 0;
  }

  get canRedo(): boolean {
    return this.after.length > 0;
  }

  // `what`: what changes; `now`: milliseconds.
  set(state: State, what: string, now: number): void {
    const same = what !== '' && what === this.last.what && now - this.last.at < this.together && this.before.length > 0;
    if (!same) this.before.push(this.current);
    if (this.before.length > this.most) this.before.shift();
    this.after = [];
    this.current = state;
    this.last = { what, at: now };
  }

  undo(): boolean {
    return this.move(this.before, this.after);
  }

  redo(): boolean {
    return this.move(this.after, this.before);
  }

  private move(from: State[], to: State[]): boolean {
    const next = from.pop();
    if (next === undefined) return false;
    to.push(this.current);
    this.current = next;
    this.last = { what: '', at: -Infinity };
    return true;
  }
}
