// SPDX-License-Identifier: Apache-2.0
//
// From "send these bytes" to an arrival: the only part that drives the network.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "orrery/network/network.h"
#include "orrery/sim/engine/run/engine_run.h"

namespace orrery::sim {

/// A message: between two ranks of the workload, or a rank and a memory (end points of the
/// network), in the name of `weight` senders that are alike.
struct Shipment {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::int64_t bytes = 0;
  std::uint32_t weight = 1;
  model::TrafficClass traffic = model::TrafficClass::collective;
  std::uint64_t flow = 0;  ///< see model::Send
  std::uint64_t order = 0;
};

/// Where the network is uncontended a message arrives when the network says it does alone;
/// otherwise the network is driven (see model::Network).
class Transport : private model::Sink {
 public:
  explicit Transport(EngineRun& run) : run_(run), contended_(!run.network.traits().uncontended) {}

  /// Messages are in each other's way.
  [[nodiscard]] bool contended() const { return contended_; }
  /// What a message takes when nobody is in its way.
  [[nodiscard]] std::int64_t alone(std::uint32_t from, std::uint32_t to, std::int64_t bytes) const {
    return run_.network.alone(from, to, bytes);
  }
  /// What a message will take, where that is known when it is sent; otherwise 0.
  [[nodiscard]] std::int64_t duration(std::uint32_t from, std::uint32_t to,
                                      std::int64_t bytes) const {
    return contended_ ? 0 : alone(from, to, bytes);
  }

  /// `arrival` (its time is ignored) happens when the message is there. `duration` is duration().
  void send(const Shipment& what, std::int64_t duration, const Event& arrival) {
    run_.result.messages += what.weight;
    move(what, duration, arrival);
  }
  /// The same of what is no message of the workload, and not counted: an end point may be a memory.
  void move(const Shipment& what, std::int64_t duration, Event arrival) {
    if (contended_ && what.from != what.to) return hand_over(what, arrival);
    arrival.time = run_.after(duration);
    run_.push(arrival);
  }

  /// The tick is over, as far as others know. False: there is nothing to do.
  [[nodiscard]] bool settle() {
    if (!contended_ || !run_.network.unsettled()) return false;
    run_.network.settle(run_.now(), *this);
    return true;
  }
  /// When the network wants the clock to be; kNever: it does not.
  [[nodiscard]] std::int64_t next() const {
    return contended_ ? run_.network.next() : EventQueue::kNever;
  }
  /// The clock is there.
  void advance() { run_.network.advance(run_.now(), *this); }
  /// Events of kind network: what happens now, if a message has come.
  [[nodiscard]] std::optional<Event> called(const Event& event);

  /// Goes on from where another has come to.
  void resume(const Transport& other) {
    cargo_ = other.cargo_;
    free_ = other.free_;
  }

 private:
  void hand_over(const Shipment& what, Event arrival);
  [[nodiscard]] Event unload(std::uint32_t token);

  void arrives(std::uint32_t token) override;
  void call(std::int64_t delay, std::uint64_t code) override;
  void not_equivalent() override {
    if (run_.fold_failed.empty())
      run_.fold_failed = "messages share links that not all ranks that are alike have";
  }
  void exceeds_clock() override { (void)run_.after(model::MultiDimFabric::kTooLong); }

  EngineRun& run_;
  bool contended_;
  bool in_a_call_ = false;
  std::optional<Event> came_;        // in a call
  std::vector<Event> cargo_;         // by token: what happens when it is there
  std::vector<std::uint32_t> free_;  // tokens
};

}  // namespace orrery::sim
