// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/inspection/idle_time.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "orrery/profile/profile_testing.h"

namespace orrery::profile {
namespace {

Time of(const IdleReport& report, IdleCause cause) {
  return report.causes[static_cast<std::size_t>(cause)].total;
}

TEST(IdleTime, CauseOfEachSpan) {
  Maker make;
  const auto main = make.thread(1);
  const auto one = make.stream(7), two = make.stream(8);
  make.op(main, "aten::mm", 0, 200);
  const auto launch = [&](std::int64_t at) { return make.call(main, "cudaLaunchKernel", at, 2); };
  const auto work = [&](std::uint32_t stream, std::int64_t from, std::int64_t length,
                        EventId call) {
    make.work_of(make.kernel(stream, "k", from, length)).call = call;
  };
  work(one, 10, 10, launch(4));  // 0-4 host, 4-10 launch
  work(one, 25, 5, launch(6));   // 20-25 gap in a stream
  work(two, 33, 7, launch(8));   // 30-33 other stream
  make.call(main, "cudaStreamSynchronize", 30, 12);
  work(one, 60, 10, launch(50));       // 40-50 synchronization, 50-60 launch
  make.kernel(one, "unknown", 75, 5);  // 70-75 launch not recorded
  make.kernel(two, "ncclDevKernel_AllReduce", 80, 10);
  work(one, 94, 6, launch(54));  // 90-94 communication
  make.op(main, "aten::size", 190, 10);
  const Profile profile = make.take();
  const IdleReport report = idle_times(profile);
  EXPECT_EQ(of(report, IdleCause::host), us(4));
  EXPECT_EQ(of(report, IdleCause::communication), us(4));
  EXPECT_EQ(of(report, IdleCause::launch), us(6 + 10));
  EXPECT_EQ(of(report, IdleCause::same_stream), us(5));
  EXPECT_EQ(of(report, IdleCause::other_stream), us(3));
  EXPECT_EQ(of(report, IdleCause::synchronization), us(10));
  EXPECT_EQ(of(report, IdleCause::no_launch), us(5));
  EXPECT_EQ(of(report, IdleCause::after_last), us(100));
  EXPECT_EQ(report.whole.host_bound, us(4 + 10 + 5));
  EXPECT_EQ(report.device.length, us(90));
  EXPECT_EQ(report.device.idle, us(5 + 3 + 20 + 5 + 4));
  ASSERT_EQ(report.streams.size(), 2u);
  const StreamIdleTime& stream = report.streams[0];
  EXPECT_EQ(stream.works, 5u);
  EXPECT_EQ(stream.busy, us(36));
  EXPECT_EQ(stream.host_wait.total, us(30)) << "30-60: launched at 50";
  EXPECT_EQ(stream.kernel_wait.total, Time{});
  EXPECT_EQ(stream.other.total, us(5 + 5 + 14));
  // 0-4 in aten::mm, 40-42 in the synchronization, 42-50 in aten::mm.
  ASSERT_EQ(report.host.size(), 2u);
  EXPECT_EQ(report.host[0].name, "aten::mm");
  EXPECT_EQ(report.host[0].total, us(4 + 8));
  EXPECT_EQ(report.host[1].name, "cudaStreamSynchronize");
  EXPECT_EQ(report.host[1].total, us(2));
}

TEST(IdleTime, WithoutADevice) {
  Maker make;
  make.op(make.thread(1), "aten::mm", 0, 10);
  EXPECT_FALSE(idle_times(make.take()).on_device);
}

RC_GTEST_PROP(IdleTime, CausesSumUpToTheBreakdown, ()) {
  Maker make;
  const auto main = make.thread(1);
  make.op(main, "aten::mm", 0, 100);
  const int works = *rc::gen::inRange(1, 40);
  for (int i = 0; i < works; ++i) {
    const std::int64_t start = *rc::gen::inRange(0, 100);
    const EventId work =
        make.kernel(make.stream(*rc::gen::inRange(0, 3)), "k", start, *rc::gen::inRange(0, 20));
    const int launched = *rc::gen::inRange(0, 3);
    if (launched == 0) continue;
    make.work_of(work).call =
        make.call(main, launched == 1 ? "cudaLaunchKernel" : "cudaStreamSynchronize",
                  *rc::gen::inRange(0, 110), *rc::gen::inRange(0, 9));
  }
  const Profile profile = make.take();
  const IdleReport report = idle_times(profile);
  Time sum{};
  for (const IdleTime& cause : report.causes) sum += cause.total;
  RC_ASSERT(sum == report.whole.idle);
  const Time host = of(report, IdleCause::host) + of(report, IdleCause::synchronization);
  RC_ASSERT(host + of(report, IdleCause::no_launch) == report.whole.host_bound);
  Time work{};
  for (const HostWork& one : report.host) work += one.total;
  RC_ASSERT(work == host);
}

}  // namespace
}  // namespace orrery::profile
