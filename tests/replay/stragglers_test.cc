// SPDX-License-Identifier: Apache-2.0
//
// Stragglers that were planted are named, and none where none is.
#include "orrery/study/stragglers.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "orrery/graph/structure/selection.h"
#include "orrery/graph/transform/costs.h"
#include "orrery/graph/transform/draft.h"
#include "orrery/study/as_recorded.h"
#include "orrery/study/outcome.h"

namespace orrery::study {
namespace {

using graph::Graph;
using graph::NodeId;
using graph::Workload;

constexpr std::int64_t kSteps = 6;

/// One step of eight ranks, tensor parallel over two, as it would have been recorded.
const Workload& one_step() {
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
    return as_recorded(answer->outcome().workload(), answer->outcome().result);
  }();
  return made;
}

/// How many times as long something takes: of a rank, in a step, a node.
using Factor = std::function<double(std::uint32_t, std::int64_t, const Graph&, NodeId)>;

/// Some steps, one after another.
Graph repeated(const Graph& graph, std::uint32_t rank, const Factor& factor,
               const graph::DraftTables& tables) {
  graph::Draft draft(graph, "rank", tables);
  const std::vector<graph::NodeSpec> step = draft.nodes();
  std::vector<graph::NodeSpec> made;
  std::vector<std::uint64_t> before, ends;
  for (std::int64_t s = 0; s < kSteps; ++s) {
    const std::uint64_t moved = static_cast<std::uint64_t>(s) * 1'000'000;
    for (NodeId n = 0; n < step.size(); ++n) {
      graph::NodeSpec node = step[n];
      node.id += moved;
      for (std::uint64_t& dep : node.deps) dep += moved;
      for (graph::EdgeNote& note : node.notes) note.dep += moved;
      if (node.deps.empty()) node.deps = before;
      node.duration = graph::times(node.duration, factor(rank, s, graph, n));
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

Workload recording(const Factor& factor) {
  Workload made = one_step();
  const graph::DraftTables tables;
  std::vector<graph::GraphRef> graphs;
  for (std::uint32_t rank = 0; rank < made.rank_count(); ++rank) {
    graphs.push_back(
        std::make_shared<const Graph>(repeated(made.graph(rank), rank, factor, tables)));
    made.graph_of_rank[rank] = rank;
  }
  made.graphs = std::move(graphs);
  made.recorded.reset();
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

StragglersAnswer found(const Workload& workload) {
  auto made = find_stragglers(workload, kSteps, 0.01, 6, 2);
  EXPECT_TRUE(made.has_value()) << (made ? "" : to_string(made.error()));
  return made ? *std::move(made) : StragglersAnswer{};
}

bool is_gemm(const Graph& graph, NodeId n) {
  const graph::KernelId id = graph.kernel(n);
  return id != graph::kNoKernel && (*graph.kernels())[id].operation == graph::Operation::gemm;
}

bool is_tensor_parallel(const Graph& graph, NodeId n) {
  return graph.kind(n) == graph::NodeKind::coll &&
         graph.name(n).find(".reduce L") != std::string_view::npos &&
         graph.name(n).find("gradients") == std::string_view::npos;
}

/// Six kinds of trouble, and whether it was named.
struct Planted {
  const char* kind;
  Factor factor;
  std::function<bool(const StragglersAnswer&)> right;
};

Planted planted(int number, std::mt19937& random) {
  const auto rank = static_cast<std::uint32_t>(random() % 8);
  const double factor = 1.1 + 0.05 * static_cast<double>(random() % 5);
  const Noise noise(static_cast<std::uint32_t>(number));
  const std::string name = fmt::format("rank {}", rank);
  const auto own = [](const Graph& graph, NodeId n) { return graph::is_own_work(graph, n); };
  switch (number % 5) {
    case 0:
      return {"rank",
              [=](std::uint32_t r, std::int64_t s, const Graph& graph, NodeId n) {
                const double base = noise(r * 1000 + static_cast<std::uint64_t>(s), n);
                return own(graph, n) && r == rank ? base * factor : base;
              },
              [=](const StragglersAnswer& told) {
                return told.blame == Blame::rank && told.named == name;
              }};
    case 1:
      return {"kernels",
              [=](std::uint32_t r, std::int64_t s, const Graph& graph, NodeId n) {
                const double base = noise(r * 1000 + static_cast<std::uint64_t>(s), n);
                return r == rank && is_gemm(graph, n) ? base * (factor + 0.1) : base;
              },
              [=](const StragglersAnswer& told) {
                return told.blame == Blame::kernels && told.named == "gemm on " + name;
              }};
    case 2:
      return {"link",
              [=](std::uint32_t r, std::int64_t s, const Graph& graph, NodeId n) {
                const double base = noise(r * 1000 + static_cast<std::uint64_t>(s), n);
                return r / 2 == rank / 2 && is_tensor_parallel(graph, n) ? base * 3 * factor : base;
              },
              [=](const StragglersAnswer& told) {
                return told.blame == Blame::link &&
                       told.named.find(std::to_string(rank / 2 * 2)) != std::string::npos;
              }};
    case 3:
      return {"luck",
              [=](std::uint32_t r, std::int64_t s, const Graph& graph, NodeId n) {
                const double step = noise(r, 77'000 + static_cast<std::uint64_t>(s), 0.05);
                return own(graph, n) ? std::max(0.5, step) : 1.0;
              },
              [=](const StragglersAnswer& told) {
                return told.blame == Blame::luck || told.blame == Blame::once;
              }};
    default:
      return {"none",
              [=](std::uint32_t r, std::int64_t s, const Graph&, NodeId n) {
                return noise(r * 1000 + static_cast<std::uint64_t>(s), n);
              },
              [=](const StragglersAnswer& told) { return told.blame == Blame::none; }};
  }
}

TEST(Stragglers, PlantedOnesAreNamed) {
  std::mt19937 random(22);
  int right = 0;
  std::vector<std::string> wrong;
  for (int number = 0; number < 120; ++number) {
    const Planted one = planted(number, random);
    const StragglersAnswer told = found(recording(one.factor));
    if (one.right(told)) {
      ++right;
    } else {
      wrong.push_back(
          fmt::format("{} {}: {} '{}'", number, one.kind, name(told.blame), told.named));
    }
    if (number % 5 == 4) {
      EXPECT_EQ(told.blame, Blame::none) << number;
    }
  }
  EXPECT_GE(right, 114) << fmt::format("{}", fmt::join(wrong, "\n"));  // 95 of 100
}

// What is put right alone is what the step is without it.
TEST(Stragglers, WhatIsWonIsConfirmed) {
  const auto slow = [](std::uint32_t rank, std::int64_t, const Graph& graph, NodeId n) {
    return rank == 5 && graph::is_own_work(graph, n) ? 1.2 : 1.0;
  };
  const auto alike = [](std::uint32_t, std::int64_t, const Graph&, NodeId) { return 1.0; };
  const StragglersAnswer told = found(recording(slow)), fine = found(recording(alike));
  ASSERT_FALSE(told.suspects.empty());
  EXPECT_EQ(told.named, "rank 5");
  EXPECT_EQ(told.suspects.front().without, fine.played);
  EXPECT_EQ(told.level_all, fine.played);
  EXPECT_EQ(fine.blame, Blame::none);
  ASSERT_TRUE(told.suspects.front().test.has_value());
  EXPECT_EQ(told.suspects.front().test->slowest, 6u);
}

TEST(Stragglers, OneRankAloneIsRefused) {
  StragglersQuestion question;
  question.base.recorded.traces = {std::string(ORRERY_SOURCE_DIR) +
                                   "/data/demo/transformer/layers4_microbatches1.json.gz"};
  Watch watch;
  const auto told = stragglers(question, watch);
  ASSERT_FALSE(told.has_value());
  EXPECT_EQ(told.error().code, Errc::input_unsupported);
  question.least = 2;
  EXPECT_EQ(stragglers(question, watch).error().code, Errc::usage);
}

}  // namespace
}  // namespace orrery::study
