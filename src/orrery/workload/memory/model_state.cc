// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/memory/model_state.h"

#include <algorithm>

#include "orrery/workload/assembly/optimizer_step.h"

namespace orrery::workload {
ModelState::ModelState(const Spec& spec, const Mesh& mesh)
    : mesh_(mesh),
      precision_(spec.precision),
      optimizer_(spec.optimizer.kind),
      sharding_(spec.parallel.sharding),
      data_(spec, mesh) {}

/// `trained`: elements of `whole` with gradients; `others`: elements of `trained` outside matrices;
/// `matrices`: elements of `whole` in matrices.
ModelStateBytes ModelState::of(Elements whole, Elements trained, Elements others,
                               Elements matrices) const {
  const Amount own = data_.shard({trained.dense, 0}).total() +  // elements that this rank updates
                     ceil_div(trained.expert, data_.expert_owners());
  const auto held = [&](bool shards, Elements of) {
    return shards ? data_.shard(of).total() : of.total();
  };
  const Amount optimizer =
      optimizer_state(precision_, optimizer_, own, data_.shard(others).total());
  Amount weights = held(sharding_ == Sharding::zero3, data_.resident_part(whole));
  if (transposes_weights(precision_) && sharding_ != Sharding::zero3) weights += matrices.total();
  return {
      bytes(weights, precision_.weights).value(),
      bytes(held(data_.reduces_every_pass(), data_.resident_part(trained)), precision_.gradients)
          .value(),
      optimizer.value()};
}

ModelStateBytes ModelState::dense(const Weights& weights, const Weights& frozen) const {
  // Expert weights are matrices, except for their biases.
  const Weights updated = weights.without(frozen);
  const Amount matrices = updated.matrices - std::min(updated.matrices, updated.expert);
  const Elements trained = {elements_of(updated).dense, 0};
  const Amount all = weights.matrices - std::min(weights.matrices, weights.expert);
  return of({elements_of(weights).dense, 0}, trained, {trained.dense - matrices, 0}, {all, 0});
}

ModelStateBytes ModelState::experts(const Weights& weights, const Weights& frozen) const {
  const Weights updated = weights.without(frozen);
  const Amount matrices = std::min(updated.matrices, updated.expert);
  return of({0, weights.expert}, {0, updated.expert}, {0, updated.expert - matrices},
            {0, std::min(weights.matrices, weights.expert)});
}

ModelStateBytes ModelState::tables(const Weights& weights) const {
  return {bytes(weights.tables, precision_.weights).value(), 0, 0};
}

std::int64_t ModelState::updated(const Weights& trained) const {
  return data_.shard(elements_of(trained)).total().value();
}

std::int64_t ModelState::gathered(const Weights& weights) const {
  if (!data_.gathers_weights()) return 0;
  Amount total;
  for (const Op& op : data_.gather(elements_of(weights), Phase::forward)) {
    if (op.devices > 1) total += op.bytes;  // gathered by switches
    if (op.kind != graph::NodeKind::coll) continue;
    total += Amount(op.size) * mesh_.extent(op.axis);
  }
  return total.value();
}

}  // namespace orrery::workload
