// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/jobs/program_to_chakra.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "orrery/trace/chakra/groups.h"
#include "orrery/trace/chakra/load.h"
#include "orrery/trace/chakra/records/writer.h"
#include "orrery/workload/operators/lowered_model_testing.h"

namespace orrery::study {
namespace {

namespace fs = std::filesystem;
using workload::Program;
using workload::Spec;

class WriteChakra : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        fs::path(testing::TempDir()) /
        (std::string("orrery_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string prefix(const char* name = "w") const {
    return (folder_ / name).string();
  }
  [[nodiscard]] std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_))
      names.insert(entry.path().filename().string());
    return names;
  }
  void put(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }

  fs::path folder_;
};

std::string read_written(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

Program program_to_write(const Spec& spec) {
  Findings findings;
  Result<Program> program = workload::assemble(spec, findings);
  if (!program) ADD_FAILURE() << to_string(program.error());
  return program ? std::move(*program) : Program{};
}

/// A small GPT with everything that numbers ranks: tensor, data and pipeline parallelism, tied
/// tables, a gradient norm.
Spec everything() {
  Spec spec = workload::gpt();
  spec.model.layers = 8;
  spec.model.tied_embeddings = true;
  spec.parallel.tp = 2;
  spec.parallel.dp = 4;
  spec.parallel.pp = 4;
  spec.parallel.sharding = workload::Sharding::zero1;
  spec.batch.micro = 1;
  spec.batch.global = 4 * 8;
  return spec;
}

/// Messages that go round: ring attention.
Spec ring() {
  Spec spec = workload::llama();
  spec.model.layers = 4;
  spec.parallel.cp = 4;
  spec.parallel.pp = 2;
  spec.parallel.dp = 20;  // 160 ranks: numbers of one and of two bytes
  spec.batch.micro = 1;
  spec.batch.global = 20 * 4;
  return spec;
}

Spec split_backward() {
  Spec spec = everything();
  spec.schedule.kind = workload::ScheduleKind::zb_h1;
  spec.parallel.sharding = workload::Sharding::zero3;
  return spec;
}

/// Tokens that DeepEP carries.
Spec experts() {
  Spec spec = workload::llama();
  spec.model.layers = 2;
  spec.model.moe = workload::Moe{.experts = 8, .top_k = 2};
  spec.parallel.dp = 8;
  spec.parallel.ep = 4;
  spec.parallel.dispatcher = workload::Dispatcher::deepep;
  spec.batch.micro = 1;
  spec.batch.global = 8;
  return spec;
}

/// Rank's trace as the trace library writes the graph that it is.
std::string expected_bytes(const Program& program, std::uint32_t rank,
                           const trace::chakra::GroupMap& groups, const std::string& path) {
  const auto strings = std::make_shared<StringPool>();
  graph::GraphBuilder builder("expected", strings, graph::Repair::refuse);
  const auto group_of = [&](std::string_view axis_name) {
    for (std::size_t a = 0; a < workload::kAxes; ++a) {
      const auto axis = static_cast<workload::Axis>(a);
      if (name(axis) != axis_name) continue;
      const auto members = program.mesh.axis(axis).members(program.mesh.axis(axis).first(rank));
      for (const auto& [number, group] : groups) {
        if (group.ranks == members) return number;
      }
    }
    return std::string("none");
  };
  collect_kernels(program, program.roles[program.role_of(rank)], builder.kernels());
  EXPECT_TRUE(workload::unroll(program, program.role_of(rank), *strings, builder.kernels(),
                               [&](const graph::NodeSpec& spec) -> Result<void> {
                                 graph::NodeSpec node = spec;
                                 if (node.kind == graph::NodeKind::coll) {
                                   node.collective.group = strings->intern(
                                       group_of(strings->view(node.collective.group)));
                                 }
                                 node.message.src += static_cast<std::int32_t>(rank);
                                 node.message.dst += static_cast<std::int32_t>(rank);
                                 node.flags &= static_cast<std::uint16_t>(~graph::kPeerRelative);
                                 builder.add(node);
                                 return {};
                               }));
  Findings findings;
  auto graph = std::move(builder).finish(findings);
  EXPECT_TRUE(graph);
  EXPECT_TRUE(write_records(path, trace::chakra::records_of(*graph, findings), {.force = true}));
  return read_written(path);
}

TEST_F(WriteChakra, BytesAreThoseOfTheTraceLibrary) {
  for (const Spec& spec : {everything(), ring(), split_backward(), experts()}) {
    const Program program = program_to_write(spec);
    const Result<ChakraWriteReport> report =
        write_chakra(program, {.prefix = prefix(), .overwrite = true});
    ASSERT_TRUE(report) << to_string(report.error());
    EXPECT_EQ(report->ranks, program.mesh.world());
    const auto groups = trace::chakra::read_groups(prefix() + ".json");
    ASSERT_TRUE(groups) << to_string(groups.error());
    EXPECT_EQ(groups->size(), report->groups);
    std::uint64_t bytes = fs::file_size(prefix() + ".json"), nodes = 0;
    for (std::uint32_t rank = 0; rank < program.mesh.world(); ++rank) {
      const std::string path = prefix() + "." + std::to_string(rank) + ".et";
      const std::string written = read_written(path);
      bytes += written.size();
      nodes += workload::node_count(program, program.role_of(rank));
      ASSERT_EQ(written, expected_bytes(program, rank, *groups, prefix("expected")))
          << "rank " << rank;
    }
    EXPECT_EQ(report->bytes, bytes);
    EXPECT_EQ(report->nodes, nodes);
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
}

TEST_F(WriteChakra, ReadersFindRanksAndGroups) {
  const Program program = program_to_write(everything());
  ASSERT_TRUE(write_chakra(program, {.prefix = prefix()}));
  const auto workload = trace::chakra::load_workload(prefix(), {});
  ASSERT_TRUE(workload) << to_string(workload.error());
  ASSERT_EQ(workload->rank_count(), 32u);
  for (std::uint32_t rank = 0; rank < 32; ++rank) {
    const graph::Graph& graph = workload->graph(rank);
    EXPECT_EQ(graph.size(), workload::node_count(program, program.role_of(rank)));
    for (graph::NodeId n = 0; n < graph.size(); ++n) {
      if (graph.kind(n) == graph::NodeKind::coll) {
        const auto& group =
            workload->groups.at(std::string(graph.string(graph.collective(n).group)));
        EXPECT_THAT(group.ranks, testing::Contains(rank));
      }
      if (graph.kind(n) == graph::NodeKind::send) {
        EXPECT_EQ(graph.point_to_point(n).src, static_cast<std::int32_t>(rank));
      }
      if (graph.kind(n) == graph::NodeKind::recv) {
        EXPECT_EQ(graph.point_to_point(n).dst, static_cast<std::int32_t>(rank));
      }
      EXPECT_EQ(graph.duration(n).count(), 0);
    }
  }
}

TEST_F(WriteChakra, ReadersFindWhoCarriesTokens) {
  const Program program = program_to_write(experts());
  ASSERT_TRUE(write_chakra(program, {.prefix = prefix()}));
  const auto workload = trace::chakra::load_workload(prefix(), {});
  ASSERT_TRUE(workload) << to_string(workload.error());
  std::multiset<std::string> carried;
  const graph::Graph& graph = workload->graph(0);
  for (graph::NodeId n = 0; n < graph.size(); ++n) {
    if (graph.kind(n) != graph::NodeKind::coll || !graph.collective(n).exchange) continue;
    EXPECT_EQ(graph.collective(n).type, graph::CollectiveType::all_to_all);
    carried.insert(to_text(graph.collective(n).exchange));
  }
  const std::string rest =
      " deepep experts=8 top_k=2 row=" + std::to_string(2 * program.spec.model.hidden);
  EXPECT_EQ(carried.count("dispatch" + rest), 4u);
  EXPECT_EQ(carried.count("combine" + rest), 4u);
  EXPECT_EQ(carried.size(), 8u);
}

// Gradients, weights, activations, tokens on their way to experts and back: each in its own format.
TEST_F(WriteChakra, CollectivesSayTheirNumbers) {
  Spec spec = experts();
  spec.parallel.tp = 2;
  spec.parallel.sp = true;
  spec.parallel.dp = 4;
  spec.parallel.sharding = workload::Sharding::zero3;
  spec.precision.weights = workload::Dtype::fp16;
  spec.precision.reduce = workload::Dtype::fp32;
  spec.precision.dispatch = workload::Dtype::fp8;
  ASSERT_TRUE(write_chakra(program_to_write(spec), {.prefix = prefix()}));
  const auto workload = trace::chakra::load_workload(prefix(), {});
  ASSERT_TRUE(workload) << to_string(workload.error());
  std::map<std::string, std::set<std::string>> by_name;
  const graph::Graph& graph = workload->graph(0);
  for (graph::NodeId n = 0; n < graph.size(); ++n) {
    if (graph.kind(n) != graph::NodeKind::coll) continue;
    const std::string name(graph.name(n));
    const auto has = [&](std::string_view part) { return name.find(part) != std::string::npos; };
    by_name[has("gradients")                          ? "gradients"
            : has("weights") || has("experts.gather") ? "weights"
            : has("dispatch")                         ? "dispatch"
            : has("combine")                          ? "combine"
            : has("norm.reduce") || has("loss")       ? "statistics"
                                                      : "activations"]
        .insert(std::string(graph::name(graph.collective(n).format)));
  }
  using Set = std::set<std::string>;
  EXPECT_EQ(by_name["gradients"], Set{"fp32"});
  EXPECT_EQ(by_name["weights"], Set{"fp16"});
  EXPECT_EQ(by_name["statistics"], Set{"fp32"});
  EXPECT_EQ(by_name["activations"], Set{"bf16"});
  EXPECT_EQ(by_name["dispatch"], (Set{"bf16", "fp8"})) << "there, and the gradient back";
  EXPECT_EQ(by_name["combine"], (Set{"bf16", "fp8"}));
}

TEST_F(WriteChakra, GroupsAreNumbersOfEqualLength) {
  ASSERT_TRUE(write_chakra(program_to_write(ring()), {.prefix = prefix()}));
  const auto groups = trace::chakra::read_groups(prefix() + ".json");
  ASSERT_TRUE(groups);
  ASSERT_GT(groups->size(), 9u);
  const std::size_t digits = groups->begin()->first.size();
  for (const auto& [name, group] : *groups) {
    EXPECT_EQ(name.size(), digits);
    EXPECT_GT(std::stoi(name), 0) << "0 means all ranks";
    EXPECT_GT(group.ranks.size(), 1u);
  }
}

TEST_F(WriteChakra, LongTracesComeBlockByBlockAndAreTheSame) {
  const Program program = program_to_write(ring());
  const ChakraWriteOptions whole{.prefix = prefix("whole")};
  const ChakraWriteOptions pieces{.prefix = prefix("pieces"), .block = 1000};
  const auto first = write_chakra(program, whole);
  const auto second = write_chakra(program, pieces);
  ASSERT_TRUE(first);
  ASSERT_TRUE(second);
  EXPECT_EQ(first->bytes, second->bytes);
  EXPECT_EQ(read_written(whole.prefix + ".json"), read_written(pieces.prefix + ".json"));
  for (std::uint32_t rank = 0; rank < program.mesh.world(); ++rank) {
    const std::string end = "." + std::to_string(rank) + ".et";
    ASSERT_EQ(read_written(whole.prefix + end), read_written(pieces.prefix + end)) << rank;
  }
}

TEST_F(WriteChakra, NothingIsOverwrittenUnasked) {
  const Program program = program_to_write(everything());
  put("w.31.et", "mine");
  const ChakraWriteOptions options{.prefix = prefix()};
  const Result<ChakraWriteReport> refused = write_chakra(program, options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::output_exists);
  EXPECT_THAT(refused.error().where, testing::EndsWith("w.31.et"));
  EXPECT_THAT(files(), testing::ElementsAre("w.31.et"));
  fs::remove(folder_ / "w.31.et");
  put("w.json", "mine");
  EXPECT_EQ(write_chakra(program, options).error().code, Errc::output_exists);
  const ChakraWriteOptions asked{.prefix = prefix(), .overwrite = true};
  EXPECT_TRUE(write_chakra(program, asked));
  EXPECT_EQ(files().size(), 33u);
  // A larger job's traces would be read together with these.
  put("w.32.et", "a larger job's");
  const Result<ChakraWriteReport> larger = write_chakra(program, asked);
  ASSERT_FALSE(larger);
  EXPECT_EQ(larger.error().code, Errc::output_exists);
  EXPECT_THAT(larger.error().where, testing::EndsWith("w.32.et"));
}

TEST_F(WriteChakra, WhatCannotBeFinishedLeavesNothing) {
  const Program program = program_to_write(everything());
  // A folder stands where rank 20's trace should go.
  fs::create_directory(folder_ / "w.20.et");
  std::uint64_t written = 0;
  const Result<ChakraWriteReport> failed = write_chakra(
      program, {.prefix = prefix(), .overwrite = true, .progress = [&](std::uint64_t ranks) {
                  written = ranks;
                }});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, Errc::output_failed);
  EXPECT_GT(written, 0u) << "some were finished before";
  EXPECT_THAT(files(), testing::ElementsAre("w.20.et"));

  std::ofstream(folder_ / "w.20.et/file") << "no folder";
  const Result<ChakraWriteReport> nowhere =
      write_chakra(program, {.prefix = prefix("w.20.et/file/w")});
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().code, Errc::output_failed);
}

TEST_F(WriteChakra, FoldersAreMadeForIt) {
  const Program program = program_to_write(everything());
  const auto made = write_chakra(program, {.prefix = prefix("new/folder/w")});
  ASSERT_TRUE(made) << to_string(made.error());
  EXPECT_TRUE(fs::exists(folder_ / "new/folder/w.0.et"));
}

TEST(WriteChakraLimits, MillionsOfFilesAreRefused) {
  Spec spec;
  spec.parallel.dp = static_cast<std::int64_t>(kMaxTraceFiles) + 1;
  Program program;
  program.mesh = workload::Mesh(spec);
  const auto report = write_chakra(program, {.prefix = testing::TempDir() + "many"});
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().code, Errc::limit_exceeded);
}

}  // namespace
}  // namespace orrery::study
