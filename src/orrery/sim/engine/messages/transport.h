// SPDX-License-Identifier: Apache-2.0
//
// Turns a message into an arrival event: the only component that drives the network.
#pragma once

#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "orrery/network/network.h"
#include "orrery/sim/engine/run/engine_run.h"
#include "orrery/sim/engine/run/folding_guard.h"

namespace orrery::sim {

/// A message between two ranks of the workload, or between a rank and a memory (end points of the
/// network). It represents the messages of `weight` equivalent senders.
struct Transfer {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::int64_t bytes = 0;
  std::uint32_t weight = 1;
  model::TrafficClass traffic = model::TrafficClass::collective;
  std::uint64_t flow = 0;  ///< see model::Send
  std::uint64_t order = 0;
};

/// On an uncontended network, a message arrives after its time without other traffic. Otherwise
/// this class drives the network (see model::Network).
class Transport : private model::Sink {
 public:
  Transport(EngineRun& run, FoldingGuard& guard)
      : run_(run), guard_(guard), contended_(!run.network.traits().uncontended) {}

  /// Whether messages contend for links.
  [[nodiscard]] bool is_contended() const { return contended_; }
  /// Duration of a message without contention, in picoseconds.
  [[nodiscard]] std::int64_t uncontended_time(std::uint32_t from, std::uint32_t to,
                                              std::int64_t bytes) const {
    return run_.network.uncontended_time(from, to, bytes);
  }
  /// Duration of a message in picoseconds if it is known when the message is sent; otherwise 0.
  [[nodiscard]] std::int64_t duration(std::uint32_t from, std::uint32_t to,
                                      std::int64_t bytes) const {
    return contended_ ? 0 : uncontended_time(from, to, bytes);
  }

  /// Queues `arrival` (its time is ignored) for the arrival of the message. `duration`: the result
  /// of duration().
  void send(const Transfer& what, std::int64_t duration, const Event& arrival) {
    run_.result.messages += what.weight;
    transfer(what, duration, arrival);
  }
  /// The same for a transfer that is not a message of the workload and is not counted; an end point
  /// can be a memory.
  void transfer(const Transfer& what, std::int64_t duration, Event arrival) {
    if (contended_ && what.from != what.to) return send_to_network(what, arrival);
    arrival.time = run_.after(duration);
    run_.push(arrival);
  }

  /// End of the tick, as far as other components know. Returns false if there was nothing to do.
  [[nodiscard]] bool settle() {
    if (!contended_ || !run_.network.unsettled()) return false;
    run_.network.settle(run_.now(), *this);
    return true;
  }
  /// The time at which the network needs advance(); kNever: it does not.
  [[nodiscard]] std::int64_t next() const {
    return contended_ ? run_.network.next() : EventQueue::kNever;
  }
  /// The clock has reached next().
  void advance() { run_.network.advance(run_.now(), *this); }
  /// Handles events of kind network. Returns the arrival event if a message has arrived.
  [[nodiscard]] std::optional<Event> handle(const Event& event);

  /// Its state, for copies and checkpoints.
  static auto fields(auto& self) {
    auto& [run, guard, contended, is_in_call, arrived, arrivals, free] = self;
    return std::tie(arrivals, free);
  }
  /// Continues from the state of `other`.
  void resume(const Transport& other) { fields(*this) = fields(other); }

 private:
  void send_to_network(const Transfer& what, Event arrival);
  [[nodiscard]] Event take_arrival(std::uint32_t token);

  void arrives(std::uint32_t token) override;
  void call(std::int64_t delay, std::uint64_t code) override;
  void not_equivalent() override;
  void order_matters(std::uint32_t link) override;
  void will_arrive(const model::Send& message, std::int64_t delay, std::uint32_t link) override;
  void exceeds_clock() override { (void)run_.after(model::MultiDimFabric::kTooLong); }

  EngineRun& run_;
  FoldingGuard& guard_;
  bool contended_;
  bool is_in_call_ = false;
  std::optional<Event> arrived_;     // arrival during handle()
  std::vector<Event> arrivals_;      // by token: the arrival event
  std::vector<std::uint32_t> free_;  // free tokens
};

}  // namespace orrery::sim
