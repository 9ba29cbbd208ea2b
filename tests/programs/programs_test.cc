// SPDX-License-Identifier: Apache-2.0
//
// Programs as workloads, simulated.
#include <gtest/gtest.h>

#include "orrery/sim/expansion_testing.h"
#include "orrery/sim/simulate.h"
#include "orrery/workload/program/program.h"

namespace orrery::workload {
namespace {

using platform::Algorithm;

/// What differs from a small language model: paths and values as flags give them.
struct Job {
  std::string name;
  std::vector<std::pair<std::string, std::string>> values;
};

Spec spec_of(const Job& job) {
  Spec spec;
  spec.model.layers = 4;
  spec.model.hidden = 64;
  spec.model.heads = 8;
  spec.model.vocab = 1024;
  spec.batch.seq = 256;
  for (const auto& [path, value] : job.values) {
    const auto done = set(spec, path, value);
    EXPECT_TRUE(done) << path << ": " << (done ? "" : to_string(done.error()));
  }
  const auto allowed = check_spec(spec);
  EXPECT_TRUE(allowed) << (allowed ? "" : to_string(allowed.error()));
  return spec;
}

graph::Workload workload_of(const Spec& spec) {
  Findings findings;
  const auto program = assemble(spec, findings);
  EXPECT_TRUE(program) << (program ? "" : to_string(program.error()));
  auto workload = to_workload(*program);
  EXPECT_TRUE(workload) << (workload ? "" : to_string(workload.error()));
  return *std::move(workload);
}

platform::Platform machine(std::uint32_t ranks, platform::Rules rules, std::uint32_t inner = 4) {
  platform::Platform made;
  made.rules = rules;
  made.dims = {{platform::Block::switched, inner, Bandwidth(450e9), 500.0},
               {platform::Block::switched, ranks / inner, Bandwidth(10e9), 3000.0}};
  auto& config = made.collectives;
  for (auto* plan :
       {&config.all_reduce, &config.all_gather, &config.reduce_scatter, &config.all_to_all})
    plan->per_dim = {{Algorithm::ring, -1}, {Algorithm::ring, -1}};
  made.device.compute = TimeSource::roofline;
  made.device.peak = FlopRate(989e12);
  made.device.memory = Bandwidth(3.35e12);
  return made;
}

void expect_same(const sim::SimResult& a, const sim::SimResult& b) {
  EXPECT_EQ(a.events, b.events);
  EXPECT_EQ(a.messages, b.messages);
  for (std::size_t r = 0; r < a.ranks.size(); ++r) {
    EXPECT_EQ(a.ranks[r].finish, b.ranks[r].finish) << r;
    EXPECT_EQ(a.ranks[r].sent_bytes, b.ranks[r].sent_bytes) << r;
  }
}

std::string why(const sim::SimResult& result) {
  return result.stall && !result.stall->nodes.empty() ? result.stall->nodes.front().why : "";
}

class Jobs : public ::testing::TestWithParam<Job> {};

// The program with axes, and one graph per rank with groups listed by name.
TEST_P(Jobs, TakeTheSameTimeSaidAtLength) {
  const graph::Workload workload = workload_of(spec_of(GetParam()));
  const graph::Workload listed = sim::testing::expanded(workload);
  for (const bool rendezvous : {false, true}) {
    platform::Platform platform = machine(workload.rank_count(), platform::Rules::orrery);
    platform.collectives.rendezvous = rendezvous;
    platform.collectives.splits = rendezvous ? 1 : 4;
    const auto axes = sim::simulate(workload, platform);
    const auto groups = sim::simulate(listed, platform);
    ASSERT_TRUE(axes && groups);
    EXPECT_FALSE(axes->stall) << why(*axes);
    EXPECT_EQ(axes->findings.count(FindingCode::unmatched_send), 0u);
    expect_same(*axes, *groups);
  }
}

// One slot for all communication of a rank: two collectives begun in different orders would wait
// for each other for ever. (Ours would sort it out and report it; the reference hangs.)
TEST_P(Jobs, FinishUnderAstraRules) {
  Spec spec = spec_of(GetParam());
  for (const bool overlap : {true, false}) {
    spec.schedule.overlap = overlap;
    const graph::Workload workload = workload_of(spec);
    const auto result =
        sim::simulate(workload, machine(workload.rank_count(), platform::Rules::astra));
    ASSERT_TRUE(result) << to_string(result.error());
    EXPECT_FALSE(result->stall) << why(*result);
    EXPECT_EQ(result->findings.count(FindingCode::chunk_order_resolved), 0u);
  }
}

const std::vector<Job> kJobs = {
    {"Megatron",
     {{"parallel.tp", "2"},
      {"parallel.sp", "true"},
      {"parallel.pp", "2"},
      {"parallel.dp", "4"},
      {"parallel.sharding", "zero1"},
      {"batch.global", "16"}}},
    {"RingAttention",
     {{"parallel.tp", "2"}, {"parallel.cp", "4"}, {"parallel.pp", "2"}, {"batch.global", "4"}}},
    {"Ulysses",
     {{"parallel.cp", "4"},
      {"parallel.cp_method", "ulysses"},
      {"parallel.dp", "2"},
      {"parallel.sharding", "zero2"},
      {"batch.global", "4"}}},
    {"HybridSharding",
     {{"parallel.tp", "2"},
      {"parallel.dp", "8"},
      {"parallel.sharding", "zero3"},
      {"parallel.shard_size", "4"},
      {"parallel.prefetch", "2"},
      {"batch.global", "16"}}},
    {"Interleaved",
     {{"parallel.pp", "2"},
      {"parallel.dp", "4"},
      {"schedule.kind", "interleaved"},
      {"schedule.chunks", "2"},
      {"batch.global", "16"},
      {"model.tied_embeddings", "true"}}},
    {"DualPipe",
     {{"parallel.pp", "2"},
      {"parallel.dp", "2"},
      {"schedule.kind", "dual_pipe"},
      {"schedule.chunks", "2"},
      {"batch.global", "16"}}},
    {"ZeroBubbleV",
     {{"parallel.pp", "2"},
      {"parallel.dp", "2"},
      {"schedule.kind", "zb_v"},
      {"schedule.chunks", "2"},
      {"batch.global", "8"}}},
    {"BlockingSends",
     {{"parallel.pp", "4"}, {"schedule.blocking_sends", "true"}, {"batch.global", "8"}}},
    {"Tables", {{"model", "dlrm-terabyte"}, {"parallel.dp", "8"}, {"batch.global", "1024"}}},
    {"Experts",
     {{"model.is", "mixtral-8x7b"},
      {"model.layers", "4"},
      {"parallel.tp", "2"},
      {"parallel.dp", "4"},
      {"parallel.ep", "4"},
      {"parallel.pp", "2"},
      {"parallel.sharding", "zero1"},
      {"batch.global", "8"}}},
};

// Ranks with twice the tokens for their experts come later than others to what all share: before
// unrolling kept the order of a group's collectives they gathered weights while the others already
// scattered gradients, and nobody went on.
TEST(Programs, RanksWithMoreWorkBeginCollectivesInTheSameOrder) {
  const graph::Workload workload = workload_of(spec_of({"",
                                                        {{"model.layers", "12"},
                                                         {"model.hidden", "768"},
                                                         {"model.heads", "24"},
                                                         {"model.kv_heads", "8"},
                                                         {"model.vocab", "50304"},
                                                         {"model.tied_embeddings", "false"},
                                                         {"model.moe.experts", "8"},
                                                         {"model.moe.imbalance", "2"},
                                                         {"batch.seq", "768"},
                                                         {"batch.global", "16"},
                                                         {"parallel.dp", "8"},
                                                         {"parallel.ep", "4"},
                                                         {"parallel.sharding", "zero3"},
                                                         {"parallel.prefetch", "4"},
                                                         {"recompute.kind", "full"}}}));
  platform::Platform platform = machine(8, platform::Rules::orrery, 2);
  platform.collectives.splits = 4;
  const auto result = sim::simulate(workload, platform);
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->stall) << why(*result);
}

INSTANTIATE_TEST_SUITE_P(All, Jobs, ::testing::ValuesIn(kJobs),
                         [](const auto& job) { return job.param.name; });

}  // namespace
}  // namespace orrery::workload
