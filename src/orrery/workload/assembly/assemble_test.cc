// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orrery/core/limits.h"
#include "orrery/workload/assembly/assemble_testing.h"
#include "orrery/workload/assembly/layer_partition.h"
#include "orrery/workload/assembly/stage_layout.h"

namespace orrery::workload {
namespace {

using graph::NodeKind;
using testing::ElementsAre;

std::uint64_t count(const Machine& machine, NodeKind kind) {
  std::uint64_t total = 0;
  for (const auto& nodes : machine.nodes) {
    total += static_cast<std::uint64_t>(std::count_if(
        nodes.begin(), nodes.end(), [kind](const Node& node) { return node.kind == kind; }));
  }
  return total;
}

// Meta lays Llama 3.1's 405B out so: 126 layers on 16 stages, one less on the first and the last.
TEST(Assemble, LeftOverLayersGoToTheMiddle) {
  EXPECT_THAT(even_layers(126, 16), ElementsAre(7, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 7));
  EXPECT_THAT(even_layers(10, 4), ElementsAre(2, 3, 3, 2));
  EXPECT_THAT(even_layers(11, 4), ElementsAre(3, 3, 3, 2));
  EXPECT_THAT(even_layers(9, 4), ElementsAre(2, 2, 3, 2));
  EXPECT_THAT(even_layers(3, 2), ElementsAre(2, 1));
  EXPECT_THAT(even_layers(5, 1), ElementsAre(5));
  EXPECT_THAT(even_layers(3, 4), ElementsAre(1, 1, 1, 0));
  EXPECT_THAT(even_layers(2, 4), ElementsAre(0, 1, 1, 0));
}

std::vector<std::int64_t> layers_of(const Program& program) {
  std::vector<std::int64_t> out;
  for (const Role& role : program.roles) {
    for (const auto& chunk : role.chunks) {
      out.push_back(0);
      for (const PartRun& run : chunk) {
        if (program.parts[run.part].is_layer) out.back() += run.count;
      }
    }
  }
  return out;
}

TEST(Assemble, PartsLieOnStagesInOrder) {
  const Program program = program_of(spec_of(6, 4, 4));
  ASSERT_EQ(program.roles.size(), 4U);
  EXPECT_THAT(layers_of(program), ElementsAre(1, 2, 2, 1));
  EXPECT_EQ(program.roles[0].chunks[0].front().part, 0U);
  EXPECT_EQ(program.roles[2].chunks[0].front().layer, 3);
  EXPECT_EQ(program.roles[3].chunks[0].back().part, 2U);
  EXPECT_EQ(program.roles[3].name, "stage 3");
}

TEST(Assemble, LayersLieWhereTheSpecificationSays) {
  Spec spec = spec_of(6, 4, 4);
  spec.schedule.stage_layers = {0, 3, 0, 3};
  const Program program = program_of(spec);
  EXPECT_THAT(layers_of(program), ElementsAre(0, 3, 0, 3));
  EXPECT_EQ(program.roles[0].chunks[0].size(), 1U);  // the embedding
  EXPECT_TRUE(program.roles[2].chunks[0].empty());   // passes on what it gets
  Machine machine(program);
  EXPECT_TRUE(machine.run());
  EXPECT_EQ(count(machine, NodeKind::send), 2U * 4 * 3);
}

// Narayanan et al., SC21: 2·m·(p·v - 1) messages per step and pipeline.
TEST(Assemble, MessagesAsManyAsBoundaries) {
  for (const auto& [kind, chunks] :
       {std::pair(ScheduleKind::gpipe, 1), std::pair(ScheduleKind::one_f_one_b, 1),
        std::pair(ScheduleKind::interleaved, 2), std::pair(ScheduleKind::interleaved, 3),
        std::pair(ScheduleKind::zb_h1, 1)}) {
    Spec spec = spec_of(12, 4, 8);
    spec.schedule.kind = kind;
    spec.schedule.chunks = chunks;
    const Program program = program_of(spec);
    Machine machine(program);
    EXPECT_TRUE(machine.run());
    EXPECT_EQ(count(machine, NodeKind::send), 2U * 8 * (4 * static_cast<unsigned>(chunks) - 1));
    EXPECT_EQ(count(machine, NodeKind::recv), count(machine, NodeKind::send));
    for (const Node& node : machine.nodes[1]) {
      if (node.kind == NodeKind::send) {
        EXPECT_EQ(node.message.size.count(), kBoundary);
      }
    }
  }
}

// A chunk whose neighbor lies on the same rank sends nothing: the bottom of the V.
TEST(Assemble, AVSendsNothingToItself) {
  Spec spec = spec_of(8, 4, 8);
  spec.schedule.kind = ScheduleKind::zb_v;
  spec.schedule.chunks = 2;
  Machine machine(program_of(spec));
  EXPECT_TRUE(machine.run());
  EXPECT_EQ(count(machine, NodeKind::send), 2U * 8 * (4 * 2 - 2));
}

TEST(Assemble, BubblesAreThoseOfTheSchedule) {
  for (const auto& [kind, chunks] :
       {std::pair(ScheduleKind::gpipe, 1), std::pair(ScheduleKind::one_f_one_b, 1),
        std::pair(ScheduleKind::interleaved, 2), std::pair(ScheduleKind::zb_h1, 1),
        std::pair(ScheduleKind::zb_v, 2), std::pair(ScheduleKind::dual_pipe, 2)}) {
    Spec spec = spec_of(kind == ScheduleKind::dual_pipe ? 8 : 8 * chunks, 4, 8);
    spec.schedule.kind = kind;
    spec.schedule.chunks = chunks;
    spec.optimizer.kind = OptimizerKind::sgd;
    const Program program = program_of(spec, [](const Spec& s, const Mesh& m, const Position& w) {
      auto model = lower_by_hand(s, m, w);
      for (LoweredPart& part : model->parts) part.part.weights = {};  // no step
      return model;
    });
    Machine machine(program);
    ASSERT_TRUE(machine.run());
    const auto order = order_of(spec);
    ASSERT_TRUE(order.has_value());
    const PassCost cost{20, 20, 20};  // two layers per chunk
    EXPECT_EQ(machine.finish(), pipeline_timeline(*order, cost).end) << static_cast<int>(kind);
  }
}

TEST(Assemble, NothingDeadlocks) {
  for (const bool overlap : {false, true}) {
    for (const bool blocking : {false, true}) {
      for (const bool rendezvous : {false, true}) {
        for (const ScheduleKind kind :
             {ScheduleKind::gpipe, ScheduleKind::one_f_one_b, ScheduleKind::interleaved,
              ScheduleKind::zb_h1, ScheduleKind::zb_v, ScheduleKind::dual_pipe}) {
          Spec spec = with_dp(spec_of(8, 4, 8), 2, Sharding::zero3);
          spec.parallel.tp = 2;
          spec.parallel.sp = true;
          spec.model.tied_embeddings = true;
          spec.optimizer.gradient_norm = true;
          spec.schedule.kind = kind;
          const bool one = kind == ScheduleKind::gpipe || kind == ScheduleKind::one_f_one_b ||
                           kind == ScheduleKind::zb_h1;
          spec.schedule.chunks = one ? 1 : 2;
          spec.schedule.overlap = overlap;
          spec.schedule.blocking_sends = blocking;
          Machine machine(program_of(spec), 3, rendezvous);
          EXPECT_TRUE(machine.run()) << static_cast<int>(kind) << overlap << blocking << rendezvous;
        }
      }
    }
  }
}

// The next pass begins when the message has arrived.
TEST(Assemble, BlockingSendsHoldUpComputation) {
  Spec spec = spec_of(4, 2, 1);
  Machine plain(program_of(spec), 100);
  spec = spec_of(4, 2, 2);
  Machine two(program_of(spec), 100);
  spec.schedule.blocking_sends = true;
  Machine blocking(program_of(spec), 100);
  ASSERT_TRUE(plain.run() && two.run() && blocking.run());
  EXPECT_LT(two.finish(), blocking.finish());
}

TEST(Assemble, CommunicationAndComputationTakeTurns) {
  Spec spec = with_dp(spec_of(4, 2, 4), 2, Sharding::zero3);
  spec.schedule.overlap = false;
  Machine machine(program_of(spec), 7);
  ASSERT_TRUE(machine.run());
  for (const auto& nodes : machine.nodes) {
    // All but receives are one chain.
    std::int64_t last = -1;
    for (const Node& node : nodes) {
      if (node.kind == NodeKind::recv) continue;
      if (last >= 0) {
        EXPECT_THAT(node.deps, testing::Contains(static_cast<std::uint64_t>(last)));
      }
      last = static_cast<std::int64_t>(node.id);
    }
  }
}

TEST(Assemble, RolesCoverTheRanks) {
  Spec spec = spec_of(4, 2, 4);
  spec.parallel.cp = 4;
  spec.parallel.dp = 4;
  spec.parallel.tp = 2;
  spec.model.moe = Moe{};
  spec.model.moe->imbalance = 2;
  spec.batch.global = 16;
  for (const std::int64_t ep : {1, 2, 4, 8}) {
    for (const char* order : {"tp-cp-ep-dp-pp", "dp-cp-tp-pp-ep"}) {
      for (const std::int64_t etp : {1, 2}) {
        spec.parallel.ep = ep;
        spec.parallel.etp = etp;
        spec.parallel.order = order;
        const Program program = program_of(spec);
        std::vector<std::uint64_t> ranks(program.roles.size(), 0);
        for (std::uint64_t rank = 0; rank < program.mesh.world(); ++rank)
          ++ranks[program.role_of(rank)];
        for (std::size_t i = 0; i < ranks.size(); ++i) {
          EXPECT_EQ(program.roles[i].ranks, ranks[i]) << program.roles[i].name << " of " << order;
        }
      }
    }
  }
}

TEST(Assemble, TablesThatDifferMakeRolesDiffer) {
  Spec spec;
  spec.model.kind = ModelKind::dlrm;
  spec.model.dlrm.emplace();
  spec.model.dlrm->tables = {{.rows = 100, .count = 3}, {.rows = 50, .count = 1}};
  spec.parallel.dp = 4;
  spec.batch.global = 4;
  const auto lowering = [](const Spec&, const Mesh&,
                           const Position& where) -> Result<LoweredModel> {
    EXPECT_GE(where.table, 0);
    LoweredModel model;
    model.parts = {part_of("all", 10, {100 + where.table, 0, 0, 0}, 0)};
    model.order = {{0, 1, -1}};
    return model;
  };
  const Program uneven = program_of(spec, lowering);
  ASSERT_EQ(uneven.roles.size(), 4U);
  EXPECT_EQ(uneven.role_of(3), 3U);
  EXPECT_EQ(uneven.parts[uneven.roles[3].chunks[0][0].part].weights.dense, 103);
  spec.model.dlrm->tables = {{.rows = 100, .count = 4}};
  EXPECT_EQ(program_of(spec, lowering).roles.size(), 1U);
  spec.model.dlrm->tables = {{.rows = 100, .count = 3}, {.rows = 52, .count = 1}};
  spec.model.dlrm->sharding = TableSharding::row;
  EXPECT_EQ(program_of(spec, lowering).roles.size(), 1U);
  spec.model.dlrm->tables[1].rows = 50;
  EXPECT_EQ(program_of(spec, lowering).roles.size(), 4U);
  spec.model.dlrm->sharding = TableSharding::column;
  EXPECT_EQ(program_of(spec, lowering).roles.size(), 1U);
  spec.model.dlrm->dim = 126;
  EXPECT_EQ(program_of(spec, lowering).roles.size(), 4U);
}

// limits::kTableShares
TEST(Assemble, TooManyRanksThatDifferAreRefused) {
  Spec spec;
  spec.model.kind = ModelKind::dlrm;
  spec.model.dlrm.emplace().tables = {{.rows = 100, .count = 1025}};
  spec.parallel.dp = 8192;
  spec.batch.global = 8192;
  const auto program = assemble_with(spec, *order_of(spec), lower_by_hand);
  ASSERT_FALSE(program.has_value());
  EXPECT_EQ(program.error().code, Errc::limit_exceeded);
  EXPECT_EQ(limits::kTableShares, 1ULL << 24);
}

TEST(Assemble, WhatIsTooLargeIsRefused) {
  const Spec spec = with_dp(spec_of(2, 1, 1), 2);
  const auto order = order_of(spec);
  const auto lowering = [](const Spec& s, const Mesh& m, const Position& w) {
    auto model = lower_by_hand(s, m, w);
    model->parts[1].part.weights.dense = std::int64_t{1} << 61;
    return model;
  };
  const auto program = assemble_with(spec, *order, lowering);
  ASSERT_FALSE(program.has_value());
  EXPECT_EQ(program.error().code, Errc::config_range);
}

TEST(Assemble, LayersAndMicrobatchesStayLoops) {
  const Program program = program_of(spec_of(96, 1, 512));
  EXPECT_LE(program.bodies.size(), 8U);
  std::size_t tasks = 0;
  for (const TaskLoop& loop : program.roles[0].tasks) tasks += loop.tasks.size();
  EXPECT_LE(tasks, 8U);
  EXPECT_EQ(expand_task_loops(program.roles[0].tasks).size(), 2U * 512 + 1);
  EXPECT_EQ(node_count(program, 0), 512U * 98 * 3 + 1);
}

}  // namespace
}  // namespace orrery::workload
