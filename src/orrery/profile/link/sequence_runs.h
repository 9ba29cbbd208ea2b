// SPDX-License-Identifier: Apache-2.0
//
// Runs of equal steps in two sequences.
#pragma once

#include <cstddef>
#include <span>

#include "orrery/profile/link/align.h"

namespace orrery::profile {

/// A part of two sequences. An end is open if the steps beyond it are not aligned yet.
struct SequenceRange {
  std::size_t left, left_end, right, right_end;
  bool open_before, open_after;

  [[nodiscard]] std::size_t width() const { return left_end - left; }
  [[nodiscard]] std::size_t height() const { return right_end - right; }
  [[nodiscard]] std::size_t cells() const { return width() * height(); }
  [[nodiscard]] bool empty() const { return left == left_end || right == right_end; }
};

/// Runs of `length` steps that occur equally often on both sides, at most `most` times. Returns
/// pairs of steps, ascending in both. O(n log n).
[[nodiscard]] Pairs rare_runs(std::span<const AlignedEvent> left,
                              std::span<const AlignedEvent> right, const SequenceRange& range,
                              std::size_t length, std::size_t most);

/// For sequences that repeat: the pairs of equal steps under the shift between both sides that most
/// runs vote for. O(n log n).
[[nodiscard]] Pairs shifted_runs(std::span<const AlignedEvent> left,
                                 std::span<const AlignedEvent> right, const SequenceRange& range);

}  // namespace orrery::profile
