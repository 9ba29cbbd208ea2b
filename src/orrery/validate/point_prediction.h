// SPDX-License-Identifier: Apache-2.0
//
// Predicts measured steps.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/config/question_table.h"
#include "orrery/platform/platform.h"
#include "orrery/validate/measured_points.h"

namespace orrery::validate {

/// The prediction of one point.
struct PointPrediction {
  /// Why there is no prediction, and the fields below are invalid; empty: there is one.
  std::string skip_reason;
  double seconds = 0;  ///< predicted
  /// 80 % prediction interval from the known errors of models, in seconds.
  std::optional<std::pair<double, double>> interval;
  /// The same without the errors of the complete step (study::add_step_errors).
  std::optional<std::pair<double, double>> models_interval;
  /// Traits of the point for grouping errors: "tp" → "8".
  std::vector<std::pair<std::string, std::string>> traits;
  double tokens = 0;          ///< per step; samples for models without tokens
  std::string specification;  ///< of the simulated job: resolved, YAML

  /// Relative error: predicted / measured - 1.
  [[nodiscard]] double error(const MeasuredPoint& point) const {
    return seconds / point.seconds - 1;
  }
  /// The trait named `name`, or an empty string.
  [[nodiscard]] const std::string& trait(std::string_view name) const;
};

struct PointPredictionOptions {
  std::string compute;
  std::vector<std::string> without;
  std::uint32_t threads = 1;
  /// Predictions of the same points with all effects; may be empty. A point whose specification is
  /// the same without the effects of `without` is not simulated again.
  std::span<const PointPrediction> baseline;
  /// May be empty. Calls are sequential, from any thread.
  std::function<void(std::size_t done)> progress;

  static constexpr std::string_view group = "Inputs";
  static constexpr auto fields = std::tuple{
      config::QuestionField{"compute", &PointPredictionOptions::compute, "--compute", "MODEL",
                            config::kAnswer, "roofline",
                            "Source of kernel times, as for 'orrery run'", platform::compute_names},
      config::QuestionField{"without", &PointPredictionOptions::without, "--without", "EFFECT",
                            config::kAnswer, "in_step_factors",
                            "Switch an effect off; may be repeated"}
          .one_each(),
      config::QuestionGroup{"Work"},
      config::QuestionField{"threads", &PointPredictionOptions::threads, "--threads", "N",
                            config::kNothing, "2",
                            "Points that are predicted concurrently; 0: one per core"},
      config::UndeclaredField{&PointPredictionOptions::baseline},
      config::UndeclaredField{&PointPredictionOptions::progress}};
};

/// Predicts all points, in their order. A point that cannot be simulated has a `skip_reason`. The
/// result does not depend on the number of threads. Errc: usage (an unknown effect).
[[nodiscard]] Result<std::vector<PointPrediction>> predict_points(
    std::span<const MeasuredPoint> points, const PointPredictionOptions& options);

/// The family of a model by its name, in lower case: "llama" of "LLAMA3_70B", "gpt oss" of "GPT OSS
/// 120B", "gpt" of "gpt2_large". It ends before the first digit and the letter of a version
/// ("DeepSeekV3", "Kimi_K2").
[[nodiscard]] std::string model_family(std::string_view name);

/// The trait "release" of a point that states none.
inline constexpr std::string_view kUnstatedRelease = "unstated";

/// Names of traits, in the order of output.
[[nodiscard]] std::span<const std::string_view> trait_names();

}  // namespace orrery::validate
