// SPDX-License-Identifier: Apache-2.0
//
// Conversion of recorded traces: complete, exact, the same every time, and read back as the same
// graph.
#include "orrery/intake/convert/convert.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "orrery/analysis/workload/rank_structure.h"
#include "orrery/core/paths_testing.h"
#include "orrery/profile/link/link.h"
#include "orrery/trace/chakra/load.h"
#include "orrery/trace/chakra/records/record.h"
#include "orrery/trace/inputs/format.h"
#include "orrery/trace/kineto/reader.h"

namespace orrery::intake {
namespace {

namespace fs = std::filesystem;

const fs::path kTraces =
    fs::path(core_testing::kSourceFolder) / ".." / "shared" / "data" / "traces";

class RealConversion : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(kTraces))
      GTEST_SKIP() << "the recorded traces are not beside the project (../shared/data/traces)";
    folder_ = fs::path(testing::TempDir()) / "orrery_real_conversion";
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  static profile::Profile read(const fs::path& path) {
    Findings findings;
    auto source = trace::open(trace::inputs_in(path.string())->front());
    EXPECT_TRUE(source.has_value()) << path;
    auto profile = trace::kineto::read(
        std::move(*source), {.where = path.string(), .strings = std::make_shared<StringPool>()},
        findings);
    EXPECT_TRUE(profile.has_value()) << path;
    profile::attach(*profile, findings);
    return std::move(*profile);
  }
  [[nodiscard]] std::string file(const char* name) const { return (folder_ / name).string(); }
  static std::string bytes(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  fs::path folder_;
};

// Convolutional networks have steps and no layers; modules say how many layers the others have.
TEST_F(RealConversion, NamesSayStepsAndLayers) {
  struct Known {
    const char* file;
    std::uint32_t layers, steps;
  };
  for (const Known known :
       {Known{"hta/nccl_data.a100_2rank.rank0.json.gz", 0, 3},
        Known{"hta/ns_resolution.v100.rank0.json.gz", 0, 5},
        Known{"tracelens/b200~eager_trace.json.gz", 36, 1},
        Known{"tracelens/h100~gaunernst_bert-small-uncased__1016001.json.gz", 4, 1},
        Known{"tracelens/mi300~resnet_act_checkpoint.json.gz", 0, 3}}) {
    const profile::Profile profile = read(kTraces / known.file);
    Findings findings;
    const auto dependencies = profile::find_dependencies(profile, {}, findings);
    const auto graph =
        convert_to_graph(profile, dependencies, {}, std::make_shared<StringPool>(), findings);
    ASSERT_TRUE(graph) << known.file;
    const analysis::RankStructure found = analysis::structure(*graph);
    EXPECT_EQ(found.layers, known.layers) << known.file;
    EXPECT_EQ(found.named, known.layers > 0) << known.file;
    EXPECT_EQ(found.steps, known.steps) << known.file;
  }
}

TEST_F(RealConversion, EveryDeviceTraceComesBackAsTheSameGraph) {
  for (const char* const folder : {"hta", "tracelens", "param"}) {
    for (const auto& entry : fs::directory_iterator(kTraces / folder)) {
      const std::string name = entry.path().filename().string();
      const auto inputs = trace::inputs_in(entry.path().string());
      if (!inputs || inputs->size() != 1 || inputs->front().format != trace::Format::kineto)
        continue;
      SCOPED_TRACE(name);
      const profile::Profile profile = read(entry.path());
      Findings findings;
      const auto dependencies = profile::find_dependencies(profile, {}, findings);
      const auto report =
          convert_to_file(profile, dependencies, {}, file("a.0.et"), true, findings);
      ASSERT_TRUE(report) << to_string(report.error());
      ASSERT_TRUE(convert_to_file(profile, dependencies, {}, file("b.0.et"), true, findings));
      EXPECT_EQ(bytes(file("a.0.et")), bytes(file("b.0.et")));
      EXPECT_EQ(report->device_with_successor, report->device_with_later);
      EXPECT_EQ(report->compute + report->collectives + report->sends + report->receives +
                    (profile.groups.empty() ? 0 : 1),
                report->nodes);

      Findings read_findings;
      const auto graph = trace::chakra::load_rank(file("a.0.et"), std::make_shared<StringPool>(),
                                                  graph::Repair::refuse,
                                                  read_findings);  // no cycle, nothing dangles
      ASSERT_TRUE(graph) << to_string(graph.error());
      EXPECT_EQ(graph->size(), report->nodes);
      EXPECT_TRUE(read_findings.empty());
      // A thread's pause before a communication is a node of its own.
      std::size_t differing = 0;
      Time missing{}, pauses{};
      for (std::uint32_t n = 0; n < dependencies.nodes.size(); ++n) {
        const Time less = dependencies.cost[n] - graph->duration(graph->find(n + 1));
        differing += less == Time{} ? 0 : 1;
        missing += less;
      }
      for (graph::NodeId n = 0; n < graph->size(); ++n)
        pauses += graph->name(n) == "[recorded pause]" ? graph->duration(n) : Time{};
      EXPECT_EQ(differing, report->pauses);
      EXPECT_EQ(missing, pauses);
    }
  }
}

TEST_F(RealConversion, CollectivesOfTwoA100) {
  const profile::Profile profile = read(kTraces / "hta" / "nccl_data.a100_2rank.rank0.json.gz");
  Findings findings;
  const auto dependencies = profile::find_dependencies(profile, {}, findings);
  const auto report = convert_to_file(profile, dependencies, {}, file("a.0.et"), true, findings);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->collectives, 21u);
  EXPECT_EQ(report->comm_kernels, 21u);
  EXPECT_EQ(report->comm_kernels_under_library, 21u);
  EXPECT_EQ(findings.count(FindingCode::comm_size_unknown), 0u);
  EXPECT_EQ(findings.count(FindingCode::comm_kind_from_name), 0u);
  std::map<std::pair<std::int64_t, std::int64_t>, int> seen;  // (type, size)
  const auto records = trace::chakra::read_records(file("a.0.et"));
  ASSERT_TRUE(records);
  for (const auto& node : records->nodes) {
    if (node.type != 7) continue;
    std::int64_t type = -1, size = -1;
    for (const auto& attribute : node.attributes) {
      if (attribute.name == "comm_type") type = static_cast<std::int64_t>(attribute.bits);
      if (attribute.name == "comm_size") size = static_cast<std::int64_t>(attribute.bits);
      if (attribute.name == "pg_name") {
        EXPECT_EQ(attribute.text, "0");
      }
    }
    ++seen[{type, size}];
  }
  // Five buckets of gradients in each of three steps, as the framework recorded their elements.
  for (const std::int64_t elements : {2049000, 7875584, 6563840, 6637568, 2431040})
    EXPECT_EQ((seen[{0, elements * 4}]), 3);
}

}  // namespace
}  // namespace orrery::intake
