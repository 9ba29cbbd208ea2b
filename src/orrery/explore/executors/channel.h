// SPDX-License-Identifier: Apache-2.0
//
// Messages between the processes of one search.
#pragma once

#include <cstdint>
#include <string>

namespace orrery::explore {

struct Message {
  std::uint32_t from = 0;
  std::string text;
};

/// Messages between processes. Each arrives complete, and in order per sender and receiver. Used by
/// one thread.
class Channel {
 public:
  Channel() = default;
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  virtual ~Channel() = default;

  [[nodiscard]] virtual std::uint32_t place() const = 0;  ///< 0: the first process
  [[nodiscard]] virtual std::uint32_t count() const = 0;  ///< number of processes
  /// Sends without waiting for the receiver.
  virtual void send(std::uint32_t to, std::string text) = 0;
  /// Waits for the next message from any process.
  [[nodiscard]] virtual Message receive() = 0;
};

}  // namespace orrery::explore
