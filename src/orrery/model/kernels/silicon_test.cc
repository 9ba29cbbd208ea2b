// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/silicon.h"

#include <gtest/gtest.h>

namespace orrery::model {
namespace {

using graph::Format;

Silicon with(Format format, double rate) {
  Silicon silicon;
  silicon.peak[static_cast<std::size_t>(format)] = rate;
  return silicon;
}

TEST(Silicon, TakesTheNextWiderFormatThatHasUnits) {
  EXPECT_EQ(with(Format::fp8, 2).rate(Format::fp8_block), 2);
  EXPECT_EQ(with(Format::fp8, 2).rate(Format::fp8_mx), 2);
  EXPECT_EQ(with(Format::fp8, 2).rate(Format::fp4_block), 2);
  EXPECT_EQ(with(Format::fp8, 2).rate(Format::bf16), 0);
  EXPECT_EQ(with(Format::fp16, 3).rate(Format::bf16), 3);
  EXPECT_EQ(with(Format::fp32, 4).rate(Format::fp8), 4);
  EXPECT_EQ(with(Format::fp32, 4).rate(Format::tf32), 4);
  EXPECT_EQ(with(Format::fp32, 4).rate(Format::int8), 0);
}

}  // namespace
}  // namespace orrery::model
