// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/network/analytical.h"

#include <algorithm>

namespace orrery::model {

namespace {

constexpr auto kLater = [](const auto& a, const auto& b) {
  return a.arrival != b.arrival ? a.arrival > b.arrival : b.send < a.send;
};

constexpr Traits kFree{.uncontended = true,
                       .tick_order_free = true,
                       .foldable = true,
                       .repeatable = true,
                       .parallel = true};

}  // namespace

void Uncontended::send(const Send& message) { sent_.push_back(message); }

void Uncontended::settle(std::int64_t now, Sink& sink) {
  for (const Send& message : sent_) {
    const std::int64_t takes = alone(message.from, message.to, message.bytes);
    if (takes >= Fabric::kTooLong - now) {
      sink.beyond_the_clock();
      continue;
    }
    flying_.push_back({now + takes, message});
    std::push_heap(flying_.begin(), flying_.end(), kLater);
    ++epoch_;
  }
  sent_.clear();
}

std::int64_t Uncontended::next() const {
  return flying_.empty() ? kNever : flying_.front().arrival;
}

void Uncontended::advance(std::int64_t until, Sink& sink) {
  while (next() <= until) {
    std::pop_heap(flying_.begin(), flying_.end(), kLater);
    const std::uint32_t token = flying_.back().send.token;
    flying_.pop_back();
    ++epoch_;
    sink.arrives(token);
  }
}

Analytical::Analytical(const platform::Platform& platform)
    : Uncontended({.ranks = static_cast<std::uint32_t>(platform.npu_count())}, kFree,
                  std::make_shared<const Fabric>(platform)),
      rules_(platform.rules) {}

std::uint32_t Analytical::colour(EndPoint from, EndPoint to) const {
  if (!distances_) distances_ = std::make_shared<const Distances>(*by_dimensions(), rules_);
  return distances_->between(from, to);
}

std::unique_ptr<Network> Analytical::snapshot() const {
  return std::make_unique<Analytical>(*this);
}

}  // namespace orrery::model
