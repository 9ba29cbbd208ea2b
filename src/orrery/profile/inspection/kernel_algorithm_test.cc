// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/inspection/kernel_algorithm.h"

#include <gtest/gtest.h>

namespace orrery::profile {
namespace {

TEST(KernelAlgorithm, OfNamesOfAllReleases) {
  EXPECT_EQ(kernel_algorithm("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgs)"),
            "ring LL");
  EXPECT_EQ(kernel_algorithm("ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)"), "ring LL");
  EXPECT_EQ(kernel_algorithm("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWork*)"),
            "ring simple");
  EXPECT_EQ(kernel_algorithm("ncclAllReduceTreeLL128Kernel_sum_f32(ncclColl)"), "tree LL128");
  EXPECT_EQ(kernel_algorithm("ncclDevKernel_AllReduce_Sum_bf16_NVLS_TREE_SIMPLE(x)"),
            "NVLS tree simple");
  EXPECT_EQ(kernel_algorithm("ncclDevKernel_AllGather_COLLNET_DIRECT_SIMPLE(x)"),
            "collnet direct simple");
  EXPECT_EQ(kernel_algorithm("void (anonymous namespace)::multimem_all_reduce_kernel<float>(x)"),
            "multimem");
  EXPECT_EQ(kernel_algorithm("one_shot_all_reduce_kernel(float*)"), "one shot");
  EXPECT_EQ(kernel_algorithm("void vllm::cross_device_reduce_2stage<half, 8>(x)"), "two stages");
  EXPECT_EQ(kernel_algorithm("ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)"), "");
  EXPECT_EQ(kernel_algorithm("void at::native::vectorized_elementwise_kernel<4>(x)"), "");
}

}  // namespace
}  // namespace orrery::profile
