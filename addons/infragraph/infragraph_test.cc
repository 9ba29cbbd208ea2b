// SPDX-License-Identifier: Apache-2.0
#include "addons/infragraph/infragraph.h"

#include <gtest/gtest.h>

#include <chrono>

#include "addons/infragraph/slices.h"
#include "orrery/platform/topology/formats/formats_testing.h"

namespace orrery::platform {
namespace {

using formats_testing::changed;
using formats_testing::Reading;

constexpr std::string_view kSmallGraph = R"(
name: small
devices:
- name: server
  components:
  - {name: cpu, choice: cpu, count: 1}
  - {name: xpu, choice: xpu, count: 2}
  - {name: nvsw, choice: switch, count: 1}
  - {name: card, choice: device, count: 2}
  links:
  - name: nvlink
    physical: {bandwidth: {choice: gigabytes_per_second, gigabytes_per_second: 450}, latency: {choice: ns, ns: 25}}
  - {name: pcie}
  edges:
  - {ep1: {component: xpu}, ep2: {component: nvsw}, scheme: many2many, link: nvlink}
  - {ep1: {component: cpu}, ep2: {device: 'card[0:2]', component: 'port[0]'}, scheme: many2many, link: pcie}
- name: card
  components: [{name: chip, choice: nic}, {name: port, choice: port, count: 1}]
  edges: [{ep1: {component: chip}, ep2: {component: port}, scheme: one2one, link: wire}]
- name: switch
  components: [{name: asic, choice: cpu, count: 1}, {name: port, choice: port, count: 4}]
  edges: [{ep1: {component: asic}, ep2: {component: port}, scheme: many2many, link: ic}]
instances:
- {name: host, device: server, count: 2}
- {name: leaf, device: switch, count: 1}
links:
- {name: ether, physical: {bandwidth: {gigabits_per_second: 400}, latency: {choice: us, us: 0.5}}}
edges:
- {ep1: {instance: 'host[0]', component: 'card[0:2].port[0]'}, ep2: {instance: leaf, component: 'port[0:2]'}, scheme: one2one, link: ether}
- {ep1: {instance: 'host[1]', component: 'card.port'}, ep2: {instance: leaf, component: 'port[2:]'}, scheme: one2one, link: ether}
)";

TEST(InfraGraph, ExpandsDevicesInDevicesAndInstances) {
  const Reading read(kSmallGraph);
  ASSERT_TRUE(read.topology) << read.error();
  EXPECT_EQ(read.topology->name(), "small");
  EXPECT_EQ(read.topology->node_count(), 2U * (1 + 2 + 1 + 4) + 5);
  EXPECT_EQ(read.topology->link_count(), 2U * (2 * (2 + 2 + 2) + 4 + 4));
  EXPECT_EQ(read.topology->host_count(), 2U);
  EXPECT_EQ(read.topology->host(read.node("leaf.0.asic.0")), Topology::kNoHost);
  EXPECT_EQ(read.topology->host(read.node("host.1.card.1.port.0")), 1U);
  EXPECT_EQ(read.topology->kind(read.node("leaf.0.asic.0")), NodeClass::leaf);
  EXPECT_EQ(read.topology->kind(read.node("host.0.nvsw.0")), NodeClass::nvswitch);
  EXPECT_EQ(read.link("host.0.xpu.1", "host.0.nvsw.0"),
            (LinkFigures{Bandwidth(450e9), ns(25), 1, LinkClass::scale_up}));
  EXPECT_EQ(read.link("leaf.0.port.3", "host.1.card.1.port.0"),
            (LinkFigures{Bandwidth(50e9), ns(500), 1, LinkClass::network}));
  EXPECT_EQ(read.link("host.0.cpu.0", "host.0.card.0.port.0").kind, LinkClass::pcie);
  EXPECT_EQ(read.link("leaf.0.asic.0", "leaf.0.port.0").kind, LinkClass::inside);
  EXPECT_TRUE(read.findings.empty());
  EXPECT_EQ(read.topology->check_figures("f").error().what.substr(0, 9), "24 of 40 ");
}

TEST(InfraGraph, SchemesAndWhatTheServiceDoes) {
  const auto device = [](std::string_view edges) {
    return "name: d\ncomponents: [{name: xpu, choice: xpu, count: 4}, {name: nic, choice: nic, "
           "count: 2}]\n"
           "edges:\n" +
           std::string(edges);
  };
  const Reading ring(
      device("- {ep1: {component: xpu}, ep2: {component: xpu}, scheme: ring, link: ici}\n"));
  ASSERT_TRUE(ring.topology) << ring.error();
  EXPECT_EQ(ring.topology->link_count(), 8U);
  const Reading full(
      device("- {ep1: {component: xpu}, ep2: {component: xpu}, scheme: many2many, link: ici}\n"));
  EXPECT_EQ(full.topology->link_count(), 12U);
  EXPECT_TRUE(full.findings.empty());
  const Reading steps(device(
      "- {ep1: {component: 'xpu[0:4:2]'}, ep2: {component: nic}, scheme: one2one, link: pcie}\n"));
  EXPECT_EQ(steps.link("d.0.xpu.2", "d.0.nic.1").kind, LinkClass::pcie);
  // Lists of unequal length are paired as far as they go; the later of two edges counts; a
  // component that is not there joins nothing.
  const Reading odd(
      device("- {ep1: {component: xpu}, ep2: {component: nic}, scheme: one2one, link: a}\n"
             "- {ep1: {component: 'xpu[0]'}, ep2: {component: 'nic[0]'}, link: pcie}\n"
             "- {ep1: {component: xpu}, ep2: {component: nvlsw}, scheme: many2many, link: a}\n"));
  ASSERT_TRUE(odd.topology) << odd.error();
  EXPECT_EQ(odd.topology->link_count(), 4U);
  EXPECT_EQ(odd.link("d.0.xpu.0", "d.0.nic.0").kind, LinkClass::pcie);
  EXPECT_EQ(odd.findings.count(FindingCode::fabric_pairs_cut), 1U);
  EXPECT_EQ(odd.findings.count(FindingCode::fabric_link_dropped), 1U);
  EXPECT_EQ(odd.findings.count(FindingCode::fabric_edge_without_ends), 1U);
}

TEST(InfraGraph, AnnotationsGiveRanksAndFigures) {
  const std::string indented = [] {
    std::string out = "infrastructure:\n";
    std::string_view rest = kSmallGraph;
    while (!rest.empty()) {
      const std::size_t end = rest.find('\n');
      out += "  " + std::string(rest.substr(0, end)) + "\n";
      rest.remove_prefix(end + 1);
    }
    return out;
  }();
  const Reading read(indented + R"(annotations:
  nodes:
  - {name: 'host[1]xpu[0]', attributes: [{attribute: rank, value: '0'}]}
  - {name: host.0.xpu.1, attributes: [{attribute: rank, value: 1}]}
  - {name: 'host[0:2]', attributes: [{attribute: site, value: dc1}]}
  edges:
  - {ep1: 'host[0:2]cpu[0]', ep2: 'host[0:2]card[0:2]port[0]', attributes: [{attribute: bandwidth, value: 64 GBps}]}
  links:
  - {name: wire, attributes: [{attribute: bandwidth, value: 400 Gbps}, {attribute: latency, value: 5 ns}]}
)");
  ASSERT_TRUE(read.topology) << read.error();
  EXPECT_EQ(read.topology->rank(read.node("host.1.xpu.0")), 0U);
  EXPECT_EQ(read.topology->rank(read.node("host.0.xpu.1")), 1U);
  EXPECT_EQ(read.topology->rank(read.node("host.0.xpu.0")), 2U);
  EXPECT_EQ(read.link("host.0.cpu.0", "host.0.card.1.port.0").bandwidth.count(), 64e9);
  EXPECT_EQ(read.link("host.1.card.0.port.0", "host.1.cpu.0").bandwidth.count(), 64e9);
  EXPECT_EQ(read.link("host.0.card.0.chip.0", "host.0.card.0.port.0").latency, ns(5));
  EXPECT_EQ(read.findings.count(FindingCode::fabric_part_ignored), 1U);
  const auto error = [&](std::string_view node, std::string_view rank) {
    return Reading(indented + "annotations: {nodes: [{name: '" + std::string(node) +
                   "', attributes: [{attribute: rank, value: '" + std::string(rank) + "'}]}]}\n")
        .error();
  };
  EXPECT_EQ(error("host[7]xpu[0]", "0"),
            "f:/annotations/nodes/0/name: unknown node \"host.7.xpu.0\" (E2003)");
  EXPECT_EQ(error("host[0]xpu[0:2]", "0"), "f:/annotations/nodes/0: 2 nodes have one rank (E2003)");
  // A step beyond the last number once led back to copies before the first.
  EXPECT_EQ(error("host[1:2:18446744073709551615]xpu[0]", "0"), "read");
  EXPECT_EQ(error("host[0]xpu[0]", "-1"), "f:/annotations/nodes/0: \"-1\" is not a rank (E2009)");
  EXPECT_EQ(error("host[0]xpu[0]", "7"),
            "f: a device has rank 7, but no device has rank 0 (E1008)");
  EXPECT_EQ(error("host[0]cpu[0]", "0"), "f: host.0.cpu.0 has rank 0 but is not a device (E1008)");
}

TEST(InfraGraph, GigatransfersNeedAWidth) {
  const std::string text =
      changed(kSmallGraph, "- {name: pcie}",
              "- {name: pcie, physical: {bandwidth: {gigatransfers_per_second: 32}}}");
  EXPECT_EQ(Reading(text).error(),
            "f:/devices/0/links/1: 32 GT/s, but the width of the link is missing (E2010)");
  const Reading wide(
      text +
      "annotations: {links: [{name: pcie, attributes: [{attribute: width, value: x16}]}]}\n");
  ASSERT_TRUE(wide.topology) << wide.error();
  EXPECT_NEAR(wide.link("host.0.cpu.0", "host.0.card.0.port.0").bandwidth.count(), 63.015e9, 1e6);
  // A width once took away what the same annotation, or one of the edge, says of the bandwidth.
  const Reading stated(text +
                       "annotations: {links: [{name: pcie, attributes: [{attribute: width, value: "
                       "16}, {attribute: bandwidth, value: 50 GBps}]}]}\n");
  ASSERT_TRUE(stated.topology) << stated.error();
  EXPECT_EQ(stated.link("host.0.cpu.0", "host.0.card.0.port.0").bandwidth.count(), 50e9);
}

TEST(InfraGraph, NetworkxGraphs) {
  const Reading read(R"(
directed: false
graph: {name: g}
nodes:
- {id: server.0.xpu.0, rank: '1'}
- {id: server.0.xpu.1, rank: 0}
- {id: server.0.nic.0, type: nic}
- {id: switch.0.asic.0}
- {id: switch.0.port.0}
- {id: switch.0.port.1}
- {id: switch.0.port.2}
edges:
- {source: server.0.xpu.0, target: server.0.xpu.1, link: nvlink}
- {source: server.0.xpu.0, target: server.0.nic.0, link: pcie}
- {source: server.0.nic.0, target: switch.0.port.0, bandwidth: 100 Gbps, latency: 5 us}
- {source: switch.0.asic.0, target: switch.0.port.0}
- {source: switch.0.asic.0, target: switch.0.asic.0}
)");
  ASSERT_TRUE(read.topology) << read.error();
  EXPECT_EQ(read.topology->name(read.topology->devices()[0]), "server.0.xpu.1");
  EXPECT_EQ(read.topology->kind(read.node("switch.0.asic.0")), NodeClass::leaf);
  EXPECT_EQ(read.link("switch.0.port.0", "server.0.nic.0"),
            (LinkFigures{Bandwidth(12.5e9), ns(5000), 1, LinkClass::network}));
  EXPECT_EQ(read.topology->host(read.node("server.0.nic.0")), 0U);
  EXPECT_EQ(read.topology->host(read.node("switch.0.port.0")), Topology::kNoHost);
  EXPECT_EQ(read.findings.count(FindingCode::fabric_class_guessed), 6U);
  EXPECT_EQ(read.findings.count(FindingCode::fabric_link_dropped), 1U);
  const auto error = [](std::string_view edge) {
    return Reading("directed: false\nnodes: [{id: a.0.xpu.0}, {id: a.0.xpu.1}]\nedges: [" +
                   std::string(edge) + "]\n")
        .error();
  };
  EXPECT_EQ(error("{source: a.0.xpu.0, target: b}"),
            "f:/edges/0/target: unknown node \"b\" (E2003)");
  EXPECT_EQ(error("{source: a.0.xpu.0, target: a.0.xpu.1, bandwidth: 0 Gbps}"),
            "f:/edges/0/bandwidth: a bandwidth of 0 (E2009)");
  EXPECT_EQ(error("{source: a.0.xpu.0, target: a.0.xpu.1, bandwidth: 32 GT/s}"),
            "f:/edges/0/bandwidth: \"32 GT/s\", but the width of the link is missing (E2010)");
}

TEST(InfraGraph, OldSchemas) {
  const Reading read(R"(
inventory:
  devices:
    HOST:
      name: HOST
      components: {npu: {name: npu, count: 1, npu: {}}, nic: {name: nic, nic: {}}}
      connections: [npu.0.pcie.nic.0, npu.0.pcie.nic.1]
      links: {pcie: {name: pcie, bandwidth: {gbps: 256}}}
  links: {eth: {name: eth, bandwidth: {gbps: 100}}}
device_instances: {host: {name: host, device: HOST, count: 2}}
connections: [host.0.nic.1.eth.host.1.nic.0]
)");
  ASSERT_TRUE(read.topology) << read.error();
  EXPECT_EQ(read.topology->node_count(), 6U);
  EXPECT_EQ(read.link("host.0.npu.0", "host.0.nic.1").bandwidth.count(), 32e9);
  EXPECT_EQ(read.link("host.0.nic.1", "host.1.nic.0").bandwidth.count(), 12.5e9);
  EXPECT_EQ(read.findings.count(FindingCode::legacy_schema), 1U);
  const auto error = [](std::string_view connection) {
    return Reading(
               "devices: [{name: d, components: [{name: xpu, type: xpu, count: 2}], connections: "
               "[" +
               std::string(connection) + "]}]\n")
        .error();
  };
  EXPECT_EQ(
      error("xpu.0.link.xpu.2"),
      "f:/devices/0/connections/0/ep2: \"xpu\" has 2 copies, but the file uses number 2 (E2009)");
  EXPECT_EQ(error("xpu.0.link.cpu.0"),
            "f:/devices/0/connections/0: device \"d\" has no component \"cpu\" (E2003)");
  EXPECT_EQ(error("xpu.0.link.xpu"),
            "f:/devices/0/connections/0: \"xpu.0.link.xpu\" is not a connection (E2003)");
  EXPECT_EQ(Reading("devices: [{name: d, components: [], connections: []}]\n").error(),
            "f:/devices/0/components: device \"d\" has no components (E2010)");
}

TEST(InfraGraph, Mistakes) {
  const auto error = [](std::string_view from, std::string_view to) {
    return Reading(changed(kSmallGraph, from, to)).error();
  };
  EXPECT_EQ(error("choice: cpu, count: 1", "count: 1"),
            "f:/devices/0/components/0/choice: the choice of \"cpu\" is missing (E2010)");
  EXPECT_EQ(error("count: 1}", "count: 0}"),
            "f:/devices/0/components/0/count: must be a whole number of at least 1 (E2009)");
  EXPECT_EQ(error("name: xpu", "name: cpu"),
            "f:/devices/0/components/1: a second component \"cpu\" (E2003)");
  EXPECT_EQ(error("port[2:]", "port[2:5]"),
            "f:/edges/1/ep2: \"port\" has 4 copies, but the file uses number 4 (E2009)");
  EXPECT_EQ(error("port[2:]", "port[2:"),
            "f:/edges/1/ep2: \"leaf.port[2:\" is not a name with slices (E2003)");
  EXPECT_EQ(error("card.port", "card"),
            "f:/edges/1/ep1: \"card\" is a device; name one of its components (E2003)");
  EXPECT_EQ(error("card.port", "xpu.port"),
            "f:/edges/1/ep1: \"xpu\" is not a device and has no components (E2003)");
  EXPECT_EQ(error("instance: 'host[1]'", "instance: 'hots[1]'"),
            "f:/edges/1/ep1: unknown instance \"hots\" (E2003)");
  EXPECT_EQ(error("scheme: one2one, link: ether", "scheme: mesh, link: ether"),
            "f:/edges/0/scheme: unknown scheme \"mesh\" (E2004)");
  EXPECT_EQ(error("device: switch", "device: swtich"),
            "f:/instances/1/device: unknown device \"swtich\" (E2003)");
  EXPECT_EQ(error("gigabits_per_second: 400", "gigabits_per_second: 0"),
            "f:/links/0/physical/bandwidth/gigabits_per_second: a bandwidth of 0 (E2009)");
  EXPECT_EQ(
      error("us: 0.5", "us: -1"),
      "f:/links/0/physical/latency/us: a latency that is negative or longer than 100 days (E2009)");
  EXPECT_EQ(
      error("{name: chip, choice: nic}", "{name: server, choice: device}"),
      "f:/devices/0: device \"server\" contains itself, possibly inside nested devices (E2008)");
  EXPECT_EQ(
      error("name: card, choice", "name: crad, choice"),
      "f:/devices/0: \"server\" contains the device \"crad\", which is not described (E2003)");
  EXPECT_EQ(Reading("devices: [{name: a, components: [{name: xpu, choice: xpu}]}]").error(),
            "f:/edges: contains no edges, so its links are unknown (E2010)");
  EXPECT_EQ(
      Reading("devices: [{name: a, components: [{name: xpu, choice: xpu}]}, {name: b, components: "
              "[{name: xpu, choice: xpu}]}]")
          .error(),
      "f:/instances: 2 devices but no instances: the number of each device is missing (E2010)");
}

TEST(InfraGraph, AnnotationsAloneAreNoFabric) {
  EXPECT_EQ(Reading(R"({"nodes": [{"name": "a", "attributes": []}]})").error(),
            "f: the file contains annotations, but not their infrastructure (E2010)");
}

TEST(InfraGraph, ClaimsOfMillionsStopBeforeTheyAreMade) {
  const auto start = std::chrono::steady_clock::now();
  const auto error = [](std::string_view from, std::string_view to) {
    const Reading read(changed(kSmallGraph, from, to));
    return read.topology ? Errc::usage : read.topology.error().code;
  };
  EXPECT_EQ(error("choice: port, count: 4", "choice: port, count: 4000000000"),
            Errc::limit_exceeded);
  EXPECT_EQ(error("device: server, count: 2", "device: server, count: 9000000000000000000"),
            Errc::limit_exceeded);
  EXPECT_EQ(error("choice: xpu, count: 2", "choice: xpu, count: 9000000000000000000"),
            Errc::limit_exceeded);
  const Reading squared(
      "name: d\ncomponents: [{name: xpu, choice: xpu, count: 60000}]\nedges: [{ep1: {component: "
      "xpu}, "
      "ep2: {component: xpu}, scheme: many2many, link: l}]\n");
  EXPECT_EQ(squared.topology.error().code, Errc::limit_exceeded) << squared.error();
  // Devices in devices in devices: each ten times the one before.
  std::string nested =
      "devices:\n- {name: d0, components: [{name: xpu, choice: xpu, count: 10}], edges: [{ep1: "
      "{component: xpu}, ep2: {component: xpu}, scheme: ring, link: l}]}\n";
  for (int i = 1; i < 40; ++i)
    nested += "- {name: d" + std::to_string(i) + ", components: [{name: d" + std::to_string(i - 1) +
              ", choice: device, count: 10}]}\n";
  const Reading tower(nested + "instances: [{name: i, device: d39}]\n");
  EXPECT_EQ(tower.topology.error().code, Errc::limit_exceeded) << tower.error();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::minutes(1)) << "hangs";
}

TEST(InfraGraphSlices, WhatTheyMean) {
  using namespace infragraph;
  const auto slices = parse_slices("dgx[0:2]cx5[1].port[::2]", "f");
  ASSERT_TRUE(slices) << to_string(slices.error());
  ASSERT_EQ(slices->size(), 3U);
  EXPECT_EQ((*slices)[1].name, "cx5");
  EXPECT_EQ(range_of((*slices)[0], 4, "f")->size, 2U);
  EXPECT_EQ(range_of((*slices)[2], 5, "f")->size, 3U);
  EXPECT_EQ(parse_slices("host.0.xpu.3", "f")->size(), 2U);
  for (const char* wrong : {"", "[0]", "a]", "a[", "a[x]", "a[1:2:3:4]", "a[0:4:0]", "a..b", "a."})
    EXPECT_FALSE(parse_slices(wrong, "f")) << wrong;
}

}  // namespace
}  // namespace orrery::platform
