// SPDX-License-Identifier: Apache-2.0
//
// Files that are not what they should be: an answer each, and nothing else.
#include <gtest/gtest.h>

#include "orrery/trace/pftrace/pftrace_testing.h"

namespace orrery::trace::pftrace {
namespace {

using testing::File;
using testing::integer;
using testing::Outcome;
using testing::read;
using testing::text;
using testing::two_kernels;

void expect_all_there(const Outcome& out) {
  ASSERT_TRUE(out.profile) << to_string(out.profile.error());
  std::uint64_t left_out = 0;
  for (const auto& [what, count] : out.profile->account.left_out) left_out += count;
  EXPECT_EQ(out.profile->account.records,
            out.profile->account.events + out.profile->account.mapped + left_out);
  for (std::size_t e = 0; e < out.profile->events.size(); ++e)
    EXPECT_GE(out.profile->events[e].duration, Time{});
}

TEST(PftraceDamage, SaysWhyAFileIsNone) {
  EXPECT_EQ(read("").profile.error().code, Errc::input_corrupt);
  EXPECT_EQ(read("hello").profile.error().code, Errc::input_corrupt);
  EXPECT_EQ(read(File().names({"a"}).bytes).profile.error().code, Errc::input_empty);
  const Outcome huge = read("\x0A\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F");
  EXPECT_EQ(huge.profile.error().code, Errc::limit_exceeded);
  EXPECT_EQ(huge.profile.error().where, "t.pftrace:byte 0");
}

TEST(PftraceDamage, AFileCutAnywhereIsReadUpToThere) {
  const std::string whole = two_kernels().bytes;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Outcome out = read(whole.substr(0, size));
    if (out.profile) {
      expect_all_there(out);
    } else {
      EXPECT_FALSE(out.profile.error().what.empty());
    }
  }
  const Outcome out = read(whole.substr(0, whole.size() - 3));
  expect_all_there(out);
  EXPECT_EQ(out.profile->events.size(), 6u);
  EXPECT_EQ(out.findings.count(FindingCode::truncated_tail_dropped), 1u);
  EXPECT_EQ(out.findings.count(FindingCode::event_unfinished), 1u);
}

TEST(PftraceDamage, AnyByteMayBeWrong) {
  const std::string whole = two_kernels().bytes;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int flip : {1, 0x80, 0xFF}) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ flip);
      const Outcome out = read(bytes);
      if (out.profile) expect_all_there(out);
    }
  }
}

TEST(PftraceDamage, OneBrokenPacketIsOne) {
  File file = two_kernels();
  file.packet("\x5A\x05\x01");  // an event that is longer than its packet
  const Outcome out = read(file.bytes);
  expect_all_there(out);
  EXPECT_EQ(out.profile->events.size(), 6u);
  EXPECT_EQ(out.findings.count(FindingCode::corrupt_record_dropped), 1u);
}

TEST(PftraceDamage, TracksThatNobodyDescribed) {
  File file;
  file.thread(2, 2, 77, 78, "its own parent").names({"a", "b"});
  file.begin(10, ~std::uint64_t{0}, 1).end(20, ~std::uint64_t{0});
  file.begin(10, 0, 2).end(20, 0);
  file.begin(10, 2, 1).end(20, 2);
  const Outcome out = read(file.bytes);
  expect_all_there(out);
  EXPECT_EQ(out.profile->events.size(), 3u);
  EXPECT_EQ(out.profile->lanes.size(), 3u);
}

TEST(PftraceDamage, EndsWithoutBeginningsAndOddTimes) {
  File file;
  file.thread(2, 0, 77, 78, "main").names({"a"});
  file.end(5, 2).begin(10, 2, 1).end(4, 2).end(30, 2);
  file.begin(~std::uint64_t{0}, 2, 1).end(~std::uint64_t{0}, 2);
  file.begin(11, 2, 99);  // a name that nothing stands behind
  const Outcome out = read(file.bytes);
  expect_all_there(out);
  EXPECT_EQ(out.profile->events.size(), 1u);
  EXPECT_EQ(out.findings.count(FindingCode::event_time_clamped), 1u);
  EXPECT_GE(out.findings.count(FindingCode::event_dropped), 4u);
}

TEST(PftraceDamage, ArgumentsWithoutBottom) {
  std::string deep = integer("x", 1);
  for (int i = 0; i < 20000; ++i) {
    std::string around;
    protozero::pbf_writer writer(around);
    writer.add_message(i % 2 == 0 ? kArrayValues : kDictEntries, deep);
    deep = std::move(around);
  }
  std::string mixed;
  protozero::pbf_writer writer(mixed);
  writer.add_string(kName, "mixed \"\n");
  writer.add_message(kArrayValues, integer("", 1));
  writer.add_message(kDictEntries, integer("k\"", 2));
  writer.add_string(kString, "then \x01 a text");
  writer.add_double(kDouble, 0.0 / 0.0);
  std::string numbers;
  protozero::pbf_writer(numbers).add_uint64(kNameIid, ~std::uint64_t{0});
  protozero::pbf_writer(numbers).add_uint64(kStringIid, ~std::uint64_t{0});
  File file;
  file.thread(2, 0, 77, 78, "main").names({"k"});
  file.begin(
          10, 2, 1,
          {integer("stream", 7), deep, mixed, numbers, text("huge", std::string(3 << 20, '\xFF'))})
      .end(20, 2);
  const Outcome out = read(file.bytes);
  expect_all_there(out);
  const auto launch = out.profile->string(out.profile->work(0).launch);
  EXPECT_NE(launch.find(R"("mixed \"\n":null)"), launch.npos) << launch.substr(0, 300);
}

}  // namespace
}  // namespace orrery::trace::pftrace
