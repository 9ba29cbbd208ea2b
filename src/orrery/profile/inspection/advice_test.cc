// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/inspection/advice.h"

#include <gtest/gtest.h>

#include "orrery/profile/link/link.h"
#include "orrery/profile/profile_testing.h"

namespace orrery::profile {
namespace {

std::vector<Advice> advice_for(Maker& make) {
  Profile profile = make.take();
  Findings findings;
  attach(profile, findings);
  return advice(profile, inspect(profile));
}

// A kernel that `call` launches at `at`.
void launched_kernel(Maker& make, std::uint32_t thread, std::int64_t at, std::int64_t call,
                     std::int64_t start, std::int64_t duration, std::uint64_t correlation) {
  make.call(thread, "cudaLaunchKernel", at, call, correlation);
  make.kernel(make.stream(7), "gemm", start, duration, correlation);
}

TEST(Advice, DataLoaderKeepsTheDeviceIdle) {
  Maker make;
  const auto main = make.thread(1);
  make.annotation(main, "enumerate(DataLoader)#_Iter.__next__", 0, 400);
  make.annotation(main, "DataLoader inside", 10, 20);
  make.op(main, "aten::mm", 410, 20);
  launched_kernel(make, main, 411, 2, 420, 580, 1);
  const auto made = advice_for(make);
  ASSERT_EQ(made.size(), 1u);
  EXPECT_EQ(made[0].cause, Cause::data_loader);
  EXPECT_EQ(made[0].count, 1u) << "the outermost range";
  EXPECT_EQ(made[0].time, us(400));
  EXPECT_DOUBLE_EQ(made[0].share, 0.4);
  EXPECT_EQ(made[0].example, "enumerate(DataLoader)#_Iter.__next__");
}

TEST(Advice, LoadingBehindABusyDeviceCostsNothing) {
  Maker make;
  const auto main = make.thread(1);
  make.op(main, "aten::mm", 0, 10);
  launched_kernel(make, main, 1, 2, 5, 995, 1);
  make.annotation(main, "enumerate(DataLoader)#_Iter.__next__", 20, 400);
  EXPECT_TRUE(advice_for(make).empty());
}

TEST(Advice, KernelsShorterThanTheirLaunches) {
  Maker make;
  const auto main = make.thread(1);
  for (int i = 0; i < 10; ++i) {
    make.op(main, "aten::add", 100 * i, 90);
    launched_kernel(make, main, 100 * i + 80, 8, 100 * i + 90, 4,
                    static_cast<std::uint64_t>(i) + 1);
  }
  const auto made = advice_for(make);
  ASSERT_EQ(made.size(), 1u);
  EXPECT_EQ(made[0].cause, Cause::small_kernels);
  EXPECT_EQ(made[0].count, 10u);
  EXPECT_EQ(made[0].time, us(80 + 9 * 86)) << "from the begin or a kernel to the next launch";
}

TEST(Advice, OperatorsThatWaitForTheDevice) {
  Maker make;
  const auto main = make.thread(1);
  make.op(main, "aten::mm", 0, 10);
  launched_kernel(make, main, 1, 2, 5, 200, 1);
  make.op(main, "aten::item", 20, 200);
  make.call(main, "cudaStreamSynchronize", 30, 180);
  make.op(main, "aten::mm", 300, 10);
  launched_kernel(make, main, 301, 2, 310, 690, 2);
  const auto made = advice_for(make);
  ASSERT_EQ(made.size(), 1u);
  EXPECT_EQ(made[0].cause, Cause::synchronizing_operators);
  EXPECT_EQ(made[0].time, us(100)) << "from the end of the wait to the next kernel";
  EXPECT_EQ(made[0].example, "aten::item");
}

// Two waits in one idle span, as of aten::item within another operator: the span is lost once.
TEST(Advice, AnIdleSpanIsLostOnce) {
  Maker make;
  const auto main = make.thread(1);
  make.op(main, "aten::mm", 0, 10);
  launched_kernel(make, main, 1, 2, 5, 200, 1);
  make.op(main, "aten::item", 20, 200);
  make.call(main, "cudaStreamSynchronize", 30, 180);
  make.op(main, "aten::nonzero", 230, 30);
  make.call(main, "cudaStreamSynchronize", 240, 10);
  make.op(main, "aten::mm", 300, 10);
  launched_kernel(make, main, 301, 2, 310, 690, 2);
  const auto made = advice_for(make);
  ASSERT_EQ(made.size(), 1u);
  EXPECT_EQ(made[0].count, 2u);
  EXPECT_EQ(made[0].time, us(100));
  EXPECT_EQ(made[0].example, "aten::item");
}

TEST(Advice, LoadersOfTwoThreadsCountEachMomentOnce) {
  Maker make;
  const auto main = make.thread(1), other = make.thread(2);
  make.annotation(main, "enumerate(DataLoader)#_Iter.__next__", 0, 400);
  make.annotation(other, "DataLoader worker", 100, 350);
  make.op(main, "aten::mm", 460, 10);
  launched_kernel(make, main, 461, 2, 470, 530, 1);
  const auto made = advice_for(make);
  ASSERT_EQ(made.size(), 1u);
  EXPECT_EQ(made[0].count, 2u);
  EXPECT_EQ(made[0].time, us(450));
}

TEST(Advice, CopiesFromPageableMemory) {
  Maker make;
  const auto main = make.thread(1);
  make.op(main, "aten::copy_", 0, 10);
  make.call(main, "cudaMemcpyAsync", 1, 2, 1);
  make.kernel(make.stream(7), "Memcpy HtoD (Pageable -> Device)", 5, 95, 1, kNoId, Kind::memcpy);
  const auto made = advice_for(make);
  ASSERT_EQ(made.size(), 1u);
  EXPECT_EQ(made[0].cause, Cause::pageable_copies);
  EXPECT_EQ(made[0].time, us(95));
}

TEST(Advice, WithoutDeviceWorkThereIsNone) {
  Maker make;
  make.annotation(make.thread(1), "enumerate(DataLoader)", 0, 400);
  EXPECT_TRUE(advice_for(make).empty());
}

}  // namespace
}  // namespace orrery::profile
