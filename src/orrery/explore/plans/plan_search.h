// SPDX-License-Identifier: Apache-2.0
//
// The best plans of a job on a cluster: all estimated, the best simulated.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "orrery/config/question_table.h"
#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/explore/plans/fitted_plan.h"
#include "orrery/explore/plans/plan_space.h"
#include "orrery/explore/points/evaluation.h"
#include "orrery/explore/points/step_parts.h"
#include "orrery/study/questions/inputs/inputs.h"

namespace orrery::explore {

struct PlanQuestion {
  study::JobDescription job;  ///< what it gives of a plan is tried alone ("8", "2,4,8")
  std::string cluster;
  Evaluation evaluation = Evaluation::automatic;
  std::size_t best = 10, simulated = 20;
  std::uint32_t threads = 0;

  static constexpr auto fields = std::tuple{
      config::QuestionField{"cluster", &PlanQuestion::cluster, "", "", config::kAnswer,
                            "a100-40gb:8", "A file or a name of the catalogue"},
      config::QuestionField{
          "gear", &PlanQuestion::evaluation, "--gear", "GEAR", config::kAnswer, "estimate",
          "estimate; simulate: every plan; or auto: the best of the estimated ones"},
      config::QuestionField{"best", &PlanQuestion::best, "--best", "N", config::kAnswer, "1",
                            "How many plans to show"}
          .between(1, 1000)
          .shows_default(),
      config::QuestionField{"simulated", &PlanQuestion::simulated, "--simulated", "N",
                            config::kAnswer, "1",
                            "How many to simulate of those that are estimated best"}
          .between(1, 100'000)
          .shows_default(),
      config::QuestionField{"threads", &PlanQuestion::threads, "--threads", "N", config::kNothing,
                            "2", "0: as many as there are cores"}
          .between(0, 1024),
      config::QuestionStruct{"job", &PlanQuestion::job}};
};

struct PlanAnswer {
  workload::Spec spec;
  std::int64_t memory = 0;  ///< what the fullest rank needs, bytes
  std::optional<Time> estimate, simulated;
  std::optional<PartTimes> parts;  ///< of the simulation

  [[nodiscard]] Time step() const { return simulated ? *simulated : *estimate; }
};

struct PlanSearch {
  std::int64_t devices = 0, memory = 0;  ///< the cluster's; bytes of a device
  std::string cluster;
  double model_flops = 0, peak = 0;  ///< of a step; a device's, per second
  std::int64_t samples = 0, tokens = 0;
  std::vector<PlanAnswer> best;  ///< the fastest first
  std::uint64_t plans = 0;       ///< that fill the cluster; recomputation apart
  std::uint64_t fitting = 0;
  /// Plans that break a rule ("heads-by-tp: …"), by rule; with all ways to recompute.
  std::map<std::string, std::uint64_t> illegal;
  std::uint64_t too_large = 0;         ///< whatever is recomputed
  std::uint64_t in_columns = 0;        ///< of those that fit: told in closed form first …
  std::uint64_t played = 0;            ///< … and of all that fit: played, or simulated
  double columns_error = 0;            ///< of the closed form against these, as a share
  std::uint64_t needs_simulation = 0;  ///< that only a simulation tells, and nobody simulated
  std::optional<PlanAnswer> smallest;  ///< of those that are too large, the one that needs least
  double max_estimate_error = 0;       ///< of estimates against simulations, as a share
  Findings findings;

  /// Of `answer`: model FLOPs a second, over all devices' peak.
  [[nodiscard]] double mfu(const PlanAnswer& answer) const;
};

/// Whoever wants to know how far it is: what it does, done, of all.
using PlanProgress = std::function<void(const char* what, std::size_t done, std::size_t of)>;

/// Errc: usage, config_*; those of simulations. The same with any number of threads.
[[nodiscard]] Result<PlanSearch> search_plans(const PlanQuestion& question,
                                              const PlanProgress& progress = {});
/// The same on a cluster that was read, with what was found in it.
[[nodiscard]] Result<PlanSearch> search_plans(const PlanQuestion& question,
                                              std::shared_ptr<const study::Cluster> cluster,
                                              Findings findings, const PlanProgress& progress = {});

}  // namespace orrery::explore
