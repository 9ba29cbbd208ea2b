// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/silicon_of.h"

#include <gtest/gtest.h>

#include "orrery/model/kernels/learned/learned_model.h"

namespace orrery::model {
namespace {

using graph::Format;

const platform::DeviceEntry& entry_of(std::string_view name) {
  const platform::DeviceEntry* entry = platform::find_device(name);
  EXPECT_NE(entry, nullptr) << name;
  return *entry;
}

TEST(SiliconOf, IsTheCatalogsDataSheet) {
  const Silicon silicon = silicon_of(entry_of("h100-sxm"));
  EXPECT_TRUE(silicon.described);
  EXPECT_EQ(silicon.architecture, "hopper");
  EXPECT_EQ(silicon.processors, 132);
  EXPECT_EQ(silicon.clock, 1.83e9);
  EXPECT_EQ(silicon.memory, 3.35e12);
  EXPECT_NEAR(silicon.rate(Format::fp8), 1978.9e12, 1e9);
  EXPECT_EQ(silicon.rate(Format::fp8_block), silicon.rate(Format::fp8));
  EXPECT_NEAR(silicon_of(entry_of("b200")).rate(Format::fp4_block), 9000e12, 1e9);
}

TEST(SiliconOf, OfAClustersDeviceHasWhatTheClusterSays) {
  platform::Device device;
  device.entry = device.name = "h100-sxm";
  device.peak = device.rated = FlopRate(1e15);
  device.memory = Bandwidth(2e12);
  const Silicon known = silicon_of(device);
  EXPECT_EQ(known.memory, 2e12);
  EXPECT_NEAR(known.rate(Format::bf16), 989.4e12, 1e9);
  device.entry = "";
  const Silicon own = silicon_of(device);
  EXPECT_FALSE(own.described);
  EXPECT_EQ(own.rate(Format::fp32), 1e15);
}

// The catalog and the data sheets that were learned with (data/kernels/devices.txt) are not the
// same file: devices that were measured must be known again.
TEST(SiliconOf, MeasuredDevicesAreKnownAgain) {
  const LearnedModel* model = LearnedModel::built_in();
  ASSERT_NE(model, nullptr);
  const LearnedClass* products = model->find(KernelClass::gemm_bf16);
  ASSERT_NE(products, nullptr);
  for (const char* name : {"a100-80gb", "h100-sxm", "h800", "b200", "gb200", "b300", "gb300"})
    EXPECT_TRUE(is_seen(*products, silicon_of(entry_of(name)))) << name;
  for (const char* name : {"v100-sxm2", "h20", "h200-sxm", "l40s", "mi300x", "tpu-v5e"})
    EXPECT_FALSE(is_seen(*products, silicon_of(entry_of(name)))) << name;
}

}  // namespace
}  // namespace orrery::model
