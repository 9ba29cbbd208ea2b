// SPDX-License-Identifier: Apache-2.0
//
// Stragglers that were planted are named, and none where none is.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "orrery/core/effort_testing.h"
#include "orrery/core/paths_testing.h"
#include "orrery/graph/structure/node_selection.h"
#include "orrery/study/stragglers/straggler_search.h"
#include "slow_ranks_testing.h"

namespace orrery::study {
namespace {

StragglerReport found(const Workload& workload) {
  auto made = search_stragglers(workload, kSteps, 0.01, 6, 2);
  EXPECT_TRUE(made.has_value()) << (made ? "" : to_string(made.error()));
  return made ? *std::move(made) : StragglerReport{};
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
  std::function<bool(const StragglerReport&)> right;
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
              [=](const StragglerReport& predicted) {
                return predicted.blame == Blame::rank && predicted.named == name;
              }};
    case 1:
      return {"kernels",
              [=](std::uint32_t r, std::int64_t s, const Graph& graph, NodeId n) {
                const double base = noise(r * 1000 + static_cast<std::uint64_t>(s), n);
                return r == rank && is_gemm(graph, n) ? base * (factor + 0.1) : base;
              },
              [=](const StragglerReport& predicted) {
                return predicted.blame == Blame::kernels && predicted.named == "gemm on " + name;
              }};
    case 2:
      return {"link",
              [=](std::uint32_t r, std::int64_t s, const Graph& graph, NodeId n) {
                const double base = noise(r * 1000 + static_cast<std::uint64_t>(s), n);
                return r / 2 == rank / 2 && is_tensor_parallel(graph, n) ? base * 3 * factor : base;
              },
              [=](const StragglerReport& predicted) {
                return predicted.blame == Blame::link &&
                       predicted.named.find(std::to_string(rank / 2 * 2)) != std::string::npos;
              }};
    case 3:
      return {"luck",
              [=](std::uint32_t r, std::int64_t s, const Graph& graph, NodeId n) {
                const double step = noise(r, 77'000 + static_cast<std::uint64_t>(s), 0.05);
                return own(graph, n) ? std::max(0.5, step) : 1.0;
              },
              [=](const StragglerReport& predicted) {
                return predicted.blame == Blame::changing_rank || predicted.blame == Blame::once;
              }};
    default:
      return {"none",
              [=](std::uint32_t r, std::int64_t s, const Graph&, NodeId n) {
                return noise(r * 1000 + static_cast<std::uint64_t>(s), n);
              },
              [=](const StragglerReport& predicted) { return predicted.blame == Blame::none; }};
  }
}

TEST(Stragglers, PlantedOnesAreNamed) {
  std::mt19937 random(22);
  const int cases = core_testing::case_count(120, 25);  // five of each kind
  int right = 0;
  std::vector<std::string> wrong;
  for (int number = 0; number < cases; ++number) {
    const Planted one = planted(number, random);
    const StragglerReport predicted = found(recording(one.factor));
    if (one.right(predicted)) {
      ++right;
    } else {
      wrong.push_back(
          fmt::format("{} {}: {} '{}'", number, one.kind, name(predicted.blame), predicted.named));
    }
    if (number % 5 == 4) {
      EXPECT_EQ(predicted.blame, Blame::none) << number;
    }
  }
  EXPECT_GE(right, cases * 95 / 100) << fmt::format("{}", fmt::join(wrong, "\n"));
}

// What is put right alone is what the step is without it.
TEST(Stragglers, WhatIsWonIsConfirmed) {
  const auto slow = [](std::uint32_t rank, std::int64_t, const Graph& graph, NodeId n) {
    return rank == 5 && graph::is_own_work(graph, n) ? 1.2 : 1.0;
  };
  const auto equivalent = [](std::uint32_t, std::int64_t, const Graph&, NodeId) { return 1.0; };
  const StragglerReport predicted = found(recording(slow)), fine = found(recording(equivalent));
  ASSERT_FALSE(predicted.suspects.empty());
  EXPECT_EQ(predicted.named, "rank 5");
  EXPECT_EQ(predicted.suspects.front().without, fine.replayed);
  EXPECT_EQ(predicted.all_at_peer_level, fine.replayed);
  EXPECT_EQ(fine.blame, Blame::none);
  ASSERT_TRUE(predicted.suspects.front().test.has_value());
  EXPECT_EQ(predicted.suspects.front().test->slowest, 6u);
}

TEST(Stragglers, OneRankAloneIsRefused) {
  StragglersQuestion question;
  question.base.recorded.traces = {std::string(core_testing::kSourceFolder) +
                                   "/data/demo/transformer/layers4_microbatches1.json.gz"};
  Watch watch;
  const auto predicted = stragglers(question, watch);
  ASSERT_FALSE(predicted.has_value());
  EXPECT_EQ(predicted.error().code, Errc::input_unsupported);
  question.least = 2;
  EXPECT_EQ(stragglers(question, watch).error().code, Errc::usage);
}

}  // namespace
}  // namespace orrery::study
