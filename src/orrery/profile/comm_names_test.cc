// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/comm_names.h"

#include <gtest/gtest.h>

namespace orrery::profile {
namespace {

TEST(CommNames, RangesOfLibraries) {
  EXPECT_EQ(library_range_operation("nccl:all_reduce"), "all_reduce");
  EXPECT_EQ(library_range_operation("nccl:send 0->1"), "send 0->1");
  EXPECT_EQ(library_range_operation("gloo:barrier"), "barrier");
  EXPECT_EQ(library_range_operation("oneccl:broadcast"), "broadcast");
  for (const char* const name :
       {"nccl::kernel", "aten::add", "nccl:", "my nccl:all_reduce", "nccl"})
    EXPECT_FALSE(is_library_range(name)) << name;
}

TEST(CommNames, OperatorsOfTheFramework) {
  for (const char* const name :
       {"c10d::allreduce_", "_c10d_functional::all_reduce", "c10d_functional::broadcast",
        "_c10d_functional_autograd::all_to_all_single"})
    EXPECT_TRUE(is_framework_communication(name)) << name;
  for (const char* const name : {"aten::c10d", "c10d", "c10d:x", "vllm::all_reduce"})
    EXPECT_FALSE(is_framework_communication(name)) << name;
}

}  // namespace
}  // namespace orrery::profile
