// SPDX-License-Identifier: Apache-2.0
import type { Page } from '../page';

export const findings: Page = {
  id: 'findings',
  title: 'Findings',
  render(host, context) {
    host.append(`${context.run.title}: nothing here yet`);
  },
};
