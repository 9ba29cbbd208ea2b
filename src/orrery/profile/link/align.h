// SPDX-License-Identifier: Apache-2.0
//
// Aligns two recordings of one thread: finds which step of one recording is which step of the
// other.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace orrery::profile {

/// A step of a thread; both recordings contain these values.
struct AlignedEvent {
  std::uint32_t name = 0;
  std::uint32_t parent = 0;    ///< name of the enclosing step
  std::uint32_t shape = 0;     ///< hash of the input shapes; 0: unknown
  std::int32_t sequence = -1;  ///< -1 = none
  std::uint32_t event = 0;     ///< id of the caller

  /// True if both can be the same step.
  [[nodiscard]] bool fits(const AlignedEvent& other) const {
    return name == other.name && (sequence == other.sequence || sequence < 0 || other.sequence < 0);
  }
};

/// Pairs of positions in two sequences that are the same step; ascending in both.
using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// Aligns two sequences of steps. Either sequence may have steps that the other lacks, at the ends
/// or in between. First it pairs steps that are rare and equally frequent in both. Then it divides
/// the gaps between these pairs in the same way, and solves small gaps exactly. A part in which all
/// steps repeat is paired under the shift for which most steps are equal. `known`: pairs that are
/// given (the ascending ones are used). Deterministic. O(n log n) up to a constant factor.
[[nodiscard]] Pairs align(std::span<const AlignedEvent> left, std::span<const AlignedEvent> right,
                          const Pairs& known = {});

/// The longest subsequence of `pairs` (ascending by first) that also ascends by second.
[[nodiscard]] Pairs longest_ascending(const Pairs& pairs);

}  // namespace orrery::profile
