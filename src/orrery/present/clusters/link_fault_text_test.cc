// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/clusters/link_fault_text.h"

#include <gtest/gtest.h>

namespace orrery::present {
namespace {

TEST(FaultWords, SayWhatAndWhen) {
  using platform::LinkFault;
  EXPECT_EQ(link_fault_text(LinkFault{}), "down");
  EXPECT_EQ(link_fault_text(LinkFault{{}, 0.5, us(10000), {}, {}, {}}),
            "at 50 % of the bandwidth from 10 ms on");
  EXPECT_EQ(link_fault_text(LinkFault{{}, 0, {}, {}, us(1000), us(50)}),
            "down for 50 us every 1 ms");
  EXPECT_EQ(link_fault_text(LinkFault{{}, 0, us(1000), us(3000), us(1000), us(50)}),
            "down from 1 ms to 3 ms for 50 us every 1 ms");
}

}  // namespace
}  // namespace orrery::present
