// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/transport.h"

namespace orrery::sim {

Transport::Transport(Run& run) : run_(run) {
  if (run.platform.network == platform::NetworkModelKind::message)
    links_ = std::make_shared<model::Links>(run.platform);
}

void Transport::send(std::uint32_t from, std::uint32_t to, std::int64_t size, std::int64_t delay,
                     Event arrival, std::uint32_t weight) {
  run_.result.messages += weight;
  if (!links_ || from == to) {
    arrival.time = run_.after(links_ ? 0 : delay);
    run_.queue.push(arrival);
    return;
  }
  const std::uint32_t message = links_->add(from, to, size);
  if (message >= cargo_.size()) cargo_.resize(message + 1);
  cargo_[message] = arrival;
  model::Links::Departure departure;
  if (links_->forward(message, departure)) depart(departure);
}

void Transport::depart(const model::Links::Departure& departure) {
  if (run_.observer != nullptr) run_.observer->departs(departure);
  run_.queue.push({.time = run_.after(departure.arrival),
                   .kind = EventKind::hop_arrival,
                   .first = departure.message});
  run_.queue.push(
      {.time = run_.after(departure.busy), .kind = EventKind::link_idle, .first = departure.link});
}

std::optional<Event> Transport::hop_arrives(std::uint32_t message) {
  if (links_->arrived(message)) {
    Event arrival = cargo_[message];
    arrival.time = run_.now();
    return arrival;
  }
  model::Links::Departure departure;
  if (links_->forward(message, departure)) depart(departure);
  return std::nullopt;
}

void Transport::link_idle(std::uint32_t link) {
  model::Links::Departure departure;
  if (links_->idle(link, departure)) depart(departure);
}

}  // namespace orrery::sim
