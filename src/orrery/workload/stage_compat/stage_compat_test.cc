// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/stage_compat/stage_compat.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "orrery/core/paths_testing.h"

namespace orrery::workload {
namespace {

/// What a rank does in one step: by kind of node, class of operation, collective and group.
struct Tally {
  std::int64_t count = 0;
  std::int64_t sum = 0;
  friend bool operator==(const Tally&, const Tally&) = default;
  friend void PrintTo(const Tally& tally, std::ostream* out) {
    *out << tally.count << " nodes, sum " << tally.sum;
  }
};
using Key = std::pair<std::string, std::string>;  ///< what, members of the group
using Tallies = std::map<Key, Tally>;

/// One of STAGE's runs.
struct StageRun {
  std::map<std::string, std::string> arguments = {{"num_stacks", "4"},
                                                  {"dmodel", "1024"},
                                                  {"dff", "4096"},
                                                  {"batch", "8"},
                                                  {"micro_batch", "8"},
                                                  {"seq", "512"},
                                                  {"head", "16"},
                                                  {"kvhead", "4"},
                                                  {"dvocal", "32000"},
                                                  {"dp", "1"},
                                                  {"tp", "1"},
                                                  {"pp", "1"},
                                                  {"sp", "1"},
                                                  {"ep", "1"},
                                                  {"tpsp", "true"},
                                                  {"weight_sharded", "0"},
                                                  {"experts", "8"},
                                                  {"kexperts", "2"},
                                                  {"model_type", "dense"},
                                                  {"mixed_precision", "false"},
                                                  {"activation_recompute", "false"}};
  std::map<std::uint64_t, Tallies> ranks;

  [[nodiscard]] std::int64_t number(const char* name) const {
    return std::stoll(arguments.at(name));
  }
  [[nodiscard]] bool is(const char* name, const char* value) const {
    return arguments.at(name) == value;
  }
};

std::map<std::string, StageRun> read_runs() {
  std::map<std::string, StageRun> runs;
  std::ifstream file(std::string(core_testing::kSourceFolder) +
                     "/tests/golden/data/stage/totals.csv");
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#' || line.rfind("run,", 0) == 0) continue;
    std::istringstream in(line);
    std::string run, rank, what, group, count, sum;
    for (std::string* field : {&run, &rank, &what, &group, &count, &sum})
      std::getline(in, *field, ',');
    if (rank == "-") {
      runs[run].arguments.at(what) = sum;
    } else {
      const auto number = [](const std::string& text) {
        return text == "-" ? std::int64_t{0} : std::stoll(text);
      };
      runs[run].ranks[std::stoull(rank)][{what, group}] = {number(count), number(sum)};
    }
  }
  return runs;
}

/// STAGE's arguments as a specification. Its `micro_batch` is of all ranks of dp together.
Spec spec_of(const StageRun& run) {
  Spec spec;
  spec.compat = Compat::stage;
  spec.model.layers = run.number("num_stacks");
  spec.model.hidden = run.number("dmodel");
  spec.model.ffn = run.number("dff");
  spec.model.heads = run.number("head");
  spec.model.kv_heads = run.number("kvhead");
  spec.model.vocab = run.number("dvocal");
  if (run.is("mixed_precision", "true")) spec.model.mlp = Mlp::swiglu;
  if (run.is("model_type", "moe")) {
    spec.model.moe.emplace();
    spec.model.moe->experts = run.number("experts");
    spec.model.moe->top_k = run.number("kexperts");
  }
  spec.parallel.dp = run.number("dp");
  spec.parallel.tp = run.number("tp");
  spec.parallel.pp = run.number("pp");
  spec.parallel.cp = run.number("sp");
  spec.parallel.cp_method = ContextMethod::all_gather;
  spec.parallel.ep = run.number("ep");
  spec.parallel.ep_own_axis = spec.model.moe.has_value();
  spec.parallel.sp = run.is("tpsp", "true") && spec.parallel.tp > 1;
  spec.parallel.order = "dp-tp-cp-ep-pp";
  if (run.is("weight_sharded", "1")) spec.parallel.sharding = Sharding::zero3;
  if (run.is("activation_recompute", "true")) spec.recompute.kind = RecomputeKind::full;
  spec.batch.seq = run.number("seq");
  spec.batch.global = run.number("batch");
  spec.batch.micro = run.number("micro_batch") / run.number("dp");
  return spec;
}

std::string members(const Program& program, Axis axis, std::uint64_t rank) {
  const graph::GroupAxis& group = program.mesh.axis(axis);
  std::string text;
  for (const std::uint32_t member : group.members(group.first(static_cast<std::uint32_t>(rank))))
    text += fmt::format("{}{}", text.empty() ? "" : " ", member);
  return text;
}

void add(const Program& program, std::uint64_t rank, const Op& op, std::int64_t times,
         Tallies& tallies) {
  const auto tally = [&](const std::string& what, const std::string& group, std::int64_t count,
                         std::int64_t sum) {
    Tally& to = tallies[{what, group}];
    to.count += count;
    to.sum += sum;
  };
  switch (op.kind) {
    case graph::NodeKind::comp:
      tally("COMP_NODE", "", times, 0);
      tally(std::string(stage_class(op)), "", 0, times * (op.matmul + op.vector));
      tally("results", "", 0, times * op.bytes);
      break;
    case graph::NodeKind::coll: {
      const std::map<graph::CollectiveType, std::string> names = {
          {graph::CollectiveType::all_gather, "ALL_GATHER"},
          {graph::CollectiveType::all_reduce, "ALL_REDUCE"},
          {graph::CollectiveType::reduce_scatter, "REDUCE_SCATTER"},
          {graph::CollectiveType::all_to_all, "ALL_TO_ALL"}};
      tally("COMM_COLL_NODE", "", times, 0);
      tally(names.at(op.collective), members(program, op.axis, rank), times, times * op.size);
      break;
    }
    case graph::NodeKind::send:
      tally("COMM_SEND_NODE", "", times, times * op.size);
      break;
    case graph::NodeKind::recv:
      tally("COMM_RECV_NODE", "", times, times * op.size);
      break;
    default:
      ADD_FAILURE() << "unexpected kind of node";
  }
}

Tallies tally(const Program& program, std::uint64_t rank) {
  Tallies tallies;
  const Role& role = program.roles[program.mesh.coordinate(rank, Dim::pp)];
  for (const TaskLoop& loop : role.tasks) {
    for (const Task& task : loop.tasks) {
      for (const Segment& segment : role.recipes[task.recipe]) {
        for (const Op& op : program.bodies[segment.body].ops)
          add(program, rank, op, std::int64_t{loop.count} * segment.count, tallies);
      }
    }
  }
  return tallies;
}

class StageRuns : public testing::TestWithParam<std::string> {};

// Every figure of the record: nodes by kind, operations by class, every collective's type, group,
// count and size, messages, elements written; by the way that users go.
TEST_P(StageRuns, AreReproducedExactly) {
  const std::map<std::string, StageRun> runs = read_runs();
  ASSERT_EQ(runs.count(GetParam()), 1u);
  const StageRun& run = runs.at(GetParam());
  Findings findings;
  const Result<Program> program = assemble(spec_of(run), findings);
  ASSERT_TRUE(program) << to_string(program.error());
  ASSERT_FALSE(run.ranks.empty());
  for (const auto& [rank, truth] : run.ranks) EXPECT_EQ(tally(*program, rank), truth) << rank;
}

INSTANTIATE_TEST_SUITE_P(All, StageRuns,
                         testing::Values("tp1", "tp2", "tp4", "tp2_notpsp", "dp2", "dp4", "fsdp4",
                                         "pp2", "pp2_mb4", "pp4_mb4", "cp2", "dp2tp2pp2_mb4",
                                         "fsdp2tp2cp2", "tp1_seq1024", "tp1_L8", "tp1_mixed_llama",
                                         "tp2_mixed_llama", "fsdp4_mixed_llama", "moe_e8k2_ep1",
                                         "moe_e8k2_ep2", "moe_e8k2_ep4", "moe_dp2tp2ep2",
                                         "recompute_flag"),
                         [](const auto& run) { return run.param; });

TEST(Stage, TheRecordHasNoRunsThatAreNotTested) { EXPECT_EQ(read_runs().size(), 23u); }

// Whichever of dp and cp is the inner one, gradients go over ranks of dp alone.
TEST(Stage, DataParallelGroupsLeaveContextOut) {
  StageRun run;
  run.arguments["dp"] = "2";
  run.arguments["sp"] = "4";
  for (const auto& [order, group] :
       std::map<std::string, std::string>{{"dp-tp-cp-ep-pp", "0 1"}, {"tp-cp-ep-dp-pp", "0 4"}}) {
    Spec spec = spec_of(run);
    spec.parallel.order = order;
    const Result<Program> program = assemble_stage(spec);
    ASSERT_TRUE(program) << to_string(program.error());
    EXPECT_EQ(tally(*program, 0).count({"ALL_REDUCE", group}), 1u) << order;
  }
}

TEST(Stage, RefusesWhatStageHasNothingFor) {
  const StageRun run;
  const auto refused = [&](auto change) {
    Spec spec = spec_of(run);
    change(spec);
    const Result<Program> program = assemble_stage(spec);
    return program ? std::string("taken") : program.error().where;
  };
  EXPECT_EQ(refused([](Spec&) {}), "taken");
  EXPECT_EQ(refused([](Spec& s) { s.model.kind = ModelKind::encoder; }), "model.kind");
  EXPECT_EQ(refused([](Spec& s) { s.model.mla.emplace(); }), "model.mla");
  EXPECT_EQ(refused([](Spec& s) { s.model.head_dim = 128; }), "model.head_dim");
  EXPECT_EQ(refused([](Spec& s) { s.parallel.ep = 2; }), "parallel.ep");
  EXPECT_EQ(refused([](Spec& s) { s.parallel.sharding = Sharding::zero1; }), "parallel.sharding");
  EXPECT_EQ(refused([](Spec& s) {
              s.parallel.cp = 2;
              s.parallel.cp_method = ContextMethod::ring;
            }),
            "parallel.cp_method");
  EXPECT_EQ(refused([](Spec& s) { s.model.moe.emplace().first_dense = 1; }), "model.moe");
  EXPECT_EQ(refused([](Spec& s) { s.schedule.chunks = 2; }), "schedule");
}

TEST(Stage, RefusesWhatItWouldCutUnevenly) {
  Spec spec = spec_of(StageRun());
  spec.parallel.pp = 3;
  const Result<Program> program = assemble_stage(spec);
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().code, Errc::config_conflict);
  EXPECT_NE(program.error().what.find("layers over pp"), std::string::npos);
}

TEST(Stage, RefusesOperationsThatCannotBeCounted) {
  Spec spec = spec_of(StageRun());
  spec.batch.micro = 1 << 24;
  spec.batch.global = 1 << 24;
  spec.batch.seq = 1 << 26;
  const Result<Program> program = assemble_stage(spec);
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().code, Errc::config_range);
}

}  // namespace
}  // namespace orrery::workload
