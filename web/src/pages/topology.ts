// SPDX-License-Identifier: Apache-2.0
import type { Page } from '../page';

export const topology: Page = {
  id: 'topology',
  title: 'Topology',
  render(host, context) {
    host.append(`${context.run.title}: nothing here yet`);
  },
};
