// SPDX-License-Identifier: Apache-2.0
import type { Page } from '../page';

export const compare: Page = {
  id: 'compare',
  title: 'Comparison',
  whole: true,
  shows: (data) => data.comparison !== null,
  render(host, context) {
    host.append(`${context.run.title}: nothing here yet`);
  },
};
