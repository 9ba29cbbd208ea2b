// SPDX-License-Identifier: Apache-2.0
//
// Stacked dimensions that are too large are refused before they are created.
#include <gtest/gtest.h>

#include "orrery/core/system/memory_limit.h"
#include "orrery/platform/topology/generators/topology_generator.h"

namespace orrery::platform {
namespace {

std::vector<StackedDim> stacked(std::int64_t inner, std::int64_t outer) {
  const LinkFigures figures{Bandwidth(1e9), Time(1000), 1, LinkClass::network};
  return {{StackedDim::Block::switched, inner, figures}, {StackedDim::Block::ring, outer, figures}};
}

TEST(StackSize, RefusesMoreNodesThanTheLimit) {
  const auto made = stack_dimensions("s", stacked(8, std::int64_t{1} << 40), "FILE");
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().code, Errc::limit_exceeded);
  EXPECT_EQ(made.error().where, "FILE");
}

TEST(StackSize, RefusesMoreThanTheMemory) {
  const MemoryForTests little(1 << 20);
  EXPECT_TRUE(stack_dimensions("s", stacked(8, 64), "FILE").has_value());
  const auto made = stack_dimensions("s", stacked(8, 4096), "FILE");
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().code, Errc::limit_exceeded);
  EXPECT_NE(made.error().what.find("36864 nodes and 131072 links"), std::string::npos)
      << made.error().what;
}

TEST(StackSize, CountsWhatIsCreated) {
  const auto made = stack_dimensions("s", stacked(8, 4096), "FILE");
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(made->node_count(), 36864u);
  EXPECT_EQ(made->link_count(), 131072u);
}

}  // namespace
}  // namespace orrery::platform
