// SPDX-License-Identifier: Apache-2.0
//
// A step on machines that differ and steps that are unsteady: many draws at once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/platform/catalogue/variability.h"
#include "orrery/study/question.h"
#include "orrery/study/questions/question_rows.h"
#include "orrery/study/study.h"

namespace orrery::study {

struct VariabilityQuestion {
  Question base;  ///< settled: a workload on a cluster
  std::string variability;
  std::int64_t draws = 1000;
  std::int64_t seed = 1;
  bool same_fleet = false, simulate = false;
  std::int64_t verify = 2;

  static constexpr std::string_view group = "Variability (docs/variability.md)";
  static constexpr auto fields = std::tuple{
      UndeclaredField{&VariabilityQuestion::base},
      QuestionField{"variability", &VariabilityQuestion::variability, "--variability", "FILE|NAME",
                    kAnswer, "training-64k",
                    "Machines that differ and steps that are unsteady: a file, or a name of the "
                    "catalogue"},
      QuestionField{"draws", &VariabilityQuestion::draws, "--draws", "N", kAnswer, "20",
                    "So many steps are drawn"}
          .shows_default(),
      QuestionField{"seed", &VariabilityQuestion::seed, "--seed", "N", kAnswer, "2",
                    "Another seed, other draws"}
          .shows_default(),
      QuestionField{"same_fleet", &VariabilityQuestion::same_fleet, "--same-fleet", "", kAnswer,
                    "true", "Draw the ranks' speeds once: steps of one fleet, not of many"},
      QuestionField{"simulate", &VariabilityQuestion::simulate, "--simulate-draws", "", kAnswer,
                    "true", "Simulate every draw, instead of by the fast path"},
      QuestionField{"verify", &VariabilityQuestion::verify, "--verify-draws", "N", kAnswer, "1",
                    "Simulate so many of the draws, too, and say how far off the fast path is"}
          .shows_default()};
};

/// Of many steps.
struct StepSpread {
  Time mean{}, median{}, p95{}, p99{}, least{}, most{};
};

/// What one part of the variability costs alone.
struct PartCost {
  std::string part;  ///< "speed", "jitter", "stalls", "network"
  Time mean{}, p95{};
};

/// The same job with more or fewer replicas.
struct ScaledSpread {
  std::uint64_t ranks = 0;
  double slowest = 1;  ///< factor of the slowest rank, mean
  Time mean{}, p95{};  ///< of the step
};

/// A draw that was simulated rank by rank, beside what the fast path says of it.
struct VerifiedDraw {
  std::int64_t draw = 0;
  Time simulated{}, fast{};
};

/// How a step becomes longer, as the fast path takes it.
struct StepResponse {
  std::vector<double> factors;   ///< every rank computes so many times as long, …
  std::vector<double> networks;  ///< … and the network takes so many times as long:
  std::vector<Time> steps;       ///< the step, factors × networks, simulated
  /// One stage alone at each of `factors`, stages × factors: the factor of all ranks with which the
  /// step is as long.
  std::vector<double> alone;
  /// What each stage adds to that, of its factor less 1, while another one is the bottleneck: the
  /// pipeline fills and drains through it.
  std::vector<double> fill_growth;
};

struct VariabilityAnswer {
  std::string workload, cluster;
  platform::Variability variability;
  std::int64_t draws = 0, seed = 0;
  bool same_fleet = false, simulated = false;
  bool recorded = false;  ///< from recorded traces, whose hosts do not vary
  double computing = 0;   ///< share of the step without variability that ranks compute: what varies
  std::uint32_t ranks = 0, stages = 1, replicas = 1;  ///< replicas are of all stages
  Time without{};                                     ///< the step without variability
  StepSpread steps;                                   ///< with it
  Time without_stragglers{};  ///< mean, were each rank of a draw as quick as its median one
  Time without_slowest{};     ///< mean, were only the slowest one so
  double slowest_mean = 1, slowest_p95 = 1, slowest_p99 = 1;  ///< its factor, in closed form
  std::optional<StepSpread>
      closed_form;                  ///< the step in closed form; of one stage and a still network
  std::vector<PartCost> parts;      ///< of those that vary, where several do
  std::vector<ScaledSpread> scale;  ///< of jobs and of traces without stages
  std::vector<VerifiedDraw> verified;
  StepResponse response;  ///< of the fast path
  Findings findings;
};

/// The same question gives the same answer. Errc: those of reading and simulating; usage for
/// numbers that cannot be; input_unsupported for the fast path of traces with more than 64
/// different ranks that send each other messages. O(draws × ranks), and some simulations of the
/// folded step.
[[nodiscard]] Result<VariabilityAnswer> sample_steps(const VariabilityQuestion& question,
                                                     Watch& watch);

}  // namespace orrery::study
