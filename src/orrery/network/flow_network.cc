// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/flow_network.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace orrery::model {

namespace {

constexpr auto kLandsLater = [](const auto& a, const auto& b) {
  return a.time != b.time ? a.time > b.time : b.send < a.send;
};

std::vector<double> capacities(const FabricRoutes& routes) {
  std::vector<double> all(routes.topology().link_count());
  for (platform::LinkIndex link = 0; link < all.size(); ++link)
    all[link] = routes.bytes_per_ns(routes.initial_state(), link);
  return all;
}

bool steady(const FabricRoutes& routes) {
  return std::all_of(routes.faults().begin(), routes.faults().end(),
                     [](const platform::LinkFault& fault) { return fault.is_permanent(); });
}

}  // namespace

/// How busy links are just now.
class FlowNetwork::Loads final : public platform::LinkLoads {
 public:
  explicit Loads(const MaxMin& solver) : solver_(solver) {}
  [[nodiscard]] double load(platform::LinkIndex link) const override {
    const double capacity = solver_.capacity(link);
    return capacity > 0 ? solver_.load(link) / capacity : 1;
  }

 private:
  const MaxMin& solver_;
};

FlowNetwork::FlowNetwork(const platform::Platform& platform)
    : FlowNetwork(platform, std::make_shared<FabricRoutes>(platform)) {}

FlowNetwork::FlowNetwork(const platform::Platform& platform, std::shared_ptr<FabricRoutes> routes)
    : FlowNetwork(routes, FoldedPorts(platform, routes)) {}

FlowNetwork::FlowNetwork(std::shared_ptr<FabricRoutes> routes, FoldedPorts ports)
    : Network(
          {.ranks = routes->rank_count(),
           .memories = routes->memory_count(),
           .switches = static_cast<std::uint32_t>(routes->reducers().size())},
          {.tick_order_free = true, .foldable = ports.foldable(), .repeatable = steady(*routes)}),
      routes_(std::move(routes)),
      ports_(std::move(ports)),
      solver_(capacities(*routes_)) {
  for (const platform::LinkFault& fault : routes_->faults()) {
    if (const auto next = fault.is_permanent() ? std::nullopt : fault.next_change(Time(-1)))
      fault_ = std::min(fault_, next->count());
  }
  if (fault_ <= 0) update_faults(0);
}

std::unique_ptr<Network> FlowNetwork::snapshot() const {
  return std::make_unique<FlowNetwork>(*this);
}

std::int64_t FlowNetwork::uncontended_time(EndPoint from, EndPoint to, std::int64_t bytes) const {
  return routes_->alone(from, to, bytes);
}

void FlowNetwork::settle(std::int64_t now, Sink& sink) {
  if (fault_ <= now) update_faults(now);
  std::sort(sent_.begin(), sent_.end());
  for (const Send& message : sent_) begin(message, now, sink);
  sent_.clear();
  solve(now);
  find_next();
}

void FlowNetwork::begin(const Send& message, std::int64_t now, Sink& sink) {
  if (alone(message.from, message.to, message.bytes) >= MultiDimFabric::kTooLong - now)
    return sink.exceeds_clock();
  std::uint32_t number = 0;
  if (free_.empty()) {
    number = static_cast<std::uint32_t>(flows_.size());
    flows_.emplace_back();
  } else {
    number = free_.back();
    free_.pop_back();
  }
  Flow& flow = flows_[number];
  flow = Flow{};
  flow.send = message;
  flow.begun = flow.since = now;
  flow.left = static_cast<double>(message.bytes);
  route(number, now, &sink);
}

/// Gives the flow its way, or none.
void FlowNetwork::route(std::uint32_t number, std::int64_t now, Sink* sink) {
  Flow& flow = flows_[number];
  const Loads loads(solver_.solver());
  const Route* way = routes_->find(state_, flow.send.from, flow.send.to, &loads);
  flow.way = way;
  if (way == nullptr) {
    flow.since = now;
    flow.shared = true;
    stranded_.push_back(number);
    return;
  }
  flow.latency_ns = way->latency_ns;
  flow.max_rate = routes_->max_rate(*way);
  if (routes_->needs_loads()) flow.own = way->steps;
  join(number, sink);
}

void FlowNetwork::join(std::uint32_t number, Sink* sink) {
  Flow& flow = flows_[number];
  const bool own = routes_->needs_loads() || ports_.folded();
  if (own || !solver_.join(number, flow.way->number)) {
    find_hops(flow, sink);
    solver_.add(number, own ? FlowBundles::kNone : flow.way->number, hops_,
                routes_->window() > 0 ? flow.max_rate : MaxMin::kUnlimited);
  }
  flow.rate = 0;  // until it is solved, also where it goes on as fast as before
  flow.end = kNever;
  flow.place = static_cast<std::uint32_t>(heap_.size());
  heap_.push_back(number);
}

void FlowNetwork::find_hops(const Flow& flow, Sink* sink) {
  hops_.clear();
  if (ports_.folded()) {
    auto own = ports_.hops(flow.send, *flow.way);
    if (!own && sink != nullptr) sink->not_equivalent();
    if (own) hops_ = *std::move(own);
  } else {
    for (const platform::RouteLink& step : steps(flow)) hops_.push_back({step.link, step.share});
  }
}

/// What has flowed since it was last looked at.
void FlowNetwork::progress(Flow& flow, std::int64_t now) {
  if (flow.rate > 0 && now > flow.since) {
    const double flowed = flow.rate * static_cast<double>(now - flow.since) / kPsPerNs;
    flow.left = std::max(0.0, flow.left - flowed);
    const auto sent = flow.send.bytes - static_cast<std::int64_t>(std::ceil(flow.left));
    report_links(flow, now, std::max(sent, flow.reported));
  }
  flow.since = now;
}

void FlowNetwork::report_links(Flow& flow, std::int64_t now, std::int64_t sent) {
  if (!observed()) return;
  for (const platform::RouteLink& step : steps(flow)) {
    const auto part = [&](std::int64_t bytes) {
      return step.share == 1 ? bytes : std::llround(static_cast<double>(bytes) * step.share);
    };
    if (part(sent) > part(flow.reported))
      report_carried(step.link, flow.since, now, part(sent) - part(flow.reported));
  }
  flow.reported = sent;
}

void FlowNetwork::solve(std::int64_t now) {
  const auto changed = solver_.solve();
  const bool rebuild = changed.size() > heap_.size() / 8 + 8;
  for (const std::uint32_t number : changed) {
    Flow& flow = flows_[number];
    const double rate = solver_.rate(number);
    if (flow.end != kNever || flow.rate > 0) {
      if (rate == flow.rate) continue;
      flow.shared |= now > flow.begun;
    }
    progress(flow, now);
    flow.rate = rate;
    // A way without links is as quick as can be.
    const double more =
        flow.left <= 0 || rate == MaxMin::kUnlimited ? 0 : flow.left / rate * kPsPerNs;
    flow.end = more < 4e18 ? now + static_cast<std::int64_t>(std::ceil(more)) : kNever;
    if (!rebuild) {
      sift_up(flow.place);
      sift_down(flow.place);
    }
  }
  if (!rebuild) return;
  for (std::size_t place = heap_.size() / 2; place-- > 0;)
    sift_down(static_cast<std::uint32_t>(place));
}

std::int64_t FlowNetwork::lands(const Flow& flow, std::int64_t end) const {
  const std::int64_t best =
      flow.begun + FabricRoutes::charge(flow.latency_ns, flow.shared ? flow.max_rate : flow.rate,
                                        flow.send.bytes);
  if (!flow.shared) return best;
  return std::max(best, end + static_cast<std::int64_t>(std::ceil(flow.latency_ns * 1e3)));
}

void FlowNetwork::leave(std::uint32_t number) {
  solver_.remove(number);
  const std::uint32_t place = flows_[number].place, last = heap_.back();
  heap_.pop_back();
  if (last == number) return;
  heap_[place] = last;
  flows_[last].place = place;
  sift_up(place);
  sift_down(flows_[last].place);
}

void FlowNetwork::advance(std::int64_t until, Sink& sink) {
  while (next_ <= until) {
    const std::int64_t now = next_;
    bool changes = false;
    while (!heap_.empty() && flows_[heap_.front()].end <= now) {
      const std::uint32_t number = heap_.front();
      Flow& flow = flows_[number];
      report_links(flow, now, flow.send.bytes);
      landing_.push_back({lands(flow, now), flow.send});
      std::push_heap(landing_.begin(), landing_.end(), kLandsLater);
      leave(number);
      flow.own = {};
      free_.push_back(number);
      changes = true;
    }
    if (fault_ <= now) {
      update_faults(now);
      changes = true;
    }
    if (changes) solve(now);
    find_next();
    while (!landing_.empty() && landing_.front().time <= now) {
      std::pop_heap(landing_.begin(), landing_.end(), kLandsLater);
      const std::uint32_t token = landing_.back().send.token;
      landing_.pop_back();
      find_next();
      sink.arrives(token);
    }
  }
}

void FlowNetwork::update_faults(std::int64_t now) {
  std::vector<bool> is_active;
  fault_ = kNever;
  for (const platform::LinkFault& fault : routes_->faults()) {
    is_active.push_back(fault.is_active(Time(now)));
    if (const auto next = fault.next_change(Time(now))) fault_ = std::min(fault_, next->count());
  }
  state_ = routes_->state(is_active);
  for (const platform::LinkFault& fault : routes_->faults()) {
    for (const platform::LinkIndex link : fault.links)
      solver_.set_capacity(link, routes_->bytes_per_ns(state_, link));
  }
  std::vector<std::uint32_t> flowing = heap_;
  std::sort(flowing.begin(), flowing.end(),
            [&](std::uint32_t a, std::uint32_t b) { return flows_[a].send < flows_[b].send; });
  for (const std::uint32_t number : flowing) {
    Flow& flow = flows_[number];
    if (!moves(flow)) continue;
    progress(flow, now);
    flow.shared = true;
    leave(number);
    flow.own.clear();
    route(number, now, nullptr);
  }
  std::vector<std::uint32_t> waiting;
  waiting.swap(stranded_);
  for (const std::uint32_t number : waiting) route(number, now, nullptr);
}

/// The state has changed: does the flow go on where it was?
bool FlowNetwork::moves(const Flow& flow) const {
  if (routes_->needs_loads()) {
    return std::any_of(flow.own.begin(), flow.own.end(), [&](const platform::RouteLink& step) {
      return routes_->bytes_per_ns(state_, step.link) == 0;
    });
  }
  const Route* way = routes_->find(state_, flow.send.from, flow.send.to);
  return way == nullptr || way->steps != flow.way->steps;
}

void FlowNetwork::find_next() {
  std::int64_t next = kNever;
  if (!heap_.empty()) next = flows_[heap_.front()].end;
  if (!landing_.empty()) next = std::min(next, landing_.front().time);
  if (!heap_.empty() || !stranded_.empty()) next = std::min(next, fault_);
  if (next != next_) ++epoch_;
  next_ = next;
}

void FlowNetwork::sift_up(std::uint32_t place) {
  const std::uint32_t number = heap_[place];
  while (place > 0) {
    const std::uint32_t above = (place - 1) / 2;
    if (flows_[heap_[above]].end <= flows_[number].end) break;
    heap_[place] = heap_[above];
    flows_[heap_[place]].place = place;
    place = above;
  }
  heap_[place] = number;
  flows_[number].place = place;
}

void FlowNetwork::sift_down(std::uint32_t place) {
  const std::uint32_t number = heap_[place];
  while (true) {
    std::size_t below = std::size_t{2} * place + 1;
    if (below >= heap_.size()) break;
    if (below + 1 < heap_.size() && flows_[heap_[below + 1]].end < flows_[heap_[below]].end)
      ++below;
    if (flows_[heap_[below]].end >= flows_[number].end) break;
    heap_[place] = heap_[below];
    flows_[heap_[place]].place = place;
    place = static_cast<std::uint32_t>(below);
  }
  heap_[place] = number;
  flows_[number].place = place;
}

}  // namespace orrery::model
