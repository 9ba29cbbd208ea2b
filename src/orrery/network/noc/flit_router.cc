// SPDX-License-Identifier: Apache-2.0
//
// One cycle of a router.
#include <algorithm>
#include <bit>

#include "orrery/core/check.h"
#include "orrery/network/noc/flit_engine.h"

namespace orrery::noc {

void FlitEngine::step_router(const Domain& domain, Router& router) {
  ++counts_.steps;
  bool waits = false, acts = false;
  for (std::uint32_t i = 0; i < router.words; ++i) {
    waits |= waiting_[router.first_word + i] != 0;
    acts |= active_[router.first_word + i] != 0;
  }
  scratch_.speculating.clear();
  if (waits) assign_channels(domain, router);
  if (acts || !scratch_.speculating.empty()) assign_switch(domain, router);
  std::uint64_t left = 0;
  for (std::uint32_t i = 0; i < router.words; ++i)
    left |= waiting_[router.first_word + i] | active_[router.first_word + i];
  if (left != 0) return;
  Domain& own = domains_[router.domain];
  own.active_routers[router.slot / 64] &= ~(std::uint64_t{1} << (router.slot % 64));
  --own.active;
}

/// Heads are assigned channels of the next routers.
void FlitEngine::assign_channels(const Domain& domain, const Router& router) {
  scratch_.requests.clear();
  const std::uint32_t first = router.first_port << shift_;
  const bool cut_through = settings_.switching == platform::NocSwitching::cut_through;
  for (std::uint32_t word = 0; word < router.words; ++word) {
    for (std::uint64_t bits = waiting_[router.first_word + word]; bits != 0; bits &= bits - 1) {
      const std::uint32_t local = word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
      const Channel& input = inputs_[first + local];
      if (input.ready > domain.cycle) continue;
      if (settings_.stages <= 2) scratch_.speculating.push_back(local);
      for (std::uint32_t i = 0; i < input.route.count; ++i) {
        const RouteChoice& choice = input.route.choices[i];
        std::uint32_t open = out_ports_[router.first_port + choice.port].free & choice.channels;
        for (; open != 0; open &= open - 1) {
          const std::uint32_t out =
              (choice.port << shift_) + static_cast<std::uint32_t>(std::countr_zero(open));
          if (cut_through) {
            const Flit& flit = buffers_[std::size_t{first + local} * depth_ + input.first];
            if (credits_[first + out] < static_cast<std::int32_t>(packets_[flit.packet].size))
              continue;
          }
          scratch_.requests.push_back({local, out, 0});
        }
      }
    }
  }
  if (scratch_.requests.empty()) return;
  const std::uint32_t places = router.ports << shift_;
  scratch_.channels.match(settings_.channel_allocator, settings_.iterations, scratch_.requests,
                          {std::span(channel_in_).subspan(first, places),
                           std::span(channel_out_).subspan(first, places), places, places},
                          domain.cycle);
  for (const std::uint32_t number : scratch_.channels.granted()) {
    const MatchRequest& request = scratch_.requests[number];
    Channel& input = inputs_[first + request.in];
    input.state = State::active;
    input.ready = domain.cycle + 1;
    input.out_port = static_cast<std::uint16_t>(request.out >> shift_);
    input.out_channel =
        static_cast<std::uint16_t>(request.out - (std::uint32_t{input.out_port} << shift_));
    out_ports_[router.first_port + input.out_port].free &= ~(1u << input.out_channel);
    const std::uint64_t bit = std::uint64_t{1} << (request.in % 64);
    waiting_[router.first_word + request.in / 64] &= ~bit;
    active_[router.first_word + request.in / 64] |= bit;
  }
  scratch_.channels.clear();
}

/// Adds the request of a channel for the switch; of several that share an input and an output, the
/// turn decides.
void FlitEngine::request_switch(const Router& router, std::uint32_t local, std::uint32_t out_port) {
  const auto speedup = static_cast<std::uint32_t>(settings_.speedup);
  const std::uint32_t port = local >> shift_, channel = local - (port << shift_);
  const std::uint32_t in = port * speedup + channel % speedup;
  std::uint32_t& slot = scratch_.request_of[std::size_t{in} * router.ports + out_port];
  if (slot == 0) {
    scratch_.requests.push_back({in, out_port, local});
    slot = static_cast<std::uint32_t>(scratch_.requests.size());
    return;
  }
  const std::uint32_t turn = switch_turn_[router.first_port * speedup + in];
  const auto distance = [&](std::uint32_t one) {
    return one >= turn ? one - turn : one + channels_ - turn;
  };
  std::uint32_t& item = scratch_.requests[slot - 1].item;
  if (distance(channel) < distance(item - (port << shift_))) item = local;
}

/// Flits are assigned the switch: first those that have a channel, then speculating heads.
void FlitEngine::assign_switch(const Domain& domain, Router& router) {
  const std::uint32_t first = router.first_port << shift_;
  const auto speedup = static_cast<std::uint32_t>(settings_.speedup);
  const TurnPointers turns{
      std::span(switch_in_)
          .subspan(std::size_t{router.first_port} * speedup, std::size_t{router.ports} * speedup),
      std::span(switch_out_).subspan(router.first_port, router.ports), router.ports * speedup,
      router.ports};
  const auto match = [&] {
    for (const MatchRequest& request : scratch_.requests)
      scratch_.request_of[std::size_t{request.in} * router.ports + request.out] = 0;
    scratch_.switches.match(settings_.switch_allocator, settings_.iterations, scratch_.requests,
                            turns, domain.cycle);
  };
  scratch_.requests.clear();
  for (std::uint32_t word = 0; word < router.words; ++word) {
    for (std::uint64_t bits = active_[router.first_word + word]; bits != 0; bits &= bits - 1) {
      const std::uint32_t local = word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
      const Channel& input = inputs_[first + local];
      if (input.ready > domain.cycle) continue;
      const OutPort& out = out_ports_[router.first_port + input.out_port];
      if (out.idle_at > now_ ||
          credits_[first + (std::uint32_t{input.out_port} << shift_) + input.out_channel] == 0)
        continue;
      request_switch(router, local, input.out_port);
    }
  }
  if (!scratch_.requests.empty()) {
    match();
    for (const std::uint32_t number : scratch_.switches.granted())
      grant_switch(domain, router, scratch_.requests[number].item);
  }
  if (!scratch_.speculating.empty()) {
    scratch_.requests.clear();
    for (const std::uint32_t local : scratch_.speculating) {
      const Channel& input = inputs_[first + local];
      const std::uint32_t port =
          input.state == State::active ? input.out_port : input.route.choices[0].port;
      if (out_ports_[router.first_port + port].idle_at <= now_) request_switch(router, local, port);
    }
    match();
    for (const std::uint32_t number : scratch_.switches.granted()) {
      const std::uint32_t local = scratch_.requests[number].item;
      const Channel& input = inputs_[first + local];
      // Without a channel or a credit, the assignment of the switch is lost.
      if (input.state == State::active &&
          credits_[first + (std::uint32_t{input.out_port} << shift_) + input.out_channel] > 0)
        grant_switch(domain, router, local);
    }
  }
  scratch_.switches.clear();
}

void FlitEngine::grant_switch(const Domain& domain, const Router& router, std::uint32_t local) {
  const auto speedup = static_cast<std::uint32_t>(settings_.speedup);
  const std::uint32_t port = local >> shift_, channel = local - (port << shift_);
  switch_turn_[(router.first_port + port) * speedup + channel % speedup] =
      (channel + speedup) % channels_;
  send_flit(domain, router, local);
}

void FlitEngine::send_flit(const Domain& domain, const Router& router, std::uint32_t local) {
  const std::uint32_t channel = (router.first_port << shift_) + local;
  Channel& input = inputs_[channel];
  const Flit flit = buffers_[std::size_t{channel} * depth_ + input.first];
  if (++input.first == depth_) input.first = 0;
  --input.count;
  ++counts_.hops;
  if (flit.head) ++packets_[flit.packet].hops;

  const std::uint32_t port = router.first_port + input.out_port;
  OutPort& out = out_ports_[port];
  const std::int32_t credits = --credits_[(port << shift_) + input.out_channel];
  ORRERY_CHECK(credits >= 0);
  // A link that ended within the last cycle continues from there, so that its rate is exact.
  out.idle_at = std::max(out.idle_at, now_ - domain.period + 1) + out.flit_time;
  if (flit.tail) (settings_.waits_for_tail ? out.tail_sent : out.free) |= 1u << input.out_channel;
  const std::int64_t arrival = arrival_cycle(domain, out.domain, out.delay, out.cycles);
  if (out.link == kNone) {
    if (flit.tail) domains_[out.domain].leaving.push_back(arrival);
    schedule_flit(out.domain, arrival, {kNode + (port << shift_) + input.out_channel, flit});
  } else {
    if (reports_links_ && flit.tail) {
      const Packet& packet = packets_[flit.packet];
      const std::int64_t time = packet.size * out.flit_time;
      passes_.push_back({out.link, packet.payload, std::max<std::int64_t>(0, now_ - time), now_});
    }
    schedule_flit(out.domain, arrival, {out.target + input.out_channel, flit});
  }
  send_credit(domain, channel);

  const std::uint64_t bit = std::uint64_t{1} << (local % 64);
  if (flit.tail || input.count == 0) active_[router.first_word + local / 64] &= ~bit;
  if (flit.tail) {
    input.state = State::idle;
    if (input.count > 0) begin_packet(channel, domain.cycle + 1);
  }
}

void FlitEngine::send_credit(const Domain& domain, std::uint32_t channel) {
  const InPort& in = in_ports_[channel >> shift_];
  const std::uint32_t place = channel - (channel >> shift_ << shift_);
  schedule_credit(in.domain, arrival_cycle(domain, in.domain, in.delay, in.cycles) + in.use,
                  in.target + place);
}

}  // namespace orrery::noc
