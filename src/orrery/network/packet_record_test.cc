// SPDX-License-Identifier: Apache-2.0
//
// What the packet network records of ports and messages, and the findings about its congestion.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "orrery/network/packet_testing.h"

namespace orrery::model {
namespace {

using ::testing::AllOf;
using testing::Driver;
using ::testing::HasSubstr;
using testing::TimedSend;

class SilentObserver final : public LinkObserver {
 public:
  void carries(std::uint32_t, std::int64_t, std::int64_t, std::int64_t, std::uint32_t) override {}
};

/// Two leaves with 4 devices each under two spines, 10 GB/s; all devices send to one of each leaf.
platform::Platform tree(const std::string& packets, const std::string& routing = "spray",
                        const std::string& faults = "") {
  return testing::packet_cluster(fmt::format(
      "fabric: {{hosts: [{{count: 8, devices: 1}}], network: {{kind: fat_tree, per_leaf: 4, radix: "
      "8, port: {{bandwidth: 10 GB/s, latency: 500 ns}}}}, routing: {}{}}}\npackets: {{payload: "
      "938 B, header: 62 B, timeout: 40 us{}}}\n",
      routing, faults, packets));
}

std::vector<TimedSend> two_incasts(std::int64_t packets) {
  std::vector<TimedSend> sends;
  for (std::uint32_t i = 0; i < 8; ++i) {
    for (const std::uint32_t to : {0u, 4u}) {
      if (i == to) continue;
      const auto token = static_cast<std::uint32_t>(sends.size());
      sends.push_back({static_cast<std::int64_t>(i % 3) * 3'000'000,
                       {.from = i, .to = to, .bytes = packets * 938, .token = token, .order = i}});
    }
  }
  return sends;
}

std::uint64_t sum(const std::vector<PortPacketSeries>& ports, const PortPacketColumn& column) {
  std::uint64_t all = 0;
  for (const PortPacketSeries& port : ports) all += port.total.*column.value;
  return all;
}

/// Bins sum to the totals of their port, and ports to the totals of the run.
void expect_sums(const PacketRecord& record) {
  for (const PortPacketColumn& column : kPortPacketColumns) {
    for (const PortPacketSeries& port : record.ports) {
      std::uint64_t all = 0, most = 0;
      for (const PortPacketBin& bin : port.bins) {
        all += bin.packets.*column.value;
        most = std::max(most, bin.packets.*column.value);
      }
      if (column.merge == PortPacketColumn::Merge::sum)
        EXPECT_EQ(all, port.total.*column.value) << column.column << " of link " << port.link;
      if (column.merge == PortPacketColumn::Merge::maximum)
        EXPECT_EQ(most, port.total.*column.value) << column.column << " of link " << port.link;
    }
    for (const PacketTotal& total : kPacketTotals) {
      if (total.column == column.column)
        EXPECT_EQ(sum(record.ports, column), record.totals.*total.value) << total.column;
    }
  }
  std::uint64_t repeated = 0;
  for (const PacketMessageTime& one : record.message_times) repeated += one.retransmitted;
  if (record.message_step == 1) EXPECT_EQ(repeated, record.totals.retransmitted);
  const PacketTotals& all = record.totals;
  EXPECT_EQ(all.sent, all.received + all.dropped() + all.trimmed + all.in_flight);
}

// Transports with each way to lose or delay packets and each load balancing: a recorded run is
// equal to one that is not, and its record adds up.
TEST(PacketRecord, AddsUpAndChangesNothing) {
  PacketTotals seen;
  for (const char* transport :
       {"window", "dctcp", "dcqcn", "hpcc", "swift", "nscc", "rccc", "nscc_rccc"}) {
    for (const char* buffer :
         {"", ", queue: 15 kB", ", queue: 15 kB, trims: true", ", buffer: 60 kB, buffer_share: 1",
          ", buffer: 60 kB, pfc: true", ", buffer: 40 kB, pfc: true, headroom: 2 kB"}) {
      for (const char* balance : {"ecmp", "spray", "adaptive"}) {
        const bool is_adaptive = balance == std::string("adaptive");
        const std::string packets =
            fmt::format(", transport: {}, mark_from: 4 kB, mark_to: 12 kB{}{}", transport, buffer,
                        is_adaptive ? ", spraying: adaptive" : ", spraying: reps");
        const std::string faults = balance == std::string("spray")
                                       ? ", faults: [{node: \"spine0\", start: 5 us, end: 30 us}]"
                                       : "";
        SCOPED_TRACE(packets + " " + balance);
        const platform::Platform platform =
            tree(balance == std::string("ecmp")
                     ? packets.substr(0, packets.find(", spraying")) + ", reliability: go_back_n"
                     : packets,
                 is_adaptive ? "spray" : balance, faults);
        PacketNetwork plain(platform), recorded(platform);
        SilentObserver observer;
        recorded.observe(&observer);
        Driver driver(plain), other(recorded);
        driver.run(two_incasts(30));
        other.run(two_incasts(30));
        EXPECT_EQ(driver.arrivals, other.arrivals);
        EXPECT_EQ(plain.packet_totals(), recorded.packet_totals());
        EXPECT_FALSE(plain.packet_record());
        const auto record = recorded.packet_record();
        ASSERT_TRUE(record);
        expect_sums(*record);
        EXPECT_EQ(record->messages, 14u);
        EXPECT_EQ(record->message_times.size(), 14u);
        for (const PacketMessageTime& one : record->message_times) {
          if (other.arrivals.size() == 14) EXPECT_GE(one.end - one.start, one.ideal);
        }
        for (const PacketTotal& total : kPacketTotals)
          seen.*total.value += record->totals.*total.value;
      }
    }
  }
  // The cases contain what they are for.
  for (const PacketTotal& total : kPacketTotals)
    if (total.column != "in_flight") EXPECT_GT(seen.*total.value, 0u) << total.column;
}

// 3 senders of 10 packets each to one port: 3 arrive in each packet time of 100 ns, and one leaves.
TEST(PacketRecord, MeasuresQueues) {
  PacketNetwork network(testing::star(4, "window: 0"));
  SilentObserver observer;
  network.observe(&observer);
  Driver driver(network);
  driver.run(testing::incast_of(3, 10));
  const auto record = network.packet_record();
  ASSERT_TRUE(record);
  ASSERT_EQ(record->ports.size(), 1u);
  const PortPacketSeries& port = record->ports.front();
  EXPECT_EQ(network.link(port.link).name, "switch -> npu0");
  // In the last packet time, 18 wait, 3 arrive, then one leaves.
  EXPECT_EQ(port.total.peak_queue, 21'000u);
  EXPECT_EQ(record->totals.longest_queue, 21'000u);
  // In packet times of 100 ns, 2, 4 … 20 packets wait, then 19, 18 … 1: 300 in all.
  EXPECT_NEAR(static_cast<double>(port.total.mean_queue),
              300 * 100e3 * 1000 / static_cast<double>(testing::last_arrival(driver)), 1);
  for (const PacketMessageTime& one : record->message_times) {
    EXPECT_EQ(one.to, 0u);
    EXPECT_EQ(one.end, driver.arrivals[one.from - 1]);
    EXPECT_EQ(one.ideal, 2 * 500'000 + 11 * 100'000);
  }
}

// A run that is much longer than the first bins, and with more messages than are recorded.
TEST(PacketRecord, HasBoundedSize) {
  PacketMonitor monitor(2);
  for (std::int64_t i = 0; i < 200'000; ++i) {
    const std::uint32_t record =
        monitor.posts({.from = 0, .to = 1, .bytes = 1 + i, .ideal = 5}, i * 1'000'000);
    EXPECT_EQ(record, i);
    monitor.count(1, i * 1'000'000, &PortPackets::marked);
    monitor.queue(1, i * 1'000'000, i % 2 * 700);
    monitor.arrives(record, i * 1'000'000 + 10);
  }
  const PacketRecord record = monitor.finish(200'000 * std::int64_t{1'000'000});
  ASSERT_EQ(record.ports.size(), 1u);
  EXPECT_EQ(record.ports.front().total.marked, 200'000u);
  EXPECT_EQ(record.ports.front().total.mean_queue, 350u);
  EXPECT_EQ(record.ports.front().total.peak_queue, 700u);
  EXPECT_LE(record.ports.front().bins.size(), 256u);
  EXPECT_GT(record.ports.front().bins.size(), 128u);
  EXPECT_EQ(record.messages, 200'000u);
  EXPECT_EQ(record.message_step, 4u);
  ASSERT_EQ(record.message_times.size(), 50'000u);
  for (std::size_t i = 0; i < record.message_times.size(); ++i) {
    EXPECT_EQ(record.message_times[i].bytes, 1 + 4 * static_cast<std::int64_t>(i));
    EXPECT_EQ(record.message_times[i].end - record.message_times[i].start, 10);
  }
  expect_sums([&] {
    PacketRecord sums = record;
    sums.totals = {};
    sums.totals.marked = 200'000;
    return sums;
  }());
}

std::string place_of(const PacketNetwork& network, FindingCode code) {
  Findings findings;
  network.add_findings(findings);
  for (const Finding& one : findings.list())
    if (one.code == code) return one.places.empty() ? "" : one.places.front();
  return "none";
}

// Congestion control that the user chose and that did nothing is a finding; a constant window is
// none.
TEST(PacketFindings, CongestionControlThatNeverActed) {
  for (const char* transport : {"dctcp", "dcqcn", "hpcc", "swift", "nscc"}) {
    for (const std::int64_t packets : {1, 300}) {
      SCOPED_TRACE(fmt::format("{}, {} packets", transport, packets));
      PacketNetwork network(testing::star(
          9, fmt::format("transport: {}, mark_from: 20 kB, mark_to: 40 kB", transport)));
      Driver driver(network);
      driver.run(packets == 1 ? testing::incast_of(1, 1) : testing::incast_of(8, packets));
      const std::string place = place_of(network, FindingCode::congestion_control_idle);
      if (packets == 1)
        EXPECT_THAT(place, AllOf(HasSubstr(transport), HasSubstr("1 pair of devices")));
      else
        EXPECT_EQ(place, "none");
      EXPECT_EQ(network.packet_totals()->reductions > 0, packets > 1);
    }
  }
  PacketNetwork window(testing::star(3, "window: 10"));
  Driver driver(window);
  driver.run(testing::incast_of(2, 100));
  EXPECT_EQ(place_of(window, FindingCode::congestion_control_idle), "none");
}

// 7 senders to one device fill the buffer of its leaf. That pauses the spines, and these pause the
// other leaf. With senders of the same leaf only, nothing spreads.
TEST(PacketFindings, PausesSpread) {
  const std::string packets = ", transport: window, window: 0, buffer: 100 kB, pfc: true";
  std::vector<TimedSend> all, near;
  for (std::uint32_t i = 1; i < 8; ++i) {
    const TimedSend one{0, {.from = i, .to = 0, .bytes = 400 * 938, .token = i, .order = i}};
    all.push_back(one);
    if (i < 4) near.push_back(one);
  }
  PacketNetwork wide(tree(packets)), narrow(tree(packets));
  Driver driver(wide), other(narrow);
  driver.run(all);
  other.run(near);
  EXPECT_THAT(place_of(wide, FindingCode::pauses_spread),
              AllOf(HasSubstr("leaf0 -> npu0: "), HasSubstr("further switch")));
  EXPECT_GT(narrow.packet_totals()->pauses, 0u);
  EXPECT_GT(narrow.packet_totals()->paused, 0u);
  EXPECT_EQ(place_of(narrow, FindingCode::pauses_spread), "none");
  EXPECT_EQ(place_of(wide, FindingCode::pauses_deadlock), "none");
}

}  // namespace
}  // namespace orrery::model
