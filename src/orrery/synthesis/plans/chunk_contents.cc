// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/plans/chunk_contents.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "orrery/core/text/rank_list.h"

namespace orrery::synthesis {

std::uint32_t ChunkContents::chunk_of(std::uint32_t value) const {
  return is_input(value) ? (value - 1) % inputs_ : chunks_[value - 1 - ranks_ * inputs_];
}

ChunkContents::Bits ChunkContents::bits_of(std::uint32_t value) const {
  Bits bits(words_);
  if (value == 0) return bits;
  if (is_input(value)) {
    const std::uint32_t rank = (value - 1) / inputs_;
    bits[rank / 64] |= std::uint64_t{1} << rank % 64;
    return bits;
  }
  const std::size_t first = (value - 1 - ranks_ * inputs_) * words_;
  std::copy_n(bits_.begin() + static_cast<std::ptrdiff_t>(first), words_, bits.begin());
  return bits;
}

std::uint32_t ChunkContents::number_of(std::uint32_t chunk, const Bits& bits) {
  std::uint32_t ranks = 0;
  std::uint64_t hash = chunk * 0x9E3779B97F4A7C15ull;
  for (std::size_t i = 0; i < words_; ++i) {
    ranks += static_cast<std::uint32_t>(std::popcount(bits[i]));
    hash = (hash ^ bits[i]) * 0xff51afd7ed558ccdull;
    hash ^= hash >> 32;
  }
  if (ranks == 1) {
    for (std::size_t i = 0; i < words_; ++i)
      if (bits[i] != 0)
        return input(static_cast<std::uint32_t>(i * 64) +
                         static_cast<std::uint32_t>(std::countr_zero(bits[i])),
                     chunk);
  }
  const auto [begin, end] = by_hash_.equal_range(hash);
  for (auto at = begin; at != end; ++at) {
    const std::size_t index = at->second;
    if (chunks_[index] == chunk &&
        std::equal(bits.begin(), bits.end(),
                   bits_.begin() + static_cast<std::ptrdiff_t>(index * words_)))
      return 1 + ranks_ * inputs_ + at->second;
  }
  const auto index = static_cast<std::uint32_t>(chunks_.size());
  by_hash_.emplace(hash, index);
  chunks_.push_back(chunk);
  bits_.insert(bits_.end(), bits.begin(), bits.end());
  return 1 + ranks_ * inputs_ + index;
}

std::uint32_t ChunkContents::sum_of_all(std::uint32_t chunk) {
  Bits bits(words_);
  for (std::uint32_t rank = 0; rank < ranks_; ++rank)
    bits[rank / 64] |= std::uint64_t{1} << rank % 64;
  return number_of(chunk, bits);
}

std::uint32_t ChunkContents::add(std::uint32_t a, std::uint32_t b, AddResult& how) {
  if (a == 0 || b == 0) {
    how = AddResult::nothing;
    return a + b;
  }
  const std::uint64_t key = std::uint64_t{std::min(a, b)} << 32 | std::max(a, b);
  if (const auto found = known_.find(key); found != known_.end()) {
    how = found->second.how;
    return found->second.value;
  }
  Sum sum{a, AddResult::different};
  if (chunk_of(a) == chunk_of(b)) {
    Bits bits = bits_of(a);
    const Bits other = bits_of(b);
    sum.how = AddResult::fine;
    for (std::size_t i = 0; i < words_; ++i) {
      if ((bits[i] & other[i]) != 0) sum.how = AddResult::twice;
      bits[i] |= other[i];
    }
    sum.value = number_of(chunk_of(a), bits);
  }
  how = sum.how;
  known_.emplace(key, sum);
  return sum.value;
}

std::uint32_t ChunkContents::common_rank(std::uint32_t a, std::uint32_t b) const {
  const Bits first = bits_of(a), second = bits_of(b);
  for (std::uint32_t rank = 0; rank < ranks_; ++rank)
    if ((first[rank / 64] & second[rank / 64] & std::uint64_t{1} << rank % 64) != 0) return rank;
  return ranks_;
}

std::uint32_t ChunkContents::missing(std::uint32_t value) const {
  const Bits bits = bits_of(value);
  for (std::uint32_t rank = 0; rank < ranks_; ++rank)
    if ((bits[rank / 64] & std::uint64_t{1} << rank % 64) == 0) return rank;
  return ranks_;
}

std::string ChunkContents::to_text(std::uint32_t value) const {
  if (value == 0) return "nothing";
  std::vector<std::uint32_t> ranks;
  const Bits bits = bits_of(value);
  for (std::uint32_t rank = 0; rank < ranks_; ++rank)
    if ((bits[rank / 64] & std::uint64_t{1} << rank % 64) != 0) ranks.push_back(rank);
  const std::uint32_t chunk = chunk_of(value);
  if (ranks.size() == 1) return fmt::format("chunk {} of gpu {}", chunk, ranks.front());
  if (ranks.size() == ranks_) return fmt::format("chunk {} summed over all {} gpus", chunk, ranks_);
  return fmt::format("chunk {} summed over {} of {} gpus ({})", chunk, ranks.size(), ranks_,
                     format_ranks(ranks));
}

}  // namespace orrery::synthesis
