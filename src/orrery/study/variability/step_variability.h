// SPDX-License-Identifier: Apache-2.0
//
// Step time distribution under device and step variability, from random samples.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/platform/catalog/variability.h"
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
                    "Variability of ranks and steps: a file, or a name of the catalog"}
          .advanced(),
      QuestionField{"draws", &VariabilityQuestion::draws, "--draws", "N", kAnswer, "20",
                    "Number of sampled steps"}
          .shows_default()
          .advanced(),
      QuestionField{"seed", &VariabilityQuestion::seed, "--seed", "N", kAnswer, "2",
                    "Random seed of the samples"}
          .shows_default()
          .advanced(),
      QuestionField{"same_fleet", &VariabilityQuestion::same_fleet, "--same-fleet", "", kAnswer,
                    "true", "Sample the ranks' speeds once: steps of one fleet, not of many"}
          .advanced(),
      QuestionField{"simulate", &VariabilityQuestion::simulate, "--simulate-draws", "", kAnswer,
                    "true", "Simulate every sampled step, instead of using the fast path"}
          .advanced(),
      QuestionField{"verify", &VariabilityQuestion::verify, "--verify-draws", "N", kAnswer, "1",
                    "Number of samples to also simulate, to print the error of the fast path"}
          .shows_default()
          .advanced()};
};

/// Distribution of step times.
struct StepSpread {
  Time mean{}, median{}, p95{}, p99{}, least{}, most{};
};

/// The cost of one part of the variability alone.
struct PartCost {
  std::string part;  ///< "speed", "jitter", "stalls", "network"
  Time mean{}, p95{};
};

/// The same job with more or fewer replicas.
struct ScaledSpread {
  std::uint64_t ranks = 0;
  double slowest = 1;  ///< mean factor of the slowest rank
  Time mean{}, p95{};  ///< step time
};

/// A sample simulated rank by rank, and its estimate from the fast path.
struct VerifiedDraw {
  std::int64_t draw = 0;
  Time simulated{}, fast{};
};

/// Response of the step time to slower ranks and networks, used by the fast path.
struct StepResponse {
  std::vector<double> factors;   ///< factors on the compute time of all ranks
  std::vector<double> networks;  ///< factors on communication times
  std::vector<Time> steps;       ///< simulated step times, factors × networks
  /// For one slowed stage at each of `factors` (stages × factors): the factor of all ranks that
  /// gives the same step time.
  std::vector<double> alone;
  /// Added to that factor by each stage that is not the bottleneck, per unit of its factor above 1:
  /// the pipeline fills and drains through it.
  std::vector<double> fill_growth;
};

struct VariabilityAnswer {
  std::string workload, cluster;
  platform::Variability variability;
  std::int64_t draws = 0, seed = 0;
  bool same_fleet = false, simulated = false;
  bool recorded = false;  ///< recorded traces: host times do not vary
  double computing = 0;   ///< share of compute in `without`, mean over ranks: the part that varies
  std::uint32_t ranks = 0, stages = 1, replicas = 1;  ///< a replica spans all stages
  Time without{};                                     ///< the step without variability
  StepSpread steps;                                   ///< step times with variability
  Time without_stragglers{};  ///< mean, each rank at the median factor of the sample
  Time without_slowest{};     ///< mean, only the slowest rank at the median factor
  double slowest_mean = 1, slowest_p95 = 1,
         slowest_p99 = 1;  ///< factor of the slowest rank; closed form
  /// Step times in closed form; empty: several stages, a varying network, or same_fleet.
  std::optional<StepSpread> closed_form;
  std::vector<PartCost> parts;      ///< parts that vary, if several do; fast path only
  std::vector<ScaledSpread> scale;  ///< jobs, and traces without stages; fast path only
  std::vector<VerifiedDraw> verified;
  StepResponse response;  ///< used by the fast path
  Findings findings;
};

/// Samples step times. Equal questions give equal answers. Errc: those of reading and simulating;
/// usage for invalid numbers; input_unsupported for the fast path of traces in which more than 64
/// distinct ranks exchange messages. O(draws × ranks), plus simulations of the folded step.
[[nodiscard]] Result<VariabilityAnswer> sample_steps(const VariabilityQuestion& question,
                                                     Watch& watch);

}  // namespace orrery::study
