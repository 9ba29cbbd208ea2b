// SPDX-License-Identifier: Apache-2.0
//
// The bus between an accelerator's network interface and its memory, as a pair of LogGP endpoints.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "orrery/platform/platform.h"

namespace orrery::model {

/// One accelerator's memory bus (`model-shared-bus`), driven by whoever owns the clock.
///
/// Two endpoints, device and memory, exchange transfers one at a time. A transfer of S bytes
/// occupies its sender for d + (S-1)·G and is received after d + (S-1)·G + L + o, where d is the
/// overhead o, or what is left of the gap g when the endpoint has just sent. An endpoint that has
/// sent more than eight in a row lets the other one go first. Source: LogGP (Alexandrov, Ionescu,
/// Schauser, Scheiman, SPAA 1995) section 2; turn-taking and the constants are ASTRA-sim's. Behind
/// the device endpoint lies a second bus of the same kind with a G of 0.0038 ns per byte, which
/// every transfer crosses before it is sent from the device and after it is received there. A
/// transfer that is reduced is worked on at its receiver, one at a time, for floor(S/100) reduction
/// delays and 50 ns.
///
/// Usage: transfer(), expire() and settle() leave timers in timers(); set them all, in order,
/// before the next call. When one is due, expire() it; if the step it returns has a token, that
/// transfer is complete: act on it, then settle().
class SharedBus {
 public:
  static constexpr std::uint32_t kNoToken = ~0u;

  enum class TransferDirection : std::uint8_t { to_memory, from_memory };

  struct Transfer {
    std::int64_t bytes = 0;
    bool reduce = false;   ///< worked on at the receiver
    bool returns = false;  ///< crosses the bus a second time, back to the sender
    std::uint32_t token = kNoToken;
  };

  struct Timer {
    std::int64_t delay = 0;  ///< ticks
    std::uint32_t code = 0;
  };

  struct BusEvent {
    std::uint32_t token = kNoToken;
    std::array<std::uint8_t, 2> endpoints{};  ///< that may have something to do next
    std::uint8_t count = 0;
  };

  /// All times are ticks; a nanosecond has `ticks_per_ns`. Delays are truncated to ticks.
  SharedBus(const platform::SharedBus& config, std::int64_t ticks_per_ns);

  void transfer(TransferDirection way, const Transfer& transfer, std::int64_t now);
  [[nodiscard]] BusEvent expire(std::uint32_t code, std::int64_t now);
  void settle(const BusEvent& step, std::int64_t now);

  /// What has to be set; the caller clears it.
  [[nodiscard]] std::vector<Timer>& timers() { return timers_; }

 private:
  enum class State : std::uint8_t { idle, sending, receiving };
  enum class TimerKind : std::uint8_t { sent, received, worked };
  /// What a transfer does when it has crossed the inner bus.
  enum class NextAction : std::uint8_t { send, work, retire };

  struct Endpoint {
    State state = State::idle;
    State before = State::idle;  ///< the state it was in last
    std::int64_t last = 0;       ///< when its last transfer ended
    std::int32_t in_a_row = 0;   ///< sent since it last received
    double gap_per_byte = 0;
    bool working = false;
    std::deque<Transfer> sends, receives, work;
  };

  struct PendingTransfer {
    Transfer transfer;
    NextAction then = NextAction::retire;
  };

  void look_for_work(std::uint8_t at, std::int64_t now);
  void send(std::uint8_t from, std::int64_t now);
  void set_timer(std::uint8_t at, TimerKind alarm, double delay);
  void cross_inner(const Transfer& transfer, NextAction then, bool from_memory, std::int64_t now);
  [[nodiscard]] BusEvent received(std::uint8_t at, std::int64_t now);
  [[nodiscard]] BusEvent worked(std::uint8_t at, std::int64_t now);
  [[nodiscard]] BusEvent send_back_or_finish(std::uint8_t at, Transfer transfer, std::int64_t now);
  [[nodiscard]] BusEvent crossed_inner(std::uint8_t at, std::uint32_t slot);

  std::int64_t ticks_per_ns_;
  std::int64_t latency_, overhead_, gap_, reduction_;  // ticks
  std::array<Endpoint, 4> ends_;         // device, memory, and the same of the inner bus
  std::vector<PendingTransfer> parked_;  // transfers on the inner bus: their slots are its tokens
  std::vector<std::uint32_t> free_;
  std::vector<Timer> timers_;
};

}  // namespace orrery::model
