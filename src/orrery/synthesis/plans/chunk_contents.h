// SPDX-License-Identifier: Apache-2.0
//
// The contents of a chunk: nothing, one rank's input, or a sum over several ranks.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace orrery::synthesis {

/// Numbers all distinct contents of chunks. 0: nothing.
class ChunkContents {
 public:
  ChunkContents(std::uint32_t ranks, std::uint32_t inputs)
      : ranks_(ranks), inputs_(inputs), words_((ranks + 63) / 64) {}

  /// The content of input chunk `chunk` of rank `rank`.
  [[nodiscard]] std::uint32_t input(std::uint32_t rank, std::uint32_t chunk) const {
    return 1 + rank * inputs_ + chunk;
  }
  /// The content that is the sum of all ranks' chunk `chunk`.
  [[nodiscard]] std::uint32_t sum_of_all(std::uint32_t chunk);

  enum class AddResult : std::uint8_t { fine, nothing, different, twice };
  /// a + b. If the result is not `fine`, returns the contents nevertheless. O(1) for known pairs,
  /// else O(ranks/64).
  std::uint32_t add(std::uint32_t a, std::uint32_t b, AddResult& how);
  /// The first rank whose contribution is in both.
  [[nodiscard]] std::uint32_t common_rank(std::uint32_t a, std::uint32_t b) const;
  /// Whether both are of the same input chunk and at least one of them is a sum.
  [[nodiscard]] bool is_same_chunk(std::uint32_t a, std::uint32_t b) const {
    return a != 0 && b != 0 && chunk_of(a) == chunk_of(b) && !(is_input(a) && is_input(b));
  }
  /// The first rank whose contribution is missing in `value`.
  [[nodiscard]] std::uint32_t missing(std::uint32_t value) const;
  /// "chunk 3 of gpu 1", "chunk 3 added over 7 of 8 gpus (ranks 0-6)", "nothing".
  [[nodiscard]] std::string to_text(std::uint32_t value) const;

 private:
  using Bits = std::vector<std::uint64_t>;
  [[nodiscard]] bool is_input(std::uint32_t value) const { return value <= ranks_ * inputs_; }
  [[nodiscard]] std::uint32_t chunk_of(std::uint32_t value) const;
  [[nodiscard]] Bits bits_of(std::uint32_t value) const;
  [[nodiscard]] std::uint32_t number_of(std::uint32_t chunk, const Bits& bits);

  std::uint32_t ranks_, inputs_;
  std::size_t words_;
  std::vector<std::uint32_t> chunks_;  ///< input chunk of each sum
  std::vector<std::uint64_t> bits_;    ///< contributing ranks of each sum, words_ words per sum
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;
  struct Sum {
    std::uint32_t value;
    AddResult how;
  };
  std::unordered_map<std::uint64_t, Sum> known_;
};

}  // namespace orrery::synthesis
