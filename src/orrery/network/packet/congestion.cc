// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/packet/congestion.h"

#include <algorithm>

namespace orrery::model {

namespace {

using platform::PacketTransport;

constexpr double kMicrosecond = 1e6;
constexpr double kReferenceTime = 12 * kMicrosecond;    // of the constants of NSCC
constexpr double kReferenceBytes = 12.5e-3 * 12 * 1e6;  // 100 Gb/s x 12 us
constexpr double kIncreaseThreshold = 32'000;           // bytes, at a target of 12 us
constexpr double kSmoothing = 0.0125;
constexpr double kMostWindow = 1.5;  // bandwidth-delay products
constexpr double kDctcpGain = 1.0 / 16;
constexpr double kUnpaced = 0.999;  // of the port's rate: from there on, the port paces

}  // namespace

void Congestion::begin(const CongestionLimits& limits, const platform::PacketSettings& settings,
                       std::int64_t window, std::int64_t round_trip, double bytes_per_ps) {
  window_ = static_cast<double>(window);
  bytes_per_ps_ = bytes_per_ps;
  round_trip_ = round_trip;
  const double product = static_cast<double>(round_trip) * bytes_per_ps;
  switch (limits.transport) {
    case PacketTransport::window:
      return;
    case PacketTransport::dcqcn:
      control_.emplace<Dcqcn>(settings.dcqcn, bytes_per_ps);
      return;
    case PacketTransport::hpcc:
      control_.emplace<Hpcc>(settings.hpcc, std::max(product, static_cast<double>(limits.packet)));
      return set_paced(limits, std::get<Hpcc>(control_).window(), static_cast<double>(round_trip));
    case PacketTransport::swift:
      control_.emplace<Swift>(settings.swift, limits.packet, product, round_trip);
      return set_paced(limits, product, static_cast<double>(round_trip));
    case PacketTransport::dctcp:
    case PacketTransport::nscc:
    case PacketTransport::rccc:
    case PacketTransport::nscc_rccc:
      set_round_trip(limits, round_trip);
      window_ = most_;
  }
}

/// A window that may be below one packet, at the rate of one window per round trip.
void Congestion::set_paced(const CongestionLimits& limits, double window, double round_trip) {
  window_ = std::max(window, static_cast<double>(limits.packet));
  rate_ = window / round_trip;
  if (rate_ > kUnpaced * bytes_per_ps_) rate_ = 0;
}

void Congestion::advance(std::int64_t now) {
  if (auto* dcqcn = std::get_if<Dcqcn>(&control_)) {
    dcqcn->advance(now);
    rate_ = dcqcn->is_limited() ? dcqcn->rate() : 0;
  }
}

void Congestion::sent(std::int64_t bytes) {
  if (auto* dcqcn = std::get_if<Dcqcn>(&control_)) {
    dcqcn->sent(bytes);
    rate_ = dcqcn->is_limited() ? dcqcn->rate() : 0;
  }
}

void Congestion::notified(std::int64_t now) {
  if (auto* dcqcn = std::get_if<Dcqcn>(&control_)) {
    const double before = dcqcn->rate();
    dcqcn->notified(now);
    reductions_ += dcqcn->rate() < before;
    rate_ = dcqcn->is_limited() ? dcqcn->rate() : 0;
  }
}

void Congestion::set_round_trip(const CongestionLimits& limits, std::int64_t round_trip) {
  round_trip_ = round_trip;
  if (target_ == 0) target_ = round_trip * limits.target_share / 4;
  const double product = static_cast<double>(round_trip) * bytes_per_ps_;
  if (most_ == 0) scale_ = product / kReferenceBytes;
  most_ = std::max(kMostWindow * product, static_cast<double>(limits.packet));
}

void Congestion::bound(const CongestionLimits& limits) {
  window_ = std::clamp(window_, static_cast<double>(limits.packet),
                       std::max(most_, static_cast<double>(limits.packet)));
}

void Congestion::average(std::int64_t delay, bool is_marked) {
  double sample = static_cast<double>(delay);
  if (!is_marked && delay > target_) sample = 0.25 * static_cast<double>(round_trip_);
  delay_ += kSmoothing * (sample - delay_);
}

bool Congestion::adapt(const CongestionLimits& limits, std::int64_t now, std::int64_t delay,
                       bool is_loss, bool is_marked, std::int64_t in_flight) {
  bool is_adapted = false;
  if (ignored_ < to_ignore_ && is_marked) {
    is_adapted = true;
  } else if (now > adapts_at_) {
    if (adapts_at_ != 0 && (must_adapt_ || is_loss || delay > 4 * target_) &&
        static_cast<double>(arrived_) < most_) {
      const double before = window_;
      window_ = std::max(static_cast<double>(arrived_), static_cast<double>(limits.packet));
      reductions_ += window_ < before;
      to_ignore_ = in_flight;
      ignored_ = 0;
      must_adapt_ = false;
      is_adapted = true;
    }
    arrived_ = 0;
    adapts_at_ = now + round_trip_ + target_;
  }
  if (is_adapted) {
    increase_ = 0;
    since_increase_ = 0;
  }
  return is_adapted;
}

void Congestion::acknowledge_nscc(const CongestionLimits& limits, std::int64_t now,
                                  std::int64_t bytes, std::int64_t delay, bool is_marked,
                                  std::int64_t in_flight) {
  if (adapt(limits, now, delay, false, is_marked, in_flight)) return;
  const double mss = static_cast<double>(limits.payload);
  const double arrived = static_cast<double>(bytes), target = static_cast<double>(target_);
  if (!is_marked && delay < target_) {
    const bool is_idle = static_cast<double>(delay) < kMicrosecond;
    fast_bytes_ = is_idle ? fast_bytes_ + bytes : 0;
    is_fast_ = is_idle && (is_fast_ || static_cast<double>(fast_bytes_) > window_);
    if (is_fast_) {
      window_ += 0.25 * scale_ * arrived;
    } else {
      const double alpha = 4 * mss * scale_ * (target / kReferenceTime) / target;
      increase_ += alpha * arrived * static_cast<double>(target_ - delay);
    }
  } else if (!is_marked) {
    increase_ += 5 * mss * scale_ * arrived;
  } else if (delay >= target_) {
    is_fast_ = false;
    fast_bytes_ = 0;
    if (delay_ > target && now - decreased_at_ > round_trip_) {
      window_ *= std::max(1 - 0.8 * (delay_ - target) / delay_, 0.5);
      ++reductions_;
      decreased_at_ = now;
    }
  }
  bound(limits);
  const double threshold = kIncreaseThreshold * target / kReferenceTime;
  const double waited = static_cast<double>(now - increased_at_);
  if (static_cast<double>(since_increase_) <= threshold && waited <= kReferenceTime) return;
  window_ += increase_ / window_;
  if (waited >= kReferenceTime) {
    window_ += 0.15 * mss * scale_;
    increased_at_ = now;
  }
  increase_ = 0;
  since_increase_ = 0;
  bound(limits);
}

void Congestion::acknowledge_dctcp(const CongestionLimits& limits, std::int64_t now,
                                   std::int64_t bytes, bool is_marked) {
  const double mark = is_marked ? 1 : 0, share = static_cast<double>(bytes) / window_;
  delay_ += kDctcpGain * std::min(share, 1.0) * (mark - delay_);
  if (is_marked && now - decreased_at_ > round_trip_) {
    window_ *= 1 - delay_ / 2;
    ++reductions_;
    decreased_at_ = now;
  } else if (!is_marked) {
    window_ += static_cast<double>(limits.packet) * share;
  }
  bound(limits);
}

void Congestion::acknowledged(const CongestionLimits& limits, const CongestionFeedback& feedback) {
  const auto trip = static_cast<double>(round_trip_);
  switch (limits.transport) {
    case PacketTransport::window:
    case PacketTransport::dcqcn:
    case PacketTransport::rccc:
      return;
    case PacketTransport::hpcc: {
      Hpcc& hpcc = std::get<Hpcc>(control_);
      const double before = hpcc.window();
      hpcc.acknowledged(feedback.records, trip, feedback.acknowledged, feedback.sent);
      reductions_ += hpcc.window() < before;
      return set_paced(limits, hpcc.window(), trip);
    }
    case PacketTransport::swift: {
      Swift& swift = std::get<Swift>(control_);
      const double before = swift.window();
      swift.acknowledged(feedback.now, feedback.bytes, feedback.round_trip, feedback.hops);
      reductions_ += swift.window() < before;
      // Above one packet, acknowledgements alone pace the sender.
      set_paced(limits, swift.window(), static_cast<double>(swift.delay()));
      if (window_ > static_cast<double>(limits.packet)) rate_ = 0;
      return;
    }
    case PacketTransport::dctcp:
    case PacketTransport::nscc:
    case PacketTransport::nscc_rccc:
      break;
  }
  arrived_ += feedback.bytes;
  since_increase_ += feedback.bytes;
  ignored_ += feedback.bytes;
  const std::int64_t round_trip = feedback.round_trip;
  if (round_trip >= 0 && round_trip < round_trip_) set_round_trip(limits, round_trip);
  if (limits.transport == PacketTransport::dctcp)
    return acknowledge_dctcp(limits, feedback.now, feedback.bytes, feedback.is_marked);
  std::int64_t delay = static_cast<std::int64_t>(delay_);
  if (round_trip >= 0) {
    delay = round_trip - round_trip_;
    average(delay, feedback.is_marked);
  }
  acknowledge_nscc(limits, feedback.now, feedback.bytes, delay, feedback.is_marked,
                   feedback.in_flight);
}

void Congestion::lost(const CongestionLimits& limits, std::int64_t now, std::int64_t bytes,
                      std::int64_t in_flight) {
  switch (limits.transport) {
    case PacketTransport::window:
    case PacketTransport::dcqcn:
    case PacketTransport::hpcc:
    case PacketTransport::rccc:
      return;
    case PacketTransport::swift: {
      Swift& swift = std::get<Swift>(control_);
      const double before = swift.window();
      swift.lost(now);
      reductions_ += swift.window() < before;
      set_paced(limits, swift.window(), static_cast<double>(swift.delay()));
      if (window_ > static_cast<double>(limits.packet)) rate_ = 0;
      return;
    }
    case PacketTransport::nscc:
    case PacketTransport::nscc_rccc:
      ignored_ += bytes;
      average(round_trip_, true);
      must_adapt_ = true;
      if (adapt(limits, now, 0, true, true, in_flight)) return;
      break;
    case PacketTransport::dctcp:
      break;
  }
  window_ -= static_cast<double>(bytes);
  ++reductions_;
  bound(limits);
}

}  // namespace orrery::model
