// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/formats/astra_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "orrery/trace/chakra/load.h"

namespace orrery::intake {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using trace::chakra::NodeRecord;

/// The nodes of a workload, dependencies by name.
struct Nodes {
  std::vector<NodeRecord> all;
  Findings findings;
  AstraTextReport report;

  explicit Nodes(std::string_view text, AstraTextOptions options = {}) {
    const auto workload = parse_astra_text(text, "w.txt", options, findings);
    EXPECT_TRUE(workload) << to_string(workload.error());
    if (!workload) return;
    const auto done = astra_nodes(*workload, options, [&](const AstraNode& node) -> Result<void> {
      all.push_back(node.record);
      return {};
    });
    EXPECT_TRUE(done);
    if (done) report = *done;
  }
  /// Of the n-th node with that name (from 0).
  [[nodiscard]] std::vector<std::string> deps(const std::string& name, int n = 0) const {
    std::vector<std::string> out;
    for (const NodeRecord& node : all) {
      if (node.name != name || n-- != 0) continue;
      for (const auto id : node.data_deps) out.push_back(all[id].name);
      return out;
    }
    return {"no such node"};
  }
};

std::string comp(const char* layer, const char* phase) {
  return std::string("COMP_NODE_") + layer + "_" + phase;
}
std::string comm(const char* layer, const char* word) {
  return std::string("COMM_COLL_NODE_") + layer + "_" + word;
}

const char* const kData =
    "DATA\n"
    "2\n"
    "a -1 5 NONE 0 6 NONE 0 7 ALLREDUCE 1000 0\n"
    "\n"
    "b\t-1 15 NONE 0 16 NONE 0 17 NONE 0 0\r\n";

TEST(AstraText, DataParallel) {
  const Nodes nodes(kData, {1, 2});
  ASSERT_EQ(nodes.all.size(), 12u);
  EXPECT_EQ(nodes.all[0].id, 0u);
  EXPECT_EQ(nodes.all[0].duration_micros, 5u);
  EXPECT_THAT(nodes.deps(comp("a", "FWD")), IsEmpty());
  EXPECT_THAT(nodes.deps(comp("b", "FWD")), ElementsAre(comp("a", "FWD")));
  EXPECT_THAT(nodes.deps(comp("b", "BWD_WG")), ElementsAre(comp("b", "FWD")));
  EXPECT_THAT(nodes.deps(comp("b", "BWD_IG")), ElementsAre(comp("b", "BWD_WG")));
  EXPECT_THAT(nodes.deps(comp("a", "BWD_WG")), ElementsAre(comp("b", "BWD_IG")));
  EXPECT_THAT(nodes.deps(comm("a", "ALLREDUCE")), ElementsAre(comp("a", "BWD_WG")));
  EXPECT_THAT(nodes.deps(comp("a", "BWD_IG")), ElementsAre("no such node"));
  EXPECT_THAT(nodes.deps(comp("a", "FWD"), 1), ElementsAre(comm("a", "ALLREDUCE")));
  EXPECT_THAT(nodes.deps(comp("b", "FWD"), 1), ElementsAre(comp("b", "BWD_WG"), comp("a", "FWD")))
      << "no communication: the computation itself";
  EXPECT_EQ(nodes.report.nodes, 12u);
  EXPECT_TRUE(nodes.findings.empty());
}

TEST(AstraText, NoneAsTheReferenceHasIt) {
  AstraTextOptions options;
  options.none_is_all_reduce = true;
  const Nodes nodes(kData, options);
  EXPECT_EQ(nodes.all.size(), 7u);
  EXPECT_THAT(nodes.deps(comm("b", "ALLREDUCE")), ElementsAre(comp("b", "BWD_WG")));
}

TEST(AstraText, ModelParallel) {
  const Nodes nodes(
      "MODEL\n2\n"
      "a -1 5 ALLGATHER 10 6 NONE 0 7 NONE 0 0\n"
      "b -1 5 ALLGATHER 20 6 REDUCESCATTER 30 7 NONE 0 0\n",
      {1, 2});
  EXPECT_THAT(nodes.deps(comm("a", "ALLGATHER")), ElementsAre(comp("a", "FWD")));
  EXPECT_THAT(nodes.deps(comp("b", "FWD")), ElementsAre(comm("a", "ALLGATHER")));
  EXPECT_THAT(nodes.deps(comp("b", "BWD_IG")), ElementsAre(comm("b", "ALLGATHER")));
  EXPECT_THAT(nodes.deps(comm("b", "REDUCESCATTER")), ElementsAre(comp("b", "BWD_IG")));
  EXPECT_THAT(nodes.deps(comp("b", "BWD_WG")), ElementsAre(comp("b", "BWD_IG")));
  EXPECT_THAT(nodes.deps(comp("a", "BWD_IG")),
              ElementsAre(comm("b", "REDUCESCATTER"), comp("b", "BWD_WG")));
  EXPECT_THAT(nodes.deps(comp("a", "FWD"), 1), ElementsAre(comp("a", "BWD_WG")));
}

TEST(AstraText, Hybrid) {
  for (const char* word : {"HYBRID_DATA_MODEL", "HYBRID_MODEL_DATA"}) {
    const Nodes nodes(std::string(word) + "\n1\na -1 5 ALLTOALL 10 6 NONE 0 7 ALLREDUCE 9 0\n",
                      {1, 2});
    EXPECT_THAT(nodes.deps(comm("a", "ALLREDUCE")), ElementsAre(comp("a", "BWD_WG")));
    EXPECT_THAT(nodes.deps(comp("a", "FWD"), 1), ElementsAre(comm("a", "ALLREDUCE")));
  }
}

TEST(AstraText, Dlrm) {
  const Nodes nodes(
      "HYBRID_DLRM 2\n4\n"
      "emb -1 5 ALLTOALL 10 6 ALLTOALL 20 7 NONE 0 0\n"
      "bot -1 5 NONE 0 6 NONE 0 7 ALLREDUCE 1 0\n"
      "mid -1 5 NONE 0 6 NONE 0 7 ALLREDUCE 2 0\n"
      "top -1 5 NONE 0 6 NONE 0 7 ALLREDUCE 3 0\n",
      {1, 2});
  EXPECT_THAT(nodes.deps(comp("bot", "FWD")), ElementsAre(comp("emb", "FWD")));
  EXPECT_THAT(nodes.deps(comp("mid", "FWD")),
              ElementsAre(comm("emb", "ALLTOALL"), comp("bot", "FWD")));
  EXPECT_THAT(nodes.deps(comm("emb", "ALLTOALL"), 1), ElementsAre(comp("top", "BWD_IG")));
  EXPECT_THAT(nodes.deps(comp("emb", "BWD_WG")),
              ElementsAre(comm("emb", "ALLTOALL"), comp("bot", "BWD_IG")));
  EXPECT_THAT(nodes.deps(comp("emb", "FWD"), 1), ElementsAre(comp("emb", "BWD_WG")));
}

TEST(AstraText, Micro) {
  const Nodes nodes("MICRO\n1\na -1 5 ALLREDUCE 10 6 NONE 0 7 ALLREDUCE 4096 3\n", {1, 3});
  ASSERT_EQ(nodes.all.size(), 3u);
  EXPECT_EQ(nodes.report.edges, 0u);
  EXPECT_EQ(nodes.findings.count(FindingCode::attr_ignored), 2u)
      << "the update time, and the communication a micro benchmark does not have";
}

TEST(AstraText, DamagedOnes) {
  const std::pair<const char*, Errc> kBad[] = {
      {"", Errc::input_empty},
      {"\n \n", Errc::input_empty},
      {"HYBRID_TRANSFORMER_X\n1\n", Errc::input_unsupported},
      {"HybridCustomized\n1\n", Errc::input_unsupported},
      {"DATA\n", Errc::input_corrupt},
      {"DATA\nmany\n", Errc::input_corrupt},
      {"DATA\n-1\n", Errc::input_range},
      {"DATA\n99999999999999999999\n", Errc::input_range},
      {"DATA\n1\n", Errc::input_truncated},
      {"DATA\n0\n", Errc::input_empty},
      {"DATA\n2\na -1 5 NONE 0 6 NONE 0 7 NONE 0 0\n", Errc::input_truncated},
      {"DATA\n1\na -1 5 NONE 0 6\n", Errc::input_corrupt},
      {"DATA\n1\na -1 5.5 NONE 0 6 NONE 0 7 NONE 0 0\n", Errc::input_corrupt},
      {"DATA\n1\na -1 -5 NONE 0 6 NONE 0 7 NONE 0 0\n", Errc::input_range},
      {"DATA\n1\na -1 9223372036854775807 NONE 0 6 NONE 0 7 NONE 0 0\n", Errc::input_range},
      {"DATA\n1\na -1 5 ALLREDUCEALLTOALL 0 6 NONE 0 7 NONE 0 0\n", Errc::input_unsupported},
      {"HYBRID_DLRM\n1\n", Errc::input_corrupt},
      {"HYBRID_DLRM 0\n1\na -1 5 NONE 0 6 NONE 0 7 NONE 0 0\n", Errc::input_range},
      {"HYBRID_DLRM 1\n1\na -1 5 NONE 0 6 NONE 0 7 NONE 0 0\n", Errc::input_range},
  };
  for (const auto& [text, code] : kBad) {
    Findings findings;
    const auto workload = parse_astra_text(text, "w.txt", {}, findings);
    ASSERT_FALSE(workload) << text;
    EXPECT_EQ(workload.error().code, code) << text;
    EXPECT_EQ(workload.error().where.substr(0, 5), "w.txt");
  }
  AstraWorkload huge;
  huge.layers.resize(1000);
  const auto much =
      astra_nodes(huge, {1, ~0u}, [](const AstraNode&) -> Result<void> { return {}; });
  EXPECT_EQ(much.error().code, Errc::limit_exceeded);
}

TEST(AstraText, FilesOfEqualBytes) {
  const auto folder = fs::path(::testing::TempDir()) / "orrery_astra_text";
  fs::remove_all(folder);
  fs::create_directories(folder);
  std::ofstream(folder / "w.txt") << kData;
  Findings findings;
  const auto report =
      convert_astra_text((folder / "w.txt").string(), (folder / "w").string(), {3, 2}, findings);
  ASSERT_TRUE(report) << to_string(report.error());
  const auto workload = trace::chakra::load_workload((folder / "w").string());
  ASSERT_TRUE(workload) << to_string(workload.error());
  EXPECT_EQ(workload->rank_count(), 3u);
  EXPECT_EQ(workload->graphs.size(), 1u);
  EXPECT_EQ(workload->graph(2).size(), report->nodes);
  EXPECT_EQ(workload->graph(0).edge_count(), report->edges);
  // A later rank's trace used to be replaced without a word.
  fs::remove(folder / "w.0.et");
  fs::remove(folder / "w.1.et");
  const auto refused =
      convert_astra_text((folder / "w.txt").string(), (folder / "w").string(), {3, 1}, findings);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::output_exists);
  EXPECT_EQ(refused.error().where, (folder / "w.2.et").string());
  EXPECT_FALSE(fs::exists(folder / "w.0.et")) << "found out before anything is written";
  EXPECT_EQ(convert_astra_text("none", "x", {}, findings).error().code, Errc::input_not_found);
  EXPECT_EQ(convert_astra_text("none", "x", {0, 1}, findings).error().code, Errc::usage);
  EXPECT_EQ(
      convert_astra_text((folder / "w.txt").string(), "/dev/null/w", {}, findings).error().code,
      Errc::output_failed);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace orrery::intake
