// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

namespace orrery::sim {

/// Arrival of the last member at each collective of one communicator, for the critical path. The
/// number of a collective is the number of its first chunk, as if no repetition had been skipped.
class Arrivals {
 public:
  /// The number of a collective with this first chunk.
  [[nodiscard]] std::uint32_t number(std::uint32_t chunk) const { return chunk + skipped_; }
  /// Accounts for chunks that are not simulated.
  void skip(std::uint32_t chunks) { skipped_ += chunks; }

  /// A member arrives.
  void arrive(std::uint32_t number, std::int64_t time) {
    if (number >= last_.size()) last_.resize(std::size_t{number} + 1);
    last_[number] = std::max(last_[number], time);
  }
  [[nodiscard]] std::int64_t last(std::uint32_t number) const { return last_[number]; }

  /// Its state, for checkpoints.
  static auto fields(auto& self) {
    auto& [last, skipped] = self;
    return std::tie(last, skipped);
  }

 private:
  std::vector<std::int64_t> last_;
  std::uint32_t skipped_ = 0;
};

}  // namespace orrery::sim
