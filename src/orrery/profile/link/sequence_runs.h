// SPDX-License-Identifier: Apache-2.0
//
// Where two sequences of steps are surely, or probably, the same.
#pragma once

#include <cstddef>
#include <span>

#include "orrery/profile/link/align.h"

namespace orrery::profile {

/// Part of two sequences. An end is open where nothing is known of what lies beyond.
struct SequenceRange {
  std::size_t left, left_end, right, right_end;
  bool open_before, open_after;

  [[nodiscard]] std::size_t width() const { return left_end - left; }
  [[nodiscard]] std::size_t height() const { return right_end - right; }
  [[nodiscard]] std::size_t cells() const { return width() * height(); }
  [[nodiscard]] bool empty() const { return left == left_end || right == right_end; }
};

/// Runs of `length` steps that occur equally often on both sides, at most `most` times, as pairs of
/// steps, ascending in both. O(n log n).
[[nodiscard]] Pairs rare_runs(std::span<const AlignedEvent> left,
                              std::span<const AlignedEvent> right, const SequenceRange& range,
                              std::size_t length, std::size_t most);

/// When everything repeats: the steps that are equal under the shift of one side against the other
/// that most runs suggest, give or take a few steps. O(n log n).
[[nodiscard]] Pairs shifted_runs(std::span<const AlignedEvent> left,
                                 std::span<const AlignedEvent> right, const SequenceRange& range);

}  // namespace orrery::profile
