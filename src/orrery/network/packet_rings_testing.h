// SPDX-License-Identifier: Apache-2.0
//
// For tests and benchmarks: a ring all-reduce over packets, on one switch or on leaves and spines.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "orrery/core/check.h"
#include "orrery/network/packet_network.h"
#include "orrery/platform/cluster/fabric/fabric.h"
#include "orrery/platform/packet_settings.h"

namespace orrery::model::testing {

/// Hosts with one port each, links of 400 Gb/s and 500 ns. Without spines: one switch. Otherwise 8
/// hosts per leaf; `spine_of` chooses the spine of a message from one host to another.
struct RingFabric {
  int hosts = 8;
  int spines = 0;
  std::function<int(int from, int to)> spine_of;
};

inline platform::Platform ring_platform(const RingFabric& shape) {
  constexpr int kHostsPerLeaf = 8;
  const platform::LinkFigures cable{Bandwidth(50e9), ns(500), 1, platform::LinkClass::network};
  platform::TopologyBuilder builder("ring", "test");
  auto fabric = std::make_shared<platform::Fabric>();
  std::vector<platform::NodeIndex>& devices = fabric->rank_devices;
  std::vector<platform::NodeIndex> leaves, spines;
  for (int i = 0; i < shape.hosts; ++i)
    devices.push_back(
        builder.add(platform::NodeClass::device, "host" + std::to_string(i), builder.add_host()));
  const int per_leaf = shape.spines > 0 ? kHostsPerLeaf : shape.hosts;
  for (int i = 0; i < shape.hosts / per_leaf; ++i)
    leaves.push_back(builder.add(platform::NodeClass::leaf, "leaf" + std::to_string(i)));
  for (int i = 0; i < shape.spines; ++i)
    spines.push_back(builder.add(platform::NodeClass::spine, "spine" + std::to_string(i)));
  const auto leaf_of = [&](int host) { return leaves[static_cast<std::size_t>(host / per_leaf)]; };
  for (int i = 0; i < shape.hosts; ++i)
    builder.join(devices[static_cast<std::size_t>(i)], leaf_of(i), cable);
  for (const platform::NodeIndex leaf : leaves) {
    for (const platform::NodeIndex spine : spines) builder.join(leaf, spine, cable);
  }
  fabric->topology = builder.finish("test").value();
  const auto fix_route = [&](int from, int to) {
    if (leaf_of(from) == leaf_of(to)) return;
    fabric->routing.fixed_routes.push_back(
        {{devices[static_cast<std::size_t>(from)], leaf_of(from),
          spines[static_cast<std::size_t>(shape.spine_of(from, to))], leaf_of(to),
          devices[static_cast<std::size_t>(to)]}});
  };
  for (int i = 0; i < shape.hosts; ++i) {
    fix_route(i, (i + 1) % shape.hosts);
    fix_route((i + 1) % shape.hosts, i);
  }
  platform::Platform platform;
  platform.network = NetworkModelKind::packet;
  platform.dims = {{platform::Block::switched, shape.hosts, Bandwidth(50e9), 500}};
  platform.fabric = std::move(fabric);
  return platform;
}

/// Packets of 4096 + 62 B, acknowledgements of 62 B, all in one queue; by packets in the window.
inline platform::Platform with_window(platform::Platform platform, std::int64_t window) {
  auto settings = std::make_shared<platform::PacketSettings>();
  settings->window = window;
  settings->posting = platform::PacketPosting::fifo;
  platform.packets = std::move(settings);
  return platform;
}

/// A ring all-reduce: each rank sends its part to the next one, 2 (n - 1) times, as soon as it has
/// the one before.
class PacketRing final : private Sink {
 public:
  PacketRing(Network& network, std::int64_t bytes_per_rank)
      : network_(network),
        ranks_(network.end_points().ranks),
        part_(bytes_per_rank / ranks_),
        sent_(ranks_) {}

  /// The time of the last arrival, in picoseconds.
  std::int64_t run() {
    for (EndPoint rank = 0; rank < ranks_; ++rank) send(rank);
    network_.settle(0, *this);
    std::int64_t last = 0;
    while (network_.next() != Network::kNever) {
      const std::int64_t now = network_.next();
      network_.advance(now, *this);
      if (!arrived_.empty()) last = now;
      for (const std::uint32_t from : arrived_) {
        const EndPoint rank = (from + 1) % ranks_;
        if (sent_[rank] < 2 * (ranks_ - 1)) send(rank);
      }
      arrived_.clear();
      if (network_.unsettled()) network_.settle(now, *this);
    }
    return last;
  }

 private:
  void send(EndPoint rank) {
    network_.send({.from = rank,
                   .to = (rank + 1) % ranks_,
                   .bytes = part_,
                   .token = rank,
                   .order = sent_[rank]++});
  }
  void arrives(std::uint32_t token) override { arrived_.push_back(token); }
  void call(std::int64_t /*delay*/, std::uint64_t /*code*/) override { ORRERY_CHECK(false); }
  void not_equivalent() override {}
  void order_matters(std::uint32_t /*link*/) override {}
  void will_arrive(const Send& /*message*/, std::int64_t /*delay*/,
                   std::uint32_t /*link*/) override {}
  void exceeds_clock() override { ORRERY_CHECK(false); }

  Network& network_;
  std::uint32_t ranks_;
  std::int64_t part_;
  std::vector<std::uint32_t> sent_;
  std::vector<std::uint32_t> arrived_;
};

}  // namespace orrery::model::testing
