// SPDX-License-Identifier: Apache-2.0
//
// Which packets of a connection must be sent again, and which have arrived.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace orrery::model {

/// Values with consecutive numbers, in a ring that grows. Amortized O(1).
template <class T>
class NumberedRing {
 public:
  [[nodiscard]] std::uint64_t first() const { return first_; }
  [[nodiscard]] std::uint64_t end() const { return end_; }
  [[nodiscard]] bool empty() const { return first_ == end_; }
  [[nodiscard]] T& operator[](std::uint64_t number) { return items_[number & (items_.size() - 1)]; }
  [[nodiscard]] const T& operator[](std::uint64_t number) const {
    return items_[number & (items_.size() - 1)];
  }
  [[nodiscard]] T& front() { return (*this)[first_]; }
  /// The value end().
  T& append(T value) {
    if (end_ - first_ == items_.size()) grow();
    return (*this)[end_++] = value;
  }
  void remove_first() { ++first_; }
  void clear() { first_ = end_; }

 private:
  void grow() {
    std::vector<T> larger(std::max<std::size_t>(16, 2 * items_.size()));
    for (std::uint64_t i = first_; i < end_; ++i) larger[i & (larger.size() - 1)] = (*this)[i];
    items_.swap(larger);
  }

  std::uint64_t first_ = 0, end_ = 0;
  std::vector<T> items_;  // size: a power of 2
};

/// A packet that is sent and not acknowledged in order.
struct SentPacket {
  enum class State : std::uint8_t { in_flight, lost, acknowledged };
  std::int64_t sent = 0;  ///< the last time
  std::uint32_t size = 0;
  State state = State::acknowledged;
};

/// The sender's packets from the first unacknowledged one on, by number.
class SentPackets : public NumberedRing<SentPacket> {
 public:
  /// Removes acknowledged packets at the front.
  void remove_acknowledged() {
    while (!empty() && front().state == SentPacket::State::acknowledged) remove_first();
  }
};

/// The receiver's packets, in the order in which they arrived.
class ReceivedPackets {
 public:
  /// The first packet that has not arrived.
  [[nodiscard]] std::uint64_t missing() const { return missing_; }
  [[nodiscard]] bool contains(std::uint64_t number) const {
    return number < missing_ ||
           (number - missing_ < capacity() && (word(number) >> (number & 63) & 1));
  }
  void add(std::uint64_t number) {
    log_.append(static_cast<std::uint32_t>(number));
    if (number == missing_ && !has_later_) {
      ++missing_;
      return;
    }
    while (number - missing_ >= capacity()) grow();
    words_[number >> 6 & (words_.size() - 1)] |= std::uint64_t{1} << (number & 63);
    has_later_ = true;
    while (word(missing_) >> (missing_ & 63) & 1) {
      words_[missing_ >> 6 & (words_.size() - 1)] &= ~(std::uint64_t{1} << (missing_ & 63));
      ++missing_;
    }
    if (count() == missing_) has_later_ = false;
  }
  /// Whether all have arrived in order, and how many of them were not reported yet.
  [[nodiscard]] bool is_in_order() const { return count() == missing_; }
  [[nodiscard]] std::uint64_t unreported() const { return log_.end() - log_.first(); }
  /// How many have arrived.
  [[nodiscard]] std::uint64_t count() const { return log_.end(); }
  /// Calls `report` for those that arrived as the ones before `count`, which were not reported yet,
  /// with the lowest 32 bits of their numbers.
  template <class Report>
  void report_until(std::uint64_t count, Report report) {
    while (log_.first() < count) {
      report(log_.front());
      log_.remove_first();
    }
  }

 private:
  /// Numbers from `missing_` on for which there are bits.
  [[nodiscard]] std::uint64_t capacity() const {
    return words_.empty() ? 0 : 64 * (words_.size() - 1);
  }
  [[nodiscard]] std::uint64_t word(std::uint64_t number) const {
    return words_[number >> 6 & (words_.size() - 1)];
  }
  void grow() {
    std::vector<std::uint64_t> larger(std::max<std::size_t>(4, 2 * words_.size()));
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const std::uint64_t at = (missing_ >> 6) + i;
      larger[at & (larger.size() - 1)] = words_[at & (words_.size() - 1)];
    }
    words_.swap(larger);
  }

  std::uint64_t missing_ = 0;
  bool has_later_ = false;            // bits are set
  std::vector<std::uint64_t> words_;  // a ring of bits, from `missing_` on
  NumberedRing<std::uint32_t> log_;   // in order of arrival, not yet reported
};

/// One connection whose packets may be dropped.
struct Reliability {
  SentPackets sent;
  NumberedRing<std::uint64_t> lost;  ///< to be sent again; some may be acknowledged since
  ReceivedPackets received;
  bool has_timer = false;
};

}  // namespace orrery::model
