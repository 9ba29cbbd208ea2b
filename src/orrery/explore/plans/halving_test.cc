// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/plans/halving.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace orrery::explore {
namespace {

struct Outcome {
  std::vector<double> best;  // found, ascending
  std::size_t looked_at = 0, rounds = 0;
  double over = 0;
};

Outcome halved(const std::vector<double>& truth,
               const std::vector<std::optional<double>>& predicted, std::size_t keep) {
  Halving halving(predicted, keep);
  Outcome out;
  for (auto chosen = halving.next(); !chosen.empty(); chosen = halving.next()) {
    ++out.rounds;
    for (const std::size_t one : chosen) {
      halving.found(one, truth[one]);
      out.best.push_back(truth[one]);
    }
    out.looked_at += chosen.size();
  }
  std::sort(out.best.begin(), out.best.end());
  out.over = halving.max_overestimate();
  return out;
}

std::vector<double> best_of(std::vector<double> truth, std::size_t keep) {
  std::sort(truth.begin(), truth.end());
  truth.resize(keep);
  return truth;
}

TEST(Halving, AnExactGearNeedsOneRound) {
  std::vector<double> truth;
  for (int i = 0; i < 1000; ++i) truth.push_back(1 + (i * 7919) % 1000);
  const Outcome out = halved(truth, {truth.begin(), truth.end()}, 10);
  EXPECT_EQ(out.rounds, 1u);
  EXPECT_EQ(out.looked_at, 1000u / 16 + (1000 / 16 + 3) / 4);
  EXPECT_EQ(std::vector<double>(out.best.begin(), out.best.begin() + 10), best_of(truth, 10));
}

// Finds every candidate that is better than the worst of the best, if its error is no larger than
// the errors of those that both methods know.
TEST(Halving, WhatIsTooHighIsLookedAtAgain) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> truth;
    std::vector<std::optional<double>> predicted;
    std::size_t alone = 0;
    for (int i = 0; i < 500; ++i) {
      truth.push_back(100 + static_cast<double>(random() % 1000));
      const double off = static_cast<double>(random() % 200) / 1000 - 0.05;
      if (random() % 50 == 0 && ++alone > 0)
        predicted.emplace_back();
      else
        predicted.emplace_back(truth.back() * (1 + off));
    }
    const Outcome out = halved(truth, predicted, 8);
    EXPECT_LT(out.looked_at, 500u);
    EXPECT_GE(out.looked_at, alone);
    std::size_t missed = 0;
    for (std::size_t i = 0; i < truth.size(); ++i)
      missed += truth[i] < out.best[7] && predicted[i] &&
                *predicted[i] / truth[i] - 1 <= out.over &&
                !std::binary_search(out.best.begin(), out.best.end(), truth[i]);
    EXPECT_EQ(missed, 0u);
  }
}

TEST(Halving, FewAreAllLookedAt) {
  const std::vector<double> truth{3, 1, 2};
  EXPECT_EQ(halved(truth, {3.0, std::nullopt, 2.0}, 10).looked_at, 3u);
  EXPECT_EQ(halved({}, {}, 10).looked_at, 0u);
}

// Where the costly method knows nothing of anybody, it is asked about all.
TEST(Halving, WhoIsNotFoundDoesNotCount) {
  Halving halving(std::vector<std::optional<double>>(100, 5.0), 2);
  std::size_t asked = 0;
  for (auto chosen = halving.next(); !chosen.empty(); chosen = halving.next()) {
    asked += chosen.size();
    for (const std::size_t one : chosen) halving.found(one, std::nullopt);
  }
  EXPECT_EQ(asked, 100u);
}

}  // namespace
}  // namespace orrery::explore
