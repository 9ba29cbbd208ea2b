// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ask } from '../../src/pages/ask/ask';
import { filesOf, planOf, questionOf, replicas } from '../../src/pages/ask/question';
import type { RunData } from '../../src/data';

const job = 'version: 1\nmodel:\n  name: "m"\n  tp: 9\nparallel:\n  tp: 4\n  sp: false\n  cp: 1\n  pp: 2\n  dp: 2\n  ep: 1\nbatch:\n  global: 32\n  micro: 1\n';

describe('a question about a changed plan', () => {
  it('starts from the job of the manifest', () => {
    assert.deepEqual(planOf(job), { tp: 4, pp: 2, cp: 1, ep: 1, micro_batch: 1, global_batch: 32 });
    assert.deepEqual(filesOf({ manifest: [['workload_config', job], ['cluster_config', 'version: 1']] }), { 'job.yaml': job, 'cluster.yaml': 'version: 1' });
  });
  it('is not asked of recorded traces', () => {
    assert.equal(filesOf({ manifest: [['cluster_config', 'version: 1']] }), null);
    assert.equal(filesOf({ manifest: [['workload_config', 'traces: a'], ['cluster_config', 'version: 1']] }), null);
  });
  it('has only what differs, and the replicas that use all ranks', () => {
    const own = planOf(job);
    const changed = { ...own, tp: 8 };
    assert.equal(replicas(own, 16), 2);
    assert.equal(replicas(changed, 16), 1);
    assert.equal(replicas({ ...own, tp: 3 }, 16), null);
    assert.equal(replicas({ ...own, tp: 0 }, 16), null);
    assert.deepEqual(questionOf(changed, own, 1, 2), { spec: ['job.yaml'], cluster: 'cluster.yaml', tp: 8, dp: 1 });
    assert.deepEqual(questionOf(own, own, 2, 2), { spec: ['job.yaml'], cluster: 'cluster.yaml' });
  });
  it('is a page only of reports that contain the simulator', () => {
    assert.equal(ask.has!({ manifest: [['workload_config', job], ['cluster_config', '']] } as unknown as RunData), false);
  });
});
