// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/host/host_overheads.h"

#include <gtest/gtest.h>

#include "orrery/profile/link/launching_host_testing.h"

namespace orrery::profile {
namespace {

OverheadBuilder measured(LaunchingHost& host) {
  OverheadBuilder builder;
  builder.add(host.take());
  return builder;
}

/// Null: there is none.
const OverheadRow* find_row(const std::vector<OverheadRow>& rows, Overhead overhead,
                            std::string_view of) {
  for (const OverheadRow& row : rows)
    if (row.overhead == overhead && row.of == of) return &row;
  return nullptr;
}

double mean_of(const std::vector<OverheadRow>& rows, Overhead overhead, std::string_view of) {
  const OverheadRow* row = find_row(rows, overhead, of);
  return row == nullptr ? -1 : row->mean_us;
}

// One operator with a nested one and two launches; every gap is known.
TEST(Overheads, AreWhatIsBetween) {
  LaunchingHost host;
  host.make.op(host.thread, "aten::linear", 0, 60);
  host.make.op(host.thread, "aten::addmm", 5, 50);  // nested, before the first launch
  host.launch(12, 10, 30);
  host.make.op(host.thread, "aten::empty", 25, 3);  // nested, between the launches
  host.launch(30, 8, 45);
  host.make.op(host.thread, "aten::relu", 70, 9);  // launches nothing
  const auto rows = measured(host).rows();
  EXPECT_DOUBLE_EQ(mean_of(rows, Overhead::before_launch, "aten::linear"), 12 - 2);
  EXPECT_DOUBLE_EQ(mean_of(rows, Overhead::between_launches, "aten::linear"), 30 - 22 - 2);
  EXPECT_DOUBLE_EQ(mean_of(rows, Overhead::after_launch, "aten::linear"), 60 - 38);
  EXPECT_DOUBLE_EQ(mean_of(rows, Overhead::launch_call, "cudaLaunchKernel"),
                   ((10 - 6) + (8 - 6)) / 2.0);
  EXPECT_DOUBLE_EQ(mean_of(rows, Overhead::between_operators, "aten::relu"), 10);
  EXPECT_DOUBLE_EQ(mean_of(rows, Overhead::between_launches, "aten::relu"), 9) << "all of it";
  EXPECT_EQ(find_row(rows, Overhead::before_launch, "aten::addmm"), nullptr) << "not outermost";
}

// Below 2 and above 200 us, under another parent, or with a wait in between: no T1.
TEST(Overheads, BetweenOperatorsOfOneParentOnly) {
  LaunchingHost host;
  host.make.annotation(host.thread, "step 1", 0, 1000);
  for (const std::int64_t at : {10, 21, 26, 300}) host.make.op(host.thread, "a", at, 4);
  // 10 to 14, 21 (gap 7), 26 (gap 1: left out), 300 (gap 270: left out)
  host.make.annotation(host.thread, "step 2", 1010, 200);
  host.make.op(host.thread, "a", 1020, 4);
  host.make.op(host.thread, "a", 1034, 4);  // gap 10, but the host waited
  host.make.call(host.thread, "cudaStreamSynchronize", 1026, 6);
  host.launch(1100, 1, 1110);
  const auto rows = measured(host).rows();
  const OverheadRow* row = find_row(rows, Overhead::between_operators, "a");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->count, 1u);
  EXPECT_DOUBLE_EQ(row->mean_us, 7);
}

TEST(Overheads, DropOutliersAndTakeLessThanNothingForNothing) {
  LaunchingHost host;
  std::int64_t at = 0;
  for (const std::int64_t before : {10, 11, 12, 13, 14, 900}) {
    host.make.op(host.thread, "a", at, before + 20);
    host.launch(at + before, 3, at + before + 5);  // 3 us: less than the profiler's own 6
    at += 5000;
  }
  const OverheadBuilder builder = measured(host);
  const auto rows = builder.rows();
  const OverheadRow* row = find_row(rows, Overhead::before_launch, "a");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->count, 6u);
  EXPECT_EQ(row->dropped, 1u);
  EXPECT_DOUBLE_EQ(row->mean_us, 12);
  const OverheadRow* call = find_row(rows, Overhead::launch_call, "cudaLaunchKernel");
  EXPECT_EQ(call->below_zero, 6u);
  EXPECT_DOUBLE_EQ(call->mean_us, 0);
  EXPECT_DOUBLE_EQ(mean_of(rows, Overhead::before_launch, ""), 12) << "of all operators";
}

TEST(Overheads, OperatorsThatWaitSayNothing) {
  LaunchingHost host;
  host.make.op(host.thread, "aten::item", 0, 500);
  host.launch(5, 4, 20, 1, "cudaMemcpyAsync");
  host.make.call(host.thread, "cudaStreamSynchronize", 10, 480);
  const OverheadBuilder builder = measured(host);
  EXPECT_EQ(builder.operators(), 1u);
  EXPECT_EQ(builder.waiting(), 1u);
  EXPECT_TRUE(builder.rows().empty());
}

TEST(Overheads, LaunchesWhileTheDeviceWaits) {
  LaunchingHost host;
  for (const std::int64_t at : {0, 20, 41, 65}) host.launch(at, 5, at + 7, 3);
  host.make.call(host.thread, "cudaDeviceSynchronize", 75, 10);
  host.launch(100, 5, 107, 3);  // not from 65: the host waited
  host.launch(130, 5, 180, 3);  // its kernel began late: the device did not wait
  host.launch(2000, 5, 2007, 3);
  host.launch(4000, 5, 4007, 3);  // a pause
  host.make.op(host.thread, "autograd::engine::evaluate_function: AddBackward0", 6000, 100);
  host.launch(6010, 5, 6017, 3);
  host.launch(6040, 5, 6047, 3);
  const OverheadBuilder builder = measured(host);
  EXPECT_EQ(builder.launches(LaunchPass::forward).count, 3u);
  EXPECT_DOUBLE_EQ(builder.launches(LaunchPass::forward).median, 21);
  EXPECT_EQ(builder.launches(LaunchPass::backward).count, 1u);
  EXPECT_DOUBLE_EQ(builder.launches(LaunchPass::backward).median, 30);
  EXPECT_EQ(builder.launches(LaunchPass::optimizer).count, 0u);
  EXPECT_EQ(builder.launches().count, 4u);
  EXPECT_DOUBLE_EQ(builder.latency().median, 7);
}

TEST(Overheads, GapsOfKernelsThatWaitInTheQueue) {
  LaunchingHost host;
  host.launch(0, 2, 100, 10);
  host.launch(10, 2, 112, 10);   // waited: 2 us
  host.launch(20, 2, 125, 10);   // waited: 3 us
  host.launch(130, 2, 140, 10);  // launched just before: the host was late
  const OverheadBuilder builder = measured(host);
  EXPECT_EQ(builder.gap().count, 2u);
  EXPECT_DOUBLE_EQ(builder.gap().median, 2.5);
  EXPECT_EQ(builder.gap().holdout_error, 0) << "too few";
}

TEST(Overheads, HalfOfTheGapsTellsTheOthers) {
  LaunchingHost host;
  std::int64_t begin = 100;
  for (const std::int64_t gap : {0, 10, 11, 10, 11}) {
    begin += gap;
    host.launch(begin - 90, 2, begin, 10);
    begin += 10;
  }
  const OverheadBuilder builder = measured(host);
  EXPECT_EQ(builder.gap().count, 4u);
  EXPECT_DOUBLE_EQ(builder.gap().holdout_error, 1 - 10 / 11.0);
}

}  // namespace
}  // namespace orrery::profile
