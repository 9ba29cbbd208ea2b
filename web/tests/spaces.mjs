// SPDX-License-Identifier: Apache-2.0
//
// Spaces to search, of a small model on sixteen devices.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

// A file of it in `folder`; `axes` has values by name: tp, micro and nic (GB/s) mean something, others do nothing.
export function spaceFile(folder, name, { title = name, axes, objectives = ['step', 'cost'], memory = '4 GB' }) {
  const by = (axis, otherwise) => (axes[axis] ? `=${axis}` : otherwise);
  const space = {
    title, objectives,
    job: {
      model: { name: 'small', layers: 4, hidden: 512, heads: 8, vocab: 8000 },
      batch: { global: 32, micro: by('micro', 1), seq: 512 }, parallel: { tp: by('tp', 1) },
    },
    cluster: {
      device: { peak: '100 TFLOP/s', memory_bandwidth: '1 TB/s', memory_capacity: memory }, collectives: { library: 'ideal' },
      network: [
        { block: 'switch', size: 4, bandwidth: '100 GB/s', latency: '1 us' },
        { block: 'switch', size: 4, bandwidth: axes.nic ? '{nic} GB/s' : '25 GB/s', latency: '2 us' },
      ],
    },
    axes: Object.entries(axes).map(([axis, values]) => ({ name: axis, values })),
  };
  const file = join(folder, `${name}.yaml`);
  writeFileSync(file, JSON.stringify(space, null, 1));
  return file;
}
