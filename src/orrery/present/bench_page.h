// SPDX-License-Identifier: Apache-2.0
//
// A recording beside its replay as a web page.
#pragma once

#include "orrery/present/bench_text.h"
#include "orrery/report/html_replay.h"

namespace orrery::present {

/// `benchmark` was played.
[[nodiscard]] report::PageReplay bench_page(const Benchmark& benchmark);

}  // namespace orrery::present
