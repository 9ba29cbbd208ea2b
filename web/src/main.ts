// SPDX-License-Identifier: Apache-2.0
import { el } from './dom';
import { showReport } from './frame';
import { loadData } from './load';
import './theme.css';
import './frame.css';
import './print.css';

async function start(): Promise<void> {
  const app = document.getElementById('app')!;
  try {
    showReport(app, await loadData(document.getElementById('orrery-data')?.textContent ?? ''));
    document.getElementById('static')?.remove();
  } catch (error) {
    // What the file says without JavaScript stays readable.
    app.replaceChildren(el('p', { class: 'card bad', role: 'alert' }, `The report cannot be shown: ${String(error)}`));
    throw error;
  }
}

void start();
