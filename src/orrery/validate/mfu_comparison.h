// SPDX-License-Identifier: Apache-2.0
//
// A measured step compared with its prediction and with published steps: is its MFU good?
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "orrery/analysis/metrics/format_peaks.h"
#include "orrery/analysis/metrics/prediction_interval.h"
#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/study/question.h"
#include "orrery/study/questions/question_rows.h"
#include "orrery/study/questions/run_options.h"
#include "orrery/study/study.h"
#include "orrery/study/whatif/step_losses.h"
#include "orrery/validate/published_steps.h"

namespace orrery::validate {

/// Exactly one of the measured values is given.
struct MfuQuestion {
  study::Question base;  ///< a job on a cluster
  std::optional<Time> measured;
  std::string measured_mfu;  ///< "41%" or "0.41", of the reference peak
  std::optional<double> measured_tokens_per_s;

  static constexpr std::string_view group = "Options";
  static constexpr auto fields = std::tuple{
      config::QuestionField{"measured", &MfuQuestion::measured, "--measured", "TIME",
                            config::kAnswer, "410ms", "Measured step time"},
      config::QuestionField{"measured_mfu", &MfuQuestion::measured_mfu, "--measured-mfu", "SHARE",
                            config::kAnswer, "41%",
                            "Measured MFU instead of the step time, of the peak that 'orrery run' "
                            "prints"},
      config::QuestionField{"measured_tokens_per_s", &MfuQuestion::measured_tokens_per_s,
                            "--measured-tokens-per-s", "N", config::kAnswer, "150000",
                            "Measured tokens per second of all devices instead of the step time"},
      config::QuestionStruct{
          "base", &MfuQuestion::base,
          config::SelectedRow{"cluster", "The cluster: a file, or a device and a number"},
          config::SelectedRow{"compute"}, config::SelectedRow{"kernel_table"},
          config::SelectedRow{"job"}}};
};

/// Step time, utilization and tokens of a measured or predicted step.
struct StepSpeed {
  Time step{};
  double mfu = 0;                                        ///< of the reference peak
  double flops = 0;                                      ///< model FLOP/s and device
  double tokens_per_s = 0;                               ///< 0: the model has no tokens
  std::optional<analysis::FormatUtilization> by_format;  ///< if its products have another peak
};

struct MfuComparison {
  std::string job;  ///< the model's name
  std::size_t devices = 0;
  std::string device;
  double peak_flops = 0;  ///< reference peak of a device, FLOP/s
  std::string peak_precision;
  StepSpeed measured, predicted;
  std::optional<analysis::StepInterval> interval;  ///< of the predicted step
  std::string no_interval_reason;                  ///< why there is none
  study::StepLosses losses;                        ///< of the predicted step
  PublishedSteps published;
  Findings findings;

  /// The difference that no model explains: measured - predicted.
  [[nodiscard]] Time unexplained() const { return measured.step - predicted.step; }
  /// Whether the measured step is in the interval.
  [[nodiscard]] bool is_inside() const {
    return interval && measured.step >= interval->lower && measured.step <= interval->upper;
  }
  /// MFU points that the predicted step gains if it is `time` shorter.
  [[nodiscard]] double gain(Time time) const;
};

/// The number of losses for which changes are simulated.
inline constexpr std::size_t kShownLosses = 3;

/// Simulates the job, compares, and simulates changes for its largest losses. Errc: usage if the
/// measured value is missing, given twice or no time, or if no peak of the device is known; those
/// of simulating.
[[nodiscard]] Result<MfuComparison> compare_mfu(const MfuQuestion& question, study::Watch& watch);

}  // namespace orrery::validate
