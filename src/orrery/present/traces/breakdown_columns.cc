// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/traces/breakdown_columns.h"

#include "orrery/present/number_text.h"

namespace orrery::present {

void add_share(report::Columns<profile::Breakdown>& columns, const char* title, const char* key,
               Time profile::Breakdown::*part) {
  columns.add(title, key, part,
              [part](const profile::Breakdown& all) { return share(all.*part, all.length); });
}

void add_shares(report::Columns<profile::Breakdown>& columns) {
  add_share(columns, "compute", "compute_only_ns", &profile::Breakdown::compute_only);
  add_share(columns, "overlap", "overlapped_ns", &profile::Breakdown::overlapped);
  add_share(columns, "exposed", "comm_only_ns", &profile::Breakdown::comm_only);
  add_share(columns, "copies", "copy_only_ns", &profile::Breakdown::copy_only);
  add_share(columns, "idle", "idle_ns", &profile::Breakdown::idle);
}

}  // namespace orrery::present
