// SPDX-License-Identifier: Apache-2.0
//
// What is in a chunk: nothing, one rank's input, or a sum of several.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace orrery::synthesis {

/// Numbers for all that can be in a chunk, each once. 0 is nothing.
class ChunkContents {
 public:
  ChunkContents(std::uint32_t ranks, std::uint32_t inputs)
      : ranks_(ranks), inputs_(inputs), words_((ranks + 63) / 64) {}

  /// Rank `rank`'s chunk `chunk` of input.
  [[nodiscard]] std::uint32_t input(std::uint32_t rank, std::uint32_t chunk) const {
    return 1 + rank * inputs_ + chunk;
  }
  /// The sum of all ranks' chunks `chunk`.
  [[nodiscard]] std::uint32_t sum_of_all(std::uint32_t chunk);

  enum class AddResult : std::uint8_t { fine, nothing, different, twice };
  /// a + b. If that is not `fine`, what there is of it all the same. Known pairs cost O(1), others
  /// O(ranks/64).
  std::uint32_t add(std::uint32_t a, std::uint32_t b, AddResult& how);
  /// The first rank that has its share in both.
  [[nodiscard]] std::uint32_t common_rank(std::uint32_t a, std::uint32_t b) const;
  /// Both are of the same place in the input, one of them a sum.
  [[nodiscard]] bool is_same_chunk(std::uint32_t a, std::uint32_t b) const {
    return a != 0 && b != 0 && chunk_of(a) == chunk_of(b) && !(is_input(a) && is_input(b));
  }
  /// The first rank whose share is missing in it.
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
  std::vector<std::uint32_t> chunks_;  ///< of sums
  std::vector<std::uint64_t> bits_;    ///< of sums, words_ each
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;
  struct Sum {
    std::uint32_t value;
    AddResult how;
  };
  std::unordered_map<std::uint64_t, Sum> known_;
};

}  // namespace orrery::synthesis
