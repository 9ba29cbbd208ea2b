// SPDX-License-Identifier: Apache-2.0
//
// Cycle-level model of congestion: the flits of messages pass routers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "orrery/network/fabric_routes.h"
#include "orrery/network/network.h"
#include "orrery/network/noc_messages/flit_traffic.h"
#include "orrery/platform/noc_settings.h"

namespace orrery::model {

/// The routers of a fabric: one for each of its nodes. End points (ranks, memories, switches that
/// reduce) are the nodes of the routers. Links have the numbers of the fabric's links.
struct NocFabric {
  noc::NocGraph graph;
  noc::RouteTable table;           ///< empty: routes follow from coordinates or `settings.routing`
  platform::NocSettings settings;  ///< complete
};

/// A mesh or torus whose devices are numbered with the first dimension fastest becomes a cube, so
/// that routes by dimension apply. For `shortest` in other graphs, the table has the routes of the
/// fabric's policy; of several next links, a hash of the router and the destination selects one.
/// Routers with equal cycles have one clock. Errc::config_range, config_conflict: a clock names no
/// router.
[[nodiscard]] Result<NocFabric> make_noc_fabric(FabricRoutes& routes,
                                                const platform::Platform& platform);

/// Whether the platform's network can be simulated by flits. A mesh or torus with a link that is
/// down is another graph, in which no route uses that link. Errc: see noc::FlitEngine::make.
[[nodiscard]] Result<void> check_noc(const platform::Platform& platform, const std::string& where);

/// The flits of messages, over a fabric or the graph of the dimensions: see noc::FlitEngine. A
/// device sends its messages one after another, in packets.
///
/// Without contention, the first flit lasts as many cycles as the routers have stages and links
/// have delays; the others follow at the rate of the slowest link. Between clocks, a flit also
/// waits for the next cycle of the receiver, which is not part of uncontended_time().
class NocNetwork final : public Network {
 public:
  /// check_noc() accepts the platform.
  explicit NocNetwork(const platform::Platform& platform);

  void send(const Send& message) override { sent_.push_back(message); }
  [[nodiscard]] bool unsettled() const override { return !sent_.empty(); }
  void settle(std::int64_t now, Sink& sink) override;
  /// No message arrives before this time.
  [[nodiscard]] std::int64_t next() const override { return next_; }
  [[nodiscard]] std::uint64_t epoch() const override { return epoch_; }
  void advance(std::int64_t until, Sink& sink) override;
  [[nodiscard]] std::unique_ptr<Network> snapshot() const override;

  [[nodiscard]] std::span<const std::uint32_t> nearest_memories(EndPoint rank) const override {
    return routes_->nearest_memories(rank);
  }
  [[nodiscard]] std::uint32_t link_count() const override {
    return routes_->topology().link_count();
  }
  [[nodiscard]] LinkPlace link(std::uint32_t number) const override {
    return routes_->describe(number);
  }
  void add_findings(Findings& findings) const override;

  /// Has all flits, unless messages are skipped.
  [[nodiscard]] const noc::FlitEngine& engine() const { return messages_.engine(); }
  /// The flits that have passed a router so far, if messages may be skipped. Completes what is in
  /// flight.
  [[nodiscard]] std::optional<SkippedEvents> skipped_flits() const;
  [[nodiscard]] const platform::NocSettings& settings() const { return settings_; }
  /// The routers that a message passes: the mean over pairs of ranks whose numbers differ by 1, 2,
  /// 4, …, by the routes of the fabric. O(log ranks) searches of routes.
  [[nodiscard]] double mean_routers() const;

 protected:
  [[nodiscard]] std::int64_t compute_uncontended_time(EndPoint from, EndPoint to,
                                                      std::int64_t bytes) const override;

 private:
  class Reporter;

  NocNetwork(const platform::Platform& platform, std::shared_ptr<FabricRoutes> routes);
  NocNetwork(const NocNetwork&) = default;
  void run(std::int64_t until, Sink& sink);
  void find_next();

  std::shared_ptr<FabricRoutes> routes_;
  platform::NocSettings settings_;
  FlitMessages messages_;                       // idle if messages may be skipped
  mutable std::optional<FlitSkipper> skipper_;  // its events are counted when it is asked
  std::string why_not_skipped_;  // empty: messages may be skipped, or the settings say no
  std::shared_ptr<const noc::NocPorts> ports_;
  std::vector<Send> sent_;
  std::uint64_t posted_ = 0;  ///< messages
  std::int64_t next_ = kNever;
  std::uint64_t epoch_ = 0;
};

}  // namespace orrery::model
