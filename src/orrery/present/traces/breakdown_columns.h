// SPDX-License-Identifier: Apache-2.0
//
// Columns of the parts of a recorded or simulated step.
#pragma once

#include "orrery/profile/inspection/inspection.h"
#include "orrery/report/answer/columns.h"

namespace orrery::present {

/// A part of the length: a time for programs, a share for people.
void add_share(report::Columns<profile::Breakdown>& columns, const char* title, const char* key,
               Time profile::Breakdown::*part);

/// Compute, overlap, exposed communication, copies, idle time.
void add_shares(report::Columns<profile::Breakdown>& columns);

}  // namespace orrery::present
