// SPDX-License-Identifier: Apache-2.0
//
// The time of a training step according to Calculon, in closed form, for the first pipeline stage.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "addons/calculon/block.h"
#include "orrery/core/error.h"

namespace orrery::estimate::calculon {

/// Why Calculon refuses a plan, in the order of its checks.
enum class Refusal : std::uint8_t {
  processes,
  batch_over_copies,
  batch_over_microbatch,
  recompute_without_training,
  interleaving_without_pipeline,
  sharding_without_copies,
  overlap_without_tensors,
  redo_without_sequences,
  redo_with_recompute,
  copies_overlap_without_training,
  copies_overlap_without_copies,
  offload_without_training,
  no_such_network,
  network_too_small,
  network_not_filled,
  data_type,
  interleaving_beyond_blocks,
  interleaving_uneven,
  offload_needs_blocks,
  sequence_uneven,
  hidden_uneven,
  feedforward_uneven,
  heads_uneven,
  near_memory,
  far_memory
};
inline constexpr std::size_t kRefusalCount = static_cast<std::size_t>(Refusal::far_memory) + 1;
/// "a network has fewer devices than the plan joins with it"
[[nodiscard]] std::string_view about(Refusal refusal);

/// Checks everything except memory. O(networks).
[[nodiscard]] std::optional<Refusal> refused(const Model& model, const Machine& machine,
                                             const Plan& plan);

/// Bytes on the first stage, in near memory (tier 1) and far memory (tier 2).
struct Space {
  double weights = 0, activations = 0, checkpoints = 0, activation_gradients = 0, gradients = 0,
         optimizer = 0;  ///< if all were in tier 1
  double tier1 = 0, tier2 = 0;
};
[[nodiscard]] Space space_of(const Model& model, const Plan& plan, const Block& block);
[[nodiscard]] std::optional<Refusal> refused(const Machine& machine, const Space& space);

/// The parts of a step, in seconds.
struct Times {
  double forward = 0, backward = 0, optimizer = 0, offload_forward = 0, offload_backward = 0,
         recompute = 0, tensor_recompute_link = 0, tensor_recompute = 0, bubble = 0;
  double tensor_link = 0, pipeline_link = 0, data_link = 0;  ///< busy time of links
  double tensor = 0, pipeline = 0, data = 0;                 ///< exposed
  double data_message = 0;                                   ///< bytes per block
  double chunk_bandwidth = 0, tail_bandwidth = 0;  ///< required to hide data parallelism, bytes/s

  [[nodiscard]] double total() const {
    return forward + backward + optimizer + offload_forward + offload_backward + recompute +
           tensor_recompute + bubble + tensor + pipeline + data;
  }
};
/// O(1). Source: Calculon, SC23, §3.
[[nodiscard]] Times times_of(const Model& model, const Machine& machine, const Plan& plan,
                             const Block& block);

/// The time of a step and its parts.
struct StepEstimate {
  Block block;
  Space space;
  Times times;
};
/// Errc: config_conflict if Calculon refuses the plan; the message contains the reason and the
/// requirement.
[[nodiscard]] Result<StepEstimate> step_of(const Model& model, const Machine& machine,
                                           const Plan& plan);
[[nodiscard]] Error refusal(Refusal why, const Model& model, const Machine& machine,
                            const Plan& plan, const Space& space);

/// Calculon's 96 statistics with its names and in its order; empty where Calculon has null.
[[nodiscard]] std::vector<std::pair<std::string_view, std::optional<double>>> statistics(
    const Model& model, const Machine& machine, const Plan& plan, const StepEstimate& step);

}  // namespace orrery::estimate::calculon
