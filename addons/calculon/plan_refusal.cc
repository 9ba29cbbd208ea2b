// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "addons/calculon/step_estimate.h"

namespace orrery::estimate::calculon {

std::string_view about(Refusal refusal) {
  static constexpr std::array<std::string_view, kRefusalCount> words{
      "tensor x pipeline x data parallelism is not the number of devices",
      "the batch is not a multiple of the copies",
      "a copy's batch is not a multiple of the microbatch size",
      "recomputation without training",
      "interleaved chunks without a pipeline",
      "a sharded optimizer with a single copy",
      "tensor-parallel overlap without tensor parallelism",
      "redone all-gathers without sequence parallelism",
      "redone all-gathers together with full recomputation",
      "gradient overlap without training",
      "gradient overlap with a single copy",
      "optimizer offload without training",
      "the plan uses a network that the machine does not have",
      "a network has fewer devices than the plan joins with it",
      "a network that must be filled is not filled",
      "an engine does not support the data type",
      "a stage has more chunks than blocks",
      "the blocks of a stage are not a multiple of its chunks",
      "offloading needs at least three blocks per stage",
      "the tokens of a microbatch are not a multiple of the tensor-parallel devices",
      "hidden is not a multiple of the tensor-parallel devices",
      "feedforward is not a multiple of the tensor-parallel devices",
      "the heads are not a multiple of the tensor-parallel devices",
      "the first memory is too small",
      "the second memory is too small"};
  return words[static_cast<std::size_t>(refusal)];
}

namespace {

std::optional<Refusal> contradicts_itself(const Plan& plan) {
  // Avoids overflow of the product.
  const std::int64_t pipelines = plan.num_procs / plan.tensor_par;
  if (plan.num_procs % plan.tensor_par != 0 || pipelines % plan.pipeline_par != 0 ||
      pipelines / plan.pipeline_par != plan.data_par)
    return Refusal::processes;
  if (plan.batch_size % plan.data_par != 0) return Refusal::batch_over_copies;
  if (plan.local_batch() % plan.microbatch_size != 0) return Refusal::batch_over_microbatch;
  if (plan.activation_recompute != Recompute::none && !plan.training)
    return Refusal::recompute_without_training;
  if (plan.pipeline_par == 1 && plan.pipeline_interleaving != 1)
    return Refusal::interleaving_without_pipeline;
  if (plan.optimizer_sharding && plan.data_par == 1) return Refusal::sharding_without_copies;
  if (plan.tensor_par_overlap != Overlap::none && plan.tensor_par == 1)
    return Refusal::overlap_without_tensors;
  if (plan.seq_par_ag_redo && !plan.splits_sequence()) return Refusal::redo_without_sequences;
  if (plan.seq_par_ag_redo && plan.activation_recompute == Recompute::full)
    return Refusal::redo_with_recompute;
  if (plan.data_par_overlap && !plan.training) return Refusal::copies_overlap_without_training;
  if (plan.data_par_overlap && plan.data_par == 1) return Refusal::copies_overlap_without_copies;
  if (plan.optimizer_offload && !plan.training) return Refusal::offload_without_training;
  return std::nullopt;
}

std::optional<Refusal> networks(const Machine& machine, const Plan& plan) {
  const std::array uses{std::pair{plan.tensor_par_net, plan.tensor_par},
                        std::pair{plan.pipeline_par_net, plan.pipeline_par},
                        std::pair{plan.data_par_net, plan.data_par}};
  for (const auto& [net, devices] : uses)
    if (net >= std::ssize(machine.networks)) return Refusal::no_such_network;
  for (std::int64_t i = 0; i < std::ssize(machine.networks); ++i) {
    const Network& network = machine.networks[static_cast<std::size_t>(i)];
    std::int64_t joined = 1;  // at most the number of devices
    for (const auto& [net, devices] : uses)
      if (net == i) joined *= devices;
    if (joined == 1) continue;
    if (joined > network.size) return Refusal::network_too_small;
    if (network.must_be_filled && network.size % joined != 0) return Refusal::network_not_filled;
  }
  return std::nullopt;
}

std::optional<Refusal> divides(const Model& model, const Plan& plan) {
  const std::int64_t blocks = (model.num_blocks + plan.pipeline_par - 1) / plan.pipeline_par;
  if (plan.pipeline_interleaving > blocks) return Refusal::interleaving_beyond_blocks;
  if (blocks % plan.pipeline_interleaving != 0) return Refusal::interleaving_uneven;
  if (plan.offloads() && blocks <= 2) return Refusal::offload_needs_blocks;
  if (plan.splits_messages() && plan.microbatch_size * model.seq_size % plan.tensor_par != 0)
    return Refusal::sequence_uneven;
  if (model.hidden % plan.tensor_par != 0) return Refusal::hidden_uneven;
  if (model.feedforward % plan.tensor_par != 0) return Refusal::feedforward_uneven;
  if (model.attn_heads % plan.tensor_par != 0) return Refusal::heads_uneven;
  return std::nullopt;
}

/// "83.903 GiB"
std::string gibibytes(double bytes) { return fmt::format("{:.3f} GiB", bytes / (1 << 30)); }

}  // namespace

std::optional<Refusal> refused(const Model& model, const Machine& machine, const Plan& plan) {
  if (const auto why = contradicts_itself(plan)) return why;
  if (const auto why = networks(machine, plan)) return why;
  const auto type = static_cast<std::size_t>(plan.datatype);
  if (!machine.matrix[type] || !machine.vector[type]) return Refusal::data_type;
  return divides(model, plan);
}

Error refusal(Refusal why, const Model& model, const Machine& machine, const Plan& plan,
              const Space& space) {
  std::string detail;
  switch (why) {
    case Refusal::near_memory:
      detail =
          fmt::format("needs {} of {}", gibibytes(space.tier1), gibibytes(machine.tier1.capacity));
      break;
    case Refusal::far_memory:
      detail =
          fmt::format("needs {} of {}", gibibytes(space.tier2), gibibytes(machine.tier2.capacity));
      break;
    case Refusal::processes:
      detail = fmt::format("{} x {} x {} for {}", plan.tensor_par, plan.pipeline_par, plan.data_par,
                           plan.num_procs);
      break;
    case Refusal::hidden_uneven:
      detail = fmt::format("{} over {}", model.hidden, plan.tensor_par);
      break;
    case Refusal::heads_uneven:
      detail = fmt::format("{} over {}", model.attn_heads, plan.tensor_par);
      break;
    default:
      break;
  }
  std::string what{about(why)};
  if (!detail.empty()) what += " (" + detail + ")";
  return {Errc::config_conflict, "plan", std::move(what)};
}

Result<StepEstimate> step_of(const Model& model, const Machine& machine, const Plan& plan) {
  if (const auto why = refused(model, machine, plan))
    return tl::unexpected(refusal(*why, model, machine, plan, {}));
  const Layers layers = layers_of(model, plan);
  StepEstimate step{block_of(model, machine, plan, layers), {}, {}};
  add_optimizer(step.block, machine, plan, layers);
  step.space = space_of(model, plan, step.block);
  if (const auto why = refused(machine, step.space))
    return tl::unexpected(refusal(*why, model, machine, plan, step.space));
  step.times = times_of(model, machine, plan, step.block);
  return step;
}

}  // namespace orrery::estimate::calculon
