// SPDX-License-Identifier: Apache-2.0
import type { Page } from '../page';

export const memory: Page = {
  id: 'memory',
  title: 'Memory',
  shows: (data) => data.runs.some((run) => run.timelines.some((timeline) => timeline.memory)),
  render(host, context) {
    host.append(`${context.run.title}: nothing here yet`);
  },
};
