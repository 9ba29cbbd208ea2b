// SPDX-License-Identifier: Apache-2.0
#include "orrery/analysis/metrics/widest_term.h"

#include <fmt/format.h>

#include <string_view>

#include "orrery/analysis/metrics/prediction_interval.h"
#include "orrery/core/text/text.h"

namespace orrery::analysis {

std::string widest_term_text(std::span<const result::ErrorClass> classes, Time step) {
  const auto interval = step_interval(classes, step);
  if (!interval) return "";
  const auto share = [&](Time time) {
    return static_cast<double>(time.count()) / static_cast<double>(step.count());
  };
  std::string_view name = "parts without a known error";
  double lower = 0, upper = share(interval->unknown) * kUnknownError.upper;
  for (const result::ErrorClass& one : classes) {
    if (!one.off || share(one.off->upper - one.off->lower) <= upper - lower) continue;
    name = one.name;
    lower = share(one.off->lower);
    upper = share(one.off->upper);
  }
  return fmt::format("{} ({:+.0f} to {:+.0f} % of the step)", printable(name), 100 * lower,
                     100 * upper);
}

}  // namespace orrery::analysis
