// SPDX-License-Identifier: Apache-2.0
import type { Page } from '../page';

export const collectives: Page = {
  id: 'collectives',
  title: 'Collectives',
  render(host, context) {
    host.append(`${context.run.title}: nothing here yet`);
  },
};
