// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/recording_checks.h"

#include <gtest/gtest.h>

#include "orrery/profile/link/link.h"
#include "orrery/profile/profile_testing.h"

namespace orrery::profile {
namespace {

Time duration_after_cut(const Profile& profile, EventId e) { return profile.events[e].duration; }

// TraceLens #669: one duration of a recording is a second too long.
TEST(RecordingChecks, WorkThatOutlastsItsSuccessorEndsWhereThatBegins) {
  Maker make;
  const std::uint32_t stream = make.stream(7), other = make.stream(8);
  const EventId before = make.kernel(stream, "a", 0, 80, 1);
  const EventId wrong = make.kernel(stream, "b", 100, 1'600'000, 2);
  const EventId wrong_too = make.kernel(stream, "c", 200, 2'000'000, 3);
  const EventId after = make.kernel(stream, "d", 300, 80, 4);
  const EventId elsewhere = make.kernel(other, "e", 150, 1'000'000, 5);
  Profile profile = make.take();
  Findings findings;
  cut_long_durations(profile, findings);
  EXPECT_EQ(duration_after_cut(profile, before), us(80));
  EXPECT_EQ(duration_after_cut(profile, wrong), us(100));
  EXPECT_EQ(duration_after_cut(profile, wrong_too), us(100));
  EXPECT_EQ(duration_after_cut(profile, after), us(80));
  EXPECT_EQ(duration_after_cut(profile, elsewhere), us(1'000'000)) << "streams are independent";
  EXPECT_EQ(findings.count(FindingCode::duration_cut), 2u);
  cut_long_durations(profile, findings);
  EXPECT_EQ(findings.count(FindingCode::duration_cut), 2u) << "once is enough";
}

// Programmatic dependent launches overlap; branches of one CUDA graph run concurrently.
TEST(RecordingChecks, WorkThatMayOverlapStays) {
  Maker make;
  const std::uint32_t stream = make.stream(7);
  make.kernel(stream, "primary", 0, 100, 1);
  make.kernel(stream, "secondary", 90, 50, 2);
  make.kernel(stream, "branch", 200, 100, 3);
  make.kernel(stream, "other branch", 210, 10, 3);
  Profile profile = make.take();
  Findings findings;
  cut_long_durations(profile, findings);
  EXPECT_TRUE(findings.empty());
}

TEST(RecordingChecks, IterationsWithoutDeviceWorkAreNamed) {
  Maker make;
  const std::uint32_t thread = make.thread(1), stream = make.stream(7);
  for (int step = 0; step < 5; ++step)
    make.annotation(thread, "ProfilerStep#" + std::to_string(step), 100 * step, 100);
  make.call(thread, "cudaLaunchKernel", 10, 2, 1);
  make.kernel(stream, "a", 20, 10, 1);
  make.call(thread, "cudaLaunchKernel", 110, 2, 2);  // runs two steps later
  make.kernel(stream, "b", 320, 10, 2);
  make.call(thread, "cudaLaunchKernel", 210, 2, 3);  // its kernel is not in the file
  make.op(thread, "aten::mm", 405, 10);
  Profile profile = make.take();
  Findings findings;
  attach(profile, findings);
  const auto missing = unrecorded_iterations(profile);
  ASSERT_EQ(missing.size(), 2u);
  EXPECT_EQ(missing[0].number, 2);
  EXPECT_EQ(missing[1].number, 4);
  check_device_work(profile, findings);
  EXPECT_EQ(findings.count(FindingCode::step_not_recorded), 2u);
  EXPECT_EQ(findings.count(FindingCode::no_device_work), 0u);
}

TEST(RecordingChecks, RecordingsOfTheHostAloneAreNamed) {
  Maker make;
  const std::uint32_t thread = make.thread(1);
  make.annotation(thread, "ProfilerStep#1", 0, 100);
  make.op(thread, "aten::mm", 5, 10);
  Profile profile = make.take();
  Findings findings;
  check_device_work(profile, findings);
  EXPECT_TRUE(findings.empty()) << "a machine without a device";
  profile.devices.resize(1);
  check_device_work(profile, findings);
  EXPECT_EQ(findings.count(FindingCode::no_device_work), 1u);
  EXPECT_EQ(findings.count(FindingCode::step_not_recorded), 0u);
}

}  // namespace
}  // namespace orrery::profile
