// SPDX-License-Identifier: Apache-2.0
import type { Page } from '../page';

export const breakdown: Page = {
  id: 'breakdown',
  title: 'Breakdown by rank',
  render(host, context) {
    host.append(`${context.run.title}: nothing here yet`);
  },
};
