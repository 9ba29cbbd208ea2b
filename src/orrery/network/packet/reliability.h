// SPDX-License-Identifier: Apache-2.0
//
// Which packets of a connection must be sent again, and which have arrived.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

namespace orrery::model {

/// A packet that is sent and not acknowledged in order.
struct SentPacket {
  enum class State : std::uint8_t { in_flight, lost, acknowledged };
  std::int64_t sent = 0;  ///< the last time
  std::uint32_t size = 0;
  State state = State::acknowledged;
};

/// The sender's packets from the first unacknowledged one on, by number.
class SentPackets {
 public:
  [[nodiscard]] std::uint64_t first() const { return first_; }
  [[nodiscard]] std::uint64_t end() const { return end_; }
  [[nodiscard]] SentPacket& operator[](std::uint64_t number) {
    return ring_[number & (ring_.size() - 1)];
  }
  /// The packet end(). Amortized O(1).
  SentPacket& append() {
    if (end_ - first_ == ring_.size()) grow();
    return (*this)[end_++] = SentPacket{};
  }
  /// Removes acknowledged packets at the front.
  void remove_acknowledged() {
    while (first_ < end_ && (*this)[first_].state == SentPacket::State::acknowledged) ++first_;
  }

 private:
  void grow() {
    std::vector<SentPacket> larger(std::max<std::size_t>(16, 2 * ring_.size()));
    for (std::uint64_t i = first_; i < end_; ++i) larger[i & (larger.size() - 1)] = (*this)[i];
    ring_.swap(larger);
  }

  std::uint64_t first_ = 0, end_ = 0;
  std::vector<SentPacket> ring_;  // size: a power of 2
};

/// The receiver's packets, in the order in which they arrived.
class ReceivedPackets {
 public:
  /// The first packet that has not arrived.
  [[nodiscard]] std::uint64_t missing() const { return missing_; }
  [[nodiscard]] bool contains(std::uint64_t number) const {
    return number < missing_ || (number - missing_ < bits_.size() && bits_[number - missing_]);
  }
  void add(std::uint64_t number) {
    log_.push_back(number);
    if (number - missing_ >= bits_.size()) bits_.resize(number - missing_ + 1);
    bits_[number - missing_] = true;
    while (!bits_.empty() && bits_.front()) {
      bits_.pop_front();
      ++missing_;
    }
  }
  /// How many have arrived.
  [[nodiscard]] std::uint64_t count() const { return reported_ + log_.size(); }
  /// Calls `report` for those that arrived as the ones before `count`, which were not reported yet.
  template <class Report>
  void report_until(std::uint64_t count, Report report) {
    for (; reported_ < count; ++reported_) {
      report(log_.front());
      log_.pop_front();
    }
  }

 private:
  std::uint64_t missing_ = 0;
  std::deque<bool> bits_;          // from `missing_` on
  std::deque<std::uint64_t> log_;  // in order of arrival, not yet reported
  std::uint64_t reported_ = 0;
};

/// One connection whose packets may be dropped.
struct Reliability {
  SentPackets sent;
  std::deque<std::uint64_t> lost;  ///< to be sent again; some may be acknowledged since
  ReceivedPackets received;
  bool has_timer = false;
};

}  // namespace orrery::model
