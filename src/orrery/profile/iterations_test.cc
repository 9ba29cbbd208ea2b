// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/iterations.h"

#include <gtest/gtest.h>

#include "orrery/profile/profile_testing.h"

namespace orrery::profile {
namespace {

TEST(Iterations, ByStart) {
  Maker make;
  const std::uint32_t thread = make.thread(1);
  const EventId second = make.annotation(thread, "ProfilerStep#13", 100, 90);
  const EventId first = make.annotation(thread, "ProfilerStep#12", 0, 90);
  make.op(thread, "ProfilerStep#13", 101, 80);  // recorded twice
  make.annotation(thread, "ProfilerStep*", 200, 10);
  make.annotation(thread, "ProfilerStep#99999999999999999999", 210, 10);
  make.annotation(thread, "## ProfilerStep#3", 220, 10);
  make.python(thread, "ProfilerStep#4", 230, 10);
  make.node(thread, "ProfilerStep#12", 7);
  const std::vector<Iteration> found = iterations(make.take());
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].event, first);
  EXPECT_EQ(found[0].number, 12);
  EXPECT_EQ(found[1].event, second);
  EXPECT_EQ(found[1].start, us(100));
  EXPECT_EQ(found[1].end, us(190));
}

}  // namespace
}  // namespace orrery::profile
