// SPDX-License-Identifier: Apache-2.0
//
// The fields of a plan. An error of the last answer stands at the field that it names.
import { el, type Child } from '../../dom';
import { alsoNamed, choicesOf, devicesOf, fieldOf, groups, proposals, stopsOf, type Field, type Problem } from '../fields';
import type { App } from '../page';
import type { Value } from '../question';

export interface Editor {
  element: HTMLElement;
  show(): void;
  // The error of the last answer; false: no field of this editor is named by it.
  problem(problem: Problem | null): boolean;
  devices(devices: number | null): void; // of the last answer
}

const sliderUnset = 'default';

function textOf(value: Value | undefined): string {
  return value === undefined ? '' : Array.isArray(value) ? value.join(', ') : String(value);
}

class FieldControl {
  readonly element: HTMLElement;
  private readonly id: string;
  private readonly notes: HTMLElement;
  private readonly input: HTMLInputElement | HTMLSelectElement;
  private readonly slider: HTMLInputElement | null = null;
  private stops: number[];

  constructor(private readonly app: App, private readonly field: Field, private devices: number | null) {
    this.id = `field-${field.key}`;
    this.stops = stopsOf(field, devices);
    this.notes = el('div', { class: 'app-problem', id: `${this.id}-note` });
    this.input = this.makeInput();
    if (field.kind === 'count') this.slider = this.makeSlider();
    const note = this.property?.description ?? '';
    this.element = el('div', { class: `app-field ${field.kind}` },
      el('label', { for: this.id, title: note }, field.label), this.slider, this.input, this.notes);
    if (field.list) this.offerNames(field.list);
  }

  private get property() {
    return this.app.state.run[this.field.key];
  }

  private makeInput(): HTMLInputElement | HTMLSelectElement {
    const { field, id } = this;
    const common = { id, 'aria-describedby': `${id}-note` };
    if (field.kind === 'choice') {
      const choices = choicesOf(this.property);
      return el('select', { ...common, onchange: () => this.set(this.input.value) },
        el('option', { value: '' }, sliderUnset), choices.map((choice) => el('option', { value: choice }, choice)));
    }
    if (field.kind === 'switch') {
      return el('input', { ...common, type: 'checkbox', onchange: () => this.app.state.set(field.key, (this.input as HTMLInputElement).checked) });
    }
    const input = el('input', { ...common, type: 'text', autocomplete: 'off', spellcheck: 'false', placeholder: field.kind === 'count' ? sliderUnset : '',
      inputmode: field.kind === 'count' ? 'numeric' : null, onchange: () => this.set(this.input.value.trim()) });
    if (field.kind === 'count') input.addEventListener('keydown', (event) => this.byArrows(event));
    return input;
  }

  // The slider repeats the text field for the pointer; keys work in both.
  private makeSlider(): HTMLInputElement {
    return el('input', { type: 'range', min: 0, max: this.stops.length, step: 1, 'aria-label': `${this.field.label}, slider`,
      oninput: () => this.set(this.slider!.value === '0' ? '' : String(this.stops[Number(this.slider!.value) - 1])) });
  }

  private byArrows(event: KeyboardEvent): void {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
    event.preventDefault();
    const now = Number(this.input.value) || 0;
    const next = event.key === 'ArrowUp' ? this.stops.find((stop) => stop > now) : [...this.stops].reverse().find((stop) => stop < now);
    this.set(next === undefined ? (event.key === 'ArrowUp' ? this.input.value : '') : String(next));
  }

  private set(text: string): void {
    this.app.state.set(this.field.key, this.property.type === 'array' ? text.split(',').map((one) => one.trim()).filter(Boolean) : text);
  }

  private offerNames(list: string): void {
    const names = el('datalist', { id: `${this.id}-names` });
    this.input.setAttribute('list', names.id);
    this.element.append(names);
    void this.app.state.list(list).then((entries) => names.append(...entries.map(({ name, title }) => el('option', { value: name, label: title })))).catch(() => undefined);
  }

  show(): void {
    const value = this.app.state.question[this.field.key];
    this.element.hidden = this.field.kind === 'files' && value === undefined;
    if (this.field.kind === 'switch') (this.input as HTMLInputElement).checked = value === true;
    else this.input.value = textOf(value);
    if (!this.slider) return;
    const stops = stopsOf(this.field, devicesOf(this.app.state.question.cluster) ?? this.devices);
    if (stops.join() !== this.stops.join()) {
      this.stops = stops;
      this.slider.max = String(stops.length);
    }
    const at = this.stops.filter((stop) => stop <= Number(value ?? 0)).length;
    this.slider.value = String(value === undefined ? 0 : at);
    this.slider.setAttribute('aria-valuetext', textOf(value) || sliderUnset);
  }

  setDevices(devices: number | null): void {
    this.devices = devices;
    this.show();
  }

  // `named`: an error of another field names this one, too.
  problem(problem: Problem | null, named: boolean): void {
    this.input.setAttribute('aria-invalid', String(problem !== null || named));
    this.notes.replaceChildren(...(problem ? [problemText(this.app, problem)] : []));
  }
}

// An error with what it proposes, as buttons.
export function problemText(app: App, problem: Problem): HTMLElement {
  const changes = proposals(problem, app.state.run);
  const parts: Child[] = [el('strong', {}, problem.what), problem.hint && el('span', {}, problem.hint),
    changes.map(({ key, value }) => el('button', { type: 'button', onclick: () => app.state.set(key, value) }, `Use ${key.replaceAll('_', '-')}${value === true ? '' : ` ${value}`}`))];
  return el('p', { class: 'bad' }, parts);
}

export function editor(app: App): Editor {
  const controls = new Map<string, FieldControl>();
  const control = (field: Field): HTMLElement => {
    const one = new FieldControl(app, field, null);
    controls.set(field.key, one);
    return one.element;
  };
  const available = groups.map((group) => ({ ...group, fields: group.fields.filter(({ key }) => key in app.state.run) }));
  const others = el('div', { class: 'row', role: 'group', 'aria-label': 'Other options' });
  const showOthers = (): void => {
    const { question } = app.state;
    const keys = Object.keys(question).filter((key) => !controls.has(key));
    others.hidden = keys.length === 0;
    others.replaceChildren(...keys.map((key) => el('button', { type: 'button', 'aria-label': `Remove ${key.replaceAll('_', '-')}`, onclick: () => app.state.set(key, null) },
      `${key.replaceAll('_', '-')}${question[key] === true ? '' : ` ${textOf(question[key])}`} ✕`)));
  };
  const element = el('form', { class: 'card app-editor', 'aria-label': 'Plan', onsubmit: (event) => event.preventDefault() },
    available.map(({ title, fields }) => el('fieldset', {}, el('legend', {}, title), fields.map(control))), others);
  const all = [...controls.values()];
  return {
    element,
    show: () => {
      all.forEach((one) => one.show());
      showOthers();
    },
    devices: (devices) => all.forEach((one) => one.setDevices(devices)),
    problem(problem) {
      const key = problem && fieldOf(problem, app.state.question);
      const others = problem ? alsoNamed(problem, app.state.question) : [];
      for (const [name, one] of controls) one.problem(name === key ? problem : null, others.includes(name));
      return key !== null && controls.has(key);
    },
  };
}
