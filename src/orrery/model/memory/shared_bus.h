// SPDX-License-Identifier: Apache-2.0
//
// The bus between an accelerator's network interface and its memory, as a pair of LogGP endpoints.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <tuple>
#include <vector>

#include "orrery/platform/platform.h"

namespace orrery::model {

/// The memory bus of one accelerator (`model-shared-bus`). The owner of the clock drives it.
///
/// Two endpoints, device and memory, exchange transfers one at a time. A transfer of S bytes
/// occupies its sender for d + (S-1)·G and is received after d + (S-1)·G + L + o. Here d is the
/// overhead o, or the remaining gap g if the endpoint has just sent. After more than eight
/// transfers in a row, an endpoint gives way to the other one. Source: LogGP (Alexandrov, Ionescu,
/// Schauser, Scheiman, SPAA 1995) section 2; turn-taking and the constants are ASTRA-sim's.
///
/// A second bus of the same kind, with G = 0.0038 ns per byte, lies behind the device endpoint.
/// Every transfer crosses it before it is sent from the device and after it is received there. A
/// receiver reduces transfers one at a time, each for floor(S/100) reduction delays and 50 ns.
///
/// Usage: transfer(), expire() and settle() add timers to timers(); the caller sets all of them, in
/// order, before the next call. When a timer is due, the caller calls expire(). If the returned
/// event has a token, that transfer is complete: the caller handles it, then calls settle().
class SharedBus {
 public:
  static constexpr std::uint32_t kNoToken = ~0u;

  enum class TransferDirection : std::uint8_t { to_memory, from_memory };

  struct Transfer {
    std::int64_t bytes = 0;
    bool reduce = false;   ///< whether the receiver reduces it
    bool returns = false;  ///< crosses the bus a second time, back to the sender
    std::uint32_t token = kNoToken;
  };

  struct Timer {
    std::int64_t delay = 0;  ///< ticks
    std::uint32_t code = 0;
  };

  struct BusEvent {
    std::uint32_t token = kNoToken;
    std::array<std::uint8_t, 2> endpoints{};  ///< endpoints that may have work next
    std::uint8_t count = 0;
  };

  /// All times are in ticks; a nanosecond has `ticks_per_ns`. Delays are truncated to ticks.
  SharedBus(const platform::SharedBus& config, std::int64_t ticks_per_ns);

  void transfer(TransferDirection way, const Transfer& transfer, std::int64_t now);
  [[nodiscard]] BusEvent expire(std::uint32_t code, std::int64_t now);
  void settle(const BusEvent& step, std::int64_t now);

  /// Timers that the caller must set and then clear.
  [[nodiscard]] std::vector<Timer>& timers() { return timers_; }

  /// Its state, for checkpoints.
  static auto fields(auto& self) {
    auto& [ticks_per_ns, latency, overhead, gap, reduction, endpoints, inner_transfers, free,
           timers] = self;
    return std::tie(endpoints, inner_transfers, free, timers);
  }

 private:
  enum class State : std::uint8_t { idle, sending, receiving };
  enum class TimerKind : std::uint8_t { sent, received, worked };
  /// The next action of a transfer after it has crossed the inner bus.
  enum class NextAction : std::uint8_t { send, work, retire };

  struct Endpoint {
    State state = State::idle;
    State before = State::idle;  ///< previous state
    std::int64_t last = 0;       ///< end of its last transfer
    std::int32_t in_a_row = 0;   ///< transfers sent since it last received
    double gap_per_byte = 0;
    bool working = false;
    std::deque<Transfer> sends, receives, work;
  };

  struct PendingTransfer {
    Transfer transfer;
    NextAction then = NextAction::retire;
  };

  void send_next(std::uint8_t at, std::int64_t now);
  void send(std::uint8_t from, std::int64_t now);
  void set_timer(std::uint8_t at, TimerKind kind, double delay);
  void cross_inner(const Transfer& transfer, NextAction then, bool from_memory, std::int64_t now);
  [[nodiscard]] BusEvent received(std::uint8_t at, std::int64_t now);
  [[nodiscard]] BusEvent worked(std::uint8_t at, std::int64_t now);
  [[nodiscard]] BusEvent send_back_or_finish(std::uint8_t at, Transfer transfer, std::int64_t now);
  [[nodiscard]] BusEvent crossed_inner(std::uint8_t at, std::uint32_t slot);

  std::int64_t ticks_per_ns_;
  std::int64_t latency_, overhead_, gap_, reduction_;  // ticks
  std::array<Endpoint, 4> endpoints_;  // device and memory, then those of the inner bus
  std::vector<PendingTransfer>
      inner_transfers_;  // transfers on the inner bus; its tokens are indices here
  std::vector<std::uint32_t> free_;
  std::vector<Timer> timers_;
};

}  // namespace orrery::model
