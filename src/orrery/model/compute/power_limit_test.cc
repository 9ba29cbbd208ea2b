// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/compute/power_limit.h"

#include <gtest/gtest.h>

#include "orrery/model/compute/kernel_predictions.h"
#include "orrery/model/kernels/silicon_of.h"
#include "orrery/platform/catalog/catalog.h"

namespace orrery::model {
namespace {

platform::Device limited(std::string_view name, double watts) {
  const platform::DeviceEntry* entry = platform::find_device(name);
  platform::Device device;
  device.entry = device.name = std::string(name);
  device.rated = device.peak = entry->peaks.front().rate;
  device.memory = entry->memory_bandwidth;
  device.compute = TimeSource::automatic;
  device.power_limit_w = watts;
  device.in_step.gap = Time{};
  return device;
}

double time_of(const platform::Device& device, std::string_view text) {
  graph::KernelTable table;
  const graph::KernelId id = table.intern(*graph::parse_kernel(text));
  return static_cast<double>(KernelPredictions(device).of(table, id)->time.count());
}

constexpr std::string_view kLongProduct =
    "gemm forward bf16,bf16>bf16 m=8192 n=8192 k=8192 flops=1099511627776 bytes=402653184";
constexpr std::string_view kLargeCopy =
    "elementwise forward bf16,bf16>bf16 elements=268435456 "
    "features=8192 flops=268435456 bytes=1610612736";

TEST(PowerLimit, SlowsLongProductsOnly) {
  const double product = time_of(limited("h100-sxm", 0), kLongProduct);
  const double copy = time_of(limited("h100-sxm", 0), kLargeCopy);
  EXPECT_NEAR(time_of(limited("h100-sxm", 500), kLongProduct) / product, 1.15, 0.03);
  EXPECT_EQ(time_of(limited("h100-sxm", 500), kLargeCopy), copy);
}

// The factors of a step multiply the limited time, and gaps are added to it.
TEST(PowerLimit, ComesBeforeTheFactorsOfAStep) {
  platform::Device device = limited("h100-sxm", 500);
  const double alone = time_of(device, kLongProduct);
  device.in_step.factors = {{16, 1.25, 0, 0}};
  device.in_step.gap = Time(5'000'000);
  EXPECT_NEAR(time_of(device, kLongProduct), 1.25 * alone + 5e6, 2);
}

// Rooflines are lower bounds and do not know the power.
TEST(PowerLimit, LeavesRooflinesUnchanged) {
  platform::Device device = limited("h100-sxm", 500);
  device.compute = TimeSource::roofline;
  const double with = time_of(device, kLongProduct);
  device.power_limit_w = 0;
  EXPECT_EQ(with, time_of(device, kLongProduct));
}

}  // namespace
}  // namespace orrery::model
