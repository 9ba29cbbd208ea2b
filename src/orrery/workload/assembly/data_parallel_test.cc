// SPDX-License-Identifier: Apache-2.0
//
// What ranks with the same weights do together, and the step after the last microbatch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orrery/workload/assembly/data_parallel_testing.h"

namespace orrery::workload {
namespace {

using graph::CollectiveType;
using graph::NodeKind;
using testing::ElementsAre;

using namespace data_tests;  // NOLINT(google-build-using-namespace)

TEST(AssembleData, GradientsAreSummedOnceInTheLastBackward) {
  const std::vector<Node> nodes = nodes_of(program_of(small(4)), 0);
  EXPECT_EQ(bytes_of(nodes, CollectiveType::all_reduce, "dp"), 4 * kWeights);
  EXPECT_THAT(
      labels(collectives(nodes)),
      ElementsAre("gradients.reduce mb1", "gradients.reduce L3 mb1", "gradients.reduce L2 mb1",
                  "gradients.reduce L1 mb1", "gradients.reduce L0 mb1", "gradients.reduce mb1"));
}

TEST(AssembleData, GradientsAreSentAsTheyAreReduced) {
  Spec spec = small(4);
  spec.precision.reduce = Dtype::bf16;
  EXPECT_EQ(bytes_of(nodes_of(program_of(spec), 0), CollectiveType::all_reduce, "dp"),
            2 * kWeights);
}

// 8 + 624 elements are more than 2500 bytes; so are two layers more than 4000.
TEST(AssembleData, BucketsAreFilledFirst) {
  Spec spec = small(4);
  spec.parallel.bucket = Bytes(2500);
  EXPECT_THAT(
      labels(collectives(nodes_of(program_of(spec), 0))),
      ElementsAre("gradients.reduce L3 mb1", "gradients.reduce L1 mb1", "gradients.reduce mb1"));
  spec.parallel.bucket = Bytes(1 << 20);
  const std::vector<Node> all = collectives(nodes_of(program_of(spec), 0));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].collective.size.count(), 4 * kWeights);
}

/// As part_of, with two products that share its gradients 1 to 3.
Result<LoweredModel> lower_two_products(const Spec& spec, const Mesh& mesh, const Position& where) {
  Result<LoweredModel> model = lower_by_hand(spec, mesh, where);
  std::vector<Op>& backward = model->parts[1].backward;
  backward = {compute_of("dgrad", Phase::input_grad, 10),
              compute_of("first", Phase::weight_grad, 5),
              compute_of("second", Phase::weight_grad, 15)};
  return model;
}

// 624 elements of a layer: 156 after the first product, the rest after the second.
TEST(AssembleData, BucketsMayEndWithinALayer) {
  Spec spec = small(4, Sharding::zero1);
  const std::vector<Node> nodes = nodes_of(program_of(spec, lower_two_products), 0);
  const std::vector<Node> last = nodes_named(nodes, "gradients.scatter L3");
  ASSERT_EQ(last.size(), 2U);
  EXPECT_EQ(last[0].collective.size.count(), 4 * 156);
  EXPECT_EQ(last[1].collective.size.count(), 4 * 468);
  EXPECT_THAT(last[0].deps, testing::Contains(node_named(nodes, "first L3 mb1").id));
  EXPECT_THAT(last[1].deps, testing::Contains(node_named(nodes, "second L3 mb1").id));
  EXPECT_EQ(bytes_of(nodes, CollectiveType::reduce_scatter, "dp_shard"), 4 * kWeights);
  // 8 of the head and 156: below 700 bytes; with 468 more above. Then each layer's first product
  // leaves 156, and so on.
  spec.parallel.bucket = Bytes(700);
  const std::vector<Node> sums = collectives(nodes_of(program_of(spec, lower_two_products), 0));
  EXPECT_EQ(sums[0].label, "gradients.scatter L3 mb1");
  EXPECT_EQ(sums[0].collective.size.count(), 4 * (8 + 624));
  // Without a given bucket size a bucket ends with a layer.
  spec.parallel.bucket.reset();
  spec.precision.reduce = Dtype::fp32;
  EXPECT_EQ(collectives(nodes_of(program_of(spec, lower_two_products), 0)).size(), 1U + 1);
}

// Megatron: weights of a bucket come while the one before is used; nothing is left for the end.
TEST(AssembleData, NewWeightsAreGatheredInTheNextForwardPass) {
  Spec spec = small(4, Sharding::zero1, 3);
  spec.parallel.overlap_weights = true;
  const Program program = program_of(spec);
  const std::vector<Node> nodes = nodes_of(program, 0);
  EXPECT_THAT(
      labels(nodes_named(nodes, "weights.gather")),
      ElementsAre("weights.gather mb0", "weights.gather mb0", "weights.gather L0 mb0",
                  "weights.gather L1 mb0", "weights.gather L2 mb0", "weights.gather L3 mb0"));
  EXPECT_EQ(bytes_of(nodes, CollectiveType::all_gather, "dp_shard"), 2 * kWeights / 4);
  const std::vector<Node> gathers = nodes_named(nodes, "weights.gather");
  EXPECT_THAT(node_named(nodes, "forward L0 mb0").deps, testing::Contains(gathers[1].id));
  EXPECT_THAT(node_named(nodes, "forward L3 mb0").deps, testing::Contains(gathers[4].id));
  for (const Node& layer : nodes_named(nodes, "forward L1 mb1"))
    EXPECT_EQ(layer.deps.size(), 1U) << "later microbatches gather nothing";
  Machine ahead(program, 10);
  spec.parallel.overlap_weights = false;
  Machine late(program_of(spec), 10);
  ASSERT_TRUE(ahead.run() && late.run());
  // Two gathers before the first layer, four behind layers, instead of one at the end.
  EXPECT_EQ(ahead.finish(), late.finish() + 10);
  // In buckets of two layers: 8 + 624 + 624 elements are 5,024 bytes.
  spec.parallel.overlap_weights = true;
  spec.parallel.bucket = Bytes(5000);
  const std::vector<Node> fewer = nodes_named(nodes_of(program_of(spec), 0), "weights.gather");
  EXPECT_THAT(labels(fewer), ElementsAre("weights.gather mb0", "weights.gather mb0"));
  EXPECT_EQ(fewer[0].collective.size.count() + fewer[1].collective.size.count(), 2 * kWeights / 4);
}

// Chunks hand the gathering on; megatron has buckets in the first chunk of the first stage only.
TEST(AssembleData, ChunksGatherOneAfterAnother) {
  Spec spec = with_dp(spec_of(8, 2, 4), 4, Sharding::zero1);
  spec.schedule.kind = ScheduleKind::interleaved;
  spec.schedule.chunks = 2;
  spec.parallel.bucket = Bytes(1);
  spec.parallel.overlap_weights = true;
  Program program = program_of(spec);
  // Stage 0: embedding and layers 0, 1; layers 4, 5. The second chunk's first begins in layer 1.
  EXPECT_THAT(labels(nodes_named(nodes_of(program, 0), "weights.gather")),
              ElementsAre("weights.gather mb0", "weights.gather mb0", "weights.gather L0 mb0",
                          "weights.gather L1 mb0", "weights.gather L4 mb0"));
  Machine machine(program, 10);
  EXPECT_TRUE(machine.run());
  spec.kernels.framework = Framework::megatron;
  program = program_of(spec);
  EXPECT_THAT(labels(nodes_named(nodes_of(program, 0), "weights.gather")),
              ElementsAre("weights.gather mb0", "weights.gather mb0", "weights.gather L0 mb0",
                          "weights.gather L1 mb0"));
  EXPECT_THAT(labels(nodes_named(nodes_of(program, 1), "weights.gather")),
              ElementsAre("weights.gather mb0", "weights.gather L2 mb0"));
  EXPECT_EQ(collectives(nodes_of(program, 1)).size(), 4U);
}

// torch.distributed.pipelining: FSDP gathers in a chunk's first pass and reduces in its last.
TEST(AssembleData, FullyShardedStagesReduceOncePerStep) {
  Spec spec = with_dp(spec_of(4, 2, 4), 4, Sharding::zero3);
  const auto gathered = [&] {
    return bytes_of(nodes_of(program_of(spec), 0), CollectiveType::all_gather, "dp_shard");
  };
  const auto reduced = [&] {
    return bytes_of(nodes_of(program_of(spec), 0), CollectiveType::reduce_scatter, "dp_shard");
  };
  constexpr std::int64_t kStage = kTable + 2 * 624;
  EXPECT_EQ(gathered(), 4 * 2 * 2 * kStage / 4);
  EXPECT_EQ(reduced(), 4 * 4 * kStage);
  spec.kernels.framework = Framework::torchtitan;
  EXPECT_EQ(gathered(), 2 * kStage / 4);
  EXPECT_EQ(reduced(), 4 * kStage);
  Machine machine(program_of(spec), 10);
  EXPECT_TRUE(machine.run());
  spec.parallel.keep_gathered = false;  // reshard_after_forward: always
  EXPECT_EQ(gathered(), 4 * 2 * 2 * kStage / 4);
  EXPECT_EQ(reduced(), 4 * kStage);
  spec.parallel.reduce_once = false;
  EXPECT_EQ(reduced(), 4 * 4 * kStage);
}

TEST(AssembleData, BackwardPassesMayPrefetchLess) {
  Spec spec = small(2, Sharding::zero3, 1);
  spec.parallel.prefetch_backward = 0;
  Machine machine(program_of(spec), 10);
  ASSERT_TRUE(machine.run());
  spec.parallel.prefetch_backward.reset();
  Machine both(program_of(spec), 10);
  spec.parallel.prefetch = 0;
  Machine neither(program_of(spec), 10);
  ASSERT_TRUE(both.run() && neither.run());
  EXPECT_GT(machine.finish(), both.finish());
  EXPECT_GT(neither.finish(), machine.finish());
}

// Layers of 10 per half: the first gradients are on their way while other layers still compute.
TEST(AssembleData, SumsRunBesideTheBackwardPass) {
  Spec spec = small(2);
  Machine overlapped(program_of(spec), 15);
  spec.parallel.overlap_gradients = false;
  Machine after(program_of(spec), 15);
  ASSERT_TRUE(overlapped.run() && after.run());
  EXPECT_LT(overlapped.finish(), after.finish());
  const std::vector<Node>& nodes = after.nodes[0];
  EXPECT_THAT(labels(collectives(nodes)), testing::Each("gradients.reduce"));
  EXPECT_EQ(bytes_of(nodes, CollectiveType::all_reduce, "dp"), 4 * kWeights);
}

TEST(AssembleData, TheOptimizerWaitsForTheSums) {
  Machine machine(program_of(small(2)), 1000);
  ASSERT_TRUE(machine.run());
  const Node& update = node_named(machine.nodes[0], "optimizer");
  std::int64_t sums = 0;
  for (const Node& node : collectives(machine.nodes[0]))
    sums = std::max(sums, machine.end[0][node.id]);
  EXPECT_EQ(machine.end[0][update.id] - update.work.num_ops, sums);
}

TEST(AssembleData, Zero1ScattersGradientsAndGathersWeights) {
  const std::vector<Node> nodes = nodes_of(program_of(small(4, Sharding::zero1)), 0);
  EXPECT_EQ(bytes_of(nodes, CollectiveType::reduce_scatter, "dp_shard"), 4 * kWeights);
  EXPECT_EQ(bytes_of(nodes, CollectiveType::all_gather, "dp_shard"), 2 * kWeights / 4);
  EXPECT_EQ(bytes_of(nodes, CollectiveType::all_reduce, "dp"), 0);
  const Node& gather = node_named(nodes, "weights.gather");
  EXPECT_THAT(gather.deps, testing::Contains(node_named(nodes, "optimizer").id));
  EXPECT_EQ(node_named(nodes, "optimizer").work.num_ops, 13 * kWeights / 4);
}

TEST(AssembleData, Zero2ScattersInEveryMicrobatch) {
  const std::vector<Node> nodes = nodes_of(program_of(small(4, Sharding::zero2, 3)), 0);
  EXPECT_EQ(bytes_of(nodes, CollectiveType::reduce_scatter, "dp_shard"), 3 * 4 * kWeights);
  EXPECT_EQ(bytes_of(nodes, CollectiveType::all_gather, "dp_shard"), 2 * kWeights / 4);
}

TEST(AssembleData, ShardsAreRoundedUp) {
  const std::vector<Node> nodes = nodes_of(program_of(small(5, Sharding::zero1)), 0);
  EXPECT_EQ(node_named(nodes, "weights.gather").collective.size.count(), 2 * 701);  // 3504 / 5
  // 624 and 8 elements in shards of 125 and 2
  EXPECT_EQ(node_named(nodes, "gradients.scatter L3 mb1").collective.size.count(), 4 * 5 * 125);
  EXPECT_EQ(node_named(nodes, "gradients.scatter mb1").collective.size.count(), 4 * 5 * 2);
}

TEST(AssembleData, ShardedLayersAreGatheredForwardAndBackwardAndReduced) {
  const std::vector<Node> nodes = nodes_of(program_of(small(4, Sharding::zero3, 3)), 0);
  EXPECT_EQ(bytes_of(nodes, CollectiveType::all_gather, "dp_shard"), 3 * 2 * 2 * kWeights / 4);
  EXPECT_EQ(bytes_of(nodes, CollectiveType::reduce_scatter, "dp_shard"), 3 * 4 * kWeights);
  EXPECT_EQ(collectives(nodes).size(), 3U * 6 * 3);
}

// Weights of layer l+1 come while layer l computes; a layer waits for its own only.
TEST(AssembleData, GatheringRunsAhead) {
  for (const std::int64_t prefetch : {1, 2, 8}) {
    Spec spec = small(2, Sharding::zero3, 1);
    spec.parallel.prefetch = prefetch;
    const Program program = program_of(spec);
    Machine machine(program, 10);  // as long as a layer
    ASSERT_TRUE(machine.run());
    const std::vector<Node>& nodes = machine.nodes[0];
    std::vector<Node> gathers, layers;
    for (const Node& node : nodes) {
      if (node.label.rfind("weights.gather", 0) == 0 && gathers.size() < 6) gathers.push_back(node);
      if (node.label.rfind("forward", 0) == 0) layers.push_back(node);
    }
    for (std::size_t i = 0; i < 6; ++i) {
      // Its own gathering is the i-th; the one before on the stream is not waited for.
      EXPECT_THAT(layers[i].deps, testing::Contains(gathers[i].id)) << prefetch << " " << i;
      EXPECT_LE(layers[i].deps.size(), 2U);
      // It is not begun before layer i - prefetch - 1 is done, so no more are held.
      const std::size_t p = static_cast<std::size_t>(prefetch);
      if (i > p) {
        EXPECT_THAT(gathers[i].deps, testing::Contains(layers[i - p - 1].id));
      }
    }
    // Embedding and its gathering first; then layers hide the gathering of the next.
    if (prefetch == 1) {
      EXPECT_EQ(machine.end[0][layers[4].id], 10 + 10 + 4 * 10);
    }
  }
}

TEST(AssembleData, WithoutPrefetchGatheringAndLayersTakeTurns) {
  Spec spec = small(2, Sharding::zero3, 1);
  spec.parallel.prefetch = 0;
  Machine machine(program_of(spec), 10);
  ASSERT_TRUE(machine.run());
  EXPECT_EQ(machine.end[0][node_named(machine.nodes[0], "forward L3 mb0").id], 5 * 10 + 4 * 10);
}

TEST(AssembleData, KeptWeightsAreGatheredWhileNobodyHoldsThem) {
  Spec spec = small(4, Sharding::zero3, 3);
  spec.parallel.keep_gathered = true;
  // One stage alternates: forward, backward, forward …
  EXPECT_EQ(bytes_of(nodes_of(program_of(spec), 0), CollectiveType::all_gather, "dp_shard"),
            3 * 2 * kWeights / 4);
  // With GPipe some microbatch is always alive.
  spec.schedule.kind = ScheduleKind::gpipe;
  EXPECT_EQ(bytes_of(nodes_of(program_of(spec), 0), CollectiveType::all_gather, "dp_shard"),
            2 * kWeights / 4);
}

TEST(AssembleData, HybridShardsReduceWithinACopyThenBetweenCopies) {
  Spec spec = small(8, Sharding::zero3, 1);
  spec.parallel.shard_size = 4;
  const std::vector<Node> nodes = nodes_of(program_of(spec), 0);
  EXPECT_EQ(bytes_of(nodes, CollectiveType::all_gather, "dp_shard"), 2 * 2 * kWeights / 4);
  EXPECT_EQ(bytes_of(nodes, CollectiveType::reduce_scatter, "dp_shard"), 4 * kWeights);
  EXPECT_EQ(bytes_of(nodes, CollectiveType::all_reduce, "dp_replicate"), 4 * kWeights / 4);
  const Node& between = node_named(nodes, "gradients.reduce L3 mb0");
  EXPECT_THAT(between.deps, testing::Contains(node_named(nodes, "gradients.scatter L3 mb0").id));
}

TEST(AssembleData, ExpertsAreSharedByFewer) {
  Spec spec = small(8, Sharding::none, 1);
  spec.model.moe = Moe{};
  spec.parallel.ep = 4;
  std::vector<Node> nodes = nodes_of(program_of(spec), 0);
  EXPECT_EQ(bytes_of(nodes, CollectiveType::all_reduce, "dp"), 4 * kWeights);
  EXPECT_EQ(bytes_of(nodes, CollectiveType::all_reduce, "edp"), 4 * 4 * 64);
  spec.parallel.sharding = Sharding::zero3;
  nodes = nodes_of(program_of(spec), 0);
  EXPECT_EQ(bytes_of(nodes, CollectiveType::all_gather, "dp_shard"), 2 * 2 * kWeights / 8);
  EXPECT_EQ(bytes_of(nodes, CollectiveType::all_gather, "edp"), 2 * 2 * 4 * 64 / 2);
  EXPECT_EQ(bytes_of(nodes, CollectiveType::reduce_scatter, "edp"), 4 * 4 * 64);
  spec.parallel.ep = 8;  // no other rank has these experts
  nodes = nodes_of(program_of(spec), 0);
  EXPECT_EQ(bytes_of(nodes, CollectiveType::all_gather, "edp"), 0);
}

TEST(AssembleData, SplitBackwardPassesSumGradientsWithTheirWeightHalf) {
  Spec spec = with_dp(spec_of(4, 2, 4), 2);
  spec.schedule.kind = ScheduleKind::zb_h1;
  spec.parallel.bucket = Bytes(1);
  const std::vector<Node> nodes = nodes_of(program_of(spec), 0);
  for (const Node& sum : nodes_named(nodes, "gradients.reduce L")) {
    const Node& half = node_named(nodes, "wgrad" + sum.label.substr(sum.label.find(' ')));
    EXPECT_THAT(sum.deps, testing::Contains(half.id));
    EXPECT_THAT(sum.label, testing::EndsWith("mb3"));
  }
  EXPECT_EQ(bytes_of(nodes, CollectiveType::all_reduce, "dp"), 4 * (kTable + 2 * 624));
}

TEST(AssembleData, ReplicatedWeightsAreSummedOverTensorParallelRanks) {
  Spec spec = spec_of(4, 1, 3);
  spec.parallel.tp = 2;
  EXPECT_TRUE(collectives(nodes_of(program_of(spec), 0)).empty());
  spec.parallel.sp = true;
  EXPECT_EQ(bytes_of(nodes_of(program_of(spec), 0), CollectiveType::all_reduce, "tp"), 4 * 4 * 24);
}

TEST(AssembleData, TheNormIsTakenOverEverybodyWithOtherWeights) {
  Spec spec = small(4);
  spec.parallel.tp = 2;
  spec.optimizer.gradient_norm = true;
  const auto groups = [](const Spec& of) {
    std::vector<std::string> out;
    for (const Node& node : nodes_named(nodes_of(program_of(of), 0), "norm.reduce")) {
      EXPECT_EQ(node.collective.size.count(), 4);
      out.push_back(node.group);
    }
    return out;
  };
  EXPECT_THAT(groups(spec), ElementsAre("model"));
  spec.parallel.sharding = Sharding::zero1;
  EXPECT_THAT(groups(spec), ElementsAre("dp_shard", "model"));
  spec.parallel.sharding = Sharding::none;
  spec.model.moe = Moe{};
  spec.parallel.ep = 2;
  EXPECT_THAT(groups(spec), ElementsAre("ep", "model"));
  const Node squares = node_named(nodes_of(program_of(spec), 0), "gradients.norm");
  EXPECT_EQ(squares.work.num_ops, 2 * (kWeights + 4 * 64));
}

}  // namespace
}  // namespace orrery::workload
