// SPDX-License-Identifier: Apache-2.0
//
// A cluster file of the editor: a device of the catalog and dimensions with links of the catalog
// (docs/reference/cluster.md).
export interface Level {
  block: string;
  size: number;
  link: string;
}

export interface ClusterForm {
  name: string;
  device: string;
  levels: Level[]; // innermost first
}

export const blocks = ['switch', 'fully_connected', 'ring'] as const;

export const firstCluster: ClusterForm = {
  name: 'my-cluster', device: 'h100-sxm', levels: [{ block: 'switch', size: 8, link: 'nvlink4' }, { block: 'switch', size: 2, link: 'ib-ndr' }],
};

export function devicesIn(form: ClusterForm): number {
  return form.levels.reduce((product, { size }) => product * size, 1);
}

// A YAML text; names that YAML could read otherwise are quoted.
const text = (value: string): string => (/^[A-Za-z][\w.-]*$/.test(value) && !/^(true|false|yes|no|on|off|null|y|n)$/i.test(value) ? value : JSON.stringify(value));

export function clusterYaml(form: ClusterForm): string {
  return [
    'version: 1', `name: ${text(form.name)}`, `device: ${text(form.device)}`, 'network:',
    ...form.levels.map(({ block, size, link }) => `  - {block: ${block}, size: ${size}, link: ${text(link)}}`),
  ].join('\n') + '\n';
}

// "name=a&device=h100-sxm&level=switch,8,nvlink4"
export function clusterQuery(form: ClusterForm): string {
  const query = new URLSearchParams({ name: form.name, device: form.device });
  for (const { block, size, link } of form.levels) query.append('level', `${block},${size},${link}`);
  return query.toString();
}

export function clusterOf(query: string): ClusterForm {
  const found = new URLSearchParams(query);
  const levels = found.getAll('level').map((one) => {
    const [block, size, ...link] = one.split(',');
    return { block: (blocks as readonly string[]).includes(block) ? block : 'switch', size: Math.max(1, Math.floor(Number(size)) || 1), link: link.join(',') };
  });
  return { name: found.get('name') ?? firstCluster.name, device: found.get('device') ?? firstCluster.device, levels: levels.length > 0 ? levels : firstCluster.levels };
}
