// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orrery/analysis/metrics/run_digest.h"
#include "orrery/report/terminal_text.h"

namespace orrery::present {

/// The lines of a digest, from its step time to which models made it. `all`: every kind of
/// communication.
void add_digest(report::Sheet& sheet, const analysis::Digest& digest, report::Style style,
                bool all);

}  // namespace orrery::present
