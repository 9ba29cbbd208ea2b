// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/fabric_links.h"

#include <algorithm>

#include "orrery/core/check.h"

namespace orrery::model {

class FabricLinks::Loads final : public platform::LinkLoads {
 public:
  explicit Loads(const std::vector<Link>& links) : links_(links) {}
  [[nodiscard]] double load(platform::LinkIndex link) const override {
    return links_[link].waiting + (links_[link].busy ? 1 : 0);
  }

 private:
  const std::vector<Link>& links_;
};

FabricLinks::FabricLinks(const platform::Platform& platform)
    : routes_(std::make_shared<FabricRoutes>(platform, true)),
      links_(routes_->topology().link_count()) {}

std::uint32_t FabricLinks::add(std::uint32_t from, std::uint32_t to, std::int64_t size) {
  const Loads loads(links_);
  const Route* route = routes_->find(routes_->initial_state(), from, to, &loads);
  ORRERY_CHECK(route != nullptr);  // make_fabric() ensures this
  std::uint32_t number = 0;
  if (free_.empty()) {
    number = static_cast<std::uint32_t>(messages_.size());
    messages_.emplace_back();
  } else {
    number = free_.back();
    free_.pop_back();
  }
  messages_[number] = {route, {}, size, 0, kNone};
  if (routes_->needs_loads()) messages_[number].adaptive_links = route->steps;
  return number;
}

FabricLinks::Departure FabricLinks::over(platform::LinkIndex link, std::int64_t size) const {
  const double serial =
      static_cast<double>(size) / routes_->bytes_per_ns(routes_->initial_state(), link);
  return DimensionLinks::departure(link, routes_->latency_ns(link), serial, size);
}

FabricLinks::Departure FabricLinks::depart(std::uint32_t number) const {
  const Message& message = messages_[number];
  Departure departure = over(route_links(message)[message.step].link, message.size);
  departure.message = number;
  return departure;
}

bool FabricLinks::forward(std::uint32_t number, Departure& departure) {
  Message& message = messages_[number];
  const std::uint32_t queue = queue_of(link_of(number));
  Link& link = links_[queue];
  if (link.busy) {
    message.next = kNone;
    (link.first == kNone ? link.first : messages_[link.last].next) = number;
    link.last = number;
    ++link.waiting;
    return false;
  }
  link.busy = true;
  departure = depart(number);
  departure.link = queue;
  return true;
}

bool FabricLinks::arrived(std::uint32_t number) {
  Message& message = messages_[number];
  if (++message.step < route_links(message).size()) return false;
  message.adaptive_links = {};
  free_.push_back(number);
  return true;
}

bool FabricLinks::idle(std::uint32_t number, Departure& departure) {
  Link& link = links_[number];
  if (link.first == kNone) {
    link.busy = false;
    return false;
  }
  departure = depart(link.first);
  departure.link = number;
  link.first = messages_[link.first].next;
  --link.waiting;
  return true;
}

bool FabricLinks::is_foldable() const {
  const auto& faults = routes_->faults();
  return !routes_->needs_loads() &&
         std::all_of(faults.begin(), faults.end(),
                     [](const auto& fault) { return fault.is_permanent(); });
}

void FabricLinks::crossings(std::uint32_t from, std::uint32_t to,
                            std::vector<Crossing>& out) const {
  out.clear();
  const Route* route = routes_->find(routes_->initial_state(), from, to);
  ORRERY_CHECK(route != nullptr);  // make_fabric() ensures this
  for (const platform::RouteLink& step : route->steps) out.push_back({step.link, 1});
}

LinkKind FabricLinks::link_kind(std::uint32_t link) const {
  return {routes_->bytes_per_ns(routes_->initial_state(), link), routes_->latency_ns(link)};
}

std::int64_t FabricLinks::uncontended_time(std::uint32_t from, std::uint32_t to,
                                           std::int64_t size) const {
  const Route* route = routes_->find(routes_->initial_state(), from, to);
  if (route == nullptr) return MultiDimFabric::kTooLong;
  std::int64_t time = 0;
  for (const platform::RouteLink& step : route->steps) {
    const std::int64_t hop = over(step.link, size).arrival;
    if (hop >= MultiDimFabric::kTooLong - time) return MultiDimFabric::kTooLong;
    time += hop;
  }
  return time;
}

void FabricLinks::save(StateWriter& to) const {
  routes_->save(to);
  to(links_, messages_, free_);
  for (const Message& message : messages_) to(routes_->number_of(message.route));
}

void FabricLinks::load(StateReader& from) {
  const std::size_t links = links_.size();
  routes_->load(from);
  from(links_, messages_, free_);
  from.require(links_.size() == links);
  for (Message& message : messages_)
    message.route = routes_->route_numbered(from.take<std::uint32_t>(), from);
}

}  // namespace orrery::model
