// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/reshape/reshape.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>

#include "orrery/graph/structure/scoped_rank_testing.h"

namespace orrery::graph {
namespace {

TEST(Reshape, MoreNamedLayersAreThoseOfALongerModel) {
  const auto model = [](std::int32_t layers) {
    ScopedRank rank;
    for (std::int32_t step = 0; step < 2; ++step) {
      rank.pass(step, layers, StepPhase::forward);
      rank.add("loss", {step, -1, StepPhase::forward});
      rank.pass(step, layers, StepPhase::backward);
      rank.add("adam", {step, -1, StepPhase::optimizer});
    }
    Workload made;
    made.graphs = {std::make_shared<const Graph>(rank.graph())};
    made.graph_of_rank = {0};
    return made;
  };
  EXPECT_EQ(detect_shape(model(4)).layers, 4u);
  EXPECT_EQ(detect_shape(model(4)).microbatches, 1u);
  for (const std::uint32_t to : {3u, 9u}) {
    Findings findings;
    const auto made = reshape(model(4), {.layers = to}, {}, findings);
    ASSERT_TRUE(made.has_value()) << made.error().what;
    const Workload other = model(static_cast<std::int32_t>(to));
    ASSERT_EQ(made->graph(0).size(), other.graph(0).size());
    for (NodeId n = 0; n < other.graph(0).size(); ++n) {
      EXPECT_EQ(made->graph(0).name(n), other.graph(0).name(n));
      EXPECT_EQ(made->graph(0).scope(n).phase, other.graph(0).scope(n).phase);
      EXPECT_EQ(made->graph(0).scope(n).layer, -1);  // they would be others' numbers
    }
    EXPECT_EQ(detect_shape(*made).layers, to);
  }
}

}  // namespace
}  // namespace orrery::graph
