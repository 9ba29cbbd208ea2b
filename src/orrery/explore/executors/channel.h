// SPDX-License-Identifier: Apache-2.0
//
// How the processes of one search talk.
#pragma once

#include <cstdint>
#include <string>

namespace orrery::explore {

struct Message {
  std::uint32_t from = 0;
  std::string text;
};

/// Messages between processes: whole, and in order from one to another. Used by one thread.
class Channel {
 public:
  Channel() = default;
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  virtual ~Channel() = default;

  [[nodiscard]] virtual std::uint32_t place() const = 0;  ///< 0: this is the first
  [[nodiscard]] virtual std::uint32_t count() const = 0;  ///< of processes
  /// Does not wait for the other to receive it.
  virtual void send(std::uint32_t to, std::string text) = 0;
  /// The next, of anybody; waits for it.
  [[nodiscard]] virtual Message receive() = 0;
};

}  // namespace orrery::explore
