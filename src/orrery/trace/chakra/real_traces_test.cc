// SPDX-License-Identifier: Apache-2.0
//
// Traces other people's tools wrote. They are not part of the project; without them these tests
// skip.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "orrery/core/paths_testing.h"
#include "orrery/trace/chakra/load.h"
#include "orrery/trace/chakra/records/record.h"
#include "orrery/trace/chakra/records/writer.h"

namespace orrery::trace::chakra {
namespace {

namespace fs = std::filesystem;
using graph::Repair;

class RealTraces : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(traces())) GTEST_SKIP() << "no real traces at ../shared/data/traces";
    folder_ = fs::path(::testing::TempDir()) /
              ("orrery_real_" +
               std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }
  static fs::path traces() {
    return fs::path(core_testing::kSourceFolder) / "../shared/data/traces";
  }
  /// Unpacks an archive of the folder into the scratch folder.
  void unpack(const std::string& archive) const {
    const std::string command = "tar -xzf '" + (traces() / archive).string() + "' -C '" +
                                folder_.string() + "' 2>/dev/null";
    ASSERT_EQ(std::system(command.c_str()), 0);
  }
  struct Loaded {
    Result<graph::Graph> graph;
    Findings findings;
  };
  [[nodiscard]] Loaded load(const std::string& path, Repair repair) const {
    Loaded out{fail(Errc::input_empty, "", ""), {}};
    out.graph =
        load_rank((folder_ / path).string(), std::make_shared<StringPool>(), repair, out.findings);
    return out;
  }

  fs::path folder_;
};

TEST_F(RealTraces, TwoRanksOfDdp) {
  const auto workload = load_workload((traces() / "astra_ddp2/test-1.chakra_trace").string());
  ASSERT_TRUE(workload) << to_string(workload.error());
  ASSERT_EQ(workload->rank_count(), 2u);
  const std::int64_t sums[] = {153'218, 274'703};
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    const graph::Graph& graph = workload->graph(rank);
    EXPECT_EQ(graph.size(), 1634u);
    Time sum{};
    std::size_t all_reduce = 0;
    for (graph::NodeId n = 0; n < graph.size(); ++n) {
      sum += graph.duration(n);
      if (graph.kind(n) == graph::NodeKind::coll) {
        all_reduce += graph.collective(n).type == graph::CollectiveType::all_reduce ? 1 : 0;
      }
    }
    EXPECT_EQ(sum, us(sums[rank]));
    EXPECT_EQ(all_reduce, 2u);
  }
}

TEST_F(RealTraces, EightRanksOfLlama) {
  unpack("stage/llama8L_dp2tp2pp2.tar.gz");
  const auto workload = load_workload((folder_ / "w").string());
  ASSERT_TRUE(workload) << to_string(workload.error());
  ASSERT_EQ(workload->rank_count(), 8u);
  EXPECT_EQ(workload->groups.size(), 16u);
  // The last pipeline stage has two nodes more.
  for (std::uint32_t rank = 0; rank < 8; ++rank)
    EXPECT_EQ(workload->graph(rank).size(), rank < 4 ? 177u : 179u);
  EXPECT_TRUE(workload->findings.empty());
}

TEST_F(RealTraces, TheConvertersOwnTestTraceNeedsRepair) {
  unpack("chakra/feeder_tests_trace.tar.gz");
  const auto strict = load("tests/data/chakra.0.et", Repair::refuse);
  ASSERT_FALSE(strict.graph);
  EXPECT_EQ(strict.graph.error().code, Errc::input_dangling_dep);
  const auto repaired = load("tests/data/chakra.0.et", Repair::repair);
  ASSERT_TRUE(repaired.graph) << to_string(repaired.graph.error());
  EXPECT_EQ(repaired.graph->size(), 3664u);
  EXPECT_EQ(repaired.findings.count(FindingCode::dangling_dep_dropped), 1277u);
  EXPECT_EQ(repaired.findings.count(FindingCode::self_edge_dropped), 383u);
}

TEST_F(RealTraces, JsonWorkloads) {
  unpack("chakra/json_trace.tar.gz");
  const auto large = load("jsonData/chakra.0.json", Repair::refuse);
  ASSERT_TRUE(large.graph) << to_string(large.graph.error());
  EXPECT_EQ(large.graph->size(), 3664u);
  EXPECT_EQ(large.graph->edge_count(), 181'878u);
  EXPECT_EQ(load("jsonData/small_chakra.0.json", Repair::refuse).graph->size(), 7u);
}

TEST_F(RealTraces, ThePyTorchTraceBesideThemIsNamedAsSuch) {
  unpack("chakra/1.0.2-chakra.0.0.4.tgz");
  const auto out = load("1.0.2-chakra.0.0.4.json", Repair::refuse);
  ASSERT_FALSE(out.graph);
  EXPECT_EQ(out.graph.error().code, Errc::input_unsupported);
}

TEST_F(RealTraces, EveryBinaryOneIsWrittenBackByteForByte) {
  unpack("chakra/feeder_tests_trace.tar.gz");
  unpack("stage/llama8L_dp2tp2pp2.tar.gz");
  fs::copy(traces() / "astra_ddp2", folder_);
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
    if (entry.path().extension() != ".et") continue;
    ++files;
    const auto trace = read_records(entry.path().string());
    ASSERT_TRUE(trace) << to_string(trace.error());
    for (const NodeRecord& node : trace->nodes)
      ASSERT_FALSE(node.original.bytes) << entry.path() << " " << node.id;
    const std::string again = (folder_ / "again").string();
    ASSERT_TRUE(write_records(again, *trace, {.force = true}));
    const std::string command = "cmp -s '" + entry.path().string() + "' '" + again + "'";
    EXPECT_EQ(std::system(command.c_str()), 0) << entry.path();
  }
  EXPECT_EQ(files, 11u);
}

}  // namespace
}  // namespace orrery::trace::chakra
