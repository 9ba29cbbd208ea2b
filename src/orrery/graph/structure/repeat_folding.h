// SPDX-License-Identifier: Apache-2.0
//
// Folds the repetitions in a sequence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace orrery::graph {

/// A segment of a sequence: one symbol, or a body that repeats `times` times. A body is a list of
/// segments.
struct Repeat {
  std::uint32_t symbol = 0;  ///< if there is no body
  std::uint32_t times = 1;
  std::vector<Repeat> body;  ///< empty: one symbol
  std::size_t first = 0;     ///< index of its first symbol in the sequence
  std::size_t length = 1;    ///< number of symbols over all repetitions
};

inline constexpr std::size_t kLongestBody = 4096;

/// Folds the repetitions of the sequence, shortest bodies first. Repetitions of folded segments
/// become nested bodies (a step of microbatches of layers of kernels). A body has up to
/// `longest_body` elements. unfold() restores the sequence. O(n × longest_body); far less in
/// practice, because each fold shortens the sequence.
[[nodiscard]] std::vector<Repeat> fold_repeats(std::span<const std::uint32_t> sequence,
                                               std::size_t longest_body = kLongestBody);

/// The sequence that `folded` represents.
[[nodiscard]] std::vector<std::uint32_t> unfold(std::span<const Repeat> folded);

}  // namespace orrery::graph
