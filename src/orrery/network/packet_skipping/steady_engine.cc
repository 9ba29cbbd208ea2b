// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/packet_skipping/steady_engine.h"

#include <algorithm>

#include "orrery/core/check.h"
#include "orrery/core/random.h"

namespace orrery::model {

void GivenRoutes::append_route(std::uint32_t /*state*/, std::uint32_t from, std::uint32_t to,
                               std::uint32_t /*entropy*/, std::vector<std::uint32_t>& links) {
  const auto found = routes_.find(key_of(from, to));
  ORRERY_CHECK(found != routes_.end());
  links.insert(links.end(), found->second.begin(), found->second.end());
}

void GivenRoutes::append_next(std::uint32_t /*state*/, std::uint32_t /*node*/, std::uint32_t /*to*/,
                              std::vector<std::uint32_t>& /*links*/) {
  ORRERY_CHECK(false);  // only for switches that choose routes
}

SteadyEngine::SteadyEngine(const platform::PacketSettings& settings,
                           std::optional<std::int64_t> usual_window)
    : routes_(std::make_shared<GivenRoutes>()),
      engine_(settings, {}, routes_, false, usual_window) {}

void SteadyEngine::post(const PacketPost& message, std::int64_t now, Report& report) {
  watch_anew(kFirstWait);
  engine_.post(message, now - offset_, report);
}

void SteadyEngine::run(std::int64_t until, Report& report) {
  while (true) {
    if (period_ == 0) {
      if (!watch(until - offset_, report)) return;
      continue;
    }
    const std::int64_t left = engine_.periods_left(sent_);
    const std::int64_t times = std::min(left, (until - now()) / period_);
    if (times > 0) {
      engine_.skip(sent_, static_cast<std::uint64_t>(times));
      offset_ += times * period_;
      skipped_ += static_cast<std::uint64_t>(times) * period_events_;
    } else if (left > 0) {
      return engine_.run(until - offset_, report);
    } else {
      watch_anew(kFirstWait);
    }
  }
}

std::int64_t SteadyEngine::next_arrival() const {
  const std::int64_t bound = engine_.earliest_arrival();
  if (bound == kNever) return kNever;
  if (period_ == 0) return bound + offset_;
  return std::max(bound, engine_.next_arrival() + engine_.periods_left(sent_) * period_) + offset_;
}

void SteadyEngine::watch_anew(std::size_t wait) {
  period_ = 0;
  watched_ = kNoPacket;
  compare_every_ = 0;
  wait_ = wait;
  stops_.clear();
}

/// Runs until a period is known. False: until `until`, without one.
bool SteadyEngine::watch(std::int64_t until, Report& report) {
  if (watched_ == kNoPacket) {
    watched_ = engine_.longest_sender(kLeastPackets);
    if (watched_ == kNoPacket) {
      engine_.run(until, report);
      return false;
    }
    stop_at_ = engine_.next_packet(watched_) + 1;
  }
  while (engine_.run_until_sent(watched_, stop_at_, until, report)) {
    if (compare_every_ == 0) {
      note_packet();
    } else if (compare()) {
      return true;
    }
  }
  if (!engine_.is_sending(watched_)) watch_anew(kFirstWait);
  return false;
}

void SteadyEngine::note_packet() {
  const std::uint64_t events = engine_.counts().events;
  stops_.push_back(
      {mix_bits(static_cast<std::uint64_t>(engine_.now() - stopped_)) + (events - stopped_events_),
       engine_.next_packet(watched_)});
  stopped_ = engine_.now();
  stopped_events_ = events;
  stop_at_ = stops_.back().next + 1;
  if (stops_.size() < wait_) return;
  if (const std::size_t period = seeming_period(); period > 0) {
    begin_comparison(period);
  } else if (wait_ < kLongestWait) {
    wait_ *= 2;
  } else {
    stops_.clear();
  }
}

/// The smallest number of packets after which the latest intervals repeat; 0: they do not.
std::size_t SteadyEngine::seeming_period() const {
  constexpr std::size_t kMost = 40, kLeast = 16;
  const std::size_t size = stops_.size();
  for (std::size_t period = 1; period <= std::min(kMost, size / 2); ++period) {
    const std::size_t compared = std::min(size - period, std::max(kLeast, period));
    bool repeats = true;
    for (std::size_t i = size - compared; i < size && repeats; ++i)
      repeats = stops_[i].interval == stops_[i - period].interval;
    if (repeats) return period;
  }
  return 0;
}

void SteadyEngine::begin_comparison(std::size_t period) {
  const std::uint64_t next = stops_.back().next;
  state_.clear();
  state_progress_.clear();
  compared_ = 0;
  if (!engine_.append_state(state_)) {
    stops_.clear();
    wait_ = std::min(2 * wait_, kLongestWait);
    return;
  }
  engine_.append_progress(state_progress_);
  state_time_ = engine_.now();
  state_events_ = engine_.counts().events;
  compare_every_ = next - stops_[stops_.size() - 1 - period].next;
  stop_at_ = next + compare_every_;
}

bool SteadyEngine::compare() {
  std::vector<std::uint64_t> state;
  if (engine_.append_state(state) && state == state_) {
    sent_.clear();
    engine_.append_progress(sent_);
    for (std::size_t i = 0; i < sent_.size(); ++i) sent_[i] -= state_progress_[i];
    period_ = engine_.now() - state_time_;
    period_events_ = engine_.counts().events - state_events_;
    ORRERY_CHECK(period_ > 0);
    compare_every_ = 0;
    return true;
  }
  if (++compared_ < kMultiples) {
    stop_at_ += compare_every_;
    return false;
  }
  compare_every_ = 0;
  wait_ = std::min(2 * wait_, kLongestWait);
  stops_.clear();
  stop_at_ = engine_.next_packet(watched_) + 1;
  return false;
}

}  // namespace orrery::model
