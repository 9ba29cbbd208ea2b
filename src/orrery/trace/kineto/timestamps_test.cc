// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "orrery/trace/kineto/kineto_testing.h"

namespace orrery::trace::kineto {
namespace {

using testing::read;
using testing::trace;

std::string at(std::string_view name, std::string_view ts, std::string_view dur = "1") {
  return "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"" + std::string(name) +
         "\", \"pid\": 1, \"tid\": 1, \"ts\": " + std::string(ts) +
         ", \"dur\": " + std::string(dur) + "}";
}

/// A double would merge neighbors: near 1.7e15 µs it resolves a quarter of a microsecond only.
TEST(KinetoTimes, KeepNanoseconds) {
  const auto out =
      read(trace(at("a", "1712195495520854.801") + "," + at("b", "1712195495520854.802")));
  ASSERT_TRUE(out.profile);
  EXPECT_EQ(out.profile->origin_ns, 1'712'195'495'520'854'801);
  EXPECT_EQ(out["b"].start, ns(1));
}

TEST(KinetoTimes, StartWithTheEarliest) {
  const auto out = read(trace(at("a", "200.5") + "," + at("b", "100.0004")));
  ASSERT_TRUE(out.profile);
  EXPECT_EQ(out["b"].start, ps(400));
  EXPECT_EQ(out["a"].start, ns(100'500));
  EXPECT_EQ(out.profile->origin_ns, 100'000);
}

TEST(KinetoTimes, MayBeQuoted) {
  const auto out = read(trace(at("a", "\"5\"", "\"2.5\"")));
  ASSERT_TRUE(out.profile);
  EXPECT_EQ(out["a"].duration, ns(2500));
}

TEST(KinetoTimes, ImpossibleOnesDropTheEvent) {
  for (const char* ts : {"NaN", "null", "\"x\"", "1e300", "99999999999999999999", "{}"}) {
    const auto out = read(trace(at("a", "5") + "," + at("b", ts)));
    ASSERT_TRUE(out.profile) << ts;
    EXPECT_EQ(out.profile->events.size(), 1u) << ts;
    EXPECT_EQ(out.findings.count(FindingCode::event_dropped), 1u) << ts;
    EXPECT_EQ(out.left_out("cpu_op"), 1u) << ts;
  }
}

TEST(KinetoTimes, ImpossibleDurationsAreClamped) {
  for (const char* dur : {"-5", "NaN", "-1e300"}) {
    const auto out = read(trace(at("a", "5", dur)));
    ASSERT_TRUE(out.profile) << dur;
    EXPECT_EQ(out["a"].duration, Time{}) << dur;
    EXPECT_EQ(out.findings.count(FindingCode::event_time_clamped), 1u) << dur;
  }
  const auto out = read(trace(at("a", "5", "99999999999999999999")));
  ASSERT_TRUE(out.profile);
  EXPECT_GT(out["a"].duration, Time(86'400 * kPsPerSecond));
  EXPECT_EQ(out.findings.count(FindingCode::event_time_clamped), 1u);
}

/// MTIA writes its metadata, and sometimes more, at 0.0.
TEST(KinetoTimes, AStrayNearZeroIsNotTheOrigin) {
  const auto out = read(trace(
      R"({"ph": "M", "name": "process_name", "ts": 0.0, "pid": 1, "tid": 1, "args": {"name": "p"}},)" +
      at("stray", "0.0") + "," + at("a", "1712195495520854") + "," + at("b", "1712195495520856")));
  ASSERT_TRUE(out.profile);
  EXPECT_EQ(out.profile->origin_ns, 1'712'195'495'520'854'000);
  EXPECT_EQ(out["b"].start, us(2));
  EXPECT_EQ(out["stray"].start, Time{});
  EXPECT_EQ(out.findings.count(FindingCode::event_time_clamped), 1u);
}

TEST(KinetoTimes, FarEventsAreDropped) {
  const auto out = read(trace(at("a", "1712195495520854") + "," + at("b", "1612195495520854")));
  ASSERT_TRUE(out.profile);
  EXPECT_EQ(out.profile->events.size(), 1u);
  EXPECT_EQ(out.findings.count(FindingCode::event_dropped), 1u);
}

}  // namespace
}  // namespace orrery::trace::kineto
