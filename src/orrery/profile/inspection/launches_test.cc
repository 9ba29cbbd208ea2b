// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/inspection/launches.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "orrery/profile/profile_testing.h"

namespace orrery::profile {
namespace {

TEST(Launches, DelaysAndQueue) {
  Maker make;
  const auto main = make.thread(1);
  const auto stream = make.stream(7);
  const auto launch = [&](std::int64_t call, std::int64_t lasts, std::int64_t from,
                          std::int64_t length) {
    make.work_of(make.kernel(stream, "k", from, length)).call =
        make.call(main, "cudaLaunchKernel", call, lasts);
  };
  launch(0, 60, 5, 100);  // a long call, longer than the delay
  launch(60, 5, 105, 4);  // shorter than its call
  launch(70, 5, 205, 10);
  launch(80, 5, 215, 10);
  make.kernel(stream, "unknown", 300, 1);
  const LaunchReport report = launch_statistics(make.take());
  EXPECT_EQ(report.without_call, 1u);
  ASSERT_EQ(report.launches.size(), 1u);
  const LaunchSummary& calls = report.launches[0];
  EXPECT_EQ(calls.call, "cudaLaunchKernel");
  EXPECT_EQ(calls.work, LaunchedWork::compute);
  EXPECT_EQ(calls.count, 4u);
  EXPECT_EQ(calls.call_total, us(75));
  EXPECT_EQ(calls.call_longest, us(60));
  EXPECT_EQ(calls.call_median, us(5));
  EXPECT_EQ(calls.delay_total, us(5 + 45 + 135 + 135));
  EXPECT_EQ(calls.delay_median, us(45));
  EXPECT_EQ(calls.short_works, 1u);
  EXPECT_EQ(calls.long_calls, 1u);
  EXPECT_EQ(calls.late_works, 2u);
  ASSERT_EQ(report.queues.size(), 1u);
  const QueueSummary& queue = report.queues[0];
  EXPECT_EQ(queue.span, us(215));
  EXPECT_EQ(queue.longest, 3u);
  EXPECT_EQ(queue.longest_at, us(80));
  EXPECT_DOUBLE_EQ(queue.mean, 320.0 / 215);
  EXPECT_EQ(queue.blocked, 0u);
  ASSERT_EQ(report.parts.size(), kQueueParts);
  double mean = 0;
  for (const QueuePart& part : report.parts) mean += part.mean / kQueueParts;
  EXPECT_NEAR(mean, queue.mean, 1e-6);
}

TEST(Launches, AGraphIsOneLaunchOfSeveralWorks) {
  Maker make;
  const EventId call = make.call(make.thread(1), "cudaGraphLaunch", 0, 8);
  for (int k = 0; k < 3; ++k)
    make.work_of(make.kernel(make.stream(7 + k % 2), "k", 10 + 10 * k, 5)).call = call;
  const LaunchReport report = launch_statistics(make.take());
  ASSERT_EQ(report.launches.size(), 1u);
  EXPECT_EQ(report.launches[0].work, LaunchedWork::several);
  EXPECT_EQ(report.launches[0].count, 1u);
  EXPECT_EQ(report.launches[0].works, 3u);
  EXPECT_EQ(report.launches[0].delay_total, us(10));
  EXPECT_EQ(report.launches[0].short_works, 0u) << "the works last 15 us";
  ASSERT_EQ(report.queues.size(), 2u);
  EXPECT_EQ(report.queues[1].launches, 1u);
}

TEST(Launches, AFullQueueBlocksLongCalls) {
  Maker make;
  const auto main = make.thread(1);
  const auto stream = make.stream(7);
  // 300 launches ahead of the device; from then on each call waits for one work of 100 us.
  std::int64_t now = 0;
  for (std::int64_t i = 0; i < 310; ++i) {
    const std::int64_t lasts = i < 300 ? 2 : 90;
    make.work_of(make.kernel(stream, "k", 2000 + 100 * i, 100)).call =
        make.call(main, "cudaLaunchKernel", now, lasts);
    now = i < 300 ? now + 3 : 2000 + 100 * (i - 299);
  }
  const LaunchReport report = launch_statistics(make.take());
  ASSERT_EQ(report.queues.size(), 1u);
  EXPECT_EQ(report.queues[0].longest, 301u) << "the first long call finds all of them";
  EXPECT_EQ(report.queues[0].blocked, 10u);
  EXPECT_EQ(report.queues[0].blocked_time, us(10 * 88));
}

RC_GTEST_PROP(Launches, QueueIsEmptyAtTheEnd, ()) {
  Maker make;
  const auto main = make.thread(1);
  const int works = *rc::gen::inRange(1, 40);
  for (int i = 0; i < works; ++i) {
    const EventId work = make.kernel(make.stream(*rc::gen::inRange(0, 3)), "k",
                                     *rc::gen::inRange(0, 100), *rc::gen::inRange(0, 20));
    make.work_of(work).call =
        make.call(main, "cudaLaunchKernel", *rc::gen::inRange(0, 100), *rc::gen::inRange(0, 9));
  }
  const LaunchReport report = launch_statistics(make.take());
  std::uint64_t launches = 0;
  for (const QueueSummary& queue : report.queues) {
    launches += queue.launches;
    RC_ASSERT(queue.longest >= 1u);
    RC_ASSERT(queue.longest <= queue.launches);
  }
  RC_ASSERT(launches == static_cast<std::uint64_t>(works));
}

}  // namespace
}  // namespace orrery::profile
