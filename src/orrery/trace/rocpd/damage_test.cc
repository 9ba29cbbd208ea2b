// SPDX-License-Identifier: Apache-2.0
//
// Databases that are not what they should be: an answer each, and nothing else.
#include <gtest/gtest.h>

#include "orrery/core/limits.h"
#include "orrery/trace/rocpd/rocpd_testing.h"

namespace orrery::trace::rocpd {
namespace {

using testing::DatabaseFile;
using testing::kByReference;
using testing::kCommon;
using testing::kDirect;
using testing::kDirectRows;
using testing::kReferenceRows;
using testing::of_set;
using testing::read;
using trace::testing::TempFolder;

void expect_sound(const profile::Profile& profile) {
  std::uint64_t left_out = 0;
  for (const auto& [what, count] : profile.account.left_out) left_out += count;
  EXPECT_EQ(profile.account.records, profile.account.events + profile.account.mapped + left_out);
  for (std::size_t e = 0; e < profile.events.size(); ++e)
    EXPECT_GE(profile.events[e].duration, Time{});
}

TEST(RocpdDamage, SaysWhyAFileIsNone) {
  const TempFolder folder;
  EXPECT_EQ(read(folder / "none").profile.error().code, Errc::input_not_found);
  EXPECT_EQ(read(folder.write("text", "hello")).profile.error().code, Errc::input_corrupt);
  DatabaseFile other(folder / "other.db");
  other.sql("CREATE TABLE t(a); INSERT INTO t VALUES(1)");
  const std::string path = other.close();
  EXPECT_EQ(read(path).profile.error().code, Errc::input_unsupported);
  EXPECT_EQ(processes_in(path).error().code, Errc::input_unsupported);
  DatabaseFile empty(folder / "empty.db");
  empty.sql(of_set(std::string(kCommon) + kDirect));
  EXPECT_EQ(read(empty.close()).profile.error().code, Errc::input_empty);
}

TEST(RocpdDamage, KeepsWhatCanBeKeptOfOddRows) {
  const TempFolder folder;
  DatabaseFile file(folder / "odd.db");
  file.sql(of_set(std::string(kCommon) + kDirect + kDirectRows)).sql(of_set(R"(
        INSERT INTO rocpd_kernel_dispatch@(start, end, agent_id, stream_id, kernel_id,
          grid_size_x, workgroup_size_x, event_id) VALUES
          (300, 250, 2, 1, 9, 9223372036854775807, -1, 2),
          ('soon', 12, 2, 1, 9, 1, 1, 2),
          (NULL, NULL, 2, 1, 9, 1, 1, 2),
          (9223372036854775807, -9223372036854775808, -5, -9223372036854775808,
           -9223372036854775808, -9, 0, 9223372036854775807),
          (-9223372036854775807, 9223372036854775807, 9e99, 9223372036854775807, 'x', 1e300, x'00',
           'x');
        INSERT INTO rocpd_info_process@ VALUES(-1, 0, -9223372036854775808),
          (9223372036854775807, 0, NULL), (2, 2, 'pid');
        INSERT INTO rocpd_region@(pid, tid, start, end, name_id, event_id) VALUES
          (-9223372036854775808, 9223372036854775807, 100, 200, -1, -1),
          (2, 'x', 100, NULL, 2.5, NULL), (1, 4, -50, 20, 1, 3);
        INSERT INTO rocpd_memory_copy@(start, end, size, dst_agent_id, src_agent_id) VALUES
          (5, 6, -7, 77, 78), (7, 8, 9223372036854775807, NULL, NULL);
        INSERT INTO rocpd_info_agent@(type_index, logical_index) VALUES(-4, NULL), ('x', 'y');
        UPDATE rocpd_event@ SET correlation_id = -11, extdata = '{"message": [1]}' WHERE id < 4;)"));
  const auto out = read(file.close());
  ASSERT_TRUE(out.profile) << to_string(out.profile.error());
  EXPECT_EQ(out.profile->works.size(), 7u);
  EXPECT_EQ(out.findings.count(FindingCode::event_dropped), 2u);
  EXPECT_GE(out.findings.count(FindingCode::event_time_clamped), 2u);
  EXPECT_EQ(out.findings.count(FindingCode::event_unfinished), 1u);
  expect_sound(*out.profile);
}

/// Ids that lead nowhere, to themselves, or to several rows.
TEST(RocpdDamage, FollowsNoIdTwice) {
  const TempFolder folder;
  DatabaseFile file(folder / "ids.db");
  std::string keyless = std::string(kCommon) + kByReference;
  const std::string key = "id INTEGER PRIMARY KEY";
  for (std::size_t at = 0; (at = keyless.find(key, at)) != keyless.npos;)
    keyless.replace(at, key.size(), "id INTEGER");
  file.sql(of_set(keyless + kReferenceRows)).sql(of_set(R"(
        INSERT INTO rocpd_track@ VALUES(2, 9, 9, 9, 9, 9, 9, 9), (0, 0, 0, 0, 0, 0, 0, 0);
        INSERT INTO rocpd_timestamp@ VALUES(9, 1, 1, 1), (9, 2, 1, 1);
        INSERT INTO rocpd_info_process@ VALUES(77, 1, 1), (1, 1, 1), (78, 1, 78);
        INSERT INTO rocpd_event@ VALUES(2, 2, 2, 2, 2, '{}');
        INSERT INTO rocpd_kernel_dispatch@(track_id, start_id, end_id, event_id) VALUES
          (99, 99, 99, 99), (2, 10, 9, 2), (2, 9, NULL, 2), (NULL, NULL, NULL, NULL);)"));
  const auto out = read(file.close());
  ASSERT_TRUE(out.profile) << to_string(out.profile.error());
  const profile::Profile& profile = *out.profile;
  EXPECT_EQ(profile.works.size(), 4u);  // the two that were there, and two with a start
  EXPECT_EQ(profile.events[4].start, ns(1150));
  EXPECT_EQ(profile.works[0].correlation, 11u);
  EXPECT_EQ(out.findings.count(FindingCode::event_dropped), 2u);
  expect_sound(profile);
}

TEST(RocpdDamage, ReadsRealTablesOnly) {
  const TempFolder folder;
  DatabaseFile view(folder / "view.db");
  view.sql("CREATE TABLE rocpd_string (id INTEGER PRIMARY KEY, string TEXT)")
      .sql(
          "CREATE VIEW rocpd_kernel_dispatch AS WITH RECURSIVE c(start) AS (SELECT 1 UNION ALL "
          "SELECT start + 1 FROM c) SELECT start, start AS end FROM c");
  EXPECT_EQ(read(view.close()).profile.error().code, Errc::input_empty);
}

TEST(RocpdDamage, CutsLongNames) {
  const TempFolder folder;
  DatabaseFile file(folder / "long.db");
  file.sql(of_set(std::string(kCommon) + kDirect + kDirectRows))
      .sql("UPDATE rocpd_info_kernel_symbol_a1 SET display_name = printf('%.*c', 2000000, 'x')")
      .sql("UPDATE rocpd_event_a1 SET extdata = printf('%.*c', 100000, '[') WHERE id = 3");
  const auto out = read(file.close());
  ASSERT_TRUE(out.profile) << to_string(out.profile.error());
  EXPECT_EQ(out.findings.count(FindingCode::string_cut), 1u);
  EXPECT_EQ(out.profile->name(1), "roctxRangePushA");
}

TEST(RocpdDamage, AnswersToEveryTruncationAndFlippedByte) {
  const TempFolder folder;
  DatabaseFile file(folder / "whole.db");
  file.sql("PRAGMA page_size = 512")
      .sql(of_set(std::string(kCommon) + kByReference + kReferenceRows));
  const std::string whole = tables::testing::bytes_of(file.close());
  const auto answer = [](const std::string& bytes) {
    Findings findings;
    const auto profile = rocpd::read(std::as_bytes(std::span(bytes)), "x.db",
                                     {std::make_shared<StringPool>()}, findings);
    if (!profile) {
      EXPECT_FALSE(profile.error().where.empty() || profile.error().what.empty());
    }
    return profile.has_value();
  };
  EXPECT_TRUE(answer(whole));
  for (std::size_t size = 0; size < whole.size(); size += 307) (void)answer(whole.substr(0, size));
  for (std::size_t at = 0; at < whole.size(); at += 53) {
    for (const int flip : {1, 0x80, 0xFF}) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ flip);
      (void)answer(bytes);
    }
  }
}

}  // namespace
}  // namespace orrery::trace::rocpd
