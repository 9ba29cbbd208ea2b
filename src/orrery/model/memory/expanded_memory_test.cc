// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "orrery/model/memory/remote_memory.h"

namespace orrery::model {
namespace {

using platform::MemoryAccess;

platform::Device device(MemoryAccess access) {
  platform::Device made;
  made.memory = Bandwidth(2000e9);
  made.expansion = platform::MemoryExpansion{Bandwidth(500e9), Bytes{}, access};
  return made;
}

// A quarter of 2 GB in the expansion: 0.75 ms and 1 ms.
TEST(ExpandedMemory, BytesComeInTurnOrAtOnce) {
  EXPECT_DOUBLE_EQ(combined_bandwidth(device(MemoryAccess::sequential), 0.25).count(),
                   2e9 / 1.75e-3);
  EXPECT_DOUBLE_EQ(combined_bandwidth(device(MemoryAccess::concurrent), 0.25).count(), 2e9 / 1e-3);
}

TEST(ExpandedMemory, AllOfItOnEitherSide) {
  for (const MemoryAccess access : {MemoryAccess::sequential, MemoryAccess::concurrent}) {
    EXPECT_EQ(combined_bandwidth(device(access), 0).count(), 2000e9);
    EXPECT_DOUBLE_EQ(combined_bandwidth(device(access), 1).count(), 500e9);
  }
  platform::Device alone;
  alone.memory = Bandwidth(1e9);
  EXPECT_EQ(combined_bandwidth(alone, 0.5).count(), 1e9) << "there is no expansion";
}

// Where bytes lie as the bandwidths are, both memories are done together, and it is their sum.
TEST(ExpandedMemory, AtOnceIsAtMostTheSum) {
  const platform::Device both = device(MemoryAccess::concurrent);
  EXPECT_DOUBLE_EQ(combined_bandwidth(both, 0.2).count(), 2500e9);
  for (double beyond = 0.05; beyond < 1; beyond += 0.05) {
    EXPECT_LE(combined_bandwidth(both, beyond).count(), 2500e9 * (1 + 1e-12));
    EXPECT_GE(combined_bandwidth(both, beyond).count(),
              combined_bandwidth(device(MemoryAccess::sequential), beyond).count());
  }
}

}  // namespace
}  // namespace orrery::model
