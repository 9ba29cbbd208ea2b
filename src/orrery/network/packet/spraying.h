// SPDX-License-Identifier: Apache-2.0
//
// The choice of the entropy value of each packet.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/core/random.h"
#include "orrery/platform/packet_settings.h"

namespace orrery::model {

/// The entropy values of one connection.
///
/// `oblivious`: all values in turn, in another order in each turn. `reps`: the values of
/// acknowledged packets without a mark, in order of arrival; without any, the next oblivious one.
/// `bitmap`: as oblivious, and a turn leaves out values that were marked or lost since. `mixed`:
/// both. `adaptive`: as oblivious, for the links before the first switch.
/// Sources: Bonato et al., "REPS: Recycled Entropy Packet Spraying for Adaptive Load Balancing and
/// Failure Mitigation", 2024; the bitmap of bad values in the Ultra Ethernet Specification 1.0.
class Spraying {
 public:
  void begin(platform::PacketSpraying policy, std::uint32_t values, std::uint64_t seed) {
    policy_ = policy;
    values_ = values;
    key_ = seed;
  }
  [[nodiscard]] std::uint32_t next() {
    if (values_ == 1) return 0;
    if (!good_.empty()) {
      const std::uint32_t value = good_[first_good_++];
      if (first_good_ == good_.size()) {
        good_.clear();
        first_good_ = 0;
      }
      return value;
    }
    std::uint32_t value = next_in_turn();
    if (!penalties_.empty()) {
      for (std::uint32_t tries = 0; tries < values_ && penalties_[value] > 0; ++tries) {
        --penalties_[value];
        value = next_in_turn();
      }
    }
    return value;
  }
  /// An acknowledgement of a packet with this value. `is_bad`: marked or lost.
  void report(std::uint32_t value, bool is_bad) {
    using enum platform::PacketSpraying;
    if (policy_ == oblivious || policy_ == adaptive || values_ == 1) return;
    if (!is_bad) {
      if (policy_ != bitmap) good_.push_back(static_cast<std::uint16_t>(value));
      return;
    }
    if (policy_ == reps) return;
    if (penalties_.empty()) penalties_.resize(values_);
    if (penalties_[value] < kMostPenalty) ++penalties_[value];
  }

 private:
  static constexpr std::uint8_t kMostPenalty = 15;

  [[nodiscard]] std::uint32_t next_in_turn() {
    if (position_ == 0) offset_ = static_cast<std::uint32_t>(mix_bits(key_ + ++turn_));
    const std::uint32_t value = (values_ & (values_ - 1)) == 0
                                    ? (position_ ^ offset_) & (values_ - 1)
                                    : (position_ + offset_ % values_) % values_;
    if (++position_ == values_) position_ = 0;
    return value;
  }

  platform::PacketSpraying policy_ = platform::PacketSpraying::oblivious;
  std::uint32_t values_ = 1;
  std::uint32_t position_ = 0, offset_ = 0;
  std::uint64_t key_ = 0, turn_ = 0;
  std::vector<std::uint16_t> good_;
  std::size_t first_good_ = 0;
  std::vector<std::uint8_t> penalties_;  // by value
};

}  // namespace orrery::model
