// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/recordings/size_inference.h"

#include <gtest/gtest.h>

#include <limits>

#include "orrery/core/effort_testing.h"
#include "orrery/workload/program/program.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::study {
namespace {

KernelInventory kernels_of(const std::string& model) {
  const auto spec = workload::parse_spec(
      "{version: 1, model: " + model +
          ", parallel: {tp: 2, dp: 2}, batch: {seq: 256, global: 4, micro: 1}}",
      "job");
  EXPECT_TRUE(spec) << to_string(spec.error());
  Findings findings;
  const auto program = workload::assemble(*spec, findings);
  EXPECT_TRUE(program) << to_string(program.error());
  const auto made = workload::to_workload(*program, workload::NodeNames::shared);
  EXPECT_TRUE(made) << to_string(made.error());
  return kernel_inventory(*made);
}

const std::string kSmallDense = "{layers: 3, hidden: 256, heads: 8, vocab: 1024}";
const std::string kSmallExperts =
    "{layers: 3, hidden: 256, heads: 8, vocab: 1024, moe: {experts: 4, top_k: 2}}";

TEST(TracedSizes, AreThoseOfTheModel) {
  const auto predicted = infer_sizes(kernels_of(kSmallDense), {.tp = 2});
  ASSERT_TRUE(predicted);
  EXPECT_EQ(predicted->model.hidden, 256);
  EXPECT_EQ(predicted->model.heads, 8);
  EXPECT_EQ(predicted->model.layers, 3);
  EXPECT_EQ(predicted->parallel.dp, 2);
  EXPECT_EQ(predicted->batch.seq, 256);
}

// Traces can say anything: each size of each kernel in turn, alone and with another.
TEST(TracedSizes, HoldWhateverSizesAreSaid) {
  const std::size_t step = core_testing::case_count(1, 7);
  std::size_t number = 0, none = 0, some = 0;
  for (const std::string& model : {kSmallDense, kSmallExperts}) {
    const KernelInventory whole = kernels_of(model);
    for (std::size_t k = 0; k < whole.all.size(); ++k) {
      for (std::size_t pair = 0; pair < graph::kKernelSizes * graph::kKernelSizes; ++pair) {
        for (const std::int64_t size : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 40,
                                        std::numeric_limits<std::int64_t>::max()}) {
          if (number++ % step != 0) continue;
          KernelInventory other = whole;
          other.all[k].kernel.sizes[pair % graph::kKernelSizes] = size;
          other.all[k].kernel.sizes[pair / graph::kKernelSizes] = size;
          const auto predicted = infer_sizes(other, {.tp = 2});
          ++(predicted ? some : none);
          if (predicted) (void)workload::check_spec(*predicted);
        }
      }
    }
  }
  EXPECT_GT(none, 0u);
  EXPECT_GT(some, 0u);
}

}  // namespace
}  // namespace orrery::study
