// SPDX-License-Identifier: Apache-2.0
//
// Kernel times from data sheets and a few figures of each architecture: products by tiles that fill
// the processors in waves, attention by tiles of queries and keys, everything else by what it
// moves.
#pragma once

#include "orrery/model/kernels/kernel_model.h"

namespace orrery::model {

/// Answers for every kernel on every device whose memory's rate is known and, for products, a peak.
///
/// Products: the fastest of a list of tiles and splits of k, each wave of tiles as long as its
/// arithmetic or its loads take; never faster than memory. Grouped products: the sum over groups
/// shares the waves. Attention: tiles of 128 queries by 128 keys, never shorter than the longest
/// row of them; decode streams keys and values. `extrapolated`: an architecture or an operation of
/// which nothing was measured. Sizes that are not said: `flops` and `bytes` of the kernel.
class HeuristicModel final : public KernelModel {
 public:
  [[nodiscard]] std::optional<KernelTime> time(const graph::Kernel& kernel,
                                               const Silicon& silicon) const override;
};

/// The least bytes that one launch of the kernel moves: what it says, else by sizes and formats.
[[nodiscard]] double bytes_of(const graph::Kernel& kernel);

/// Floating-point operations of one launch: by sizes, else what the kernel says.
[[nodiscard]] double flops_of(const graph::Kernel& kernel);

}  // namespace orrery::model
