// SPDX-License-Identifier: Apache-2.0
//
// What lies in remote memory, and is moved when it is used.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orrery/workload/assembly/data_parallel_testing.h"

namespace orrery::workload {
namespace {

using graph::NodeKind;
using testing::Contains;
using testing::Not;

using namespace data_tests;  // NOLINT(google-build-using-namespace)

std::int64_t moved(const std::vector<Node>& nodes, NodeKind kind, const std::string& prefix) {
  std::int64_t total = 0;
  for (const Node& node : nodes_named(nodes, prefix)) {
    EXPECT_EQ(node.kind, kind) << node.label;
    total += node.work.tensor_size.count();
  }
  return total;
}

// Moments and fp32 weights of a quarter of all elements, there and back; two pieces at a time.
TEST(Offload, TheOptimizersStateComesInPieces) {
  for (const Sharding sharding : {Sharding::none, Sharding::zero1, Sharding::zero3}) {
    Spec spec = small(4, sharding);
    const auto plain = nodes_of(program_of(spec), 0);
    spec.offload.optimizer = true;
    spec.offload.piece = Bytes(3000);
    const auto nodes = nodes_of(program_of(spec), 0);
    const std::int64_t held = sharding == Sharding::none ? kWeights : kWeights / 4;
    EXPECT_EQ(moved(nodes, NodeKind::mem_load, "optimizer.load"), 12 * held);
    EXPECT_EQ(moved(nodes, NodeKind::mem_store, "optimizer.store"), 12 * held);
    const auto loads = nodes_named(nodes, "optimizer.load"),
               stores = nodes_named(nodes, "optimizer.store");
    ASSERT_EQ(loads.size(), static_cast<std::size_t>((12 * held + 2999) / 3000));
    ASSERT_EQ(stores.size(), loads.size());
    std::vector<Node> updates;
    for (const Node& node : nodes_named(nodes, "optimizer"))
      if (node.kind == NodeKind::comp) updates.push_back(node);
    ASSERT_EQ(updates.size(), loads.size());
    std::int64_t operations = 0;
    for (std::size_t i = 0; i < loads.size(); ++i) {
      EXPECT_LE(loads[i].work.tensor_size.count(), 3000);
      EXPECT_THAT(updates[i].deps, Contains(loads[i].id)) << i;
      EXPECT_THAT(stores[i].deps, Contains(updates[i].id)) << i;
      if (i >= 2) {
        EXPECT_THAT(loads[i].deps, Contains(stores[i - 2].id)) << "room for two";
      }
      operations += updates[i].work.num_ops;
    }
    EXPECT_EQ(operations, node_named(plain, "optimizer").work.num_ops);
  }
}

// Two bytes of each weight before each pass, four of each gradient after; at the end all gradients
// come and all weights go.
TEST(Offload, ShardsAreLoadedAndStored) {
  for (const std::int64_t prefetch : {0, 1, 2}) {
    Spec spec = small(4, Sharding::zero3);
    spec.parallel.prefetch = prefetch;
    spec.offload.weights = true;
    const auto nodes = nodes_of(program_of(spec), 0);
    const std::int64_t shards = kWeights / 4;
    EXPECT_EQ(moved(nodes, NodeKind::mem_load, "weights.load"), 2 * 2 * 2 * shards)
        << "two microbatches, two passes";
    EXPECT_EQ(moved(nodes, NodeKind::mem_store, "gradients.store"), 2 * 4 * shards);
    EXPECT_EQ(moved(nodes, NodeKind::mem_load, "optimizer.load"), 4 * shards);
    EXPECT_EQ(moved(nodes, NodeKind::mem_store, "optimizer.store"), 2 * shards);
    const auto gathers = nodes_named(nodes, "weights.gather"),
               loads = nodes_named(nodes, "weights.load");
    ASSERT_EQ(gathers.size(), loads.size());
    for (std::size_t i = 0; i < loads.size(); ++i)
      EXPECT_THAT(gathers[i].deps, Contains(loads[i].id)) << loads[i].label;
    const auto sums = nodes_named(nodes, "gradients.scatter"),
               stores = nodes_named(nodes, "gradients.store");
    ASSERT_EQ(sums.size(), stores.size());
    for (std::size_t i = 0; i < sums.size(); ++i) EXPECT_THAT(stores[i].deps, Contains(sums[i].id));
    EXPECT_THAT(nodes_named(nodes, "optimizer.load").front().deps, Contains(sums.back().id));
  }
}

// Plain SGD on fp32 weights keeps nothing, so nothing comes.
TEST(Offload, NoStateIsNotMoved) {
  Spec spec = small(4, Sharding::zero1);
  spec.optimizer.kind = OptimizerKind::sgd;
  spec.precision.weights = Dtype::fp32;
  spec.offload.optimizer = true;
  const auto nodes = nodes_of(program_of(spec), 0);
  EXPECT_TRUE(nodes_named(nodes, "optimizer.load").empty());
  EXPECT_EQ(nodes_named(nodes, "optimizer").size(), 1u);
}

// Experts that no other rank has stay where they are.
TEST(Offload, WhatNobodySharesStays) {
  Spec spec = small(4, Sharding::zero3);
  spec.model.moe.emplace();
  spec.parallel.ep = 4;
  spec.offload.weights = true;
  const auto nodes = nodes_of(program_of(spec), 0);
  EXPECT_EQ(moved(nodes, NodeKind::mem_load, "weights.load"), 2 * 2 * 2 * kWeights / 4);
}

// Whole layers come and go, once for all; no collective gathers or reduces them.
TEST(Offload, SwitchesGatherAndReduce) {
  for (const std::int64_t prefetch : {0, 1, 2}) {
    Spec spec = small(4, Sharding::zero3);
    spec.parallel.prefetch = prefetch;
    spec.offload.weights = spec.offload.in_switch = true;
    const auto nodes = nodes_of(program_of(spec), 0);
    EXPECT_TRUE(collectives(nodes).empty());
    EXPECT_EQ(moved(nodes, NodeKind::mem_load, "weights.load"), 2 * 2 * 2 * kWeights);
    EXPECT_EQ(moved(nodes, NodeKind::mem_store, "gradients.store"), 2 * 4 * kWeights);
    for (const Node& node : nodes_named(nodes, "weights.load")) EXPECT_EQ(node.work.num_ops, 4);
    for (const Node& node : nodes_named(nodes, "optimizer.load")) EXPECT_EQ(node.work.num_ops, 1);
    const auto loads = nodes_named(nodes, "weights.load");
    const Node& second = node_named(nodes, "forward L1 mb0");
    // The third load: of the table, of the first layer, of this one.
    EXPECT_THAT(second.deps, Contains(loads[2].id)) << prefetch;
    EXPECT_THAT(nodes_named(nodes, "optimizer.load").front().deps,
                Contains(nodes_named(nodes, "gradients.store").back().id));
  }
}

std::int64_t kept_by_a_layer(const Program& program) {
  std::int64_t retained = 0;
  for (const Part& part : program.parts) {
    if (!part.is_layer || part.offloaded > 0) continue;
    for (const RetainedTensor& item : part.retained) retained += item.bytes;
  }
  return retained;
}

// What the first layers keep goes behind their forward pass, and comes before their backward pass.
TEST(Offload, ActivationsAreStoredAndLoaded) {
  for (const std::int64_t layers : {1, 2, 3, 100}) {
    Spec spec = small(2, Sharding::none);
    spec.model.layers = 3;
    const std::int64_t each = kept_by_a_layer(program_of(spec));
    ASSERT_GT(each, 0);
    spec.offload.activations = layers;
    const auto nodes = nodes_of(program_of(spec), 0);
    const std::int64_t offloaded = std::min<std::int64_t>(layers, 3);
    EXPECT_EQ(moved(nodes, NodeKind::mem_store, "activations.store"), 2 * offloaded * each);
    EXPECT_EQ(moved(nodes, NodeKind::mem_load, "activations.load"), 2 * offloaded * each);
    const auto stores = nodes_named(nodes, "activations.store"),
               loads = nodes_named(nodes, "activations.load");
    ASSERT_EQ(stores.size(), static_cast<std::size_t>(2 * offloaded)) << "two microbatches";
    ASSERT_EQ(loads.size(), stores.size());
    // All stores of the microbatch come first.
    EXPECT_THAT(loads.front().deps, Contains(stores[static_cast<std::size_t>(offloaded) - 1].id));
    if (layers < 3) continue;
    // The third layer begins when those of the first are away, whatever the second's do.
    const Node& third = node_named(nodes, "forward L2 mb0");
    EXPECT_THAT(third.deps, Contains(stores[0].id));
    EXPECT_THAT(third.deps, Not(Contains(stores[1].id)));
    // Backward, the last layer's come first; the second's come while it is at work.
    EXPECT_THAT(node_named(nodes, "dgrad L2 mb0").deps, Contains(loads[0].id));
    EXPECT_THAT(node_named(nodes, "dgrad L1 mb0").deps, Contains(loads[1].id));
    EXPECT_THAT(node_named(nodes, "dgrad L2 mb0").deps, Not(Contains(loads[1].id)));
  }
}

// So many layers' are on their way: the one that comes after these waits, and loads begin so early.
TEST(Offload, WindowsHoldSoManyLayers) {
  for (const std::int64_t window : {1, 2, 3, 4}) {
    Spec spec = small(2, Sharding::none);
    spec.model.layers = 7;
    spec.offload.activations = 7;
    spec.offload.window = window;
    const auto nodes = nodes_of(program_of(spec), 0);
    const auto stores = nodes_named(nodes, "activations.store"),
               loads = nodes_named(nodes, "activations.load");
    ASSERT_EQ(stores.size(), 14u) << "two microbatches";
    ASSERT_EQ(loads.size(), 14u);
    const auto layer = [&](const char* pass, std::size_t number) {
      return node_named(nodes, fmt::format("{} L{} mb0", pass, number));
    };
    for (std::size_t i = 0; i < 7; ++i) {
      const auto early = static_cast<std::size_t>(window) + 1;
      for (std::size_t other = 0; other < i; ++other)
        if (other + early == i) {
          EXPECT_THAT(layer("forward", i).deps, Contains(stores[other].id)) << i;
        } else if (other + early > i) {
          EXPECT_THAT(layer("forward", i).deps, Not(Contains(stores[other].id))) << i;
        }
      // Backward, the last layer comes first.
      const Node& back = layer("dgrad", 6 - i);
      EXPECT_THAT(back.deps, Contains(loads[i].id));
      if (i + 1 < 7) {
        EXPECT_THAT(back.deps, Not(Contains(loads[i + 1].id)));
      }
      // It begins when the layer before all those on their way has ended.
      if (i < early) continue;
      EXPECT_THAT(loads[i].deps, Contains(layer("wgrad", 6 - (i - early)).id)) << i;
    }
  }
}

// Weights that lie there, too, do not make a layer wait for the weights of the next one.
TEST(Offload, ActivationsWaitForNoWeights) {
  Spec spec = small(4, Sharding::zero3);
  spec.model.layers = 3;
  spec.offload.activations = 3;
  spec.offload.weights = true;
  const auto nodes = nodes_of(program_of(spec), 0);
  const auto weights = nodes_named(nodes, "weights.load");
  const Node& back = node_named(nodes, "dgrad L1 mb0");
  const auto loads = nodes_named(nodes, "activations.load");
  ASSERT_GT(loads.size(), 1u);
  const Node& loaded = loads[1];
  EXPECT_THAT(back.deps, Contains(loaded.id));
  for (const Node& load : weights)
    if (load.id > loaded.id) {
      EXPECT_THAT(back.deps, Not(Contains(load.id)));
    }
}

// Whatever else is gathered, reduced, sent or computed again: what has been stored is loaded.
TEST(Offload, ActivationsComeBackInEveryPlan) {
  for (const ScheduleKind kind :
       {ScheduleKind::gpipe, ScheduleKind::one_f_one_b, ScheduleKind::interleaved,
        ScheduleKind::zb_h1, ScheduleKind::zb_v, ScheduleKind::dual_pipe}) {
    for (const Sharding sharding : {Sharding::none, Sharding::zero1, Sharding::zero3}) {
      for (const RecomputeKind recompute : {RecomputeKind::none, RecomputeKind::full}) {
        for (const bool overlap : {true, false}) {
          for (const std::int64_t layers : {1, 2, 4}) {
            Spec spec = small(2, sharding);
            spec.model.layers = 8;
            spec.parallel.pp = 2;
            spec.schedule.kind = kind;
            const bool two = kind == ScheduleKind::interleaved || kind == ScheduleKind::zb_v ||
                             kind == ScheduleKind::dual_pipe;
            spec.schedule.chunks = two ? 2 : 1;
            spec.schedule.overlap = overlap;
            spec.recompute.kind = recompute;
            spec.batch.global = 8;
            spec.offload.activations = layers;
            spec.offload.window = 1 + layers % 3;
            spec.offload.weights = sharding == Sharding::zero3;
            const Program program = program_of(spec);
            for (std::uint32_t role = 0; role < 2; ++role) {
              const auto nodes = nodes_of(program, role);
              const std::int64_t stored = moved(nodes, NodeKind::mem_store, "activations.store");
              EXPECT_GT(stored, 0);
              EXPECT_EQ(moved(nodes, NodeKind::mem_load, "activations.load"), stored);
            }
          }
        }
      }
    }
  }
}

TEST(Offload, WithoutItNothingIsMoved) {
  for (const Node& node : nodes_of(program_of(small(4, Sharding::zero3)), 0)) {
    EXPECT_NE(node.kind, NodeKind::mem_load);
    EXPECT_NE(node.kind, NodeKind::mem_store);
  }
}

// One thing after another, where nothing overlaps.
TEST(Offload, TakesTurnsWhereNothingOverlaps) {
  Spec spec = small(4, Sharding::zero3);
  spec.schedule.overlap = false;
  spec.offload.weights = spec.offload.optimizer = true;
  const auto nodes = nodes_of(program_of(spec), 0);
  for (std::size_t i = 1; i < nodes.size(); ++i)
    EXPECT_THAT(nodes[i].deps, Contains(nodes[i - 1].id)) << nodes[i].label;
}

}  // namespace
}  // namespace orrery::workload
