// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/assembly/data_parallel.h"

#include <utility>

#include "orrery/workload/operators/op_kernels.h"
#include "orrery/workload/operators/tape.h"

namespace orrery::workload {
namespace {

using graph::CollectiveType;

Op collective(const char* name, Phase phase, CollectiveType type, Axis axis, Stream on, Amount size,
              Dtype format) {
  Op op = collective_op(name, phase, type, axis, on, size);
  op.format = format_of(format);
  return op;
}

}  // namespace

Op transfer_op(const char* name, Phase phase, graph::NodeKind kind, Amount size) {
  Op op;
  op.name = name;
  op.op_class = OpClass::transfer;
  op.phase = phase;
  op.kind = kind;
  op.stream = kind == graph::NodeKind::mem_load ? stream::load : stream::store;
  op.waits[0] = stream::compute;
  op.bytes = size.value();
  return op;
}

Amount optimizer_state(const Precision& types, OptimizerKind kind, Amount own, Amount others) {
  const Amount moment = bytes(own, types.optimizer);
  Amount state;
  if (types.master_weights && !is_32_bit(types.weights)) state = own * 4;
  switch (kind) {
    case OptimizerKind::adam:
    case OptimizerKind::adamw:
      return state + moment * 2;
    case OptimizerKind::sgd:
      break;
    case OptimizerKind::sgd_momentum:
      return state + moment;
    case OptimizerKind::muon:  // momentum for matrices, Adam for all other weights
      return state + moment + bytes(others, types.optimizer);
  }
  return state;
}

Elements elements_of(const Weights& weights) {
  return {Amount(weights.dense) + weights.replicated, weights.expert};
}

DataParallel::DataParallel(const Spec& spec, const Mesh& mesh)
    : sharding_(spec.parallel.sharding),
      weights_(spec.precision.weights),
      gradients_(spec.precision.gradients),
      reduce_(spec.precision.reduce),
      policy_(data_parallel_policy(spec)),
      offload_(spec.offload.weights),
      in_switch_(spec.offload.in_switch),
      dense_all_(mesh.extent(Axis::dp)),
      expert_all_(mesh.extent(Axis::edp)) {
  if (sharding_ == Sharding::none) return;
  dense_ranks_ = mesh.extent(Axis::dp_shard);
  copies_ = mesh.extent(Axis::dp_replicate);
  expert_ranks_ = expert_all_;
  instances_ = spec.kernels.framework == Framework::megatron && sharding_ != Sharding::zero3;
}

Elements DataParallel::shard(Elements whole) const {
  return {ceil_div(whole.dense, dense_ranks_), ceil_div(whole.expert, expert_ranks_)};
}

Elements DataParallel::resident_part(Elements whole) const {
  if (!offload_) return whole;
  return {dense_ranks_ > 1 ? 0 : whole.dense, expert_ranks_ > 1 ? 0 : whole.expert};
}

Elements DataParallel::offloaded(Elements part) const {
  if (!offload_) return {};
  return {dense_ranks_ > 1 ? part.dense : 0, expert_ranks_ > 1 ? part.expert : 0};
}

Elements DataParallel::shared(Elements whole) const {
  return {dense_all_ > 1 ? whole.dense : 0, expert_all_ > 1 ? whole.expert : 0};
}

std::vector<Op> DataParallel::gather(Elements whole, Phase phase) const {
  std::vector<Op> ops;
  const Elements part = shard(whole);
  Elements remote = offloaded(part);
  const bool by_switches = in_switch_ && !(remote.dense == 0);
  if (by_switches) {
    remote.dense = 0;
    ops.push_back(transfer_op("weights.load", phase, graph::NodeKind::mem_load,
                              bytes(whole.dense, weights_)));
    ops.back().stream = stream::gather;
    ops.back().devices = dense_ranks_;
  }
  if (!remote.none())
    ops.push_back(transfer_op("weights.load", phase, graph::NodeKind::mem_load,
                              bytes(remote.total(), weights_)));
  const auto add = [&](const char* name, Axis axis, Amount elements) {
    ops.push_back(collective(name, phase, CollectiveType::all_gather, axis, stream::gather,
                             bytes(elements, weights_), weights_));
    if (!remote.none()) ops.back().waits[1] = stream::load;
  };
  if (dense_ranks_ > 1 && !(whole.dense == 0) && !by_switches)
    add("weights.gather", Axis::dp_shard, part.dense);
  if (expert_ranks_ > 1 && !(whole.expert == 0)) add("experts.gather", Axis::edp, part.expert);
  return ops;
}

std::vector<Op> DataParallel::reduce(Elements whole, Phase phase) const {
  std::vector<Op> ops;
  const Elements part = shard(whole);
  const bool blocking = !policy_.overlap_gradients && reduces_every_pass();
  const auto add = [&](const char* name, CollectiveType type, Axis axis, Amount elements) {
    ops.push_back(collective(name, phase, type, axis, blocking ? stream::compute : stream::dp,
                             reduce_bytes(elements), reduce_));
  };
  Elements remote = offloaded(part);
  const bool by_switches = in_switch_ && !(remote.dense == 0);
  if (by_switches) {
    remote.dense = 0;
    ops.push_back(transfer_op("gradients.store", phase, graph::NodeKind::mem_store,
                              bytes(whole.dense, gradients_)));
    ops.back().stream = blocking ? stream::compute : stream::dp;
    ops.back().devices = dense_ranks_;
  }
  const bool dense = !(whole.dense == 0) && !by_switches, expert = !(whole.expert == 0);
  if (dense && dense_ranks_ > 1)
    add("gradients.scatter", CollectiveType::reduce_scatter, Axis::dp_shard,
        part.dense * dense_ranks_);
  if (dense && copies_ > 1)
    add("gradients.reduce", CollectiveType::all_reduce, Axis::dp_replicate, part.dense);
  if (dense && sharding_ == Sharding::none && dense_all_ > 1)
    add("gradients.reduce", CollectiveType::all_reduce, Axis::dp, whole.dense);
  if (expert && expert_ranks_ > 1)
    add("experts.gradients.scatter", CollectiveType::reduce_scatter, Axis::edp,
        part.expert * expert_ranks_);
  if (expert && sharding_ == Sharding::none && expert_all_ > 1)
    add("experts.gradients.reduce", CollectiveType::all_reduce, Axis::edp, whole.expert);
  if (!remote.none()) {
    ops.push_back(transfer_op("gradients.store", phase, graph::NodeKind::mem_store,
                              bytes(remote.total(), gradients_)));
    if (!blocking) ops.back().waits[1] = stream::dp;
  }
  return ops;
}

Elements Buckets::add(Elements ready) {
  waiting_ = waiting_ + data_.shared(ready);
  Elements full;
  if (whole_) return full;
  const auto send = [this](Amount& from, Amount& to) {
    if (from == 0 || data_.reduce_bytes(from) < data_.bucket(first_)) return;
    to = std::exchange(from, 0);
  };
  send(waiting_.dense, full.dense);
  send(waiting_.expert, full.expert);
  first_ = first_ && full.none();
  return full;
}

Elements Buckets::flush() { return std::exchange(waiting_, Elements{}); }

}  // namespace orrery::workload
