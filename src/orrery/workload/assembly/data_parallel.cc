// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/assembly/data_parallel.h"

#include <utility>

namespace orrery::workload {
namespace {

using graph::CollectiveType;

Op collective(const char* name, Phase phase, CollectiveType type, Axis axis, Stream on,
              Amount size) {
  Op op;
  op.name = name;
  op.op_class = OpClass::communication;
  op.phase = phase;
  op.kind = graph::NodeKind::coll;
  op.stream = on;
  if (on != stream::compute) op.waits[0] = stream::compute;
  op.collective = type;
  op.axis = axis;
  op.size = size.value();
  return op;
}

}  // namespace

Elements elements_of(const Weights& weights) {
  return {Amount(weights.dense) + weights.replicated, weights.expert};
}

DataParallel::DataParallel(const Spec& spec, const Mesh& mesh)
    : sharding_(spec.parallel.sharding),
      weights_(spec.precision.weights),
      reduce_(spec.precision.reduce),
      policy_(data_policy(spec)),
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

Elements DataParallel::shared(Elements whole) const {
  return {dense_all_ > 1 ? whole.dense : 0, expert_all_ > 1 ? whole.expert : 0};
}

std::vector<Op> DataParallel::gather(Elements whole, Phase phase) const {
  std::vector<Op> ops;
  const Elements part = shard(whole);
  const auto add = [&](const char* name, Axis axis, Amount elements) {
    ops.push_back(collective(name, phase, CollectiveType::all_gather, axis, stream::gather,
                             bytes(elements, weights_)));
  };
  if (dense_ranks_ > 1 && !(whole.dense == 0)) add("weights.gather", Axis::dp_shard, part.dense);
  if (expert_ranks_ > 1 && !(whole.expert == 0)) add("experts.gather", Axis::edp, part.expert);
  return ops;
}

std::vector<Op> DataParallel::reduce(Elements whole, Phase phase) const {
  std::vector<Op> ops;
  const Elements part = shard(whole);
  const bool blocking = !policy_.overlap_gradients && reduces_always();
  const auto add = [&](const char* name, CollectiveType type, Axis axis, Amount elements) {
    ops.push_back(collective(name, phase, type, axis, blocking ? stream::compute : stream::dp,
                             reduce_bytes(elements)));
  };
  const bool dense = !(whole.dense == 0), expert = !(whole.expert == 0);
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
