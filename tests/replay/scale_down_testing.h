// SPDX-License-Identifier: Apache-2.0
//
// For tests: a job made smaller beside the job that is generated as small.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "orrery/platform/cluster/cluster.h"
#include "orrery/study/jobs/program_to_chakra.h"
#include "orrery/study/scale_down/scale_down.h"

namespace orrery::study {
namespace fs = std::filesystem;

/// Keys of a specification, "model.layers=8".
using JobKeys = std::vector<std::string>;

/// What a rank has of each kind of node, by kind, name without numbers, and what it works on.
using SizedInventory = std::map<std::tuple<graph::NodeKind, std::string, std::string>, std::size_t>;

inline std::string size_words(const graph::Graph& graph, graph::NodeId n) {
  if (graph.kind(n) == graph::NodeKind::coll)
    return fmt::format("{} bytes", graph.collective(n).size.count());
  if (!is_work(graph.kind(n))) return fmt::format("{} bytes", graph.point_to_point(n).size.count());
  const graph::Work work = graph.work(n);
  std::string text = fmt::format("{} ops, {} bytes", work.num_ops, work.tensor_size.count());
  if (graph.kernel(n) != graph::kNoKernel)
    text += " " + to_text((*graph.kernels())[graph.kernel(n)]);
  return text;
}

inline SizedInventory sized_inventory(const graph::Graph& graph) {
  SizedInventory made;
  for (graph::NodeId n = 0; n < graph.size(); ++n) {
    std::string name;
    for (const char c : graph.name(n))
      if (c < '0' || c > '9') name += c;
    ++made[{graph.kind(n), name, size_words(graph, n)}];
  }
  return made;
}

/// Nodes that one has more of, "name: 8 for 9".
inline std::string sized_differences(const SizedInventory& made, const SizedInventory& real) {
  std::string text;
  const auto count = [](const SizedInventory& in, const SizedInventory::key_type& key) {
    const auto found = in.find(key);
    return found == in.end() ? std::size_t{0} : found->second;
  };
  SizedInventory both = made;
  both.insert(real.begin(), real.end());
  for (const auto& [key, ignored] : both)
    if (count(made, key) != count(real, key))
      text += fmt::format("{} {}: {} for {}\n", std::get<1>(key), std::get<2>(key),
                          count(made, key), count(real, key));
  return text;
}

/// A job made smaller, and the smaller job.
struct Pair {
  ScaleDown made;
  graph::Workload real;
  double off = 0;  ///< of the made one's step, as a share of the real one's
};

class ScaleDownJobs : public testing::Test {
 protected:
  ScaleDownJobs()
      : folder_(fs::path(testing::TempDir()) /
                testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~ScaleDownJobs() override { fs::remove_all(folder_); }

  /// Empty where there is no such job.
  std::string traces(const std::string& name, const std::string& cluster,
                     const JobKeys& keys) const {
    Question question;
    question.job.model = model_;
    question.job.set = keys;
    question.cluster = cluster;
    const auto answer = simulate(question);
    if (!answer) return "";
    const std::string prefix = (folder_ / name).string();
    for (const auto& file : fs::directory_iterator(folder_))
      if (file.path().filename().string().starts_with(name + ".")) fs::remove(file.path());
    EXPECT_TRUE(write_chakra(*answer->outcome().inputs.load->program, {.prefix = prefix}));
    return prefix;
  }

  /// `small`: a job of as many devices as stay.
  std::optional<Pair> pair(const JobKeys& same, const JobKeys& big, const JobKeys& small,
                           const std::string& cluster, ScaleDownQuestion question) const {
    JobKeys first = same, second = same;
    first.insert(first.end(), big.begin(), big.end());
    second.insert(second.end(), small.begin(), small.end());
    question.base.workload = traces("big", cluster, first);
    question.base.cluster = cluster;
    if (question.base.workload.empty()) return std::nullopt;
    Watch watch;
    auto made = scale_down(question, watch);
    const std::string what = fmt::format("{} to {}", fmt::join(first, " "), fmt::join(small, " "));
    if (!made) {
      refused_.push_back(what + ": " + to_string(made.error()));
      return std::nullopt;
    }
    EXPECT_EQ(made->findings.count(FindingCode::edges_dropped), 0u) << what;
    Question other;
    other.cluster = "part of " + cluster;
    other.cluster_text = platform::resolved_cluster(made->scaled_cluster->platform);
    other.workload = traces("small", fmt::format("h100-sxm:{}", made->scaled.ranks), second);
    if (other.workload.empty()) return std::nullopt;
    const auto real = simulate(other);
    EXPECT_TRUE(real.has_value()) << what << (real ? "" : to_string(real.error()));
    if (!real) return std::nullopt;
    Pair predicted{*std::move(made), real->outcome().workload(), 0};
    const auto step = static_cast<double>(real->outcome().result.end.count());
    predicted.off = static_cast<double>(predicted.made.scaled.step.count()) / step - 1;
    return predicted;
  }

  static void expect_equal(const std::optional<Pair>& predicted, const std::string& what) {
    ASSERT_TRUE(predicted.has_value()) << what;
    expect_same_nodes(*predicted, what);
    EXPECT_NEAR(predicted->off, 0, 1e-9) << what;
  }

  static void expect_same_nodes(const Pair& predicted, const std::string& what) {
    const graph::Workload& made = *predicted.made.scaled_workload;
    ASSERT_EQ(made.rank_count(), predicted.real.rank_count()) << what;
    for (std::uint32_t rank = 0; rank < made.rank_count(); ++rank)
      EXPECT_EQ(sized_differences(sized_inventory(made.graph(rank)),
                                  sized_inventory(predicted.real.graph(rank))),
                "")
          << what << ", rank " << rank;
  }

  static ScaleDownQuestion asked(const std::string& ranks,
                                 ScaleInvariant keep = ScaleInvariant::job) {
    ScaleDownQuestion question;
    question.ranks = ranks;
    question.keep = keep;
    return question;
  }

  std::string model_ = "llama-3.1-8b";
  fs::path folder_;
  mutable std::vector<std::string> refused_;
};

}  // namespace orrery::study
