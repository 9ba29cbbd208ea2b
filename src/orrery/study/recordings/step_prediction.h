// SPDX-License-Identifier: Apache-2.0
//
// A recorded step told from what operators usually take on a host, and from models of kernels.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/profile/host/predicted_host.h"
#include "orrery/study/questions/question_rows.h"
#include "orrery/study/recordings/replay.h"

namespace orrery::study {

/// Where the times of hosts come from.
enum class HostTimeSource : std::uint8_t {
  other_ranks,  ///< the recording's other ranks; of a single one, itself
  own,          ///< each rank's own: how far means are from what they are the means of
  given         ///< recordings that are named (StepPredictionQuestion::overheads)
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
                    "Take hosts' times of these recordings instead of the other ranks'"},
      QuestionField{"own", &StepPredictionQuestion::own, "--own", "", kAnswer, "true",
                    "Take each rank's own: how far means are from what they are the means of"},
      QuestionField{"models", &StepPredictionQuestion::models, "--models", "", kAnswer, "true",
                    "Kernels take what models say of the device that was recorded on"},
      QuestionField{"device", &StepPredictionQuestion::device, "--device", "NAME", kAnswer,
                    "a100-40gb", "... of this device, a name of the catalogue (implies --models)"},
      QuestionField{"unprofiled", &StepPredictionQuestion::unprofiled, "--unprofiled", "", kAnswer,
                    "true", "Without the time that the profiler itself took"},
      QuestionStruct{"recorded", &StepPredictionQuestion::recorded}};
};

/// What Lin et al. say of a job's devices (TPDS 2024), as shares of all that was recorded or told.
struct DeviceShares {
  double active = 0;   ///< something runs on a stream, a communication too: the mean of ranks
  double exposed = 0;  ///< communications run and nothing that computes: the mean of ranks
  /// The longest less the mean of what devices compute; of embedding lookups alone, as Lin et al.
  /// have it.
  double imbalance = 0, lookups = 0;
};

/// How a rank's step is told, and what each part of that does alone.
struct PredictedRank {
  std::uint32_t rank = 0;
  std::string file, device;
  Time recorded{};           ///< its steps, in the mean
  Time replayed{};           ///< … with the recorded times
  Time host_only{};          ///< … the host's as told
  Time kernels_only{};       ///< … the kernels' as told
  Time predicted{};          ///< … both
  profile::Breakdown parts;  ///< of the whole, as told
  profile::Breakdown recorded_parts;
  Time lookups{}, recorded_lookup_time{};  ///< kernels of embedding tables, of the whole
  profile::PredictedHost host;
  Time kernels{};              ///< recorded, of those that models were asked for
  Time kernels_predicted{};    ///< … as they say
  Time kernels_unpredicted{};  ///< recorded, of those that none says anything of
};

struct StepPrediction {
  std::vector<PredictedRank> ranks;
  HostTimeSource from = HostTimeSource::other_ranks;  ///< own where there is a single rank
  bool models = false;
  Time recorded{}, predicted{};  ///< of the rank that takes longest
  DeviceShares recorded_shares, shares;
  Findings findings;
};

/// Algorithm 1 of Lin et al. (TPDS 2024, HiPC 2022), by the rules of replay: each thread takes T1
/// to T5 around its launches, each stream one work after the other, communications wait for the
/// last rank, hosts for what they were recorded to wait for. Each rank is told without its own host
/// times, where there are others. Errc: as replay; usage for unknown devices.
[[nodiscard]] Result<StepPrediction> predict_step(const StepPredictionQuestion& question,
                                                  Watch& watch);

}  // namespace orrery::study
