// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/cluster/pcie_default.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "orrery/platform/cluster/cluster.h"

namespace orrery::platform {
namespace {

struct Parsed {
  Platform platform;
  std::uint64_t findings = 0;  ///< pcie_topology_unknown
};

Parsed parsed(const std::string& text) {
  Findings findings;
  const Result<Platform> read = parse_cluster(text, "c.yaml", findings);
  EXPECT_TRUE(read) << to_string(read.error());
  return {read ? *read : Platform{}, findings.count(FindingCode::pcie_topology_unknown)};
}

std::string cluster_of(const std::string& device, const std::string& dims) {
  return "version: 1\ndevice: " + device + "\nnetwork:\n" + dims;
}

TEST(UnknownPcie, GetsTheRateOfSlowMachinesAndAFinding) {
  const Parsed eight =
      parsed(cluster_of("l40s", "  - {block: switch, size: 8, link: pcie4-x16}\n"));
  EXPECT_EQ(eight.findings, 1u);
  EXPECT_EQ(eight.platform.dims[0].unknown_pcie, "pcie4-x16");
  EXPECT_DOUBLE_EQ(eight.platform.dims[0].bandwidth.count(), 1.77e9);
  const Parsed two = parsed(cluster_of("l40s", "  - {block: switch, size: 2, link: pcie4-x16}\n"));
  EXPECT_NEAR(two.platform.dims[0].bandwidth.count(), 11.2e9, 0.1e9);
  EXPECT_EQ(two.findings, 1u);
}

TEST(UnknownPcie, WhatTheUserStatesIsUsedUnchanged) {
  const Parsed stated = parsed(
      cluster_of("l40s", "  - {block: switch, size: 8, link: pcie4-x16, bandwidth: 20 GB/s}\n"));
  EXPECT_EQ(stated.findings, 0u);
  EXPECT_EQ(stated.platform.dims[0].unknown_pcie, "");
  EXPECT_DOUBLE_EQ(stated.platform.dims[0].bandwidth.count(), 20e9);
}

TEST(UnknownPcie, MeasuredMachinesAndOtherLinksKeepTheirRate) {
  const Parsed measured =
      parsed(cluster_of("rtx-pro-6000-server", "  - {block: switch, size: 8, link: pcie5-x16}\n"));
  EXPECT_EQ(measured.findings, 0u);
  EXPECT_NEAR(measured.platform.dims[0].bandwidth.count(), 63e9, 0.1e9);
  EXPECT_EQ(
      parsed(cluster_of("h100-sxm", "  - {block: switch, size: 8, link: nvlink4}\n")).findings, 0u);
  EXPECT_EQ(parsed(cluster_of("l40s", "  - {block: switch, size: 1, link: pcie4-x16}\n")).findings,
            0u);
}

TEST(UnknownPcie, ClustersWrittenAndReadAgainAreEqual) {
  for (const char* dims : {"  - {block: switch, size: 8, link: pcie4-x16}\n",
                           "  - {block: switch, size: 8, link: pcie4-x16, bandwidth: 20 GB/s}\n"}) {
    const Parsed once = parsed(cluster_of("l40s", dims));
    const Parsed again = parsed(resolved_cluster(once.platform));
    EXPECT_EQ(again.platform.dims[0].unknown_pcie, once.platform.dims[0].unknown_pcie);
    EXPECT_EQ(again.platform.dims[0].bandwidth, once.platform.dims[0].bandwidth);
    EXPECT_EQ(again.findings, once.findings);
  }
}

}  // namespace
}  // namespace orrery::platform
