// SPDX-License-Identifier: Apache-2.0
//
// Programs as workloads, simulated.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orrery/core/limits.h"
#include "orrery/sim/expanded.h"
#include "orrery/sim/simulate.h"
#include "orrery/workload/program.h"

namespace orrery::workload {
namespace {

using platform::Algorithm;
using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

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
  const auto allowed = legal(spec);
  EXPECT_TRUE(allowed) << (allowed ? "" : to_string(allowed.error()));
  return spec;
}

graph::Workload workload_of(const Spec& spec) {
  const auto program = assemble(spec);
  EXPECT_TRUE(program) << (program ? "" : to_string(program.error()));
  auto workload = to_workload(*program);
  EXPECT_TRUE(workload) << (workload ? "" : to_string(workload.error()));
  return *std::move(workload);
}

platform::Platform machine(std::uint32_t ranks, platform::Rules rules) {
  platform::Platform made;
  made.rules = rules;
  made.dims = {{platform::Block::switched, 4, Bandwidth(400e9), 500.0},
               {platform::Block::switched, ranks / 4, Bandwidth(50e9), 2000.0}};
  auto& config = made.collectives;
  for (auto* plan :
       {&config.all_reduce, &config.all_gather, &config.reduce_scatter, &config.all_to_all})
    plan->per_dim = {{Algorithm::ring, -1}, {Algorithm::direct, -1}};
  made.device.roofline = true;
  made.device.peak = FlopRate(1e14);
  made.device.memory = Bandwidth(1e12);
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
    platform.collectives.splits = rendezvous ? 2 : 1;
    const auto axes = sim::simulate(workload, platform);
    const auto groups = sim::simulate(listed, platform);
    ASSERT_TRUE(axes && groups);
    EXPECT_FALSE(axes->stall) << why(*axes);
    EXPECT_EQ(axes->findings.count(FindingCode::unmatched_send), 0u);
    expect_same(*axes, *groups);
  }
}

// One slot for all communication of a rank: what is issued first goes first.
TEST_P(Jobs, FinishUnderAstraRulesWhenNothingOverlaps) {
  Spec spec = spec_of(GetParam());
  spec.schedule.overlap = false;
  const graph::Workload workload = workload_of(spec);
  const auto result =
      sim::simulate(workload, machine(workload.rank_count(), platform::Rules::astra));
  ASSERT_TRUE(result) << to_string(result.error());
  EXPECT_FALSE(result->stall) << why(*result);
}

std::vector<Job> jobs() {
  return {
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
      // A rank with twice the tokens for its experts comes later than others to all it shares.
      {"BusyExperts",
       {{"model.moe.experts", "8"},
        {"model.ffn", "4096"},
        {"parallel.dp", "8"},
        {"parallel.ep", "4"},
        {"model.moe.imbalance", "2"},
        {"parallel.sharding", "zero3"},
        {"parallel.prefetch", "4"},
        {"recompute.kind", "full"},
        {"batch.global", "16"}}},
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
}

INSTANTIATE_TEST_SUITE_P(All, Jobs, ::testing::ValuesIn(jobs()),
                         [](const auto& job) { return job.param.name; });

TEST(ToWorkload, HasAGraphPerRoleAndTheAxesInUse) {
  const Spec spec = spec_of(
      {"",
       {{"parallel.tp", "2"}, {"parallel.cp", "3"}, {"parallel.pp", "2"}, {"batch.seq", "768"}}});
  const graph::Workload workload = workload_of(spec);
  // First, between and last of the ring, on two stages. Order tp-cp-dp-pp.
  EXPECT_THAT(workload.graph_of_rank, ElementsAre(0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5));
  EXPECT_EQ(workload.graphs.size(), 6u);
  std::vector<std::pair<std::string, std::uint32_t>> axes;
  for (const auto& [name, axis] : workload.axes) {
    EXPECT_EQ(name, axis.name);
    axes.emplace_back(name, axis.extent());
  }
  EXPECT_THAT(axes, UnorderedElementsAre(Pair("tp", 2), Pair("dp", 3), Pair("embedding", 2),
                                         Pair("model", 4)));
  EXPECT_TRUE(workload.groups.empty());
}

TEST(ToWorkload, RefusesMoreRanksThanThereCanBe) {
  Program program;
  program.spec.parallel.dp = std::int64_t{1} << 24;
  program.spec.parallel.pp = 2;
  program.mesh = Mesh(program.spec);
  const auto made = to_workload(program);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, Errc::limit_exceeded);
}

TEST(ToWorkload, RefusesMoreNodesThanARankCanHave) {
  Program program;
  program.mesh = Mesh(program.spec);
  program.bodies = {{"body", {Op{}}}};
  Role& role = program.roles.emplace_back();
  role.recipes = {{Segment{0, 1u << 31, -1, 1}}};
  role.tasks = {TaskLoop{{Task{}}, 2, 0}};
  const auto made = to_workload(program);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, Errc::limit_exceeded);
}

}  // namespace
}  // namespace orrery::workload
