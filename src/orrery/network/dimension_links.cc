// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/dimension_links.h"

namespace orrery::model {

using platform::Block;

DimensionLinks::DimensionLinks(const platform::Platform& platform)
    : fabric_(platform), astra_(platform.rules == platform::Rules::astra) {
  std::uint64_t total = 0;
  for (std::size_t d = 0; d < fabric_.dim_count(); ++d) {
    first_link_.push_back(static_cast<std::uint32_t>(total));
    const bool full = fabric_.dim(d).block == Block::fully_connected;
    total += static_cast<std::uint64_t>(fabric_.rank_count()) *
             (full ? static_cast<std::uint64_t>(fabric_.dim(d).size) : 2);
  }
  links_.resize(total);
}

std::uint32_t DimensionLinks::add(std::uint32_t from, std::uint32_t to, std::int64_t size) {
  Message message{from, to, size};
  if (free_.empty()) {
    messages_.push_back(message);
    return static_cast<std::uint32_t>(messages_.size() - 1);
  }
  const std::uint32_t number = free_.back();
  free_.pop_back();
  messages_[number] = message;
  return number;
}

std::uint32_t DimensionLinks::next_link(Message& message) const {
  if (!message.in_switch) {
    while (fabric_.coordinate(message.at, message.dim) ==
           fabric_.coordinate(message.to, message.dim))
      ++message.dim;
  }
  const std::size_t d = message.dim;
  const auto size = static_cast<std::uint32_t>(fabric_.dim(d).size);
  const std::uint32_t here = fabric_.coordinate(message.at, d);
  const std::uint32_t there = fabric_.coordinate(message.to, d);
  switch (fabric_.dim(d).block) {
    case Block::fully_connected:
      return first_link_[d] + message.at * size + there;
    case Block::switched: {
      const std::uint32_t exit = message.at + (there - here) * fabric_.stride(d);
      return first_link_[d] + (message.in_switch ? exit * 2 + 1 : message.at * 2);
    }
    case Block::ring:
      break;
  }
  const std::uint32_t clockwise = there > here ? there - here : size - (here - there);
  return first_link_[d] + message.at * 2 + (clockwise <= size - clockwise ? 0 : 1);
}

// The rank at the end of the message's next link, or behind the switch of that link.
std::uint32_t DimensionLinks::neighbor(const Message& message) const {
  const std::size_t d = message.dim;
  const auto size = static_cast<std::uint32_t>(fabric_.dim(d).size);
  const std::uint32_t here = fabric_.coordinate(message.at, d);
  const std::uint32_t there = fabric_.coordinate(message.to, d);
  std::uint32_t next = there;
  if (fabric_.dim(d).block == Block::ring) {
    const std::uint32_t clockwise = there > here ? there - here : size - (here - there);
    next = clockwise <= size - clockwise ? (here + 1) % size : (here + size - 1) % size;
  }
  return message.at + (next - here) * fabric_.stride(d);
}

void DimensionLinks::hop(Message& message) const {
  if (fabric_.dim(message.dim).block == Block::switched && !message.in_switch) {
    message.in_switch = true;
    return;
  }
  message.in_switch = false;
  message.at = neighbor(message);
}

// A link to or from a switch has one port at a rank; all other links have two.
MultiDimFabric::Port DimensionLinks::ports_of_link(const Message& message) const {
  const std::size_t d = message.dim;
  if (!fabric_.ports_deviate(d)) return {};
  if (fabric_.dim(d).block != Block::switched)
    return fabric_.ports_between(message.at, neighbor(message), d);
  return fabric_.port(message.in_switch ? neighbor(message) : message.at, d);
}

DimensionLinks::Departure DimensionLinks::departure(std::uint32_t link, double latency,
                                                    double serial, std::int64_t size) {
  return {kNone, link, MultiDimFabric::picoseconds(latency + serial),
          MultiDimFabric::picoseconds(serial), size};
}

// Does not set `message` and `link` of the result.
DimensionLinks::Departure DimensionLinks::depart(const Message& message) const {
  const platform::Dimension& dim = fabric_.dim(message.dim);
  const MultiDimFabric::Port port = ports_of_link(message);
  const double latency = dim.latency_ns + port.latency_ns;
  const double serial =
      static_cast<double>(message.size) / (dim.bandwidth.count() / 1e9 * port.share);
  if (astra_ && serial + latency < 4e15) {
    return {kNone, kNone, static_cast<std::int64_t>(latency + serial) * kPsPerNs,
            static_cast<std::int64_t>(serial) * kPsPerNs, message.size};
  }
  return departure(kNone, latency, serial, message.size);
}

std::int64_t DimensionLinks::uncontended_time(std::uint32_t from, std::uint32_t to,
                                              std::int64_t size) const {
  Message message{from, to, size};
  std::int64_t time = 0;
  while (message.in_switch || message.at != message.to) {
    (void)next_link(message);
    const std::int64_t hop_time = depart(message).arrival;
    if (hop_time >= MultiDimFabric::kTooLong - time) return MultiDimFabric::kTooLong;
    time += hop_time;
    hop(message);
  }
  return time;
}

void DimensionLinks::crossings(std::uint32_t from, std::uint32_t to,
                               std::vector<Crossing>& out) const {
  out.clear();
  Message message{from, to, 0};
  while (message.in_switch || message.at != message.to) {
    out.push_back({next_link(message), 1});
    hop(message);
  }
}

LinkKind DimensionLinks::link_kind(std::uint32_t link) const {
  const LinkPlace place = describe(link);
  const platform::Dimension& dim = fabric_.dim(place.dim);
  const MultiDimFabric::Port port = place.to == LinkPlace::kNoRank
                                        ? fabric_.port(place.from, place.dim)
                                        : fabric_.ports_between(place.from, place.to, place.dim);
  return {dim.bandwidth.count() / 1e9 * port.share, dim.latency_ns + port.latency_ns};
}

bool DimensionLinks::is_on_last_link(std::uint32_t number) const {
  Message message = messages_[number];
  hop(message);
  return !message.in_switch && message.at == message.to;
}

LinkPlace DimensionLinks::describe(std::uint32_t link) const {
  std::size_t d = first_link_.size() - 1;
  while (link < first_link_[d]) --d;
  const std::uint32_t number = link - first_link_[d];
  const auto size = static_cast<std::uint32_t>(fabric_.dim(d).size);
  const auto dim = static_cast<std::uint32_t>(d);
  if (fabric_.dim(d).block == Block::switched) return {dim, number / 2, kNone, number % 2 != 0};
  const bool full = fabric_.dim(d).block == Block::fully_connected;
  const std::uint32_t from = full ? number / size : number / 2;
  const std::uint32_t here = fabric_.coordinate(from, d);
  const std::uint32_t there =
      full ? number % size : (number % 2 == 0 ? here + 1 : here + size - 1) % size;
  return {dim, from, from + (there - here) * fabric_.stride(d), false};
}

bool DimensionLinks::forward(std::uint32_t message, Departure& departure) {
  const std::uint32_t number = queue_of(next_link(messages_[message]));
  Link& link = links_[number];
  if (link.busy) {
    messages_[message].next = kNone;
    (link.first == kNone ? link.first : messages_[link.last].next) = message;
    link.last = message;
    return false;
  }
  link.busy = true;
  departure = depart(messages_[message]);
  departure.message = message;
  departure.link = number;
  return true;
}

bool DimensionLinks::arrived(std::uint32_t message) {
  Message& m = messages_[message];
  hop(m);
  if (m.in_switch || m.at != m.to) return false;
  free_.push_back(message);
  return true;
}

bool DimensionLinks::idle(std::uint32_t number, Departure& departure) {
  Link& link = links_[number];
  if (link.first == kNone) {
    link.busy = false;
    return false;
  }
  departure = depart(messages_[link.first]);
  departure.message = link.first;
  departure.link = number;
  link.first = messages_[link.first].next;
  return true;
}

}  // namespace orrery::model
