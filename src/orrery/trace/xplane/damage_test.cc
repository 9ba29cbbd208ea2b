// SPDX-License-Identifier: Apache-2.0
//
// Damaged and hostile XPlane files.
#include <gtest/gtest.h>

#include <random>

#include "orrery/trace/io/profile_check_testing.h"
#include "orrery/trace/xplane/xplane_testing.h"

namespace orrery::trace::xplane {
namespace {

using testing::file;
using testing::Outcome;
using testing::PlaneBuilder;
using testing::read;
using testing::two_devices;

/// A file that ends early is an error, wherever it ends inside a plane; between planes it is whole.
TEST(XplaneDamage, TruncatedFilesAreErrors) {
  const std::string bytes = two_devices();
  std::size_t whole = 0;
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    const Outcome out = read(bytes.substr(0, size));
    if (out.profile) {
      ++whole;
      continue;
    }
    const Error& error = out.profile.error();
    EXPECT_TRUE(error.code == Errc::input_truncated || error.code == Errc::input_empty)
        << size << ": " << to_string(error);
    EXPECT_EQ(error.where.substr(0, 11), "x.xplane.pb");
  }
  EXPECT_LE(whole, 4u) << "after a plane of a device, and after that of the host";
}

TEST(XplaneDamage, NamesThePlaceOfDamage) {
  std::string bytes = two_devices();
  const Outcome other = read(std::string(50, '\xFF'));
  ASSERT_FALSE(other.profile);
  EXPECT_EQ(other.profile.error().code, Errc::input_corrupt);
  EXPECT_EQ(other.profile.error().where, "x.xplane.pb:byte 0");
  // A length beyond the plane's end.
  std::string plane, space;
  protozero::pbf_writer(plane).add_string(kPlaneName, "/host:CPU");
  plane += std::string("\x1A\x7F", 2) + "abc";
  protozero::pbf_writer(space).add_message(kPlanes, plane);
  const Outcome beyond = read(space);
  ASSERT_FALSE(beyond.profile);
  EXPECT_EQ(beyond.profile.error().code, Errc::input_corrupt);
}

TEST(XplaneDamage, EmptyRecordingsSayHowToRecord) {
  for (const std::string& bytes : {file({PlaneBuilder("/host:CPU")}),
                                   file({PlaneBuilder("/device:GPU:0").line(1, "Steps", 0)}),
                                   file({PlaneBuilder("Task Environment")})}) {
    const Outcome out = read(bytes);
    ASSERT_FALSE(out.profile);
    EXPECT_EQ(out.profile.error().code, Errc::input_empty);
    EXPECT_NE(out.profile.error().hint.find("jax.profiler"), std::string::npos);
  }
}

/// Damage inside of an event or a program leaves the rest.
TEST(XplaneDamage, DropsDamagedEventsAndPrograms) {
  std::vector<PlaneBuilder> planes;
  planes.emplace_back("/device:GPU:0")
      .line(1, "Stream #1", 0)
      .event("k", 10, 5)
      .event_message("\x0F\xFF\xFF")
      .event("k", 20, 5, {testing::text("hlo_op", "dot.1"), testing::number("program_id", 3)});
  planes.emplace_back("/host:metadata").program(3, testing::product_and_sum().substr(0, 60));
  const Outcome out = read(file(planes));
  ASSERT_TRUE(out.profile) << to_string(out.profile.error());
  EXPECT_EQ(out.profile->events.size(), 2u);
  EXPECT_EQ(out.findings.count(FindingCode::event_dropped), 1u);
  EXPECT_EQ(out.findings.count(FindingCode::corrupt_record_dropped), 1u);
}

TEST(XplaneDamage, TimesOutOfRangeAreClamped) {
  std::vector<PlaneBuilder> planes;
  PlaneBuilder plane("/device:GPU:0");
  plane.line(1, "Stream #1", 0).event("k", 10, 5);
  for (const std::int64_t at :
       {std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()})
    plane.line(2, "Stream #2", at).event("k", 1, 5);
  std::string long_one;
  protozero::pbf_writer event(long_one);
  event.add_uint64(kOffset, ~std::uint64_t{0});
  event.add_uint64(kDuration, ~std::uint64_t{0});
  plane.event_message(long_one);
  planes.push_back(plane);
  const Outcome out = read(file(planes));
  ASSERT_TRUE(trace::testing::check_profile(out.profile));
  EXPECT_EQ(out.findings.count(FindingCode::event_time_clamped), 3u);
  for (profile::EventId e = 0; e < out.profile->events.size(); ++e)
    EXPECT_GE(out.profile->events[e].end(), Time{});
}

/// Large ids of metadata and programs need no memory of their own.
TEST(XplaneDamage, LargeIdsAreFine) {
  std::vector<PlaneBuilder> planes;
  planes.emplace_back("/host:metadata").program(~std::uint64_t{0}, testing::product_and_sum());
  planes.emplace_back("/device:GPU:0")
      .line(~std::uint64_t{0}, "Stream #1", 0)
      .event("k", 10, 5,
             {testing::text("hlo_op", "dot.1"), testing::number("program_id", ~std::uint64_t{0}),
              testing::number("correlation_id", ~std::uint64_t{0})});
  const Outcome out = read(file(planes));
  ASSERT_TRUE(out.profile) << to_string(out.profile.error());
  EXPECT_NE(out.profile->captured.at(0).dims, StringId::empty);
}

TEST(XplaneDamage, ChangedBytesGiveAnAnswer) {
  std::mt19937 random(66);
  const std::string bytes = two_devices();
  for (int i = 0; i < 3000; ++i) {
    std::string changed = bytes;
    for (std::uint32_t n = 1 + random() % 8; n > 0; --n)
      changed[random() % changed.size()] = static_cast<char>(random());
    (void)trace::testing::check_profile(read(changed).profile);
  }
}

}  // namespace
}  // namespace orrery::trace::xplane
