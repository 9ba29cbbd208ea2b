// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/engine/messages/transport.h"

#include <utility>

namespace orrery::sim {

void Transport::hand_over(const Shipment& what, Event arrival) {
  run_.jobs.begins(arrival);
  std::uint32_t token = 0;
  if (free_.empty()) {
    token = static_cast<std::uint32_t>(cargo_.size());
    cargo_.push_back(arrival);
  } else {
    token = free_.back();
    free_.pop_back();
    cargo_[token] = arrival;
  }
  run_.network.send(
      {what.from, what.to, what.bytes, what.traffic, token, what.flow, what.order, what.weight});
  if (!run_.network.traits().tick_order_free) run_.network.settle(run_.now(), *this);
}

Event Transport::unload(std::uint32_t token) {
  free_.push_back(token);
  Event arrival = cargo_[token];
  arrival.time = run_.now();
  return arrival;
}

void Transport::arrives(std::uint32_t token) {
  if (in_a_call_) {
    came_ = unload(token);
  } else {
    const Event arrival = unload(token);
    if (!run_.queue.push(arrival)) run_.jobs.merged(arrival);
  }
}

void Transport::call(std::int64_t delay, std::uint64_t code) {
  run_.queue.push({.time = run_.after(delay),
                   .kind = EventKind::network,
                   .first = static_cast<std::uint32_t>(code),
                   .key = static_cast<std::uint32_t>(code >> 32)});
}

std::optional<Event> Transport::called(const Event& event) {
  in_a_call_ = true;
  run_.network.called(run_.now(), event.first | std::uint64_t{event.key} << 32, *this);
  in_a_call_ = false;
  return std::exchange(came_, std::nullopt);
}

}  // namespace orrery::sim
