// SPDX-License-Identifier: Apache-2.0
//
// The search for all-gathers and broadcasts: chunks that spread from their origins.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "orrery/synthesis/search/routes/route_graph.h"

namespace orrery::synthesis {

/// A matrix of bits.
class BitMatrix {
 public:
  BitMatrix() = default;
  BitMatrix(std::size_t rows, std::size_t columns)
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
  std::vector<std::uint32_t> origin;  ///< by chunk: the store that holds it at the start
  std::vector<std::int64_t> bytes;    ///< by chunk
  BitMatrix required;                 ///< by store, then chunk: needed at the end
  BitMatrix
      useful;  ///< by store, then chunk: `required`, or useful for forwarding, which is optional
  /// By store: its host. Each chunk enters a host at most once. Empty: no such limit.
  std::vector<std::uint32_t> host;
};

struct SpreadOptions {
  std::uint64_t seed = 1;
  std::uint32_t samples = 6;  ///< chunks sampled from those that could be sent; the rarest of them
                              ///< is sent
  /// Stores where chunks start send the rarest of all chunks: a store with the only copies must
  /// send each of them once before any twice.
  bool prefer_rarest_at_origin = false;
  /// Slow links do not send chunks that other links can deliver sooner.
  bool defer_slow_links = false;
  Time time_limit = kTimeMax;  ///< stops if the schedule lasts longer
};

struct ChunkSend {
  std::uint32_t chunk = 0, route = 0;
  Time start{};
};

/// Returns the sends sorted by start; empty if they exceed `time_limit`, or if some chunk cannot
/// reach its receivers.
///
/// The time-expanded greedy algorithm of TACOS (Won et al., MICRO 2024, arXiv 2304.05301): when a
/// link becomes free, its sender sends a chunk that the receiver lacks. The candidates are computed
/// a word of bits at a time: has[sender] & useful[receiver] & ~(got or coming)[receiver]. It
/// samples a few of them and sends the one that the fewest stores hold (as peer-to-peer file
/// sharing does). A link is evaluated again when a chunk arrives at its sender or the link becomes
/// free. O(sends × (samples + links of a device)).
[[nodiscard]] std::optional<std::vector<ChunkSend>> spread(const RouteGraph& route_graph,
                                                           const SpreadTask& task,
                                                           const SpreadOptions& options);

}  // namespace orrery::synthesis
