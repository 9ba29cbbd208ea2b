// SPDX-License-Identifier: Apache-2.0
//
// Which ranks wait for each other within a step's layers, and how a step grows with theirs.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/study/questions/inputs/inputs.h"
#include "orrery/study/variability/step_variability.h"

namespace orrery::study {

/// A team is what one stage of one replica is made of: ranks that wait for each other in every
/// layer (tensor, context and expert parallel, and who gathers weights there). Of jobs by the plan.
/// Of traces all ranks are one team, or where they send each other messages those with equal
/// graphs.
struct Teams {
  std::uint32_t stages = 1, replicas = 1;
  std::vector<std::uint32_t> of_rank;  ///< replica × stages + stage
  bool grows = false;                  ///< a larger job has larger teams, not more of them

  [[nodiscard]] std::uint32_t count() const { return stages * replicas; }
  [[nodiscard]] std::uint32_t stage(std::uint32_t rank) const { return of_rank[rank] % stages; }
};
/// Errc: input_unsupported where traces have more than 64 different ranks.
[[nodiscard]] Result<Teams> find_teams(const Load& load);

/// From one stage alone at each of the response's factors (stages × factors; the network as it is):
/// fills `alone` and `fill_growth`. A pipeline's step is Σ aᵢfᵢ + max bᵢfᵢ and what does not depend
/// on stages: microbatches pass through each of them once (a), and the others queue at the slowest
/// (b). Of a stage that is far the slowest the step's growth is a + b, and where the line begins
/// says a + max b; all stages together grow with Σ a + max b.
void fit_stages(std::uint32_t stages, const std::vector<Time>& steps, StepResponse& response);

/// How many times as long a step's compute takes in effect, where these are the teams' factors: of
/// each replica the most, over stages i that may be the bottleneck, of aloneᵢ(fᵢ) +
/// Σⱼ aⱼ(fⱼ-1), j ≠ i; and of these the most.
[[nodiscard]] double effective(const Teams& teams, const StepResponse& response,
                               const std::vector<double>& factors);
/// The step with this and a factor of the network's: between what was simulated by lines, and
/// beyond as between the last two.
[[nodiscard]] Time response_step(const StepResponse& response, double effective, double network);

/// Inputs whose ranks take so many times as long to compute, and whose network so many times as
/// long to carry, collectives that a library runs too.
[[nodiscard]] Inputs scale_inputs(const Inputs& inputs, const std::vector<double>& factors,
                                  double network);

}  // namespace orrery::study
