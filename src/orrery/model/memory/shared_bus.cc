// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/memory/shared_bus.h"

namespace orrery::model {

namespace {

constexpr std::uint8_t kDevice = 0;  // the only endpoint with an inner bus
constexpr std::uint8_t kMemory = 1;
constexpr std::uint8_t kInnerDevice = 2;
constexpr std::uint8_t kInnerMemory = 3;

constexpr double kInnerGapPerByte = 0.0038;  // ns
constexpr std::int32_t kMaxInARow = 8;  // maximum transfers in a row if the other endpoint waits
constexpr std::int64_t kReductionBytes = 100;
constexpr std::int64_t kReductionStart = 50;  // ns
constexpr double kMaxDelay = 9e15;            // ns; beyond the range of the clock

std::uint8_t partner(std::uint8_t at) { return at ^ 1u; }

}  // namespace

SharedBus::SharedBus(const platform::SharedBus& config, std::int64_t ticks_per_ns)
    : ticks_per_ns_(ticks_per_ns),
      latency_(config.L * ticks_per_ns),
      overhead_(config.o * ticks_per_ns),
      gap_(config.g * ticks_per_ns),
      reduction_(config.reduction_delay * ticks_per_ns) {
  const auto scale = static_cast<double>(ticks_per_ns);
  for (const std::uint8_t at : {kDevice, kMemory}) endpoints_[at].gap_per_byte = config.G * scale;
  for (const std::uint8_t at : {kInnerDevice, kInnerMemory})
    endpoints_[at].gap_per_byte = kInnerGapPerByte * scale;
}

void SharedBus::set_timer(std::uint8_t at, TimerKind kind, double delay) {
  const double longest = kMaxDelay * static_cast<double>(ticks_per_ns_);
  const double ticks = !(delay > 0) ? 0 : delay < longest ? delay : longest;
  timers_.push_back({static_cast<std::int64_t>(ticks), at * 4u + static_cast<std::uint32_t>(kind)});
}

void SharedBus::transfer(TransferDirection way, const Transfer& transfer, std::int64_t now) {
  if (way == TransferDirection::to_memory)
    return cross_inner(transfer, NextAction::send, true, now);
  endpoints_[kMemory].sends.push_back(transfer);
  send_next(kMemory, now);
}

void SharedBus::send_next(std::uint8_t at, std::int64_t now) {
  const Endpoint& end = endpoints_[at];
  if (end.state != State::idle || end.sends.empty()) return;
  const Endpoint& other = endpoints_[partner(at)];
  if (end.in_a_row > kMaxInARow && !other.sends.empty() && other.in_a_row <= kMaxInARow) {
    if (other.state == State::idle) send(partner(at), now);
    return;
  }
  send(at, now);
}

void SharedBus::send(std::uint8_t from, std::int64_t now) {
  Endpoint& sender = endpoints_[from];
  Endpoint& receiver = endpoints_[partner(from)];
  std::int64_t start = overhead_;
  const std::int64_t elapsed = now - sender.last;
  if (sender.before == State::sending && overhead_ + elapsed <= gap_) start = gap_ - elapsed;
  const double stream = static_cast<double>(sender.sends.front().bytes - 1) * sender.gap_per_byte;
  const double busy = static_cast<double>(start) + stream;

  receiver.receives.push_back(sender.sends.front());
  receiver.before = receiver.state;
  receiver.state = State::receiving;
  receiver.in_a_row = 0;
  set_timer(partner(from), TimerKind::received,
            busy + static_cast<double>(latency_) + static_cast<double>(overhead_));
  sender.sends.pop_front();
  sender.state = State::sending;
  set_timer(from, TimerKind::sent, busy);
}

// Parks `transfer` until its bytes have crossed the inner bus: once towards the device or from it,
// and a second time if the transfer is used again.
void SharedBus::cross_inner(const Transfer& transfer, NextAction then, bool from_memory,
                            std::int64_t now) {
  std::uint32_t slot = static_cast<std::uint32_t>(inner_transfers_.size());
  if (free_.empty()) {
    inner_transfers_.emplace_back();
  } else {
    slot = free_.back();
    free_.pop_back();
  }
  inner_transfers_[slot] = {transfer, then};
  const std::uint8_t at = from_memory ? kInnerMemory : kInnerDevice;
  endpoints_[at].sends.push_back(
      {transfer.bytes, false, !from_memory && then != NextAction::retire, slot});
  send_next(at, now);
}

SharedBus::BusEvent SharedBus::expire(std::uint32_t code, std::int64_t now) {
  const auto at = static_cast<std::uint8_t>(code / 4);
  const auto kind = static_cast<TimerKind>(code % 4);
  Endpoint& end = endpoints_[at];
  if (kind == TimerKind::worked) return worked(at, now);
  end.last = now;
  end.before = end.state;
  if (kind == TimerKind::received) return received(at, now);
  end.state = State::idle;
  ++end.in_a_row;
  return {kNoToken, {at}, 1};
}

SharedBus::BusEvent SharedBus::received(std::uint8_t at, std::int64_t now) {
  Endpoint& end = endpoints_[at];
  if (end.receives.size() < 2) end.state = State::idle;
  Transfer transfer = end.receives.front();
  end.receives.pop_front();
  if (!transfer.reduce) return send_back_or_finish(at, transfer, now);
  transfer.reduce = false;
  if (at == kDevice) {
    cross_inner(transfer, NextAction::work, false, now);
  } else {
    end.work.push_back(transfer);
  }
  return {kNoToken, {at}, 1};
}

SharedBus::BusEvent SharedBus::worked(std::uint8_t at, std::int64_t now) {
  Endpoint& end = endpoints_[at];
  const Transfer transfer = end.work.front();
  end.work.pop_front();
  end.working = false;
  return send_back_or_finish(at, transfer, now);
}

SharedBus::BusEvent SharedBus::send_back_or_finish(std::uint8_t at, Transfer transfer,
                                                   std::int64_t now) {
  const bool back = transfer.returns;
  transfer.returns = false;
  if (at == kDevice) {
    cross_inner(transfer, back ? NextAction::send : NextAction::retire, false, now);
  } else if (back) {
    endpoints_[at].sends.push_back(transfer);
  } else if (at == kMemory) {
    return {transfer.token, {at}, 1};
  } else {
    return crossed_inner(at, transfer.token);
  }
  return {kNoToken, {at}, 1};
}

SharedBus::BusEvent SharedBus::crossed_inner(std::uint8_t at, std::uint32_t slot) {
  const PendingTransfer pending = inner_transfers_[slot];
  free_.push_back(slot);
  BusEvent step{kNoToken, {kDevice, at}, 2};
  switch (pending.then) {
    case NextAction::send:
      endpoints_[kDevice].sends.push_back(pending.transfer);
      break;
    case NextAction::work:
      endpoints_[kDevice].work.push_back(pending.transfer);
      break;
    case NextAction::retire:
      step.token = pending.transfer.token;
      break;
  }
  return step;
}

void SharedBus::settle(const BusEvent& step, std::int64_t now) {
  for (std::uint8_t i = 0; i < step.count; ++i) {
    Endpoint& end = endpoints_[step.endpoints[i]];
    if (!end.working && !end.work.empty()) {
      end.working = true;
      const std::int64_t portions = end.work.front().bytes / kReductionBytes;
      const double portion = static_cast<double>(reduction_);
      set_timer(step.endpoints[i], TimerKind::worked,
                static_cast<double>(portions) * portion +
                    static_cast<double>(kReductionStart * ticks_per_ns_));
    }
    send_next(step.endpoints[i], now);
  }
}

}  // namespace orrery::model
