// SPDX-License-Identifier: Apache-2.0
//
// The packets of messages in ns-3: a cross-check of the packet network.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/network/ns3/ns3_plugin.h"
#include "orrery/network/packet_network.h"
#include "orrery/network/packet_paths.h"

struct OrreryNs3Counts;      // plugins/ns3/orrery_ns3.h
struct OrreryNs3Simulation;  // of the plug-in

namespace orrery::model {

/// Whether ns-3 can simulate the platform's network: packets with constant windows and unlimited
/// queues, one route per pair. `where`: the cluster, for errors. Errc: config_conflict, with the
/// name of the setting that the plug-in does not model. The plug-in need not be there.
[[nodiscard]] Result<void> check_ns3(const platform::Platform& platform, const std::string& where);

/// The packets of messages, as in PacketNetwork: same routes, windows, sizes and turns, on raw
/// devices of ns-3. Each event of ns-3 is one of next(). Simultaneous events have ns-3's order.
///
/// A process has one ns-3. Several networks may exist, but their calls wait for each other.
class Ns3Network final : public Network {
 public:
  /// check_ns3() accepts the platform. `plugin`: of load_ns3_plugin().
  Ns3Network(const platform::Platform& platform, const OrreryNs3Functions& plugin);

  void send(const Send& message) override { sent_.push_back(message); }
  [[nodiscard]] bool unsettled() const override { return !sent_.empty(); }
  void settle(std::int64_t now, Sink& sink) override;
  [[nodiscard]] std::int64_t next() const override { return next_; }
  [[nodiscard]] std::uint64_t epoch() const override { return epoch_; }
  void advance(std::int64_t until, Sink& sink) override;
  /// Not supported: ns-3 cannot be copied.
  [[nodiscard]] std::unique_ptr<Network> snapshot() const override { return nullptr; }

  [[nodiscard]] std::span<const std::uint32_t> nearest_memories(EndPoint rank) const override {
    return packets_.nearest_memories(rank);
  }
  [[nodiscard]] std::uint32_t link_count() const override { return packets_.link_count(); }
  [[nodiscard]] LinkPlace link(std::uint32_t number) const override {
    return packets_.link(number);
  }
  void add_findings(Findings& findings) const override;
  /// Of the simulation so far; zeros before the first message.
  [[nodiscard]] OrreryNs3Counts counts() const;

 protected:
  [[nodiscard]] std::int64_t compute_uncontended_time(EndPoint from, EndPoint to,
                                                      std::int64_t bytes) const override {
    return packets_.uncontended_time(from, to, bytes);
  }

 private:
  struct Destroy {
    const OrreryNs3Functions* plugin;
    void operator()(OrreryNs3Simulation* simulation) const;
  };
  Ns3Network(const platform::Platform& platform, const OrreryNs3Functions& plugin,
             const std::shared_ptr<FabricRoutes>& routes);
  void begin();
  [[nodiscard]] std::uint32_t connection(EndPoint from, EndPoint to);
  [[nodiscard]] std::int64_t window(const std::vector<std::uint32_t>& forth,
                                    const std::vector<std::uint32_t>& back) const;
  void run(std::int64_t until, Sink& sink);
  void report(Sink& sink);
  void find_next();

  const OrreryNs3Functions& plugin_;
  PacketNetwork packets_;  // never sends: for times without contention, links and memories
  platform::PacketSettings settings_;
  std::int64_t usual_window_;  // bytes; kOwnWindow: each pair has its own
  std::vector<PacketLink> links_;
  PacketPaths paths_;
  std::uint32_t nodes_;
  std::unique_ptr<OrreryNs3Simulation, Destroy> simulation_;      // null: nothing was sent
  std::unordered_map<std::uint64_t, std::uint32_t> connections_;  // by both ends
  std::vector<Send> sent_;
  std::uint64_t undelivered_ = 0;
  bool records_ = false;
  std::int64_t next_ = kNever;
  std::uint64_t epoch_ = 0;
};

}  // namespace orrery::model
