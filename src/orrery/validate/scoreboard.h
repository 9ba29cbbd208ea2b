// SPDX-License-Identifier: Apache-2.0
//
// Errors of predictions: overall, by group, and for the choice of plans.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "orrery/validate/point_prediction.h"

namespace orrery::validate {

/// Errors are predicted / measured - 1. All fields are 0 without points.
struct ErrorSummary {
  std::size_t points = 0;
  double median = 0;  ///< median of absolute errors
  double mean = 0;    ///< mean of absolute errors
  double p90 = 0;     ///< 90th percentile of absolute errors
  double signed_median = 0;
  std::size_t with_interval = 0;  ///< points with a prediction interval
  double coverage = 0;            ///< share of these whose interval contains the measured step
  double half_width = 0;          ///< median of (half-width of the interval / prediction)
};

/// `weights`: one per point, not all 0; empty: equal weights. O(n log n).
[[nodiscard]] ErrorSummary summarize(std::span<const MeasuredPoint> points,
                                     std::span<const PointPrediction> predictions,
                                     std::span<const double> weights = {});

/// Points with a common trait.
struct ErrorGroup {
  std::string trait, value;
  ErrorSummary errors;
};

/// Ranking of plans of one model on the same devices with the same batch.
struct Ranking {
  std::string what;  ///< model, devices, tokens per step
  std::size_t plans = 0;
  std::string measured_best, predicted_best;  ///< ids
  std::size_t rank_of_best = 0;               ///< of the measured best plan by prediction, from 1
  /// Measured step time of the predicted best / of the measured best - 1.
  double regret = 0;
};

struct Scoreboard {
  ErrorSummary all;
  ErrorSummary by_source;          ///< with equal weight of all sources
  std::vector<ErrorGroup> groups;  ///< by trait_names(), then by number of points, descending
  std::vector<std::size_t> worst;  ///< points by error, descending; at most `kWorst`
  /// Reasons, and numbers of points, descending.
  std::vector<std::pair<std::string, std::size_t>> unpredicted;
  std::vector<Ranking> rankings;

  static constexpr std::size_t kWorst = 10;
};

/// The scoreboard of points and their predictions.
[[nodiscard]] Scoreboard make_scoreboard(std::span<const MeasuredPoint> points,
                                         std::span<const PointPrediction> predictions);

/// Minimum number of points of a reported group or ranking.
inline constexpr std::size_t kMinGroupPoints = 10, kMinRankingPlans = 5;

}  // namespace orrery::validate
