// SPDX-License-Identifier: Apache-2.0
//
// A network for tests, and an example of how to write one (docs/architecture.md): messages flow
// through one switch and share its ports.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "orrery/network/network.h"

namespace orrery::model::testing {

/// Messages from one rank share its output port equally, and messages to one rank share its input
/// port equally. The rate of a message is the smaller of its two shares. It arrives `latency` after
/// its last byte has left. Rates change when a message begins or ends.
class FluidNetwork final : public Network {
 public:
  /// `latency` in picoseconds, `bandwidth` of a port in bytes per second.
  FluidNetwork(std::uint32_t ranks, std::int64_t latency, double bandwidth);

  void send(const Send& message) override { sent_.push_back(message); }
  [[nodiscard]] bool unsettled() const override { return !sent_.empty(); }
  void settle(std::int64_t now, Sink& sink) override;
  [[nodiscard]] std::int64_t next() const override { return next_; }
  [[nodiscard]] std::uint64_t epoch() const override { return epoch_; }
  void advance(std::int64_t until, Sink& sink) override;
  void fold(const std::vector<std::uint32_t>& class_of, const std::vector<std::uint32_t>& members,
            const EquivalentLinks& links) override;
  [[nodiscard]] std::unique_ptr<Network> snapshot() const override {
    return std::make_unique<FluidNetwork>(*this);
  }
  [[nodiscard]] std::uint32_t link_count() const override { return 2 * end_points().ranks; }
  [[nodiscard]] LinkPlace link(std::uint32_t number) const override {
    return {.from = number / 2, .down = number % 2 != 0};
  }

 protected:
  [[nodiscard]] std::int64_t compute_uncontended_time(EndPoint from, EndPoint to,
                                                      std::int64_t bytes) const override;

 private:
  struct Flow {
    Send send;
    std::int64_t begun = 0;
    double remaining = 0;       ///< remaining bytes at `since_`
    double rate = 0;            ///< bytes per picosecond
    std::int64_t end = kNever;  ///< when its last byte leaves
  };
  struct Arrival {
    std::int64_t time;
    Send send;
  };
  [[nodiscard]] std::int64_t flows_alone(std::int64_t bytes) const;
  [[nodiscard]] std::uint32_t port(EndPoint rank) const {
    return class_of_.empty() ? rank : class_of_[rank];
  }
  /// Number of messages equivalent to `send` that each receiver gets.
  [[nodiscard]] double sharers(const Send& send) const;
  void share(std::int64_t now);
  void find_next();

  std::int64_t latency_;
  double rate_;                                    // bytes per picosecond
  std::vector<std::uint32_t> class_of_, members_;  // empty: not folded
  std::vector<Send> sent_;
  std::vector<Flow> flows_;
  std::vector<Arrival> arrivals_;
  std::vector<double> out_, in_;  // by port: number of messages that share it
  std::int64_t since_ = 0;
  std::int64_t next_ = kNever;
  std::uint64_t epoch_ = 0;
};

inline FluidNetwork::FluidNetwork(std::uint32_t ranks, std::int64_t latency, double bandwidth)
    : Network({.ranks = ranks}, {.tick_order_free = true, .foldable = true, .repeatable = true}),
      latency_(latency),
      rate_(bandwidth / 1e12),
      out_(ranks),
      in_(ranks) {}

inline void FluidNetwork::fold(const std::vector<std::uint32_t>& class_of,
                               const std::vector<std::uint32_t>& members,
                               const EquivalentLinks& /*links*/) {
  class_of_ = class_of;
  members_ = members;
}

inline std::int64_t FluidNetwork::flows_alone(std::int64_t bytes) const {
  const double time = static_cast<double>(bytes) / rate_;
  return time < 4e18 ? static_cast<std::int64_t>(std::ceil(time)) : MultiDimFabric::kTooLong;
}

inline std::int64_t FluidNetwork::compute_uncontended_time(EndPoint from, EndPoint to,
                                                           std::int64_t bytes) const {
  if (from == to) return 0;
  const std::int64_t flows = flows_alone(bytes);
  return flows < MultiDimFabric::kTooLong - latency_ ? latency_ + flows : MultiDimFabric::kTooLong;
}

inline double FluidNetwork::sharers(const Send& send) const {
  return members_.empty() ? 1 : static_cast<double>(send.weight) / members_[port(send.to)];
}

inline void FluidNetwork::settle(std::int64_t now, Sink& sink) {
  for (const Send& send : sent_) {
    if (compute_uncontended_time(send.from, send.to, send.bytes) >= MultiDimFabric::kTooLong - now)
      return sink.exceeds_clock();
  }
  for (const Send& send : sent_) {
    flows_.push_back({send, now, static_cast<double>(send.bytes)});
    ++out_[port(send.from)];
    in_[port(send.to)] += sharers(send);
  }
  sent_.clear();
  share(now);
}

// Subtracts the bytes that have flowed, and sets the rates from `now` on.
inline void FluidNetwork::share(std::int64_t now) {
  for (Flow& flow : flows_) {
    flow.remaining = std::max(0.0, flow.remaining - flow.rate * static_cast<double>(now - since_));
    flow.rate = rate_ / std::max(out_[port(flow.send.from)], in_[port(flow.send.to)]);
    const double more = std::min(std::ceil(flow.remaining / flow.rate), 4e18);
    flow.end =
        std::max(now + static_cast<std::int64_t>(more), flow.begun + flows_alone(flow.send.bytes));
  }
  since_ = now;
  find_next();
}

inline void FluidNetwork::find_next() {
  std::int64_t next = kNever;
  for (const Flow& flow : flows_) next = std::min(next, flow.end);
  for (const Arrival& arrival : arrivals_) next = std::min(next, arrival.time);
  if (next != next_) ++epoch_;
  next_ = next;
}

inline void FluidNetwork::advance(std::int64_t until, Sink& sink) {
  if (next_ > until) return;
  const auto ended = std::stable_partition(flows_.begin(), flows_.end(),
                                           [&](const Flow& flow) { return flow.end > until; });
  const bool changes = ended != flows_.end();
  for (auto flow = ended; flow != flows_.end(); ++flow) {
    --out_[port(flow->send.from)];
    in_[port(flow->send.to)] -= sharers(flow->send);
    report_carried(2 * flow->send.from, flow->begun, until, flow->send.bytes);
    report_carried(2 * flow->send.to + 1, flow->begun + latency_, until + latency_,
                   flow->send.bytes);
    arrivals_.push_back({until + latency_, flow->send});
  }
  flows_.erase(ended, flows_.end());
  if (changes) share(until);
  std::vector<Send> arrived;
  const auto landed = std::stable_partition(arrivals_.begin(), arrivals_.end(),
                                            [&](const Arrival& one) { return one.time > until; });
  for (auto one = landed; one != arrivals_.end(); ++one) arrived.push_back(one->send);
  arrivals_.erase(landed, arrivals_.end());
  find_next();
  std::sort(arrived.begin(), arrived.end());
  for (const Send& send : arrived) sink.arrives(send.token);
}

}  // namespace orrery::model::testing
