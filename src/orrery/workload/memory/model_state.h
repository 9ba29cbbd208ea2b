// SPDX-License-Identifier: Apache-2.0
//
// What weights cost for the whole step: themselves, their gradients, the optimizer's state. Private
// to the memory accounting.
#pragma once

#include <cstdint>

#include "orrery/workload/assembly/data_parallel.h"
#include "orrery/workload/program/mesh.h"
#include "orrery/workload/program/program.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::workload {

struct ModelStateBytes {
  std::int64_t weights = 0, gradients = 0, optimizer = 0;

  [[nodiscard]] std::int64_t total() const { return weights + gradients + optimizer; }
};

/// What one rank holds of weights all through the step. Per element that is trained, with d ranks
/// sharing:
///
///   type          none   zero1      zero2       zero3
///   bf16, Adam    18     6 + 12/d   2 + 16/d    18/d   (gradients in fp32; in bf16 2 less, 2/d)
///   fp32, Adam    16     8 + 8/d    4 + 12/d    16/d
///
/// With DataParallelPolicy::reduce_once gradients are whole until they are reduced, as with zero1.
///
/// A frozen element is held in its own type and nothing else: no gradient, no moments, no fp32
/// copy. Shards are rounded up to whole elements. Source: ZeRO (Rajbhandari et al., SC20), section
/// 3; Megatron-Core's distributed optimizer.
class ModelState {
 public:
  ModelState(const Spec& spec, const Mesh& mesh);

  /// Of the weights that tensor-parallel ranks have their parts of, and of those they all have.
  /// `frozen`: of these, what is not trained.
  [[nodiscard]] ModelStateBytes dense(const Weights& weights, const Weights& frozen = {}) const;
  /// Of the experts on this rank.
  [[nodiscard]] ModelStateBytes experts(const Weights& weights, const Weights& frozen = {}) const;
  /// Of embedding tables: nothing but themselves (a few bytes per row for a sparse optimizer are
  /// left out).
  [[nodiscard]] ModelStateBytes tables(const Weights& weights) const;
  /// A part's weights, whole, as they are gathered from shards.
  [[nodiscard]] std::int64_t gathered(const Weights& weights) const;
  /// Of weights that are trained, the elements that this rank updates.
  [[nodiscard]] std::int64_t updated(const Weights& trained) const;
  [[nodiscard]] const DataParallel& data() const { return data_; }

 private:
  [[nodiscard]] ModelStateBytes of(Elements whole, Elements trained, Elements others) const;

  const Mesh& mesh_;
  Precision precision_;
  OptimizerKind optimizer_;
  Sharding sharding_;
  DataParallel data_;
};

}  // namespace orrery::workload
