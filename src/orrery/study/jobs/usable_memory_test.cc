// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/jobs/usable_memory.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "orrery/core/quantity.h"

namespace orrery::study {
namespace {

constexpr std::int64_t kMebibyte = 1 << 20;

// PyTorch's CublasHandlePool.cpp and Transformer Engine's gemm.py, as usable_memory.cc cites them.
TEST(DeviceMemory, KnowsWorkspacesByArchitecture) {
  EXPECT_EQ(reserved_memory("h100-sxm").products, 32 * kMebibyte);
  EXPECT_EQ(reserved_memory("h100-sxm").transformer, 32 * kMebibyte);
  EXPECT_EQ(reserved_memory("a100-80gb").products, 8 * kMebibyte + 128 * 1024);
  EXPECT_EQ(reserved_memory("a100-80gb").transformer, 4 * kMebibyte);
  EXPECT_EQ(reserved_memory("gb200").products, 8 * kMebibyte + 128 * 1024);
  EXPECT_EQ(reserved_memory("gb200").transformer, 32 * kMebibyte);
  EXPECT_EQ(reserved_memory("mi300x").products, 128 * kMebibyte);
  for (const char* const device : {"h100-sxm", "a100-80gb", "gb200"})
    EXPECT_EQ(reserved_memory(device).deterministic, 32 * kMebibyte);
}

TEST(DeviceMemory, KnowsNothingOfDevicesWithoutPyTorch) {
  EXPECT_EQ(reserved_memory("tpu-v5p").context, 0);
  EXPECT_EQ(reserved_memory("").products, 0);
  EXPECT_EQ(reserved_memory("somebody's own").communicator, 0);
}

// What programs find differs from the data sheet, whose GB are GiB, less what the driver keeps.
TEST(DeviceMemory, TakesWhatProgramsFind) {
  platform::Device device;
  device.entry = "h100-sxm";
  device.memory_capacity = Bytes(80'000'000'000);
  EXPECT_NEAR(static_cast<double>(usable_memory(device).count()), 79.15 * kMebibyte * 1024, 1e3);
  device.memory_capacity = Bytes(40'000'000'000);  // a custom figure
  EXPECT_EQ(usable_memory(device), Bytes(40'000'000'000));
  device.entry = "";
  EXPECT_EQ(usable_memory(device), Bytes(40'000'000'000));
}

TEST(DeviceMemory, ThatBesideADeviceAddsToItsOwn) {
  platform::Device device;
  device.memory_capacity = Bytes(40'000'000'000);
  EXPECT_EQ(usable_total_memory(device), Bytes(40'000'000'000));
  device.expansion = platform::MemoryExpansion{Bandwidth(1e11), Bytes(100'000'000'000)};
  EXPECT_EQ(usable_total_memory(device), Bytes(140'000'000'000));
  EXPECT_EQ(usable_memory(device), Bytes(40'000'000'000));
  device.expansion->capacity = Bytes{};
  EXPECT_EQ(usable_total_memory(device), Bytes{}) << "as much as is needed";
}

}  // namespace
}  // namespace orrery::study
