// SPDX-License-Identifier: Apache-2.0
//
// Packet-level model of congestion: packets queue at links, and a transport paces their senders.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "orrery/network/fabric_routes.h"
#include "orrery/network/network.h"
#include "orrery/network/packet/packet_engine.h"
#include "orrery/network/packet_skipping/packet_traffic.h"
#include "orrery/platform/packet_settings.h"

namespace orrery::model {

/// The platform's settings, with values for those that it does not give: from the fabric's
/// transport, else 4 KiB of payload and 62 B of header.
[[nodiscard]] platform::PacketSettings complete_packet_settings(const platform::Platform& platform);

/// The window of the fabric's transport in packets, at least 1. Empty: it has none.
[[nodiscard]] std::optional<std::int64_t> fabric_window(const platform::Platform& platform);

/// The links of the fabric, as packets see them.
[[nodiscard]] std::vector<PacketLink> packet_links(const FabricRoutes& routes);

/// The packets of messages, over a fabric or the graph of the dimensions: see PacketEngine.
///
/// Without contention, the last packet of a message of n packets arrives after
///
///   latencies + max over links j of [sum of s up to j + (n - 2) x max of s up to j
///                                    + sum of r from j],
///
/// where s is the time to send a full packet over a link and r that of the last packet. With one
/// bandwidth that is (n - 1) full packets, and the last packet at every link. Windows are ignored.
/// Sprayed packets share the rates of parallel links; if these differ in latency or bandwidth, the
/// time is not a lower bound.
///
/// The acknowledgements of a message still travel when it has arrived, so the network does not
/// repeat exactly, and no rank represents others.
class PacketNetwork final : public Network {
 public:
  explicit PacketNetwork(const platform::Platform& platform);

  void send(const Send& message) override { sent_.push_back(message); }
  [[nodiscard]] bool unsettled() const override { return !sent_.empty(); }
  void settle(std::int64_t now, Sink& sink) override;
  /// No message arrives before this time. Packets move without an event of the simulator.
  [[nodiscard]] std::int64_t next() const override { return next_; }
  [[nodiscard]] std::uint64_t epoch() const override { return epoch_; }
  void advance(std::int64_t until, Sink& sink) override;
  [[nodiscard]] std::unique_ptr<Network> snapshot() const override;
  [[nodiscard]] std::string why_stalled() const override;
  void add_findings(Findings& findings) const override;
  [[nodiscard]] std::optional<PacketTotals> packet_totals() const override {
    return skipper_ ? std::nullopt : std::optional(engine_.totals());
  }
  [[nodiscard]] std::optional<PacketRecord> packet_record() const override {
    return skipper_ ? std::nullopt : engine_.recorded();
  }

  [[nodiscard]] std::span<const std::uint32_t> nearest_memories(EndPoint rank) const override {
    return routes_->nearest_memories(rank);
  }
  [[nodiscard]] std::uint32_t link_count() const override {
    return routes_->topology().link_count();
  }
  [[nodiscard]] LinkPlace link(std::uint32_t number) const override {
    return routes_->describe(number);
  }
  /// Has all packets, unless messages are skipped.
  [[nodiscard]] const PacketEngine& engine() const { return engine_; }
  /// From now on, all packets are simulated, so that the queues of ports can be observed. Before
  /// the first message. `why`: as why_not_skipped().
  void simulate_all_packets(std::string why);
  /// The result of why_not_skipped(), or the reason of simulate_all_packets(); empty if messages
  /// are skipped, or if the settings do not want it.
  [[nodiscard]] const std::string& why_nothing_is_skipped() const { return why_not_skipped_; }
  /// The packet events so far, if messages may be skipped. Completes what is in flight.
  [[nodiscard]] std::optional<SkippedEvents> skipped_events();

 protected:
  [[nodiscard]] std::int64_t compute_uncontended_time(EndPoint from, EndPoint to,
                                                      std::int64_t bytes) const override;

 private:
  class Reporter;
  static constexpr int kMostInVain =
      1000;  // changes of faults while messages wait, without an event

  PacketNetwork(const platform::Platform& platform, std::shared_ptr<FabricRoutes> routes);
  PacketNetwork(const PacketNetwork&) = default;
  void run(std::int64_t until, Reporter& reporter);
  void post(const Send& message, std::int64_t ideal, std::int64_t now, Reporter& reporter);
  void change_links(std::int64_t now);
  [[nodiscard]] std::int64_t next_reroute() const {
    return reroutes_.empty() ? kNever : reroutes_.front().first;
  }
  void find_next();
  [[nodiscard]] std::string link_name(std::uint32_t link) const;
  [[nodiscard]] std::string pause_cycle() const;

  std::shared_ptr<FabricRoutes> routes_;
  std::shared_ptr<FabricRoutes> spread_routes_;  // for uncontended times; null: no spraying
  platform::PacketSettings settings_;
  PacketEngine engine_;
  mutable std::optional<PacketSkipper> skipper_;  // its events are counted when it is asked
  std::string why_not_skipped_;  // empty: messages may be skipped, or the settings say no
  std::vector<Send> sent_;
  std::uint32_t state_ = 0;  // of faults
  std::int64_t fault_;       // next time at which a fault begins or ends
  std::deque<std::pair<std::int64_t, std::uint32_t>> reroutes_;  // times and states
  int changes_in_vain_ = 0;
  std::int64_t next_ = kNever;
  std::uint64_t epoch_ = 0;
};

}  // namespace orrery::model
