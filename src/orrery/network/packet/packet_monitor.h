// SPDX-License-Identifier: Apache-2.0
//
// What happens at each port over time, and how long messages last: plain data.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace orrery::model {

/// Why a packet was dropped.
enum class PacketDrop : std::uint8_t { no_room, no_headroom, link_down };
inline constexpr std::size_t kPacketDrops = 3;

/// One port in one bin of time.
struct PortSample {
  std::int64_t longest_queue = 0;  ///< bytes, of all priorities
  std::int64_t paused = 0;         ///< picoseconds in which the next node pauses a priority
  std::uint32_t marks = 0;
  std::uint32_t pauses = 0;  ///< that begin
  std::uint32_t trims = 0;
  std::uint32_t notifications = 0;  ///< first links of a sender: CNPs for it
  std::uint32_t again = 0;          ///< first links of a sender: packets sent again
  std::array<std::uint32_t, kPacketDrops> drops = {};  ///< by PacketDrop

  friend bool operator==(const PortSample&, const PortSample&) = default;
};

/// A message that has arrived.
struct MessageSample {
  std::uint32_t from = 0, to = 0;
  std::int64_t bytes = 0;
  std::int64_t posted = 0, arrived = 0;  ///< picoseconds
};

/// Samples of the ports at which something happened, in kBins equal bins. Their length doubles when
/// time exceeds the last one, so that memory depends on the number of ports alone: at most 3 kB for
/// each. Of messages, the first `most_messages`.
class PacketMonitor {
 public:
  static constexpr std::size_t kBins = 64;

  explicit PacketMonitor(std::size_t most_messages = 100'000) : most_messages_(most_messages) {}

  /// The sample of a port at a time. Valid until the next call. Amortized O(1).
  [[nodiscard]] PortSample& at(std::uint32_t port, std::int64_t time);
  /// A priority of the port is paused, or resumes.
  void set_paused(std::uint32_t port, bool is_paused, std::int64_t time);
  void add_message(const MessageSample& message);

  [[nodiscard]] std::int64_t bin() const { return bin_; }  ///< picoseconds
  /// The samples of a port, by bin. Empty: nothing happened there.
  [[nodiscard]] const std::vector<PortSample>& samples(std::uint32_t port) const;
  /// Over all bins: the longest queue, and the sums of the others. Pauses that last count until the
  /// last call of set_paused() for the port.
  [[nodiscard]] PortSample total(std::uint32_t port) const;
  [[nodiscard]] const std::vector<MessageSample>& messages() const { return messages_; }
  [[nodiscard]] std::uint64_t message_count() const { return message_count_; }
  /// One after the last port at which something happened.
  [[nodiscard]] std::size_t port_count() const { return ports_.size(); }

 private:
  struct PortSeries {
    std::vector<PortSample> samples;
    std::int64_t paused_since = -1;  // -1: not paused
  };
  void halve();

  std::int64_t bin_ = std::int64_t{1} << 20;  // 1 us
  std::vector<PortSeries> ports_;
  std::vector<MessageSample> messages_;
  std::uint64_t message_count_ = 0;
  std::size_t most_messages_;
};

}  // namespace orrery::model
