// SPDX-License-Identifier: Apache-2.0
//
// Recordings of several ranks and steps, made of a simulated one, in which something takes longer.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "orrery/graph/transform/durations.h"
#include "orrery/graph/transform/graph_draft.h"
#include "orrery/study/questions/outcome/outcome.h"
#include "orrery/study/recordings/simulated_durations.h"

namespace orrery::study {

using graph::Graph;
using graph::NodeId;
using graph::Workload;

inline constexpr std::int64_t kSteps = 6;

/// One step of eight ranks, tensor parallel over two, as it would have been recorded.
inline const Workload& one_step() {
  static const Workload made = [] {
    Question question;
    question.job.model = "llama-3.1-8b";
    question.job.set = {"model.layers=3", "parallel.tp=2", "parallel.dp=4", "batch.seq=1024",
                        "batch.global=4"};
    question.cluster = "h100-sxm:8";
    question.record = true;
    question.work.fold = "off";
    const auto answer = simulate(question);
    EXPECT_TRUE(answer.has_value());
    return with_simulated_times(answer->outcome().workload(), answer->outcome().result);
  }();
  return made;
}

/// How many times as long something takes: of a rank, in a step, a node.
using Factor = std::function<double(std::uint32_t, std::int64_t, const Graph&, NodeId)>;

/// Some steps, one after another.
inline Graph repeated(const Graph& graph, std::uint32_t rank, const Factor& factor,
                      const graph::DraftTables& tables) {
  graph::GraphDraft draft(graph, "rank", tables);
  const std::vector<graph::NodeSpec> step = draft.nodes();
  std::vector<graph::NodeSpec> made;
  std::vector<std::uint64_t> before, ends;
  for (std::int64_t s = 0; s < kSteps; ++s) {
    const std::uint64_t moved = static_cast<std::uint64_t>(s) * 1'000'000;
    for (NodeId n = 0; n < step.size(); ++n) {
      graph::NodeSpec node = step[n];
      node.id += moved;
      for (std::uint64_t& dep : node.deps) dep += moved;
      for (graph::DependencyNote& note : node.notes) note.dep += moved;
      if (node.deps.empty()) node.deps = before;
      node.duration = graph::scale_time(node.duration, factor(rank, s, graph, n));
      if (graph.successors(n).empty()) ends.push_back(node.id);
      made.push_back(std::move(node));
    }
    before = std::exchange(ends, {});
  }
  draft.nodes() = std::move(made);
  Findings findings;
  auto finished = std::move(draft).finish(findings);
  EXPECT_TRUE(finished.has_value());
  return *std::move(finished);
}

inline Workload recording(const Factor& factor) {
  Workload made = one_step();
  const graph::DraftTables tables;
  std::vector<graph::GraphRef> graphs;
  for (std::uint32_t rank = 0; rank < made.rank_count(); ++rank) {
    graphs.push_back(
        std::make_shared<const Graph>(repeated(made.graph(rank), rank, factor, tables)));
    made.graph_of_rank[rank] = rank;
  }
  made.graphs = std::move(graphs);
  made.recorded_duration.reset();
  return made;
}

/// Noise of a thousandth, the same for a seed.
class Noise {
 public:
  explicit Noise(std::uint32_t seed) : seed_(seed) {}
  double operator()(std::uint64_t a, std::uint64_t b, double sigma = 0.001) const {
    std::seed_seq words{std::uint64_t{seed_}, a, b};
    std::mt19937 random(words);
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += static_cast<double>(random()) / 4294967296.0;
    return 1 + sigma * sum;
  }

 private:
  std::uint32_t seed_;
};

}  // namespace orrery::study
