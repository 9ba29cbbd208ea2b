// SPDX-License-Identifier: Apache-2.0
//
// The memory of the first stage (from Calculon, calculon/llm/llm.py at caa4b11).
#include <algorithm>

#include "addons/calculon/step_estimate.h"

namespace orrery::estimate::calculon {

namespace {

/// The number of microbatches whose activations a stage stores: those in progress, and more if
/// chunks interleave.
double under_way(const Plan& plan) {
  const auto stages = static_cast<double>(plan.pipeline_par);
  const double held = std::min(static_cast<double>(plan.microbatches()), stages);
  if (plan.pipeline_interleaving == 1) return held;
  return held * (1 + (stages - 1) / (static_cast<double>(plan.pipeline_interleaving) * stages));
}

}  // namespace

Space space_of(const Model& model, const Plan& plan, const Block& block) {
  const auto blocks =
      static_cast<double>((model.num_blocks + plan.pipeline_par - 1) / plan.pipeline_par);
  const bool checkpoints = plan.activation_recompute == Recompute::full;
  Space space;
  space.weights = block.weights * blocks;
  space.activations = block.working;
  if (plan.training) {
    if (checkpoints) {
      space.checkpoints = blocks * block.checkpoint * under_way(plan);
    } else {
      space.activations += block.storage * (blocks * under_way(plan) - 1);
    }
    space.activation_gradients = block.activation_gradients;
    space.gradients = block.whole_gradients + block.gradients * (blocks - 1);
    space.optimizer = block.optimizer_state * blocks;
  }
  space.tier1 = space.activation_gradients;
  (plan.weight_offload ? space.tier2 : space.tier1) += space.weights;
  if (plan.weight_offload) space.tier1 += 2 * block.weights;
  if (!plan.activations_offload) {
    space.tier1 += space.activations + space.checkpoints;
  } else if (checkpoints) {
    space.tier1 += block.working + 2 * block.checkpoint;
    space.tier2 += space.checkpoints;
  } else {
    space.tier1 += block.working + block.storage;
    space.tier2 += space.activations;
  }
  if (plan.optimizer_offload) {
    space.tier1 += block.whole_gradients + block.gradients + 2 * block.optimizer_state;
    space.tier2 += block.gradients * blocks + space.optimizer;
  } else {
    space.tier1 += space.gradients + space.optimizer;
  }
  return space;
}

std::optional<Refusal> refused(const Machine& machine, const Space& space) {
  if (space.tier1 > machine.tier1.capacity) return Refusal::near_memory;
  if (space.tier2 > machine.tier2.capacity) return Refusal::far_memory;
  return std::nullopt;
}

}  // namespace orrery::estimate::calculon
