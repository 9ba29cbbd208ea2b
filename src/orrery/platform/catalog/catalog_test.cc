// SPDX-License-Identifier: Apache-2.0
//
// What the catalog says of the inside of devices.
#include "orrery/platform/catalog/catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace orrery::platform {
namespace {

using testing::HasSubstr;

std::string device_with(const std::string& lines) {
  return "- name: abacus\n  title: Abacus\n  peaks: [{precision: bf16, rate: 1 TFLOP/s}]\n"
         "  memory_bandwidth: 1 TB/s\n  memory: 1 GB\n  source: none\n" +
         lines;
}

TEST(Catalog, ReadsWhatIsInsideADevice) {
  const auto read = read_devices(
      device_with("  architecture: blackwell-ultra\n  sms: 132\n  clock_mhz: 1830.5\n"
                  "  vector: 66.9 TFLOP/s\n  l2: 50 MiB\n  shared: 228 KiB\n  power_w: 700\n"
                  "  facts_source: a document\n"));
  ASSERT_TRUE(read) << to_string(read.error());
  const DeviceEntry& device = read->front();
  EXPECT_EQ(device.architecture, Architecture::blackwell_ultra);
  EXPECT_EQ(name(device.architecture), "blackwell-ultra");
  EXPECT_EQ(device.sms, 132);
  EXPECT_EQ(device.clock_mhz, 1830.5);
  EXPECT_DOUBLE_EQ(device.vector.count(), 66.9e12);
  EXPECT_EQ(device.l2.count(), 50ll << 20);
  EXPECT_EQ(device.shared.count(), 228ll << 10);
  EXPECT_EQ(device.power_w, 700);
}

TEST(Catalog, WhatIsNotSaidIsNotKnown) {
  const auto read = read_devices(device_with(""));
  ASSERT_TRUE(read) << to_string(read.error());
  const DeviceEntry& device = read->front();
  EXPECT_EQ(device.architecture, Architecture::unknown);
  EXPECT_EQ(name(device.architecture), "");
  EXPECT_EQ(device.sms, 0);
  EXPECT_EQ(device.clock_mhz, 0);
  EXPECT_EQ(device.vector.count(), 0);
  EXPECT_EQ(device.l2.count(), 0);
  EXPECT_EQ(device.shared.count(), 0);
  EXPECT_EQ(device.power_w, 0);
  EXPECT_EQ(device.build.island, 0);
}

TEST(Catalog, LinksToHostsAreLinksOfTheCatalogWithASource) {
  std::size_t linked = 0;
  for (const DeviceEntry& device : devices()) {
    EXPECT_EQ(device.host_link.empty(), device.host_link_source.empty()) << device.name;
    if (device.host_link.empty()) continue;
    ++linked;
    EXPECT_NE(find_link(device.host_link), nullptr) << device.name;
  }
  EXPECT_EQ(linked, 13U);
  EXPECT_EQ(find_device("h100-sxm")->host_link, "pcie5-x16");
  EXPECT_EQ(find_device("gh200")->host_link, "nvlink-c2c");
  EXPECT_EQ(find_device("b200")->host_link, "");
}

TEST(Catalog, FactorsHaveIntervals) {
  for (const DeviceEntry& device : devices())
    for (const StepEffects::Factor& factor : device.in_step)
      EXPECT_LT(factor.lower, factor.upper) << device.name;
}

TEST(Catalog, RefusesWhatNoDeviceIs) {
  for (const char* const line :
       {"sms: 0", "sms: -4", "sms: 1.5", "clock_mhz: -1", "clock_mhz: 0", "vector: 0",
        "vector: -1 TFLOP/s", "l2: 0", "l2: -1 MB", "shared: -1 KiB", "power_w: -700",
        "power_w: 700 W", "architecture: pascal", "architecture: unknown", "architecture: \"\"",
        "sm: 4",
        "build: {island: 8, block: ring, dimensions: 4, scale_up: nvlink4, source: none}"}) {
    EXPECT_FALSE(read_devices(device_with("  " + std::string(line) + "\n"))) << line;
  }
  const auto refused = read_devices(device_with("  architecture: hoper\n"));
  EXPECT_EQ(refused.error().code, Errc::config_range);
  EXPECT_THAT(refused.error().hint, HasSubstr("hopper"));
}

TEST(Catalog, DriversCallEachDeviceByItsOwnNames) {
  EXPECT_EQ(find_device_by_driver("NVIDIA H100 80GB HBM3"), find_device("h100-sxm"));
  EXPECT_EQ(find_device_by_driver("Tesla V100-SXM2-16GB"), find_device("v100-sxm2"));
  EXPECT_EQ(find_device_by_driver("Tesla V100-DGXS-32GB"), find_device("v100-sxm2"));
  EXPECT_EQ(find_device_by_driver("AMD Instinct MI210"), find_device("mi210"));
  EXPECT_EQ(find_device_by_driver("NVIDIA GeForce RTX 3090"), find_device("rtx-3090"));
  EXPECT_EQ(find_device_by_driver("NVIDIA GeForce RTX 4060"), find_device("rtx-4060"));
  EXPECT_EQ(find_device_by_driver("NVIDIA GeForce RTX 2080 Ti"), find_device("rtx-2080-ti"));
  EXPECT_EQ(find_device_by_driver("NVIDIA H100"), nullptr);
  EXPECT_EQ(find_device_by_driver(""), nullptr);
  for (const DeviceEntry& each : devices())
    for (const std::string& name : each.drivers)
      EXPECT_EQ(find_device_by_driver(name), &each) << name;
}

/// Nothing without a source; figures that were put into the wrong unit or line stand out.
TEST(Catalog, WhatIsInsideIsPlausible) {
  for (const DeviceEntry& each : devices()) {
    EXPECT_NE(each.architecture, Architecture::unknown) << each.name;
    EXPECT_GT(each.sms + static_cast<std::int64_t>(each.power_w) + each.shared.count(), 0);
    EXPECT_FALSE(each.facts_source.empty()) << each.name;
    EXPECT_LE(each.sms, 512) << each.name;
    if (each.clock_mhz > 0) {
      EXPECT_GT(each.clock_mhz, 500) << each.name;
      EXPECT_LT(each.clock_mhz, 4000) << each.name;
    }
    const Peak* const peak = each.peak("fp32");
    if (peak != nullptr && each.vector.count() > 0) {
      EXPECT_EQ(each.vector, peak->rate) << each.name;
    }
    EXPECT_LE(each.l2.count(), 512ll << 20) << each.name;
    EXPECT_LE(each.shared.count(), 32ll << 20) << each.name;
    EXPECT_LE(each.power_w, 1400) << each.name;
  }
}

/// A peak is so many operations of each SM per clock: a power of two at the clock of the peak.
TEST(Catalog, PeaksFollowFromSMsAndClocks) {
  for (const char* const name :
       {"v100-sxm2", "t4", "rtx-2080-ti", "a100-80gb", "a30", "a40", "rtx-a6000", "rtx-3090", "l4",
        "rtx-4060", "l40", "rtx-6000-ada", "h100-sxm", "h100-pcie", "mi210", "mi250x", "mi325x",
        "mi350x", "mi355x"}) {
    const DeviceEntry* const device = find_device(name);
    ASSERT_NE(device, nullptr) << name;
    const double each = device->peaks.front().rate.count() /
                        (static_cast<double>(device->sms) * device->clock_mhz * 1e6);
    double power = 512;
    while (power * 1.5 < each) power *= 2;
    EXPECT_NEAR(each, power, 0.005 * power) << name;
  }
}

}  // namespace
}  // namespace orrery::platform
