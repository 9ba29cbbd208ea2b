// SPDX-License-Identifier: Apache-2.0
//
// The cluster editor: a device, and the dimensions of its network, drawn; stored as a cluster file in the folder.
import { el, type Child } from '../../dom';
import * as format from '../../format';
import { blocks, clusterOf, clusterQuery, clusterYaml, devicesIn, type ClusterForm, type Level } from '../cluster_form';
import { drawCluster } from '../cluster_picture';
import { legalName, nextName } from '../names';
import type { App, AppPage } from '../page';
import type { CatalogEntry } from '../state';

const mostLevels = 4;
let kept = ''; // the query of the form that was shown last

class ClusterEditor {
  private readonly fields = el('form', { class: 'card app-editor', 'aria-label': 'Cluster', onsubmit: (event) => event.preventDefault() });
  private readonly picture = el('div', { class: 'app-picture' });
  private readonly facts = el('p', { class: 'muted', 'aria-live': 'polite' });
  private readonly yaml = el('pre', { class: 'mono app-wrap', tabindex: 0, 'aria-label': 'Cluster file' });
  private links: CatalogEntry[] = [];

  constructor(host: HTMLElement, private readonly app: App, private form: ClusterForm) {
    host.append(el('div', { class: 'app-columns' }, this.fields, el('div', {},
      el('section', { class: 'card', 'aria-label': 'Picture' }, this.picture, this.facts),
      el('section', { class: 'card', 'aria-label': 'File' }, el('h2', {}, 'Cluster file'), this.yaml,
        el('button', { type: 'button', onclick: () => void this.use().catch((error: unknown) => app.say(String(error))) }, 'Store and use')))));
    void Promise.all([app.state.list('links'), app.state.list('devices')]).then(([links, devices]) => {
      this.links = links;
      this.drawFields(devices);
      this.draw();
    }).catch((error: unknown) => app.say(String(error)));
    this.drawFields([]);
    this.draw();
  }

  private change(form: ClusterForm, fields = false): void {
    this.form = form;
    this.draw();
    if (fields) void this.app.state.list('devices').then((devices) => this.drawFields(devices));
  }

  private level(at: number, level: Partial<Level>): void {
    this.change({ ...this.form, levels: this.form.levels.map((one, i) => (i === at ? { ...one, ...level } : one)) });
  }

  private drawFields(devices: CatalogEntry[]): void {
    const { form } = this;
    const text = (id: string, label: string, value: string, set: (text: string) => void, list?: string): Child =>
      el('div', { class: 'app-field text' }, el('label', { for: id }, label),
        el('input', { type: 'text', id, value, list, autocomplete: 'off', onchange: (event) => set((event.target as HTMLInputElement).value.trim()) }));
    const level = ({ block, size, link }: Level, at: number): Child => el('fieldset', {},
      el('legend', {}, `Dimension ${at + 1}${at === 0 ? ', innermost' : ''}`),
      el('div', { class: 'app-field choice' }, el('label', { for: `block-${at}` }, 'Topology'),
        el('select', { id: `block-${at}`, onchange: (event) => this.level(at, { block: (event.target as HTMLSelectElement).value }) },
          blocks.map((one) => el('option', { value: one, selected: one === block }, one.replace('_', ' '))))),
      el('div', { class: 'app-field text' }, el('label', { for: `size-${at}` }, 'Members'),
        el('input', { type: 'number', id: `size-${at}`, min: 1, max: 16777216, value: size, oninput: (event) => {
          const number = Math.floor(Number((event.target as HTMLInputElement).value));
          if (number >= 1) this.level(at, { size: number });
        } })),
      text(`link-${at}`, 'Link', link, (one) => this.level(at, { link: one }), 'link-names'),
      form.levels.length > 1 && el('button', { type: 'button', onclick: () => this.change({ ...this.form, levels: this.form.levels.filter((_, i) => i !== at) }, true) }, `Remove dimension ${at + 1}`));
    const names = (id: string, entries: CatalogEntry[]): Child => el('datalist', { id }, entries.map(({ name, title }) => el('option', { value: name, label: title })));
    this.fields.replaceChildren();
    const parts: Child[] = [
      text('cluster-name', 'Name', form.name, (name) => this.change({ ...this.form, name })),
      text('cluster-device', 'Device', form.device, (device) => this.change({ ...this.form, device }), 'device-names'),
      form.levels.map(level),
      form.levels.length < mostLevels && el('button', { type: 'button', onclick: () =>
        this.change({ ...this.form, levels: [...this.form.levels, { block: 'switch', size: 2, link: this.form.levels.at(-1)!.link }] }, true) }, 'Add a dimension'),
      names('device-names', devices), names('link-names', this.links),
    ];
    for (const part of parts.flat()) if (part instanceof Node) this.fields.append(part);
  }

  private linkText(name: string): string {
    const link = this.links.find((one) => one.name === name);
    return link ? `${name}, ${format.rate(Number(link.bandwidth_bytes_per_s))}` : name;
  }

  private draw(): void {
    const devices = devicesIn(this.form);
    this.picture.replaceChildren(drawCluster(this.form, (link) => this.linkText(link)));
    this.facts.textContent = `${format.counted(devices, 'device')} ${this.form.device}: ${this.form.levels.map(({ block, size, link }) => `${block.replace('_', ' ')} of ${format.count(size)} by ${this.linkText(link)}`).join('; ')} (configured)`;
    this.yaml.textContent = clusterYaml(this.form);
    kept = clusterQuery(this.form);
    if (location.hash.startsWith('#/cluster')) history.replaceState(null, '', `#/cluster?${kept}`);
  }

  private async use(): Promise<void> {
    const content = clusterYaml(this.form);
    let name = `${legalName(this.form.name)}.yaml`;
    for (let number = 2; (await this.app.state.api.put(name, content)) === 'other'; ++number) name = nextName(`${legalName(this.form.name)}.yaml`, number);
    this.app.state.set('cluster', name);
    this.app.say(`Stored ${name}; it is the cluster of the plan.`);
    this.app.go('plan');
  }
}

export const cluster: AppPage = {
  id: 'cluster',
  title: 'Cluster',
  render(host, app, query) {
    new ClusterEditor(host, app, clusterOf(query || kept));
  },
};
