// SPDX-License-Identifier: Apache-2.0
import type { Page } from '../../page';

export const timeline: Page = {
  id: 'timeline',
  title: 'Timeline',
  render(host, context) {
    host.append(`${context.run.title}: nothing here yet`);
  },
};
