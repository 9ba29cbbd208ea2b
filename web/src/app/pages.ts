// SPDX-License-Identifier: Apache-2.0
import type { AppPage } from './page';
import { plan } from './pages/plan';

export const pages: AppPage[] = [plan];
