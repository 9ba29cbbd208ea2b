// SPDX-License-Identifier: Apache-2.0
//
// Fabrics as lines of text: ns-3's, SimAI's, htsim's, BookSim's.
#include <gtest/gtest.h>

#include "orrery/platform/topology/formats/formats_testing.h"

namespace orrery::platform {
namespace {

using formats_testing::changed;
using formats_testing::Reading;

TEST(Ns3Text, HostsSwitchesAndLinks) {
  const Reading read(
      "\xEF\xBB\xBF"
      "# four hosts under two leaves, a spine\r\n"
      "7 3 6\r\n4 5 6\r\n"
      "0 4 200Gbps 0.005ms 0\r\n1 4 200Gbps 0.005ms 0\r\n2 5 200Gbps 500ns 0\r\n"
      "3\t5\t200Gbps\t1us\t0\r\n4 6 400Gbps 0.0125ms 0\r\n5 6 400Gbps 0.0125ms 0\r\n");
  ASSERT_TRUE(read.topology) << read.error();
  EXPECT_EQ(read.topology->node_count(), 7U);
  EXPECT_EQ(read.topology->link_count(), 12U);
  EXPECT_EQ(read.topology->devices().size(), 4U);
  EXPECT_EQ(read.topology->kind(4), NodeClass::leaf);
  EXPECT_EQ(read.topology->kind(6), NodeClass::spine);
  EXPECT_EQ(read.link("node0", "switch4"),
            (LinkFigures{Bandwidth(25e9), ns(5000), 1, LinkClass::network}));
  EXPECT_EQ(read.link("switch6", "switch5"),
            (LinkFigures{Bandwidth(50e9), ns(12500), 1, LinkClass::network}));
  EXPECT_TRUE(read.topology->check_figures("f"));
  EXPECT_TRUE(read.findings.empty());
}

TEST(Ns3Text, ARingHasNoSwitches) {
  const Reading read("3 0 3\n\n0 1 25Gbps 1us 0\n1 2 25Gbps 1us 0\n2 0 25Gbps 1us 0");
  ASSERT_TRUE(read.topology) << read.error();
  EXPECT_EQ(read.topology->devices().size(), 3U);
}

TEST(Ns3Text, FurtherCountsAndErrorRatesAreFindings) {
  const Reading read("2 0 1 8 4\n\n0 1 25Gbps 1us 0.01\n");
  ASSERT_TRUE(read.topology) << read.error();
  EXPECT_EQ(read.findings.count(FindingCode::fabric_part_ignored), 2U);
  // HPCC's own file explains itself at its end.
  const Reading explained("2 0 1\n\n0 1 25Gbps 1us 0\n\nFirst line: total node #, link #\n");
  EXPECT_TRUE(explained.topology) << explained.error();
}

TEST(Ns3Text, Mistakes) {
  const auto error = [](std::string_view text) { return Reading(text).error(); };
  EXPECT_EQ(error("2 0 1\n0 2 25Gbps 1us 0\n"),
            "f:2: node 2, but there are 2 nodes, numbered from 0 (E2009)");
  EXPECT_EQ(error("2 0 1\n1 1 25Gbps 1us 0\n"), "f:2: a link joins node 1 to itself (E2009)");
  EXPECT_EQ(error("2 0 1\n0 1 0Gbps 1us 0\n"), "f:2: a bandwidth of 0 (E2009)");
  EXPECT_EQ(error("2 0 1\n0 1 fast 1us 0\n"), "f:2: \"fast\" is not a data rate (E2003)");
  EXPECT_EQ(error("2 0 1\n0 1 25Gbps soon 0\n"), "f:2: \"soon\" is not a delay (E2003)");
  EXPECT_EQ(error("2 0 1\n0 1 25Gbps\n"), "f:2: a link line has 3 words: \"0 1 25Gbps\" (E2003)");
  EXPECT_EQ(error("2 0 2\n0 1 25Gbps 1us 0\n"),
            "f: ends after 1 of the 2 links that the first line counts (E2002)");
  EXPECT_EQ(error("2 0 1\n0 1 25Gbps 1us 0\n0 1 25Gbps 1us 0\n"),
            "f:3: more links than the 1 that the first line counts (E2014)");
  EXPECT_EQ(error("3 1 1\n7\n0 1 25Gbps 1us 0\n"),
            "f:2: switch 7, but there are 3 nodes, numbered from 0 (E2009)");
  EXPECT_EQ(error("3 2 1\n2\n0 2 25Gbps 1us 0\n"),
            "f:2: lists 1 switches, but the first line counts 2 (E2014)");
  // The node that was meant was once taken for a device.
  EXPECT_EQ(error("4 2 1\n2 2\n0 2 25Gbps 1us 0\n"), "f:2: switch 2 is listed twice (E2003)");
  EXPECT_EQ(error("3 1 1\n"), "f: ends before the list of switches (E2002)");
  EXPECT_EQ(error("1 2 1\n"), "f:1: 2 switches, but only 1 nodes (E2014)");
  EXPECT_EQ(error("2 0 0\n"), "f:1: a network without links (E2010)");
  EXPECT_EQ(
      error("1000000 0 0"),
      "f:1: 11 bytes claim 1000000 nodes and links; the limit for that size is 267776 (E4000)");
}

TEST(SimaiText, ServersBecomeHosts) {
  const Reading read(
      "9 2 2 3 10 H100\n4 5 6 7 8\n"
      "0 4 2880Gbps 0.000025ms 0\n1 4 2880Gbps 0.000025ms 0\n"
      "2 5 2880Gbps 0.000025ms 0\n3 5 2880Gbps 0.000025ms 0\n"
      "0 6 400Gbps 0.0005ms 0\n1 7 400Gbps 0.0005ms 0\n2 6 400Gbps 0.0005ms 0\n"
      "3 7 400Gbps 0.0005ms 0\n6 8 400Gbps 0.0005ms 0\n7 8 400Gbps 0.0005ms 0\n");
  ASSERT_TRUE(read.topology) << read.error();
  EXPECT_EQ(read.topology->host_count(), 2U);
  EXPECT_EQ(read.topology->host(read.node("gpu3")), 1U);
  EXPECT_EQ(read.topology->host(read.node("nvswitch5")), 1U);
  EXPECT_EQ(read.topology->host(read.node("switch6")), Topology::kNoHost);
  EXPECT_EQ(read.count(NodeClass::nvswitch), 2U);
  EXPECT_EQ(read.count(NodeClass::leaf), 2U);
  EXPECT_EQ(read.count(NodeClass::spine), 1U);
  EXPECT_EQ(read.link("gpu0", "nvswitch4").kind, LinkClass::scale_up);
  EXPECT_EQ(read.link("gpu0", "switch6").kind, LinkClass::network);
  EXPECT_EQ(Reading("3 0 1 0 2 H100\n2\n0 2 1Gbps 1us 0\n1 2 1Gbps 1us 0\n").error(),
            "f: 0 GPUs per server (E2009)");
}

constexpr std::string_view kTree =
    "Nodes 8\nTiers 3\nPodsize 4\n\n"
    "Tier 0\nDownlink_speed_Gbps 200\nRadix_Down 2\nRadix_Up 2\nDownlink_Latency_ns 1000\n"
    "Switch_Latency_ns 100\n\n"
    "Tier 1\nDownlink_speed_Gbps 200\nRadix_Down 2\nRadix_Up 4\nDownlink_Latency_ns 1000\n\n"
    "Tier 2\nDownlink_speed_Gbps 100\nRadix_Down 4\nDownlink_Latency_ns 2000\nBundle 2\n";

TEST(HtsimTopo, TheTreeAsHtsimBuildsIt) {
  const Reading read(kTree);
  ASSERT_TRUE(read.topology) << read.error();
  EXPECT_EQ(read.count(NodeClass::device), 8U);
  EXPECT_EQ(read.count(NodeClass::leaf), 4U);
  EXPECT_EQ(read.count(NodeClass::spine), 4U);
  EXPECT_EQ(read.count(NodeClass::core), 4U);
  EXPECT_EQ(read.topology->link_count(), 2U * (8 + 8 + 8));
  EXPECT_EQ(read.link("node0", "tor0"),
            (LinkFigures{Bandwidth(25e9), ns(1000), 1, LinkClass::network}));
  // A switch's own time is part of what leaves it.
  EXPECT_EQ(read.link("tor0", "node0").latency, ns(1100));
  EXPECT_EQ(read.link("tor0", "agg1").latency, ns(1100));
  EXPECT_EQ(read.link("agg0", "core0"),
            (LinkFigures{Bandwidth(12.5e9), ns(2000), 2, LinkClass::network}));
  EXPECT_EQ(read.link("agg3", "core3").count, 2U);
}

TEST(HtsimTopo, Mistakes) {
  const auto error = [](std::string_view from, std::string_view to) {
    return Reading(changed(kTree, from, to)).error();
  };
  EXPECT_EQ(error("Nodes 8", "Nodes 6"),
            "f: 6 nodes are not a multiple of the 4 nodes of a pod (E2014)");
  EXPECT_EQ(error("Tiers 3", "Tiers 4"), "f: 4 tiers; a tree has 2 or 3 (E2009)");
  EXPECT_EQ(error("Podsize 4", ""), "f: podsize is missing (E2010)");
  EXPECT_EQ(error("Nodes 8", "Nodes eight"), "f:1: \"Nodes\" without a number (E2003)");
  EXPECT_EQ(error("Nodes 8", "Nodes -8"), "f:1: \"nodes\" is negative (E2009)");
  EXPECT_EQ(error("Tier 2", "Tier 3"), "f:18: only tiers 0, 1 and 2 exist (E2009)");
  EXPECT_EQ(error("Downlink_speed_Gbps 100", "Downlink_speed_Gbps 0"),
            "f:tier 2: a bandwidth of 0 (E2009)");
  EXPECT_EQ(error("Downlink_Latency_ns 2000\n", ""),
            "f:tier 2: downlink_latency_ns is missing (E2010)");
  EXPECT_EQ(error("Bundle 2", "Bundle 3"),
            "f: Radix_Up 4 of tier 1 is not a multiple of Bundle 3 of tier 2 (E2014)");
  EXPECT_EQ(error("Bundle 2", "Bundle 2\nBundle 2"), "f:23: \"bundle\" is given twice (E2003)");
  EXPECT_EQ(error("Radix_Up 2", "Radix_Up 2\nOversubscribed 3"),
            "f: tier 0 is oversubscribed 1 to 1 according to its radices and speeds, but "
            "Oversubscribed is 3 (E2014)");
  const Reading twice(changed(kTree, "Bundle 2", "Bundle 2\nQueue_Down 10"));
  EXPECT_EQ(twice.findings.count(FindingCode::fabric_part_ignored), 1U);
  // A million ports in a few bytes.
  EXPECT_EQ(Reading("Nodes 1000000\nTiers 2\nPodsize 1000000\nTier 0\nDownlink_speed_Gbps 1\n"
                    "Radix_Down 1000\nRadix_Up 1000\nDownlink_Latency_ns 1\nTier 1\n"
                    "Downlink_speed_Gbps 1\nRadix_Down 1000\nDownlink_Latency_ns 1\n")
                .topology.error()
                .code,
            Errc::limit_exceeded);
}

TEST(Anynet, RoutersNodesAndChannels) {
  const Reading read(
      "router 0 node 0 node 1 router 1 5 router 2\nrouter 1 node 2 router 0 9\n"
      "router 2 node 3 7\n");
  ASSERT_TRUE(read.topology) << read.error();
  EXPECT_EQ(read.topology->devices().size(), 4U);
  EXPECT_EQ(read.count(NodeClass::leaf), 3U);
  EXPECT_EQ(read.link("router0", "router1").latency, ns(5));
  EXPECT_EQ(read.link("router1", "router0").latency, ns(9));
  // BookSim gives a direction that is not named one cycle.
  EXPECT_EQ(read.link("router2", "router0").latency, ns(1));
  EXPECT_EQ(read.link("router2", "node3").latency, ns(7));
  EXPECT_EQ(read.link("router0", "node0").bandwidth.count(), 0);
  EXPECT_EQ(read.findings.count(FindingCode::default_assumed), 1U);
}

TEST(Anynet, Mistakes) {
  const auto error = [](std::string_view text) { return Reading(text).error(); };
  EXPECT_EQ(error("router 0 router 0\n"), "f:1: a channel joins a node to itself (E2009)");
  EXPECT_EQ(error("router 0 node 0\nrouter 1 node 0\n"),
            "f:2: node 0 is linked to two routers (E2003)");
  EXPECT_EQ(error("router 0 node 0\nnode 1 node 2\n"), "f:2: a channel between two nodes (E2003)");
  EXPECT_EQ(error("router 0 node 0\nrouter 1 switch 0\n"),
            "f:2: \"switch\" is not a latency in cycles (E2003)");
  EXPECT_EQ(error("router 0 router\n"), "f:1: router without its number (E2003)");
  const Reading again("router 0 node 0 router 1 router 1\n");
  ASSERT_TRUE(again.topology);
  EXPECT_EQ(again.findings.count(FindingCode::fabric_link_dropped), 1U);
}

}  // namespace
}  // namespace orrery::platform
