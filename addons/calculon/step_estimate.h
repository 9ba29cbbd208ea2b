// SPDX-License-Identifier: Apache-2.0
//
// A training step by Calculon's rules, in closed form, on the first stage of the pipeline.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "addons/calculon/block.h"
#include "orrery/core/error.h"

namespace orrery::estimate::calculon {

/// Why Calculon refuses a plan, in the order that it looks.
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
/// "a network has fewer devices than it is to join"
[[nodiscard]] std::string_view about(Refusal refusal);

/// All but memory. O(networks).
[[nodiscard]] std::optional<Refusal> refused(const Model& model, const Machine& machine,
                                             const Plan& plan);

/// Bytes on the first stage, near (tier 1) and far (tier 2).
struct Space {
  double weights = 0, activations = 0, checkpoints = 0, activation_gradients = 0, gradients = 0,
         optimizer = 0;  ///< were it all near
  double near = 0, far = 0;
};
[[nodiscard]] Space space_of(const Model& model, const Plan& plan, const Block& block);
[[nodiscard]] std::optional<Refusal> refused(const Machine& machine, const Space& space);

/// Seconds of a step.
struct Times {
  double forward = 0, backward = 0, optimizer = 0, offload_forward = 0, offload_backward = 0,
         recompute = 0, again_link = 0, again = 0, bubble = 0;
  double tensor_link = 0, pipeline_link = 0, data_link = 0;  ///< on links
  double tensor = 0, pipeline = 0, data = 0;                 ///< exposed
  double data_message = 0;                                   ///< bytes of a block
  double chunk_bandwidth = 0, tail_bandwidth = 0;  ///< that data parallelism hides, bytes/s

  [[nodiscard]] double total() const {
    return forward + backward + optimizer + offload_forward + offload_backward + recompute + again +
           bubble + tensor + pipeline + data;
  }
};
/// O(1). Source: Calculon, SC23, §3.
[[nodiscard]] Times times_of(const Model& model, const Machine& machine, const Plan& plan,
                             const Block& block);

/// An answer and where its parts come from.
struct StepEstimate {
  Block block;
  Space space;
  Times times;
};
/// Errc: config_conflict: the plan is refused; the words say why and what it needs.
[[nodiscard]] Result<StepEstimate> step_of(const Model& model, const Machine& machine,
                                           const Plan& plan);
[[nodiscard]] Error refusal(Refusal why, const Model& model, const Machine& machine,
                            const Plan& plan, const Space& space);

/// Calculon's 96 statistics, with its names, in its order; nothing where it has null.
[[nodiscard]] std::vector<std::pair<std::string_view, std::optional<double>>> statistics(
    const Model& model, const Machine& machine, const Plan& plan, const StepEstimate& step);

}  // namespace orrery::estimate::calculon
