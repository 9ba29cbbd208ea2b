// SPDX-License-Identifier: Apache-2.0
//
// For tests of sizes: plans, and trials that accept or reject sizes.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "addons/bench/planner/bench_testing.h"
#include "addons/bench/sizes/plan_obfuscation.h"

namespace orrery::bench {

inline constexpr std::int64_t kPlenty = std::int64_t{1} << 40;
inline constexpr std::string_view kView = "aten::view(Tensor(a) self, SymInt[] size) -> Tensor(a)";
inline constexpr std::string_view kCat = "aten::cat(Tensor[] tensors, int dim=0) -> Tensor";

inline FakeOperators with_views() {
  return FakeOperators({{std::string(kRelu), true, false},
                        {std::string(kAddmm), true, false},
                        {std::string(kEmbedding), true, false},
                        {std::string(kCat), true, false},
                        {std::string(kView), true, false}});
}

/// A plan: [200,240] × [240,400], viewed as [200,2,200], then relu.
inline Result<ReplayPlan> product_and_view() {
  const NodeLine addmm{
      5,
      "aten::addmm",
      kAddmm,
      "[" + tensor(1, 1, 400) + "," + tensor(2, 2, 48000) + "," + tensor(3, 3, 96000) + ",1,1]",
      "[[400],[200,240],[240,400],[],[]]",
      R"j(["Tensor(float)","Tensor(float)","Tensor(float)","Int","Int"])j",
      "[" + tensor(4, 4, 80000) + "]",
      "[[200,400]]",
      R"j(["Tensor(float)"])j"};
  const NodeLine view{6,
                      "aten::view",
                      kView,
                      "[" + tensor(4, 4, 80000) + ",[200,2,200]]",
                      "[[200,400],[[],[],[]]]",
                      R"j(["Tensor(float)","GenericList[Int,Int,Int]"])j",
                      "[" + tensor(5, 4, 80000) + "]",
                      "[[200,2,200]]",
                      R"j(["Tensor(float)"])j"};
  NodeLine relu = relu_node(7, 5, 4, 6, 6);
  relu.input_shapes = relu.output_shapes = "[[200,2,200]]";
  return plan_of({addmm, view, relu}, with_views());
}

/// A trial in which the steps that `good` rejects fail.
inline Trial agreeing(const std::function<bool(const ReplayStep&)>& good) {
  return [good](const ReplayPlan& plan) -> Result<std::vector<bool>> {
    std::vector<bool> bad;
    for (const ReplayStep& step : plan.steps) bad.push_back(!good(step));
    return bad;
  };
}

}  // namespace orrery::bench
