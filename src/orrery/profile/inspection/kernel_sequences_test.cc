// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/inspection/kernel_sequences.h"

#include <gtest/gtest.h>

#include "orrery/profile/profile_testing.h"

namespace orrery::profile {
namespace {

/// Launches kernels from a thread, one call each.
class SequenceMaker {
 public:
  explicit SequenceMaker(Maker& make) : make_(make) {}
  void kernel(std::int64_t at, std::string_view name, std::int64_t starts) {
    make_.work_of(make_.kernel(make_.stream(7), name, starts, 5)).call =
        make_.call(make_.thread(1), "cudaLaunchKernel", at, 1);
  }

 private:
  Maker& make_;
};

TEST(KernelSequences, OfOperatorsInTheOrderOfStarts) {
  Maker make;
  SequenceMaker launch(make);
  const auto main = make.thread(1);
  for (std::int64_t i = 0; i < 3; ++i) {
    const std::int64_t at = 100 * i;
    make.op(main, "aten::softmax", at, 50);
    make.op(main, "aten::_softmax", at + 1, 40);
    launch.kernel(at + 2, "b", at + 30);
    launch.kernel(at + 5, "a", at + 20);
    launch.kernel(at + 8, i == 2 ? "d" : "c", at + 40);
  }
  make.op(main, "aten::two", 400, 20);  // too short
  launch.kernel(401, "a", 420);
  launch.kernel(403, "b", 430);
  launch.kernel(500, "outside", 510);
  const auto sequences = kernel_sequences(make.take(), 10);
  ASSERT_EQ(sequences.size(), 4u);
  const KernelSequence& outer = sequences[0];
  EXPECT_EQ(outer.operator_name, "aten::softmax");
  EXPECT_EQ(outer.works, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(outer.count, 2u);
  EXPECT_EQ(outer.device_time, us(30));
  EXPECT_EQ(outer.host_time, us(100));
  EXPECT_FALSE(outer.innermost);
  EXPECT_EQ(sequences[1].operator_name, "aten::_softmax");
  EXPECT_TRUE(sequences[1].innermost);
  EXPECT_EQ(sequences[2].count, 1u);
  EXPECT_EQ(sequences[2].works.back(), "d");
}

TEST(KernelSequences, AnOperatorWithinItsNameIsNoOccurrence) {
  Maker make;
  SequenceMaker launch(make);
  const auto main = make.thread(1);
  make.op(main, "aten::to", 0, 50);
  make.op(main, "aten::to", 1, 40);
  for (std::int64_t k = 0; k < 80; ++k) launch.kernel(2, "k", 60 + k);
  const auto sequences = kernel_sequences(make.take(), 10);
  ASSERT_EQ(sequences.size(), 1u);
  EXPECT_EQ(sequences[0].count, 1u);
  EXPECT_EQ(sequences[0].host_time, us(50));
  EXPECT_EQ(sequences[0].length, 80u);
  EXPECT_EQ(sequences[0].works.size(), kMostWorksNamed);
}

}  // namespace
}  // namespace orrery::profile
