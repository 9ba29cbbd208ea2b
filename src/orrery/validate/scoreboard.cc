// SPDX-License-Identifier: Apache-2.0
#include "orrery/validate/scoreboard.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "orrery/core/statistics/statistics.h"

namespace orrery::validate {

namespace {

class ErrorAccumulator {
 public:
  void add(const MeasuredPoint& point, const PointPrediction& prediction, double weight) {
    const double error = prediction.error(point);
    absolute_.push_back({std::abs(error), weight});
    relative_.push_back({error, weight});
    sum_ += std::abs(error) * weight;
    weight_ += weight;
    if (!prediction.interval) return;
    const auto [least, most] = *prediction.interval;
    widths_.push_back({(most - least) / 2 / prediction.seconds, weight});
    interval_weight_ += weight;
    if (point.seconds >= least && point.seconds <= most) covered_weight_ += weight;
  }

  [[nodiscard]] ErrorSummary summary() const {
    ErrorSummary made;
    made.points = absolute_.size();
    if (absolute_.empty()) return made;
    made.median = weighted_median(absolute_);
    made.mean = sum_ / weight_;
    made.p90 = weighted_quantile(absolute_, 0.9);
    made.signed_median = weighted_median(relative_);
    made.with_interval = widths_.size();
    if (widths_.empty()) return made;
    made.coverage = covered_weight_ / interval_weight_;
    made.half_width = weighted_median(widths_);
    return made;
  }

 private:
  std::vector<WeightedValue> absolute_, relative_, widths_;
  double sum_ = 0, weight_ = 0, interval_weight_ = 0, covered_weight_ = 0;
};

/// Equal devices, model and work: only the plan differs.
using Choice = std::tuple<std::string, std::string, std::string, std::string, std::string, double>;

std::vector<Ranking> rank(std::span<const MeasuredPoint> points,
                          std::span<const PointPrediction> predictions) {
  std::map<Choice, std::vector<std::size_t>> choices;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const PointPrediction& prediction = predictions[i];
    if (!prediction.skip_reason.empty()) continue;
    choices[{points[i].source, points[i].model, prediction.trait("device and precision"),
             prediction.trait("ranks"), prediction.trait("tokens of a sequence"),
             prediction.tokens}]
        .push_back(i);
  }
  std::vector<Ranking> made;
  for (auto& [choice, all] : choices) {
    if (all.size() < kMinRankingPlans) continue;
    const auto measured = [&](std::size_t a, std::size_t b) {
      return points[a].seconds < points[b].seconds;
    };
    const auto predicted = [&](std::size_t a, std::size_t b) {
      return predictions[a].seconds < predictions[b].seconds;
    };
    const std::size_t best = *std::min_element(all.begin(), all.end(), measured);
    std::stable_sort(all.begin(), all.end(), predicted);
    Ranking& one = made.emplace_back();
    one.what = fmt::format("{}, {} x {}, {:.0f} tokens a step",
                           std::get<1>(choice).empty() ? std::get<0>(choice) : std::get<1>(choice),
                           std::get<3>(choice), std::get<2>(choice), std::get<5>(choice));
    one.plans = all.size();
    one.measured_best = points[best].id;
    one.predicted_best = points[all.front()].id;
    one.rank_of_best =
        static_cast<std::size_t>(std::find(all.begin(), all.end(), best) - all.begin()) + 1;
    one.regret = points[all.front()].seconds / points[best].seconds - 1;
  }
  return made;
}

std::vector<ErrorGroup> groups_of(std::span<const MeasuredPoint> points,
                                  std::span<const PointPrediction> predictions) {
  std::vector<ErrorGroup> made;
  for (const std::string_view trait : trait_names()) {
    std::map<std::string, ErrorAccumulator> by_value;
    for (std::size_t i = 0; i < points.size(); ++i)
      if (predictions[i].skip_reason.empty())
        by_value[predictions[i].trait(trait)].add(points[i], predictions[i], 1);
    const std::size_t first = made.size();
    for (const auto& [value, sum] : by_value)
      made.push_back({std::string(trait), value, sum.summary()});
    std::stable_sort(
        made.begin() + static_cast<std::ptrdiff_t>(first), made.end(),
        [](const ErrorGroup& a, const ErrorGroup& b) { return a.errors.points > b.errors.points; });
  }
  return made;
}

/// Weights that sum to an equal total for each source.
std::vector<double> equal_sources(std::span<const MeasuredPoint> points,
                                  std::span<const PointPrediction> predictions) {
  std::map<std::string_view, double> counts;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (predictions[i].skip_reason.empty()) ++counts[points[i].source];
  std::vector<double> weights(points.size(), 0);
  for (std::size_t i = 0; i < points.size(); ++i)
    if (predictions[i].skip_reason.empty()) weights[i] = 1 / counts[points[i].source];
  return weights;
}

}  // namespace

ErrorSummary summarize(std::span<const MeasuredPoint> points,
                       std::span<const PointPrediction> predictions,
                       std::span<const double> weights) {
  ErrorAccumulator sum;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (predictions[i].skip_reason.empty())
      sum.add(points[i], predictions[i], weights.empty() ? 1 : weights[i]);
  return sum.summary();
}

Scoreboard make_scoreboard(std::span<const MeasuredPoint> points,
                           std::span<const PointPrediction> predictions) {
  Scoreboard made;
  made.all = summarize(points, predictions);
  made.by_source = summarize(points, predictions, equal_sources(points, predictions));
  made.groups = groups_of(points, predictions);
  made.rankings = rank(points, predictions);
  std::map<std::string, std::size_t> reasons;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (predictions[i].skip_reason.empty()) {
      made.worst.push_back(i);
    } else {
      ++reasons[predictions[i].skip_reason];
    }
  }
  std::stable_sort(made.worst.begin(), made.worst.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(predictions[a].error(points[a])) > std::abs(predictions[b].error(points[b]));
  });
  if (made.worst.size() > Scoreboard::kWorst) made.worst.resize(Scoreboard::kWorst);
  made.unpredicted.assign(reasons.begin(), reasons.end());
  std::stable_sort(made.unpredicted.begin(), made.unpredicted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return made;
}

}  // namespace orrery::validate
