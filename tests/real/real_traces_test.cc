// SPDX-License-Identifier: Apache-2.0
//
// Traces that other programs recorded. They may not be copied here, so they are looked for beside
// the project.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "orrery/analysis/workload/consistency.h"
#include "orrery/analysis/workload/workload_summary.h"
#include "orrery/core/paths_testing.h"
#include "orrery/platform/cluster/cluster.h"
#include "orrery/sim/simulate.h"
#include "orrery/trace/chakra/load.h"

namespace orrery {
namespace {

namespace fs = std::filesystem;
using graph::NodeKind;
using graph::Repair;

const fs::path kTraces =
    fs::path(core_testing::kSourceFolder) / ".." / "shared" / "data" / "traces";

class RealTraces : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(kTraces))
      GTEST_SKIP() << "the recorded traces are not beside the project (../shared/data/traces)";
    folder_ = fs::path(testing::TempDir()) / ("orrery_real_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  /// The files of an archive, unpacked.
  [[nodiscard]] fs::path unpack(const std::string& archive) const {
    const std::string command =
        "tar xzf '" + (kTraces / archive).string() + "' -C '" + folder_.string() + "'";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    return folder_;
  }

  static Result<graph::Graph> read(const fs::path& path, Repair repair, Findings& findings) {
    return trace::chakra::load_rank(path.string(), std::make_shared<StringPool>(), repair,
                                    findings);
  }

  static platform::Platform cluster(platform::Rules rules) {
    Findings findings;
    auto platform = platform::parse_cluster(
        "{device: a100-40gb, network: [{block: switch, size: 2, link: nvlink3}]}", "cluster",
        findings);
    EXPECT_TRUE(platform.has_value());
    platform->rules = rules;
    return *platform;
  }

  /// Both ranks replay this trace to its end. (Recorded host-side collectives such as
  /// c10d::broadcast_ carry neither type nor size, so anything but a replay refuses them.)
  static bool replay(const graph::Graph& graph) {
    graph::Workload workload;
    workload.graphs = {std::make_shared<const graph::Graph>(graph)};
    workload.graph_of_rank = {0, 0};
    workload.files = {"recorded", "recorded"};
    platform::Platform platform = cluster(platform::Rules::orrery);
    platform.replay_only = true;
    const auto result = sim::simulate(workload, platform);
    EXPECT_TRUE(result.has_value()) << (result ? "" : to_string(result.error()));
    return result && result->ranks[0].finish && result->ranks[1].finish && result->end > Time{};
  }

  fs::path folder_;
};

TEST_F(RealTraces, TwoRankDdpStepIsReadCheckedAndSimulated) {
  auto workload =
      trace::chakra::load_workload((kTraces / "astra_ddp2" / "test-1.chakra_trace").string());
  ASSERT_TRUE(workload.has_value()) << to_string(workload.error());
  ASSERT_EQ(workload->rank_count(), 2u);

  const analysis::WorkloadSummary summary = analysis::summarize(*workload);
  EXPECT_EQ(summary.total.nodes, 3'268u);
  EXPECT_EQ(summary.total.kinds[static_cast<std::size_t>(NodeKind::coll)], 4u);
  EXPECT_EQ(summary.total.cpu_nodes, 3'184u);
  EXPECT_EQ(summary.total.recorded.count() / kPsPerUs, 208'199);

  // The recording names two process groups and comes without a file that says who is in them.
  EXPECT_EQ(analysis::check_consistency(*workload).problems.front().kind,
            analysis::ProblemKind::unknown_group);
  for (const char* group : {"1", "2"}) workload->groups[group] = {group, {0, 1}};
  EXPECT_EQ(analysis::check_consistency(*workload).count, 0u);

  for (const auto rules : {platform::Rules::orrery, platform::Rules::astra}) {
    const auto result = sim::simulate(*workload, cluster(rules));
    ASSERT_TRUE(result.has_value()) << to_string(result.error());
    EXPECT_FALSE(result->stall.has_value());
    for (const sim::RankResult& rank : result->ranks) {
      ASSERT_TRUE(rank.finish.has_value());
      EXPECT_GE(*rank.finish, rank.compute);
      EXPECT_GT(rank.comm, Time{});
    }
    EXPECT_GE(result->end,
              summary.parts.front().contents.recorded);  // one rank's GPU work, one node at a time
  }
}

TEST_F(RealTraces, JsonTracesAreRead) {
  const fs::path folder = unpack("chakra/json_trace.tar.gz") / "jsonData";
  Findings findings;
  const auto graph = read(folder / "chakra.0.json", Repair::refuse, findings);
  ASSERT_TRUE(graph.has_value()) << to_string(graph.error());
  EXPECT_EQ(graph->size(), 3'664u);
  const auto small = read(folder / "small_chakra.0.json", Repair::refuse, findings);
  ASSERT_TRUE(small.has_value()) << to_string(small.error());
  EXPECT_EQ(small->size(), 7u);

  EXPECT_TRUE(replay(*graph));
  EXPECT_TRUE(replay(*small));
}

TEST_F(RealTraces, AnExcerptIsRefusedOrRepaired) {
  const fs::path path =
      unpack("chakra/feeder_tests_trace.tar.gz") / "tests" / "data" / "chakra.0.et";
  Findings findings;
  const auto refused = read(path, Repair::refuse, findings);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Errc::input_dangling_dep);
  const auto repaired = read(path, Repair::repair, findings);
  ASSERT_TRUE(repaired.has_value()) << to_string(repaired.error());
  EXPECT_GT(findings.count(FindingCode::dangling_dep_dropped), 0u);
  EXPECT_TRUE(replay(*repaired));
}

TEST_F(RealTraces, AnotherToolsTraceIsNamed) {
  const fs::path path = unpack("chakra/1.0.2-chakra.0.0.4.tgz") / "1.0.2-chakra.0.0.4.json";
  Findings findings;
  const auto graph = read(path, Repair::refuse, findings);
  ASSERT_FALSE(graph.has_value());
  EXPECT_EQ(graph.error().code, Errc::input_unsupported);
}

}  // namespace
}  // namespace orrery
