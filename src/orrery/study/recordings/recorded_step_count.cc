// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/recordings/recorded_step_count.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/analysis/workload/rank_structure.h"

namespace orrery::study {

Result<void> check_step_count(std::int64_t asked) {
  constexpr std::int64_t kMost = 1'000'000;
  if (asked >= 0 && asked <= kMost) return {};
  return fail(Errc::usage, "--steps",
              fmt::format("give 1 to {}, or 0 to detect the number", kMost));
}

std::int64_t step_count(const graph::Workload& workload, std::int64_t asked) {
  if (asked > 0) return asked;
  return std::max<std::int64_t>(1, analysis::structure(workload.graph(0)).steps);
}

}  // namespace orrery::study
