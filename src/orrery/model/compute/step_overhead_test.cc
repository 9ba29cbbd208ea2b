// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/compute/step_overhead.h"

#include <gtest/gtest.h>

#include "orrery/model/compute/kernel_predictions.h"
#include "orrery/model/kernels/silicon_of.h"
#include "orrery/platform/catalog/catalog.h"

namespace orrery::model {
namespace {

platform::Device device_of(std::string_view name) {
  const platform::DeviceEntry* entry = platform::find_device(name);
  platform::Device device;
  device.entry = device.name = std::string(name);
  device.rated = device.peak = entry->peaks.front().rate;
  device.precision = entry->peaks.front().precision;
  device.memory = entry->memory_bandwidth;
  device.compute = TimeSource::automatic;
  return device;
}

graph::Kernel kernel_of(std::string_view text) { return *graph::parse_kernel(text); }

TEST(StepEffects, GapsAreThoseOfTheArchitecture) {
  const auto gap = [](std::string_view name) {
    return catalog_launch_gap(silicon_of(*platform::find_device(name)));
  };
  EXPECT_EQ(gap("v100-sxm2"), Time(800'000));
  EXPECT_EQ(gap("a100-80gb"), Time(1'152'000));
  EXPECT_EQ(gap("h100-sxm"), Time(1'376'000));
  EXPECT_EQ(gap("b200"), gap("h100-sxm")) << "the nearest neighbor's";
  EXPECT_EQ(gap("mi300x"), Time{});
  EXPECT_EQ(gap("tpu-v5p"), Time{});
}

TEST(StepEffects, EachLaunchHasAGapAndEachWidthItsFactor) {
  platform::Device device = device_of("h100-sxm");
  device.in_step.factors = {{16, 1.25, -0.1, 0.2}, {8, 1.5, 0, 0}};
  KernelTime alone{.seconds = 1e-3, .source = TimeSource::learned, .band = {-0.1, 0.1}};
  graph::Kernel kernel = kernel_of("gemm forward bf16,bf16>bf16 m=64 n=64 k=64");
  kernel.launches = 3;
  const KernelTime bf16 = time_in_step(alone, kernel, device, Time(2'000'000));
  EXPECT_DOUBLE_EQ(bf16.seconds, 1.25e-3 + 6e-6);
  EXPECT_DOUBLE_EQ(bf16.band.lower, -0.1);
  EXPECT_DOUBLE_EQ(bf16.band.upper, 0.2);
  kernel.a = graph::Format::fp8_block;
  EXPECT_DOUBLE_EQ(time_in_step(alone, kernel, device, Time{}).seconds, 1.5e-3);
  kernel.a = graph::Format::fp32;
  EXPECT_EQ(time_in_step(alone, kernel, device, Time{}).seconds, 1e-3) << "none is stated";
  EXPECT_EQ(time_in_step(alone, kernel_of("softmax forward bf16,bf16>bf16 rows=64 features=64"),
                         device, Time{})
                .seconds,
            1e-3)
      << "of products only";
  for (const TimeSource source : {TimeSource::roofline, TimeSource::systolic}) {
    alone.source = source;
    kernel.a = graph::Format::bf16;
    EXPECT_EQ(time_in_step(alone, kernel, device, Time(2'000'000)).seconds, 1e-3);
  }
}

// What simulations take is the kernel alone with what the step adds, and no more.
TEST(StepEffects, PredictionsHaveIt) {
  const graph::Kernel kernel = kernel_of(
      "gemm forward bf16,bf16>bf16 m=4096 n=4096 k=4096 flops=137438953472 bytes=100663296");
  graph::KernelTable table;
  const graph::KernelId id = table.intern(kernel);
  const auto time = [&](const platform::Device& device) {
    return KernelPredictions(device).of(table, id)->time;
  };
  for (const std::string_view name : {"h100-sxm", "a100-80gb", "mi300x"}) {
    platform::Device device = device_of(name);
    const Time by_default = time(device);
    device.in_step.gap = Time{};
    const Time alone = time(device);
    EXPECT_EQ(by_default - alone, catalog_launch_gap(silicon_of(*platform::find_device(name))));
    device.in_step.gap = Time(7'000'000);
    EXPECT_EQ(time(device) - alone, Time(7'000'000));
    device.in_step = {Time{}, {{16, 2, 0, 0}}};
    EXPECT_NEAR(static_cast<double>(time(device).count()), 2 * static_cast<double>(alone.count()),
                2);
    device.compute = TimeSource::roofline;
    const Time roofline = time(device);
    device.in_step = {};
    EXPECT_EQ(time(device), roofline);
  }
}

}  // namespace
}  // namespace orrery::model
