// SPDX-License-Identifier: Apache-2.0
import type { AppPage } from './page';
import { cluster } from './pages/cluster';
import { compare } from './pages/compare';
import { plan } from './pages/plan';
import { report } from './pages/report';
import { search } from './pages/search';
import { start } from './pages/start';

export const pages: AppPage[] = [start, plan, compare, search, cluster, report];
