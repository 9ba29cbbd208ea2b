// SPDX-License-Identifier: Apache-2.0
//
// Kernel times from data sheets and a few figures of each architecture: products by tiles that fill
// the processors in waves, attention by tiles of queries and keys, all other kernels by the bytes
// that they move.
#pragma once

#include "orrery/model/kernels/kernel_model.h"

namespace orrery::model {

/// Predicts every kernel on every device with a known memory bandwidth and, for products, a known
/// peak.
///
/// Products: the fastest of a list of tiles and splits of k. A wave of tiles lasts as long as its
/// arithmetic or its loads; a product is never faster than memory. Grouped products: all groups
/// share the waves. Attention: tiles of 128 queries by 128 keys, at least as long as the longest
/// row of tiles; decode streams keys and values. Without sizes, the model uses `flops` and `bytes`
/// of the kernel. `extrapolated`: an architecture or an operation without measurements.
class HeuristicModel final : public KernelModel {
 public:
  [[nodiscard]] std::optional<KernelTime> time(const graph::Kernel& kernel,
                                               const Silicon& silicon) const override;
};

/// Whether the kernel is the forward pass of attention in a training step, on an architecture whose
/// kernels for training the heuristic knows from published times. Tables of serving engines have
/// other kernels: on a GB200, cuDNN's are 1.2 to 1.5 times as fast.
[[nodiscard]] bool knows_training_attention(const graph::Kernel& kernel, const Silicon& silicon);

/// Minimum bytes that one launch of the kernel moves: kernel.bytes, otherwise by sizes and formats.
[[nodiscard]] double bytes_of(const graph::Kernel& kernel);

/// Floating-point operations of one launch: by sizes, otherwise kernel.flops.
[[nodiscard]] double flops_of(const graph::Kernel& kernel);

}  // namespace orrery::model
