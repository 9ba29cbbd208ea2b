// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/structure/scope_loops.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "orrery/graph/structure/repeat_folding.h"
#include "orrery/graph/structure/scoped_rank_testing.h"

namespace orrery::graph {
namespace {

Loops loops_of(const Graph& graph) {
  NodeClasses symbols(graph);
  const Spine spine = graph::spine(graph, symbols);
  return find_loops(graph, spine, fold_repeats(spine.symbols));
}

TEST(NamedLoops, NamedLayersOfEveryPassAndStep) {
  ScopedRank rank;
  for (std::int32_t step = 0; step < 2; ++step) {
    for (std::int32_t microbatch = 0; microbatch < 3; ++microbatch) {
      rank.add("embedding", {step, -1, StepPhase::forward});
      rank.pass(step, 4, StepPhase::forward);
      rank.add("loss", {step, -1, StepPhase::forward});
      rank.pass(step, 4, StepPhase::backward);
    }
    rank.add("adam", {step, -1, StepPhase::optimizer});
  }
  const Loops loops = loops_of(rank.graph());
  EXPECT_EQ(loops.named_layers, 4u);
  EXPECT_EQ(loops.layer_count, 4u);
  EXPECT_EQ(loops.steps, 2u);
  EXPECT_EQ(loops.forwards, 3u);
  EXPECT_FALSE(loops.is_uneven);
  ASSERT_EQ(loops.layers.size(), 12u);
  EXPECT_EQ(loops.layers[0].first, 1u);  // where the first layer begins, not somewhere in it
  EXPECT_EQ(loops.layers[0].period, 4u);
  EXPECT_TRUE(loops.layers[1].passes.backward);
}

// Without names the two norms of a layer would be one layer each if nothing else stood between.
TEST(NamedLoops, PartsOfALayerThatAreAlikeAreNoLayers) {
  ScopedRank rank;
  for (std::int32_t layer = 0; layer < 5; ++layer)
    for (int part = 0; part < 2; ++part) {
      rank.add("attention", {0, layer, StepPhase::forward});
      rank.add("product", {0, layer, StepPhase::forward});
    }
  const Loops loops = loops_of(rank.graph());
  EXPECT_EQ(loops.named_layers, 5u);
  EXPECT_EQ(loops.layer_count, 5u);
  ASSERT_EQ(loops.layers.size(), 1u);
  EXPECT_EQ(loops.layers[0].period, 4u);
}

TEST(NamedLoops, TheFirstLayerMayBeOther) {
  ScopedRank rank;
  rank.pass(0, 6, StepPhase::forward, "mask");
  rank.pass(0, 6, StepPhase::backward, "mask");
  const Loops loops = loops_of(rank.graph());
  EXPECT_EQ(loops.named_layers, 6u);
  EXPECT_EQ(loops.layer_count, 5u);
  EXPECT_EQ(loops.layers.size(), 2u);
}

TEST(NamedLoops, LayersThatAreNotAlikeAreNotMadeMore) {
  ScopedRank rank;
  const char* const kinds[] = {"a", "b", "c", "d", "e"};
  for (std::int32_t layer = 0; layer < 5; ++layer)
    rank.add(kinds[layer], {0, layer, StepPhase::forward});
  const Loops loops = loops_of(rank.graph());
  EXPECT_EQ(loops.named_layers, 0u);
  EXPECT_TRUE(loops.layers.empty());
}

// Three steps of a model in which nothing repeats: what repeats is steps.
TEST(NamedLoops, StepsAreNoLayers) {
  for (const StepPhase last : {StepPhase::optimizer, StepPhase::unsaid}) {
    ScopedRank rank;
    for (std::int32_t step = 4; step < 7; ++step) {
      for (const char* const name : {"a", "b", "c"}) rank.add(name, {step, -1, StepPhase::forward});
      for (const char* const name : {"dc", "db", "da"})
        rank.add(name, {step, -1, StepPhase::backward});
      rank.add("update", {step, -1, last});
    }
    const Loops loops = loops_of(rank.graph());
    EXPECT_TRUE(loops.layers.empty());
    EXPECT_EQ(loops.steps, 3u);
    EXPECT_EQ(loops.forwards, 1u);
  }
}

}  // namespace
}  // namespace orrery::graph
