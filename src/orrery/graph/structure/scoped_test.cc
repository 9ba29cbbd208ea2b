// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/structure/scoped.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "orrery/graph/builder.h"
#include "orrery/graph/structure/fold.h"
#include "orrery/graph/transform/reshape.h"

namespace orrery::graph {
namespace {

/// Works one after another with scopes; what they are called says what they are.
class Rank {
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
  /// Two works a layer, and one between them and the next.
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

Loops loops_of(const Graph& graph) {
  NodeSymbols symbols(graph);
  const Spine spine = graph::spine(graph, symbols);
  return find_loops(graph, spine, fold_repeats(spine.symbols));
}

TEST(Scoped, NamedLayersOfEveryPassAndStep) {
  Rank rank;
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
  EXPECT_FALSE(loops.uneven);
  ASSERT_EQ(loops.layers.size(), 12u);
  EXPECT_EQ(loops.layers[0].first, 1u);  // where the first layer begins, not somewhere in it
  EXPECT_EQ(loops.layers[0].period, 4u);
  EXPECT_TRUE(loops.layers[1].passes.backward);
}

// Without names the two norms of a layer would be one layer each if nothing else stood between.
TEST(Scoped, PartsOfALayerThatAreAlikeAreNoLayers) {
  Rank rank;
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

TEST(Scoped, TheFirstLayerMayBeOther) {
  Rank rank;
  rank.pass(0, 6, StepPhase::forward, "mask");
  rank.pass(0, 6, StepPhase::backward, "mask");
  const Loops loops = loops_of(rank.graph());
  EXPECT_EQ(loops.named_layers, 6u);
  EXPECT_EQ(loops.layer_count, 5u);
  EXPECT_EQ(loops.layers.size(), 2u);
}

TEST(Scoped, LayersThatAreNotAlikeAreNotMadeMore) {
  Rank rank;
  const char* const kinds[] = {"a", "b", "c", "d", "e"};
  for (std::int32_t layer = 0; layer < 5; ++layer)
    rank.add(kinds[layer], {0, layer, StepPhase::forward});
  const Loops loops = loops_of(rank.graph());
  EXPECT_EQ(loops.named_layers, 0u);
  EXPECT_TRUE(loops.layers.empty());
}

// Three steps of a model in which nothing repeats: what repeats is steps.
TEST(Scoped, StepsAreNoLayers) {
  for (const StepPhase last : {StepPhase::optimizer, StepPhase::unsaid}) {
    Rank rank;
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

TEST(Scoped, MoreLayersAreThoseOfALongerModel) {
  const auto model = [](std::int32_t layers) {
    Rank rank;
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
  EXPECT_EQ(found_shape(model(4)).layers, 4u);
  EXPECT_EQ(found_shape(model(4)).microbatches, 1u);
  for (const std::uint32_t to : {3u, 9u}) {
    Findings findings;
    const auto made = reshaped(model(4), {.layers = to}, {}, findings);
    ASSERT_TRUE(made.has_value()) << made.error().what;
    const Workload other = model(static_cast<std::int32_t>(to));
    ASSERT_EQ(made->graph(0).size(), other.graph(0).size());
    for (NodeId n = 0; n < other.graph(0).size(); ++n) {
      EXPECT_EQ(made->graph(0).name(n), other.graph(0).name(n));
      EXPECT_EQ(made->graph(0).scope(n).phase, other.graph(0).scope(n).phase);
      EXPECT_EQ(made->graph(0).scope(n).layer, -1);  // they would be others' numbers
    }
    EXPECT_EQ(found_shape(*made).layers, to);
  }
}

}  // namespace
}  // namespace orrery::graph
