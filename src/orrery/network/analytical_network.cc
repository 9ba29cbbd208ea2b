// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/analytical_network.h"

#include <algorithm>

namespace orrery::model {

namespace {

constexpr auto kMessageArrivesLater = [](const auto& a, const auto& b) {
  return a.arrival != b.arrival ? a.arrival > b.arrival : b.send < a.send;
};

constexpr Traits kUncontendedTraits{.uncontended = true,
                                    .tick_order_free = true,
                                    .foldable = true,
                                    .repeatable = true,
                                    .parallel = true};

}  // namespace

void UncontendedNetwork::send(const Send& message) { sent_.push_back(message); }

void UncontendedNetwork::settle(std::int64_t now, Sink& sink) {
  for (const Send& message : sent_) {
    const std::int64_t duration = uncontended_time(message.from, message.to, message.bytes);
    if (duration >= MultiDimFabric::kTooLong - now) {
      sink.exceeds_clock();
      continue;
    }
    in_transit_.push_back({now + duration, message});
    std::push_heap(in_transit_.begin(), in_transit_.end(), kMessageArrivesLater);
    ++epoch_;
  }
  sent_.clear();
}

std::int64_t UncontendedNetwork::next() const {
  return in_transit_.empty() ? kNever : in_transit_.front().arrival;
}

void UncontendedNetwork::advance(std::int64_t until, Sink& sink) {
  while (next() <= until) {
    std::pop_heap(in_transit_.begin(), in_transit_.end(), kMessageArrivesLater);
    const std::uint32_t token = in_transit_.back().send.token;
    in_transit_.pop_back();
    ++epoch_;
    sink.arrives(token);
  }
}

AnalyticalNetwork::AnalyticalNetwork(const platform::Platform& platform)
    : UncontendedNetwork({.ranks = static_cast<std::uint32_t>(platform.npu_count())},
                         kUncontendedTraits, std::make_shared<const MultiDimFabric>(platform)),
      rules_(platform.rules) {}

std::uint32_t AnalyticalNetwork::pair_class(EndPoint from, EndPoint to) const {
  if (!distances_) distances_ = std::make_shared<const RankDistances>(*by_dimensions(), rules_);
  return distances_->between(from, to);
}

std::unique_ptr<Network> AnalyticalNetwork::snapshot() const {
  return std::make_unique<AnalyticalNetwork>(*this);
}

AnalyticalFabric::AnalyticalFabric(const platform::Platform& platform)
    : UncontendedNetwork({.ranks = static_cast<std::uint32_t>(platform.npu_count()),
                          .memories = platform::memory_count(platform)},
                         kUncontendedTraits),
      routes_(std::make_shared<FabricRoutes>(platform)) {}

std::unique_ptr<Network> AnalyticalFabric::snapshot() const {
  return std::make_unique<AnalyticalFabric>(*this);
}

}  // namespace orrery::model
