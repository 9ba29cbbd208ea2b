// SPDX-License-Identifier: Apache-2.0
#include "addons/calculon/block.h"

#include <algorithm>

namespace orrery::estimate::calculon {

namespace {

constexpr std::size_t at(Pass pass) { return static_cast<std::size_t>(pass); }

/// The times of one layer and of its communication.
class Timer {
 public:
  Timer(const Machine& machine, const Plan& plan)
      : machine_(machine),
        plan_(plan),
        peers_(static_cast<double>(plan.tensor_par)),
        bytes_(size_of(plan.datatype)),
        matrix_(*machine.matrix[static_cast<std::size_t>(plan.datatype)]),
        vector_(*machine.vector[static_cast<std::size_t>(plan.datatype)]),
        net_(machine.networks[static_cast<std::size_t>(plan.tensor_par_net)]) {}

  [[nodiscard]] double flop_time(const Layer& layer, Pass pass) const {
    return (layer.matrix ? matrix_ : vector_).time(layer.flop[at(pass)]);
  }
  [[nodiscard]] double memory_time(const Layer& layer, Pass pass) const {
    return machine_.tier1.rate.time(layer.bytes[at(pass)]);
  }

  /// Whether the layer uses reduce-scatter and all-gather instead of one all-reduce.
  [[nodiscard]] bool splits(bool edge) const {
    return plan_.tensor_par_comm_type == PartJoining::rs_ag ||
           (plan_.tensor_par_comm_type == PartJoining::p2p_rs_ag && edge);
  }

  /// Bytes sent by a layer. `again`: repeated for the backward pass.
  [[nodiscard]] double sent(const Layer& layer, Pass pass, bool edge) const {
    if (layer.sends == Layer::Sends::no || plan_.tensor_par == 1) return 0;
    const double all = layer.message * bytes_;
    const bool sums = layer.conjugate == (pass != Pass::input_gradient);
    if (pass == Pass::weight_gradient && !layer.communicates_again) return 0;
    return sums || splits(edge) ? all : 0;
  }

  [[nodiscard]] double send_time(const Layer& layer, Pass pass, bool edge) const {
    if (layer.sends == Layer::Sends::no || plan_.tensor_par == 1) return 0;
    const bool again = pass == Pass::weight_gradient;
    if (again && !layer.communicates_again) return 0;
    const double bytes = sent(layer, pass, edge);
    const bool sums = layer.conjugate == (pass != Pass::input_gradient);
    double time = 0;
    if (sums) {
      time = net_.time(splits(edge) ? Operation::reduce_scatter : Operation::all_reduce, bytes,
                       peers_);
    } else if (splits(edge)) {
      time = net_.time(Operation::all_gather, bytes, peers_);
    }
    if (again) return time;
    if (layer.sends == Layer::Sends::alone)
      return time + machine_.combined(flop_time(layer, pass), memory_time(layer, pass));
    return sums ? time + vector_.time(bytes / bytes_ * (peers_ - 1) / peers_) : time;
  }

  struct LayerTime {
    double time = 0, exposed = 0;
  };
  /// The time of a layer, and the exposed part of its communication (inside a chunk).
  [[nodiscard]] LayerTime time_of(const Layer& layer, Pass pass) const {
    if (layer.sends == Layer::Sends::alone) return {};
    const double flop = flop_time(layer, pass), memory = memory_time(layer, pass);
    const double alone = machine_.combined(flop, memory);
    if (layer.sends == Layer::Sends::no) return {alone, 0};
    const double send = send_time(layer, pass, false);
    if (send == 0) return {alone, 0};
    const double tiles = peers_, slow = flop / (1 - net_.processor_usage);
    const double excess = (send - slow) / tiles;
    LayerTime taken;
    if (excess > 0) {  // the first tile is not slowed; sending slows the others
      taken.time = alone / tiles + (tiles - 1) * machine_.combined(slow, memory) / tiles;
      taken.exposed = (tiles - 1) * excess;
    } else {
      taken.time = alone + (tiles - 1) * send / tiles * net_.processor_usage;
    }
    if (plan_.tensor_par_overlap == Overlap::pipe) {  // one additional tile
      taken.time += send / tiles;
      taken.exposed += send / tiles;
    }
    return taken;
  }

  /// The bandwidth with which a tile's message ends before the next tile is computed.
  [[nodiscard]] double needs(const Layer& layer, Pass pass, bool edge) const {
    if (layer.sends != Layer::Sends::tiles) return 0;
    return sent(layer, pass, edge) / (flop_time(layer, pass) / (1 - net_.processor_usage));
  }

 private:
  const Machine& machine_;
  const Plan& plan_;
  double peers_, bytes_;
  const Rate &matrix_, &vector_;
  const Network& net_;
};

void add_work(Block::Work& work, const Timer& timer, const Layer& layer, Pass pass) {
  work.flop += layer.flop[at(pass)];
  work.flop_time += timer.flop_time(layer, pass);
  work.bytes += layer.bytes[at(pass)];
  work.memory_time += timer.memory_time(layer, pass);
  work.time += timer.time_of(layer, pass).time;
}

void add_sent(std::array<Block::Sent, 2>& sent, const Timer& timer, const Layer& layer, Pass pass) {
  if (layer.sends == Layer::Sends::no) return;
  // Tiles use the forward cost if they are sent again.
  const Pass of = pass == Pass::weight_gradient ? Pass::forward : pass;
  const double exposed = timer.time_of(layer, of).exposed;
  for (const bool edge : {false, true}) {
    const double time = timer.send_time(layer, pass, edge);
    sent[edge].size += timer.sent(layer, pass, edge);
    sent[edge].time += time;
    sent[edge].exposed += layer.sends == Layer::Sends::tiles ? exposed : time;
  }
}

void add_layer(Block& block, const Timer& timer, const Layer& layer, bool training) {
  add_work(block.forward, timer, layer, Pass::forward);
  add_sent(block.sent_forward, timer, layer, Pass::forward);
  const auto need = [&](Pass pass) {
    for (const bool edge : {false, true})
      block.overlap_bandwidth = std::max(block.overlap_bandwidth, timer.needs(layer, pass, edge));
  };
  need(Pass::forward);
  if (training) {
    if (layer.recompute) {
      block.recompute.flop += block.forward.flop;
      block.recompute.flop_time += block.forward.flop_time;
      block.recompute.bytes += block.forward.bytes;
      block.recompute.memory_time += block.forward.memory_time;
      block.recompute.time += timer.time_of(layer, Pass::forward).time;
    }
    if (layer.communicates_again)
      add_sent(block.sent_recompute, timer, layer, Pass::weight_gradient);
    add_work(block.input_gradient, timer, layer, Pass::input_gradient);
    add_sent(block.sent_back, timer, layer, Pass::input_gradient);
    need(Pass::input_gradient);
    add_work(block.weight_gradient, timer, layer, Pass::weight_gradient);
  }
}

}  // namespace

Block block_of(const Model& model, const Machine& machine, const Plan& plan, const Layers& layers) {
  const Timer timer(machine, plan);
  const double bytes = size_of(plan.datatype);
  Block block;
  for (const Layer& layer : layers) {
    add_layer(block, timer, layer, plan.training);
    block.weights += layer.weights * bytes;
    if (!layer.reuses) block.working += layer.activation;
    block.storage += layer.activation;
    if (!plan.training) continue;
    if (!layer.keeps_output) block.storage -= layer.output;
    if (!layer.keeps) block.storage -= layer.activation;
    block.whole_gradients += layer.weights * 4;
    block.activation_gradients += layer.activation_grad;
  }
  const double activation = static_cast<double>(plan.microbatch_size * model.seq_size) *
                            static_cast<double>(model.hidden) * bytes;
  if (plan.activation_recompute == Recompute::full) {
    block.storage = 0;
    block.checkpoint = activation;
  }
  if (plan.pipeline_par > 1) {
    block.pipeline_message = activation;
    if (plan.splits_messages())
      block.pipeline_message =
          static_cast<double>(plan.microbatch_size * model.seq_size / plan.tensor_par) *
          static_cast<double>(model.hidden) * bytes;
  }
  return block;
}

void add_optimizer(Block& block, const Machine& machine, const Plan& plan, const Layers& layers) {
  if (!plan.training) return;
  const Rate& vector = *machine.vector[static_cast<std::size_t>(plan.datatype)];
  const auto shards = static_cast<double>(plan.shards());
  const double bytes = size_of(plan.datatype);
  // Adam: two moments, and a 4-byte copy of weights with fewer bytes.
  const double state = 2 * 4 + (bytes < 4 ? 4 : 0);
  for (const Layer& layer : layers) {
    if (layer.weights == 0) continue;
    const double flop = layer.weights / shards * 11, moved = layer.weights * state / shards;
    const double flop_time = vector.time(flop), memory_time = machine.tier1.rate.time(moved);
    block.optimizer.flop += flop;
    block.optimizer.flop_time += flop_time;
    block.optimizer.bytes += moved;
    block.optimizer.memory_time += memory_time;
    block.optimizer.time += machine.combined(flop_time, memory_time);
    block.gradients += layer.weights * bytes / shards;
    block.optimizer_state += moved;
  }
}

}  // namespace orrery::estimate::calculon
