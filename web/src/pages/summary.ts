// SPDX-License-Identifier: Apache-2.0
import type { Page } from '../page';

export const summary: Page = {
  id: 'summary',
  title: 'Summary',
  render(host, context) {
    host.append(`${context.run.title}: nothing here yet`);
  },
};
