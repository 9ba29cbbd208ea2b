// SPDX-License-Identifier: Apache-2.0
//
// How far predictions are off: in all, by groups, and where plans are to be chosen by them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "orrery/validate/point_prediction.h"

namespace orrery::validate {

/// Errors are predicted over measured, less 1. Of no points, all is 0.
struct ErrorSummary {
  std::size_t points = 0;
  double median = 0;  ///< of sizes of errors
  double mean = 0;    ///< …
  double p90 = 0;     ///< 90 % of points are off by no more
  double signed_median = 0;
  std::size_t banded = 0;  ///< points whose prediction has a band
  double inside = 0;       ///< share of these whose measured step lies in it
  double half_width = 0;   ///< median of half of a band over its prediction
};

/// `weights`: of each point, not all 0; empty: all alike. O(n log n).
[[nodiscard]] ErrorSummary summarize(std::span<const MeasuredPoint> points,
                                     std::span<const PointPrediction> predictions,
                                     std::span<const double> weights = {});

/// Points that have a trait in common.
struct ErrorGroup {
  std::string trait, value;
  ErrorSummary errors;
};

/// Plans of one model on so many devices, for the same batch: which of them is best?
struct Ranking {
  std::string what;  ///< model, devices, tokens of a step
  std::size_t plans = 0;
  std::string measured_best, predicted_best;  ///< ids
  std::size_t place = 0;                      ///< of the measured best among predictions, from 1
  double cost = 0;  ///< the predicted best's measured step over the measured best's, less 1
};

struct Scoreboard {
  ErrorSummary all;
  ErrorSummary by_source;          ///< every source weighs the same
  std::vector<ErrorGroup> groups;  ///< in the order of trait_names(), most points first
  std::vector<std::size_t> worst;  ///< points, most off first; at most `kWorst`
  std::vector<std::pair<std::string, std::size_t>> unpredicted;  ///< reasons; most points first
  std::vector<Ranking> rankings;

  static constexpr std::size_t kWorst = 10;
};

/// Of points and what came of them.
[[nodiscard]] Scoreboard make_scoreboard(std::span<const MeasuredPoint> points,
                                         std::span<const PointPrediction> predictions);

/// From so many points on a group, or a ranking, is told.
inline constexpr std::size_t kMinGroupPoints = 10, kMinRankingPlans = 5;

}  // namespace orrery::validate
