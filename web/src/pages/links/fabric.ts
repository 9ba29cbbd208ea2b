// SPDX-License-Identifier: Apache-2.0
//
// The nodes of a fabric, and what they are called. Pure.

import type { RunData } from '../../data';

export interface FabricNode {
  name: string;
  kind: string;
  host: number | null;
  rank: number | null;
}

export function nodesOf(run: RunData): FabricNode[] {
  const { name = [], kind = [], host = [], rank = [] } = run.fabric;
  return name.map((one, i) => ({ name: one, kind: kind[i] ?? 'other', host: host[i] ?? null, rank: rank[i] ?? null }));
}

const kindNames: Record<string, [one: string, many: string]> = {
  device: ['device', 'devices'], cpu: ['CPU', 'CPUs'], memory: ['memory', 'memories'], nic: ['NIC', 'NICs'], port: ['port', 'ports'],
  pcie_switch: ['PCIe switch', 'PCIe switches'], nvswitch: ['scale-up switch', 'scale-up switches'], leaf: ['leaf', 'leaves'],
  spine: ['spine', 'spines'], core: ['core', 'cores'], switch: ['switch', 'switches'], optical: ['optical switch', 'optical switches'],
  other: ['other node', 'other nodes'],
};
export const kindName = (kind: string, count = 1): string => kindNames[kind]?.[count === 1 ? 0 : 1] ?? kind;

// The ends of links by their names: "leaf0 -> spine1". Names may hold an arrow themselves.
export function endsOfNames(nodes: readonly FabricNode[]): (name: string) => [from: number, to: number] | null {
  const numbers = new Map(nodes.map(({ name }, i) => [name, i]));
  const arrow = ' -> ';
  return (name) => {
    for (let at = name.indexOf(arrow); at >= 0; at = name.indexOf(arrow, at + 1)) {
      const from = numbers.get(name.slice(0, at));
      const to = numbers.get(name.slice(at + arrow.length));
      if (from !== undefined && to !== undefined) return [from, to];
    }
    return null;
  };
}

// "segment0.rail3": as it is, in short ("s0.r3"), its last part, its last number. What is in a host stands in a frame that
// says which host.
export function labelsOf({ name, rank, kind, host }: FabricNode): string[] {
  if (kind === 'device') return rank === null ? ['spare', 'spare', '–', '–'] : [`rank ${rank}`, `rank ${rank}`, String(rank), String(rank)];
  const last = /[^./ ]*$/.exec(name)?.[0] ?? '';
  const number = /\d+(?=\D*$)/.exec(name)?.[0] ?? '';
  if (host !== null) return [last, last, last, number];
  const parts = name.split('.');
  return [name, parts.length > 1 ? parts.map((part) => part.replace(/^([a-z])[a-z]*(?=\d)/i, '$1')).join('.') : name, last, number];
}

// Circuit switches between two ends are no places but ways: which two nodes each joins, by node.
export function circuitsOf(nodes: readonly FabricNode[], links: readonly ([from: number, to: number] | null)[]): Map<number, [number, number]> {
  const joined = new Map<number, Set<number>>();
  for (const ends of links) {
    if (!ends) continue;
    for (const [node, other] of [ends, [ends[1], ends[0]]]) {
      if (nodes[node].kind === 'optical') (joined.get(node) ?? joined.set(node, new Set()).get(node)!).add(other);
    }
  }
  const circuits = new Map<number, [number, number]>();
  for (const [node, others] of joined) {
    const [a, b] = [...others].sort((x, y) => x - y);
    if (others.size === 2 && nodes[a].kind !== 'optical' && nodes[b].kind !== 'optical') circuits.set(node, [a, b]);
  }
  return circuits;
}

export function titleOf({ name, kind, rank }: FabricNode): string {
  return `${kindName(kind)} ${name}${rank === null ? '' : `, rank ${rank}`}`;
}
