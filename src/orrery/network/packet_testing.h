// SPDX-License-Identifier: Apache-2.0
//
// For tests: small clusters of packets, and messages over them.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "orrery/network/network_driver_testing.h"
#include "orrery/network/packet_network.h"
#include "orrery/platform/cluster/cluster.h"

namespace orrery::model::testing {

inline platform::Platform packet_cluster(const std::string& network) {
  Findings findings;
  const auto made = platform::parse_cluster(
      "device: {peak: 1 TFLOP/s, memory_bandwidth: 1 TB/s}\nnetwork_model: packet\n" + network,
      "test", findings);
  EXPECT_TRUE(made) << (made ? "" : to_string(made.error())) << "\n" << network;
  return *made;
}

/// `hosts` devices at one switch: 10 GB/s, 500 ns, packets of 938 + 62 B, 100 ns each.
inline platform::Platform star(int hosts, const std::string& packets) {
  return packet_cluster(
      fmt::format("fabric: {{hosts: [{{count: {}, devices: 1}}], network: {{kind: switch, port: "
                  "{{bandwidth: 10 "
                  "GB/s, latency: 500 ns}}}}}}\npackets: {{payload: 938 B, header: 62 B, {}}}\n",
                  hosts, packets));
}

/// `senders` send `packets` full packets each to device 0.
inline std::vector<TimedSend> incast_of(std::uint32_t senders, std::int64_t packets) {
  std::vector<TimedSend> sends;
  for (std::uint32_t i = 0; i < senders; ++i)
    sends.push_back({0, {.from = i + 1, .to = 0, .bytes = packets * 938, .token = i, .order = i}});
  return sends;
}

inline std::int64_t last_arrival(const Driver& driver) {
  std::int64_t last = 0;
  for (const auto& [token, time] : driver.arrivals) last = std::max(last, time);
  return last;
}

/// Every data packet is received, dropped, trimmed or in flight.
inline void expect_conserved(const PacketNetwork& network) {
  const PacketCounts& counts = network.engine().counts();
  EXPECT_EQ(counts.sent,
            counts.received + counts.dropped + counts.trimmed + network.engine().in_flight());
  std::uint64_t dropped = 0;
  for (const std::uint64_t each : counts.dropped_by) dropped += each;
  EXPECT_EQ(counts.dropped, dropped);
}

}  // namespace orrery::model::testing
