// SPDX-License-Identifier: Apache-2.0
//
// Reads the data that stands in the page and puts the report on the screen.
import type { ReportData } from './data';
import { el } from './dom';
import { showReport } from './frame';
import './theme.css';
import './frame.css';
import './print.css';

function readData(): ReportData {
  const text = document.getElementById('orrery-data')?.textContent ?? '';
  if (text.trim() === '') throw new Error('this page holds no run; `orrery report --html` makes one that does');
  const data = JSON.parse(text) as ReportData;
  if (data.version !== 1) throw new Error(`this page reads data of version 1, not ${String(data.version)}`);
  return data;
}

function start(): void {
  const app = document.getElementById('app')!;
  try {
    showReport(app, readData());
    document.getElementById('static')?.remove();
  } catch (error) {
    // What the file says without JavaScript stays readable.
    app.replaceChildren(el('p', { class: 'card bad', role: 'alert' }, `The report cannot be shown: ${String(error)}`));
    throw error;
  }
}

start();
