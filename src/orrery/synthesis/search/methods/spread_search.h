// SPDX-License-Identifier: Apache-2.0
//
// The search for all-gathers and broadcasts: chunks that spread from where they start.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "orrery/synthesis/search/routes/route_graph.h"

namespace orrery::synthesis {

/// Rows of bits.
class BitRows {
 public:
  BitRows() = default;
  BitRows(std::size_t rows, std::size_t columns)
      : words_((columns + 63) / 64), bits_(rows * words_) {}
  [[nodiscard]] std::size_t words() const { return words_; }
  [[nodiscard]] std::uint64_t* row(std::size_t row) { return bits_.data() + row * words_; }
  [[nodiscard]] const std::uint64_t* row(std::size_t row) const {
    return bits_.data() + row * words_;
  }
  void set(std::size_t row, std::size_t column) {
    bits_[row * words_ + column / 64] |= std::uint64_t{1} << (column % 64);
  }
  [[nodiscard]] bool test(std::size_t row, std::size_t column) const {
    return (bits_[row * words_ + column / 64] >> (column % 64) & 1U) != 0;
  }

 private:
  std::size_t words_ = 0;
  std::vector<std::uint64_t> bits_;
};

struct SpreadTask {
  std::vector<std::uint32_t> origin;  ///< by chunk: the store that has it
  std::vector<std::int64_t> bytes;    ///< by chunk
  BitRows wanted;                     ///< by store, then chunk
  BitRows useful;  ///< likewise: wanted, or good for handing on; of it nothing must come
  /// By store: the host that it is in. A chunk comes into each only once from outside. Empty: no
  /// matter.
  std::vector<std::uint32_t> region;
};

struct SpreadOptions {
  std::uint64_t seed = 1;
  std::uint32_t samples = 6;  ///< of chunks that could be sent, the rarest of so many is
  /// Stores where chunks start send the rarest of all: who alone has them has to send each once
  /// before any a second time.
  bool rooted = false;
  /// Slow links leave to others what these can bring sooner.
  bool patient = false;
  Time give_up = kTimeMax;  ///< when it takes longer
};

struct ChunkSend {
  std::uint32_t chunk = 0, route = 0;
  Time start{};
};

/// Sends in the order of their starts; empty: it took longer than that, or there is no way on.
///
/// The time-expanded greedy of TACOS (Won et al., MICRO 2024, arXiv 2304.05301): whenever a link
/// comes free, its sender takes something that the receiver lacks. What could be sent is a word of
/// bits at a time: has[sender] & useful[receiver] & ~(got or coming)[receiver]. Of those a few are
/// drawn, and the one goes that the fewest have (as swarms that share files do). Links are not
/// looked at again before something comes to their sender, or they come free.
/// O(sends × (samples + links of a device)).
[[nodiscard]] std::optional<std::vector<ChunkSend>> spread(const RouteGraph& route_graph,
                                                           const SpreadTask& task,
                                                           const SpreadOptions& options);

}  // namespace orrery::synthesis
