// SPDX-License-Identifier: Apache-2.0
//
// Congestion as fluids have it: all messages on a link share it fairly.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "orrery/network/fabric_routes.h"
#include "orrery/network/folded_ports.h"
#include "orrery/network/max_min/flow_bundles.h"
#include "orrery/network/network.h"

namespace orrery::model {

/// A message is a flow along its way from its first byte to its last; rates are max-min fair
/// (max_min.h), and change when a flow begins or ends or a fault does. A message is there when its
/// last byte has left and the way's latency is over:
///
///   arrival = begin + bytes / rate + sum of latencies,
///
/// which is what MultiDimFabric::delay says as long as nobody is in its way. With a window no flow
/// is faster than window / (2 x sum of latencies): so many bytes are on their way until the first
/// is answered.
///
/// What begins or ends in one tick is one change, so that a step of a symmetric collective costs
/// one solve; what takes the same way at the same time is one flow there (flow_bundles.h). A link
/// that goes down sends those flows that cross it another way, with what they have left; where
/// there is none they wait until there is.
///
/// Ranks that are alike may be one (folded_ports.h), which sends in the name of all.
///
/// Times are whole picoseconds and only differences of them are used, so that the same happens
/// again if it begins later.
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

  [[nodiscard]] std::span<const std::uint32_t> nearest_memories(EndPoint rank) const override {
    return routes_->nearest_memories(rank);
  }
  [[nodiscard]] std::uint32_t place(EndPoint rank) const override { return ports_.place(rank); }
  [[nodiscard]] std::uint32_t colour(EndPoint from, EndPoint to) const override {
    return ports_.colour(from, to);
  }
  [[nodiscard]] bool uniform() const override { return ports_.uniform(); }
  [[nodiscard]] bool shares_links() const override { return ports_.shares_links(); }
  void crossings(EndPoint from, EndPoint to, std::vector<Crossing>& out) const override {
    ports_.crossings(from, to, out);
  }
  [[nodiscard]] std::uint64_t link_kind(std::uint32_t link) const override {
    return ports_.link_kind(link);
  }
  void fold(const std::vector<std::uint32_t>& class_of, const std::vector<std::uint32_t>& members,
            const EquivalentLinks& links) override {
    ports_.fold(class_of, members, links);
  }

  [[nodiscard]] std::uint32_t link_count() const override {
    return routes_->topology().link_count();
  }
  [[nodiscard]] LinkPlace link(std::uint32_t number) const override {
    return routes_->place(number);
  }

 protected:
  [[nodiscard]] std::int64_t uncontended_time(EndPoint from, EndPoint to,
                                              std::int64_t bytes) const override;

 private:
  struct Flow {
    Send send;
    const Route* way = nullptr;
    std::vector<platform::RouteLink> own;  // its way, where ways look
    std::uint32_t place = 0;               // in the heap
    bool shared = false;                   // its rate has not always been the same
    double latency_ns = 0;
    double max_rate = 0;  // bytes per nanosecond, were it alone
    double rate = 0;      // bytes per nanosecond
    double left = 0;      // bytes, at `since`
    std::int64_t begun = 0;
    std::int64_t since = 0;
    std::int64_t reported = 0;  // bytes that links were said to have carried until then
    std::int64_t end = kNever;
  };
  struct Landing {
    std::int64_t time;
    Send send;
  };
  class Loads;

  FlowNetwork(const platform::Platform& platform, std::shared_ptr<FabricRoutes> routes);
  FlowNetwork(std::shared_ptr<FabricRoutes> routes, FoldedPorts ports);
  [[nodiscard]] static const std::vector<platform::RouteLink>& steps(const Flow& flow) {
    return flow.own.empty() ? flow.way->steps : flow.own;
  }
  [[nodiscard]] std::int64_t lands(const Flow& flow, std::int64_t end) const;
  [[nodiscard]] bool moves(const Flow& flow) const;
  void begin(const Send& message, std::int64_t now, Sink& sink);
  void route(std::uint32_t number, std::int64_t now, Sink* sink);
  void join(std::uint32_t number, Sink* sink);
  void find_hops(const Flow& flow, Sink* sink);
  void leave(std::uint32_t number);
  void progress(Flow& flow, std::int64_t now);
  void report_links(Flow& flow, std::int64_t now, std::int64_t sent);
  void solve(std::int64_t now);
  void update_faults(std::int64_t now);
  void find_next();
  void sift_up(std::uint32_t place);
  void sift_down(std::uint32_t place);

  std::shared_ptr<FabricRoutes> routes_;
  FoldedPorts ports_;
  std::uint32_t state_ = 0;
  FlowBundles solver_;
  std::vector<Send> sent_;
  std::vector<Flow> flows_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> heap_;      // flows by their end, the earliest first
  std::vector<std::uint32_t> stranded_;  // flows without a way
  std::vector<Landing> landing_;         // a heap: the earliest first
  std::vector<MaxMin::Hop> hops_;
  std::int64_t fault_ = kNever;  // when one begins or ends
  std::int64_t next_ = kNever;
  std::uint64_t epoch_ = 0;
};

}  // namespace orrery::model
