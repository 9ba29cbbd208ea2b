// SPDX-License-Identifier: Apache-2.0
#include "orrery/job_formats/exporters/write_simai.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <sstream>

#include "orrery/job_formats/importers/importer.h"
#include "orrery/workload/operators/lowered_model_testing.h"

namespace orrery::workload {
namespace {

using testing::HasSubstr;

/// A file as SimAI reads it: the header's words by what stands before them, then rows of twelve.
struct SimaiFile {
  struct Cell {
    std::int64_t time = 0;
    std::string collective;
    std::uint64_t size = 0;
  };
  struct Row {
    std::string name;
    std::array<Cell, 3> cells;  // forward, input gradient, weight gradient
  };
  std::string policy;
  std::map<std::string, int> header;
  std::vector<Row> rows;

  /// Bytes of each collective of a column.
  [[nodiscard]] std::map<std::string, std::uint64_t> traffic(std::size_t column) const {
    std::map<std::string, std::uint64_t> sums;
    for (const Row& row : rows) {
      const Cell& cell = row.cells[column];
      if (cell.collective != "NONE") sums[cell.collective] += cell.size;
    }
    return sums;
  }
  [[nodiscard]] std::int64_t time(std::size_t column) const {
    std::int64_t sum = 0;
    for (const Row& row : rows) sum += row.cells[column].time;
    return sum;
  }
};

SimaiFile read_simai(const std::string& text) {
  SimaiFile file;
  std::istringstream in(text);
  std::string line, word;
  std::getline(in, line);
  std::istringstream head(line);
  head >> file.policy;
  for (std::string key; head >> key >> word;) file.header[key] = std::stoi(word);
  std::getline(in, line);
  const int lines = std::stoi(line);
  for (int i = 0; i < lines; ++i) {
    SimaiFile::Row row;
    int dependency = 0;
    std::int64_t update = 0;
    in >> row.name >> dependency;
    for (SimaiFile::Cell& cell : row.cells) in >> cell.time >> cell.collective >> cell.size;
    in >> update;
    EXPECT_TRUE(in.good()) << "row " << i;
    EXPECT_EQ(dependency, -1);
    file.rows.push_back(row);
  }
  EXPECT_FALSE(in >> word) << "more rows than there should be: " << word;
  return file;
}

Program program_as_text(const Spec& spec) {
  Findings findings;
  Result<Program> program = assemble(spec, findings);
  if (!program) ADD_FAILURE() << to_string(program.error());
  return program ? std::move(*program) : Program{};
}

Spec megatron() {
  Spec spec = gpt();
  spec.model.layers = 8;
  spec.parallel.tp = 4;
  spec.parallel.sp = true;
  spec.parallel.pp = 2;
  spec.parallel.dp = 2;
  spec.parallel.sharding = Sharding::zero1;
  spec.batch.micro = 1;
  spec.batch.global = 2 * 6;
  return spec;
}

/// What the first role's tasks hold: bytes by collective and axis, time by phase.
struct Passed {
  std::map<std::string, std::uint64_t> bytes;
  std::int64_t time = 0, weights = 0;
};
Passed sums_of(const Program& program, const Role& role, TaskKind from, TaskKind to) {
  Passed sums;
  for (const Task& task : expand_task_loops(role.tasks)) {
    if (task.kind < from || task.kind > to) continue;
    for (const Segment& segment : role.recipes[task.recipe]) {
      for (const Op& op : program.bodies[segment.body].ops) {
        if (op.op_class == OpClass::copy) continue;
        if (op.kind == graph::NodeKind::comp)
          (op.phase == Phase::weight_grad ? sums.weights : sums.time) += op.matmul * segment.count;
        if (op.kind != graph::NodeKind::coll) continue;
        const bool gather = op.collective == graph::CollectiveType::all_gather;
        sums.bytes[std::string(graph::name(op.collective)) + " " + std::string(name(op.axis))] +=
            static_cast<std::uint64_t>(op.size) * segment.count *
            (gather ? program.mesh.extent(op.axis) : 1);
      }
    }
  }
  return sums;
}

TEST(WriteSimai, HeaderSaysThePlan) {
  const auto text = to_simai(program_as_text(megatron()));
  ASSERT_TRUE(text) << to_string(text.error());
  const SimaiFile file = read_simai(*text);
  EXPECT_EQ(file.policy, "HYBRID_TRANSFORMER_FWD_IN_BCKWD");
  EXPECT_THAT(file.header,
              testing::UnorderedElementsAre(
                  testing::Pair("model_parallel_NPU_group:", 4), testing::Pair("ep:", 1),
                  testing::Pair("pp:", 2), testing::Pair("vpp:", 1), testing::Pair("ga:", 6),
                  testing::Pair("all_gpus:", 16), testing::Pair("checkpoints:", 0),
                  testing::Pair("checkpoint_initiates:", 0),
                  // Activations of a microbatch in 16 bits, a quarter of the tokens.
                  testing::Pair("pp_comm:", 2 * 256 * 512 / 4)));
  // Our own importer finds the same plan.
  Spec spec;
  Findings findings;
  const Result<void> read = import_into(spec, *text, "w.txt", findings);
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ(spec.parallel.tp, 4);
  EXPECT_EQ(spec.parallel.pp, 2);
  EXPECT_EQ(spec.parallel.dp, 2);
  EXPECT_EQ(spec.microbatches(), 6);
}

TEST(WriteSimai, RowsHoldTheStagesTimeAndTraffic) {
  const Program program = program_as_text(megatron());
  const auto text = to_simai(program, [](const Op& op) { return op.matmul; });
  ASSERT_TRUE(text);
  const SimaiFile file = read_simai(*text);
  const Role& last = program.roles.back();  // holds the head
  const Passed forward = sums_of(program, last, TaskKind::forward, TaskKind::forward);
  const Passed backward = sums_of(program, last, TaskKind::backward, TaskKind::weight_grad);
  const Passed step = sums_of(program, last, TaskKind::step, TaskKind::step);
  EXPECT_EQ(file.time(0), forward.time);
  EXPECT_EQ(file.time(1), backward.time + step.time);
  EXPECT_EQ(file.time(2), backward.weights);
  EXPECT_GT(file.time(2), 0);

  auto traffic = file.traffic(0);
  EXPECT_EQ(traffic["ALLGATHER"], forward.bytes.at("all_gather tp"));
  EXPECT_EQ(traffic["REDUCESCATTER"], forward.bytes.at("reduce_scatter tp"));
  EXPECT_EQ(traffic["ALLREDUCE"], forward.bytes.at("all_reduce tp"));
  traffic = file.traffic(1);
  EXPECT_EQ(traffic["ALLGATHER"], backward.bytes.at("all_gather tp"));
  EXPECT_EQ(traffic["REDUCESCATTER"], backward.bytes.at("reduce_scatter tp"));
  // Gradients and weights of the distributed optimizer.
  std::uint64_t scattered = 0, gathered = 0;
  for (const Passed* sums : {&backward, &step}) {
    for (const auto& [key, bytes] : sums->bytes) {
      if (key == "reduce_scatter dp" || key == "reduce_scatter dp_shard") scattered += bytes;
      if (key == "all_gather dp" || key == "all_gather dp_shard") gathered += bytes;
    }
  }
  traffic = file.traffic(2);
  EXPECT_GT(scattered, 0u);
  EXPECT_EQ(traffic["REDUCESCATTER"], scattered);
  EXPECT_EQ(traffic["ALLGATHER"], gathered);
}

TEST(WriteSimai, ExpertsHaveGroupsOfTheirOwn) {
  Spec spec = megatron();
  spec.model.moe = Moe{};
  spec.parallel.ep = 2;
  const auto text = to_simai(program_as_text(spec));
  ASSERT_TRUE(text) << to_string(text.error());
  const SimaiFile file = read_simai(*text);
  EXPECT_EQ(file.header.at("ep:"), 2);
  EXPECT_GT(file.traffic(0)["ALLTOALL_EP"], 0u);
  EXPECT_EQ(file.traffic(0)["ALLTOALL_EP"], file.traffic(1)["ALLTOALL_EP"]);
}

TEST(WriteSimai, EveryMicrobatchHasItsRows) {
  Spec spec = megatron();
  const SimaiFile few = read_simai(*to_simai(program_as_text(spec)));
  spec.batch.global *= 2;
  const SimaiFile many = read_simai(*to_simai(program_as_text(spec)));
  EXPECT_EQ(many.traffic(0).at("ALLGATHER"), 2 * few.traffic(0).at("ALLGATHER"));
  EXPECT_EQ(many.traffic(2).at("ALLGATHER"), few.traffic(2).at("ALLGATHER")) << "once per step";
}

TEST(WriteSimai, WhatItsFormatCannotSayIsRefused) {
  const auto refused = [](const Spec& spec) {
    const auto text = to_simai(program_as_text(spec));
    EXPECT_FALSE(text);
    if (text) return std::string();
    EXPECT_EQ(text.error().code, Errc::config_conflict);
    return text.error().what;
  };
  Spec spec = megatron();
  spec.parallel.sharding = Sharding::zero3;
  EXPECT_THAT(refused(spec), HasSubstr("in the forward pass"));
  spec = megatron();
  spec.parallel.cp = 2;
  EXPECT_THAT(refused(spec), HasSubstr("messages are sent along cp"));
  spec.parallel.cp_method = ContextMethod::all_gather;
  EXPECT_THAT(refused(spec), HasSubstr("over cp in the forward pass"));
  spec = megatron();
  spec.parallel.dp = 4;
  spec.batch.global = 24;
  spec.parallel.shard_size = 2;
  spec.parallel.sharding = Sharding::zero2;
  EXPECT_THAT(refused(spec), HasSubstr("sharded over only a part"));
}

}  // namespace
}  // namespace orrery::workload
