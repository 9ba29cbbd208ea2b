// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/flow_network.h"

#include <algorithm>
#include <cmath>

namespace orrery::model {

namespace {

constexpr auto kFlowArrivesLater = [](const auto& a, const auto& b) {
  return a.time != b.time ? a.time > b.time : b.send < a.send;
};

std::vector<double> capacities(const FabricRoutes& routes) {
  std::vector<double> all(routes.topology().link_count());
  for (platform::LinkIndex link = 0; link < all.size(); ++link)
    all[link] = routes.bytes_per_ns(routes.initial_state(), link);
  return all;
}

bool has_only_permanent_faults(const FabricRoutes& routes) {
  return std::all_of(routes.faults().begin(), routes.faults().end(),
                     [](const platform::LinkFault& fault) { return fault.is_permanent(); });
}

}  // namespace

/// The current load of each link, as a share of its capacity.
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
    : Network({.ranks = routes->rank_count(),
               .memories = routes->memory_count(),
               .switches = static_cast<std::uint32_t>(routes->reducers().size())},
              {.tick_order_free = true,
               .foldable = ports.foldable(),
               .repeatable = has_only_permanent_faults(*routes)}),
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

std::int64_t FlowNetwork::compute_uncontended_time(EndPoint from, EndPoint to,
                                                   std::int64_t bytes) const {
  return routes_->uncontended_time(from, to, bytes);
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
  if (uncontended_time(message.from, message.to, message.bytes) >= MultiDimFabric::kTooLong - now)
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
  flow.remaining = static_cast<double>(message.bytes);
  assign_route(number, now, &sink);
}

/// Assigns a route to the flow, or strands it if there is none.
void FlowNetwork::assign_route(std::uint32_t number, std::int64_t now, Sink* sink) {
  Flow& flow = flows_[number];
  const Loads loads(solver_.solver());
  const Route* route = routes_->find(state_, flow.send.from, flow.send.to, &loads);
  flow.route = route;
  if (route == nullptr) {
    flow.since = now;
    flow.was_disturbed = true;
    stranded_.push_back(number);
    return;
  }
  flow.latency_ns = route->latency_ns;
  flow.max_rate = routes_->max_rate(*route);
  if (routes_->needs_loads()) flow.adaptive_links = route->steps;
  start_flow(number, sink);
}

void FlowNetwork::start_flow(std::uint32_t number, Sink* sink) {
  Flow& flow = flows_[number];
  const bool is_alone_in_bundle = routes_->needs_loads() || ports_.folded();
  if (is_alone_in_bundle || !solver_.join(number, flow.route->number)) {
    find_hops(flow, sink);
    solver_.add(number, is_alone_in_bundle ? FlowBundles::kNone : flow.route->number, hops_,
                routes_->window() > 0 ? flow.max_rate : MaxMin::kUnlimited);
  }
  flow.rate = 0;  // until the next solve, even if the rate remains the same
  flow.end = kNever;
  flow.heap_index = static_cast<std::uint32_t>(heap_.size());
  heap_.push_back(number);
}

void FlowNetwork::find_hops(const Flow& flow, Sink* sink) {
  hops_.clear();
  if (ports_.folded()) {
    auto folded = ports_.hops(flow.send, *flow.route);
    if (!folded && sink != nullptr) sink->not_equivalent();
    if (folded) hops_ = *std::move(folded);
  } else {
    for (const platform::RouteLink& step : steps(flow)) hops_.push_back({step.link, step.share});
  }
}

/// Subtracts the bytes that have flowed since `flow.since` and reports them.
void FlowNetwork::advance_flow(Flow& flow, std::int64_t now) {
  if (flow.rate > 0 && now > flow.since) {
    const double flowed = flow.rate * static_cast<double>(now - flow.since) / kPsPerNs;
    flow.remaining = std::max(0.0, flow.remaining - flowed);
    const auto sent = flow.send.bytes - static_cast<std::int64_t>(std::ceil(flow.remaining));
    report_links(flow, now, std::max(sent, flow.reported));
  }
  flow.since = now;
}

void FlowNetwork::report_links(Flow& flow, std::int64_t now, std::int64_t sent) {
  if (!observed()) return;
  const auto report = [&](platform::LinkIndex link, double share, std::uint32_t times) {
    const auto part = [&](std::int64_t bytes) {
      return share == 1 ? bytes : std::llround(static_cast<double>(bytes) * share);
    };
    if (part(sent) > part(flow.reported))
      report_carried(link, flow.since, now, part(sent) - part(flow.reported), times);
  };
  if (ports_.folded()) {
    for (const FoldedPorts::Carried& one : ports_.carried(flow.send, *flow.route))
      report(one.link, one.share, one.times);
  } else {
    for (const platform::RouteLink& step : steps(flow)) report(step.link, step.share, 1);
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
      flow.was_disturbed |= now > flow.begun;
    }
    advance_flow(flow, now);
    flow.rate = rate;
    // A route without links has no limit on its rate.
    const double more =
        flow.remaining <= 0 || rate == MaxMin::kUnlimited ? 0 : flow.remaining / rate * kPsPerNs;
    flow.end = more < 4e18 ? now + static_cast<std::int64_t>(std::ceil(more)) : kNever;
    if (!rebuild) {
      sift_up(flow.heap_index);
      sift_down(flow.heap_index);
    }
  }
  if (!rebuild) return;
  for (std::size_t index = heap_.size() / 2; index-- > 0;)
    sift_down(static_cast<std::uint32_t>(index));
}

std::int64_t FlowNetwork::arrival_time(const Flow& flow, std::int64_t end) const {
  const std::int64_t best =
      flow.begun + FabricRoutes::message_time(flow.latency_ns,
                                              flow.was_disturbed ? flow.max_rate : flow.rate,
                                              flow.send.bytes);
  if (!flow.was_disturbed) return best;
  return std::max(best, end + static_cast<std::int64_t>(std::ceil(flow.latency_ns * 1e3)));
}

void FlowNetwork::stop_flow(std::uint32_t number) {
  solver_.remove(number);
  const std::uint32_t index = flows_[number].heap_index, last = heap_.back();
  heap_.pop_back();
  if (last == number) return;
  heap_[index] = last;
  flows_[last].heap_index = index;
  sift_up(index);
  sift_down(flows_[last].heap_index);
}

void FlowNetwork::advance(std::int64_t until, Sink& sink) {
  while (next_ <= until) {
    const std::int64_t now = next_;
    bool changes = false;
    while (!heap_.empty() && flows_[heap_.front()].end <= now) {
      const std::uint32_t number = heap_.front();
      Flow& flow = flows_[number];
      report_links(flow, now, flow.send.bytes);
      arrivals_.push_back({arrival_time(flow, now), flow.send});
      std::push_heap(arrivals_.begin(), arrivals_.end(), kFlowArrivesLater);
      stop_flow(number);
      flow.adaptive_links = {};
      free_.push_back(number);
      changes = true;
    }
    if (fault_ <= now) {
      update_faults(now);
      changes = true;
    }
    if (changes) solve(now);
    find_next();
    while (!arrivals_.empty() && arrivals_.front().time <= now) {
      std::pop_heap(arrivals_.begin(), arrivals_.end(), kFlowArrivesLater);
      const std::uint32_t token = arrivals_.back().send.token;
      arrivals_.pop_back();
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
    if (!needs_reroute(flow)) continue;
    advance_flow(flow, now);
    flow.was_disturbed = true;
    stop_flow(number);
    flow.adaptive_links.clear();
    assign_route(number, now, nullptr);
  }
  std::vector<std::uint32_t> waiting;
  waiting.swap(stranded_);
  for (const std::uint32_t number : waiting) assign_route(number, now, nullptr);
}

/// Whether the flow needs another route after a change of the fault state.
bool FlowNetwork::needs_reroute(const Flow& flow) const {
  if (routes_->needs_loads()) {
    return std::any_of(flow.adaptive_links.begin(), flow.adaptive_links.end(),
                       [&](const platform::RouteLink& step) {
                         return routes_->bytes_per_ns(state_, step.link) == 0;
                       });
  }
  const Route* route = routes_->find(state_, flow.send.from, flow.send.to);
  return route == nullptr || route->steps != flow.route->steps;
}

void FlowNetwork::find_next() {
  std::int64_t next = kNever;
  if (!heap_.empty()) next = flows_[heap_.front()].end;
  if (!arrivals_.empty()) next = std::min(next, arrivals_.front().time);
  if (!heap_.empty() || !stranded_.empty()) next = std::min(next, fault_);
  if (next != next_) ++epoch_;
  next_ = next;
}

void FlowNetwork::sift_up(std::uint32_t index) {
  const std::uint32_t number = heap_[index];
  while (index > 0) {
    const std::uint32_t above = (index - 1) / 2;
    if (flows_[heap_[above]].end <= flows_[number].end) break;
    heap_[index] = heap_[above];
    flows_[heap_[index]].heap_index = index;
    index = above;
  }
  heap_[index] = number;
  flows_[number].heap_index = index;
}

void FlowNetwork::sift_down(std::uint32_t index) {
  const std::uint32_t number = heap_[index];
  while (true) {
    std::size_t below = std::size_t{2} * index + 1;
    if (below >= heap_.size()) break;
    if (below + 1 < heap_.size() && flows_[heap_[below + 1]].end < flows_[heap_[below]].end)
      ++below;
    if (flows_[heap_[below]].end >= flows_[number].end) break;
    heap_[index] = heap_[below];
    flows_[heap_[index]].heap_index = index;
    index = static_cast<std::uint32_t>(below);
  }
  heap_[index] = number;
  flows_[number].heap_index = index;
}

void FlowNetwork::save(StateWriter& to) const {
  routes_->save(to);
  to(state_of(*this));
  for (const Flow& flow : flows_) to(routes_->number_of(flow.route));
}

void FlowNetwork::load(StateReader& from) {
  routes_->load(from);
  const std::uint32_t links = solver_.solver().link_count();
  std::apply(from, state_of(*this));
  from.require(solver_.solver().link_count() == links);
  for (Flow& flow : flows_) flow.route = routes_->route_numbered(from.take<std::uint32_t>(), from);
}

}  // namespace orrery::model
