// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/whatif/operator_change.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/text/suggest.h"
#include "orrery/core/text/text.h"
#include "orrery/study/kernels/steps/operator_times.h"

namespace orrery::study {

namespace {

tl::unexpected<Error> no_operator(const Change& change, const workload::Program& program) {
  const std::vector<std::string> operators = operators_of(program);
  const std::vector<std::string_view> names(operators.begin(), operators.end());
  const std::string near = did_you_mean(changed_operator(change), names);
  return fail(
      Errc::usage, "--change " + change.text,
      fmt::format("the model has no operator {}", in_quotes(changed_operator(change))),
      near.empty() ? fmt::format("its operators are {}", fmt::join(operators, ", ")) : near);
}

}  // namespace

Result<void> change_operators(std::span<const Change> changes, const workload::Program& program,
                              platform::Platform& platform) {
  for (const Change& change : changes) {
    if (changed_operator(change).empty()) continue;
    const auto kernels = kernels_of_operator(program, changed_operator(change));
    if (kernels.empty()) return no_operator(change, program);
    for (const graph::Kernel& kernel : kernels)
      platform.device.changes.push_back({graph::to_text(kernel), change.factor});
  }
  return {};
}

}  // namespace orrery::study
