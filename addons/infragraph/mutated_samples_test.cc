// SPDX-License-Identifier: Apache-2.0
//
// Everybody's fabrics with words, numbers and lines taken out, doubled, exchanged or made absurd:
// whatever is read is a fabric that can be measured, routed and written; the rest says what is
// wrong with it. For longer: --gtest_shuffle --gtest_repeat=N, each time with other changes.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "addons/infragraph/infragraph.h"
#include "orrery/config/document.h"
#include "orrery/config/json.h"
#include "orrery/core/paths_testing.h"
#include "orrery/core/text/text.h"
#include "orrery/platform/topology/formats/read_topology.h"
#include "orrery/platform/topology/metrics/topology_metrics.h"
#include "orrery/platform/topology/routing/router.h"

namespace orrery::platform {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxBytes = 60'000;
constexpr std::string_view kAbsurd[] = {"0",
                                        "-1",
                                        "1",
                                        "2",
                                        "3.5",
                                        "4294967295",
                                        "18446744073709551615",
                                        "99999999999999999999",
                                        "1e308",
                                        "nan",
                                        "inf",
                                        "0x10",
                                        "",
                                        "\"",
                                        "'",
                                        "<!-- c -->",
                                        "<",
                                        ">",
                                        "[",
                                        "]",
                                        "{",
                                        "}",
                                        ":",
                                        "# c",
                                        "\xef\xbb\xbf",
                                        "\xc3\x28",
                                        "N/A",
                                        "NV4",
                                        "SYS",
                                        "X",
                                        "null",
                                        "~",
                                        "[0:3]",
                                        "[9]",
                                        ".0",
                                        "\t"};

/// A text as lines, and each line as words and what is between them.
class Mutation {
 public:
  Mutation(std::string_view text, std::mt19937_64& random) : random_(random) {
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
      lines_.emplace_back(text.substr(at, end - at));
      at = end;
    }
  }

  /// `other`: a text of the same kind, of which a line may be taken.
  void change(const Mutation& other) {
    if (lines_.empty()) return;
    std::string& line = lines_[draw(lines_.size())];
    switch (draw(12)) {
      case 0:
        line.clear();
        return;
      case 1:
        lines_.insert(lines_.begin() + static_cast<std::ptrdiff_t>(draw(lines_.size())), line);
        return;
      case 2:
        std::swap(line, lines_[draw(lines_.size())]);
        return;
      case 3:
        if (!other.lines_.empty()) line = other.lines_[draw(other.lines_.size())];
        return;
      case 4:
        lines_.resize(draw(lines_.size()));
        return;
      case 5:
        for (std::string& each : lines_) {
          if (each.ends_with('\n')) each.insert(each.size() - 1, "\r");
        }
        return;
      default:
        change_word(line);
    }
  }

  [[nodiscard]] std::string text() const {
    std::string all;
    for (const std::string& line : lines_) all += line;
    return all;
  }

 private:
  std::size_t draw(std::size_t limit) { return random_() % limit; }
  static bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '.'; }

  void change_word(std::string& line) {
    if (line.empty()) return;
    std::size_t first = draw(line.size()), last = first;
    while (first > 0 && in_word(line[first - 1])) --first;
    while (last < line.size() && in_word(line[last])) ++last;
    if (last == first) ++last;
    const std::string word = line.substr(first, last - first);
    const std::string_view absurd = kAbsurd[draw(std::size(kAbsurd))];
    switch (draw(4)) {
      case 0:
        line.replace(first, word.size(), absurd);
        return;
      case 1:
        line.erase(first, word.size());
        return;
      case 2:
        line.insert(first, word + (draw(2) == 0 ? " " : ""));
        return;
      default:
        line.insert(first, absurd);
    }
  }

  std::mt19937_64& random_;
  std::vector<std::string> lines_;
};

/// What was read can be used: measured, routed, written and read again.
void expect_sound(const Topology& topology) {
  for (const Link& link : topology.links()) {
    ASSERT_LT(link.from, topology.node_count());
    ASSERT_LT(link.to, topology.node_count());
    ASSERT_NE(link.from, link.to);
    ASSERT_GE(link.figures.count, 1U);
    ASSERT_TRUE(std::isfinite(link.capacity()) && link.capacity() >= 0) << link.capacity();
    ASSERT_GE(link.figures.latency.value_or(Time{}).count(), 0);
  }
  for (NodeIndex node = 0; node < topology.node_count(); ++node) {
    std::size_t bad = 0;
    ASSERT_TRUE(is_utf8(topology.name(node), bad)) << topology.name(node);
    ASSERT_FALSE(topology.name(node).empty());
  }
  if (topology.link_count() > 5000) return;
  const TopologyMetrics facts = topology_metrics(topology, topology.devices());
  ASSERT_TRUE(!facts.bisection || std::isfinite(*facts.bisection));
  if (topology.devices().size() > 1) {
    const Router router(topology, {});
    std::vector<RouteLink> steps;
    const bool there = router.find(topology.devices().front(), topology.devices().back(), steps);
    ASSERT_EQ(there, !steps.empty());
  }
  Findings findings;
  const auto again = read_topology(write_infragraph(topology), "written", findings);
  ASSERT_TRUE(again) << to_string(again.error());
  ASSERT_EQ(again->node_count(), topology.node_count());
  ASSERT_EQ(again->link_count(), topology.link_count());
}

void expect_explained(const Error& error) {
  const std::string text = to_string(error);
  std::size_t bad = 0;
  EXPECT_TRUE(is_utf8(text, bad)) << text;
  EXPECT_TRUE(error.where.starts_with("mutated")) << text;
  EXPECT_FALSE(error.what.empty());
  EXPECT_LT(text.size(), 1500U) << text;
}

TEST(MutatedSamples, AreFabricsOrExplained) {
  const fs::path folder = fs::path(core_testing::kSourceFolder) / "../shared/data/fabrics";
  if (!fs::exists(folder / "index.json"))
    GTEST_SKIP() << "shared/data/fabrics is not next to this checkout";
  const auto index = config::read_text((folder / "index.json").string());
  ASSERT_TRUE(index);
  auto files = config::parse_json(*index, "index.json");
  ASSERT_TRUE(files);
  const auto seed = static_cast<std::uint64_t>(::testing::UnitTest::GetInstance()->random_seed());
  std::mt19937_64 random(seed);
  std::map<std::string, std::string> one_of_kind;
  int read = 0, refused = 0;
  for (const config::Json& file : (*files)["files"]) {
    const std::string name = file["file"].get<std::string>();
    if (file["bytes"].get<std::size_t>() > kMaxBytes) continue;
    const auto text = read_fabric_text((folder / name).string());
    ASSERT_TRUE(text) << name;
    std::string& other = one_of_kind.emplace(file["kind"].get<std::string>(), *text).first->second;
    for (int round = 0; round < 4; ++round) {
      Mutation mutation(*text, random);
      const Mutation donor(other, random);
      for (std::uint64_t changes = 1 + random() % 3; changes > 0; --changes) mutation.change(donor);
      const std::string mutated = mutation.text();
      const auto start = std::chrono::steady_clock::now();
      Findings findings;
      const auto topology = read_topology(mutated, "mutated", findings);
      ++(topology ? read : refused);
      if (topology)
        expect_sound(*topology);
      else
        expect_explained(topology.error());
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
      EXPECT_LT(took.count(), 20) << "hangs";
      if (!HasFailure()) continue;
      std::ofstream(fs::path(::testing::TempDir()) / "mutated") << mutated;
      FAIL() << name << ", seed " << seed << "; kept in " << ::testing::TempDir();
    }
    other = *text;
  }
  EXPECT_GT(read, 100);
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace orrery::platform
