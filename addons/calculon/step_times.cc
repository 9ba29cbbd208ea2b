// SPDX-License-Identifier: Apache-2.0
//
// Computes the step time from one microbatch in one block (from Calculon, calculon/llm/llm.py at
// caa4b11).
#include <algorithm>
#include <cmath>

#include "addons/calculon/block_times.h"
#include "addons/calculon/step_estimate.h"

namespace orrery::estimate::calculon {

BlockTimes::BlockTimes(const Model& model, const Machine& machine, const Plan& plan,
                       const Block& block)
    : stage_blocks((model.num_blocks + plan.pipeline_par - 1) / plan.pipeline_par),
      chunk_blocks(stage_blocks / plan.pipeline_interleaving),
      missing(plan.pipeline_par * stage_blocks - model.num_blocks) {
  const Network& pipeline = machine.networks[static_cast<std::size_t>(plan.pipeline_par_net)];
  // An empty message has the latency, even without a pipeline.
  message = pipeline.time(Operation::p2p, block.pipeline_message, 2);
  message_back = pipeline.time(Operation::p2p, plan.training ? block.pipeline_message : 0, 2);
  const double stored =
      plan.activation_recompute == Recompute::full ? block.checkpoint : block.storage;
  offload_size =
      std::max(plan.weight_offload ? block.weights : 0, plan.activations_offload ? stored : 0);
  if (plan.training)
    offload_size_back = (plan.weight_offload ? block.weights : 0) +
                        (plan.activations_offload ? stored : 0) +
                        (plan.optimizer_offload ? block.optimizer_state : 0);
  const double move = machine.tier2.rate.time(offload_size) + block.forward.memory_time;
  const double memory_back = block.input_gradient.memory_time + block.weight_gradient.memory_time;
  const double move_back = machine.tier2.rate.time(offload_size_back) + memory_back;
  for (const bool edge : {false, true}) {
    forward_alone[edge] =
        block.forward.time + block.sent_forward[edge].exposed + (edge ? message : 0);
    backward_alone[edge] = block.recompute.time + block.sent_recompute[edge].exposed +
                           block.input_gradient.time + block.weight_gradient.time +
                           block.sent_back[edge].exposed + (edge ? message_back : 0);
    waits[edge] = std::max(0.0, move - forward_alone[edge]);
    waits_back[edge] = std::max(0.0, move_back - backward_alone[edge]);
    forward[edge] = forward_alone[edge] + waits[edge];
    backward[edge] = backward_alone[edge] + waits_back[edge];
  }
}

namespace {

/// Overlaps the reduction of gradients with the backward pass of earlier layers.
struct ReductionOverlap {
  double time = 0, chunk_bandwidth = 0, tail_bandwidth = 0;
};

ReductionOverlap exposed_times(const Machine& machine, const Plan& plan, const Block& block,
                               const BlockTimes& block_times, double all, double message) {
  const Network& net = machine.networks[static_cast<std::size_t>(plan.data_par_net)];
  const double blocks = static_cast<double>(block_times.chunk_blocks);
  const auto stages = static_cast<double>(plan.pipeline_par);
  // Only while memory is idle and, on a shared network, while tensor parallelism does not send.
  std::array<double, 2> window{};
  const double memory = block.input_gradient.memory_time + block.weight_gradient.memory_time +
                        block.recompute.memory_time;
  const double step = block.optimizer.time - block.optimizer.memory_time;
  for (const bool edge : {false, true}) {
    window[edge] = block_times.backward[edge] - memory + (plan.optimizer_sharding ? 0 : step);
    if (plan.data_par_net == plan.tensor_par_net)
      window[edge] -= block.sent_recompute[edge].time + block.sent_back[edge].time;
  }
  const double chunk_window = block_times.over_chunk(window);
  const double compute = block.input_gradient.flop_time + block.weight_gradient.flop_time +
                         block.recompute.flop_time +
                         (plan.optimizer_sharding ? 0 : block.optimizer.flop_time);
  const double chunk = blocks * all;
  const bool one_network = plan.data_par_net == plan.pipeline_par_net;
  double met = 0;  // pipeline messages in conflict
  if (one_network) {
    const std::int64_t rest = plan.microbatches() % plan.pipeline_par;
    met = std::min(std::floor(chunk / block_times.over_chunk(block_times.backward)),
                   static_cast<double>(rest != 0 ? rest : plan.pipeline_par));
  }
  const auto others = static_cast<double>(plan.pipeline_interleaving - 1);
  const double slowed = stages * blocks * compute * net.processor_usage;
  const double excess = chunk - (stages * chunk_window - met * block_times.message_back) + slowed;
  ReductionOverlap exposed;
  exposed.time = others * (excess > 0 ? excess : chunk * net.processor_usage);

  const double last = blocks - 1;
  double tail = 0;
  if (last > 0) {
    tail = chunk_window - block_times.message_back -
           (block_times.backward[0] + block_times.backward[1]) / 2 +
           (plan.optimizer_sharding ? 0 : step);
  }
  const double tail_excess = last * all + compute * net.processor_usage - tail;
  exposed.time += tail_excess > 0 ? tail_excess : last * all * net.processor_usage;

  const auto scalar = [&](Operation operation) {
    return net.costs[static_cast<std::size_t>(operation)].scalar;
  };
  const double bytes =
      blocks * message *
      (plan.optimizer_sharding ? scalar(Operation::reduce_scatter) + scalar(Operation::all_gather)
                               : scalar(Operation::all_reduce));
  const double in_chunks =
      (stages * chunk_window + slowed - (one_network ? block_times.message_back : 0)) * others;
  const double in_tail = tail + last * all * net.processor_usage;
  exposed.chunk_bandwidth = in_chunks > 0 ? bytes / in_chunks : 0;
  exposed.tail_bandwidth = in_tail > 0 ? bytes / in_tail : 0;
  return exposed;
}

void add_copies(Times& times, const Machine& machine, const Plan& plan, const Block& block,
                const BlockTimes& block_times) {
  if (plan.data_par == 1 || !plan.training) return;
  const Network& net = machine.networks[static_cast<std::size_t>(plan.data_par_net)];
  const auto copies = static_cast<double>(plan.data_par);
  const double all = plan.optimizer_sharding
                         ? net.time(Operation::reduce_scatter, block.weights, copies) +
                               net.time(Operation::all_gather, block.weights, copies)
                         : net.time(Operation::all_reduce, block.weights, copies);
  times.data_message = block.weights;
  times.data = times.data_link = static_cast<double>(block_times.stage_blocks) * all;
  if (!plan.data_par_overlap) return;
  const ReductionOverlap exposed =
      exposed_times(machine, plan, block, block_times, all, block.weights);
  times.data = all + exposed.time;
  times.chunk_bandwidth = exposed.chunk_bandwidth;
  times.tail_bandwidth = exposed.tail_bandwidth;
}

double bubble(const Plan& plan, const BlockTimes& block_times) {
  const double chunk =
      block_times.over_chunk(block_times.forward) + block_times.over_chunk(block_times.backward);
  const std::int64_t rest = plan.microbatches() % plan.pipeline_par;
  const double more =
      rest == 0
          ? 0
          : static_cast<double>((plan.pipeline_interleaving - 1) * (plan.pipeline_par - rest));
  const double edge = block_times.forward[1] + block_times.backward[1];
  const double inside = block_times.forward[0] + block_times.backward[0];
  const double less = static_cast<double>(block_times.missing) *
                      (block_times.chunk_blocks > 1 ? (inside + edge) / 2 : edge);
  return (static_cast<double>(plan.pipeline_par - 1) + more) * chunk - less;
}

}  // namespace

Times times_of(const Model& model, const Machine& machine, const Plan& plan, const Block& block) {
  const BlockTimes block_times(model, machine, plan, block);
  const auto batches = static_cast<double>(plan.microbatches());
  const auto blocks = static_cast<double>(block_times.stage_blocks);
  const double chunks = batches * static_cast<double>(plan.pipeline_interleaving);
  const auto exposed = [](const std::array<Block::Sent, 2>& sent) {
    return std::array{sent[0].exposed, sent[1].exposed};
  };
  const auto link = [](const std::array<Block::Sent, 2>& sent) {
    return std::array{sent[0].time, sent[1].time};
  };
  Times times;
  times.forward = batches * blocks * block.forward.time;
  times.backward = batches * blocks * (block.input_gradient.time + block.weight_gradient.time);
  times.recompute = batches * blocks * block.recompute.time;
  times.optimizer = blocks * block.optimizer.time;
  times.tensor = chunks * (block_times.over_chunk(exposed(block.sent_forward)) +
                           block_times.over_chunk(exposed(block.sent_back)));
  times.tensor_link = chunks * (block_times.over_chunk(link(block.sent_forward)) +
                                block_times.over_chunk(link(block.sent_back)));
  times.tensor_recompute = chunks * block_times.over_chunk(exposed(block.sent_recompute));
  times.tensor_recompute_link = chunks * block_times.over_chunk(link(block.sent_recompute));
  if (plan.pipeline_par > 1)
    times.pipeline =
        chunks * (block_times.message + (plan.training ? block_times.message_back : 0));
  times.pipeline_link = times.pipeline;
  times.offload_forward = chunks * block_times.over_chunk(block_times.waits);
  if (plan.training)
    times.offload_backward = chunks * block_times.over_chunk(block_times.waits_back);
  times.bubble = bubble(plan, block_times);
  add_copies(times, machine, plan, block, block_times);
  return times;
}

}  // namespace orrery::estimate::calculon
