// SPDX-License-Identifier: Apache-2.0
//
// Transports of the packet network: shapes that theory or their papers state. 2 CPU s.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "orrery/network/packet/dcqcn.h"
#include "orrery/network/packet/hpcc.h"
#include "orrery/network/packet/swift.h"
#include "orrery/network/packet_testing.h"

namespace orrery::model {
namespace {

using testing::Driver;
using testing::incast_of;
using testing::last_arrival;
using testing::star;

// The curve of Zhu et al. 2015, equations 1 to 4 and figure 7: a cut by half, five halving steps
// back (fast recovery), then R_AI / 2 more per step towards a rising target.
TEST(Dcqcn, RateFollowsThePublishedCurve) {
  platform::DcqcnSettings settings;
  settings.increase_bytes = Bytes(1'000'000'000'000);  // time alone
  const double line = 5e-3;                            // 40 Gb/s
  Dcqcn dcqcn(settings, line);
  EXPECT_FALSE(dcqcn.is_limited());
  dcqcn.notified(0);
  EXPECT_DOUBLE_EQ(dcqcn.rate(), line / 2);  // alpha is 1 at first
  const std::int64_t period = us(55).count();
  double expected = line / 2;
  for (int step = 1; step <= 5; ++step) {
    dcqcn.advance(step * period - 1);
    EXPECT_DOUBLE_EQ(dcqcn.rate(), expected);
    dcqcn.advance(step * period);
    expected = (expected + line) / 2;
    EXPECT_DOUBLE_EQ(dcqcn.rate(), expected);
  }
  // A second cut, with an alpha that has decayed for 5 periods. Then a target below the line rate:
  // additive increase after fast recovery.
  const double alpha = std::pow(1 - 1.0 / 256, 5);
  dcqcn.notified(5 * period + 1);
  const double target = expected;
  expected *= 1 - alpha / 2;
  EXPECT_NEAR(dcqcn.rate(), expected, 1e-12);
  for (int step = 1; step <= 5; ++step) expected = (expected + target) / 2;
  dcqcn.advance(10 * period + 1);
  EXPECT_NEAR(dcqcn.rate(), expected, 1e-12);
  expected = (expected + target + 5e-6) / 2;  // R_AI: 40 Mb/s
  dcqcn.advance(11 * period + 1);
  EXPECT_NEAR(dcqcn.rate(), expected, 1e-12);
}

// Both time and bytes beyond fast recovery: the target rises by R_HAI.
TEST(Dcqcn, IncreasesFasterWhenTimeAndBytesAgree) {
  platform::DcqcnSettings settings;
  settings.fast_recovery = 1;
  settings.increase_bytes = Bytes(1000);
  Dcqcn dcqcn(settings, 5e-3);
  dcqcn.notified(0);
  dcqcn.notified(1);  // the target is now half of the line
  dcqcn.sent(2000);
  const std::int64_t period = us(55).count();
  dcqcn.advance(1 + period);
  const double before = dcqcn.rate();
  dcqcn.advance(1 + 2 * period);
  // One step with both above fast recovery, after one additive step by bytes and one by time.
  EXPECT_NEAR(dcqcn.rate(), (before + 2.5e-3 + 2 * 5e-6 + 12.5e-6) / 2, 1e-12);
  EXPECT_LT(dcqcn.rate(), 5e-3);
}

// Algorithm 1 of Li et al. 2019: with a load of U at every acknowledgement, the window is W x
// target / U + increase; below the target it grows by the increase, once per round trip.
TEST(Hpcc, WindowFollowsTheMeasuredLoad) {
  platform::HpccSettings settings;
  Hpcc hpcc(settings, 100'000);
  const double round_trip = 10e6, per_byte = 100;  // 10 us, 10 GB/s
  std::int64_t bytes = 0;
  const auto record = [&](std::int64_t time, double load, std::uint32_t queue) {
    bytes += std::llround(1e6 * load / per_byte);
    return std::vector<LinkLoadRecord>{{time, bytes, per_byte, queue, 7}};
  };
  std::int64_t time = 0, acknowledged = 0;
  const auto acknowledge = [&](double load, std::uint32_t queue) {
    acknowledged += 10'000;
    hpcc.acknowledged(record(time += 1'000'000, load, queue), round_trip, acknowledged,
                      acknowledged + 100'000);
  };
  // The link is full and 100 kB wait, one bandwidth-delay product: U = 2.
  for (int i = 0; i < 200; ++i) acknowledge(1, 100'000);
  EXPECT_NEAR(hpcc.utilization(), 2, 1e-6);
  const double low = hpcc.window();
  EXPECT_NEAR(low, 80 / (1 - 0.95 / 2), 1);  // W = W x target / U + increase
  // Half of the load: after at most 5 additive stages it rises multiplicatively.
  for (int i = 0; i < 200; ++i) acknowledge(0.475, 0);
  EXPECT_NEAR(hpcc.utilization(), 0.475, 1e-6);
  EXPECT_GT(hpcc.window(), 4 * low);
}

// The same, acknowledgement by acknowledgement: each is a round trip after the last one, so that
// the measured load is that of the last round trip.
TEST(Hpcc, WindowChangesByTheLoad) {
  Hpcc hpcc({}, 100'000);
  const std::int64_t round_trip = 10'000'000;
  const double per_byte = 100;
  std::int64_t time = 0, bytes = 0;
  const auto window_after = [&](double load, std::uint32_t queue) {
    time += round_trip;
    bytes += std::llround(static_cast<double>(round_trip) * load / per_byte);
    const std::vector<LinkLoadRecord> records{{time, bytes, per_byte, queue, 7}};
    hpcc.acknowledged(records, static_cast<double>(round_trip), time, time);
    return hpcc.window();
  };
  EXPECT_DOUBLE_EQ(window_after(1, 100'000), 100'000);  // no load yet: the largest
  EXPECT_DOUBLE_EQ(window_after(1, 100'000), 100'000 * 0.95 / 2 + 80);
  EXPECT_DOUBLE_EQ(window_after(0.5, 0), 47'580 + 80);
  EXPECT_DOUBLE_EQ(window_after(0.5, 0), 47'660 + 80);
}

// Section 3.1 of Kumar et al. 2020: the decrease is the distance to the target, at most half, once
// per round trip; the increase is one packet per round trip.
TEST(Swift, WindowFollowsTheDelay) {
  platform::SwiftSettings settings;
  settings.range = ns(1);  // no scaling by flows
  Swift swift(settings, 1000, 20'000, us(10).count());
  const double target = swift.target(2);
  EXPECT_NEAR(target, 15e6, 2e3);
  std::int64_t now = us(1000).count();
  swift.acknowledged(now, 1000, std::llround(target * 1.25), 2);
  EXPECT_NEAR(swift.window(), 20'000 * (1 - 0.8 * 0.2), 10);
  swift.acknowledged(now + 1, 1000, std::llround(target * 1.25), 2);  // within one round trip
  EXPECT_NEAR(swift.window(), 20'000 * (1 - 0.8 * 0.2), 10);
  const double before = swift.window();
  swift.acknowledged(now += us(100).count(), 16'800, us(11).count(), 2);
  EXPECT_NEAR(swift.window() - before, 1000, 10);
  swift.acknowledged(now += us(10'000).count(), 1000, std::llround(target * 100), 2);
  EXPECT_NEAR(swift.window(), (before + 1000) * 0.5, 10);
  // Small windows tolerate more delay.
  EXPECT_GT(Swift({}, 1000, 500, us(10).count()).target(2),
            Swift({}, 1000, 50'000, us(10).count()).target(2));
}

/// The largest queue at the receiver's port after a time, sampled every 5 us.
std::int64_t longest_queue(PacketNetwork& network, std::vector<testing::TimedSend> sends,
                           std::int64_t from, std::int64_t until) {
  Driver driver(network);
  std::int64_t most = 0;
  for (std::int64_t time = 0; time < until; time += 5'000'000) {
    driver.run(std::exchange(sends, {}), time);
    if (time < from) continue;
    for (std::uint32_t link = 0; link < network.link_count(); ++link)
      if (network.link(link).name.ends_with("-> npu0"))
        most = std::max(most, network.engine().waiting(link));
  }
  return most;
}

// HPCC keeps the sum of windows at eta bandwidth-delay products, so that queues stay near zero
// after the first round trips (Li et al. 2019, figure 9); a constant window of the same size per
// sender holds (senders - 1) products in the queue.
TEST(Transports, HpccKeepsQueuesShort) {
  const double product = 2 * 1100e3 * 0.01 + 2'000;  // about 24 kB: 2.2 us at 10 GB/s
  PacketNetwork hpcc(star(9, "transport: hpcc"));
  const std::int64_t queue = longest_queue(hpcc, incast_of(8, 4000), 300'000'000, 1'500'000'000);
  EXPECT_LT(static_cast<double>(queue), 0.5 * product);
  PacketNetwork window(star(9, "window: 24"));
  EXPECT_GT(
      static_cast<double>(longest_queue(window, incast_of(8, 4000), 300'000'000, 1'500'000'000)),
      5 * product);
}

/// Transports with queues of 100 packets; marks from 20 to 80.
std::string with_queue(const std::string& transport) {
  return "queue: 100 kB, trims: true, mark_from: 20 kB, mark_to: 80 kB, " + transport;
}
std::string with_pauses(const std::string& transport) {
  return "buffer: 1 MB, pfc: true, mark_from: 20 kB, mark_to: 80 kB, mark_most: 0.2, " + transport;
}

// Max-min: senders that begin together share a receiver's port equally. NSCC alone, with two
// senders: packet_network_test.cc.
TEST(Transports, AreFair) {
  for (const std::string& packets :
       {with_queue("transport: dctcp"), with_queue("transport: swift"),
        std::string("transport: hpcc"), with_queue("transport: rccc"),
        with_queue("transport: nscc_rccc"),
        with_pauses("transport: dcqcn, dcqcn: {notify_every: 5 us, alpha_period: 5 us, "
                    "increase_period: 5 us, additive: 400 Mb/s}")}) {
    SCOPED_TRACE(packets);
    PacketNetwork network(star(5, packets));
    Driver driver(network);
    driver.run(incast_of(4, 20'000));
    ASSERT_EQ(driver.arrivals.size(), 4u);
    std::vector<double> times;
    for (const auto& [token, time] : driver.arrivals) times.push_back(static_cast<double>(time));
    std::ranges::sort(times);
    EXPECT_GT(times.front() / times.back(), 0.95);
    // The port is busy: 80,000 packets of 100 ns.
    EXPECT_LT(times.back() / (80'000 * 100e3), 1.1);
    testing::expect_conserved(network);
  }
}

TEST(Transports, CreditsKeepIncastQueuesShort) {
  // Credits arrive at 99 % of the port's rate: after the first window, which is sent without, the
  // queue does not grow.
  PacketNetwork rccc(star(9, "queue: 1 MB, transport: rccc"));
  const std::int64_t begin = longest_queue(rccc, incast_of(8, 3000), 0, 100'000'000);
  PacketNetwork again(star(9, "queue: 1 MB, transport: rccc"));
  const std::int64_t later = longest_queue(again, incast_of(8, 3000), 2'000'000'000, 2'300'000'000);
  EXPECT_LT(later, begin);
  EXPECT_GT(again.engine().counts().credits, 5000u);
}

// The window of the fabric's transport is for pairs with a constant window alone.
TEST(Transports, TheWindowOfTheFabricIsForConstantWindows) {
  const auto slowdown = [](const char* packets) {
    PacketNetwork network(testing::packet_cluster(
        "fabric: {hosts: [{count: 3, devices: 1}], network: {kind: switch, port: {bandwidth: 10 "
        "GB/s, latency: 500 ns}}, transport: {window: 4 kB}}\n"
        "packets: {payload: 938 B, header: 62 B, mark_to: 80 kB, " +
        std::string(packets) + "}\n"));
    Driver driver(network);
    driver.run({{0, {.from = 1, .to = 0, .bytes = 938 * 1000}}});
    return static_cast<double>(driver.arrivals.at(0)) /
           static_cast<double>(network.uncontended_time(1, 0, 938 * 1000));
  };
  // 4 packets in each round trip of 2.3 us.
  EXPECT_GT(slowdown("transport: window"), 5);
  EXPECT_GT(slowdown("transport: dctcp, classes: [{links: network, transport: window}]"), 5);
  EXPECT_LT(slowdown("classes: [{links: network, transport: dcqcn}]"), 1.01);
  EXPECT_LT(slowdown("window: 100"), 1.01);
}

// A stated round trip is for transports that set their window: two windows of 64 packets fit into
// the queue, those of 1 ms at 10 GB/s would not.
TEST(Transports, ConstantWindowsIgnoreAStatedRoundTrip) {
  PacketNetwork network(
      star(3,
           "queue: 300 kB, round_trip: 1 ms, transport: swift, classes: [{links: network, "
           "transport: window}]"));
  Driver driver(network);
  driver.run(incast_of(2, 1000));
  EXPECT_EQ(driver.arrivals.size(), 2u);
  EXPECT_EQ(network.engine().counts().dropped, 0u);
}

// An uncontended message needs its uncontended time, whatever the transport.
TEST(Transports, AloneNothingLimitsThem) {
  for (const char* const transport :
       {"window", "dctcp", "dcqcn", "hpcc", "swift", "nscc", "rccc", "nscc_rccc"}) {
    SCOPED_TRACE(transport);
    PacketNetwork network(star(3, "queue: 100 kB, mark_from: 20 kB, mark_to: 80 kB, transport: " +
                                      std::string(transport)));
    Driver driver(network);
    driver.run({{0, {.from = 1, .to = 0, .bytes = 938 * 1000}}});
    const auto least = static_cast<double>(network.uncontended_time(1, 0, 938 * 1000));
    // HPCC aims at 95 % of the link; credits are granted at 99 % of its rate, a round trip of 2 us
    // later.
    const std::string name = transport;
    const double most = name == "hpcc" ? 0.08 : name.ends_with("rccc") ? 0.04 : 0.025;
    EXPECT_NEAR(static_cast<double>(driver.arrivals.at(0)) / least, 1, most);
    EXPECT_EQ(network.engine().counts().again, 0u);
  }
}

// Until the receiver notifies of a mark, the queue grows: 55 us later, flow control pauses senders
// first. Between two notifications are at least 4 us.
TEST(Transports, LateNotificationsCausePauses) {
  const auto pauses = [](const char* delay) {
    PacketNetwork network(
        star(5,
             "buffer: 1 MB, pfc: true, mark_from: 5 kB, mark_to: 100 kB, mark_most: 0.1, "
             "transport: dcqcn, dcqcn: {notify_every: 4 us, notify_delay: " +
                 std::string(delay) + "}"));
    Driver driver(network);
    driver.run(incast_of(2, 20'000));
    EXPECT_EQ(driver.arrivals.size(), 2u);
    EXPECT_EQ(network.engine().counts().dropped, 0u);
    return network.engine().counts().pauses;
  };
  EXPECT_EQ(pauses("0 us"), 0u);
  EXPECT_GT(pauses("55 us"), 0u);
}

}  // namespace
}  // namespace orrery::model
