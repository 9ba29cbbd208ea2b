// SPDX-License-Identifier: Apache-2.0
//
// A recording and its replay as a web page.
#pragma once

#include "addons/bench/text/bench_answer.h"
#include "orrery/report/html/replay_page.h"

namespace orrery::present {

/// `benchmark` has been replayed.
[[nodiscard]] report::PageReplay bench_page(const Benchmark& benchmark);

}  // namespace orrery::present
