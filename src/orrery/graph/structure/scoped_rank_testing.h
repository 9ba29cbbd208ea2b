// SPDX-License-Identifier: Apache-2.0
//
// A rank of named layers, for tests.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "orrery/graph/builder.h"

namespace orrery::graph {

/// A chain of work nodes with scopes. The nodes have no kernel, so that only the name determines
/// the class of a node.
class ScopedRank {
 public:
  void add(const std::string& name, const StepScope& scope) {
    NodeSpec node;
    node.id = ++last_;
    node.kind = NodeKind::comp;
    node.name = builder_.strings().intern(name);
    node.duration = us(1);
    node.scope = scope;
    if (last_ > 1) node.deps = {last_ - 1};
    builder_.add(node);
  }
  /// One pass through `layers` layers: two labeled nodes per layer, one unlabeled node between them
  /// and one before the next layer. `first`: an additional node in layer 0.
  void pass(std::int32_t step, std::int32_t layers, StepPhase phase,
            const std::string& first = "") {
    for (std::int32_t i = 0; i < layers; ++i) {
      const std::int32_t layer = phase == StepPhase::forward ? i : layers - 1 - i;
      const std::string of = phase == StepPhase::forward ? "" : "d ";
      add(of + "norm", {step, layer, phase});
      if (layer == 0 && !first.empty()) add(of + first, {step, layer, phase});
      add(of + "norm", {step, -1, phase});
      add(of + "product", {step, layer, phase});
      add(of + "residual", {step, -1, phase});
    }
  }
  Graph graph() {
    Findings findings;
    auto made = std::move(builder_).finish(findings);
    EXPECT_TRUE(made.has_value());
    return *std::move(made);
  }

 private:
  GraphBuilder builder_{"rank", std::make_shared<StringPool>(), Repair::refuse};
  std::uint64_t last_ = 0;
};

}  // namespace orrery::graph
