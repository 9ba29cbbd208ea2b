// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/record/make_run_internal.h"

namespace orrery::record {

/// Ranks whose nodes ran at the same times, released by the same nodes. Compares recorded nodes
/// side by side, as they are stored: O(nodes of all recorded ranks).
class EqualTimes {
 public:
  /// Compares nothing if ranks are in classes (Recording::class_of): they share nodes.
  explicit EqualTimes(const RecordingSource& source);

  /// The first rank with the same graph and times.
  [[nodiscard]] std::uint32_t same_as(std::uint32_t rank) const { return same_as_[rank]; }
  /// Whether a later rank is the same as this one.
  [[nodiscard]] bool is_shared(std::uint32_t rank) const { return is_shared_[rank]; }

 private:
  /// Ranks with one graph whose nodes alternate.
  struct Tile {
    std::vector<std::uint32_t> ranks;
    std::size_t first = 0;  ///< index of the first node of the first of them
    std::size_t step = 1;
    std::uint32_t nodes = 0;
  };
  void find_tiles();
  void hash(const Tile& tile, std::vector<std::uint64_t>& hashes) const;
  void verify(const Tile& tile);

  const RecordingSource& source_;
  std::vector<Tile> tiles_;
  std::vector<std::uint32_t> same_as_;  // by rank
  std::vector<bool> is_shared_;         // by rank
};

}  // namespace orrery::record
