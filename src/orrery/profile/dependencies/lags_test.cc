// SPDX-License-Identifier: Apache-2.0
//
// What lies between the end of what a work waited for and its own beginning.
#include <gtest/gtest.h>

#include "orrery/profile/dependencies/dependencies.h"
#include "orrery/profile/dependencies/dependencies_testing.h"
#include "orrery/profile/link/link.h"
#include "orrery/profile/profile_testing.h"

namespace orrery::profile {
namespace {

struct Waited {
  explicit Waited(Maker& make) : profile(make.take()) {
    attach(profile, findings);
    found = find_dependencies(profile, {}, findings);
  }
  [[nodiscard]] const Dependency* edge(EventId to, EventId from) const {
    for (const Dependency& one : found.of(found.node_of[to])) {
      if (one.from == from) return &one;
    }
    return nullptr;
  }
  [[nodiscard]] Time ends(EventId event) const {
    return replay(profile, found).end[found.node_of[event]];
  }

  Profile profile;
  Findings findings;
  Dependencies found;
};

TEST(Lags, AreOfWhatEndedLast) {
  Maker make;
  const std::uint32_t thread = make.thread(1), stream = make.stream(7);
  const EventId first = make.call(thread, "cudaLaunchKernel", 0, 5, 1);
  const EventId second = make.call(thread, "cudaLaunchKernel", 10, 5, 2);
  const EventId a = make.kernel(stream, "a", 12, 100, 1);  // 7 us after its launch
  const EventId b = make.kernel(stream, "b", 114, 10, 2);  // 2 us after a
  const Waited made(make);
  EXPECT_EQ(made.edge(a, first)->lag, us(7));
  EXPECT_EQ(made.edge(b, a)->lag, us(2));
  EXPECT_EQ(made.edge(b, second)->lag, us(7));  // as is usual: b could not begin before 22
  EXPECT_EQ(made.findings.count(FindingCode::recorded_wait), 0u);
  EXPECT_EQ(made.ends(b), us(124));
}

TEST(Lags, LongOnesAreExplainedByWhatHadJustEnded) {
  Maker make;
  const std::uint32_t thread = make.thread(1), stream = make.stream(7), other = make.stream(20);
  make.call(thread, "cudaLaunchKernel", 0, 5, 1);
  const EventId call = make.call(thread, "cudaLaunchKernel", 10, 5, 2);
  const EventId a = make.kernel(stream, "a", 12, 100, 1);
  const EventId b = make.kernel(other, "b", 115, 10, 2);
  const Waited made(make);
  ASSERT_NE(made.edge(b, a), nullptr);
  EXPECT_EQ(made.edge(b, a)->kind, DependencyKind::learned);
  EXPECT_TRUE(made.edge(b, a)->guessed);
  EXPECT_EQ(made.edge(b, a)->lag, us(3));
  EXPECT_EQ(made.edge(b, call)->kind, DependencyKind::launch);
  EXPECT_EQ(made.findings.count(FindingCode::wait_learned), 1u);
  EXPECT_EQ(made.ends(b), us(125));
}

TEST(Lags, WhatNothingExplainsIsARecordedWait) {
  Maker make;
  const std::uint32_t thread = make.thread(1), stream = make.stream(7), other = make.stream(20);
  make.call(thread, "cudaLaunchKernel", 0, 5, 1);
  const EventId call = make.call(thread, "cudaLaunchKernel", 10, 5, 2);
  make.kernel(stream, "a", 12, 100, 1);
  const EventId b = make.kernel(other, "b", 150, 10, 2);
  const Waited made(make);
  EXPECT_EQ(made.edge(b, call)->kind, DependencyKind::recorded_wait);
  EXPECT_EQ(made.edge(b, call)->lag, us(135));
  EXPECT_EQ(made.findings.count(FindingCode::recorded_wait), 1u);
  EXPECT_EQ(made.found.counts[static_cast<std::size_t>(DependencyKind::recorded_wait)], 1u);
  EXPECT_EQ(made.ends(b), us(160));
}

TEST(Rows, AreForWhatRunsBesideItsOwnStream) {
  Maker make;
  const std::uint32_t thread = make.thread(1), stream = make.stream(7);
  make.call(thread, "cudaGraphLaunch", 0, 5, 1);
  const EventId longest = make.kernel(stream, "long", 10, 100, 1);
  const EventId beside = make.kernel(stream, "beside", 20, 10, 1);
  const EventId next = make.kernel(stream, "next", 40, 10, 1);
  const EventId after = make.kernel(stream, "after", 120, 10, 1);
  const Waited made(make);
  const auto row = [&](EventId event) { return made.found.rows[made.found.node_of[event]]; };
  EXPECT_EQ(row(longest), 0u);
  EXPECT_EQ(row(beside), 1u);
  EXPECT_EQ(row(next), 1u);
  EXPECT_EQ(row(after), 0u);
  EXPECT_EQ(made.ends(after), us(130));
}

}  // namespace
}  // namespace orrery::profile
