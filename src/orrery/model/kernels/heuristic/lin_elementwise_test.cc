// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/heuristic/lin_elementwise.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "orrery/model/kernels/heuristic/heuristic_model.h"

namespace orrery::model {
namespace {

const LinDevice& v100() { return *lin_device("v100-sxm2"); }

TEST(LinElementwise, RooflinesByHand) {
  // 2^20 numbers at 816.953 GB/s and 15441.524 GFLOP/s.
  EXPECT_NEAR(*lin_elementwise_us("relu", false, 1 << 20, v100()), 8388608 / 816.953e3, 1e-9);
  EXPECT_NEAR(*lin_elementwise_us("add", false, 1 << 20, v100()), 12582912 / 816.953e3, 1e-9);
  EXPECT_NEAR(*lin_elementwise_us("sigmoid", false, 1 << 20, v100()), 8388608 / 816.953e3, 1e-9);
  EXPECT_NEAR(*lin_elementwise_us("gelu", false, 1 << 20, v100()), 1048576 * 175 / 15441.524e3,
              1e-9);
  EXPECT_NEAR(*lin_elementwise_us("gelu", true, 1 << 20, v100()), 1048576 * 255 / 15441.524e3,
              1e-9);
  EXPECT_NEAR(*lin_elementwise_us("softmax", true, 1 << 20, v100()), 16777216 / 816.953e3, 1e-9);
  EXPECT_NEAR(lin_concat_us(1 << 20, v100()), 8388608 / (0.79 * 816.953e3), 1e-9);
  EXPECT_NEAR(lin_copy_to_device_us(1 << 20, v100()), 4194304 / 8.1e3, 1e-9);
  EXPECT_NEAR(lin_accumulate_us(1 << 20, v100()), 8388608 / 816.953e3, 1e-9);
  EXPECT_EQ(lin_accumulate_us(6e6, v100()), 0);
  EXPECT_FALSE(lin_elementwise_us("dropout", false, 1, v100()));  // a net of their own
  EXPECT_FALSE(lin_elementwise_us("relu", true, 1, v100()));
  EXPECT_FALSE(lin_elementwise_us("unheard_of", false, 1, v100()));
}

// Which are bound by arithmetic: gelu, softmax, tanh and pow do about 22 operations a byte. V100
// and GV100 do 19 and 22 a byte of memory, Titan Xp 25, P100 17, A100 11.
TEST(LinElementwise, FunctionsAreBoundByArithmetic) {
  for (const LinDevice& device : lin_devices()) {
    const double balance = device.peak / device.memory_rate;
    for (const LinElementwise& is : lin_elementwise_kernels()) {
      if (is.bytes == 0) continue;
      const double us = *lin_elementwise_us(is.name, false, 1e6, device);
      const double moving = 1e6 * is.bytes / device.memory_rate / 1e3;
      EXPECT_EQ(us > moving, is.flops / is.bytes > balance) << device.name << ' ' << is.name;
      if (is.flops < 10) {
        EXPECT_EQ(us, moving) << device.name << ' ' << is.name;
      }
    }
  }
}

// What our own heuristic moves for the same kernels.
TEST(LinElementwise, MoveWhatTheHeuristicMoves) {
  const auto bytes = [](const char* text) { return bytes_of(*graph::parse_kernel(text)) / 1000; };
  const auto published = [](std::string_view name) {
    return std::find_if(lin_elementwise_kernels().begin(), lin_elementwise_kernels().end(),
                        [&](const LinElementwise& is) { return is.name == name; });
  };
  EXPECT_EQ(bytes("activation forward fp32,unsaid>fp32 elements=1000"), published("relu")->bytes);
  EXPECT_EQ(bytes("elementwise forward fp32,unsaid>fp32 elements=1000"), published("add")->bytes);
  EXPECT_EQ(bytes("softmax forward fp32,unsaid>fp32 rows=10 features=100"),
            published("softmax")->bytes);
}

}  // namespace
}  // namespace orrery::model
