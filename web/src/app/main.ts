// SPDX-License-Identifier: Apache-2.0
import { el } from '../dom';
import { Api } from './api';
import type { Properties } from './question';
import { Shell } from './shell';
import { State } from './state';
import '../theme.css';
import '../frame.css';
import '../print.css';
import './app.css';

const firstQuestion = { model: 'llama-3.1-8b', cluster: 'h100-sxm:8' };

async function propertiesOf(api: Api, command: string): Promise<Properties> {
  const schema = (await api.ask('schema', { format: 'question', command })) as unknown as { properties?: Properties; result?: { properties?: Properties } };
  const properties = schema.properties ?? schema.result?.properties;
  if (!properties) throw new Error(`the server has no schema of the options of ${command}`);
  return properties;
}

async function start(): Promise<void> {
  const app = document.getElementById('app')!;
  try {
    const api = new Api();
    const [run, memory, version] = await Promise.all([propertiesOf(api, 'run'), propertiesOf(api, 'memory'), api.version()]);
    new Shell(app, new State(api, run, memory, firstQuestion), version).show();
  } catch (error) {
    app.replaceChildren(el('main', {}, el('h1', {}, 'Orrery'), el('p', { class: 'card bad', role: 'alert' }, String(error instanceof Error ? error.message : error))));
  }
}

void start();
