// SPDX-License-Identifier: Apache-2.0
//
// What weights cost for the whole step: themselves, their gradients, the optimizer's state. Private
// to the memory accounting.
#pragma once

#include <cstdint>

#include "orrery/workload/mesh.h"
#include "orrery/workload/program.h"
#include "orrery/workload/spec.h"

namespace orrery::workload {

struct StateBytes {
  std::int64_t weights = 0, gradients = 0, optimizer = 0;

  [[nodiscard]] std::int64_t total() const { return weights + gradients + optimizer; }
};

/// What one rank holds of weights all through the step. Per element, with d ranks sharing:
///
///   type          none   zero1      zero2       zero3
///   bf16, Adam    18     6 + 12/d   2 + 16/d    18/d   (gradients in fp32; in bf16 2 less, 2/d)
///   fp32, Adam    16     8 + 8/d    4 + 12/d    16/d
///
/// Shards are rounded up to whole elements. Source: ZeRO (Rajbhandari et al., SC20), section 3;
/// Megatron-Core's distributed optimizer.
class StateRule {
 public:
  StateRule(const Spec& spec, const Mesh& mesh);

  /// Of the weights that every tensor-parallel rank has its part of, and of those it has whole.
  [[nodiscard]] StateBytes dense(const Weights& weights) const;
  /// Of the experts on this rank.
  [[nodiscard]] StateBytes experts(const Weights& weights) const;
  /// All the weights of a part, whole, in the type in which they are used.
  [[nodiscard]] std::int64_t gathered(const Weights& weights) const;
  /// All their gradients, whole, in the type in which they are sent.
  [[nodiscard]] std::int64_t reduced(const Weights& weights) const;

 private:
  [[nodiscard]] StateBytes of(std::int64_t elements, std::int64_t matrices,
                              std::int64_t ranks) const;

  Precision precision_;
  OptimizerKind optimizer_;
  Sharding sharding_;
  std::int64_t dense_ranks_ = 1, expert_ranks_ = 1;
};

}  // namespace orrery::workload
