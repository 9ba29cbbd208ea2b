// SPDX-License-Identifier: Apache-2.0
//
// Memory of the model state during the entire step: weights, gradients, optimizer state. Private to
// the memory accounting.
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

/// Bytes of the model state of one rank. Per trained element, with d ranks of sharding:
///
///   type          none   zero1      zero2       zero3
///   bf16, Adam    18     6 + 12/d   2 + 16/d    18/d   (fp32 gradients; with bf16 2 or 2/d less)
///   fp32, Adam    16     8 + 8/d    4 + 12/d    16/d
///
/// With DataParallelPolicy::reduce_once gradients are not sharded until they are reduced, as with
/// zero1.
///
/// Matrices in fp8 are also stored transposed, for the products of input gradients (Transformer
/// Engine, pytorch/tensor/float8_tensor.py); with zero3 only while they are gathered.
///
/// A frozen element is stored in its own type, without gradient, moments and fp32 copy. Shards are
/// rounded up to whole elements. Source: ZeRO (Rajbhandari et al., SC20), section 3;
/// Megatron-Core's distributed optimizer.
class ModelState {
 public:
  ModelState(const Spec& spec, const Mesh& mesh);

  /// State of dense and replicated weights. `frozen`: those of `weights` that are not trained.
  [[nodiscard]] ModelStateBytes dense(const Weights& weights, const Weights& frozen = {}) const;
  /// State of the experts on this rank.
  [[nodiscard]] ModelStateBytes experts(const Weights& weights, const Weights& frozen = {}) const;
  /// State of embedding tables: only their weights (omits the few bytes per row of a sparse
  /// optimizer).
  [[nodiscard]] ModelStateBytes tables(const Weights& weights) const;
  /// Bytes of a part's weights after they are gathered from shards.
  [[nodiscard]] std::int64_t gathered(const Weights& weights) const;
  /// The elements of `trained` that this rank updates.
  [[nodiscard]] std::int64_t updated(const Weights& trained) const;
  [[nodiscard]] const DataParallel& data() const { return data_; }

 private:
  [[nodiscard]] ModelStateBytes of(Elements whole, Elements trained, Elements others,
                                   Elements matrices) const;

  const Mesh& mesh_;
  Precision precision_;
  OptimizerKind optimizer_;
  Sharding sharding_;
  DataParallel data_;
};

}  // namespace orrery::workload
