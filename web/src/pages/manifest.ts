// SPDX-License-Identifier: Apache-2.0
import type { Page } from '../page';

export const manifest: Page = {
  id: 'manifest',
  title: 'Manifest',
  render(host, context) {
    host.append(`${context.run.title}: nothing here yet`);
  },
};
