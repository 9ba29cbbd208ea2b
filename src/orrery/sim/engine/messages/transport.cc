// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/engine/messages/transport.h"

#include <utility>

namespace orrery::sim {

void Transport::send_to_network(const Transfer& what, Event arrival) {
  run_.jobs.count_queued(arrival);
  std::uint32_t token = 0;
  if (free_.empty()) {
    token = static_cast<std::uint32_t>(arrivals_.size());
    arrivals_.push_back(arrival);
  } else {
    token = free_.back();
    free_.pop_back();
    arrivals_[token] = arrival;
  }
  run_.network.send(
      {what.from, what.to, what.bytes, what.traffic, token, what.flow, what.order, what.weight});
  if (!run_.network.traits().tick_order_free) run_.network.settle(run_.now(), *this);
}

Event Transport::take_arrival(std::uint32_t token) {
  free_.push_back(token);
  Event arrival = arrivals_[token];
  arrival.time = run_.now();
  return arrival;
}

void Transport::arrives(std::uint32_t token) {
  if (is_in_call_) {
    arrived_ = take_arrival(token);
  } else {
    const Event arrival = take_arrival(token);
    if (!run_.queue.push(arrival)) run_.jobs.uncount_merged(arrival);
  }
}

void Transport::call(std::int64_t delay, std::uint64_t code) {
  run_.queue.push({.time = run_.after(delay),
                   .kind = EventKind::network,
                   .first = static_cast<std::uint32_t>(code),
                   .key = static_cast<std::uint32_t>(code >> 32)});
}

void Transport::not_equivalent() {
  if (run_.fold_failed.empty())
    run_.fold_failed = "messages share links that not all equivalent ranks have";
  run_.link_hints.compare = true;
}

// Without an order within ticks, ranks could be simulated in the order that the links have.
void Transport::order_matters(std::uint32_t link) {
  if (run_.fold_failed.empty())
    run_.fold_failed = "messages of several ranks reach a link at the same time";
  if (!run_.network.traits().tick_order_free) return;
  const std::vector<std::uint32_t>& first = run_.folded_workload.links().first;
  run_.link_hints.ordered.resize(first.size());
  for (std::size_t other = 0; other < first.size(); ++other) {
    if (first[other] == link) run_.link_hints.ordered[other] = true;
  }
}

void Transport::will_arrive(const model::Send& message, std::int64_t delay, std::uint32_t link) {
  guard_.expect_arrival(message, arrivals_[message.token], run_.after(delay), link);
}

std::optional<Event> Transport::handle(const Event& event) {
  is_in_call_ = true;
  run_.network.called(run_.now(), event.first | std::uint64_t{event.key} << 32, *this);
  is_in_call_ = false;
  return std::exchange(arrived_, std::nullopt);
}

}  // namespace orrery::sim
