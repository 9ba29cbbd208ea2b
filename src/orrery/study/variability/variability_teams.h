// SPDX-License-Identifier: Apache-2.0
//
// Ranks that wait for each other within each layer, and the step time as a function of their
// factors.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/study/questions/inputs/inputs.h"
#include "orrery/study/variability/step_variability.h"

namespace orrery::study {

/// A team is one stage of one replica: ranks that wait for each other in every layer (tensor,
/// context and expert parallelism, and ZeRO-3 weight gathering). Teams of jobs follow from the
/// plan. In traces all ranks are one team; if ranks exchange messages, ranks with equal graphs are.
struct Teams {
  std::uint32_t stages = 1, replicas = 1;
  std::vector<std::uint32_t> of_rank;  ///< replica × stages + stage
  bool grows = false;                  ///< with more ranks, teams become larger instead of more

  [[nodiscard]] std::uint32_t count() const { return stages * replicas; }
  [[nodiscard]] std::uint32_t stage(std::uint32_t rank) const { return of_rank[rank] % stages; }
};
/// Errc: input_unsupported if more than 64 distinct ranks of traces exchange messages.
[[nodiscard]] Result<Teams> find_teams(const Load& load);

/// Fills `alone` and `fill_growth` from `steps`: step times with one stage alone at each factor
/// (stages × factors, network unchanged). The step time of a pipeline is a constant + Σ aᵢfᵢ + max
/// bᵢfᵢ: microbatches pass through each stage once (a), and the others queue at the slowest stage
/// (b). If one stage is much slower than the others, the step grows with slope a + b, and the
/// intercept of that line gives a + max b. If all stages are slower, it grows with Σ a + max b.
void fit_stages(std::uint32_t stages, const std::vector<Time>& steps, StepResponse& response);

/// The factor of all ranks that gives the same step time as these factors of teams. It is the
/// maximum over replicas and over stages i, the possible bottleneck, of aloneᵢ(fᵢ) + Σⱼ aⱼ(fⱼ-1), j
/// ≠ i, where a is `fill_growth`.
[[nodiscard]] double effective(const Teams& teams, const StepResponse& response,
                               const std::vector<double>& factors);
/// Step time at an effective compute factor and a network factor: linear interpolation between
/// simulated steps, and linear extrapolation beyond them.
[[nodiscard]] Time response_step(const StepResponse& response, double effective, double network);

/// Inputs with each rank's compute time scaled by its factor, and communication times scaled by
/// `network`, including collectives of a library.
[[nodiscard]] Inputs scale_inputs(const Inputs& inputs, const std::vector<double>& factors,
                                  double network);

}  // namespace orrery::study
