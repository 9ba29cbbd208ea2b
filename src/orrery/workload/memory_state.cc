// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/memory_state.h"

#include <algorithm>

namespace orrery::workload {
namespace {

/// Bytes of so many elements; elements of half a byte fill whole ones.
std::int64_t bytes(std::int64_t elements, Dtype type) {
  const auto halves = static_cast<std::int64_t>(bytes_of(type) * 2);
  return halves == 1 ? elements / 2 + elements % 2 : elements * (halves / 2);
}

std::int64_t share(std::int64_t elements, std::int64_t ranks) {
  return elements / ranks + (elements % ranks != 0 ? 1 : 0);
}

bool is_full_precision(Dtype type) { return type == Dtype::fp32 || type == Dtype::tf32; }

}  // namespace

StateRule::StateRule(const Spec& spec, const Mesh& mesh)
    : precision_(spec.precision),
      optimizer_(spec.optimizer.kind),
      sharding_(spec.parallel.sharding),
      dense_ranks_(mesh.extent(Axis::dp_shard)),
      expert_ranks_(mesh.extent(Axis::edp)) {}

StateBytes StateRule::of(std::int64_t elements, std::int64_t matrices, std::int64_t ranks) const {
  const auto sharded = [&](Sharding from, std::int64_t count) {
    return sharding_ >= from ? share(count, ranks) : count;
  };
  StateBytes out;
  out.weights = bytes(sharded(Sharding::zero3, elements), precision_.weights);
  out.gradients = bytes(sharded(Sharding::zero2, elements), precision_.gradients);
  const std::int64_t own = sharded(Sharding::zero1, elements);
  if (precision_.master_weights && !is_full_precision(precision_.weights)) out.optimizer += 4 * own;
  const std::int64_t moment = bytes(own, precision_.optimizer);
  switch (optimizer_) {
    case OptimizerKind::adam:
    case OptimizerKind::adamw:
      out.optimizer += 2 * moment;
      break;
    case OptimizerKind::sgd:
      break;
    case OptimizerKind::sgd_momentum:
      out.optimizer += moment;
      break;
    case OptimizerKind::muon:  // a momentum for matrices, Adam for all else
      out.optimizer +=
          moment + bytes(sharded(Sharding::zero1, elements - matrices), precision_.optimizer);
      break;
  }
  return out;
}

StateBytes StateRule::dense(const Weights& weights) const {
  // Experts are matrices but for their biases.
  const std::int64_t matrices = weights.matrices - std::min(weights.matrices, weights.expert);
  return of(weights.dense + weights.replicated, matrices, dense_ranks_);
}

StateBytes StateRule::experts(const Weights& weights) const {
  return of(weights.expert, std::min(weights.matrices, weights.expert), expert_ranks_);
}

std::int64_t StateRule::gathered(const Weights& weights) const {
  return bytes(weights.total(), precision_.weights);
}

std::int64_t StateRule::reduced(const Weights& weights) const {
  return bytes(weights.total(), precision_.reduce);
}

}  // namespace orrery::workload
