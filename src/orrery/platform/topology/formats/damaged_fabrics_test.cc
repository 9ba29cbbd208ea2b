// SPDX-License-Identifier: Apache-2.0
//
// Damaged fabrics: a small file of every format, cut everywhere and with every byte changed, ends
// in an error that says where and what, or in another fabric; never in a crash or a hang.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>

#include "orrery/core/text/text.h"
#include "orrery/platform/topology/formats/infragraph/infragraph.h"
#include "orrery/platform/topology/formats/read_topology.h"

namespace orrery::platform {
namespace {

struct SmallFile {
  const char* format;
  std::string_view text;
};

constexpr SmallFile kSmallFiles[] = {
    {"InfraGraph",
     "name: s\ndevices:\n- name: d\n  components:\n  - {name: x, choice: xpu, count: 2}\n"
     "  - {name: w, choice: switch}\n  - {name: c, choice: device}\n"
     "  edges: [{ep1: {component: 'x[0:2]'}, ep2: {component: w}, scheme: many2many, link: l}]\n"
     "  links: [{name: l, physical: {bandwidth: {gigabits_per_second: 4}, latency: {ns: 5}}}]\n"
     "- {name: c, components: [{name: n, choice: nic}]}\ninstances: [{name: h, device: d, count: "
     "2}]\n"
     "edges: [{ep1: {instance: 'h[0]', component: 'c.n'}, ep2: {instance: 'h[1]', component: "
     "'c[0].n[0]'}, scheme: one2one, link: m}]\n"},
    {"annotated InfraGraph",
     R"({"infrastructure":{"devices":[{"name":"d","components":[{"name":"x","choice":"xpu",)"
     R"("count":2}],"edges":[{"ep1":{"component":"x"},"ep2":{"component":"x"},"scheme":"ring",)"
     R"("link":"l"}],"links":[{"name":"l"}]}],"instances":[{"name":"h","device":"d"}]},)"
     R"("annotations":{"nodes":[{"name":"h[0:1]x[1]","attributes":[{"attribute":"rank",)"
     R"("value":"0"}]}],"edges":[{"ep1":"h.0.x.0","ep2":"h.0.x.1","attributes":[{"attribute":)"
     R"("bandwidth","value":"4 Gbps"}]}],"links":[{"name":"l","attributes":[{"attribute":"width",)"
     R"("value":"4"}]}]}})"},
    {"old InfraGraph",
     "devices: [{name: d, components: [{name: x, type: xpu}, {name: n, type: nic}], "
     "links: [{name: l, bandwidth: {gbps: 4}}], connections: [x.0.l.n.0, x.1.l.n.0]}]\n"
     "instances: [{name: h, device: d, count: 2}]\nconnections: [h.0.n.0.e.h.1.n.0]\n"},
    {"networkx",
     "directed: false\nnodes: [{id: h.0.x.0, type: xpu, rank: 0}, {id: h.0.n.0}]\nedges: "
     "[{source: h.0.x.0, target: h.0.n.0, link: pcie, bandwidth: 4 Gbps, latency: 5 ns}]\n"},
    {"written InfraGraph", {}},
    {"Air", R"({"content":{"nodes":{"leaf":{"os":"sonic"},"server":{}},"links":[[{"node":"leaf"},)"
            R"({"node":"server"}]]}})"},
    {"TACCL", R"({"name":"t","links":[[0,1],[2,0]],"alpha":1})"},
    {"ns-3", "3 1 2\n2\n0 2 25Gbps 1us 0\n1 2 25Gbps 0.005ms 0\n"},
    {"SimAI",
     "5 2 1 2 4 H100\n2 3 4\n0 2 9Gbps 1us 0\n1 2 9Gbps 1us 0\n0 3 4Gbps 1us 0\n1 4 4Gbps "
     "1us 0\n"},
    {"htsim",
     "Nodes 4\nTiers 2\nPodsize 4\nTier 0\nDownlink_speed_Gbps 8\nRadix_Down 2\nRadix_Up 2\n"
     "Downlink_Latency_ns 5\nOversubscribed 1\nTier 1\nDownlink_speed_Gbps 8\nRadix_Down 2\n"
     "Downlink_Latency_ns 5\n"},
    {"anynet", "router 0 node 0 router 1 5\nrouter 1 node 1 2\n"},
    {"nvidia-smi",
     "\t\x1b[4mGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\x1b[0m\n"
     "GPU0\t X\tNV2\tPIX\t0-7\t0\nGPU1\tNV2\tX\tSYS\t8-9\t1\nNIC0\tPIX\tSYS\t X\n\n"
     "NIC Legend:\n\n  NIC0: mlx5_0\n"},
    {"NCCL",
     "<system version='1'><cpu numaid='0'><pci busid='1' class='0x060400' link_speed='16 GT/s' "
     "link_width='16'><pci busid='2' class='0x030200'><gpu dev='0' rank='0'><nvlink target='9' "
     "count='4' tclass='0x068000'/></gpu></pci><pci busid='3'><nic><net name='m' speed='100' "
     "latency='1'/></nic></pci></pci></cpu></system>"},
    {"lstopo",
     "<topology version='2.0'><object type='Machine'><object type='Package' gp_index='1'>"
     "<object type='NUMANode'/><object type='Bridge' bridge_pci='0'><object type='PCIDev' "
     "gp_index='2' pci_busid='1' pci_type='0302' pci_link_speed='3.5'/></object></object>"
     "</object><distances2hetero name='NVLinkBandwidth'><indexes>GPU:2 P:1</indexes>"
     "<u64values>1 2 3 4</u64values></distances2hetero></topology>"},
};

std::string written() {
  TopologyBuilder builder("two", "test");
  builder.add(NodeClass::device, "a", builder.add_host());
  builder.add(NodeClass::leaf, "b");
  builder.join(0, 1, {Bandwidth(1e9), ns(5), 2, LinkClass::network});
  return write_infragraph(*builder.finish("test"));
}

void expect_survives(std::string_view text) {
  Findings findings;
  const auto read = read_topology(text, "damaged", findings);
  if (read) return;
  std::size_t bad = 0;
  EXPECT_TRUE(is_utf8(to_string(read.error()), bad)) << to_string(read.error());
  EXPECT_TRUE(read.error().where.starts_with("damaged")) << read.error().where;
  EXPECT_FALSE(read.error().what.empty());
  EXPECT_LT(to_string(read.error()).size(), 1000U);
}

TEST(DamagedFabrics, CutAndChangedEverywhere) {
  const auto start = std::chrono::steady_clock::now();
  for (const SmallFile& file : kSmallFiles) {
    SCOPED_TRACE(file.format);
    const std::string whole = file.text.empty() ? written() : std::string(file.text);
    Findings findings;
    const auto read = read_topology(whole, "whole", findings);
    EXPECT_TRUE(read) << to_string(read.error());
    for (std::size_t i = 0; i < whole.size(); ++i) {
      expect_survives(std::string_view(whole).substr(0, i));
      for (const char byte : {'\0', '\xff', '9', ' ', '\n', '[', '<', '-'}) {
        std::string damaged = whole;
        damaged[i] = byte;
        expect_survives(damaged);
      }
    }
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::minutes(1)) << "hangs";
}

}  // namespace
}  // namespace orrery::platform
