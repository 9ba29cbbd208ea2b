// SPDX-License-Identifier: Apache-2.0
//
// Calculon's statistics of a step.
#include <algorithm>

#include "addons/calculon/block_times.h"
#include "addons/calculon/step_estimate.h"

namespace orrery::estimate::calculon {

namespace {

using Statistics = std::vector<std::pair<std::string_view, std::optional<double>>>;

void add_work(Statistics& out, const std::array<std::string_view, 5>& names,
              const Block::Work& work) {
  out.insert(out.end(), {{names[0], work.flop},
                         {names[1], work.flop_time},
                         {names[2], work.bytes},
                         {names[3], work.memory_time},
                         {names[4], work.time}});
}

void add_sent(Statistics& out, const std::array<std::string_view, 4>& names,
              const std::array<Block::Sent, 2>& sent) {
  out.insert(out.end(), {{names[0], sent[0].time},
                         {names[1], sent[1].time},
                         {names[2], sent[0].exposed},
                         {names[3], sent[1].exposed}});
}

void add_block(Statistics& out, const Block& block) {
  add_work(out,
           {"block_fw_flops", "block_fw_flops_time", "block_fw_mem_accessed", "block_fw_mem_time",
            "block_fw_time"},
           block.forward);
  add_sent(out,
           {"baseblock_fw_tp_time", "edgeblock_fw_tp_time", "baseblock_fw_tp_time_exposed",
            "edgeblock_fw_tp_time_exposed"},
           block.sent_forward);
  add_work(out,
           {"block_re_flops", "block_re_flops_time", "block_re_mem_accessed", "block_re_mem_time",
            "block_re_time"},
           block.recompute);
  add_sent(out,
           {"baseblock_recomm_time", "edgeblock_recomm_time", "baseblock_recomm_time_exposed",
            "edgeblock_recomm_time_exposed"},
           block.sent_recompute);
  add_work(out,
           {"block_agrad_flops", "block_agrad_flops_time", "block_agrad_mem_accessed",
            "block_agrad_mem_time", "block_agrad_time"},
           block.input_gradient);
  add_sent(out,
           {"baseblock_agrad_tp_time", "edgeblock_agrad_tp_time", "baseblock_agrad_tp_time_exposed",
            "edgeblock_agrad_tp_time_exposed"},
           block.sent_back);
  add_work(out,
           {"block_wgrad_flops", "block_wgrad_flops_time", "block_wgrad_mem_accessed",
            "block_wgrad_mem_time", "block_wgrad_time"},
           block.weight_gradient);
  add_work(out,
           {"block_optim_flops", "block_optim_flops_time", "block_optim_mem_accessed",
            "block_optim_mem_time", "block_optim_time"},
           block.optimizer);
  out.insert(out.end(), {{"baseblock_fw_tp_size", block.sent_forward[0].size},
                         {"edgeblock_fw_tp_size", block.sent_forward[1].size},
                         {"baseblock_bw_tp_size", block.sent_back[0].size},
                         {"edgeblock_bw_tp_size", block.sent_back[1].size},
                         {"baseblock_recomm_size", block.sent_recompute[0].size},
                         {"edgeblock_recomm_size", block.sent_recompute[1].size}});
}

void add_spaces(Statistics& out, const Plan& plan, const Block& block, const Space& space) {
  const bool checkpoints = plan.activation_recompute == Recompute::full;
  std::optional<double> checkpoint;
  if (plan.training) checkpoint = checkpoints ? 2 * block.checkpoint : 0;
  out.insert(out.end(),
             {{"block_weight_space", block.weights},
              {"block_act_working_space", block.working},
              {"block_act_storage_space", block.storage},
              {"block_act_checkpoint_size", block.checkpoint},
              {"block_weight_grad_space", block.gradients},
              {"block_weight_grad_space_no_sharding", block.whole_gradients},
              {"block_act_grad_space", block.activation_gradients},
              {"block_optimizer_space", block.optimizer_state},
              {"weight_space_with_offload", 2 * block.weights},
              {"act_space_with_offload", block.working + (checkpoints ? 0 : block.storage)},
              {"act_checkpoint_size_with_offload", checkpoint},
              {"act_grad_space_with_offload", space.activation_gradients},
              {"weight_grad_space_with_offload", block.whole_gradients + block.gradients},
              {"optimizer_space_with_offload", 2 * block.optimizer_state},
              {"weight_space", space.weights},
              {"act_space", space.activations},
              {"act_checkpoint_size", space.checkpoints},
              {"act_grad_space", space.activation_gradients},
              {"weight_grad_space", space.gradients},
              {"optimizer_space", space.optimizer}});
}

void add_times(Statistics& out, const Times& times) {
  out.insert(out.end(), {{"fw_time", times.forward},
                         {"bw_time", times.backward},
                         {"optim_step_time", times.optimizer},
                         {"recompute_time", times.recompute},
                         {"recomm_link_time", times.tensor_recompute_link},
                         {"recomm_exposed_time", times.tensor_recompute},
                         {"bubble_time", times.bubble},
                         {"tp_comm_link_time", times.tensor_link},
                         {"pp_comm_link_time", times.pipeline_link},
                         {"dp_comm_link_time", times.data_link},
                         {"tp_comm_exposed_time", times.tensor},
                         {"pp_comm_exposed_time", times.pipeline},
                         {"dp_comm_exposed_time", times.data},
                         {"fw_offload_exposed_time", times.offload_forward},
                         {"bw_offload_exposed_time", times.offload_backward},
                         {"total_time", times.total()}});
}

/// The bandwidth of the second memory with which no computation waits for it.
void add_offload(Statistics& out, const Plan& plan, const Block& block,
                 const BlockTimes& block_times) {
  const double memory = block.input_gradient.memory_time + block.weight_gradient.memory_time;
  const double forward = std::min(block_times.forward_alone[0], block_times.forward_alone[1]) -
                         block.forward.memory_time;
  const double backward =
      std::min(block_times.backward_alone[0], block_times.backward_alone[1]) - memory;
  const double stored =
      plan.activation_recompute == Recompute::full ? block.checkpoint : block.storage;
  out.insert(out.end(), {{"act_offload_bw_req", stored / forward},
                         {"weight_offload_bw_req", block.weights / forward},
                         {"optim_offload_bw_req",
                          plan.training ? (block.gradients + block.optimizer_state) / backward : 0},
                         {"offload_mem_bw_req",
                          plan.training ? std::max(block_times.offload_size / forward,
                                                   block_times.offload_size_back / backward)
                                        : block_times.offload_size / forward}});
}

}  // namespace

Statistics statistics(const Model& model, const Machine& machine, const Plan& plan,
                      const StepEstimate& step) {
  const auto& [block, space, times] = step;
  const BlockTimes block_times(model, machine, plan, block);
  Statistics out;
  add_block(out, block);
  out.insert(out.end(), {{"block_fw_pp_size", block.pipeline_message},
                         {"block_bw_pp_size", plan.training ? block.pipeline_message : 0},
                         {"block_dp_size", times.data_message},
                         {"tp_bw_overlap_req", block.overlap_bandwidth},
                         {"dp_bw_overlap_req_chunk", times.chunk_bandwidth},
                         {"dp_bw_overlap_req_tail", times.tail_bandwidth}});
  add_spaces(out, plan, block, space);
  add_times(out, times);
  add_offload(out, plan, block, block_times);
  const double compute = times.forward + times.backward + times.optimizer;
  const double perfect = static_cast<double>(block_times.stage_blocks * plan.microbatches()) *
                         block.useful_flop() /
                         machine.matrix[static_cast<std::size_t>(plan.datatype)]->peak;
  out.insert(out.end(), {{"proc_mem_tier1_cap_req", space.tier1},
                         {"proc_mem_tier2_cap_req", space.tier2},
                         {"useful_flops", block.useful_flop()},
                         {"compute_efficiency", perfect / compute},
                         {"system_efficiency", compute / times.total()},
                         {"total_efficiency", perfect / times.total()},
                         {"sample_rate", static_cast<double>(plan.batch_size) / times.total()}});
  return out;
}

}  // namespace orrery::estimate::calculon
