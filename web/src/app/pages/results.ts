// SPDX-License-Identifier: Apache-2.0
//
// The figures of a plan: headline, breakdown of the step, memory of each stage, findings.
import { el, styled, type Child } from '../../dom';
import * as format from '../../format';
import { table } from '../../table';
import type { Answer, Finding, MemoryResult, Role, RunResult } from '../answers';
import { changesOf } from '../fields';
import { memoryParts, stepParts, time, verdictText, type Figure, type Share } from '../figures';
import type { App } from '../page';
import { withValue, type Question } from '../question';
import type { Answers } from '../state';

const mostStages = 16;

export function basisBadge(basis: string): HTMLElement {
  return el('span', { class: `badge app-basis ${basis}` }, basis);
}

export function headline(figures: Figure[], { memory }: Answers): HTMLElement {
  const tone = (figure: Figure): string => (figure.id !== 'memory' || !memory?.result ? '' : memory.result.verdict === 'fits' ? '' : memory.result.fits ? 'warn' : 'bad');
  return el('dl', { class: 'app-figures' }, figures.map((figure) => el('div', { 'data-figure': figure.id },
    el('dt', {}, figure.label, ' ', basisBadge(figure.basis)),
    el('dd', {}, el('strong', { class: `figures ${tone(figure)}` }, format.unbroken(figure.text)), figure.note && el('span', { class: 'muted' }, figure.note)))));
}

// A bar of shares of `whole`.
export function shareBar(shares: Share[], whole: number, label: string, text: (value: number) => string): HTMLElement {
  const words = shares.filter(({ value }) => value > 0).map(({ title, value }) => `${title} ${text(value)}`).join(', ');
  return el('div', { class: 'app-bar', role: 'img', 'aria-label': `${label}: ${words}` },
    shares.filter(({ value }) => value > 0).map(({ title, fill, value }) => styled(
      el('span', { class: `fill ${fill}`, title: `${title}: ${text(value)}` }), { width: `${(100 * value) / whole}%` })));
}

export function legend(shares: Share[], text: (value: number) => Child): HTMLElement {
  return el('ul', { class: 'legend' }, shares.map((share) => el('li', {}, el('i', { class: `swatch ${share.fill}`, 'aria-hidden': true }), `${share.title} `, text(share.value))));
}

function breakdown(run: RunResult): HTMLElement {
  const parts = stepParts(run);
  const hidden = run.breakdown.comm_ns - run.breakdown.exposed_comm_ns;
  const bases = run.time_by_basis ?? [];
  const whole = bases.reduce((sum, one) => sum + one.time_ns, 0);
  return el('section', { class: 'card', 'aria-label': 'Step' }, el('h2', {}, 'Step time by part, mean over ranks ', basisBadge('predicted')),
    shareBar(parts, run.step_ns, 'Step', time),
    legend(parts, (value) => el('span', { class: 'muted figures' }, `${time(value)} (${format.percent(value / run.step_ns)})`)),
    hidden > 0 && el('p', { class: 'muted' }, `${time(hidden)} more of communication overlaps with computing.`),
    whole > 0 && el('p', { class: 'muted' }, `Basis of the times: ${bases.map(({ basis, time_ns }) => `${format.percent(time_ns / whole)} ${basis}`).join(', ')}.`,
      run.prediction_interval?.widest_term ? ` Widest term of the interval: ${run.prediction_interval.widest_term}.` : ''));
}

function stageBar(role: Role, end: number, capacity: number | null): HTMLElement {
  const interval = role.memory_interval?.total_interval;
  const at = (bytes: number): string => `${(100 * bytes) / end}%`;
  return el('li', {},
    el('span', { class: 'app-stage' }, role.role, ' ', el('span', { class: 'muted' }, format.counted(role.ranks, 'rank'))),
    el('div', { class: 'app-stage-bar' }, shareBar(memoryParts(role), end, role.role, format.bytes),
      interval && styled(el('i', { class: 'app-interval', title: `80 % prediction interval: ${format.bytes(interval.low_bytes)} to ${format.bytes(interval.high_bytes)}` }),
        { left: at(interval.low_bytes), width: at(interval.high_bytes - interval.low_bytes) }),
      capacity !== null && styled(el('i', { class: 'app-limit' }), { left: at(capacity) })),
    el('span', { class: `figures ${capacity !== null && role.total_bytes > capacity ? 'bad' : ''}` }, format.bytes(role.total_bytes)));
}

function ways(app: App, question: Question, memory: MemoryResult): Child {
  if (memory.memory_options.length === 0) return null;
  return [el('h3', {}, 'Changes that fit'), el('ul', { class: 'app-options' }, memory.memory_options.map((option) => {
    const changes = changesOf(option.change);
    const use = (): void => app.state.replace(changes!.reduce((all, { key, value }) => withValue(all, key, value), question));
    return el('li', {}, `${option.change}: ${format.bytes(option.total_bytes)}, ${format.percent(option.flop_ratio)} of the operations `,
      changes && el('button', { type: 'button', onclick: use }, 'Use'));
  }))];
}

function memoryCard(app: App, question: Question, memory: MemoryResult): HTMLElement {
  const capacity = memory.capacity_bytes;
  const fullest = [...memory.roles].sort((a, b) => b.total_bytes - a.total_bytes).slice(0, mostStages);
  const shown = memory.roles.filter((role) => fullest.includes(role));
  const end = Math.max(capacity ?? 0, ...memory.roles.map((role) => role.memory_interval?.total_interval.high_bytes ?? role.total_bytes));
  const left = memory.roles.length - shown.length;
  return el('section', { class: 'card', 'aria-label': 'Memory' }, el('h2', {}, 'Memory of each stage ', basisBadge('predicted')),
    el('p', { class: memory.fits === false ? 'bad' : memory.verdict === 'fits' ? 'muted' : 'warn' },
      capacity === null ? 'The capacity of the device is unknown.' : [`Capacity ${format.bytes(capacity)} `, basisBadge('configured'), ` ${memory.verdict ? verdictText(memory.verdict) : ''}`]),
    el('ul', { class: 'app-stages' }, shown.map((role) => stageBar(role, end, capacity))),
    left > 0 && el('p', { class: 'muted' }, `${format.counted(left, 'stage')} with less memory in the table.`),
    legend(memoryParts(memory.roles[0]), () => null),
    ways(app, question, memory),
    el('details', {}, el('summary', {}, 'As a table'), table<Role>({
      caption: 'Memory of each stage at its peak', rows: memory.roles,
      columns: [
        { title: 'stage', cell: (role) => role.role, key: (role) => role.role },
        ...memoryParts(memory.roles[0]).map(({ title }, i) => ({
          title, number: true, cell: (role: Role) => format.bytes(memoryParts(role)[i].value), key: (role: Role) => memoryParts(role)[i].value,
        })),
        { title: 'total', number: true, cell: (role) => format.bytes(role.total_bytes), key: (role) => role.total_bytes },
      ],
    })));
}

// Findings of both answers, each once.
export function findingsOf(...answers: (Answer<unknown> | null)[]): Finding[] {
  const found = new Map<string, Finding>();
  for (const answer of answers) for (const finding of answer?.findings ?? []) found.set(`${finding.code} ${finding.places.join()}`, finding);
  return [...found.values()];
}

export function findingsCard(findings: Finding[]): Child {
  if (findings.length === 0) return null;
  return el('section', { class: 'card', 'aria-label': 'Findings' }, el('h2', {}, 'Findings'),
    el('ul', { class: 'app-findings' }, findings.map(({ severity, sentence, places }) => el('li', {},
      el('span', { class: `badge ${severity === 'info' ? 'muted' : severity === 'warning' ? 'warn' : 'bad'}` }, severity), ' ', sentence,
      places.length > 0 && el('span', { class: 'muted name' }, ` (${places.join('; ')})`)))));
}

function machine(run: RunResult): HTMLElement {
  const { platform, workload, step_costs: costs } = run;
  return el('section', { class: 'card', 'aria-label': 'Cluster' }, el('h2', {}, 'Cluster ', basisBadge('configured')),
    el('p', {}, `${format.counted(platform.devices, 'device')} ${platform.device}: `,
      platform.dimensions.map(({ block, size, bandwidth_bytes_per_s, latency_ns }) => `${block} of ${size}, ${format.rate(bandwidth_bytes_per_s)}, ${time(latency_ns)}`).join('; '), '. '),
    el('p', { class: 'muted' }, `Network model ${run.network_model}. ${format.count(workload.distinct_ranks)} representative of ${format.counted(workload.ranks, 'rank')} simulated.`),
    costs?.power_source && el('p', { class: 'muted' }, `Power of a device: ${costs.power_source}`));
}

export function details(app: App, question: Question, { run, memory }: Answers): HTMLElement[] {
  const cards: Child[] = [
    breakdown(run.result!), memory?.result && memoryCard(app, question, memory.result), findingsCard(findingsOf(run, memory)), machine(run.result!),
  ];
  return cards.filter((card): card is HTMLElement => card instanceof HTMLElement);
}
