// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/chakra/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "orrery/trace/chakra/chakra_testing.h"

namespace orrery::trace::chakra {
namespace {

namespace fs = std::filesystem;
using graph::Repair;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::node;
using testing::trace;

class Load : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) /
              ("orrery_load_" +
               std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void put(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }
  [[nodiscard]] std::string prefix() const { return (folder_ / "w").string(); }

  fs::path folder_;
};

std::string one(std::uint64_t size) {
  return trace({node(0, 7, {}, {attribute_uint64("comm_size", size)})});
}

TEST_F(Load, EqualFilesAreStoredOnce) {
  put("w.0.et", one(1));
  put("w.1.et", one(2));
  put("w.2.et", one(1));
  fs::create_symlink("w.1.et", folder_ / "w.3.et");
  fs::create_hard_link(folder_ / "w.0.et", folder_ / "w.4.et");
  put("w.10.et.bak", "no trace");
  put("x.5.et", "no trace");
  const auto workload = load_workload(prefix());
  ASSERT_TRUE(workload) << to_string(workload.error());
  EXPECT_EQ(workload->graphs.size(), 2u);
  EXPECT_THAT(workload->graph_of_rank, ElementsAre(0u, 1u, 0u, 1u, 0u));
  EXPECT_EQ(workload->files[3], prefix() + ".3.et");
}

TEST_F(Load, EqualLargeFilesAreStoredOnce) {
  std::vector<NodeRecord> nodes;
  for (std::uint64_t i = 0; i < 40000; ++i) nodes.push_back(node(i, 4));
  const std::string bytes = trace(nodes);
  ASSERT_GT(bytes.size(), std::size_t{512} << 10);
  nodes[7].type = 3;
  put("w.0.et", bytes);
  put("w.1.et", trace(nodes));
  put("w.2.et", bytes);
  const auto workload = load_workload(prefix());
  ASSERT_TRUE(workload);
  EXPECT_THAT(workload->graph_of_rank, ElementsAre(0u, 1u, 0u));
}

/// 300 nodes with names of their own; ranks differ.
std::string many(std::uint64_t rank) {
  std::vector<NodeRecord> nodes;
  for (std::uint64_t i = 0; i < 300; ++i) {
    nodes.push_back(node(i, 4, i == 0 ? std::vector<std::uint64_t>{} : std::vector{i / 2}));
    nodes.back().name = "rank " + std::to_string(rank) + " node " + std::to_string(i);
    nodes.back().attributes.push_back(attribute_uint64("num_ops", rank * 1000 + i));
  }
  return trace(nodes);
}

TEST_F(Load, SpillsWhatMemoryHasNoRoomFor) {
  constexpr std::uint32_t kFiles = 20;
  for (std::uint32_t rank = 0; rank < kFiles; ++rank)
    put("w." + std::to_string(rank) + ".et", many(rank));
  put("w.20.et", many(7));
  const auto in_memory = load_workload(prefix());
  ASSERT_TRUE(in_memory) << to_string(in_memory.error());
  EXPECT_EQ(in_memory->spilled_bytes(), 0u);
  const std::size_t one = in_memory->graphs[0]->resident_bytes();

  fs::create_directories(folder_ / "spill");
  LoadOptions options;
  options.spill_folder = (folder_ / "spill").string();
  for (const std::uint64_t memory : {std::uint64_t{0}, std::uint64_t{5 * one}, ~std::uint64_t{0}}) {
    options.memory = memory;
    const auto workload = load_workload(prefix(), options);
    ASSERT_TRUE(workload) << to_string(workload.error());
    EXPECT_TRUE(fs::is_empty(options.spill_folder));
    ASSERT_EQ(workload->graph_of_rank, in_memory->graph_of_rank);
    ASSERT_EQ(workload->graphs.size(), std::size_t{kFiles});
    std::size_t held = 0, spilled = 0;
    for (std::size_t i = 0; i < workload->graphs.size(); ++i) {
      const graph::Graph& graph = *workload->graphs[i];
      EXPECT_EQ(graph.content_hash(), in_memory->graphs[i]->content_hash());
      EXPECT_EQ(graph.name(299), "rank " + std::to_string(i) + " node 299");
      held += graph.spilled_bytes() == 0 ? graph.resident_bytes() : 0;
      spilled += graph.spilled_bytes() == 0 ? 0 : 1;
    }
    EXPECT_EQ(spilled == 0, workload->spilled_bytes() == 0);
    if (memory == 0) {
      EXPECT_EQ(spilled, std::size_t{kFiles});
    } else if (memory == 5 * one) {
      EXPECT_LE(held, memory + one);  // the one that goes beyond it is there already
      EXPECT_GT(held, 0u);
      EXPECT_GT(spilled, 10u);
    } else {
      EXPECT_EQ(spilled, 0u);
    }
  }
}

TEST_F(Load, SaysThatItCannotSpill) {
  put("w.0.et", many(0));
  LoadOptions options;
  options.spill_folder = (folder_ / "none").string();
  const auto workload = load_workload(prefix(), options);
  ASSERT_FALSE(workload);
  EXPECT_EQ(workload.error().code, Errc::output_failed);
  EXPECT_EQ(workload.error().where, options.spill_folder);
}

TEST_F(Load, SaysWhichRankIsMissing) {
  EXPECT_EQ(load_workload(prefix()).error().code, Errc::input_not_found);
  put("w.0.et", one(1));
  put("w.2.et", one(1));
  const auto gap = load_workload(prefix());
  ASSERT_FALSE(gap);
  EXPECT_EQ(gap.error().code, Errc::input_not_found);
  EXPECT_THAT(gap.error().where, HasSubstr("w.1.et"));
  LoadOptions options;
  options.ranks = 1;
  EXPECT_EQ(load_workload(prefix(), options)->rank_count(), 1u);
  options.ranks = 2;
  EXPECT_THAT(load_workload(prefix(), options).error().where, HasSubstr("w.1.et"));
}

TEST_F(Load, OthersDoWhatTheRankBeforeThemDoes) {
  put("w.0.et", one(1));
  put("w.2.et", one(2));
  put("w.json", R"({"a": [0, 2], "b": [1, 3]})");
  LoadOptions options;
  options.ranks = 4;
  options.allow_missing_ranks = true;
  const auto workload = load_workload(prefix(), options);
  ASSERT_TRUE(workload) << to_string(workload.error());
  EXPECT_THAT(workload->graph_of_rank, ElementsAre(0u, 0u, 1u, 1u));
  EXPECT_THAT(workload->without_trace, ElementsAre(1u, 3u));
  EXPECT_EQ(workload->files[1], workload->files[0]);
  EXPECT_EQ(workload->files[3], prefix() + ".2.et");
  options.ranks = 6;  // of which groups know nothing
  const auto more = load_workload(prefix(), options);
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code, Errc::input_not_found);
  EXPECT_THAT(more.error().where, HasSubstr("w.1.et"));
  EXPECT_THAT(more.error().what, HasSubstr("name 4 ranks, not 6"));
  fs::remove(folder_ / "w.json");
  options.ranks = 4;
  EXPECT_THAT(load_workload(prefix(), options).error().what, HasSubstr("no process group"));
  fs::remove(folder_ / "w.0.et");  // no rank is before it
  EXPECT_THAT(load_workload(prefix(), options).error().where, HasSubstr("w.0.et"));
}

TEST_F(Load, ErrorsNameTheRanksFile) {
  put("w.0.et", one(1));
  put("w.1.et", trace({node(1, 4, {5})}));
  const auto workload = load_workload(prefix());
  ASSERT_FALSE(workload);
  EXPECT_THAT(workload.error().where, HasSubstr("w.1.et:byte 8 (node 1)"));
}

TEST_F(Load, OddFilesAreErrorsNotHangs) {
  fs::create_directories(folder_ / "w.0.et");
  EXPECT_EQ(load_workload(prefix()).error().code, Errc::input_read);
  fs::remove(folder_ / "w.0.et");
  ASSERT_EQ(::mkfifo((folder_ / "w.0.et").c_str(), 0600), 0);
  EXPECT_EQ(load_workload(prefix()).error().code, Errc::input_read);
  fs::remove(folder_ / "w.0.et");
  put("w.0.et", "");
  EXPECT_EQ(load_workload(prefix()).error().code, Errc::input_empty);
}

TEST_F(Load, ReadsGroups) {
  for (int rank = 0; rank < 4; ++rank) put("w." + std::to_string(rank) + ".et", one(1));
  put("w.json", R"({"1": [2, 0], "2": [1, 3]})");
  auto workload = load_workload(prefix());
  ASSERT_TRUE(workload) << to_string(workload.error());
  EXPECT_THAT(workload->groups.at("1").ranks, ElementsAre(2u, 0u));
  put("comm_group.json", R"({"9": [0]})");
  EXPECT_EQ(load_workload(prefix())->groups.count("9"), 1u);
  LoadOptions options;
  options.find_companion = false;
  EXPECT_TRUE(load_workload(prefix(), options)->groups.empty());
  options.group_file = (folder_ / "w.json").string();
  EXPECT_EQ(load_workload(prefix(), options)->groups.size(), 2u);
  options.group_file = (folder_ / "none.json").string();
  EXPECT_EQ(load_workload(prefix(), options).error().code, Errc::input_not_found);
}

TEST_F(Load, RefusesBadGroups) {
  put("w.0.et", one(1));
  const auto code = [&](const std::string& json) {
    put("comm_group.json", json);
    const auto workload = load_workload(prefix());
    EXPECT_FALSE(workload) << json;
    return workload ? Errc::usage : workload.error().code;
  };
  EXPECT_EQ(code("{"), Errc::input_group);
  EXPECT_EQ(code("[1]"), Errc::input_group);
  EXPECT_EQ(code(R"({"1": 0})"), Errc::input_group);
  EXPECT_EQ(code(R"({"1": ["0"]})"), Errc::input_group);
  EXPECT_EQ(code(R"({"1": [0, 0]})"), Errc::input_group);
  EXPECT_EQ(code(R"({"1": [1]})"), Errc::input_group);
  EXPECT_EQ(code(R"({"1": [-1]})"), Errc::input_range);
  EXPECT_EQ(code(R"({"1": [99999999999999]})"), Errc::input_range);
  EXPECT_EQ(code(std::string(100000, '[')), Errc::input_group);
  EXPECT_EQ(code("{\"1\":" + std::string(20 << 20, ' ') + "[0]}"), Errc::limit_exceeded);
  LoadOptions options;
  options.repair = Repair::repair;
  put("comm_group.json", R"({"1": [0, 7, 0]})");
  const auto repaired = load_workload(prefix(), options);
  ASSERT_TRUE(repaired);
  EXPECT_THAT(repaired->groups.at("1").ranks, ElementsAre(0u));
  EXPECT_EQ(repaired->findings.count(FindingCode::value_clamped), 2u);
}

TEST_F(Load, GroupsThatContradictEachOther) {
  const auto init = [](const char* values) {
    NodeRecord record = node(1, 1);
    record.inputs.emplace().values = values;
    return trace({record});
  };
  put("w.0.et", init(R"(['[{"pg_name": "1", "ranks": [0]}]'])"));
  put("w.1.et", init(R"(['[{"pg_name": "1", "ranks": [1]}]'])"));
  EXPECT_EQ(load_workload(prefix()).error().code, Errc::input_group);
  LoadOptions options;
  options.repair = Repair::repair;
  EXPECT_THAT(load_workload(prefix(), options)->groups.at("1").ranks, ElementsAre(0u));
}

}  // namespace
}  // namespace orrery::trace::chakra
