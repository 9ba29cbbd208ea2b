// SPDX-License-Identifier: Apache-2.0
//
// What kernels lose to collectives and copies that run beside them on the same device.
#pragma once

#include <cstdint>

#include "orrery/graph/kernel.h"
#include "orrery/platform/platform.h"

namespace orrery::model {

/// What others take of a device while kernels run.
struct ConcurrentUse {
  std::int32_t collectives = 0;  ///< how many of them
  std::int32_t sms = 0;          ///< SMs that their channels hold
  std::int64_t memory_rate = 0;  ///< bytes/s that they move in its memory
  std::int64_t copy_rate = 0;    ///< … that loads from a remote memory and stores to it do

  friend bool operator==(const ConcurrentUse&, const ConcurrentUse&) = default;
};

/// By how much kernels are slower.
///
/// Assumed, where the cluster states nothing: products (of matrices, attention, convolutions) have
/// the SMs that are left, S / (S - held), all others the memory's bandwidth that is left,
/// B / (B - moved); never less than half. Copy engines hold no SMs: what they move counts for the
/// others alone, beside stated factors, too, which are of collectives. It says what contention
/// there is at least to expect, not what was measured: over GPT and LLaMA models on A100, H100,
/// MI210 and MI250, kernels beside communication were 18.9 % slower on average and 40 % at most
/// (Lee et al., arXiv 2507.03114, abstract).
class Interference {
 public:
  explicit Interference(const platform::Platform& platform);

  /// Not below 1.
  [[nodiscard]] double factor(const ConcurrentUse& taken, bool product) const;
  /// What waits for arithmetic rather than for memory.
  [[nodiscard]] static bool is_product(graph::Operation operation);

 private:
  const platform::StepEffects::OverlapSlowdown* stated_;  // or null
  double sms_ = 0;                                        // 0: not known
  double memory_ = 0;                                     // bytes/s
};

}  // namespace orrery::model
