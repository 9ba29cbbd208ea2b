// SPDX-License-Identifier: Apache-2.0
//
// Records what happens to packets: at each port over time, and to each message.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/core/packet_record.h"
#include "orrery/network/packet/packet_types.h"

namespace orrery::model {

/// Counts events of packets in equal bins of time. The length of the bins doubles whenever time
/// exceeds the last one, and the step between recorded messages doubles whenever there are too
/// many, so that memory does not depend on the length of the run. Times are picoseconds and never
/// decrease.
class PacketMonitor {
 public:
  static constexpr std::size_t kMostPorts = 65'536;     ///< more are not recorded
  static constexpr std::size_t kMostMessages = 65'536;  ///< recorded ones

  explicit PacketMonitor(std::size_t ports);

  /// One event at a port.
  void count(std::uint32_t port, std::int64_t now, std::uint64_t PortPackets::*what) {
    if (port >= ports_.size()) return;
    Bin& bin = bin_at(port, now);
    ++(bin.packets.*what);
    ++(ports_[port].total.*what);
  }
  /// From now on, `bytes` wait at a port.
  void queue(std::uint32_t port, std::int64_t now, std::int64_t bytes);
  /// From now on, a port is paused, or not.
  void pause(std::uint32_t port, std::int64_t now, bool is_paused);

  /// A message begins. `record`: for arrives() and repeats().
  [[nodiscard]] std::uint32_t posts(const PacketPost& message, std::int64_t now);
  void arrives(std::uint32_t record, std::int64_t now);
  /// A packet of the message is sent again.
  void repeats(std::uint32_t record);

  /// Everything until `now`, without PacketRecord::totals.
  [[nodiscard]] PacketRecord finish(std::int64_t now) const;

 private:
  struct Bin {
    PortPackets packets;    // without the mean
    double queue_time = 0;  // bytes x picoseconds
  };
  struct Series {
    std::vector<Bin> bins;  // empty until something happens
    PortPackets total;
    double queue_time = 0;
    std::int64_t since = 0;  // when `waiting` and `is_paused` were last added to the bins
    std::int64_t waiting = 0;
    bool is_paused = false;
  };

  Bin& bin_at(std::uint32_t port, std::int64_t now);
  void make_room(std::int64_t now);
  void add_until(Series& series, std::int64_t now);
  [[nodiscard]] PacketMessageTime* message(std::uint32_t record);

  std::size_t bins_;
  std::int64_t bin_ = std::int64_t{1} << 16;  // a power of 2
  std::vector<Series> ports_;
  std::uint64_t messages_ = 0, step_ = 1;
  std::vector<PacketMessageTime> times_;  // of messages 0, step, 2 step …
};

}  // namespace orrery::model
