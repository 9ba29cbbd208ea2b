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
#include "orrery/profile/told_host.h"
#include "orrery/study/question_rows.h"
#include "orrery/study/replay.h"

namespace orrery::study {

/// Where the times of hosts come from.
enum class HostFrom : std::uint8_t {
  others,  ///< the recording's other ranks; of a single one, itself
  own,     ///< each rank's own: how far means are from what they are the means of
  given    ///< recordings that are named (PredictQuestion::overheads)
};
[[nodiscard]] std::string_view name(HostFrom from);

struct PredictQuestion {
  RecordedTraces recorded;
  std::vector<std::string> overheads;
  bool own = false, models = false;
  std::string device;
  bool unprofiled = false;

  static constexpr auto fields = std::tuple{
      QuestionField{"overheads", &PredictQuestion::overheads, "--overheads", "FILES", kAnswer,
                    "other.json.gz",
                    "Take hosts' times of these recordings instead of the other ranks'"},
      QuestionField{"own", &PredictQuestion::own, "--own", "", kAnswer, "true",
                    "Take each rank's own: how far means are from what they are the means of"},
      QuestionField{"models", &PredictQuestion::models, "--models", "", kAnswer, "true",
                    "Kernels take what models say of the device that was recorded on"},
      QuestionField{"device", &PredictQuestion::device, "--device", "NAME", kAnswer, "a100-40gb",
                    "... of this device, a name of the catalogue (implies --models)"},
      QuestionField{"unprofiled", &PredictQuestion::unprofiled, "--unprofiled", "", kAnswer, "true",
                    "Without the time that the profiler itself took"},
      QuestionPart{"recorded", &PredictQuestion::recorded}};
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
  Time with_host{};          ///< … the host's as told
  Time with_kernels{};       ///< … the kernels' as told
  Time told{};               ///< … both
  profile::Breakdown parts;  ///< of the whole, as told
  profile::Breakdown recorded_parts;
  Time lookups{}, recorded_lookups{};  ///< kernels of embedding tables, of the whole
  profile::ToldHost host;
  Time kernels{};       ///< recorded, of those that models were asked for
  Time kernels_told{};  ///< … as they say
  Time kernels_kept{};  ///< recorded, of those that none says anything of
};

struct Prediction {
  std::vector<PredictedRank> ranks;
  HostFrom from = HostFrom::others;  ///< own where there is a single rank
  bool models = false;
  Time recorded{}, told{};  ///< of the rank that takes longest
  DeviceShares recorded_shares, shares;
  Findings findings;
};

/// Algorithm 1 of Lin et al. (TPDS 2024, HiPC 2022), by the rules of replay: each thread takes T1
/// to T5 around its launches, each stream one work after the other, communications wait for the
/// last rank, hosts for what they were recorded to wait for. Each rank is told without its own host
/// times, where there are others. Errc: as replay; usage for unknown devices.
[[nodiscard]] Result<Prediction> predict(const PredictQuestion& question, Watch& watch);

}  // namespace orrery::study
