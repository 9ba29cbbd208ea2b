// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/noc/flit_engine.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "orrery/core/check.h"

namespace orrery::noc {

void FlitEngine::activate(std::uint32_t router) {
  Domain& domain = domains_[routers_[router].domain];
  const std::uint32_t slot = routers_[router].slot;
  std::uint64_t& word = domain.active_routers[slot / 64];
  const std::uint64_t bit = std::uint64_t{1} << (slot % 64);
  if ((word & bit) == 0) ++domain.active;
  word |= bit;
}

FlitEngine::Bucket& FlitEngine::bucket_of(std::uint32_t number, std::int64_t cycle) {
  Domain& domain = domains_[number];
  if (domain.active == 0 && domain.pending == 0)
    // A clock that was idle skips the time until now.
    domain.cycle = domain.since = std::max(domain.since, ceil_div(now_, domain.period));
  else  // One that waits for a packet may have to act before.
    domain.cycle = std::max(domain.since, std::min(domain.cycle, cycle));
  ++domain.pending;
  return domain.wheel[static_cast<std::uint64_t>(cycle) & (domain.wheel.size() - 1)];
}

void FlitEngine::schedule_flit(std::uint32_t domain, std::int64_t cycle, const Arrival& arrival) {
  bucket_of(domain, cycle).flits.push_back(arrival);
}

void FlitEngine::schedule_credit(std::uint32_t domain, std::int64_t cycle, std::uint32_t channel) {
  bucket_of(domain, cycle).credits.push_back(channel);
}

std::int64_t FlitEngine::arrival_cycle(const Domain& from, std::uint32_t to, std::int64_t delay,
                                       std::int64_t cycles) const {
  if (cycles > 0) return from.cycle + cycles;
  return ceil_div(from.cycle * from.period + delay, domains_[to].period);
}

void FlitEngine::post(Packet packet) {
  ORRERY_CHECK(packet.source < nodes_.size() && packet.destination < nodes_.size() &&
               packet.size > 0 && packet.size < (1u << 30));
  ORRERY_CHECK(settings_.switching == platform::NocSwitching::wormhole || packet.size <= depth_);
  std::uint32_t number = unused_;
  packet.next = kNone;
  packet.hops = 0;
  packet.received = 0;
  routes_->prepare(packet);
  if (number == kNone) {
    number = static_cast<std::uint32_t>(packets_.size());
    packets_.push_back(packet);
  } else {
    unused_ = packets_[number].next;
    packets_[number] = packet;
  }
  ++undelivered_;
  Node& node = nodes_[packet.source];
  node.queued += packet.size;
  Domain& domain = domains_[node.domain];
  const bool was_idle = domain.active == 0 && domain.pending == 0;
  const std::int64_t cycle = ceil_div(packet.created, domain.period);
  domain.cycle = std::max(domain.since, was_idle ? cycle : std::min(domain.cycle, cycle));
  if (node.first == kNone) {
    node.first = number;
    domain.active_nodes[node.slot / 64] |= std::uint64_t{1} << (node.slot % 64);
    ++domain.active;
  } else {
    packets_[node.last].next = number;
  }
  node.last = number;
}

std::int64_t FlitEngine::next_cycle(const Domain& domain) const {
  if (domain.active > 0) return domain.cycle;
  if (domain.pending == 0) return kNever;
  std::int64_t cycle = domain.cycle;
  while (true) {
    const Bucket& bucket =
        domain.wheel[static_cast<std::uint64_t>(cycle) & (domain.wheel.size() - 1)];
    if (!bucket.flits.empty() || !bucket.credits.empty()) return cycle;
    ++cycle;
  }
}

std::int64_t FlitEngine::next() const {
  std::int64_t found = kNever;
  for (const Domain& domain : domains_) {
    const std::int64_t cycle = next_cycle(domain);
    if (cycle != kNever) found = std::min(found, cycle * domain.period);
  }
  return found;
}

std::int64_t FlitEngine::next_delivery() const {
  if (undelivered_ == 0) return kNever;
  std::int64_t found = kNever;
  for (const Domain& domain : domains_) {
    const std::int64_t cycle = next_cycle(domain);
    if (cycle == kNever) continue;
    // A flit that no router has sent to a node yet needs at least this long.
    std::int64_t after = cycle + hold_ + graph_->node_cycles;
    if (!domain.leaving.empty()) after = std::min(after, domain.leaving.front());
    found = std::min(found, after * domain.period);
  }
  return found;
}

void FlitEngine::run(std::int64_t until) {
  while (true) {
    Domain* first = nullptr;
    std::int64_t time = kNever, cycle = 0;
    for (Domain& domain : domains_) {
      const std::int64_t next = next_cycle(domain);
      if (next == kNever || next * domain.period >= time) continue;
      first = &domain;
      cycle = next;
      time = next * domain.period;
    }
    if (first == nullptr || time > until) break;
    first->cycle = cycle;
    step(*first);
  }
  if (until >= kNever - 1) return;  // all clocks are idle
  for (Domain& domain : domains_) {
    domain.since = std::max(domain.since, until / domain.period + 1);
    domain.cycle = std::max(domain.cycle, domain.since);
  }
}

void FlitEngine::step(Domain& domain) {
  now_ = domain.cycle * domain.period;
  domain.since = domain.cycle;
  Bucket& bucket =
      domain.wheel[static_cast<std::uint64_t>(domain.cycle) & (domain.wheel.size() - 1)];
  receive(domain, bucket);
  for (std::size_t i = 0; i < domain.active_nodes.size(); ++i) {
    for (std::uint64_t bits = domain.active_nodes[i]; bits != 0; bits &= bits - 1)
      inject(domain, domain.nodes[i * 64 + static_cast<std::size_t>(std::countr_zero(bits))]);
  }
  for (std::size_t i = 0; i < domain.active_routers.size(); ++i) {
    for (std::uint64_t bits = domain.active_routers[i]; bits != 0; bits &= bits - 1) {
      const auto bit = static_cast<std::size_t>(std::countr_zero(bits));
      step_router(domain, routers_[domain.routers[i * 64 + bit]]);
    }
  }
  domain.since = ++domain.cycle;
}

void FlitEngine::receive(Domain& domain, Bucket& bucket) {
  for (const std::uint32_t channel : bucket.credits) receive_credit(channel);
  for (const Arrival& arrival : bucket.flits) {
    if (arrival.place >= kNode)
      eject(domain, arrival.place - kNode, arrival.flit);
    else
      receive_flit(domain, arrival);
  }
  domain.pending -= bucket.credits.size() + bucket.flits.size();
  bucket.credits.clear();
  bucket.flits.clear();
}

void FlitEngine::receive_credit(std::uint32_t channel) {
  const std::int32_t credits = ++credits_[channel];
  ORRERY_CHECK(credits <= static_cast<std::int32_t>(depth_));
  if (!settings_.waits_for_tail || credits < static_cast<std::int32_t>(depth_)) return;
  const std::uint32_t port = channel >> shift_, bit = 1u << (channel - (port << shift_));
  const auto release = [bit](std::uint32_t& free, std::uint32_t& tail_sent) {
    free |= tail_sent & bit;
    tail_sent &= ~bit;
  };
  if (port < out_ports_.size()) {
    release(out_ports_[port].free, out_ports_[port].tail_sent);
  } else {
    Node& node = nodes_[port - out_ports_.size()];
    release(node.free, node.tail_sent);
  }
}

void FlitEngine::receive_flit(const Domain& domain, const Arrival& arrival) {
  Channel& input = inputs_[arrival.place];
  ORRERY_CHECK(input.count < depth_);
  std::uint32_t at = input.first + input.count;
  if (at >= depth_) at -= depth_;
  buffers_[std::size_t{arrival.place} * depth_ + at] = arrival.flit;
  const bool was_empty = input.count++ == 0;
  if (!was_empty) return;
  const std::uint32_t port = arrival.place >> shift_;
  activate(router_of_[port]);
  if (input.state == State::idle) {
    begin_packet(arrival.place, domain.cycle);
  } else {
    const Router& router = routers_[router_of_[port]];
    const std::uint32_t local = arrival.place - (router.first_port << shift_);
    active_[router.first_word + local / 64] |= std::uint64_t{1} << (local % 64);
  }
}

/// The head at the front of a channel requests a channel of the next router.
void FlitEngine::begin_packet(std::uint32_t channel, std::int64_t ready) {
  Channel& input = inputs_[channel];
  const std::uint32_t port = channel >> shift_;
  const Router& router = routers_[router_of_[port]];
  const Flit& flit = buffers_[std::size_t{channel} * depth_ + input.first];
  ORRERY_CHECK(flit.head);
  routes_->find(packets_[flit.packet], router_of_[port], port - router.first_port,
                channel - (port << shift_), input.route);
  input.state = State::waiting;
  input.ready = ready + (settings_.stages == 4 ? 1 : 0);
  const std::uint32_t local = channel - (router.first_port << shift_);
  waiting_[router.first_word + local / 64] |= std::uint64_t{1} << (local % 64);
}

void FlitEngine::eject(const Domain& domain, std::uint32_t channel, const Flit& flit) {
  ++counts_.ejected;
  const OutPort& port = out_ports_[channel >> shift_];
  schedule_credit(port.domain, domain.cycle + 1 + graph_->node_cycles + settings_.credit, channel);
  Packet& packet = packets_[flit.packet];
  ORRERY_CHECK(packet.received++ == flit.number);
  if (!flit.tail) return;
  domains_[port.domain].leaving.pop_front();
  --undelivered_;
  deliveries_.push_back({packet, domain.cycle * domain.period});
  packet.next = unused_;
  unused_ = flit.packet;
}

bool FlitEngine::take_channel(Node& node, std::uint32_t number, const Packet& packet) {
  const std::size_t first = (out_ports_.size() + number) << shift_;
  const std::int32_t needed = settings_.switching == platform::NocSwitching::cut_through
                                  ? static_cast<std::int32_t>(packet.size)
                                  : 1;
  // In turn, after the last one.
  for (std::uint32_t i = 1; i <= channels_; ++i) {
    const std::uint32_t channel =
        node.last_channel == kNone ? i - 1 : (node.last_channel + i) % channels_;
    if ((node.free >> channel & 1) == 0 || credits_[first + channel] < needed) continue;
    node.channel = node.last_channel = channel;
    node.free &= ~(1u << channel);
    return true;
  }
  return false;
}

void FlitEngine::inject(Domain& domain, std::uint32_t number) {
  Node& node = nodes_[number];
  const std::uint32_t first = node.first;
  Packet& packet = packets_[first];
  const std::int64_t now = domain.cycle * domain.period;
  if (packet.created > now) return;
  if (node.sent == 0 && !take_channel(node, number, packet)) return;
  std::int32_t& credits = credits_[((out_ports_.size() + number) << shift_) + node.channel];
  if (credits == 0) return;
  --credits;
  if (node.sent == 0) packet.injected = now;
  ++counts_.injected;
  --node.queued;
  const std::uint32_t sent = node.sent++;
  const bool tail = node.sent == packet.size;
  schedule_flit(node.domain, domain.cycle + node.arrival,
                {(node.in_port << shift_) + node.channel, {first, sent, sent == 0, tail}});
  if (!tail) return;
  (settings_.waits_for_tail ? node.tail_sent : node.free) |= 1u << node.channel;
  node.sent = 0;
  node.first = packet.next;
  if (node.first != kNone) return;
  domain.active_nodes[node.slot / 64] &= ~(std::uint64_t{1} << (node.slot % 64));
  --domain.active;
}

std::uint64_t FlitEngine::in_flight() const {
  std::uint64_t flits = 0;
  for (const Channel& input : inputs_) flits += input.count;
  for (const Domain& domain : domains_) {
    for (const Bucket& bucket : domain.wheel) flits += bucket.flits.size();
  }
  return flits;
}

std::pair<std::int32_t, std::int32_t> FlitEngine::credit_range() const {
  const auto [least, most] = std::minmax_element(credits_.begin(), credits_.end());
  return {*least, *most};
}

}  // namespace orrery::noc
