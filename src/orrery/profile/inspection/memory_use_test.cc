// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/inspection/memory_use.h"

#include <gtest/gtest.h>

#include "orrery/profile/profile_testing.h"

namespace orrery::profile {
namespace {

MemoryChange change(std::uint32_t lane, std::int64_t at, std::int64_t bytes, std::uint64_t address,
                    std::int64_t allocated, std::int64_t reserved) {
  return {us(at), bytes, true, 0, lane, address, allocated, reserved};
}

TEST(MemoryUse, PeakAndTheOperatorsOfItsAllocations) {
  Maker make;
  const auto main = make.thread(1);
  make.op(main, "aten::linear", 0, 20);
  make.op(main, "aten::addmm", 1, 15);
  make.op(main, "aten::empty", 2, 3);
  make.op(main, "aten::relu", 30, 10);
  make.op(main, "aten::empty_strided", 31, 3);
  make.annotation(main, "optimizer", 50, 10);
  make.profile.memory = {
      change(main, 3, 100, 1, 1100, 2000),   // in aten::addmm; 1000 before the recording
      change(main, 32, 50, 2, 1150, 2000),   // in aten::relu
      change(main, 36, -70, 9, 1080, 2000),  // of before
      change(main, 52, 200, 3, 1280, 3000),  // outside of operators; the peak
      change(main, 54, -100, 1, 1180, 3000),
      change(main, 56, 40, 1, 1220, 3000),  // the address again, after the peak
  };
  const auto uses = memory_use(make.take());
  ASSERT_EQ(uses.size(), 1u);
  const MemoryUse& use = uses[0];
  EXPECT_TRUE(use.device);
  EXPECT_TRUE(use.has_totals);
  EXPECT_EQ(use.allocations, 4u);
  EXPECT_EQ(use.releases, 2u);
  EXPECT_EQ(use.allocated_bytes, 390);
  EXPECT_EQ(use.peak.allocated, 1280);
  EXPECT_EQ(use.peak.at, us(52));
  EXPECT_EQ(use.peak_reserved.reserved, 3000);
  EXPECT_EQ(use.known_at_peak, 350);
  ASSERT_EQ(use.operators.size(), 3u);
  EXPECT_EQ(use.operators[0].name, "optimizer");
  EXPECT_EQ(use.operators[0].peak_bytes, 200);
  EXPECT_EQ(use.operators[0].bytes, 240);
  EXPECT_EQ(use.operators[1].name, "aten::addmm");
  EXPECT_EQ(use.operators[1].outermost, "aten::linear");
  EXPECT_EQ(use.operators[1].peak_bytes, 100);
  EXPECT_EQ(use.operators[2].name, "aten::relu");
  EXPECT_EQ(use.operators[2].peak_bytes, 50);
}

TEST(MemoryUse, TheCurveContainsThePeak) {
  Maker make;
  const auto main = make.thread(1);
  make.op(main, "a", 0, 5000);
  std::int64_t total = 0;
  for (std::int64_t i = 0; i < 5000; ++i) {
    const std::int64_t bytes = (i * 7919) % 1000 - 480;
    total += bytes;
    make.profile.memory.push_back(change(main, i, bytes, 0, 100'000 + total, i == 2345 ? 9 : 5));
  }
  const auto uses = memory_use(make.take());
  ASSERT_EQ(uses.size(), 1u);
  EXPECT_EQ(uses[0].curve.size(), kMemorySamples);
  std::int64_t allocated = 0, reserved = 0;
  for (const MemorySample& sample : uses[0].curve) {
    allocated = std::max(allocated, sample.allocated);
    reserved = std::max(reserved, sample.reserved);
  }
  EXPECT_EQ(allocated, uses[0].peak.allocated);
  EXPECT_EQ(reserved, 9);
}

TEST(MemoryUse, WithoutTotalsCountsFromTheStart) {
  Maker make;
  const auto main = make.thread(1);
  make.op(main, "a", 0, 10);
  make.profile.memory = {{us(5), 64}, {us(1), 32}, {us(7), -64}};
  const auto uses = memory_use(make.take());
  ASSERT_EQ(uses.size(), 1u);
  EXPECT_FALSE(uses[0].device);
  EXPECT_FALSE(uses[0].has_totals);
  EXPECT_EQ(uses[0].peak.allocated, 96);
  EXPECT_EQ(uses[0].last.allocated, 32);
  EXPECT_EQ(uses[0].peak_reserved.reserved, -1);
}

}  // namespace
}  // namespace orrery::profile
