// SPDX-License-Identifier: Apache-2.0
import type { Page } from '../page';

export const criticalPath: Page = {
  id: 'critical-path',
  title: 'Critical path',
  render(host, context) {
    host.append(`${context.run.title}: nothing here yet`);
  },
};
