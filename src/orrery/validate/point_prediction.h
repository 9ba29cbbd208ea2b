// SPDX-License-Identifier: Apache-2.0
//
// Measured steps, predicted.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "orrery/config/question_table.h"
#include "orrery/validate/measured_points.h"

namespace orrery::validate {

/// What came of one point.
struct PointPrediction {
  std::string
      skip_reason;     ///< not empty: there is none, for this reason, and all below means nothing
  double seconds = 0;  ///< predicted
  /// 80 % of true steps lie in it, as far as it is known how far off models are; seconds.
  std::optional<std::pair<double, double>> band;
  /// What is known of the point by which errors may be grouped: "tp" → "8".
  std::vector<std::pair<std::string, std::string>> traits;
  double tokens = 0;  ///< of a step; samples where there are no tokens

  /// Predicted over measured, less 1.
  [[nodiscard]] double error(const MeasuredPoint& point) const {
    return seconds / point.seconds - 1;
  }
  /// The trait of that name, or empty.
  [[nodiscard]] const std::string& trait(std::string_view name) const;
};

struct PointPredictionOptions {
  std::string compute;
  std::vector<std::string> without;
  std::uint32_t threads = 1;
  std::function<void(std::size_t done)>
      progress;  ///< may be empty; one call at a time, from any thread

  static constexpr std::string_view group = "Inputs";
  static constexpr auto fields = std::tuple{
      config::QuestionField{"compute", &PointPredictionOptions::compute, "--compute", "MODEL",
                            config::kAnswer, "roofline", "Who tells kernels, as for 'orrery run'"},
      config::QuestionField{"without", &PointPredictionOptions::without, "--without", "EFFECT",
                            config::kAnswer, "in_step_factors",
                            "Switch an effect off; may be repeated"}
          .one_each(),
      config::QuestionGroup{"Work"},
      config::QuestionField{"threads", &PointPredictionOptions::threads, "--threads", "N",
                            config::kNothing, "2",
                            "Points at a time; 0: as many as there are cores"},
      config::UndeclaredField{&PointPredictionOptions::progress}};
};

/// One for each point, in their order. A point that cannot be simulated says why. The same for any
/// number of threads. Errc: usage (an effect that does not exist).
[[nodiscard]] Result<std::vector<PointPrediction>> predict_points(
    std::span<const MeasuredPoint> points, const PointPredictionOptions& options);

/// The names that traits have, in the order in which groups are told.
[[nodiscard]] std::span<const std::string_view> trait_names();

}  // namespace orrery::validate
