// SPDX-License-Identifier: Apache-2.0
//
// What a monitor of the packet network collects. 0.2 CPU s.
#include "orrery/network/packet/packet_monitor.h"

#include <gtest/gtest.h>

#include <string>

#include "orrery/network/packet_testing.h"

namespace orrery::model {
namespace {

using testing::Driver;
using testing::incast_of;
using testing::star;

PortSample sum_of(const PacketMonitor& monitor) {
  PortSample sum;
  for (std::uint32_t port = 0; port < monitor.port_count(); ++port) {
    const PortSample one = monitor.total(port);
    sum.longest_queue = std::max(sum.longest_queue, one.longest_queue);
    sum.paused += one.paused;
    sum.marks += one.marks;
    sum.pauses += one.pauses;
    sum.trims += one.trims;
    sum.notifications += one.notifications;
    sum.again += one.again;
    for (std::size_t i = 0; i < kPacketDrops; ++i) sum.drops[i] += one.drops[i];
  }
  return sum;
}

// The samples sum to the counts of the run, and monitoring changes nothing.
TEST(PacketMonitor, SamplesSumToTheCounts) {
  for (const char* const packets :
       {"queue: 50 kB, timeout: 50 us, transport: dctcp, mark_from: 10 kB, mark_to: 40 kB",
        "queue: 50 kB, trims: true", "buffer: 100 kB, pfc: true, window: 0",
        "buffer: 100 kB, pfc: true, headroom: 1 kB, window: 0",
        "buffer: 1 MB, pfc: true, transport: dcqcn, mark_from: 10 kB, mark_to: 40 kB"}) {
    SCOPED_TRACE(packets);
    PacketNetwork network(star(9, packets)), other(star(9, packets));
    PacketMonitor monitor;
    network.monitor(&monitor);
    Driver driver(network), unseen(other);
    driver.run(incast_of(8, 300));
    unseen.run(incast_of(8, 300));
    EXPECT_EQ(driver.arrivals, unseen.arrivals);

    const PacketCounts& counts = network.engine().counts();
    const PortSample sum = sum_of(monitor);
    EXPECT_EQ(sum.marks, counts.marked);
    EXPECT_EQ(sum.trims, counts.trimmed);
    EXPECT_EQ(sum.again, counts.again);
    EXPECT_EQ(sum.notifications, counts.notifications);
    EXPECT_GE(sum.pauses, counts.pauses);
    for (std::size_t i = 0; i < kPacketDrops; ++i) EXPECT_EQ(sum.drops[i], counts.dropped_by[i]);
    EXPECT_GT(sum.longest_queue, 0);
    EXPECT_EQ(sum.paused > 0, counts.pauses > 0);
    ASSERT_EQ(monitor.messages().size(), 8u);
    for (const MessageSample& message : monitor.messages()) {
      EXPECT_EQ(message.bytes, 300 * 938);
      EXPECT_EQ(message.arrived - message.posted, driver.arrivals.at(message.from - 1));
    }
  }
}

TEST(PacketMonitor, MemoryDoesNotDependOnTime) {
  PacketMonitor monitor(10);
  std::int64_t time = 0;
  for (int i = 0; i < 100'000; ++i) {
    ++monitor.at(3, time += 1'000'000).marks;
    monitor.add_message({});
  }
  EXPECT_LE(monitor.samples(3).size(), PacketMonitor::kBins);
  EXPECT_GE(monitor.samples(3).size(), PacketMonitor::kBins / 2);
  EXPECT_EQ(monitor.total(3).marks, 100'000u);
  EXPECT_TRUE(monitor.samples(2).empty());
  EXPECT_EQ(monitor.messages().size(), 10u);
  EXPECT_EQ(monitor.message_count(), 100'000u);
  // A pause over several bins counts where it is.
  monitor.set_paused(4, true, monitor.bin() / 2);
  monitor.set_paused(4, true, monitor.bin());  // another priority
  monitor.set_paused(4, false, 3 * monitor.bin());
  EXPECT_EQ(monitor.samples(4)[0].paused, monitor.bin() / 2);
  EXPECT_EQ(monitor.samples(4)[1].paused, monitor.bin());
  EXPECT_EQ(monitor.total(4).paused, 2 * monitor.bin() + monitor.bin() / 2);
}

}  // namespace
}  // namespace orrery::model
