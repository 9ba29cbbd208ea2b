// SPDX-License-Identifier: Apache-2.0
//
// The table of docs/reference/traces.md. With ORRERY_UPDATE_DOCS=1 it is written anew.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "orrery/core/paths_testing.h"
#include "orrery/core/text/units.h"
#include "orrery/trace/inputs/format.h"
#include "row.h"

namespace orrery::all_traces {
namespace {

namespace fs = std::filesystem;

const fs::path kTraces =
    fs::path(core_testing::kSourceFolder) / ".." / "shared" / "data" / "traces";
const fs::path kPage = fs::path(core_testing::kSourceFolder) / "docs" / "reference" / "traces.md";

/// Files that belong together: ranks of one job, both halves of one rank.
struct Set {
  const char* name;
  std::vector<std::string> files;
};
const std::vector<Set> kSets = {
    {"param/dlrm, 8 ranks", {"param/dlrm_kineto.tar.gz", "param/dlrm_pytorch_et.tar.gz"}},
    {"hta/pair_simple_add",
     {"hta/pair_simple_add.kineto.json.gz", "hta/pair_simple_add.et.json.gz"}},
    {"hta/sampled_128rank, 2 ranks",
     {"hta/sampled_128rank.rank0.json.gz", "hta/sampled_128rank.rank1.json.gz"}},
    {"param/linear", {"param/linear_kineto.json.gz", "param/linear_et.json.gz"}},
};

bool is_recorded(trace::Format format) {
  return trace::is_device_trace(format) || format == trace::Format::pytorch_et;
}

class AllTraces : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(kTraces))
      GTEST_SKIP() << "the recorded traces are not beside the project (../shared/data/traces)";
    folder_ = fs::path(testing::TempDir()) / ("orrery_all_" + std::to_string(::getpid()));
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  /// A Chakra trace in an archive is unpacked first: a workload is a set of files.
  [[nodiscard]] std::string unpacked(const fs::path& archive) const {
    const fs::path to = folder_ / archive.filename();
    fs::create_directories(to);
    const std::string command =
        "tar xzf '" + archive.string() + "' -C '" + to.string() + "' 2>/dev/null";
    return std::system(command.c_str()) == 0 ? to.string() : "";
  }

  std::vector<Row> examine_file(const fs::path& path) {
    const std::string name = fs::relative(path, kTraces).string();
    const auto inputs = trace::inputs_in(path.string());
    EXPECT_TRUE(inputs) << name;
    if (!inputs || inputs->empty()) return {};
    const bool recorded =
        std::any_of(inputs->begin(), inputs->end(),
                    [](const trace::Input& input) { return is_recorded(input.format); });
    if (recorded) {
      std::vector<Row> rows;
      rows.push_back(examine_recorded(name, {path.string()}, (folder_ / "one").string()));
      fs::remove_all(folder_ / "one");
      return rows;
    }
    if (inputs->front().name == path.string()) return {examine_chakra(name, path.string())};
    return examine_archive(name, unpacked(path));
  }

  /// Every workload ("x.0.et" …) and every other trace in a folder.
  static std::vector<Row> examine_archive(const std::string& name, const std::string& folder) {
    std::set<std::string> paths;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      const std::string path = entry.path().string();
      const bool json = entry.path().extension() == ".json";
      const bool hidden = entry.path().filename().string().front() == '.';
      if (!entry.is_regular_file() || hidden ||
          (json && entry.path().filename() == "comm_group.json"))
        continue;
      const std::size_t rank = path.rfind(".0.et");
      if (rank != std::string::npos) paths.insert(path.substr(0, rank));
      if (json && !fs::exists(path.substr(0, path.size() - 5) + ".0.et")) paths.insert(path);
    }
    std::vector<Row> rows;
    for (const std::string& path : paths)
      rows.push_back(examine_chakra(name + "!" + fs::path(path).filename().string(), path));
    return rows;
  }

  fs::path folder_;
};

std::string count(std::uint64_t n) { return format_count(static_cast<std::int64_t>(n)); }

std::string table(const std::vector<Row>& rows) {
  std::string text =
      "| trace | format | ranks | records | events | linked | attached | nodes | with successor | "
      "communications | ranks agree | recorded | simulated |\n"
      "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|---|--:|--:|\n";
  for (const Row& row : rows) {
    text +=
        fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
                    row.name, row.format, row.ranks, count(row.records), count(row.events),
                    row.linked, row.attached, count(row.nodes), row.successors, row.communications,
                    row.agree, row.recorded, row.error.empty() ? row.simulated : row.error);
  }
  return text;
}

std::string findings_table(const std::vector<Row>& rows) {
  Findings all;
  for (const Row& row : rows) all.merge(row.findings);
  std::string text = "| finding | how often | what it means |\n|---|--:|---|\n";
  for (const Finding& finding : all.list()) {
    const FindingInfo info = describe(finding.code);
    text += fmt::format("| `{}` | {} | {} |\n", info.name, count(finding.count), info.sentence);
  }
  return text;
}

/// The text between "<!-- begin NAME -->" and "<!-- end NAME -->" replaced.
std::string with_part(std::string page, const std::string& name, const std::string& part) {
  const std::string begin = "<!-- begin " + name + " -->\n", end = "<!-- end " + name + " -->";
  const std::size_t from = page.find(begin), to = page.find(end);
  EXPECT_NE(from, std::string::npos) << name;
  EXPECT_NE(to, std::string::npos) << name;
  if (from == std::string::npos || to == std::string::npos) return page;
  return page.substr(0, from + begin.size()) + part + page.substr(to);
}

TEST_F(AllTraces, AreReadLinkedConvertedCheckedAndSimulated) {
  std::vector<Row> rows;
  std::set<fs::path> done;
  for (const Set& set : kSets) {
    std::vector<std::string> files;
    for (const std::string& file : set.files) {
      files.push_back((kTraces / file).string());
      done.insert(kTraces / file);
    }
    rows.push_back(examine_recorded(set.name, files, (folder_ / "set").string()));
    fs::remove_all(folder_ / "set");
  }
  std::vector<fs::path> paths;
  for (const auto& entry : fs::recursive_directory_iterator(kTraces)) {
    const std::string name = entry.path().filename().string();
    const bool text = name == "index.json" || entry.path().extension() == ".txt";
    if (entry.is_regular_file() && !text && done.count(entry.path()) == 0)
      paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  for (const fs::path& path : paths) {
    for (Row& row : examine_file(path)) rows.push_back(std::move(row));
  }
  EXPECT_GT(rows.size(), 40u);
  for (const Row& row : rows) {
    EXPECT_EQ(row.error, "") << row.name;
    EXPECT_EQ(row.unaccounted, 0u) << row.name << ": records that nothing accounts for";
    EXPECT_GT(row.nodes, 0u) << row.name;
    EXPECT_TRUE(row.successors == "-" || row.successors == "100 %") << row.name << row.successors;
    EXPECT_TRUE(row.agree == "-" || row.agree == "yes") << row.name << ": " << row.agree;
  }
  std::ifstream file(kPage);
  std::stringstream before;
  before << file.rdbuf();
  std::string page = with_part(before.str(), "table", table(rows));
  page = with_part(page, "findings", findings_table(rows));
  if (std::getenv("ORRERY_UPDATE_DOCS") != nullptr) {
    std::ofstream(kPage) << page;
  } else {
    EXPECT_EQ(page, before.str()) << "docs/reference/traces.md is out of date: run this test with "
                                     "ORRERY_UPDATE_DOCS=1";
  }
}

}  // namespace
}  // namespace orrery::all_traces
