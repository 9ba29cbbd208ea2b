// SPDX-License-Identifier: Apache-2.0
//
// All pages, in the order of the navigation.
import type { Page } from './page';
import { ask } from './pages/ask/ask';
import { breakdown } from './pages/breakdown';
import { collectives } from './pages/collectives';
import { compare } from './pages/compare';
import { criticalPath } from './pages/critical_path';
import { findings } from './pages/findings';
import { manifest } from './pages/manifest';
import { memory } from './pages/memory/memory';
import { packets } from './pages/packets/packets';
import { replay } from './pages/replay/replay';
import { schedule } from './pages/schedule/schedule';
import { space } from './pages/space/space';
import { summary } from './pages/summary';
import { tables } from './pages/tables';
import { timeline } from './pages/timeline/timeline';
import { topology } from './pages/topology';
import { views } from './pages/views/views';

export const pages: Page[] = [
  summary, ask, compare, timeline, criticalPath, breakdown, collectives, topology, packets, memory, tables, findings, manifest, schedule, space, replay, views,
];
