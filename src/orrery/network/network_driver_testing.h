// SPDX-License-Identifier: Apache-2.0
//
// For tests: drives a network as the engine does.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "orrery/core/check.h"
#include "orrery/network/network.h"

namespace orrery::model::testing {

struct TimedSend {
  std::int64_t at = 0;
  Send send;
};

class Driver final : private Sink {
 public:
  explicit Driver(Network& network) : network_(network), next_(network.next()) {}
  /// Continues from the state of `other`, on a network that continues from the same state.
  Driver(Network& network, const Driver& other)
      : arrivals(other.arrivals),
        too_long(other.too_long),
        network_(network),
        calls_(other.calls_),
        now_(other.now_),
        next_(network.next()),
        epoch_(network.epoch()) {}

  /// Sends all messages in order of time and handles all events up to `until`.
  void run(std::vector<TimedSend> sends, std::int64_t until = Network::kNever) {
    std::stable_sort(sends.begin(), sends.end(),
                     [](const TimedSend& a, const TimedSend& b) { return a.at < b.at; });
    auto send = sends.begin();
    while (true) {
      std::int64_t time =
          std::min(next(), calls_.empty() ? Network::kNever : calls_.begin()->first);
      if (send != sends.end()) time = std::min(time, send->at);
      if (time == Network::kNever || time > until) break;
      ORRERY_CHECK(time >= now_);
      advance_in_pauses(time);
      now_ = time;
      if (next() == now_) network_.advance(now_, *this);
      call_due();
      for (; send != sends.end() && send->at == now_; ++send) {
        network_.send(send->send);
        if (!network_.traits().tick_order_free) network_.settle(now_, *this);
      }
      if (network_.unsettled()) network_.settle(now_, *this);
    }
  }

  std::map<std::uint32_t, std::int64_t> arrivals;  ///< by token
  std::int64_t pause = 0;                          ///< interval of extra advance() calls; 0: none
  bool too_long = false;
  bool unlike = false;

 private:
  // next() may change only with the epoch.
  [[nodiscard]] std::int64_t next() {
    const std::int64_t next = network_.next();
    if (next != next_) ORRERY_CHECK(network_.epoch() != epoch_);
    next_ = next;
    epoch_ = network_.epoch();
    return next;
  }
  void advance_in_pauses(std::int64_t time) {
    while (pause > 0 && now_ + pause < time) {
      now_ += pause;
      network_.advance(now_, *this);
    }
  }
  void call_due() {
    while (!calls_.empty() && calls_.begin()->first == now_) {
      const std::uint64_t code = calls_.begin()->second;
      calls_.erase(calls_.begin());
      network_.called(now_, code, *this);
    }
  }

  void arrives(std::uint32_t token) override { ORRERY_CHECK(arrivals.emplace(token, now_).second); }
  void call(std::int64_t delay, std::uint64_t code) override { calls_.emplace(now_ + delay, code); }
  void not_equivalent() override { unlike = true; }
  void order_matters(std::uint32_t /*link*/) override { unlike = true; }
  void will_arrive(const Send& /*message*/, std::int64_t /*delay*/,
                   std::uint32_t /*link*/) override {}
  void exceeds_clock() override { too_long = true; }

  Network& network_;
  std::multimap<std::int64_t, std::uint64_t> calls_;  // by time, then in order of request
  std::int64_t now_ = 0;
  std::int64_t next_;
  std::uint64_t epoch_ = network_.epoch();
};

}  // namespace orrery::model::testing
