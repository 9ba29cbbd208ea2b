// SPDX-License-Identifier: Apache-2.0
//
// Damaged fabrics: a small file of every format, cut everywhere and with every byte changed, ends
// in an error that says where and what, or in another fabric; never in a crash or a hang.
#include <gtest/gtest.h>

#include <string_view>

#include "orrery/platform/topology/formats/formats_testing.h"

namespace orrery::platform {
namespace {

using formats_testing::expect_survives_damage;

struct SmallFile {
  const char* format;
  std::string_view text;
};

constexpr SmallFile kSmallFiles[] = {
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

TEST(DamagedFabrics, CutAndChangedEverywhere) {
  for (const SmallFile& file : kSmallFiles) {
    SCOPED_TRACE(file.format);
    expect_survives_damage(file.text);
  }
}

}  // namespace
}  // namespace orrery::platform
