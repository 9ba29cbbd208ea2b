// SPDX-License-Identifier: Apache-2.0
//
// The slowdown of kernels by concurrent collectives and copies on the same device.
#pragma once

#include <cstdint>

#include "orrery/graph/kernel.h"
#include "orrery/platform/platform.h"

namespace orrery::model {

/// The use of a device by collectives and copies while kernels run.
struct ConcurrentUse {
  std::int32_t collectives = 0;  ///< number of collectives
  std::int32_t sms = 0;          ///< SMs that their channels occupy
  std::int64_t memory_rate = 0;  ///< their traffic in the device's memory, bytes/s
  std::int64_t copy_rate = 0;    ///< traffic of loads from and stores to a remote memory, bytes/s

  friend bool operator==(const ConcurrentUse&, const ConcurrentUse&) = default;
};

/// The slowdown of kernels.
///
/// If the cluster file contains no factors, a factor is assumed. Products (of matrices, attention,
/// convolutions) have the remaining SMs: S / (S - occupied). All other kernels have the remaining
/// memory bandwidth: B / (B - traffic). At least half of both remains. Factors of the cluster file
/// apply only to collectives. Copy engines occupy no SMs, so their traffic slows only the other
/// kernels.
///
/// The assumed factor is a lower bound of contention, not a fit to measurements. Over GPT and LLaMA
/// models on A100, H100, MI210 and MI250, kernels concurrent with communication were 18.9 % slower
/// on average and 40 % at most (Lee et al., arXiv 2507.03114, abstract).
class Interference {
 public:
  explicit Interference(const platform::Platform& platform);

  /// The slowdown factor, at least 1.
  [[nodiscard]] double factor(const ConcurrentUse& use, bool product) const;
  /// Whether arithmetic, not memory, limits the operation.
  [[nodiscard]] static bool is_product(graph::Operation operation);

 private:
  const platform::StepEffects::OverlapSlowdown* overlap_slowdown_;  // of the cluster file, or null
  double sms_ = 0;                                                  // 0: unknown
  double memory_ = 0;                                               // bytes/s
};

}  // namespace orrery::model
