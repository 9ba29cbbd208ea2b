// SPDX-License-Identifier: Apache-2.0
//
// Fluid model of congestion: the messages on a link share its bandwidth fairly.
#pragma once

#include <cstdint>
#include <memory>
#include <tuple>
#include <vector>

#include "orrery/core/state/state_reader.h"
#include "orrery/core/state/state_writer.h"
#include "orrery/network/fabric_routes.h"
#include "orrery/network/folded_ports.h"
#include "orrery/network/max_min/flow_bundles.h"
#include "orrery/network/network.h"

namespace orrery::model {

/// A message is a flow along its route. Rates are max-min fair (max_min.h) and change when a flow
/// or a fault begins or ends. A message arrives when its last byte has left and the latency of the
/// route has passed:
///
///   arrival = begin + bytes / rate + sum of latencies,
///
/// which equals MultiDimFabric::delay without contention. With a window, the rate of a flow is at
/// most window / (2 x sum of latencies): at most one window of bytes is sent per round trip.
///
/// All flows that begin or end in one tick are one change, so that a step of a symmetric collective
/// costs one solve. Concurrent flows on the same route are one flow of the solver (flow_bundles.h).
/// If a link fails, the remaining bytes of its flows take another route. If there is none, they
/// wait until a route exists.
///
/// One rank may represent all equivalent ranks (folded_ports.h) and send their messages.
///
/// Times are whole picoseconds. The model uses only differences of times, so a later begin shifts
/// all arrivals by the same time.
class FlowNetwork final : public Network {
 public:
  explicit FlowNetwork(const platform::Platform& platform);

  void send(const Send& message) override { sent_.push_back(message); }
  [[nodiscard]] bool unsettled() const override { return !sent_.empty(); }
  void settle(std::int64_t now, Sink& sink) override;
  [[nodiscard]] std::int64_t next() const override { return next_; }
  [[nodiscard]] std::uint64_t epoch() const override { return epoch_; }
  void advance(std::int64_t until, Sink& sink) override;
  [[nodiscard]] std::unique_ptr<Network> snapshot() const override;
  [[nodiscard]] bool can_be_saved() const override { return true; }
  void save(StateWriter& to) const override;
  void load(StateReader& from) override;

  [[nodiscard]] std::span<const std::uint32_t> nearest_memories(EndPoint rank) const override {
    return routes_->nearest_memories(rank);
  }
  [[nodiscard]] std::uint32_t port_class(EndPoint rank) const override {
    return ports_.port_class(rank);
  }
  [[nodiscard]] std::uint32_t pair_class(EndPoint from, EndPoint to) const override {
    return ports_.pair_class(from, to);
  }
  [[nodiscard]] bool uniform() const override { return ports_.uniform(); }
  [[nodiscard]] bool shares_links() const override { return ports_.shares_links(); }
  void crossings(EndPoint from, EndPoint to, std::vector<Crossing>& out) const override {
    ports_.crossings(from, to, out);
  }
  [[nodiscard]] LinkKind link_kind(std::uint32_t link) const override {
    return ports_.link_kind(link);
  }
  [[nodiscard]] bool knows_equivalent_links() const override {
    return ports_.knows_equivalent_links();
  }
  [[nodiscard]] std::span<const std::uint32_t> reported_as() override {
    return ports_.folded() ? ports_.reported_as() : std::span<const std::uint32_t>();
  }
  void compare_links() override { ports_.compare_links(); }
  void fold(const std::vector<std::uint32_t>& class_of, const std::vector<std::uint32_t>& members,
            const EquivalentLinks& links) override {
    ports_.fold(class_of, members, links);
  }

  [[nodiscard]] std::uint32_t link_count() const override {
    return routes_->topology().link_count();
  }
  [[nodiscard]] LinkPlace link(std::uint32_t number) const override {
    return routes_->describe(number);
  }

 protected:
  [[nodiscard]] std::int64_t compute_uncontended_time(EndPoint from, EndPoint to,
                                                      std::int64_t bytes) const override;

 private:
  struct Flow {
    Send send;
    const Route* route = nullptr;
    std::vector<platform::RouteLink>
        adaptive_links;            // links of its route, if routes depend on loads
    std::uint32_t heap_index = 0;  // index in heap_
    bool was_disturbed = false;    // its rate or route has changed, or it has waited
    double latency_ns = 0;
    double max_rate = 0;   // bytes per nanosecond, without contention
    double rate = 0;       // bytes per nanosecond
    double remaining = 0;  // remaining bytes at `since`
    std::int64_t begun = 0;
    std::int64_t since = 0;
    std::int64_t reported = 0;  // bytes already reported to the observer
    std::int64_t end = kNever;

    /// The state, for checkpoints, without the route.
    static auto fields(auto& self) {
      auto& [send, route, adaptive_links, heap_index, was_disturbed, latency_ns, max_rate, rate,
             remaining, begun, since, reported, end] = self;
      return std::tie(send, adaptive_links, heap_index, was_disturbed, latency_ns, max_rate, rate,
                      remaining, begun, since, reported, end);
    }
  };
  struct Arrival {
    std::int64_t time;
    Send send;
  };
  class Loads;

  FlowNetwork(const platform::Platform& platform, std::shared_ptr<FabricRoutes> routes);
  FlowNetwork(std::shared_ptr<FabricRoutes> routes, FoldedPorts ports);
  /// The state, for checkpoints, without the routes.
  [[nodiscard]] static auto state_of(auto& self) {
    return std::tie(self.ports_, self.state_, self.solver_, self.sent_, self.flows_, self.free_,
                    self.heap_, self.stranded_, self.arrivals_, self.fault_, self.next_,
                    self.epoch_);
  }
  [[nodiscard]] static const std::vector<platform::RouteLink>& steps(const Flow& flow) {
    return flow.adaptive_links.empty() ? flow.route->steps : flow.adaptive_links;
  }
  [[nodiscard]] std::int64_t arrival_time(const Flow& flow, std::int64_t end) const;
  [[nodiscard]] bool needs_reroute(const Flow& flow) const;
  void begin(const Send& message, std::int64_t now, Sink& sink);
  void assign_route(std::uint32_t number, std::int64_t now, Sink* sink);
  void start_flow(std::uint32_t number, Sink* sink);
  void find_hops(const Flow& flow, Sink* sink);
  void stop_flow(std::uint32_t number);
  void advance_flow(Flow& flow, std::int64_t now);
  void report_links(Flow& flow, std::int64_t now, std::int64_t sent);
  void solve(std::int64_t now);
  void update_faults(std::int64_t now);
  void find_next();
  void sift_up(std::uint32_t index);
  void sift_down(std::uint32_t index);

  std::shared_ptr<FabricRoutes> routes_;
  FoldedPorts ports_;
  std::uint32_t state_ = 0;
  FlowBundles solver_;
  std::vector<Send> sent_;
  std::vector<Flow> flows_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> heap_;      // flows, a heap by end
  std::vector<std::uint32_t> stranded_;  // flows without a route
  std::vector<Arrival> arrivals_;        // messages that have left; a heap by arrival
  std::vector<MaxMin::Hop> hops_;
  std::int64_t fault_ = kNever;  // next time at which a fault begins or ends
  std::int64_t next_ = kNever;
  std::uint64_t epoch_ = 0;
};

}  // namespace orrery::model
