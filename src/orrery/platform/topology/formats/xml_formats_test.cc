// SPDX-License-Identifier: Apache-2.0
//
// Machines as XML: NCCL's, RCCL's and lstopo's.
#include <gtest/gtest.h>

#include "orrery/platform/topology/formats/common/pcie.h"
#include "orrery/platform/topology/formats/formats_testing.h"

namespace orrery::platform {
namespace {

using formats_testing::Reading;

TEST(Pcie, RatesAfterTheLineCode) {
  EXPECT_DOUBLE_EQ(pcie_rate(2.5, 16).count(), 4e9);
  EXPECT_NEAR(pcie_rate(16, 16).count(), 31.508e9, 1e6);
  EXPECT_NEAR(pcie_rate(64, 16).count(), 121e9, 1e6);
  EXPECT_EQ(pcie_rate(0, 16).count(), 0);
  EXPECT_EQ(class_of_pci("0x030200", false), NodeClass::device);
  EXPECT_EQ(class_of_pci("0300 [10de:2204]", false), NodeClass::other);
}

constexpr std::string_view kNccl = R"(<!-- a comment -->
<system version="1">
  <cpu host_hash="0x1" numaid="0" arch="x86_64">
    <pci busid="0000:01:00.0" class="0x060400" link_speed="16.0 GT/s PCIe" link_width="16">text
      <pci busid="0000:07:00.0" class="0x030200" link_speed="16.0 GT/s PCIe" link_width="16">
        <gpu dev="0" sm="80" rank="1" gdr="1">
          <nvlink target="0000:C7:00.0" count="2" tclass="0x068000"/>
          <nvlink target="0000:4e:00.0" count="4" tclass="0x030200"/>
        </gpu>
      </pci>
      <pci busid="0000:0c:00.0" class="0x020700" link_speed="16.0 GT/s PCIe" link_width="16">
        <nic>
          <net name="mlx5_0" dev="0" speed="200000" port="1" latency="1.5" guid="0xa2" gdr="1"/>
        </nic>
      </pci>
    </pci>
    <nic><net name="eth0" dev="1" speed="0"/></nic>
  </cpu>
  <cpu host_hash="0x1" numaid="1">
    <pci busid="0000:4e:00.0" class="0x030200" link_speed="" link_width="0">
      <gpu dev="1" sm="80" rank="0">
        <nvlink target="0000:c7:00.0" count="2" tclass="0x068000"/>
        <nvlink target="0000:4e:00.0" count="2" tclass="0x030200"/>
        <nvlink target="0000:99:00.0" count="2" tclass="0x030200"/>
        <c2c bw="44712" count="10"/>
      </gpu>
    </pci>
  </cpu>
</system>)";

TEST(NcclTopology, MachinesOfCpusSwitchesGpusAndNics) {
  const Reading read(kNccl);
  ASSERT_TRUE(read.topology) << read.error();
  const Topology& is = *read.topology;
  EXPECT_EQ(is.node_count(), 10U);
  EXPECT_EQ(is.host_count(), 1U);
  EXPECT_EQ(is.name(is.devices()[0]), "gpu1");
  EXPECT_EQ(is.name(is.devices()[1]), "gpu0");
  EXPECT_EQ(read.link("pcie 0000:01:00.0", "gpu0").bandwidth, pcie_rate(16, 16));
  // Over PCIe, whose rate is not known there, and from chip to chip.
  const auto [first, last] = is.between(read.node("cpu1"), read.node("gpu1"));
  ASSERT_EQ(last - first, 2U);
  EXPECT_EQ(is.link(first).figures.bandwidth.count(), 0);
  EXPECT_EQ(is.link(first + 1).figures,
            (LinkFigures{Bandwidth(44.712e9), std::nullopt, 10, LinkClass::scale_up}));
  EXPECT_EQ(read.link("nic 0000:0c:00.0", "net mlx5_0"),
            (LinkFigures{Bandwidth(25e9), ns(1500), 1, LinkClass::inside}));
  EXPECT_EQ(read.link("nic eth0", "net eth0").bandwidth.count(), 0);
  EXPECT_EQ(read.link("gpu0", "nvswitch 0000:c7:00.0"),
            (LinkFigures{Bandwidth(0), std::nullopt, 2, LinkClass::scale_up}));
  EXPECT_EQ(read.link("gpu1", "nvswitch 0000:c7:00.0").count, 2U);
  // One GPU lists the link, the other does not.
  EXPECT_EQ(read.link("gpu1", "gpu0").count, 4U);
  EXPECT_EQ(read.link("cpu0", "cpu1").kind, LinkClass::host);
  // To itself, and to a GPU that is not there.
  EXPECT_EQ(read.findings.count(FindingCode::fabric_link_dropped), 2U);
}

TEST(NcclTopology, RcclAndFilesWithoutGpus) {
  const Reading rccl(
      "<system version='2'><cpu numaid='0'>"
      "<pci busid='1' class='0x038000'><gpu dev='0' gcn='908' rank='8'>"
      "<xgmi target='2' count='1' tclass='0x038000'/></gpu></pci>"
      "<pci busid='2' class='0x038000'><gpu dev='1' gcn='908' rank='9'>"
      "<xgmi target='1' count='1' tclass='0x038000'/></gpu></pci></cpu></system>");
  ASSERT_TRUE(rccl.topology) << rccl.error();
  EXPECT_EQ(rccl.link("gpu0", "gpu1").count, 1U);
  EXPECT_EQ(rccl.findings.count(FindingCode::fabric_ranks_in_order), 1U);
  const Reading flat(
      "<system version='1'><cpu numaid='0'><pci busid='1' class='0x030200'/>"
      "<pci busid='2' class='0x020000'/><pci busid='3'/></cpu></system>");
  ASSERT_TRUE(flat.topology) << flat.error();
  EXPECT_EQ(flat.count(NodeClass::device), 1U);
  EXPECT_EQ(flat.count(NodeClass::nic), 1U);
  const Reading parts(
      "<system version='2'><cpu numaid='0'><pci busid='1' class='0x120000'><gpu dev='0' rank='0'/>"
      "<gpu dev='1' rank='1'/></pci></cpu></system>");
  ASSERT_TRUE(parts.topology) << parts.error();
  EXPECT_EQ(parts.count(NodeClass::device), 2U);
  EXPECT_EQ(parts.link("pcie 1", "gpu1").kind, LinkClass::inside);
  const Reading none("<system version='1'><cpu numaid='0'><pci busid='3'/></cpu></system>");
  EXPECT_EQ(none.findings.count(FindingCode::fabric_without_devices), 1U);
}

TEST(NcclTopology, SeveralHosts) {
  const Reading read(
      "<system version='1'><cpu host_hash='a' numaid='0'><pci busid='1' class='0x030200'>"
      "<gpu dev='0' rank='0'/></pci></cpu><cpu host_hash='b' numaid='0'>"
      "<pci busid='1' class='0x030200'><gpu dev='0' rank='1'/></pci></cpu></system>");
  ASSERT_TRUE(read.topology) << read.error();
  EXPECT_EQ(read.topology->host_count(), 2U);
  EXPECT_EQ(read.topology->host(read.node("gpu0 #2")), 1U);
  EXPECT_EQ(read.topology->link_count(), 4U) << "CPUs of two hosts are not joined";
}

TEST(NcclTopology, Mistakes) {
  const auto error = [](std::string_view text) { return Reading(text).error(); };
  EXPECT_EQ(error("<system version='1'>"), "f:1: not XML: start-end tags mismatch (E2003)");
  EXPECT_EQ(error("<system version='3'/>"), "f:1: version \"3\" of NCCL's topology (E2004)");
  EXPECT_EQ(error("<system version='1'/>"), "f:1: a system without a cpu (E2011)");
  EXPECT_EQ(error("<system>\n<cpu numaid='0'><gpu dev='0'/></cpu></system>"),
            "f:2: a gpu element outside a pci element (E2003)");
  EXPECT_EQ(error("<system>\n<cpu>\n<pci/></cpu></system>"),
            "f:3: a pci element without a busid (E2010)");
  EXPECT_EQ(error("<system><cpu><pci busid='1'><gpu dev='0'>\n<nvlink target='2' count='0'/></gpu>"
                  "</pci></cpu></system>"),
            "f:2: \"0\" links (E2009)");
  EXPECT_EQ(error("<system><cpu><pci busid='1'><gpu dev='0'>\n<c2c bw='-1'/></gpu></pci></cpu>"
                  "</system>"),
            "f:2: an invalid bandwidth (E2009)");
  EXPECT_EQ(
      error("<system><cpu><pci busid='1'><gpu dev='0'><c2c count='65536'/>\n<c2c/></gpu></pci>"
            "</cpu></system>"),
      "f:2: more than 65536 parallel links (E2009)");
  EXPECT_EQ(error("<plan/>"), "f: XML that begins with <plan> is not a supported fabric (E2004)");
  std::string deep = "<system>";
  for (int i = 0; i < 100'000; ++i) deep += "<pci>";
  for (int i = 0; i < 100'000; ++i) deep += "</pci>";
  EXPECT_EQ(error(deep + "</system>"), "f:1: nested deeper than 64 levels (E4000)");
}

constexpr std::string_view kLstopo = R"(<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
  <object type="Machine" os_index="0">
    <object type="Package" os_index="0" gp_index="3">
      <object type="NUMANode" os_index="0" gp_index="4" local_memory="1"/>
      <object type="L3Cache"><object type="Core"><object type="PU" os_index="0"/></object></object>
      <object type="Bridge" gp_index="10" bridge_type="0-1" bridge_pci="0000:[00-03]">
        <object type="Bridge" gp_index="11" bridge_type="1-1" bridge_pci="0000:[01-01]" pci_busid="0000:00:01.0" pci_link_speed="15.753846">
          <object type="PCIDev" gp_index="12" pci_busid="0000:01:00.0" pci_type="0302 [10de:20b0]" pci_link_speed="31.507692">
            <object type="OSDev" gp_index="30" name="cuda0" subtype="CUDA" osdev_type="5"/>
          </object>
        </object>
        <object type="PCIDev" gp_index="13" pci_busid="0000:02:00.0" pci_type="0207 [15b3:101b]" pci_link_speed="0.000000">
          <object type="OSDev" name="ib0" osdev_type="2"/><object type="OSDev" name="mlx5_0" osdev_type="3"/>
        </object>
        <object type="PCIDev" gp_index="14" pci_busid="0000:03:00.0" pci_type="0106 [8086:0000]"/>
      </object>
    </object>
    <object type="Package" os_index="1" gp_index="5">
      <object type="Bridge" gp_index="20" bridge_type="0-1" bridge_pci="0000:[80-81]">
        <object type="PCIDev" gp_index="21" pci_busid="0000:81:00.0" pci_type="0300 [1002:740f]">
          <object type="OSDev" gp_index="31" name="rsmi0" subtype="RSMI" osdev_type="1"/>
        </object>
      </object>
    </object>
  </object>
  <distances2hetero nbobjs="2" kind="25" name="NVLinkBandwidth">
    <indexes length="20">OSDev:30 OSDev:31 </indexes>
    <u64values length="20">1000000 40000 </u64values><u64values>40000 1000000 </u64values>
  </distances2hetero>
</topology>)";

TEST(Lstopo, PackagesBridgesAcceleratorsAndNics) {
  const Reading read(kLstopo);
  ASSERT_TRUE(read.topology) << read.error();
  const Topology& is = *read.topology;
  EXPECT_EQ(is.devices().size(), 2U);
  EXPECT_EQ(is.name(is.devices()[0]), "cuda0 0000:01:00.0");
  EXPECT_EQ(read.count(NodeClass::cpu), 2U);
  EXPECT_EQ(read.count(NodeClass::memory), 1U);
  EXPECT_EQ(read.count(NodeClass::nic), 1U);
  EXPECT_EQ(read.count(NodeClass::pcie_switch), 3U);
  EXPECT_EQ(read.count(NodeClass::other), 0U);
  EXPECT_NEAR(read.link("pcie 0000:00:01.0", "cuda0 0000:01:00.0").bandwidth.count(), 31.507692e9,
              1);
  EXPECT_EQ(read.link("pcie 0000:[00-03]", "mlx5_0 0000:02:00.0").bandwidth.count(), 0);
  EXPECT_EQ(read.link("cuda0 0000:01:00.0", "rsmi0 0000:81:00.0"),
            (LinkFigures{Bandwidth(40e9), std::nullopt, 1, LinkClass::scale_up}));
  EXPECT_EQ(read.link("cpu0", "cpu1").kind, LinkClass::host);
  EXPECT_EQ(read.link("cpu1", "pcie 0000:[80-81]").kind, LinkClass::pcie);
}

TEST(Lstopo, VersionOneAndMachinesWithoutAccelerators) {
  const Reading read(
      "<topology><object type='Machine'><object type='NUMANode' os_index='0'>"
      "<object type='Socket' os_index='0'/></object><object type='NUMANode' os_index='1'>"
      "<object type='Socket' os_index='1'/></object></object></topology>");
  ASSERT_TRUE(read.topology) << read.error();
  EXPECT_EQ(read.count(NodeClass::cpu), 2U);
  EXPECT_EQ(read.count(NodeClass::memory), 2U);
  (void)read.link("cpu1", "numa1");
  EXPECT_EQ(read.findings.count(FindingCode::fabric_without_devices), 1U);
}

TEST(Lstopo, SystemsAreSeveralMachines) {
  const Reading read(
      "<topology><object type='System'><object type='Machine'><object type='Socket'/></object>"
      "<object type='Machine'><object type='Socket'/><object type='Socket'/><object type='Bridge' "
      "bridge_pci='0'><object type='PCIDev' pci_busid='1' pci_type='1200'/></object></object>"
      "</object></topology>");
  ASSERT_TRUE(read.topology) << read.error();
  EXPECT_EQ(read.topology->host_count(), 2U);
  EXPECT_EQ(read.topology->host(read.topology->devices()[0]), 1U);
  EXPECT_EQ(read.topology->link_count(), 6U);
}

TEST(Lstopo, Mistakes) {
  EXPECT_EQ(Reading("<topology version='2.0'/>").error(), "f: a topology without objects (E2011)");
  std::string text(kLstopo);
  text.replace(text.find("31.507692"), 9, "-1");
  EXPECT_EQ(Reading(text).error(), "f:10: a PCI link of \"-1\" GB/s (E2009)");
  std::string matrix(kLstopo);
  matrix.replace(matrix.find("40000 1000000"), 13, "40000");
  EXPECT_EQ(Reading(matrix).error(), "f:28: a matrix of 2 objects has 3 values (E2002)");
}

}  // namespace
}  // namespace orrery::platform
