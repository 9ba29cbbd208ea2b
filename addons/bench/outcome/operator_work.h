// SPDX-License-Identifier: Apache-2.0
//
// What kinds of work recorded operators do, and how much of it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "addons/bench/recording/inner_operators.h"
#include "orrery/graph/kernel.h"
#include "orrery/intake/convert/operator_kernels.h"
#include "orrery/profile/profile.h"

namespace orrery::bench {

/// Kinds of work, coarse enough to be looked at side by side.
enum class WorkClass : std::uint8_t {
  product,
  convolution,
  attention,
  normalisation,
  softmax,  ///< and losses
  elementwise,
  reduction,
  pooling,
  embedding,
  optimizer,
  copy,
  view,        ///< the same memory seen in another way
  allocation,  ///< memory without anything in it
  communication,
  other
};
inline constexpr std::size_t kWorkClasses = 15;

/// "products", "softmax and losses" …
[[nodiscard]] std::string_view name(WorkClass kind);
/// Of a kernel; `other` of Operation::unsaid.
[[nodiscard]] WorkClass class_of(graph::Operation operation);

/// Of one operator. Flops and bytes are as trace::operators counts them.
struct Work {
  WorkClass kind = WorkClass::other;
  bool known = false;  ///< flops and bytes are, of all that it calls
  double flops = 0;
  double bytes = 0;
};

/// The work of a recording's operators. An operator that only calls others does what those do, and
/// is of the kind of the one that calculates most.
class WorkCounter {
 public:
  /// Both outlive it. O(events).
  WorkCounter(const profile::Profile& profile, const InnerOperators& inside);

  /// `event` has a node. Linear in what is called inside.
  [[nodiscard]] Work of(profile::EventId event);

 private:
  [[nodiscard]] Work alone(profile::EventId event);

  const profile::Profile& profile_;
  const InnerOperators& inside_;
  intake::OperatorKernels kernels_;
};

}  // namespace orrery::bench
