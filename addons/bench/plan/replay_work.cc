// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/plan/replay_work.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace orrery::bench {
namespace {

bool is_convolution(std::string_view name) {
  return name.find("convolution") != std::string_view::npos || name == "aten::conv2d" ||
         name == "aten::conv1d";
}

double elements(const TensorSpec& spec) {
  return static_cast<double>(elements_of(spec).value_or(0));
}

/// The operations of a matrix product or a convolution; otherwise 0.
double flops_of(const ReplayPlan& plan, const ReplayStep& step) {
  if (step.kind != ReplayStep::Kind::call || step.outputs.empty()) return 0;
  std::string_view name = plan.operations[step.operation];
  name = name.substr(0, name.find('.'));
  const auto spec = [&](std::size_t argument) -> const TensorSpec* {
    if (argument >= step.arguments.size()) return nullptr;
    const Value& value = step.arguments[argument];
    return value.kind == Value::Kind::tensor ? &plan.info[value.slot].spec : nullptr;
  };
  const double made = elements(step.outputs.front().spec);
  if (name == "aten::convolution_backward") {
    const TensorSpec *gradient = spec(0), *weight = spec(2);
    if (gradient == nullptr || weight == nullptr || weight->sizes.empty()) return 0;
    return 4 * elements(*gradient) * elements(*weight) /
           static_cast<double>(std::max<std::int64_t>(weight->sizes[0], 1));
  }
  if (is_convolution(name)) {
    const TensorSpec* const weight = spec(1);
    if (weight == nullptr || weight->sizes.empty()) return 0;
    return 2 * made * elements(*weight) /
           static_cast<double>(std::max<std::int64_t>(weight->sizes[0], 1));
  }
  static constexpr std::array<std::pair<std::string_view, std::size_t>, 6> kProducts = {
      {{"aten::mm", 0},
       {"aten::bmm", 0},
       {"aten::matmul", 0},
       {"aten::linear", 0},
       {"aten::addmm", 1},
       {"aten::baddbmm", 1}}};
  for (const auto& [product, left] : kProducts) {
    const TensorSpec* const factor = name == product ? spec(left) : nullptr;
    if (factor != nullptr && !factor->sizes.empty())
      return 2 * made * static_cast<double>(factor->sizes.back());
  }
  return 0;
}

}  // namespace

PlanWork work_of(const ReplayPlan& plan) {
  PlanWork work;
  for (const ReplayStep& step : plan.steps) {
    if (step.kind == ReplayStep::Kind::view) continue;
    for (const Value& value : step.arguments)
      for_each_slot(value, [&](Slot slot) {
        work.bytes += static_cast<double>(bytes_of(plan.info[slot].spec).value_or(0));
      });
    for (const Output& output : step.outputs)
      work.bytes += static_cast<double>(bytes_of(output.spec).value_or(0));
    work.flops += flops_of(plan, step) + step.flops;
  }
  return work;
}

WorkRatio work_ratio(const PlanWork& changed, const PlanWork& original) {
  const auto over = [](double now, double before) { return before > 0 ? now / before : 1; };
  return {over(changed.bytes, original.bytes), over(changed.flops, original.flops)};
}

}  // namespace orrery::bench
