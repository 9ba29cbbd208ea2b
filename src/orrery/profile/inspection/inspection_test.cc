// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/inspection/inspection.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "orrery/profile/profile_testing.h"

namespace orrery::profile {
namespace {

TEST(Inspection, DeviceTimeByUse) {
  Maker make;
  const auto main = make.thread(1);
  make.annotation(main, "ProfilerStep#3", 0, 100);
  const EventId first_launch = make.call(main, "cudaLaunchKernel", 5, 2, 1);
  const EventId late_launch = make.call(main, "cudaLaunchKernel", 60, 2, 3);
  const EventId gemm = make.kernel(make.stream(7), "gemm", 10, 30, 1);
  const EventId reduce = make.kernel(make.stream(8), "ncclDevKernel_AllReduce", 20, 30, 2);
  const EventId late = make.kernel(make.stream(7), "gemm", 70, 10, 3);
  make.kernel(make.stream(7), "Memcpy HtoD", 90, 5, 4, kNoId, Kind::memcpy);
  make.work_of(gemm).call = first_launch;
  make.work_of(late).call = late_launch;
  make.comm(reduce, CommKind::all_reduce, 1000, make.group("0", {0, 1}));
  const Profile profile = make.take();
  const Inspection inspection = inspect(profile);
  EXPECT_TRUE(inspection.on_device);
  ASSERT_EQ(inspection.steps.size(), 1u);
  EXPECT_EQ(inspection.steps[0].iteration.number, 3);
  const Breakdown& b = inspection.steps[0].breakdown;
  EXPECT_EQ(b.length, us(100));
  EXPECT_EQ(b.compute_only, us(20));
  EXPECT_EQ(b.overlapped, us(20));
  EXPECT_EQ(b.comm_only, us(10));
  EXPECT_EQ(b.copy_only, us(5));
  EXPECT_EQ(b.idle, us(45));
  // 0-5 before the first launch, 50-60 before the second, 80-90: the copy's call is unknown.
  EXPECT_EQ(b.host_bound, us(5 + 10 + 10));
  ASSERT_EQ(inspection.device.size(), 3u);
  EXPECT_EQ(inspection.device[0].name, "gemm");
  EXPECT_EQ(inspection.device[0].total, us(40));
  EXPECT_EQ(inspection.device[0].count, 2u);
  ASSERT_EQ(inspection.comms.size(), 1u);
  EXPECT_EQ(inspection.comms[0].bytes, 4000);
  EXPECT_EQ(inspection.comms[0].group, "0");
}

/// Work of compiled programs is launched outside of operators.
TEST(Inspection, OperationsOfCompiledPrograms) {
  Maker make;
  const auto main = make.thread(1);
  const EventId op = make.op(main, "aten::mm", 0, 40);
  const EventId execute = make.annotation(main, "execute", 50, 40);
  const EventId work[] = {make.kernel(make.stream(7), "a", 10, 5, 1),
                          make.kernel(make.stream(7), "b", 20, 6, 2),
                          make.kernel(make.stream(7), "c", 30, 7, 3)};
  make.profile.captured.push_back({.name = make.text("fusion.1")});
  for (const EventId each : work) make.work_of(each).captured = 0;
  make.work_of(work[0]).op = op;
  make.work_of(work[1]).op = execute;
  const Inspection inspection = inspect(make.take());
  ASSERT_EQ(inspection.launched.size(), 2u);
  EXPECT_EQ(inspection.launched[0].name, "fusion.1");
  EXPECT_EQ(inspection.launched[0].total, us(13));
  EXPECT_EQ(inspection.launched[1].name, "aten::mm");
}

TEST(Inspection, HostTimeWithoutADevice) {
  Maker make;
  const auto main = make.thread(1);
  make.op(main, "aten::linear", 0, 40);
  make.op(main, "aten::addmm", 5, 30);
  const EventId outer = make.op(main, "c10d::allreduce_", 50, 20);
  const EventId inner = make.annotation(main, "gloo:all_reduce", 55, 10);
  make.op(main, "aten::copy_", 56, 4);
  make.comm(outer, CommKind::all_reduce, 10);
  make.comm(inner, CommKind::all_reduce, 10);
  const Profile profile = make.take();
  const Inspection inspection = inspect(profile);
  EXPECT_FALSE(inspection.on_device);
  EXPECT_EQ(inspection.whole.length, us(70));
  EXPECT_EQ(inspection.whole.compute_only, us(30));
  EXPECT_EQ(inspection.whole.comm_only, us(20));
  EXPECT_EQ(inspection.whole.idle, us(20));
  ASSERT_EQ(inspection.comms.size(), 1u);
  EXPECT_EQ(inspection.comms[0].count, 1u);
  EXPECT_EQ(inspection.comms[0].total, us(10));
  ASSERT_FALSE(inspection.host.empty());
  EXPECT_EQ(inspection.host[0].name, "aten::addmm");
}

RC_GTEST_PROP(Inspection, PartsSumUpAndWindowsAddUp, ()) {
  Maker make;
  const auto main = make.thread(1);
  const int works = *rc::gen::inRange(1, 40);
  for (int i = 0; i < works; ++i) {
    const int kind = *rc::gen::inRange(0, 3);
    const EventId e =
        make.kernel(make.stream(*rc::gen::inRange(0, 4)), kind == 0 ? "k" : "m",
                    *rc::gen::inRange(0, 100), *rc::gen::inRange(0, 30),
                    static_cast<std::uint64_t>(i), kNoId, kind == 1 ? Kind::memcpy : Kind::kernel);
    if (kind == 2) make.comm(e, CommKind::all_reduce, 1);
    make.work_of(e).call = make.call(main, "launch", *rc::gen::inRange(0, 100), 1);
  }
  const Profile profile = make.take();
  const int middle = *rc::gen::inRange(0, 140);
  const Breakdown whole = breakdown(profile, us(0), us(140));
  const Breakdown left = breakdown(profile, us(0), us(middle));
  const Breakdown right = breakdown(profile, us(middle), us(140));
  for (const Breakdown& b : {whole, left, right}) {
    RC_ASSERT(b.compute_only + b.overlapped + b.comm_only + b.copy_only + b.idle == b.length);
    RC_ASSERT(b.host_bound <= b.idle);
    RC_ASSERT(b.host_bound >= Time{});
  }
  RC_ASSERT(left.compute_only + right.compute_only == whole.compute_only);
  RC_ASSERT(left.idle + right.idle == whole.idle);
}

}  // namespace
}  // namespace orrery::profile
