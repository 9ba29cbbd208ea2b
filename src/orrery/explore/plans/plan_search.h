// SPDX-License-Identifier: Apache-2.0
//
// Finds the best plans of a job on a cluster: estimates all plans, and simulates the best.
#pragma once

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
#include "orrery/core/memory_need.h"
#include "orrery/explore/plans/fitted_plan.h"
#include "orrery/explore/plans/plan_budget.h"
#include "orrery/explore/plans/plan_space.h"
#include "orrery/explore/points/evaluation.h"
#include "orrery/explore/points/step_parts.h"
#include "orrery/study/questions/inputs/inputs.h"
#include "orrery/study/questions/question_rows.h"

namespace orrery::explore {

struct PlanQuestion {
  study::JobDescription job;  ///< given plan values restrict the search ("8", "2,4,8")
  std::string cluster;
  std::vector<std::string> network_bandwidth;  ///< of dimensions, instead of the cluster's
  Evaluation evaluation = Evaluation::automatic;
  std::size_t best = 10, simulated = 20;
  std::uint32_t threads = 0;
  BudgetQuestion budget;

  static constexpr auto fields = std::tuple{
      config::QuestionField{"cluster", &PlanQuestion::cluster, "", "", config::kAnswer,
                            "a100-40gb:8", "A file, or a name of the catalog"},
      study::network_bandwidth_field(&PlanQuestion::network_bandwidth),
      config::QuestionField{
          "method", &PlanQuestion::evaluation, "--method", "METHOD", config::kAnswer, "estimate",
          "Evaluation: estimate; simulate; or auto: estimate all, simulate the best"}
          .advanced(),
      config::QuestionField{"best", &PlanQuestion::best, "--top", "N", config::kAnswer, "1",
                            "Number of plans to show"}
          .between(1, 1000)
          .shows_default(),
      config::QuestionField{"simulated", &PlanQuestion::simulated, "--simulated", "N",
                            config::kAnswer, "1",
                            "Number of plans with the best estimates to simulate"}
          .between(1, 100'000)
          .shows_default()
          .advanced(),
      config::QuestionField{"threads", &PlanQuestion::threads, "--threads", "N", config::kNothing,
                            "2", "Number of threads; 0: all cores"}
          .between(0, 1024)
          .advanced(),
      config::QuestionStruct{"budget", &PlanQuestion::budget},
      config::QuestionStruct{"job", &PlanQuestion::job}};
};

struct PlanAnswer {
  workload::Spec spec;
  std::int64_t memory = 0;         ///< what the fullest rank needs, bytes
  MemoryFit fit = MemoryFit::yes;  ///< with the uncertainty of `memory`
  std::optional<Time> estimate, simulated;
  std::optional<PartTimes> parts;  ///< from the simulation
  std::optional<PlanBudget> budget{};

  [[nodiscard]] Time step() const { return simulated ? *simulated : *estimate; }
};

struct PlanSearch {
  std::int64_t devices = 0, memory = 0;  ///< devices of the cluster; memory of a device, bytes
  std::string cluster;
  double model_flops = 0, peak = 0;  ///< FLOPs of a step; peak FLOP/s of a device
  /// Peak FLOP/s of a device for the formats of products; 0: unknown, or as `peak`.
  double format_peak = 0;
  std::int64_t samples = 0, tokens = 0;
  std::vector<PlanAnswer> best;  ///< by step time, ascending
  std::uint64_t plans = 0;       ///< plans that fill the cluster, not counting recomputation
  std::uint64_t fitting = 0;
  /// Plans that violate a rule ("heads-by-tp"), by rule, with every kind of recomputation.
  std::map<std::string, std::uint64_t> illegal;
  std::uint64_t too_large = 0;         ///< with every kind of recomputation
  std::uint64_t in_columns = 0;        ///< fitting plans estimated in closed form first …
  std::uint64_t detailed = 0;          ///< … and fitting plans estimated in detail or simulated
  double columns_error = 0;            ///< largest relative error of the closed form to these
  std::uint64_t needs_simulation = 0;  ///< plans that need a simulation and have none
  std::optional<PlanAnswer> smallest;  ///< the too large plan that needs the least memory
  double max_estimate_error = 0;       ///< largest relative error of estimates to simulations
  Findings findings;

  /// Model FLOP/s of `answer` / peak of all devices.
  [[nodiscard]] double mfu(const PlanAnswer& answer) const;
  /// The same with `format_peak`; empty without it.
  [[nodiscard]] std::optional<double> format_mfu(const PlanAnswer& answer) const;
};

/// Progress callback: phase ("fit", "cost", "estimate", "simulate"), done, total. Called on several
/// threads, one at a time.
using PlanProgress = std::function<void(const char* what, std::size_t done, std::size_t of)>;

/// Searches plans. The result does not depend on the number of threads. Errc: usage, config_*;
/// those of simulations.
[[nodiscard]] Result<PlanSearch> search_plans(const PlanQuestion& question,
                                              const PlanProgress& progress = {});
/// The same on a cluster already read. `findings`: those of reading it.
[[nodiscard]] Result<PlanSearch> search_plans(const PlanQuestion& question,
                                              std::shared_ptr<const study::Cluster> cluster,
                                              Findings findings, const PlanProgress& progress = {});

}  // namespace orrery::explore
