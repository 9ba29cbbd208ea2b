// SPDX-License-Identifier: Apache-2.0
//
// The packet network compared with ns-3 itself, through the plug-in. Without the plug-in
// (./setup ns3), only its errors are tested.
#include "orrery/network/ns3/ns3_network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "orrery/core/effort_testing.h"
#include "orrery/core/paths_testing.h"
#include "orrery/network/packet_rings_testing.h"
#include "orrery/network/packet_testing.h"

namespace orrery::model {
namespace {

using ::testing::HasSubstr;
using testing::Driver;
using testing::packet_cluster;
using testing::PacketRing;
using testing::ring_platform;
using testing::TimedSend;
using testing::with_window;

constexpr std::int64_t kTolerancePs = 100;  // 0.1 ns

std::string build_folder() { return core_testing::kBuildFolder; }

class Ns3 : public ::testing::Test {
 protected:
  void SetUp() override {
#ifdef ORRERY_NS3_PLUGIN
    const auto loaded = load_ns3_plugin(ORRERY_NS3_PLUGIN);
    ASSERT_TRUE(loaded) << to_string(loaded.error());
    plugin_ = *loaded;
#else
    GTEST_SKIP() << "built without ns-3 (./setup ns3)";
#endif
  }
  [[nodiscard]] Ns3Network on_ns3(const platform::Platform& platform) const {
    const auto fine = check_ns3(platform, "test");
    EXPECT_TRUE(fine) << (fine ? "" : to_string(fine.error()));
    return Ns3Network(platform, *plugin_);
  }

  const OrreryNs3Functions* plugin_ = nullptr;
};

using Random = std::mt19937_64;

std::int64_t below(Random& random, std::int64_t limit) {
  return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limit));
}

template <class Value>
Value one_of(Random& random, std::initializer_list<Value> values) {
  return values.begin()[below(random, std::ssize(values))];
}

/// A cable with a latency that no other cable has, so that no two packets reach a queue in one
/// picosecond: their order would be another in ns-3.
platform::LinkFigures any_cable(Random& random) {
  const double gigabits = one_of(random, {25.0, 50.0, 100.0, 200.0, 400.0, 70.0});
  const double latency_ns = static_cast<double>(50'000 + below(random, 900'000)) / 1e3;
  return {Bandwidth(gigabits * 1e9 / 8), ns(latency_ns), 1, platform::LinkClass::network};
}

/// Up to 10 hosts on up to 4 leaves, which up to 3 spines join; one leaf: a star.
std::shared_ptr<platform::Fabric> any_fabric(Random& random) {
  platform::TopologyBuilder builder("random", "test");
  auto fabric = std::make_shared<platform::Fabric>();
  const std::int64_t hosts = 2 + below(random, 9), leaves = 1 + below(random, 4);
  std::vector<platform::NodeIndex> switches;
  for (std::int64_t i = 0; i < leaves; ++i)
    switches.push_back(builder.add(platform::NodeClass::leaf, "leaf" + std::to_string(i)));
  const std::int64_t spines = leaves > 1 ? 1 + below(random, 3) : 0;
  for (std::int64_t i = 0; i < spines; ++i) {
    const auto spine = builder.add(platform::NodeClass::spine, "spine" + std::to_string(i));
    for (const platform::NodeIndex leaf : switches) builder.join(leaf, spine, any_cable(random));
  }
  for (std::int64_t i = 0; i < hosts; ++i) {
    const auto host =
        builder.add(platform::NodeClass::device, "host" + std::to_string(i), builder.add_host());
    fabric->rank_devices.push_back(host);
    builder.join(host, switches[static_cast<std::size_t>(below(random, leaves))],
                 any_cable(random));
  }
  fabric->topology = builder.finish("test").value();
  fabric->routing.policy = one_of(random, {platform::RoutePolicy::ecmp, platform::RoutePolicy::d_mod_k});
  return fabric;
}

std::shared_ptr<platform::PacketSettings> any_settings(Random& random) {
  auto settings = std::make_shared<platform::PacketSettings>();
  settings->payload = Bytes(one_of<std::int64_t>(random, {256, 938, 1500, 4096}));
  settings->header = Bytes(one_of<std::int64_t>(random, {40, 62}));
  settings->acknowledgement = Bytes(one_of<std::int64_t>(random, {62, 64, 90}));
  const std::int64_t window = one_of<std::int64_t>(random, {-1, 0, 1, 2, 5, 16, 64});
  if (window >= 0) settings->window = window;
  settings->posting =
      one_of(random, {platform::PacketPosting::turns, platform::PacketPosting::fifo});
  return settings;
}

platform::Platform any_platform(Random& random) {
  platform::Platform made;
  made.fabric = any_fabric(random);
  made.dims = {{platform::Block::switched,
                static_cast<std::int64_t>(made.fabric->rank_devices.size()), Bandwidth(50e9), 500}};
  made.packets = any_settings(random);
  return made;
}

/// Messages of many sizes, several at a time, between any hosts; some pairs send several.
std::vector<TimedSend> any_messages(Random& random, std::uint32_t hosts) {
  std::vector<TimedSend> sends;
  const std::int64_t count = 5 + below(random, 40);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto from = static_cast<EndPoint>(below(random, hosts));
    const std::int64_t most = one_of<std::int64_t>(random, {1, 3'000, 60'000, 400'000});
    sends.push_back({below(random, 3) * 5'000'011,
                     {.from = from,
                      .to = static_cast<EndPoint>((from + 1 + below(random, hosts - 1)) % hosts),
                      .bytes = below(random, most),
                      .token = i,
                      .order = i}});
  }
  return sends;
}

void expect_equal(const Driver& packets, const Driver& ns3) {
  ASSERT_EQ(packets.arrivals.size(), ns3.arrivals.size());
  for (const auto& [token, time] : packets.arrivals)
    EXPECT_NEAR(static_cast<double>(time), static_cast<double>(ns3.arrivals.at(token)), kTolerancePs)
        << "message " << token;
}

// The completion of each message. In CI 60 fabrics, at full effort 2,000.
TEST_F(Ns3, RandomFabricsEqualPackets) {
  const int fabrics = testing::with_full_effort() ? 2000 : 60;
  for (int seed = 1; seed <= fabrics && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(static_cast<std::uint64_t>(seed));
    const platform::Platform platform = any_platform(random);
    PacketNetwork packets(platform);
    Ns3Network ns3 = on_ns3(platform);
    const std::vector<TimedSend> sends = any_messages(random, ns3.end_points().ranks);
    Driver expected(packets), simulated(ns3);
    expected.run(sends);
    simulated.run(sends);
    ASSERT_EQ(expected.arrivals.size(), sends.size());
    expect_equal(expected, simulated);
    EXPECT_EQ(ns3.counts().packets, packets.engine().counts().sent);
  }
}

}  // namespace
}  // namespace orrery::model
