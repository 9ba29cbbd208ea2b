// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/learned/nearest_device.h"

#include <gtest/gtest.h>

#include "orrery/model/kernels/heuristic/heuristic_model.h"
#include "orrery/model/kernels/silicon_of.h"
#include "orrery/platform/catalog/catalog.h"

namespace orrery::model {
namespace {

Silicon known(std::string_view device) { return silicon_of(*platform::find_device(device)); }

std::string relative_of(KernelClass kernels, std::string_view device) {
  const LearnedClass* const learned = LearnedModel::built_in()->find(kernels);
  const Silicon* const found = nearest_measured_device(kernels, learned->described, known(device));
  return found == nullptr ? "" : found->name;
}

TEST(Relative, IsOfTheSameArchitectureAndNear) {
  EXPECT_EQ(relative_of(KernelClass::gemm_fp8, "h200-sxm"), "h100-sxm");
  EXPECT_EQ(relative_of(KernelClass::gemm_bf16, "h100-pcie"), "h100-sxm");
  EXPECT_EQ(relative_of(KernelClass::gemm_bf16, "gh200"), "h100-sxm");
  EXPECT_EQ(relative_of(KernelClass::gemm_bf16, "a100-40gb"), "a100-80gb");
  EXPECT_EQ(relative_of(KernelClass::gemm_fp8, "h20"), "");      // a seventh of the width
  EXPECT_EQ(relative_of(KernelClass::gemm_fp8, "l40s"), "");     // no Ada among them
  EXPECT_EQ(relative_of(KernelClass::gemm_bf16, "mi300x"), "");  // another maker
}

graph::Kernel square(graph::Format format, std::int64_t size) {
  graph::Kernel kernel;
  kernel.operation = graph::Operation::gemm;
  kernel.a = kernel.b = format;
  kernel.out = graph::Format::bf16;
  kernel.sizes = {size, size, size};
  return kernel;
}

// An H200 computes as an H100 does; only what waits for memory is faster.
TEST(Relative, LongProductsTakeAsLongOnAnH200) {
  for (const graph::Format format : {graph::Format::bf16, graph::Format::fp8}) {
    const graph::Kernel kernel = square(format, 8192);
    const auto on = [&](std::string_view device) {
      return *LearnedModel::built_in()->time(kernel, known(device));
    };
    EXPECT_NEAR(on("h200-sxm").seconds / on("h100-sxm").seconds, 1, 0.02);
    EXPECT_TRUE(on("h200-sxm").extrapolated);
    EXPECT_GT(on("h200-sxm").band.upper, on("h100-sxm").band.upper);
  }
}

// Trees for any device extrapolated to twice the peak of an H20.
TEST(Relative, NothingIsFasterThanItsPeak) {
  for (const platform::DeviceEntry& entry : platform::devices()) {
    const Silicon silicon = silicon_of(entry);
    for (const graph::Format format : {graph::Format::bf16, graph::Format::fp8}) {
      for (const std::int64_t size : {2048, 16384}) {
        const auto time = LearnedModel::built_in()->time(square(format, size), silicon);
        if (!time) continue;
        const double flops =
            2.0 * static_cast<double>(size) * static_cast<double>(size) * static_cast<double>(size);
        EXPECT_LE(flops / time->seconds, silicon.rate(format) * 1.0001) << entry.name << size;
      }
    }
  }
}

}  // namespace
}  // namespace orrery::model
