// SPDX-License-Identifier: Apache-2.0
//
// From specification to program, with real layers: what goes over the wire, against closed forms.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <optional>
#include <utility>

#include "orrery/workload/assembly/assemble_testing.h"

namespace orrery::workload {
namespace {

using graph::CollectiveType;
using graph::NodeKind;
using testing::HasSubstr;

constexpr std::int64_t kHidden = 128, kSeq = 64, kVocab = 512;

Spec chain_of(std::int64_t layers, std::int64_t pp, std::int64_t microbatches) {
  Spec spec = spec_of(layers, pp, microbatches);
  spec.model.hidden = kHidden;
  spec.model.heads = 8;
  spec.model.vocab = kVocab;
  spec.model.positions = Positions::rope;
  spec.batch.seq = kSeq;
  return spec;
}

Program assembled(const Spec& spec) {
  Findings findings;
  auto program = assemble(spec, findings);
  if (!program) ADD_FAILURE() << to_string(program.error());
  return std::move(*program);
}

struct Sum {
  std::int64_t count = 0, bytes = 0;
};
Sum sum_of(const std::vector<Node>& nodes, CollectiveType type, const std::string& group) {
  Sum sum;
  for (const Node& node : nodes) {
    if (node.kind != NodeKind::coll || node.collective.type != type || node.group != group)
      continue;
    ++sum.count;
    sum.bytes += node.collective.size.count();
  }
  return sum;
}

// Per layer six all-gathers of b·t/tp·D and four reduce-scatters of b·t·D (Korthikanti et al.,
// 2023, section 4.2.2, with inputs gathered again), per microbatch; on a middle stage nothing else.
TEST(AssembleChain, SequenceParallelLayersGatherSixTimesAndScatterFour) {
  Spec spec = chain_of(8, 4, 4);
  spec.parallel.tp = 4;
  spec.parallel.sp = true;
  spec.parallel.tp_overlap = TensorOverlap::none;
  const std::vector<Node> nodes = nodes_of(assembled(spec), 1);
  const std::int64_t layers = 2 * 4, whole = 2 * kSeq * kHidden;
  const Sum gathers = sum_of(nodes, CollectiveType::all_gather, "tp");
  EXPECT_EQ(gathers.count, 6 * layers);
  EXPECT_EQ(gathers.bytes, 6 * layers * whole / 4);
  const Sum scatters = sum_of(nodes, CollectiveType::reduce_scatter, "tp");
  EXPECT_EQ(scatters.count, 4 * layers);
  EXPECT_EQ(scatters.bytes, 4 * layers * whole);
  for (const Node& node : nodes) {
    if (node.kind == NodeKind::send) {
      EXPECT_EQ(node.message.size.count(), whole / 4);
    }
  }
}

// Without sp ranks of tp have the same to send on: Megatron's send a share each, and gather shares.
TEST(AssembleChain, SharesAreSentWhereAllHaveTheSame) {
  const std::int64_t whole = 2 * kSeq * kHidden;
  for (const auto& [kind, chunks] :
       {std::pair(ScheduleKind::gpipe, 1), std::pair(ScheduleKind::one_f_one_b, 1),
        std::pair(ScheduleKind::interleaved, 2), std::pair(ScheduleKind::zb_h1, 1),
        std::pair(ScheduleKind::zb_v, 2), std::pair(ScheduleKind::dual_pipe, 2)})
    for (const Framework framework :
         {Framework::none, Framework::pytorch, Framework::megatron, Framework::megatron_2021})
      for (const std::optional<bool> said :
           {std::optional<bool>(), std::optional(true), std::optional(false)})
        for (const bool sp : {false, true}) {
          Spec spec = chain_of(8, 4, 8);
          spec.parallel.tp = 4;
          spec.parallel.sp = sp;
          spec.parallel.tp_overlap = TensorOverlap::none;
          spec.schedule.kind = kind;
          spec.schedule.chunks = chunks;
          spec.schedule.scatter_sends = said;
          spec.kernels.framework = framework;
          const bool megatron =
              framework == Framework::megatron || framework == Framework::megatron_2021;
          const bool scattered = !sp && said.value_or(megatron);
          std::size_t received = 0;
          const std::vector<Node> nodes = nodes_of(assembled(spec), 1);
          for (const Node& node : nodes) {
            const bool boundary = node.kind == NodeKind::send || node.kind == NodeKind::recv;
            if (!boundary || node.message.size.count() > whole) continue;  // gradients of twins
            EXPECT_EQ(node.message.size.count(), sp || scattered ? whole / 4 : whole);
            received += node.kind == NodeKind::recv;
          }
          EXPECT_GT(received, 0U);
          if (sp) continue;
          const Sum gathers = sum_of(nodes, CollectiveType::all_gather, "tp");
          EXPECT_EQ(gathers.count, scattered ? static_cast<std::int64_t>(received) : 0);
          EXPECT_EQ(gathers.bytes, gathers.count * (whole / 4));
        }
}

TEST(AssembleChain, TensorParallelLayersReduceFourTimes) {
  Spec spec = chain_of(8, 4, 4);
  spec.parallel.tp = 4;
  const Sum sums = sum_of(nodes_of(assembled(spec), 1), CollectiveType::all_reduce, "tp");
  EXPECT_EQ(sums.count, 4 * 2 * 4);
  EXPECT_EQ(sums.bytes, 4 * 2 * 4 * 2 * kSeq * kHidden);
}

// Gradients of everything on the rank, once: 12·L·D² + … elements of fp32.
TEST(AssembleChain, GradientsOfAllWeightsAreReduced) {
  const Program program = assembled(with_dp(chain_of(4, 1, 2), 2));
  std::int64_t weights = 0;
  for (const PartRun& run : program.roles[0].chunks[0])
    weights += run.count * program.parts[run.part].weights.total();
  EXPECT_EQ(weights, count_parameters(program.spec.model).total);
  EXPECT_EQ(sum_of(nodes_of(program, 0), CollectiveType::all_reduce, "dp").bytes, 4 * weights);
}

TEST(AssembleChain, TheTiedTableIsSummedBetweenTheEnds) {
  Spec spec = chain_of(4, 2, 2);
  spec.parallel.tp = 2;
  spec.model.tied_embeddings = true;
  const Program program = assembled(spec);
  for (const std::uint32_t stage : {0U, 1U}) {
    const Sum sum = sum_of(nodes_of(program, stage), CollectiveType::all_reduce, "embedding");
    EXPECT_EQ(sum.count, 1);
    EXPECT_EQ(sum.bytes, 4 * kVocab * kHidden / 2);
  }
}

TEST(AssembleChain, RingsOfContextParallelRanksMeet) {
  Spec spec = chain_of(4, 2, 2);
  for (const std::int64_t cp : {2, 4}) {
    spec.parallel.cp = cp;
    for (const bool overlap : {false, true}) {
      spec.schedule.overlap = overlap;
      const Program program = assembled(spec);
      EXPECT_EQ(program.roles.size(), 2U * std::min<std::size_t>(3, static_cast<std::size_t>(cp)));
      Machine machine(program, 1, true);
      EXPECT_TRUE(machine.run()) << cp << overlap;
    }
  }
}

TEST(AssembleChain, SpecificationsThatBreakARuleAreRefused) {
  Spec spec = chain_of(4, 2, 2);
  spec.parallel.tp = 3;
  Findings findings;
  const auto program = assemble(spec, findings);
  ASSERT_FALSE(program.has_value());
  EXPECT_EQ(program.error().code, Errc::config_conflict);
}

// A user's order with two chunks has four virtual stages; how many is known only when it is read.
TEST(AssembleChain, StageLayersFitTheOrderOfAFile) {
  const std::string path = testing::TempDir() + "assemble_chain_order.yaml";
  std::ofstream(path) << R"({"chunks": 2, "stages": [["F0", "F0.1", "B0.1", "B0"],
                                                     ["F0", "F0.1", "B0.1", "B0"]]})";
  Spec spec = chain_of(4, 2, 1);
  spec.schedule.kind = ScheduleKind::file;
  spec.schedule.file = path;
  EXPECT_EQ(assembled(spec).roles[1].chunks.size(), 2U);
  spec.schedule.stage_layers = {1, 1, 1, 1};
  Machine machine(assembled(spec));
  EXPECT_TRUE(machine.run());
  spec.schedule.stage_layers = {2, 2};
  Findings findings;
  const auto refused = assemble(spec, findings);
  std::remove(path.c_str());
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Errc::config_conflict);
  EXPECT_THAT(refused.error().what, HasSubstr("lists 2 stages, but the schedule has 4"));
}

}  // namespace
}  // namespace orrery::workload
