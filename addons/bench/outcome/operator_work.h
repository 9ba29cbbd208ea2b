// SPDX-License-Identifier: Apache-2.0
//
// The kind and amount of work of recorded operators.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "addons/bench/recording/inner_operators.h"
#include "orrery/graph/kernel.h"
#include "orrery/intake/convert/operator_kernels.h"
#include "orrery/profile/profile.h"

namespace orrery::bench {

/// Kinds of work, coarse enough for comparisons.
enum class WorkClass : std::uint8_t {
  product,
  convolution,
  attention,
  normalization,
  softmax,  ///< and losses
  elementwise,
  reduction,
  pooling,
  embedding,
  optimizer,
  copy,
  view,        ///< another view of the same memory
  allocation,  ///< memory without initialization
  communication,
  other
};
inline constexpr std::size_t kWorkClasses = 15;

/// "products", "softmax and losses" …
[[nodiscard]] std::string_view name(WorkClass kind);
/// The class of a kernel operation; `other` for Operation::unsaid.
[[nodiscard]] WorkClass class_of(graph::Operation operation);

/// The work of one operator. Flops and bytes are counted as in trace::operators.
struct Work {
  WorkClass kind = WorkClass::other;
  bool known = false;  ///< flops and bytes are known for all operators that it calls
  double flops = 0;
  double bytes = 0;
};

/// Computes the work of recorded operators. An operator that only calls others has their total
/// work, and the class of the one with the most work.
class WorkCounter {
 public:
  /// Both arguments must outlive it. O(events).
  WorkCounter(const profile::Profile& profile, const InnerOperators& inside);

  /// `event` must have a node. O(operators called inside).
  [[nodiscard]] Work of(profile::EventId event);

 private:
  [[nodiscard]] Work alone(profile::EventId event);

  const profile::Profile& profile_;
  const InnerOperators& inside_;
  intake::OperatorKernels kernels_;
};

}  // namespace orrery::bench
