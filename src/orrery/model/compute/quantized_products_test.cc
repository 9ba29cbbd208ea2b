// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/compute/quantized_products.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "orrery/model/compute/kernel_models.h"
#include "orrery/model/kernels/silicon_of.h"
#include "orrery/platform/catalog/catalog.h"

namespace orrery::model {
namespace {

graph::Kernel narrow_product(graph::Format format, std::int64_t m, std::int64_t n, std::int64_t k) {
  graph::Kernel kernel;
  kernel.operation = graph::Operation::gemm;
  kernel.a = kernel.b = format;
  kernel.out = graph::Format::bf16;
  kernel.sizes = {m, n, k};
  return kernel;
}

double predicted(const graph::Kernel& kernel, std::string_view device) {
  const auto models = kernel_models({});
  return choose_time(models, kernel, silicon_of(*platform::find_device(device)))->time.seconds;
}

// Less the cast, and never faster than the peak, whatever the format, sizes and device.
TEST(Quantized, ProductsAloneAreShorterByACast) {
  using graph::Format;
  for (const char* device : {"h100-sxm", "h200-sxm", "b200", "gb300", "l40s"}) {
    for (const Format format :
         {Format::fp8, Format::fp8_block, Format::fp8_mx, Format::fp4_block}) {
      for (const std::int64_t n : {1024, 8192, 32768}) {
        const graph::Kernel whole = narrow_product(format, 8192, n, 4096);
        graph::Kernel alone = whole;
        alone.traits |= graph::kQuantized;
        graph::Kernel cast;
        cast.operation = graph::Operation::cast;
        cast.a = Format::bf16;
        cast.out = Format::fp8;
        cast.sizes = {8192 * 4096, 4096};
        EXPECT_LE(predicted(alone, device), predicted(whole, device)) << device << n;
        EXPECT_GE(predicted(alone, device),
                  predicted(whole, device) - predicted(cast, device) - 1e-12);
        const double peak = silicon_of(*platform::find_device(device)).rate(format);
        EXPECT_GE(predicted(alone, device) * peak, 2.0 * 8192 * 4096 * static_cast<double>(n) - 1);
      }
    }
  }
}

// Products with a scale per 32 numbers run at the rate of the matrix units, as with one scale per
// tensor, and within a fifth of published times on a B200: PyTorch's grouped products of MXFP8 with
// one group (pytorch/pytorch, pull request 174699: 4,541 us), with the device's factor in steps,
// because the product is long enough to meet the power limit.
TEST(Quantized, ScalesPerThirtyTwoNumbersCostNoRate) {
  using graph::Format;
  for (const char* device : {"b200", "gb200", "b300", "gb300"}) {
    for (const std::int64_t m : {2048, 16384}) {
      graph::Kernel tensor = narrow_product(Format::fp8, m, 8192, 8192);
      graph::Kernel mx = narrow_product(Format::fp8_mx, m, 8192, 8192);
      tensor.traits |= graph::kQuantized, mx.traits |= graph::kQuantized;
      EXPECT_NEAR(predicted(mx, device) / predicted(tensor, device), 1, 0.04) << device << m;
    }
  }
  graph::Kernel published = narrow_product(Format::fp8_mx, 131072, 8192, 5120);
  published.traits |= graph::kQuantized;
  const platform::DeviceEntry& b200 = *platform::find_device("b200");
  const auto eight = std::find_if(b200.in_step.begin(), b200.in_step.end(),
                                  [](const auto& factor) { return factor.bits == 8; });
  ASSERT_NE(eight, b200.in_step.end());
  EXPECT_NEAR(predicted(published, "b200") * eight->factor / 4540.686e-6, 1, 0.2);
}

// A cast to MXFP8 along both dimensions on a B200 (ROCm/TransformerEngine, pull request 598).
TEST(Quantized, CastsToThirtyTwosLastAsMeasured) {
  graph::Kernel cast;
  cast.operation = graph::Operation::cast;
  cast.a = graph::Format::bf16;
  cast.out = graph::Format::fp8_mx;
  cast.sizes = {8192 * 8192, 8192};
  cast.bytes = 4 * cast.sizes[0];
  EXPECT_NEAR(predicted(cast, "b200") * 1e6, 52.34, 5);
}

// What recordings and steps ask of 16 bits, experts and devices without tables is what it was.
TEST(Quantized, ChangesNothingElse) {
  graph::Kernel wide = narrow_product(graph::Format::bf16, 4096, 4096, 4096);
  graph::Kernel same = wide;
  same.traits |= graph::kQuantized;
  EXPECT_GT(predicted(same, "h100-sxm"), 0.9 * predicted(wide, "h100-sxm"));
  const graph::Kernel narrow = narrow_product(graph::Format::fp8, 4096, 4096, 4096);
  graph::Kernel alone = narrow;
  alone.traits |= graph::kQuantized;
  EXPECT_EQ(predicted(alone, "mi300x"), predicted(narrow, "mi300x"));
}

}  // namespace
}  // namespace orrery::model
