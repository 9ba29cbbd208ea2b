// SPDX-License-Identifier: Apache-2.0
//
// A long sequence as what it repeats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace orrery::graph {

/// A stretch of a sequence: one symbol, or a body that stands there so many times, one right after
/// another. Bodies are stretches again.
struct Repeat {
  std::uint32_t symbol = 0;  ///< without a body
  std::uint32_t times = 1;
  std::vector<Repeat> body;  ///< empty: one symbol
  std::size_t first = 0;     ///< where it begins in the sequence
  std::size_t length = 1;    ///< symbols in all, over all times
};

inline constexpr std::size_t kLongestBody = 4096;

/// The sequence with its repetitions folded, the shortest bodies first, and repetitions of folded
/// ones (a step of microbatches of layers of kernels) as bodies in bodies, up to so many elements
/// each. What is unfolded again is the sequence. O(n × longest body in elements), and in practice
/// far less: each folding shortens what is left.
[[nodiscard]] std::vector<Repeat> fold_repeats(std::span<const std::uint32_t> sequence,
                                               std::size_t longest_body = kLongestBody);

/// The symbols of folded stretches, as they were.
[[nodiscard]] std::vector<std::uint32_t> unfold(std::span<const Repeat> folded);

}  // namespace orrery::graph
