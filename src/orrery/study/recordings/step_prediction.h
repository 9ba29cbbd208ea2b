// SPDX-License-Identifier: Apache-2.0
//
// Predicts a recorded step from typical host times of operators and from kernel models.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/profile/host/predicted_host.h"
#include "orrery/study/questions/question_rows.h"
#include "orrery/study/recordings/replay.h"

namespace orrery::study {

/// Source of host times.
enum class HostTimeSource : std::uint8_t {
  other_ranks,  ///< other ranks of the recording; if there is one rank, that rank
  own,          ///< the rank itself, to measure the error of means
  given         ///< other recordings (StepPredictionQuestion::overheads)
};
[[nodiscard]] std::string_view name(HostTimeSource from);

struct StepPredictionQuestion {
  RecordedTraces recorded;
  std::vector<std::string> overheads;
  bool own = false, models = false;
  std::string device;
  bool unprofiled = false;

  static constexpr auto fields = std::tuple{
      QuestionField{"overheads", &StepPredictionQuestion::overheads, "--overheads", "FILES",
                    kAnswer, "other.json.gz",
                    "Use host times of these recordings instead of those of the other ranks"},
      QuestionField{"own", &StepPredictionQuestion::own, "--own", "", kAnswer, "true",
                    "Use each rank's own host times, to measure the error of their means"},
      QuestionField{"models", &StepPredictionQuestion::models, "--use-models", "", kAnswer, "true",
                    "Predict kernel times with models of the recorded device"},
      QuestionField{"device", &StepPredictionQuestion::device, "--device", "NAME", kAnswer,
                    "a100-40gb",
                    "Predict kernel times for this device of the catalog (implies --use-models)"},
      QuestionField{"unprofiled", &StepPredictionQuestion::unprofiled, "--unprofiled", "", kAnswer,
                    "true", "Remove the overhead of the profiler"},
      QuestionStruct{"recorded", &StepPredictionQuestion::recorded}};
};

/// Device metrics of Lin et al. (TPDS 2024), as shares of the recorded or predicted step time.
struct DeviceShares {
  double active = 0;   ///< any stream is busy, including communication; mean of ranks
  double exposed = 0;  ///< communication without concurrent compute; mean of ranks
  /// (Maximum - mean) over ranks of compute time; `lookups`: of embedding lookups only, as Lin et
  /// al. define it.
  double imbalance = 0, lookups = 0;
};

/// The predicted step of a rank, and the separate effect of host and kernel predictions.
struct PredictedRank {
  std::uint32_t rank = 0;
  std::string file, device;
  Time recorded{};           ///< mean step time
  Time replayed{};           ///< … replayed with recorded times
  Time host_only{};          ///< … with predicted host times only
  Time kernels_only{};       ///< … with predicted kernel times only
  Time predicted{};          ///< … with both
  profile::Breakdown parts;  ///< breakdown of the complete prediction
  profile::Breakdown recorded_parts;
  /// Kernels of embedding tables, over all steps.
  Time lookups{}, recorded_lookup_time{};
  profile::PredictedHost host;
  Time kernels{};              ///< recorded time of predicted kernels
  Time kernels_predicted{};    ///< their predicted time
  Time kernels_unpredicted{};  ///< recorded time of kernels without a prediction
};

struct StepPrediction {
  std::vector<PredictedRank> ranks;
  HostTimeSource from = HostTimeSource::other_ranks;  ///< `own` if there is a single rank
  bool models = false;
  Time recorded{}, predicted{};  ///< step time of the slowest rank
  DeviceShares recorded_shares, shares;
  Findings findings;
};

/// Algorithm 1 of Lin et al. (TPDS 2024, HiPC 2022), with the dependencies of replay(). Each thread
/// spends T1 to T5 around its launches. Each stream runs one operation at a time. Communications
/// wait for the last rank, hosts for what the recording shows they waited for. The prediction of a
/// rank does not use its own host times if there are other ranks. Errc: as replay; usage for
/// unknown devices.
[[nodiscard]] Result<StepPrediction> predict_step(const StepPredictionQuestion& question,
                                                  Watch& watch);

}  // namespace orrery::study
